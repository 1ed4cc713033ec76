/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/build.h"
#include <string.h>
#include "backend/backend.h"
#include "base/check.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "level/extent.h"
#include "level/ghosts.h"
#include "level/plan.h"

static long round_up(long value, long multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* Places one box in a field, from element `start` on. Returns the next multiple of row_align after
 * its last row, padded as the others. Right ghosts of a row and left ghosts of the next share the
 * padding. */
static long place_patch(struct patch *p, int ghosts, int row_align, long start)
{
    p->sj = round_up(p->n[0] + 2 * ghosts, row_align);
    p->sk = p->sj * (p->n[1] + 2 * ghosts);
    p->offset = round_up(start + ghosts * (1 + p->sj + p->sk), row_align);
    const long last_row = (p->n[1] + ghosts - 1) * p->sj + (p->n[2] + ghosts - 1) * p->sk;
    return round_up(p->offset + last_row + p->sj, row_align);
}

static struct patch patch_of_box(struct box box, int index)
{
    struct patch p = {.box = box, .index = index};
    for (int d = 0; d < 3; d++)
        p.n[d] = box.hi[d] - box.lo[d];
    return p;
}

/* Values of one field on the owner of box *b, the first of its boxes; sets *b to the next owner's.
 */
static size_t next_owner_values(const struct decomposition *d, int *b, int ghosts, int row_align)
{
    const int owner = d->owner[*b];
    long length = 0;
    for (; *b < d->nboxes && d->owner[*b] == owner; ++*b) {
        struct patch p = patch_of_box(d->boxes[*b], *b);
        length = place_patch(&p, ghosts, row_align, length);
    }
    return (size_t)length;
}

size_t decomposition_field_bytes(const struct decomposition *d, int rank, int ghosts, int row_align)
{
    int b = decomposition_first_box(d, rank);
    const bool owns = b < decomposition_first_box(d, rank + 1);
    return owns ? next_owner_values(d, &b, ghosts, row_align) * sizeof(double) : 0;
}

void decomposition_add_field_bytes(const struct decomposition *d, int ghosts, int row_align,
                                   int fields, int value_bytes, size_t *bytes)
{
    for (int b = 0; b < d->nboxes;) {
        const int owner = d->owner[b];
        bytes[owner] +=
            (size_t)(fields * value_bytes) * next_owner_values(d, &b, ghosts, row_align);
    }
}

struct patch level_patch(const struct level *l, int b, int row_align, long *length)
{
    struct patch p = patch_of_box(l->decomposition.boxes[b], b);
    *length = place_patch(&p, l->ghosts, row_align, *length);
    for (int e = 0; e < 3; e++) {
        p.wall[e][0] = p.box.lo[e] == 0 ? wall_of(l->sides.of[e][0]) : NO_WALL;
        p.wall[e][1] = p.box.hi[e] == l->n[e] ? wall_of(l->sides.of[e][1]) : NO_WALL;
        p.wrap[e] = level_wraps(l, p.box, e);
    }
    return p;
}

static void create_patches(struct level *l, int row_align)
{
    const struct decomposition *d = &l->decomposition;
    const int me = comm_rank();
    const int first = decomposition_first_box(d, me);
    l->npatches = decomposition_first_box(d, me + 1) - first;
    l->patches = memory_alloc((size_t)l->npatches * sizeof *l->patches, "patches");
    for (int q = 0; q < l->npatches; q++)
        l->patches[q] = level_patch(l, first + q, row_align, &l->field_length);
}

/* The number of ranks with boxes. A rank's boxes are contiguous. */
static int count_ranks(const struct decomposition *d)
{
    int ranks = 0;
    for (int b = 0; b < d->nboxes; b++)
        ranks += b == 0 || d->owner[b] != d->owner[b - 1];
    return ranks;
}

struct plan *level_make_halo(struct level *l, int layers)
{
    CHECK(!l->halos[layers]);
    return l->halos[layers] = plan_create(l, l, TARGET_HALO, layers, CENTRE_CELL);
}

void level_exchange_halo(const struct level *l, enum field field)
{
    if (l->connected)
        plan_move(l->halo, l, field, l, field, NULL);
}

/* A level without ghosts has one plan, which moves nothing. */
static void create_halos(struct level *l)
{
    l->halos = memory_alloc_zero((size_t)(l->ghosts + 1) * sizeof(struct plan *), "halos");
    l->halo = level_make_halo(l, l->ghosts);
}

static void destroy_halos(struct level *l)
{
    for (int layers = 0; layers <= l->ghosts; layers++)
        if (l->halos[layers])
            plan_destroy(l->halos[layers]);
    memory_free(l->halos);
}

struct level *level_create(int depth, struct decomposition decomposition, struct sides sides,
                           int ghosts, const struct backend *backend, int row_align)
{
    struct level *l = memory_alloc_zero(sizeof *l, "level");
    l->depth = depth;
    memcpy(l->n, decomposition.n, sizeof l->n);
    l->sides = sides;
    l->ghosts = ghosts;
    l->backend = backend;
    l->fields = memory_alloc_zero(NUM_FIELDS * sizeof *l->fields, "fields");
    l->own_order = memory_alloc_zero(NUM_FIELDS * sizeof *l->own_order, "fields");
    l->decomposition = decomposition;
    l->index = box_index_create(decomposition.boxes, decomposition.nboxes);
    create_patches(l, row_align);
    l->connected = level_connects(backend, &sides, decomposition.nboxes);
    l->nranks = count_ranks(&decomposition);
    l->active = l->npatches > 0;
    l->comm = comm_split(l->active);
    if (l->connected)
        create_halos(l);
    if (backend->wraps)
        level_make_ghost_lists(l);
    return l;
}

void level_destroy(struct level *level)
{
    for (int f = 0; f < NUM_FIELDS; f++)
        level_release(level, (enum field)f);
    if (level->connected)
        destroy_halos(level);
    memory_free(level->prepared);
    memory_free(level->ghost_lists);
    comm_free(&level->comm);
    box_index_destroy(&level->index);
    decomposition_destroy(&level->decomposition);
    memory_free(level->patches);
    memory_free((double **)level->fields);
    memory_free(level->own_order);
    memory_free(level);
}
