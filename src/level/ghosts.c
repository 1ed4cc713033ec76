/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/ghosts.h"
#include "base/memory.h"
#include "level/level.h"

/* The ghosts beyond these sides of the patch: −1, 0 or 1 per direction. False if none are wanted.
 */
static bool make_box(struct ghost_box *b, const int beyond[3], const int n[3],
                     const enum wall wall[3][2], const bool wrap[3],
                     const struct ghost_depths *depths)
{
    int walls = 0, wrapped = 0;
    *b = (struct ghost_box){.along = -1};
    for (int d = 0; d < 3; d++) {
        const bool wraps = beyond[d] != 0 && wrap[d];
        b->wall[d] = beyond[d] != 0 ? wall[d][beyond[d] > 0] : NO_WALL;
        b->side[d] = wraps || b->wall[d] ? beyond[d] : 0;
        b->outer = b->outer || (beyond[d] != 0 && b->side[d] == 0);
        wrapped += wraps;
        walls += b->wall[d] != NO_WALL;
    }
    for (int d = 0; d < 3; d++) /* the highest direction with a wall, or wrapped if there is none */
        b->along = b->side[d] != 0 && (walls == 0 || b->wall[d]) ? d : b->along;
    const int depth[] = {0, depths->sides, depths->edges, depths->corners},
              deep = depths->halo > 0 ? depths->halo : depth[walls + wrapped];
    b->layers = walls == 0 ? deep : depths->halo > 0 ? depth[walls] : depth[walls + wrapped];
    for (int d = 0; d < 3; d++) {
        const int layers = b->wall[d] ? b->layers : b->side[d] != 0 ? deep : depths->halo;
        b->n[d] = beyond[d] == 0 ? n[d] : layers;
        b->lo[d] = beyond[d] < 0 ? -layers : beyond[d] > 0 ? n[d] : 0;
    }
    if (walls > 0) {
        b->n[b->along] = 1;
        b->lo[b->along] = b->side[b->along] < 0 ? 0 : n[b->along] - 1;
    }
    return b->along >= 0 && b->layers > 0 && b->n[0] > 0 && b->n[1] > 0 && b->n[2] > 0;
}

struct ghost_list ghost_list_of(const int n[3], const enum wall wall[3][2], const bool wrap[3],
                                const struct ghost_depths *depths)
{
    struct ghost_list list = {.first = {0}};
    int count = 0;
    for (int along = 0; along < 3; along++) {
        list.first[along] = count;
        for (int number = 0; number < 27; number++) {
            const int beyond[3] = {number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1};
            struct ghost_box box;
            if (make_box(&box, beyond, n, wall, wrap, depths) && box.along == along)
                list.box[count++] = box;
        }
    }
    list.first[3] = count;
    return list;
}

static struct ghost_list make_list(const struct level *l, const struct patch *p,
                                   enum ghost_shape shape)
{
    static const struct ghost_depths shapes[] = {
        [GHOSTS_STAR_1] = {1, 0, 0, 0}, [GHOSTS_STAR_2] = {2, 1, 0, 0},
        [GHOSTS_STAR_3] = {3, 2, 1, 0}, [GHOSTS_ALL_1] = {1, 1, 1, 0},
        [GHOSTS_ALL_2] = {2, 2, 2, 0},
    };
    struct ghost_depths d = shapes[shape];
    d.halo = l->connected ? l->ghosts : 0;
    return ghost_list_of(p->n, p->wall, p->wrap, &d);
}

void level_make_ghost_lists(struct level *level)
{
    const size_t count = (size_t)level->npatches * NUM_GHOST_SHAPES;
    level->ghost_lists = memory_alloc(count * sizeof *level->ghost_lists, "lists of ghosts");
    for (size_t x = 0; x < count; x++)
        level->ghost_lists[x] = make_list(level, &level->patches[x / NUM_GHOST_SHAPES],
                                          (enum ghost_shape)(x % NUM_GHOST_SHAPES));
}

const struct ghost_list *level_ghost_list(const struct level *level, int q, enum ghost_shape shape)
{
    return &level->ghost_lists[q * NUM_GHOST_SHAPES + (int)shape];
}
