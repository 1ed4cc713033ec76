/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_WALLS_CUH
#define CUDA_COARSE_WALLS_CUH
/* Order 4: ghosts of u behind walls that the operator reads, in the tail kernel's tiles in shared
 * memory: two layers behind cells next to one wall, and one behind cells next to two. */
#include "cuda/coarse/shared_cells.cuh"
#include "cuda/coarse/tiles.cuh"
#include "cuda/coarse/coarse_cells.cuh"

/* The cells next to walls, as listed_wall() packs them. */
struct wall_lists {
    const int *sides, *edges;
    int nsides, nedges;
};

/* A cell next to walls: its offset, and the steps inward from one wall or from two, all in bytes,
 * so that a sweep has little to compute. */
struct wall_entry {
    int cell;          /* −1 if there is none */
    int first, second; /* second is 0 next to one wall */
};

/* Number n of both lists, sides first, of the tile that begins at u. */
DEVICE struct wall_entry wall_entry_of(const struct wall_lists &l, int n, const double *u, int sj,
                                       int sk)
{
    enum { UNIT = shared_cells::UNIT };
    if (n >= l.nsides + l.nedges)
        return {-1, 0, 0};
    const int entry = n < l.nsides ? l.sides[n] : l.edges[n - l.nsides],
              second = entry >> (ELEMENT_BITS + 3);
    return {shared_offset(u) + element(entry) * UNIT,
            step_inward(entry >> ELEMENT_BITS & 7, sj, sk) * UNIT,
            second ? step_inward(second, sj, sk) * UNIT : 0};
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

/* PAIRED: two ghosts at once behind walls in i, where single cells would conflict in few banks. */
template <int RULE, bool PAIRED>
DEVICE void fill_wall(const struct wall_entry &w)
{
    const struct shared_cells u;
    if (w.cell < 0)
        return;
    if (PAIRED && w.second == 0 && abs(w.first) == shared_cells::UNIT)
        fill_row_end(u, w.cell, w.first < 0);
    else if (w.second == 0)
        fill_line(u, w.cell, w.first, RULE, 2);
    else
        fill_edge(u, w.cell, w.first, w.second, RULE);
}

/* The same for the sides of a periodic level of n cells per side: images of the cells opposite. */
DEVICE void copy_image(const struct wall_entry &w, int n)
{
    const struct shared_cells u;
    const int inward = w.first + w.second;
    if (w.cell < 0)
        return;
    u.store(w.cell - inward, u.load(w.cell + (n - 1) * inward));
    if (w.second == 0)
        u.store(w.cell - 2 * inward, u.load(w.cell + (n - 2) * inward));
}

/* Calls fill(entry) for all entries. `own` are the thread's, looked up once for all
 * sweeps of a pass; only a thread group of one warp may have more, which it takes from the lists.
 */
template <int THREADS, int ENTRIES, class Fill>
DEVICE void each_wall(double *u, const struct own_walls<ENTRIES> &own,
                      const struct wall_lists &lists, int sj, int sk, Fill fill)
{
#pragma unroll
    for (int p = 0; p < ENTRIES; p++)
        fill(own.entries[p]);
    for (int n = ENTRIES * THREADS + threadIdx.x; THREADS == 32 && n < lists.nsides + lists.nedges;
         n += THREADS)
        fill(wall_entry_of(lists, n, u, sj, sk));
}

/* Fills the ghosts of all entries. The rule is one of Rules. PAIRED: the rule is 4, and cells of
 * even i are at multiples of 16 bytes. */
template <int THREADS, class Rules, bool PAIRED, int ENTRIES>
DEVICE void fill_walls(double *u, const struct own_walls<ENTRIES> &own, int rule,
                       const struct wall_lists &lists, int sj, int sk)
{
    with_rule(Rules{}, rule, [&](auto constant) {
        constexpr int RULE = decltype(constant)::value;
        each_wall<THREADS>(u, own, lists, sj, sk,
                           [](const struct wall_entry &w) { fill_wall<RULE, PAIRED>(w); });
    });
    group_sync<THREADS>();
}

/* The same with periodic images of a level of n cells per side. */
template <int THREADS, int ENTRIES>
DEVICE void fill_images(double *u, const struct own_walls<ENTRIES> &own, int n,
                        const struct wall_lists &lists, int sj, int sk)
{
    each_wall<THREADS>(u, own, lists, sj, sk,
                       [=](const struct wall_entry &w) { copy_image(w, n); });
    group_sync<THREADS>();
}

#endif
