/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_STAGE_CASE_H
#define LAB_STAGE_CASE_H
/* One stage on one level, with random fields: what `kernel` times, and how its result is checked.
 */
#include "lab/fields.h"
#include "lab/kernel.h"
#include "lab/variants.h"
#include "solvers/program.h"

/* The case that the options describe, on a hierarchy of its own. STATUS_USAGE with one line in
 * message if the level cannot do that stage in one pass, STATUS_MEMORY if it does not fit. */
enum status stage_case_create(struct stage_case *c, const struct lab_options *options,
                              const struct backend *backend, char *message, int message_size);
void stage_case_destroy(struct stage_case *c);

/* Fills what the stage reads with the same random values every time, and what it writes with NaN;
 * then lets the variant do it. */
void stage_case_run(struct stage_case *c, const struct variant *v);
/* How many results of the two differ: cells, and the norm as one. They may be on different
 * backends. */
long stage_case_differences(const struct stage_case *a, const struct stage_case *b);

/* Checksums of the stage's results, for sizes of which two are too large to keep. */
struct stage_sums {
    uint64_t u, coarse_f, norm; /* 0 for what the stage does not write */
};
struct stage_sums stage_case_sums(const struct stage_case *c);

double stage_case_cells(const struct stage_case *c);
double stage_case_bytes(const struct stage_case *c, const struct variant *v);

#endif
