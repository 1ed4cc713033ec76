/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* One level of the hierarchy: its geometry, the storage of its fields, and its halo plans. */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "backend/fields.h"
#include "base/linkage.h"
#include "base/real.h"
#include "level/box.h"
#include "level/box_index.h"
#include "level/decomposition.h"
#include "level/sides.h"

C_BEGIN

struct backend;
struct ghost_list;
struct plan;
struct stencil;

/* Centring of a field: cell centres, or low faces in direction 0..2. A box at the domain's high
 * wall also owns the plane of faces on that wall. */
enum { CENTRE_CELL = -1, CENTRE_FACE_I = 0, CENTRE_FACE_J = 1, CENTRE_FACE_K = 2 };

/* One local box. In local indices, box.lo is cell (0,0,0). Cell (i,j,k) of a field is data[offset +
 * i + j·sj + k·sk], for -ghosts <= i < n[0]+ghosts and likewise j, k. */
struct patch {
    struct box box;
    int index; /* in decomposition.boxes */
    int n[3];
    long offset, sj, sk;
    enum wall wall[3][2]; /* what of the domain's boundary this side is on */
    bool wrap[3];         /* the patch is its own neighbour in this direction: see level_wraps */
};

struct level {
    int depth;          /* 0 is the finest */
    int n[3];           /* cells by direction */
    struct sides sides; /* of the domain */
    int ghosts;
    const struct backend *backend;
    struct stencil *stencil; /* this level's operator; the hierarchy sets and owns it */

    /* The level in single precision that corrects this one; NULL: none. On such a level, f is
     * 2^-rhs_exponent times the residual of the level that it corrects, and u 2^-u_exponent times
     * the correction. */
    struct level *correction;
    int rhs_exponent, u_exponent;

    struct decomposition decomposition;
    struct box_index index; /* of all its boxes */
    int npatches;
    struct patch *patches;
    long field_length; /* values in one field */
    bool connected; /* some box has a neighbour, so halos must be exchanged; a periodic box is its
                       own neighbour, unless the backend wraps */

    int nranks;    /* ranks that hold boxes */
    bool active;   /* this rank does */
    MPI_Comm comm; /* of the ranks that hold boxes; MPI_COMM_NULL on the others */

    /* Memory of the backend, NULL where not allocated. Only level_allocate, level_release and
     * level_swap change these pointers. */
    real *const *fields;
    /* By field: whether its rows are in an order of the backend's own. level_restore puts cells
     * back where struct patch has them. */
    bool *own_order;
    /* What the backend's set-up keeps for its passes; host memory, or NULL. The level releases it.
     */
    real *prepared;
    struct ghost_list *ghost_lists; /* see level_ghost_list(); NULL unless the backend wraps */
    /* halos[d] fills d layers of ghosts of cell-centred fields from neighbours, 1 <= d <= ghosts,
     * but none in directions in which a patch wraps. halo fills all layers. level_make_halo makes
     * the others. All are NULL if the level is not connected. */
    struct plan **halos, *halo;
};

/* The member `connected` of a level with this backend and `boxes` boxes. */
bool level_connects(const struct backend *backend, const struct sides *sides, int nboxes);

/* True if a periodic direction has an odd number of cells, so that colours do not alternate. */
bool level_has_odd_period(const struct level *level);

/* True if passes on the level wrap around the box in direction d: the box spans the periodic domain
 * there, and the level's backend wraps. */
bool level_wraps(const struct level *level, struct box box, int d);

/* Bytes of one field of the level on this rank. */
size_t level_field_bytes(const struct level *level);

/* Allocates a field, zero-filled, unless it exists, or releases it. */
void level_allocate(struct level *level, enum field field);
void level_release(struct level *level, enum field field);
/* Exchanges the memory of two fields. */
void level_swap(struct level *level, enum field a, enum field b);
void level_restore(const struct level *level, enum field field);

/* The memory of a field, with cells where struct patch has them; NULL if it is not allocated. */
static inline real *level_natural(const struct level *level, enum field field)
{
    if (level->own_order[field])
        level_restore(level, field);
    return level->fields[field];
}

C_END
