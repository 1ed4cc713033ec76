/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The computing half of a backend. Its unit is a pass of the cycle, not a vector operation, so that
 * a backend may fuse (red and black, residual and restriction, prolongation and first sweep)
 * without any change of the cycles. A pass reads halos that a plan has filled, fills the other
 * ghosts that it reads (behind walls, and where the backend wraps), and leaves all ghosts invalid.
 */
#include <stdbool.h>
#include <stdint.h>
#include "backend/fields.h"

struct bottom_counts;
struct decomposition;
struct diagonal_arguments;
struct level;
struct stencil;

enum pass_start {
    START_KEEP,        /* u as it is */
    START_ZERO,        /* u = 0 */
    START_PROLONG_SET, /* u = P coarse_u */
    START_PROLONG_ADD, /* u += P coarse_u */
    START_CORRECT,     /* u += 2^u_exponent · u of level->correction */
};
enum pass_finish {
    FINISH_NONE,
    FINISH_RESTRICT, /* coarse_f = R (f − A u) */
    FINISH_NORM,     /* *norm = max(*norm, bits of ‖f − A u‖_max over the local boxes) */
    FINISH_STORE,    /* residual = f − A u */
    FINISH_DEFECT,   /* f of level->correction = 2^-rhs_exponent (f − A u); *norm too, if set */
};

/* Cells that a pass works on, if the backend can split it: the interior depends on no ghost from a
 * neighbour; the boundary region is the rest. */
enum pass_region { REGION_ALL, REGION_INTERIOR, REGION_BOUNDARY };

/* One pass over a level: start, then sweeps first_sweep … first_sweep+nsweeps−1 of the smoother,
 * then finish. Out-of-place sweeps alternate between u and FIELD_TMP: even sweeps read u. */
struct pass {
    struct level *level;
    enum field u, f;
    enum pass_region region;

    enum pass_start start;
    int prolongation; /* 2: volume-averaged quadratic, 4: quartic */

    int first_sweep, nsweeps;

    enum pass_finish finish;
    enum field residual; /* FINISH_STORE, not u */
    uint64_t *norm;      /* FINISH_NORM; FINISH_DEFECT: or NULL */

    /* The coarse side of prolongation and restriction: a level with this level's boxes, coarsened.
     * A prolongation reads its halo: 1 or 2 layers, edges and corners too. */
    struct level *coarse;
    enum field coarse_u, coarse_f;

    bool ghosts_filled; /* the first operation finds its ghosts, but for halos */
    int ops_until_halo; /* operator applications after this pass and before the next halo exchange:
                           they read ghosts that this pass computes */
};

/* A cycle is a list of stages (solvers/program.h). */
enum stage_kind {
    STAGE_PASS,              /* run(pass) */
    STAGE_RESTRICT,          /* restrict_cells(pass.level, pass.f, pass.coarse, pass.coarse_f) */
    STAGE_BOTTOM,            /* solves for pass.u and pass.f on the coarsest level */
    STAGE_BOUNDARY,          /* fill_ghosts(pass), of the following pass */
    STAGE_HALO,              /* `layers` of ghosts of `field` from neighbours */
    STAGE_REDISTRIBUTE_DOWN, /* `field`: transfer's coarse side -> level + 1 */
    STAGE_REDISTRIBUTE_UP,   /* `field` of level + 1 -> transfer's coarse side, with halo */
    STAGE_COPY,              /* `field` = FIELD_TMP */
    STAGE_MEAN,              /* subtracts the mean of `field` */
    STAGE_WALLS, /* adds what values on walls add to f, or to interpolated u, to `field` */
    NUM_STAGE_KINDS,
};

/* A field that is exchanged, redistributed or changed as a whole. */
struct whole_field {
    enum field field;
    int layers; /* of ghosts: STAGE_HALO */
};

struct stage {
    enum stage_kind kind;
    int level; /* number in the hierarchy */
    union {
        struct pass pass;         /* of the first four kinds */
        struct whole_field whole; /* of the others */
    };
    /* STAGE_BOTTOM: the parameters of bottom_solve(), if on_device. */
    bool on_device;
    double reduction;
    int max_iterations;
};

/* What a backend does to one cell, and what it adds up over cells: operators/bodies.h has the
 * formulas. */
enum body {
#define BODY(name, arguments) BODY_##name,
#include "backend/bodies.def"
#undef BODY
    NUM_BODIES
};

enum reduction {
#define REDUCTION(name, words, sums) REDUCTION_##name,
#include "backend/reductions.def"
#undef REDUCTION
    NUM_REDUCTIONS
};

struct passes {
    void (*run)(const struct pass *pass);
    /* Fills the ghosts that the first operation of the pass reads, but for halos, as run() does
     * unless pass->ghosts_filled. */
    void (*fill_ghosts)(const struct pass *pass);
    /* True if run(pass) can do the interior first and then the boundary region, with the halos of u
     * and f filled in between. NULL if no pass can. */
    bool (*splits)(const struct pass *pass);
    /* Of a device: true if run() does SMOOTHER_SWEEPS sweeps and the residual in one pass over
     * memory on each of these boxes, given `ghosts` layers at inter-box faces. NULL: it does not.
     * Ranks may have different devices, and give different answers. */
    bool (*smooths_at_once)(const struct stencil *stencil, const struct decomposition *boxes,
                            int ghosts);
    /* Bytes per cell that run(pass) must move, and the names of its kernels or loops in their
     * order, separated by commas; 0 and "" on ranks without boxes. */
    double (*bytes)(const struct pass *pass);
    void (*kernels)(const struct pass *pass, char *text, int size);

    /* Calls the body for cells 0 <= i < n[0], …; `arguments` is its struct (bodies.def). */
    void (*visit)(enum body body, const void *arguments, const int n[3]);
    /* Adds the terms x, or x·y unless y = NUM_FIELDS, of the local cells to the reduction's words.
     */
    void (*reduce)(enum reduction reduction, const struct level *level, enum field x, enum field y,
                   double scale, uint64_t *words);
    /* Puts the rows of a field that are in the backend's own order (level->own_order) back into
     * that of struct patch. And vector_restrict() of such a field; false if it is none. NULL where
     * no field is. */
    void (*restore)(const struct level *level, enum field field);
    bool (*restrict_field)(const struct level *fine, enum field from, struct level *coarse,
                           enum field to);
    /* out = A x; the halo of x must have been filled. */
    void (*apply)(struct level *level, enum field out, enum field x);
    /* Subtracts the mean of x on a level whose boxes are all this rank's, bitwise identical to
     * reduce_subtract_mean() but without host synchronisation. NULL where the host does it. */
    void (*subtract_mean)(struct level *level, enum field x);

    /* The bottom solver (solvers/bottom.h, bicgstab) as one call without host synchronisation, and
     * its counts. NULL where the host drives it. */
    void (*bottom_solve)(struct level *level, enum field u, enum field f, double reduction,
                         int max_iterations);
    void (*bottom_counts)(struct bottom_counts *counts);

    /* Runs as many of these stages, from the first on, as can be one call, on levels so small that
     * a launch takes longer than its work. Returns their number. NULL where a call costs nothing.
     */
    int (*run_stages)(const struct stage *stages, int count);

    /* setup_diagonal() on one patch of n cells. */
    void (*diagonal)(const struct diagonal_arguments *x, const int n[3], uint64_t *lambda_max);
    /* Last of all: may copy coefficients to level->prepared, in an order of the backend's own. NULL
     * where passes read the fields. */
    void (*prepare)(struct level *level);
};
