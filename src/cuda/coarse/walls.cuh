/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Order 4: ghosts of u beyond sides that the operator reads, in the tail kernel's tiles in shared
 * memory: two layers behind cells next to one side, and one behind cells next to two. */
#include "cuda/coarse/shared_cells.cuh"
#include "cuda/coarse/tiles.cuh"
#include "cuda/coarse/coarse_cells.cuh"

/* The cells next to these sides, as listed_wall() packs them. */
struct wall_lists {
    const int *sides, *edges;
    int nsides, nedges;
    unsigned wrapped; /* sides of the level */
    const int *n;     /* the level's cells by direction, if sides are wrapped */
};

/* A cell next to sides: its offset, and the steps inward from one side or from two, all in bytes,
 * so that a sweep has little to compute. */
struct wall_entry {
    int cell;          /* −1 if there is none */
    int first, second; /* second is 0 next to one side */
    int sides;         /* their numbers, the first one in three bits */
    unsigned wrapped;  /* bit 0: the first side, bit 1: the second */
    int across;        /* next to wrapped sides: from the cell to the one opposite */
};

/* From a cell next to this side to the cell opposite, if the side is wrapped. */
DEVICE int step_across(const struct wall_lists &l, int side, int sj, int sk)
{
    return l.wrapped >> side & 1
               ? (l.n[side / 2] - 1) * step_inward(side, sj, sk) * shared_cells::UNIT
               : 0;
}

/* Number n of both lists, sides first, of the tile that begins at u. */
DEVICE struct wall_entry wall_entry_of(const struct wall_lists &l, int n, const double *u, int sj,
                                       int sk)
{
    enum { UNIT = shared_cells::UNIT };
    if (n >= l.nsides + l.nedges)
        return {-1};
    const int entry = n < l.nsides ? l.sides[n] : l.edges[n - l.nsides],
              first = entry >> ELEMENT_BITS & 7, second = entry >> (ELEMENT_BITS + 3);
    return {shared_offset(u) + element(entry) * UNIT,
            step_inward(first, sj, sk) * UNIT,
            second ? step_inward(second, sj, sk) * UNIT : 0,
            entry >> ELEMENT_BITS,
            (l.wrapped >> first & 1) | (l.wrapped >> second & 1) << 1,
            step_across(l, first, sj, sk) + (second ? step_across(l, second, sj, sk) : 0)};
}

/* The entries of one thread: thread t of THREADS has entries t, t + THREADS, … */
template <int ENTRIES>
struct own_walls {
    struct wall_entry entries[ENTRIES];
};

template <int THREADS, int ENTRIES>
DEVICE own_walls<ENTRIES> take_walls(const struct wall_lists &l, const double *u, int sj, int sk)
{
    own_walls<ENTRIES> w;
    for (int p = 0; p < ENTRIES; p++)
        w.entries[p] = wall_entry_of(l, p * THREADS + threadIdx.x, u, sj, sk);
    return w;
}

/* In what follows, ghost(second, layer, v) is the ghost behind the first or the second side.
 * PAIRED: two ghosts at once behind walls in i, where single cells would conflict in few banks. */
template <int RULE, bool PAIRED, class Ghost>
DEVICE void fill_side(const struct wall_entry &w, const Ghost &ghost)
{
    const struct shared_cells u;
    if (PAIRED && abs(w.first) == shared_cells::UNIT)
        return fill_row_end(
            u, w.cell, w.first < 0, [&](const double *v) -> struct ghosts {
                return {ghost(false, 0, v), ghost(false, 1, v)};
            });
    double v[MAX_WALL_CELLS];
    load_line(u, w.cell, w.first, RULE, v);
    u.store(w.cell - w.first, ghost(false, 0, v));
    u.store(w.cell - 2 * w.first, ghost(false, 1, v));
}

/* Beyond a wrapped side, or two sides with at least one wrapped: images of the
 * cells opposite, or what follows from these behind a wall. */
template <int RULE, class Ghost>
DEVICE void fill_wrapped(const struct wall_entry &w, const Ghost &ghost)
{
    const struct shared_cells u;
    const int image = w.cell + w.across, inward = w.first + w.second;
    double v[MAX_WALL_CELLS];
    if (w.second == 0 || w.wrapped == 3) {
        u.store(w.cell - inward, u.load(image));
        if (w.second == 0)
            u.store(w.cell - 2 * inward, u.load(image - inward));
    } else {
        load_line(u, image, w.wrapped & 1 ? w.second : w.first, RULE, v);
        u.store(w.cell - inward, ghost(w.wrapped & 1, 0, v));
    }
}

template <int RULE, bool PAIRED, class Ghost>
DEVICE void fill_wall(const struct wall_entry &w, const Ghost &ghost)
{
    const struct shared_cells u;
    if (w.cell < 0)
        return;
    if (w.wrapped & (w.second ? 3 : 1))
        fill_wrapped<RULE>(w, ghost);
    else if (w.second == 0)
        fill_side<RULE, PAIRED>(w, ghost);
    else
        u.store(w.cell - w.first - w.second,
                edge_ghost(
                    RULE, [&](int o, int m) { return u.load(w.cell + o * w.first + m * w.second); },
                    [&](const double *v) { return ghost(false, 0, v); },
                    [&](const double *v) { return ghost(true, 0, v); }));
}

/* Fills the ghosts of all entries. The rule is one of Rules. PAIRED: the rule is 4, and cells of
 * even i are at multiples of 16 bytes. `own` are the thread's entries, looked up once for all
 * sweeps of a pass; only a thread group of one warp may have more, which it takes from the lists.
 */
template <class Op, int THREADS, class Rules, bool PAIRED, int ENTRIES>
DEVICE void fill_walls(const struct tail_walls &rules, double *u,
                       const struct own_walls<ENTRIES> &own, int rule,
                       const struct wall_lists &lists, int sj, int sk)
{
    with_rule(Rules{}, rule, [&](auto constant) {
        constexpr int RULE = decltype(constant)::value;
        const auto fill = [&](const struct wall_entry &w) {
            fill_wall<RULE, PAIRED>(w, [&](bool second, int layer, const double *v) {
                /* The kernel for Dirichlet walls spills less without the number. */
                const int side = !has_any_sides<Op> ? 0 : second ? w.sides >> 3 : w.sides & 7;
                return ghost_behind<Op, RULE>(rules, side, layer, v);
            });
        };
#pragma unroll
        for (int p = 0; p < ENTRIES; p++)
            fill(own.entries[p]);
        for (int n = ENTRIES * THREADS + threadIdx.x;
             THREADS == 32 && n < lists.nsides + lists.nedges; n += THREADS)
            fill(wall_entry_of(lists, n, u, sj, sk));
    });
    group_sync<THREADS>();
}
