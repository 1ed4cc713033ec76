/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/regions.h"
#include <stdlib.h>
#include "base/check.h"
#include "base/memory.h"

/* A box of the target and one of the source near it; at least one is local. */
struct pair {
    int target, source;
};

/* Copies while they are found. Both ranks of a message walk over the intersections in the same
 * order, that of pairs, so a message needs no header. */
struct finding {
    struct copy_list list;
    const struct level *source, *target;
    enum target what;
    int grow, centre;
    int images[3]; /* of the domain, by direction on each side, that ghosts reach */
    int npairs;    /* a pair is here once per image in which its boxes are near each other */
    struct pair *pairs;
    int box; /* whose pairs are now searched for */
};

static long patch_index(const struct patch *p, const int at[3])
{
    return p->offset + (at[0] - p->box.lo[0]) + (at[1] - p->box.lo[1]) * p->sj +
           (at[2] - p->box.lo[2]) * p->sk;
}

/* The patch of a box; NULL if the box is remote. A rank's boxes are contiguous. */
static const struct patch *patch_of(const struct level *l, int box)
{
    const bool local =
        l->npatches > 0 && box >= l->patches[0].index && box - l->patches[0].index < l->npatches;
    return local ? &l->patches[box - l->patches[0].index] : NULL;
}

/* The box's cells in a field of this centring: one more plane of faces on the high wall. */
static struct box with_wall_faces(const struct level *l, struct box box, int centre)
{
    if (centre != CENTRE_CELL && !sides_wrap(&l->sides, centre) && box.hi[centre] == l->n[centre])
        box.hi[centre]++;
    return box;
}

/* The copy of `region` (in target indices; the source holds it shifted by -shift). A remote patch
 * is NULL: that end is in a message, where the cells lie without gaps. */
static struct copy make_copy(const struct patch *source, const struct patch *target,
                             struct box region, const int shift[3])
{
    int n[3], from[3];
    for (int d = 0; d < 3; d++) {
        n[d] = region.hi[d] - region.lo[d];
        from[d] = region.lo[d] - shift[d];
    }
    const long sj = n[0], sk = sj * n[1];
    return (struct copy){.n = {n[0], n[1], n[2]},
                         .from = source ? patch_index(source, from) : 0,
                         .from_sj = source ? source->sj : sj,
                         .from_sk = source ? source->sk : sk,
                         .to = target ? patch_index(target, region.lo) : 0,
                         .to_sj = target ? target->sj : sj,
                         .to_sk = target ? target->sk : sk,
                         .from_i = source ? from[0] - source->box.lo[0] : 0,
                         .to_i = target ? region.lo[0] - target->box.lo[0] : 0};
}

/* Adds one intersection with at least one local end. */
static void add_region(struct finding *f, int source, int target, struct box region,
                       const int shift[3])
{
    const struct patch *from = patch_of(f->source, source), *to = patch_of(f->target, target);
    struct copy_list *list = &f->list;
    struct copy c = make_copy(from, to, region, shift);
    c.direction = from && to ? COPY_LOCAL : from ? COPY_OUT : COPY_IN;
    c.peer = from ? f->target->decomposition.owner[target] : f->source->decomposition.owner[source];
    list->copies = memory_room(list->copies, list->count, sizeof c, "plan");
    list->copies[list->count++] = c;
}

/* The region to fill around a target box; never beyond what the patch stores. */
static struct box wanted_region(const struct level *l, struct box box, enum target what, int grow,
                                int centre)
{
    const struct box stored = box_grow(box, l->ghosts);
    struct box wanted = box_intersect(box_grow(with_wall_faces(l, box, centre), grow), stored);
    for (int d = 0; d < 3; d++)
        if (what == TARGET_HALO && level_wraps(l, box, d)) {
            wanted.lo[d] = box.lo[d];
            wanted.hi[d] = box.hi[d];
        }
    return wanted;
}

/* Adds the intersections of the source box, in all its periodic images, with the region wanted
 * around the target box. A ghost region is the grown box without the box itself. Boxes and images
 * tile space, so an intersection is inside or outside of that box as a whole. */
static void intersect_pair(struct finding *f, struct pair pair)
{
    const int *n = f->target->n, *images = f->images;
    const struct box target = f->target->decomposition.boxes[pair.target];
    const struct box own = with_wall_faces(f->target, target, f->centre);
    const struct box wanted = wanted_region(f->target, target, f->what, f->grow, f->centre);
    const struct box box =
        with_wall_faces(f->source, f->source->decomposition.boxes[pair.source], f->centre);
    for (int k = -images[2]; k <= images[2]; k++)
        for (int j = -images[1]; j <= images[1]; j++)
            for (int i = -images[0]; i <= images[0]; i++) {
                const int shift[3] = {i * n[0], j * n[1], k * n[2]};
                const struct box region =
                    box_intersect(wanted, box_shift(box, shift[0], shift[1], shift[2]));
                if (box_is_empty(region) ||
                    (f->what != TARGET_GROWN && !box_is_empty(box_intersect(region, own))))
                    continue;
                add_region(f, pair.source, pair.target, region, shift);
            }
}

static void add_pair(struct finding *f, struct pair pair)
{
    f->pairs = memory_room(f->pairs, f->npairs, sizeof *f->pairs, "plan");
    f->pairs[f->npairs++] = pair;
}

static void add_source(void *finding, int source)
{
    struct finding *f = finding;
    add_pair(f, (struct pair){f->box, source});
}

/* Pairs of two local boxes follow from their targets. */
static void add_remote_target(void *finding, int target)
{
    struct finding *f = finding;
    if (!patch_of(f->target, target))
        add_pair(f, (struct pair){target, f->box});
}

/* Adds the pairs of a local box with the other level's boxes that its ghosts, or whose ghosts, may
 * reach, in all images. Faces on a high wall belong to boxes that have the cells before them, so
 * cells find them. */
static void find_pairs(struct finding *f, const struct patch *patch, const struct box_index *index,
                       void (*found)(void *finding, int box))
{
    const int *n = f->target->n, *images = f->images;
    const struct box near = box_grow(patch->box, f->grow);
    f->box = patch->index;
    for (int k = -images[2]; k <= images[2]; k++)
        for (int j = -images[1]; j <= images[1]; j++)
            for (int i = -images[0]; i <= images[0]; i++)
                box_index_search(index, box_shift(near, i * n[0], j * n[1], k * n[2]), found, f);
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    return x->target != y->target ? (x->target > y->target) - (x->target < y->target)
                                  : (x->source > y->source) - (x->source < y->source);
}

struct copy_list regions_find(const struct level *source, const struct level *target,
                              enum target what, int grow, int centre)
{
    CHECK(extent_equal(source->n, target->n) && sides_equal(&source->sides, &target->sides) &&
          grow >= 0 && grow <= target->ghosts);
    CHECK(what == TARGET_GROWN ||
          decomposition_equal(&source->decomposition, &target->decomposition));
    /* The faces on a high wall are stored in the first ghost layer. */
    CHECK(centre == CENTRE_CELL || sides_wrap(&source->sides, centre) || source->ghosts > 0);
    struct finding f = {
        .source = source, .target = target, .what = what, .grow = grow, .centre = centre};
    for (int d = 0; d < 3; d++)
        f.images[d] = sides_wrap(&target->sides, d) ? (grow + target->n[d] - 1) / target->n[d] : 0;
    for (int q = 0; q < target->npatches; q++)
        find_pairs(&f, &target->patches[q], &source->index, add_source);
    for (int q = 0; q < source->npatches; q++)
        find_pairs(&f, &source->patches[q], &target->index, add_remote_target);
    if (f.npairs > 0)
        qsort(f.pairs, (size_t)f.npairs, sizeof *f.pairs, compare_pairs);
    for (int p = 0; p < f.npairs; p++)
        if (p == 0 || compare_pairs(&f.pairs[p - 1], &f.pairs[p]) != 0)
            intersect_pair(&f, f.pairs[p]);
    memory_free(f.pairs);
    return f.list;
}
