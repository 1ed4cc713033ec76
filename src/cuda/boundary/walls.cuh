/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_BOUNDARY_WALLS_CUH
#define CUDA_BOUNDARY_WALLS_CUH
/* Ghost cells on the device: their numbering, and their values behind Dirichlet walls, computed
 * from the cells inside, in i, then in j, then in k. */
#include "cuda/boundary/ghosts.cuh"
#include "cuda/core/launch.cuh"

struct wall_view {
    struct cells c;
    double *x; /* at cell (0,0,0) */
};

/* The step inward from a side; sides are numbered low i, high i, low j, … */
static __device__ __forceinline__ int step_inward(int side, int sj, int sk)
{
    const int along = side < 2 ? 1 : side < 4 ? sj : sk;
    return side & 1 ? -along : along;
}

/* Of a cube of n cells a side, from its cell (0,0,0): the first ghost of the line through place
 * (a,b) of a side. */
static __device__ __forceinline__ int side_place(int side, int a, int b, int n, int sj, int sk)
{
    const int inward = step_inward(side, sj, sk);
    return a * (side < 2 ? sj : 1) + b * (side < 4 ? sk : sj) - (side & 1 ? n * inward : inward);
}

/* One of the twelve edges of a cube: 4·(direction that it runs along) + (which side in the first of
 * the other directions) + 2·(in the second). */
struct edge {
    int first, second; /* the sides that meet there */
};

static __device__ __forceinline__ struct edge edge_of(int number)
{
    const int along = number >> 2;
    return {(along == 0 ? 2 : 0) + (number & 1), (along == 2 ? 2 : 4) + (number >> 1 & 1)};
}

/* The ghost at place m along an edge, from cell (0,0,0). */
static __device__ __forceinline__ int edge_place(const struct edge &e, int m, int n, int sj, int sk)
{
    const int in_first = step_inward(e.first, sj, sk), in_second = step_inward(e.second, sj, sk);
    const int along = e.first >= 2 ? 1 : e.second >= 4 ? sj : sk;
    return m * along - (e.first & 1 ? n * in_first : in_first) -
           (e.second & 1 ? n * in_second : in_second);
}

/* True if index `at` in direction d lies beyond a wall; then its layer, and the index and step of
 * the cells inward from it. */
static __device__ bool beyond_wall(const struct cells &c, int d, int at, int *layer, int *first,
                                   int *step)
{
    if (at < 0 && c.wall[d][0]) {
        *layer = -at - 1;
        *first = 0;
        *step = 1;
        return true;
    }
    if (at >= c.n[d] && c.wall[d][1]) {
        *layer = at - c.n[d];
        *first = c.n[d] - 1;
        *step = -1;
        return true;
    }
    return false;
}

/* The rule is a template parameter so that what is extrapolated from stays in registers. */
template <int RULE>
static __device__ double value_i(const struct wall_view &w, int i, int j, int k)
{
    int layer, first, step;
    const double *row = w.x + j * w.c.sj + k * w.c.sk;
    if (!beyond_wall(w.c, 0, i, &layer, &first, &step))
        return row[i];
    double v[4];
#pragma unroll
    for (int m = 0; m < RULE; m++)
        v[m] = row[first + m * step];
    return extrapolate(v, RULE, layer);
}

template <int RULE>
static __device__ double value_j(const struct wall_view &w, int i, int j, int k)
{
    int layer, first, step;
    if (!beyond_wall(w.c, 1, j, &layer, &first, &step))
        return value_i<RULE>(w, i, j, k);
    double v[4];
#pragma unroll
    for (int m = 0; m < RULE; m++)
        v[m] = value_i<RULE>(w, i, first + m * step, k);
    return extrapolate(v, RULE, layer);
}

template <int RULE>
static __device__ double value_k(const struct wall_view &w, int i, int j, int k)
{
    int layer, first, step;
    if (!beyond_wall(w.c, 2, k, &layer, &first, &step))
        return value_j<RULE>(w, i, j, k);
    double v[4];
#pragma unroll
    for (int m = 0; m < RULE; m++)
        v[m] = value_j<RULE>(w, i, j, first + m * step);
    return extrapolate(v, RULE, layer);
}

/* Numbers the cells of the shell of `layers` around a patch: planes in k, then rows in j, then ends
 * in i. */
struct shell {
    int n[3], layers;
    long planes, rows, all;
};

static inline __host__ __device__ struct shell shell_of(const struct cells &c, int layers)
{
    struct shell s = {{c.n[0], c.n[1], c.n[2]}, layers, 0, 0, 0};
    const long n0 = c.n[0], n1 = c.n[1], n2 = c.n[2], g = 2 * layers;
    s.planes = g * (n0 + g) * (n1 + g);
    s.rows = s.planes + g * (n0 + g) * n2;
    s.all = s.rows + g * n1 * n2;
    return s;
}

static __device__ int beyond(int ghost, int n, int layers)
{
    return ghost < layers ? ghost - layers : n + ghost - layers;
}

static __device__ void shell_cell(const struct shell &s, long x, int *i, int *j, int *k)
{
    const int g = 2 * s.layers;
    if (x < s.planes) {
        const int width = s.n[0] + g, height = s.n[1] + g;
        *i = (int)(x % width) - s.layers;
        *j = (int)(x / width % height) - s.layers;
        *k = beyond((int)(x / width / height), s.n[2], s.layers);
    } else if (x < s.rows) {
        const int width = s.n[0] + g;
        x -= s.planes;
        *i = (int)(x % width) - s.layers;
        *j = beyond((int)(x / width % g), s.n[1], s.layers);
        *k = (int)(x / width / g);
    } else {
        x -= s.rows;
        *i = beyond((int)(x % g), s.n[0], s.layers);
        *j = (int)(x / g % s.n[1]);
        *k = (int)(x / g / s.n[1]);
    }
}

static __device__ bool behind_wall(const struct cells &c, int i, int j, int k)
{
    int layer, first, step;
    return beyond_wall(c, 0, i, &layer, &first, &step) ||
           beyond_wall(c, 1, j, &layer, &first, &step) ||
           beyond_wall(c, 2, k, &layer, &first, &step);
}

#endif
