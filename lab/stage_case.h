/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_STAGE_CASE_H
#define LAB_STAGE_CASE_H
/* One stage on one level, with random fields: what `kernel` and `tune` time, and how its result is
 * checked. */
#include "lab/fields.h"
#include "lab/limiter.h"
#include "solvers/program.h"

extern const struct choice stage_choices[]; /* the legal words of --stage */

struct stage_case {
    struct hierarchy *hierarchy;
    struct level *level; /* its first one */
    struct stage stage;
    struct program *program;     /* a reference does the stage by it; NULL: as one pass */
    const struct passes *passes; /* the backend's, or the CPU's plain ones */
    uint64_t norm;               /* where a stage that ends in the norm leaves its bits */
};

/* The case that the options describe, on a hierarchy of its own. Refuses a stage that the level
 * cannot do in one pass, and what does not fit. */
enum status stage_case_create(struct stage_case *c, const struct lab_options *options,
                              const struct backend *backend);
/* The same stage with as many sweeps by the CPU's plain loops, in as many passes, with halo
 * exchanges between them, as its ghosts need: a GPU's level may need none where the CPU's does. */
enum status stage_case_create_reference(struct stage_case *c, const struct lab_options *options,
                                        const struct stage_case *measured);
void stage_case_destroy(struct stage_case *c);

/* The names of kernels, or on a CPU of loops, by number from 0; NULL after the last. */
const char *stage_case_kernel(const struct stage_case *c, int number);
/* The simplest kernel, which does any stage. */
const char *stage_case_baseline(const struct stage_case *c);
/* Chooses the kernels that do the stage, by a list as --kernels takes it. Refuses an unknown name.
 */
enum status stage_case_choose(struct stage_case *c, const char *list);
/* Writes which kernels do the stage, as hpgmg-gpu's report does; "" if the stage is no pass. */
void stage_case_kernels(const struct stage_case *c, char *text, int size);

/* Does the stage, and does not wait for it: a work_fn. */
void stage_case_work(void *stage_case);
/* Fills what the stage reads with the same random values every time, and what it writes with NaN;
 * then does the stage. */
void stage_case_run(struct stage_case *c);
/* How many results of the two differ: cells, and the norm as one. They may be on different
 * backends. */
long stage_case_differences(const struct stage_case *a, const struct stage_case *b);

/* Checksums of the stage's results, for sizes too large to keep two of. */
struct stage_sums {
    uint64_t u, coarse_f, norm; /* 0 for what the stage does not write */
};
struct stage_sums stage_case_sums(const struct stage_case *c);
/* The same after a run by the baseline; then the default kernels are chosen. */
struct stage_sums stage_case_baseline_sums(struct stage_case *c);
bool stage_sums_equal(struct stage_sums a, struct stage_sums b);

double stage_case_cells(const struct stage_case *c);
/* Counted for one run. */
struct usage stage_case_usage(const struct stage_case *c);

#endif
