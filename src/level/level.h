/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LEVEL_LEVEL_H
#define LEVEL_LEVEL_H
/* One level of the hierarchy: its geometry, the storage of its fields, and its halo plans. */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "level/box.h"
#include "level/decomposition.h"

struct backend;
struct plan;
struct stencil;

/* The grid functions that a level may hold. A field is one allocation: all local boxes of the
 * level, ghosts included. */
enum field {
    FIELD_U,      /* solution, or correction on levels below the one being solved */
    FIELD_F,      /* right-hand side, or restricted residual */
    FIELD_TMP,    /* second buffer of out-of-place sweeps; residual */
    FIELD_DINV,   /* relaxation weight: inverse diagonal, or inverse l1 norm for l1jacobi */
    FIELD_ALPHA,  /* cell average of α (helmholtz, variable coefficients) */
    FIELD_BETA_I, /* average of β over the low-i face of the cell */
    FIELD_BETA_J,
    FIELD_BETA_K,
    FIELD_SAVE,   /* restricted finer solution, for the Richardson analysis */
    FIELD_KRYLOV, /* the first of NUM_KRYLOV_FIELDS work vectors of the bottom solver */
    NUM_KRYLOV_FIELDS = 8,
    /* The first of NUM_PCG_FIELDS work vectors of MG-PCG. Not the bottom solver's: where MG-PCG
     * solves on the coarsest level, it calls the bottom solver in the middle of an iteration. */
    FIELD_PCG = FIELD_KRYLOV + NUM_KRYLOV_FIELDS,
    NUM_PCG_FIELDS = 4,
    NUM_FIELDS = FIELD_PCG + NUM_PCG_FIELDS,
};

/* Where a field's values live: at cell centres, or on the low face in direction 0..2 (then a box at
 * the domain's high wall also owns the plane of faces on that wall). */
enum { CENTRE_CELL = -1, CENTRE_FACE_I = 0, CENTRE_FACE_J = 1, CENTRE_FACE_K = 2 };

/* One local box. Local indices: cell (0,0,0) is box.lo. Cell (i,j,k) of a field is data[offset + i
 * + j·sj + k·sk], valid for -ghosts <= i < n[0]+ghosts and likewise j, k. */
struct patch {
    struct box box;
    int index; /* in level.boxes */
    int n[3];
    long offset, sj, sk;
    bool wall[3][2]; /* this side lies on a Dirichlet boundary of the domain */
};

struct level {
    int depth; /* 0 is the finest */
    int dim;   /* N: cells a side */
    double h;  /* 1/N */
    bool periodic;
    int ghosts;
    const struct backend *backend;
    struct stencil *stencil; /* the operator here; set and owned by who builds the hierarchy */

    struct decomposition decomposition;
    int npatches;
    struct patch *patches;
    long field_length; /* doubles in one field */
    bool connected;    /* some box has a neighbour across a side that is no wall: halos must be
                          exchanged */

    int nranks;    /* ranks that hold boxes */
    bool active;   /* this one does */
    MPI_Comm comm; /* of those ranks; MPI_COMM_NULL on the others */

    double *fields[NUM_FIELDS]; /* NULL where not allocated; memory of the backend */
    /* halos[d] fills d layers of ghosts of cell-centred fields from neighbours, 1 <= d <= ghosts;
     * halo is the one that fills all. The others are NULL before level_make_halo. All are NULL if
     * the level is not connected. */
    struct plan **halos, *halo;
};

/* Level of the given decomposition (taken over). row_align: rows are padded so that cell i = 0 of
 * every row sits at a multiple of row_align doubles. Collective over the world. */
struct level *level_create(int depth, struct decomposition decomposition, bool periodic, int ghosts,
                           const struct backend *backend, int row_align);
void level_destroy(struct level *level);

/* Makes the connected level's plan for `layers` of ghosts, which must not exist yet. Collective
 * over the world. */
struct plan *level_make_halo(struct level *level, int layers);
/* Fills all ghosts of a cell-centred field from neighbours, if the level is connected. */
void level_exchange_halo(const struct level *level, enum field field);

/* Bytes of one field of the level on this rank / the same before anything is created, for one rank.
 */
size_t level_field_bytes(const struct level *level);
size_t decomposition_field_bytes(const struct decomposition *d, int rank, int ghosts,
                                 int row_align);
/* Those of `fields` fields, added to bytes[rank] for all ranks at once. */
void decomposition_add_field_bytes(const struct decomposition *d, int ghosts, int row_align,
                                   int fields, size_t *bytes);

/* Allocates (zero-filled, by the backend) or releases a field; allocating twice is allowed and does
 * nothing. */
void level_allocate(struct level *level, enum field field);
void level_release(struct level *level, enum field field);

#endif
