/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVERS_HIERARCHY_H
#define SOLVERS_HIERARCHY_H
/* The levels of a run, from finest to coarsest, with the operator on each and the way between
 * neighbours. */
#include "level/backend.h"
#include "operators/stencil.h"
#include "solvers/bottom.h"

enum { MAX_LEVELS = 32 };

/* What a hierarchy is made from. */
struct hierarchy_choice {
    int log2_box_dim;
    long boxes_per_rank;
    struct operator_choice op;
    int problem; /* index into problems[] */
    enum bottom_method bottom;
    bool mgpcg;                    /* work vectors of MG-PCG on the levels that are solved on */
    const struct backend *backend; /* of levels with at least cpu_below cells */
    const struct backend *coarse_backend; /* of the others; NULL: the same */
    double cpu_below;
    double agglomerate_below;          /* coarse levels' boxes: spec_agglomerate() */
    double overlap_above;              /* halos travel while a pass works inside, if a rank has at
                                          least so many cells on average and the backend can */
    const struct transport *transport; /* of messages between devices; NULL: MPI's */
    bool device_messages;              /* MPI takes buffers on devices */
};

/* The decomposition spec of every level, before anything is allocated. */
struct hierarchy_shape {
    int nlevels;
    struct decomposition_spec specs[MAX_LEVELS];
};

/* Between level l and level l + 1. */
struct transfer {
    struct level *coarse; /* level l's boxes, coarsened: level l + 1 itself where it has just these,
                             else a level of its own */
    bool separate;        /* the latter */
    struct plan *down;    /* coarse -> level l + 1; NULL unless separate */
    struct plan *up;      /* level l + 1 -> coarse, with halo; NULL unless separate */
};

struct hierarchy {
    struct hierarchy_choice choice;
    int nlevels;
    struct level *levels[MAX_LEVELS];
    struct transfer transfers[MAX_LEVELS]; /* [l]: between l and l + 1 */
    struct bottom *bottom;
    bool singular; /* periodic poisson: solutions are determined up to a constant */
    double build_seconds;
};

enum { SOLVED_LEVELS = 3 }; /* the benchmark solves on h, 2h and 4h */

/* The specs that follow from the size rule, the number of ranks and the order. */
struct hierarchy_shape hierarchy_shape(const struct hierarchy_choice *choice, int ranks);

/* The backend of a level of dim cells a side. */
const struct backend *hierarchy_level_backend(const struct hierarchy_choice *choice, int dim);

/* Calls visit for each level that hierarchy_create would build, finest first, with its
 * decomposition and the bytes of its fields on each rank, shadows of transfers included. */
typedef void hierarchy_visit(void *data, int level, const struct decomposition *d,
                             const size_t *bytes);
void hierarchy_foresee(const struct hierarchy_choice *choice, const struct hierarchy_shape *shape,
                       int ranks, hierarchy_visit *visit, void *data);
/* Bytes of the fields of all levels on devices, or of all levels in host memory, on the rank that
 * holds most. */
size_t hierarchy_bytes(const struct hierarchy_choice *choice, const struct hierarchy_shape *shape,
                       int ranks, bool on_device);

/* Builds levels, coefficients, right-hand side (on the finest level), D⁻¹ and plans. Collective.
 * Dies if memory runs out. */
struct hierarchy *hierarchy_create(const struct hierarchy_choice *choice);
void hierarchy_destroy(struct hierarchy *h);

/* Sees to it that the connected level has a plan for halos of so many layers. Collective. */
void hierarchy_make_halo(struct hierarchy *h, int level, int layers);

#endif
