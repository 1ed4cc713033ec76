/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* One stage on one level, with random fields: what `kernel` and `tune` time, and how its result is
 * checked. */
#include "lab/limiter.h"
#include "operators/pass.h"
#include "level/level.h"
#include "solvers/hierarchy.h"
#include "solvers/program.h"

/* --- levels to experiment on: made as the solver makes them, filled with random values ----------
 */

/* True if some run of hpgmg-gpu has a level of n cells per side. */
bool level_exists(int n);

/* The hierarchy whose first level has options->n cells per side, with its fields on the backend.
 * Refuses it if it does not fit. */
enum status level_choice(const struct lab_options *options, const struct backend *backend,
                         struct hierarchy_choice *choice);

/* Every cell gets a value in [−1, 1) that depends on its place and on seed alone, the rest of the
 * field NaN; then ghosts are filled from neighbours. */
void fill_random(struct level *level, enum field field, int seed);
/* NaN everywhere. */
void fill_poison(struct level *level, enum field field);

/* Wrong ghosts of a field that fill_random has filled with this seed, in this rank's boxes: a ghost
 * must equal the cell of the neighbour or the periodic image, or be NaN where no exchange fills it.
 */
long count_wrong_ghosts(const struct level *level, enum field field, int seed);

/* Cells inside the boxes of two levels of the same size whose bits differ. The levels may have
 * different backends. */
long count_differences(const struct level *a, enum field of_a, const struct level *b,
                       enum field of_b);

/* --- a stage ---------------------------------------------------------------------------------- */

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
/* Fills what the stage reads with the same random values every time, and what it writes with NaN.
 */
void stage_case_fill(struct stage_case *c);
/* Both, and waits. */
void stage_case_run(struct stage_case *c);

/* Checksums of the stage's results, for sizes too large to keep two of. */
struct stage_sums {
    uint64_t u, coarse_f, norm; /* 0 for what the stage does not write */
};
struct stage_sums stage_case_sums(const struct stage_case *c);
/* The same after a run by the baseline; then the default kernels are chosen. */
struct stage_sums stage_case_baseline_sums(struct stage_case *c);
bool stage_sums_equal(struct stage_sums a, struct stage_sums b);

/* The right results: up to 128 cells per side those of the CPU's plain loops, above checksums of
 * the baseline's. The CPU does as many sweeps in as many passes, with halo exchanges between them,
 * as its ghosts need: a GPU's level may need none where the CPU's does. */
struct stage_reference {
    struct stage_case *cpu; /* or NULL: */
    const char *baseline;
    struct stage_sums sums;
};
enum status stage_reference_create(struct stage_reference *r, const struct lab_options *options,
                                   struct stage_case *c);
void stage_reference_destroy(struct stage_reference *r);
/* Says what results are compared with. */
void stage_reference_report(const struct stage_reference *r, struct json *json);
/* How many results differ after a run: cells, and the norm as one; 1 for unequal checksums. */
long stage_differences(const struct stage_reference *r, const struct stage_case *c);

double stage_case_cells(const struct stage_case *c);
/* Counted for one run. */
struct usage stage_case_usage(const struct stage_case *c);

/* Arithmetic of a stage, counted from the formulas as they are written (operators/fv2.h, fv4.h,
 * smoothers.h, transfers.h): one thread per cell, so a kernel that shares fluxes between cells
 * does less; but values interpolated in one or two directions once, since all loops share them. */
struct operations {
    double instructions; /* an fma is one, */
    double flops;        /* and two of these */
};

/* Of one cell of the level, on average (sweeps of red and black work on half of the cells). */
struct operations operations_of_pass(const struct pass *pass);
/* The same for restricting a field of cells. */
struct operations operations_of_restriction(void);

/* Adds what the kernels of a pass (NULL: another stage) count on that backend: bytes of caches and
 * of shared memory, instructions. NaN where nothing is known. */
void usage_add_counts(struct usage *usage, const struct backend *backend, const struct pass *pass,
                      double cells);
