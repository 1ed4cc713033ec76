/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_KERNEL_H
#define LAB_KERNEL_H
/* The stages that `kernel` can time, and the legal words of its options. */
#include "cli/option.h"
#include "operators/passes.h"

/* A stage as --stage names it, with the words of hpgmg-gpu's reports. */
struct stage_row {
    const char *name;
    enum pass_start start;
    int sweeps; /* as many as the ghosts allow, up to this; 0: it does not smooth */
    enum pass_finish finish;
    bool restricts_f; /* no pass, but the restriction of f to the next level */
};
extern const struct stage_row stage_rows[];
extern const struct choice stage_choices[]; /* index into stage_rows */
extern struct choice variant_choices[]; /* index into all_variants, or −1; see variants_list */

#endif
