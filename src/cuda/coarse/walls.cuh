/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_WALLS_CUH
#define CUDA_COARSE_WALLS_CUH
/* Ghosts of u behind walls that order 4's operator reads, in the tail kernel's frames: two layers
 * on the sides and one on the edges. */
#include "cuda/coarse/tiles.cuh"
#include "cuda/coarse/steps.cuh"

/* As elements, with the numbers of the sides that they are behind above ELEMENT_BITS. */
struct wall_lists {
    const int *sides, *edges;
    int nsides, nedges;
};

/* Cells at a place in shared memory, in bytes; as instructions, since the compiler does not end
 * where it has to think about pointers made from places. */
static __device__ __forceinline__ double load_shared(int place)
{
    double value;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(place) : "memory");
    return value;
}

static __device__ __forceinline__ void store_shared(int place, double value)
{
    asm volatile("st.shared.f64 [%0], %1;" : : "r"(place), "d"(value) : "memory");
}

/* Two neighbours in i, at a multiple of 16. */
static __device__ __forceinline__ double2 load_shared_pair(int place)
{
    double2 pair;
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];"
                 : "=d"(pair.x), "=d"(pair.y)
                 : "r"(place)
                 : "memory");
    return pair;
}

static __device__ __forceinline__ void store_shared_pair(int place, double2 pair)
{
    asm volatile("st.shared.v2.f64 [%0], {%1, %2};"
                 :
                 : "r"(place), "d"(pair.x), "d"(pair.y)
                 : "memory");
}

/* Where a ghost is in shared memory, and the step inward from its side, or on an edge the steps
 * inward from both, in bytes, so that as little as possible is left to be found in each sweep. */
struct wall_place {
    int at;            /* −1 if there is none */
    int first, second; /* the latter is 0 on a side */
};

/* Of an element of the frame that begins at u. */
static __device__ __forceinline__ struct wall_place make_wall_place(const double *u, int element,
                                                                    int first, int second)
{
    enum { BYTES = (int)sizeof *u };
    return {(int)__cvta_generic_to_shared(u) + element * BYTES, first * BYTES, second * BYTES};
}

/* Number n of both lists, sides first. */
static __device__ __forceinline__ struct wall_place wall_place_of(const struct wall_lists &l, int n,
                                                                  const double *u, int sj, int sk)
{
    if (n < l.nsides) {
        const int side = l.sides[n];
        return make_wall_place(u, element(side), step_inward(side >> ELEMENT_BITS, sj, sk), 0);
    }
    if (n < l.nsides + l.nedges) {
        const int edge = l.edges[n - l.nsides], sides = edge >> ELEMENT_BITS;
        return make_wall_place(u, element(edge), step_inward(sides & 7, sj, sk),
                               step_inward(sides >> 3, sj, sk));
    }
    return {-1, 0, 0};
}

/* A thread's: one of the first so many that the team has threads, and perhaps one of the next. */
template <int PLACES>
struct own_walls {
    struct wall_place place[PLACES];
};

template <int TEAM, int PLACES>
static __device__ __forceinline__ own_walls<PLACES> take_walls(const struct wall_lists &l,
                                                               const double *u, int sj, int sk)
{
    own_walls<PLACES> w;
    for (int p = 0; p < PLACES; p++)
        w.place[p] = wall_place_of(l, p * TEAM + threadIdx.x, u, sj, sk);
    return w;
}

template <int RULE>
static __device__ __forceinline__ void fill_side(const struct wall_place &w)
{
    double v[4];
#pragma unroll
    for (int m = 0; m < RULE; m++)
        v[m] = load_shared(w.at + (m + 1) * w.first);
    store_shared(w.at, extrapolate(v, RULE, 0));
    store_shared(w.at - w.first, extrapolate(v, RULE, 1));
}

/* The same behind a wall in i, by pairs: cells of different rows are in few different banks. */
static __device__ __forceinline__ void fill_row_end(const struct wall_place &w)
{
    enum { CELL = (int)sizeof(double) };
    const bool high = w.first < 0;
    const double2 a = load_shared_pair(high ? w.at - 2 * CELL : w.at + CELL),
                  b = load_shared_pair(high ? w.at - 4 * CELL : w.at + 3 * CELL);
    store_shared_pair(high ? w.at : w.at - CELL, row_end_ghosts(a, b, high));
}

template <int RULE, bool PAIRED>
static __device__ __forceinline__ void fill_wall(const struct wall_place &w)
{
    if (w.at < 0)
        return;
    if (PAIRED && w.second == 0 && abs(w.first) == (int)sizeof(double))
        fill_row_end(w);
    else if (w.second == 0)
        fill_side<RULE>(w);
    else
        store_shared(w.at, edge_value(RULE, [&](int o, int m) {
                         return load_shared(w.at + (o + 1) * w.first + (m + 1) * w.second);
                     }));
}

/* Fills them all. `own` are the thread's, which it looks up once for all sweeps of a pass; only a
 * team of one warp may have more, which are in the lists. The rule is one of Rules, which if PAIRED
 * is 4 alone, and cells of even i are at multiples of 16 then. */
template <int TEAM, class Rules, bool PAIRED, int PLACES>
static __device__ __forceinline__ void fill_walls(double *u, const struct own_walls<PLACES> &own,
                                                  int rule, const struct wall_lists &lists, int sj,
                                                  int sk)
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
