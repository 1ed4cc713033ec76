/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The levels of a run, from finest to coarsest, with their operators and the transfers between
 * them. */
#include "backend/backend.h"
#include "level/domain.h"
#include "level/plan.h"
#include "operators/stencil.h"
#include "solvers/bottom.h"

/* A level halves one direction at least, and a direction has at most 2^20 cells. */
enum { MAX_LEVELS = 64, MAX_GRIDS = 2 * MAX_LEVELS };

/* The backend and the ranks of each level, and the transport of halo messages. */
struct placement {
    const struct backend *backend;        /* of levels with at least cpu_below cells */
    const struct backend *coarse_backend; /* of the others; NULL: the same */
    double cpu_below;
    double agglomerate_below;          /* see spec_agglomerate() */
    double overlap_above;              /* overlap halo exchange with computation on levels with at
                                          least this many cells per rank, if the backend can */
    const struct transport *transport; /* of messages between devices; NULL: MPI's */
    bool device_messages;              /* MPI reads and writes buffers on devices */
};

/* The choices that define a hierarchy: what is solved, by which cycle, and where. */
struct hierarchy_choice {
    int log2_box_dim;
    long boxes_per_rank;
    struct domain_choice domain;
    struct operator_choice op;
    int problem; /* index into problems[] */
    enum bottom_method bottom;
    bool
        outer_fields; /* the outer Krylov method's work vectors, on the levels that are solved on */
    int sweeps[2];    /* before and after the coarse correction, of one colour if coloured; both 0:
                         SMOOTHER_SWEEPS */
    bool w_cycle;     /* coarse corrections by two cycles each */
    int max_levels;   /* 0: as many as the size allows */
    bool unfused;     /* every operation is a stage of its own */
    double single_above; /* levels with more cells are corrected in single precision; 0: none */
    struct placement placement;
};

/* The decomposition spec of every level, before anything is allocated, and the operator. */
struct hierarchy_shape {
    int nlevels;
    struct decomposition_spec specs[MAX_LEVELS];
    struct operator_choice
        op; /* stores β, even where it is 1, if cells of some level are no cubes */
};

/* Between level l and level l + 1. */
struct transfer {
    struct level *coarse; /* level l's boxes, coarsened: level l + 1 if its boxes, owners and
                             backend are the same, else a redistribution buffer */
    bool separate;        /* a redistribution buffer is needed */
    struct plan *down;    /* coarse -> level l + 1; NULL unless separate */
    struct plan *up;      /* level l + 1 -> coarse, with halo; NULL unless separate */
};

/* What an F-cycle adds to fields of a level where walls have values; NULL where none has: see
 * solvers/walls.h. */
struct cycle_walls {
    struct wall_terms *rhs;          /* to f, after it was restricted to this level */
    struct wall_terms *interpolated; /* to u, after it was interpolated from the next level */
};

/* With mixed precision each of the first ncorrections levels has a correction level: the same boxes
 * in single precision. There V-cycles solve for the correction, A e = f − A u, and the next level
 * of the last correction level is an ordinary one. Grids are numbered: levels from 0 on, then
 * correction levels from nlevels on. */
struct hierarchy {
    struct hierarchy_choice choice;
    int nlevels, ncorrections;
    struct level *levels[MAX_GRIDS];
    struct transfer transfers[MAX_GRIDS]; /* [l]: between l and hierarchy_next(h, l) */
    int beta_exponent; /* coefficients of correction levels are multiplied by 2^-beta_exponent */
    struct cycle_walls walls[MAX_LEVELS];
    struct bottom *bottom;
    bool singular;   /* solutions differ by a constant: see operator_is_singular() */
    double rhs_mean; /* of f on the finest level, where it was subtracted: if singular; on ranks
                        that hold boxes of that level */
    double build_seconds;
};

/* The number of the grid that corrects a level in single precision; −1 if there is none. */
static inline int hierarchy_correction(const struct hierarchy *h, int level)
{
    return level < h->ncorrections ? h->nlevels + level : -1;
}

static inline int hierarchy_grids(const struct hierarchy *h)
{
    return h->nlevels + h->ncorrections;
}

/* The next coarser grid. */
static inline int hierarchy_next(const struct hierarchy *h, int grid)
{
    return grid == h->nlevels + h->ncorrections - 1 && h->ncorrections > 0 ? h->ncorrections
                                                                           : grid + 1;
}

enum { SOLVED_LEVELS = 3 }; /* the benchmark solves on h, 2h and 4h */

/* The specs that follow from the size rule, the number of ranks and the order. */
struct hierarchy_shape hierarchy_shape(const struct hierarchy_choice *choice, int ranks);

/* The backend for a level with `cells` cells. */
const struct backend *hierarchy_level_backend(const struct hierarchy_choice *choice, double cells);

/* Calls visit for each level that hierarchy_create would build, finest first, with its
 * decomposition and the bytes of its fields on each rank. The redistribution buffer between a level
 * and the next counts with the finer level. */
typedef void hierarchy_visit(void *data, int level, const struct decomposition *d,
                             const size_t *bytes);
void hierarchy_estimate(const struct hierarchy_choice *choice, const struct hierarchy_shape *shape,
                        int ranks, hierarchy_visit *visit, void *data);
/* Bytes of the fields of all levels on devices, or of all levels in host memory, on the rank that
 * holds most. */
size_t hierarchy_bytes(const struct hierarchy_choice *choice, const struct hierarchy_shape *shape,
                       int ranks, bool on_device);

/* The levels on which a benchmark solves: at most SOLVED_LEVELS, h, 2h and so on in all directions.
 */
int hierarchy_solved_levels(const struct hierarchy *h);

/* The decompositions of all levels, which are the same on all ranks. */
void hierarchy_boxes(const struct hierarchy_shape *shape, int ranks,
                     struct decomposition boxes[MAX_LEVELS]);

/* This rank's levels, halo plans and transfers without their fields, as hierarchy_create begins.
 * Takes over the decompositions. Collective over the world. */
struct hierarchy *hierarchy_lay_out(const struct hierarchy_choice *choice, int nlevels,
                                    const struct decomposition boxes[MAX_LEVELS]);
/* Makes and drops the plans that hierarchy_create needs once, for coefficients. */
void hierarchy_dry_run_coefficients(const struct hierarchy *h);

/* All levels with their fields, plans and transfers. Fields are 0, and there is no operator yet.
 * Collective over the world. Dies if there is not enough memory. */
struct hierarchy *hierarchy_allocate(const struct hierarchy_choice *choice);
/* Makes the operators of all levels and the bottom solver from α and β in the boxes of the finest
 * level, β also on the faces of the high walls. Sets β to 0 on Neumann walls. May be called again
 * after α or β has changed; programs that were made before must then be made anew. Collective over
 * the world. */
void hierarchy_set_operator(struct hierarchy *h);
/* Takes the right-hand side in the boxes of the finest level: where the operator is singular,
 * subtracts its mean. Collective over the world. */
void hierarchy_set_rhs(struct hierarchy *h);

/* The hierarchy of a model problem: the three above in turn. Collective over the world. Dies if
 * there is not enough memory. */
struct hierarchy *hierarchy_create(const struct hierarchy_choice *choice);
void hierarchy_destroy(struct hierarchy *h);

/* Scales what correction levels work on by powers of two: 2^exponent is about the largest magnitude
 * of the right-hand side. */
void hierarchy_scale(struct hierarchy *h, int exponent);

/* Makes the connected level's plan for `layers` of ghosts, if there is none. Collective. */
void hierarchy_make_halo(struct hierarchy *h, int level, int layers);
