/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_PASSES_H
#define OPERATORS_PASSES_H
/* The computing half of a backend. Its grain is a pass of the cycle and not a vector operation, so
 * that a backend may fuse (red and black, residual and restriction, prolongation and first sweep)
 * behind unchanged cycles. Rule: a pass reads halos that a plan has filled, fills the Dirichlet
 * ghosts it needs by itself, and leaves all ghosts invalid. */
#include <stdint.h>
#include "level/level.h"
#include "operators/stencil.h"

enum pass_start {
    START_KEEP,        /* u as it is */
    START_ZERO,        /* u = 0 */
    START_PROLONG_SET, /* u = P coarse_u */
    START_PROLONG_ADD, /* u += P coarse_u */
};
enum pass_finish {
    FINISH_NONE,
    FINISH_RESTRICT, /* coarse_f = R (f − A u) */
    FINISH_NORM,     /* *norm = max(*norm, bits of ‖f − A u‖_max over the local boxes) */
    FINISH_STORE,    /* residual = f − A u */
};

/* Which cells a pass works on, where a backend can split it: INNER are cells that depend on no
 * ghost from a neighbour, OUTER the others. */
enum pass_part { PART_ALL, PART_INNER, PART_OUTER };

/* One pass over a level: start, then sweeps first_sweep … first_sweep+nsweeps−1 of the smoother,
 * then finish. Out-of-place sweeps alternate between u and FIELD_TMP: sweep s reads u where s is
 * even. */
struct pass {
    struct level *level;
    enum field u, f;
    enum pass_part part;

    enum pass_start start;
    int prolongation; /* 2: volume-averaged quadratic, 4: quartic */

    int first_sweep, nsweeps;

    enum pass_finish finish;
    enum field residual; /* FINISH_STORE */
    uint64_t *norm;      /* FINISH_NORM */

    /* The coarse side of prolongation and restriction: a level whose boxes are this level's,
     * coarsened. For prolongation its halo (1 or 2 layers, edges and corners too) must have been
     * filled. */
    struct level *coarse;
    enum field coarse_u, coarse_f;
};

static inline bool pass_prolongs(const struct pass *pass)
{
    return pass->start == START_PROLONG_SET || pass->start == START_PROLONG_ADD;
}

/* Applications of the operator in a pass: its sweeps, and the finish. */
static inline int pass_operations(const struct pass *pass)
{
    return pass->nsweeps + (pass->finish != FINISH_NONE);
}

/* The field that holds u when the pass begins, with the ghosts that it reads. */
static inline enum field pass_reads(const struct pass *pass)
{
    return pass->level->stencil->in_place || pass->first_sweep % 2 == 0 ? pass->u : FIELD_TMP;
}

struct bottom_counts;

/* One step of several that a backend does in one call. */
enum step_kind {
    STEP_PASS,     /* run(pass) */
    STEP_RESTRICT, /* restrict_cells(pass.level, pass.f, pass.coarse, pass.coarse_f) */
    STEP_BOTTOM,   /* bottom_solve(pass.level, pass.u, pass.f, …) */
};
struct step {
    enum step_kind kind;
    struct pass pass;
    double reduction; /* these are STEP_BOTTOM's */
    int max_iterations;
    bool singular;
};

struct fv_point;

/* The fv problem's functions of one coordinate, on the host, by global index: X and X'' and s at
 * cell centres, s at faces; see problem_formula.h. */
struct fv_tables {
    const struct fv_point *points;
    const double *centres, *faces;
    int points_length, sines_length;
    double correction, curvature;
};

/* Work vectors are combined like this: z = a·x + b·y, fma(a, x, b·y) per cell. */
struct passes {
    void (*run)(const struct pass *pass);
    /* True if run(pass) can do the inner part first and then the outer one, with the halos of u and
     * f filled in between. NULL where no pass can. */
    bool (*splits)(const struct pass *pass);
    /* Bytes per cell that run(pass) must move, and the names of the kernels or loops that it uses,
     * in their order, with commas between them; "" and 0 on ranks without boxes. */
    double (*bytes)(const struct pass *pass);
    void (*kernels)(const struct pass *pass, char *text, int size);

    void (*restrict_cells)(const struct level *fine, enum field from, struct level *coarse,
                           enum field to);
    /* out = A x; halo of x must have been filled. */
    void (*apply)(struct level *level, enum field out, enum field x);
    void (*combine)(struct level *level, enum field z, double a, enum field x, double b,
                    enum field y);
    void (*multiply)(struct level *level, enum field z, enum field x, enum field y);
    void (*add_constant)(struct level *level, enum field x, double c);
    /* Subtracts the mean of x on a level whose boxes are all this rank's, with the bits of
     * reduce_subtract_mean() but without the host; NULL where the host does it. */
    void (*subtract_mean)(struct level *level, enum field x);
    uint64_t (*norm)(const struct level *level,
                     enum field x); /* bits of max|x| over local boxes; 0 if none */
    /* max over local cells of |x·y| (bits); y = FIELD count NUM_FIELDS stands for 1. */
    uint64_t (*product_norm)(const struct level *level, enum field x, enum field y);
    /* Adds Σ x·y as fixed-point digits, see operators/sum.h; the same convention for y. */
    void (*product_digits)(const struct level *level, enum field x, enum field y, int exponent,
                           int64_t digits[3]);
    uint64_t (*checksum)(const struct level *level, enum field x);

    /* The bottom solver (solvers/bottom.h, bicgstab) as one call without the host in between, and
     * what it has counted; NULL where the host drives it. */
    void (*bottom_solve)(struct level *level, enum field u, enum field f, double reduction,
                         int max_iterations, bool singular);
    void (*bottom_counts)(struct bottom_counts *counts);

    /* Steps that follow each other as one call, for levels so small that calls take longer than
     * what is done in them; each must be one that fits. NULL where a call costs nothing. */
    bool (*step_fits)(const struct step *step);
    void (*run_steps)(const struct step *steps, int count);

    /* Set-up. f of the fv problem, and α and β where they are allocated, on the interior of the
     * level's boxes (β also on the faces of the high walls). */
    void (*fill_fv)(const struct level *level, const struct fv_tables *tables);
    /* Of face-centred β, in one direction. */
    void (*restrict_face)(const struct level *fine, struct level *coarse, int direction);
    void (*extrapolate_beta)(
        struct level *level); /* fv4: one layer beyond Dirichlet walls, tangentially */
    void (*diagonal)(struct level *level,
                     uint64_t *lambda_max); /* FIELD_DINV; max of the Gershgorin bound's bits */
};

/* How many sweeps one run() may do before a connected level must exchange halos again: one fewer
 * than ghosts are deep enough for where that leaves two or more, and so room for the finish. */
int sweeps_per_halo(const struct level *level);
/* How many sweeps and a finish together. */
int operations_per_halo(const struct level *level);

#endif
