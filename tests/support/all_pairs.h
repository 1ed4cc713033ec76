/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The copies of a plan by the definition: every box of the target is intersected with every box of
 * the source, in all images. plan_create() must make the same copies in the same order, without
 * looking at all pairs. Messages are counted for all ranks of the world. */
#include "base/memory.h"
#include "comm/comm.h"
#include "level/plan.h"

/* A plan's arguments and its lists. */
struct all_pairs {
    const struct level *source, *target;
    enum target what;
    int grow, centre;
    struct copy_list lists[NUM_DIRECTIONS];
};

static inline const struct patch *all_pairs_patch(const struct level *l, int box)
{
    for (int q = 0; q < l->npatches; q++)
        if (l->patches[q].index == box)
            return &l->patches[q];
    return NULL;
}

static inline struct box all_pairs_cells(const struct level *l, struct box box, int centre)
{
    if (centre != CENTRE_CELL && !sides_wrap(&l->sides, centre) && box.hi[centre] == l->n[centre])
        box.hi[centre]++;
    return box;
}

static inline struct box all_pairs_wanted(const struct all_pairs *a, struct box box)
{
    const struct level *l = a->target;
    struct box wanted = box_grow(all_pairs_cells(l, box, a->centre), a->grow);
    wanted = box_intersect(wanted, box_grow(box, l->ghosts));
    for (int d = 0; d < 3; d++)
        if (a->what == TARGET_HALO && level_wraps(l, box, d)) {
            wanted.lo[d] = box.lo[d];
            wanted.hi[d] = box.hi[d];
        }
    return wanted;
}

/* One end of a copy: in the patch's field, or without gaps in a message. */
static inline void all_pairs_end(const struct patch *p, struct box region, const int shift[3],
                                 long *start, long *sj, long *sk)
{
    const int *lo = region.lo;
    *sj = p ? p->sj : region.hi[0] - lo[0];
    *sk = p ? p->sk : *sj * (region.hi[1] - lo[1]);
    *start = p ? p->offset + (lo[0] - shift[0] - p->box.lo[0]) +
                     (lo[1] - shift[1] - p->box.lo[1]) * p->sj +
                     (lo[2] - shift[2] - p->box.lo[2]) * p->sk
               : 0;
}

static inline void all_pairs_add(struct all_pairs *a, int source, int target, struct box region,
                                 const int shift[3])
{
    const int none[3] = {0, 0, 0};
    const struct patch *from = all_pairs_patch(a->source, source),
                       *to = all_pairs_patch(a->target, target);
    const enum direction direction = from && to ? COPY_LOCAL : from ? COPY_OUT : COPY_IN;
    struct copy_list *list = &a->lists[direction];
    struct copy c = {.direction = direction,
                     .peer = from ? a->target->decomposition.owner[target]
                                  : a->source->decomposition.owner[source]};
    for (int d = 0; d < 3; d++)
        c.n[d] = region.hi[d] - region.lo[d];
    all_pairs_end(from, region, shift, &c.from, &c.from_sj, &c.from_sk);
    all_pairs_end(to, region, none, &c.to, &c.to_sj, &c.to_sk);
    list->copies = memory_room(list->copies, list->count, sizeof c, "copies");
    list->copies[list->count++] = c;
}

static inline void all_pairs_intersect(struct all_pairs *a, int source, int target)
{
    const int *n = a->target->n;
    int images[3];
    for (int d = 0; d < 3; d++)
        images[d] = sides_wrap(&a->target->sides, d) ? (a->grow + n[d] - 1) / n[d] : 0;
    const struct box box = a->target->decomposition.boxes[target],
                     own = all_pairs_cells(a->target, box, a->centre),
                     wanted = all_pairs_wanted(a, box),
                     cells = all_pairs_cells(a->source, a->source->decomposition.boxes[source],
                                             a->centre);
    for (int k = -images[2]; k <= images[2]; k++)
        for (int j = -images[1]; j <= images[1]; j++)
            for (int i = -images[0]; i <= images[0]; i++) {
                const int shift[3] = {i * n[0], j * n[1], k * n[2]};
                const struct box region =
                    box_intersect(wanted, box_shift(cells, shift[0], shift[1], shift[2]));
                const bool is_own =
                    a->what != TARGET_GROWN && !box_is_empty(box_intersect(region, own));
                if (!box_is_empty(region) && !is_own)
                    all_pairs_add(a, source, target, region, shift);
            }
}

/* Gives the copies of one direction their places in the messages, which follow each other in the
 * order of ranks, and puts them in that order. Returns how many differ from the plan's messages. */
static inline long all_pairs_messages(struct copy_list *list, bool packing,
                                      const struct messages *messages)
{
    struct copy *sorted = memory_alloc((size_t)list->count * sizeof *sorted, "copies"), *c = sorted;
    long length = 0, mistakes = 0;
    int count = 0;
    for (int rank = 0; rank < comm_size(); rank++) {
        const long offset = length;
        for (int i = 0; i < list->count; i++) {
            if (list->copies[i].peer != rank)
                continue;
            *c = list->copies[i];
            *(packing ? &c->to : &c->from) = length;
            length += (long)c->n[0] * c->n[1] * c->n[2];
            c++;
        }
        if (length == offset)
            continue;
        const struct message *m = count < messages->count ? &messages->list[count] : NULL;
        mistakes += !m || m->peer != rank || m->offset != offset || m->count != length - offset;
        count++;
    }
    memory_free(list->copies);
    list->copies = sorted;
    return mistakes + (count != messages->count) + (length != messages->length);
}

static inline long all_pairs_differences(const struct copy_list *a, const struct copy_list *b)
{
    long differences = a->count != b->count;
    for (int c = 0; c < a->count && c < b->count; c++) {
        const struct copy *x = &a->copies[c], *y = &b->copies[c];
        for (int d = 0; d < 3; d++)
            differences += x->n[d] != y->n[d];
        differences += x->peer != y->peer || x->from != y->from || x->to != y->to ||
                       x->from_sj != y->from_sj || x->from_sk != y->from_sk ||
                       x->to_sj != y->to_sj || x->to_sk != y->to_sk;
    }
    return differences;
}

/* Copies and messages in which the plan differs from the definition, on this rank. */
static inline long all_pairs_mistakes(const struct level *source, const struct level *target,
                                      enum target what, int grow, int centre)
{
    struct all_pairs a = {source, target, what, grow, centre, {{0}}};
    for (int t = 0; t < target->decomposition.nboxes; t++)
        for (int s = 0; s < source->decomposition.nboxes; s++)
            if (source->decomposition.owner[s] == comm_rank() ||
                target->decomposition.owner[t] == comm_rank())
                all_pairs_intersect(&a, s, t);
    struct plan *plan = plan_create(source, target, what, grow, centre);
    const struct route *mpi = &plan->routes[0], *local = &plan->routes[1];
    const long mistakes = all_pairs_messages(&a.lists[COPY_OUT], true, &mpi->exchange.sends) +
                          all_pairs_messages(&a.lists[COPY_IN], false, &mpi->exchange.receives) +
                          all_pairs_differences(&a.lists[COPY_OUT], &mpi->lists[COPY_OUT]) +
                          all_pairs_differences(&a.lists[COPY_LOCAL], &local->lists[COPY_LOCAL]) +
                          all_pairs_differences(&a.lists[COPY_IN], &mpi->lists[COPY_IN]);
    plan_destroy(plan);
    for (int d = 0; d < NUM_DIRECTIONS; d++)
        memory_free(a.lists[d].copies);
    return mistakes;
}
