/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_CPU_H
#define OPERATORS_CPU_H
/* Inside the CPU backend: a pass is a short list of operations, each of which works on one row of
 * cells at a time. The rows know the formulas (cpu_rows.c, cpu_transfers.c), the walls
 * (cpu_walls.c), and nothing of the order in which they are called; cpu_pass.c builds the list, and
 * cpu_traversal.c calls the rows, plainly or tiled. */
#include <stdint.h>
#include "level/backend.h"
#include "operators/passes.h"

/* Neighbouring rows of a plane under the operator: pointers at the first cell of the first row.
 * Unused fields may point anywhere. */
struct row {
    int n, rows;
    const double *u;
    double *out; /* sweeps may write where they read */
    long out_sj; /* between rows of out */
    const double *f, *alpha, *dinv, *beta_i, *beta_j, *beta_k;
    long sj, sk;
    double scale;
    int colour;        /* coloured: the cells of the first row with (i + colour) even are updated */
    double weight, c1; /* of struct relaxation */
};
typedef void row_fn(const struct row *row);

/* The residual, or an update: of all cells, of those of one colour, or of all in two steps. */
enum row_kind { ROW_RESIDUAL, ROW_WEIGHTED, ROW_COLOURED, ROW_TWO_STEP, NUM_ROW_KINDS };
/* The loop over rows for an operator (chosen by order, coefficients, equation) and what to do with
 * it. */
row_fn *row_function(const struct operator_choice *choice, enum row_kind kind);

/* A pass on one patch. Pointers are at cell (0,0,0); NULL where the pass has no use for them. */
struct patch_pass {
    const struct stencil *stencil;
    const struct patch *patch;
    double *buffer[2]; /* sweep s reads buffer[s & 1] and writes the other; both are u where sweeps
                          work in place */
    const double *f, *alpha, *dinv, *beta[3];
    double *residual;
    const double *coarse_u;
    double *coarse_f;
    long coarse_sj, coarse_sk;
    int parity; /* of the global index of cell (0,0,0) */
};

/* The row at (i,j,k) as sweep number `sweep` reads it, to the end of the box; `out` and what a
 * relaxation says are the caller's. */
struct row row_of_pass(const struct patch_pass *p, int sweep, int i, int j, int k);

/* What a thread gathers while it works. */
struct lane {
    uint64_t norm;
    char padding[120]; /* one cache line pair per thread */
};

struct operation;
/* Rows (or planes) low <= j < high. */
struct range {
    int low, high;
};
/* Works on the rows of plane k; where the operation's grain is 2, on the rows of planes k and k +
 * 1, by pairs. */
typedef void step_fn(const struct patch_pass *p, const struct operation *op, struct range rows,
                     int k, struct lane *lane);

/* One operation of a pass. An operation may read what the one before it wrote up to `lag` rows or
 * planes away. */
struct operation {
    step_fn *step;
    row_fn *row;
    int sweep;                    /* index of the sweep, from which source and target follow */
    struct relaxation relaxation; /* of a sweep */
    int grain;                    /* rows and planes per step: 1 or 2 */
    int extent;                   /* layers worked on beyond the box, on sides that are no wall */
    double *wall; /* the field whose Dirichlet ghosts follow from the rows written; NULL if none */
};
enum { MAX_OPERATIONS = SMOOTHER_SWEEPS + 2 };

/* Runs the operations in order over the patch. `lag` is the distance above. Tiled traversals keep
 * the rows between first and last operation in cache; both give the same bits. */
struct traversal {
    const struct patch_pass *pass;
    int nops;
    struct operation ops[MAX_OPERATIONS];
    int lag;
    struct lane *lanes; /* one per thread */
};
void traverse_plain(const struct traversal *t);
void traverse_tiled(const struct traversal *t);

/* Threads worth using for work on that many cells. */
int cpu_threads(long cells);
int cpu_max_threads(void);

/* Steps of cpu_rows.c and cpu_transfers.c. */
step_fn step_keep, step_zero, step_prolong_set, step_prolong_add;
step_fn step_sweep, step_residual_store, step_residual_norm, step_residual_restrict;

/* Dirichlet ghosts (`layers` deep, by `rule`) that follow from rows of x, a pointer at cell (0,0,0)
 * of a patch; `extent` layers beyond the box are valid on sides that are no wall. The first: the
 * ends of row (j,k). The second: all of i and j in plane k once row j is done. The third: the
 * planes beyond the walls in k at row j, once plane k is done. */
void walls_after_row(const struct patch *p, double *x, int rule, int layers, int extent, int j,
                     int k);
void walls_after_plane(const struct patch *p, double *x, int rule, int layers, int extent, int j,
                       int k);
/* All of them, for a field of a level. */
void walls_fill(const struct level *level, enum field field, int rule, int layers);

static inline double *patch_cells(const struct level *level, const struct patch *p,
                                  enum field field)
{
    return level->fields[field] ? level->fields[field] + p->offset : NULL;
}

/* The entries of the pass table. */
void cpu_run(const struct pass *pass, void (*traverse)(const struct traversal *));
void cpu_restrict_cells(const struct level *fine, enum field from, struct level *coarse,
                        enum field to);
void cpu_fill_fv(const struct level *level, const struct fv_tables *tables);
void cpu_restrict_face(const struct level *fine, struct level *coarse, int direction);
void cpu_extrapolate_beta(struct level *level);
void cpu_diagonal(struct level *level, uint64_t *lambda_max);
void cpu_apply(struct level *level, enum field out, enum field x);
void cpu_combine(struct level *level, enum field z, double a, enum field x, double b, enum field y);
void cpu_multiply(struct level *level, enum field z, enum field x, enum field y);
void cpu_add_constant(struct level *level, enum field x, double c);
uint64_t cpu_norm(const struct level *level, enum field x);
uint64_t cpu_product_norm(const struct level *level, enum field x, enum field y);
void cpu_product_digits(const struct level *level, enum field x, enum field y, int exponent,
                        int64_t digits[3]);
uint64_t cpu_checksum(const struct level *level, enum field x);

#endif
