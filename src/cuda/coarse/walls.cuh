/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_WALLS_CUH
#define CUDA_COARSE_WALLS_CUH
/* Order 4: ghosts of u behind walls that the operator reads, in the tail kernel's tiles in shared
 * memory: two layers behind cells next to one wall, and one behind cells next to two. */
#include "cuda/coarse/tiles.cuh"
#include "cuda/coarse/steps.cuh"

/* The cells next to walls, as listed_wall() packs them. */
struct wall_lists {
    const int *sides, *edges;
    int nsides, nedges;
};

/* Cells by offsets in bytes in all shared memory. They are instructions, since the compiler does
 * not end where it has to think about pointers made from such offsets. */
struct shared_cells {
    enum { UNIT = (int)sizeof(double) };

    DEVICE_MEMBER double load(int at) const
    {
        double value;
        asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(at) : "memory");
        return value;
    }
    DEVICE_MEMBER double2 load_pair(int at) const
    {
        double2 pair;
        asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];"
                     : "=d"(pair.x), "=d"(pair.y)
                     : "r"(at)
                     : "memory");
        return pair;
    }
    DEVICE_MEMBER void store(int at, double value) const
    {
        asm volatile("st.shared.f64 [%0], %1;" : : "r"(at), "d"(value) : "memory");
    }
    DEVICE_MEMBER void store_pair(int at, double2 pair) const
    {
        asm volatile("st.shared.v2.f64 [%0], {%1, %2};"
                     :
                     : "r"(at), "d"(pair.x), "d"(pair.y)
                     : "memory");
    }
};

/* A cell next to walls: its offset, and the steps inward from one wall or from two, all in bytes,
 * so that a sweep has little to compute. */
struct wall_place {
    int cell;          /* −1 if there is none */
    int first, second; /* second is 0 next to one wall */
};

/* Number n of both lists, sides first, of the tile that begins at u. */
DEVICE struct wall_place wall_place_of(const struct wall_lists &l, int n, const double *u, int sj,
                                       int sk)
{
    enum { UNIT = shared_cells::UNIT };
    if (n >= l.nsides + l.nedges)
        return {-1, 0, 0};
    const int entry = n < l.nsides ? l.sides[n] : l.edges[n - l.nsides],
              second = entry >> (ELEMENT_BITS + 3);
    return {(int)__cvta_generic_to_shared(u) + element(entry) * UNIT,
            step_inward(entry >> ELEMENT_BITS & 7, sj, sk) * UNIT,
            second ? step_inward(second, sj, sk) * UNIT : 0};
}

/* A thread's: one of the first so many that the team has threads, and perhaps one of the next. */
template <int PLACES>
struct own_walls {
    struct wall_place place[PLACES];
};

template <int TEAM, int PLACES>
DEVICE own_walls<PLACES> take_walls(const struct wall_lists &l, const double *u, int sj, int sk)
{
    own_walls<PLACES> w;
    for (int p = 0; p < PLACES; p++)
        w.place[p] = wall_place_of(l, p * TEAM + threadIdx.x, u, sj, sk);
    return w;
}

/* PAIRED: behind walls in i by pairs, whose rows are in few different banks else. */
template <int RULE, bool PAIRED>
DEVICE void fill_wall(const struct wall_place &w)
{
    const struct shared_cells u;
    if (w.cell < 0)
        return;
    if (PAIRED && w.second == 0 && abs(w.first) == shared_cells::UNIT)
        fill_row_end(u, w.cell, w.first < 0);
    else if (w.second == 0)
        fill_line(u, w.cell, w.first, RULE, 2);
    else
        fill_edge<1>(u, w.cell, w.first, w.second, RULE, 1);
}

/* Fills them all. `own` are the thread's, which it looks up once for all sweeps of a pass; only a
 * team of one warp may have more, which are in the lists. The rule is one of Rules, which if PAIRED
 * is 4 alone, and cells of even i are at multiples of 16 then. */
template <int TEAM, class Rules, bool PAIRED, int PLACES>
DEVICE void fill_walls(double *u, const struct own_walls<PLACES> &own, int rule,
                       const struct wall_lists &lists, int sj, int sk)
{
    with_rule(Rules{}, rule, [&](auto constant) {
        constexpr int RULE = decltype(constant)::value;
#pragma unroll
        for (int p = 0; p < PLACES; p++)
            fill_wall<RULE, PAIRED>(own.place[p]);
        for (int n = PLACES * TEAM + threadIdx.x; TEAM == 32 && n < lists.nsides + lists.nedges;
             n += TEAM)
            fill_wall<RULE, PAIRED>(wall_place_of(lists, n, u, sj, sk));
    });
    group_sync<TEAM>();
}

#endif
