/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What lies beyond the closed sides of a patch, as data, for backends that wrap. A closed side has
 * a wall or is wrapped; the others are open, with a halo. The list says which ghosts follow from
 * which cells, in which order; cuda/boundary/walls.cu applies it. */
#include <stdbool.h>
#include "base/linkage.h"
#include "level/sides.h"

C_BEGIN

/* Ghosts in the same place relative to the patch.
 *
 * Behind walls they are lines, `layers` long, along the highest direction with a wall: lo and n say
 * where the lines' first inner cells are (n[along] is 1). These cells may be ghosts themselves,
 * behind walls in lower directions or in the halo: a rule is applied in i, then j, then k.
 *
 * In wrapped directions lo and n are the ghosts themselves. Each is a copy of its image, or, behind
 * walls too, follows from the images of the line's cells. */
struct ghost_box {
    int lo[3], n[3];
    int side[3]; /* by direction: −1 beyond the low closed side, 1 beyond the high one, else 0 */
    enum wall wall[3]; /* by direction: the wall that the ghosts are behind, or none */
    int along, layers;
    bool outer; /* they follow from the halo beyond an inter-box face */
};

/* The boxes in the order in which they can be filled: box[first[d]] … box[first[d + 1] − 1] are
 * those with lines along d. */
struct ghost_list {
    int first[4];
    struct ghost_box box[26];
};

/* Layers of ghosts beyond one, two and three sides that are walls or wrapped, and beyond walls
 * into the halo of an inter-box face. With a halo, wrapped ghosts have the halo's depth, and only
 * walls count as sides. */
struct ghost_depths {
    int sides, edges, corners, halo;
};

struct ghost_list ghost_list_of(const int n[3], const enum wall wall[3][2], const bool wrap[3],
                                const struct ghost_depths *depths);

/* The lists of a level: as deep as stencils of radius 1 or 2 read (one layer less on edges, two on
 * corners), or two such sweeps in one pass; or all within 1 or 2 layers. All reach as far as halos.
 */
enum ghost_shape {
    GHOSTS_STAR_1,
    GHOSTS_STAR_2,
    GHOSTS_STAR_3,
    GHOSTS_ALL_1,
    GHOSTS_ALL_2,
    NUM_GHOST_SHAPES
};
static inline enum ghost_shape ghosts_star(int radius)
{
    return (enum ghost_shape)(GHOSTS_STAR_1 + radius - 1);
}

static inline enum ghost_shape ghosts_all(int layers)
{
    return (enum ghost_shape)(GHOSTS_ALL_1 + layers - 1);
}

struct level;
/* The list of patch q. */
const struct ghost_list *level_ghost_list(const struct level *level, int q, enum ghost_shape shape);
void level_make_ghost_lists(struct level *level);

C_END
