/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The result of a plan, cell by cell from the definitions, for tests on one rank and on several.
 * Mistakes are counted and not raised, because all ranks must continue together. */
#include <math.h>
#include "backend/backend.h"
#include "base/memory.h"
#include "level/plan.h"
#include "support/random.h"

/* A plan and its arguments. */
struct plan_case {
    const struct level *source, *target;
    enum target what;
    int grow, centre;
    struct plan *plan;
};

/* The value of the cell with this index, a different one in every round. */
static inline double cell_value(int i, int j, int k, int round)
{
    return ((round * 1024.0 + k) * 1024.0 + j) * 1024.0 + i;
}

/* The index that a periodic direction continues to c. */
static inline int wrapped(int c, int n)
{
    return (c % n + n) % n;
}

/* The end of the box's own indices in direction d: one more on a high wall, for faces. */
static inline int own_end(const struct level *l, struct box b, int d, int centre)
{
    return b.hi[d] + (d == centre && !sides_wrap(&l->sides, d) && b.hi[d] == l->n[d]);
}

/* Whether cell c is within `layers` of the box's own cells. */
static inline bool is_within(const struct level *l, struct box b, int centre, const int c[3],
                             int layers)
{
    for (int d = 0; d < 3; d++)
        if (c[d] < b.lo[d] - layers || c[d] >= own_end(l, b, d, centre) + layers)
            return false;
    return true;
}

/* Whether cell c or, if periodic, its image is in some box. */
static inline bool exists(const struct level *l, int centre, const int c[3])
{
    for (int d = 0; d < 3; d++)
        if (!sides_wrap(&l->sides, d) && (c[d] < 0 || c[d] >= l->n[d] + (d == centre)))
            return false;
    return true;
}

static inline long cell_at(const struct patch *p, const int c[3])
{
    return p->offset + (c[0] - p->box.lo[0]) + (c[1] - p->box.lo[1]) * p->sj +
           (c[2] - p->box.lo[2]) * p->sk;
}

/* Calls fn for every cell that the patch stores, ghosts included. */
static inline void for_stored(const struct level *l, const struct patch *p,
                              void (*fn)(void *, const struct patch *, const int[3]), void *data)
{
    const struct box stored = box_grow(p->box, l->ghosts);
    for (int k = stored.lo[2]; k < stored.hi[2]; k++)
        for (int j = stored.lo[1]; j < stored.hi[1]; j++)
            for (int i = stored.lo[0]; i < stored.hi[0]; i++)
                fn(data, p, (const int[3]){i, j, k});
}

/* A field while it is written for a case. */
struct writing {
    const struct plan_case *at;
    double *data;
    int round;
};

static inline void write_own(void *data, const struct patch *p, const int c[3])
{
    const struct writing *w = data;
    if (is_within(w->at->source, p->box, w->at->centre, c, 0))
        w->data[cell_at(p, c)] = cell_value(c[0], c[1], c[2], w->round);
}

/* Whether c is beyond the box in a direction in which passes wrap around it. */
static inline bool is_wrapped(const struct level *l, const struct patch *p, const int c[3])
{
    for (int d = 0; d < 3; d++)
        if (sides_wrap(&l->sides, d) && l->backend->wraps && p->n[d] == l->n[d] &&
            (c[d] < 0 || c[d] >= l->n[d]))
            return true;
    return false;
}

static inline bool is_filled(const struct plan_case *at, const struct patch *p, const int c[3])
{
    if (at->what == TARGET_HALO && is_wrapped(at->target, p, c))
        return false;
    return exists(at->target, at->centre, c) &&
           is_within(at->target, p->box, at->centre, c, at->grow) &&
           !(at->what != TARGET_GROWN && is_within(at->target, p->box, at->centre, c, 0));
}

static inline void write_filled(void *data, const struct patch *p, const int c[3])
{
    const struct writing *w = data;
    const struct level *l = w->at->target;
    int of[3];
    if (!is_filled(w->at, p, c))
        return;
    for (int d = 0; d < 3; d++)
        of[d] = sides_wrap(&l->sides, d) ? wrapped(c[d], l->n[d]) : c[d];
    w->data[cell_at(p, c)] = cell_value(of[0], of[1], of[2], w->round);
}

/* NaN everywhere, padding included. */
static inline double *field_of_nan(const struct level *l)
{
    double *data = memory_alloc((size_t)l->field_length * sizeof *data, "a field");
    for (long at = 0; at < l->field_length; at++)
        data[at] = NAN;
    return data;
}

/* The source: its boxes' own cells have values. */
static inline double *source_field(const struct plan_case *at, int round)
{
    struct writing w = {at, field_of_nan(at->source), round};
    for (int q = 0; q < at->source->npatches; q++)
        for_stored(at->source, &at->source->patches[q], write_own, &w);
    return w.data;
}

/* Writes the values that the plan must write to `data`. */
static inline void add_filled(const struct plan_case *at, double *data, int round)
{
    struct writing w = {at, data, round};
    for (int q = 0; q < at->target->npatches; q++)
        for_stored(at->target, &at->target->patches[q], write_filled, &w);
}

/* Elements that differ; two NaN are equal. */
static inline long count_differences(const double *a, const double *b, long length)
{
    long count = 0;
    for (long at = 0; at < length; at++)
        count += a[at] != b[at] && !(isnan(a[at]) && isnan(b[at]));
    return count;
}

/* Executes the plan between two fields. All other values must remain unchanged. */
static inline long mistakes_between(const struct plan_case *at, int round)
{
    const long length = at->target->field_length;
    double *from = source_field(at, round), *to = field_of_nan(at->target),
           *expected = field_of_nan(at->target), *untouched = source_field(at, round);
    add_filled(at, expected, round);
    plan_execute(at->plan, from, to, NULL);
    const long mistakes = count_differences(to, expected, length) +
                          count_differences(from, untouched, at->source->field_length);
    memory_free(from);
    memory_free(to);
    memory_free(expected);
    memory_free(untouched);
    return mistakes;
}

/* Executes a halo plan within one field. */
static inline long mistakes_within(const struct plan_case *at, int round)
{
    double *field = source_field(at, round), *expected = source_field(at, round);
    add_filled(at, expected, round);
    plan_execute(at->plan, field, field, NULL);
    const long mistakes = count_differences(field, expected, at->target->field_length);
    memory_free(field);
    memory_free(expected);
    return mistakes;
}

/* Adds 1 to count[] of every element that the list writes; returns their number. */
static inline long count_written(const struct copy_list *list, int *count)
{
    long cells = 0;
    for (int n = 0; n < list->count; n++) {
        const struct copy *x = &list->copies[n];
        for (int k = 0; k < x->n[2]; k++)
            for (int j = 0; j < x->n[1]; j++)
                for (int i = 0; i < x->n[0]; i++, cells++)
                    count[x->to + i + j * x->to_sj + k * x->to_sk]++;
    }
    return cells;
}

/* The same for what it reads. */
static inline long count_read(const struct copy_list *list, int *count)
{
    long cells = 0;
    for (int n = 0; n < list->count; n++) {
        const struct copy *x = &list->copies[n];
        for (int k = 0; k < x->n[2]; k++)
            for (int j = 0; j < x->n[1]; j++)
                for (int i = 0; i < x->n[0]; i++, cells++)
                    count[x->from + i + j * x->from_sj + k * x->from_sk]++;
    }
    return cells;
}

static inline long count_other_than_one(const int *count, long length)
{
    long others = 0;
    for (long at = 0; at < length; at++)
        others += count[at] != 1;
    return others;
}

/* Checks that there is at most one message per neighbour, in the order of ranks and without gaps in
 * the buffer. Returns the buffer's length, or -1 after a mistake. */
static inline long buffer_length(const struct messages *messages)
{
    long length = 0;
    for (int m = 0; m < messages->count; m++) {
        const struct message *x = &messages->list[m];
        if (x->peer == comm_rank() || x->peer < 0 || x->peer >= comm_size() || x->count < 1 ||
            x->offset != length || (m > 0 && x[-1].peer >= x->peer))
            return -1;
        length += x->count;
    }
    return length == messages->length ? length : -1;
}

/* Every element of the send buffer is packed once, and every received element is unpacked once. */
static inline long mistakes_in_buffers(const struct plan *plan)
{
    const struct route *mpi = &plan->routes[0];
    const long sent = buffer_length(&mpi->exchange.sends),
               received = buffer_length(&mpi->exchange.receives);
    if (sent < 0 || received < 0 || sent != plan->cells[COPY_OUT])
        return 1;
    int *packed = memory_alloc_zero((size_t)sent * sizeof *packed, "counts"),
        *unpacked = memory_alloc_zero((size_t)received * sizeof *unpacked, "counts");
    long mistakes = count_written(&mpi->lists[COPY_OUT], packed) != sent;
    mistakes += count_read(&mpi->lists[COPY_IN], unpacked) != received;
    mistakes += count_other_than_one(packed, sent) + count_other_than_one(unpacked, received);
    memory_free(packed);
    memory_free(unpacked);
    return mistakes;
}

/* Every cell to be filled is written once, and no other cell is written. */
static inline long mistakes_in_cover(const struct plan_case *at)
{
    const long length = at->target->field_length;
    int *count = memory_alloc_zero((size_t)length * sizeof *count, "counts");
    double *expected = field_of_nan(at->target);
    long local = 0;
    add_filled(at, expected, 0);
    for (const struct route *r = at->plan->routes; r < at->plan->routes + at->plan->nroutes; r++) {
        local += count_written(&r->lists[COPY_LOCAL], count);
        count_written(&r->lists[COPY_IN], count);
    }
    long mistakes = local != at->plan->cells[COPY_LOCAL];
    for (long e = 0; e < length; e++)
        mistakes += count[e] != !isnan(expected[e]);
    memory_free(count);
    memory_free(expected);
    return mistakes;
}

/* Executes the plan with other values in every round, and also within one field if it is a halo. */
static inline long mistakes_in_rounds(const struct plan_case *at, int rounds)
{
    long mistakes = 0;
    for (int round = 0; round < rounds; round++)
        mistakes += mistakes_between(at, round);
    if (at->what != TARGET_GROWN && at->source == at->target)
        mistakes += mistakes_within(at, rounds);
    return mistakes;
}

/* All mistakes of one plan on this rank. Collective over the world. */
static inline long plan_mistakes(struct plan_case at)
{
    at.plan = plan_create(at.source, at.target, at.what, at.grow, at.centre);
    const long mistakes =
        mistakes_in_cover(&at) + mistakes_in_buffers(at.plan) + mistakes_in_rounds(&at, 2);
    plan_destroy(at.plan);
    return mistakes;
}

/* A random plan onto `target`. */
static inline struct plan_case random_plan(const struct level *source, const struct level *target)
{
    const bool ghosts =
        random_bool() && decomposition_equal(&source->decomposition, &target->decomposition);
    struct plan_case at = {.source = source, .target = target};
    at.what = !ghosts ? TARGET_GROWN : random_bool() ? TARGET_HALO : TARGET_GHOSTS;
    at.grow = random_int(0, target->ghosts);
    /* A source without ghosts cannot store the faces on a high wall. */
    const bool faces = sides_are(&source->sides, BOUNDARY_PERIODIC) || source->ghosts > 0;
    at.centre = faces ? random_int(CENTRE_CELL, CENTRE_FACE_K) : CENTRE_CELL;
    return at;
}
