/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Inside the CPU backend. A pass is a short list of operations on rows of
 * cells. pass.c builds the list, and traversal.c calls it for a few rows, or on a small
 * level for all of them at once. The rows know the formulas (rows.c, transfers.c) and the
 * walls (walls.c), but not the order in which they are called. */
#include <stdint.h>
#include "backend/backend.h"
#include "cpu/cpu.h"
#include "operators/operands.h"
#include "operators/pass.h"
#include "operators/smoothers.h"

static inline long patch_cells_count(const struct patch *p)
{
    return (long)p->n[0] * p->n[1] * p->n[2];
}

/* A field of a patch, in whatever order its rows are stored. */
static inline real *cpu_cells(const struct level *level, const struct patch *p, enum field field)
{
    return level->fields[field] ? level->fields[field] + p->offset : NULL;
}

/* Neighbouring rows of neighbouring planes. Pointers are at the first cell of the first row. Unused
 * fields may point anywhere. */
struct row {
    int n, rows, planes;
    int i; /* the first cell's; pointers to rows in halves (halves.h) are at cell 0 instead */
    const real *u;
    real *out;           /* sweeps may write where they read */
    long out_sj, out_sk; /* between rows and planes of out */
    const real *f, *alpha, *dinv, *beta_i, *beta_j, *beta_k;
    long sj, sk;
    real scale;
    int colour;      /* coloured: updates the cells of the first row with (i + colour) even, where
                        the cell that pointers are at has i = 0 */
    real weight, c1; /* of struct relaxation */
    real *k_flux;    /* by row, n values each: receives the fluxes through the high k faces of the
                          last plane, if the operator has a use for them; or NULL */
    bool k_known;    /* k_flux has those through the low k faces of the first plane */
    int radius;      /* of the operator */
    int reader, readers; /* the operation's number among those of the trip that read rows, and how
                            many these are. The first one's next plane is not in cache: rows ask for
                            it. No one does if there are none */
};
typedef void row_fn(const struct row *row);

/* Those of the row from offset `at` on. (Member by member: a struct that is copied as one vector
 * would wait for its members.) */
static inline void row_set_operands(struct row *row, const struct operands *o, long at)
{
    row->f = o->f + at;
    row->alpha = o->alpha + at;
    row->dinv = o->dinv + at;
    row->beta_i = o->beta_i + at;
    row->beta_j = o->beta_j + at;
    row->beta_k = o->beta_k + at;
    row->scale = (real)o->scale;
}

/* The residual, an update of cells of one colour, or the updates of all cells, by enum update. */
enum row_kind { ROW_RESIDUAL, ROW_COLOURED, ROW_UPDATE, NUM_ROW_KINDS = ROW_UPDATE + NUM_UPDATES };
/* The loops over rows for an operator. */
struct row_functions {
    row_fn *update[NUM_ROW_KINDS];
    bool keeps_fluxes; /* fluxes cost more than keeping them (see struct row) */
};
const struct row_functions *operator_rows(const struct operator_choice *choice);
/* The same for rows in halves: residuals, and updates of one colour. Residuals are stored in halves
 * too. */
const struct row_functions *operator_half_rows(const struct operator_choice *choice);

/* A patch of a correction level in single precision, and the powers of two by which its u is added
 * and residuals become its f. */
struct correction_patch {
    float *u, *f; /* at cell (0,0,0) */
    long sj, sk;
    double up, down;
};

/* A pass on one patch. Pointers are at cell (0,0,0), or NULL if the pass does not use them. */
struct patch_pass {
    const struct stencil *stencil;
    const struct patch *patch;
    bool halves, coarse_u_halves, coarse_f_halves; /* how rows are stored; `residual` has none */
    real *buffer[2]; /* sweep s reads buffer[s & 1] and writes the other; both are u where sweeps
                          work in place */
    struct operands operands;
    real *residual;
    const real *coarse_u;
    real *coarse_f;
    long coarse_sj, coarse_sk;
    struct correction_patch correction;
    int parity; /* of the global index of cell (0,0,0) */
};

struct operation;
/* Rows (or planes) low <= j < high. */
struct range {
    int low, high;
};

/* What one thread accumulates during a pass, the fluxes that it keeps from plane to plane of an
 * operation, and its number among those that read rows (see struct row). */
struct thread_state {
    uint64_t norm;
    real *k_flux;
    bool k_known;
    int reader, readers;
    char padding[96]; /* one cache line pair per thread */
};

/* Works with the residual of a block of rows, which lies in block->out from cell (i,j,k) on. */
typedef void residual_block_fn(const struct patch_pass *p, const struct row *block, int i, int j,
                               int k, void *data);
/* Calls `use` for the residual of these rows of these planes, block by block in cache. */
void for_residual_blocks(const struct patch_pass *p, const struct operation *op, struct range rows,
                         struct range planes, const struct thread_state *state,
                         residual_block_fn *use, void *data);

/* Raises the uint64_t at `norm` to the bits of the residuals' magnitudes. */
residual_block_fn raise_block_norm;

/* Works on the rows of some planes. A grain of 2 wants even numbers of both. */
typedef void step_fn(const struct patch_pass *p, const struct operation *op, struct range rows,
                     struct range planes, struct thread_state *state);

/* One operation of a pass. It may read what the operation before it wrote up to `lag` rows or
 * planes away. */
struct operation {
    step_fn *step;
    row_fn *row;
    int sweep; /* its number, which determines the source and the target buffer */
    struct relaxation relaxation; /* of a sweep */
    int grain;                    /* rows and planes per step: 1 or 2 */
    int extent;                   /* layers worked on beyond the box, on sides that are no wall */
    real *wall; /* the field whose ghosts behind walls follow from the rows written; NULL if none */
};
enum { MAX_OPERATIONS = SMOOTHER_SWEEPS + 2 };

/* Runs the operations in order over the patch. `lag` is the distance above; ghosts behind walls
 * follow from wall_cells cells, up to two more. A tiled traversal keeps
 * the rows between first and last operation in cache. Both give bitwise identical results. On a
 * small patch both do one operation after the other, each in one call. */
struct traversal {
    const struct patch_pass *pass;
    int nops;
    struct operation ops[MAX_OPERATIONS];
    int lag, wall_cells;
    bool keeps_fluxes;           /* see struct row_functions */
    struct thread_state *states; /* one per thread */
};
void traverse_plain(const struct traversal *t);
void traverse_tiled(const struct traversal *t);

/* Passes of several half-sweeps on small levels with walls (colours.c): what set-up prepares
 * for them, whether a pass is one, and the pass after its prolongation. */
void colours_prepare(struct level *level);
bool colours_fit(const struct pass *pass);
void colours_run(const struct pass *pass, const struct patch_pass *p);

/* Maximum number of threads on a level. */
int cpu_max_threads(void);

/* Steps of rows.c and transfers.c. */
step_fn step_keep, step_zero, step_prolong_set, step_prolong_add;
step_fn step_sweep, step_residual_store, step_residual_norm, step_residual_restrict;

/* Steps of corrections.c, for levels of double precision, and what they work on. */
step_fn step_correct, step_defect, step_defect_norm;
void corrections_open(struct patch_pass *p, const struct level *level, int q);

/* The cells of direction d, with ghosts: `beside` layers beyond walls, `extent` beyond other sides.
 */
static inline struct range with_ghosts(const struct patch *p, int d, int beside, int extent)
{
    const struct range r = {-(p->wall[d][0] ? beside : extent),
                            p->n[d] + (p->wall[d][1] ? beside : extent)};
    return r;
}

/* Ghosts behind walls, `layers` deep. Edges and corners are filled `beside` layers deep, as far as
 * somebody reads them. On sides without a wall, `extent` layers beyond the box are valid. */
struct walls {
    const struct wall_weights *rule;
    int layers, beside, extent;
    bool halves; /* see halves.h */
};
/* Those that the operator reads. It reads cells next to others in one direction less than its
 * radius away in the other: none with order 2, the next ones with order 4. */
static inline struct walls walls_around(const struct stencil *s, int extent, bool halves)
{
    const struct walls w = {stencil_walls(s), s->radius, s->radius - 1, extent, halves};
    return w;
}
/* x points at cell (0,0,0) of the patch. walls_after_rows fills the ghosts in i and j that follow
 * from some rows of some planes. walls_after_planes fills these rows of the planes beyond the walls
 * in k, where they follow from these planes. */
void walls_after_rows(const struct patch *p, real *x, const struct walls *w, struct range rows,
                      struct range planes);
void walls_after_planes(const struct patch *p, real *x, const struct walls *w, struct range rows,
                        struct range planes);
/* All of them, for a field of a level. */
void walls_fill(const struct level *level, enum field field, const struct wall_weights *rule,
                int layers);

/* backend_memory's copy(), for both precisions. */
void cpu_copy_cells(const struct copy_list *list, const void *from, void *to);

/* The entries of the pass table. */
void cpu_run(const struct pass *pass, void (*traverse)(const struct traversal *), bool halves);
/* A pass that colours_fit. */
void cpu_run_small(const struct pass *pass);
void cpu_fill_ghosts(const struct pass *pass);
void cpu_visit(enum body body, const void *arguments, const int n[3]);
void cpu_reduce(enum reduction reduction, const struct level *level, enum field x, enum field y,
                double scale, uint64_t *words);
void cpu_diagonal(const struct diagonal_arguments *x, const int n[3], uint64_t *lambda_max);
bool cpu_restrict(const struct level *fine, enum field from, struct level *coarse, enum field to);
void cpu_apply(struct level *level, enum field out, enum field x);
