/* SPDX-License-Identifier: BSD-3-Clause */
/* Dirichlet ghosts as stored values, for the kernels that do not fold them in. */
#include "cuda/boundary/walls.cuh"
#include "cuda/pass.cuh"

static __device__ bool in_open_halo(const struct cells &c, int d, int at)
{
    return (at < 0 && !c.wall[d][0]) || (at >= c.n[d] && !c.wall[d][1]);
}

static __device__ bool in_part(const struct cells &c, enum pass_part part, int i, int j, int k)
{
    const bool outer = in_open_halo(c, 0, i) || in_open_halo(c, 1, j) || in_open_halo(c, 2, k);
    return part == PART_ALL || outer == (part == PART_OUTER);
}

/* Of a patch that has sides without walls. The rule is a constant so that the cells it reads are
 * all fetched at once. */
template <int RULE>
static void fill_open(const struct shell &s, const struct wall_view &w, enum pass_part part)
{
    for_range(s.all, [=] __device__(long at) {
        int i, j, k;
        shell_cell(s, at, &i, &j, &k);
        if (behind_wall(w.c, i, j, k) && in_part(w.c, part, i, j, k))
            w.x[i + j * w.c.sj + k * w.c.sk] = value_k<RULE>(w, i, j, k);
    });
}

static void fill_open_by(const struct cells &c, double *x, int rule, int layers,
                         enum pass_part part)
{
    const struct shell s = shell_of(c, layers);
    const struct wall_view w = {c, x};
    if (rule == 4)
        fill_open<4>(s, w, part);
    else if (rule == 2)
        fill_open<2>(s, w, part);
    else
        fill_open<1>(s, w, part);
}

/* Selections, since registers have no index. */
static __device__ long stride_of(const struct cells &c, int d)
{
    return d == 0 ? 1 : d == 1 ? c.sj : c.sk;
}

static __device__ int extent_of(const struct cells &c, int d)
{
    return d == 0 ? c.n[0] : d == 1 ? c.n[1] : c.n[2];
}

/* Which of two walls, in which direction d, and which cell of it number x is; walls in i come
 * first.
 */
static __device__ void side_cell(const struct cells &c, int x, int *d, int *high, int *a, int *b)
{
    *d = 0;
    int size = c.n[1] * c.n[2];
    while (x >= 2 * size) {
        x -= 2 * size;
        ++*d;
        size = *d == 1 ? c.n[0] * c.n[2] : c.n[0] * c.n[1];
    }
    *high = x >= size;
    x -= *high * size;
    const int width = *d == 0 ? c.n[1] : c.n[0];
    *a = x % width;
    *b = x / width;
}

/* Both ghosts of an end of a row, by the quartic rule, and pairs of cells: `end` is where the first
 * cell on the low side or the last one on the high side is. */
static __device__ void row_ghosts(const struct wall_view &w, long end, bool high)
{
    const double2 a = *(const double2 *)(w.x + (high ? end - 1 : end)),
                  b = *(const double2 *)(w.x + (high ? end - 3 : end + 2));
    *(double2 *)(w.x + (high ? end + 1 : end - 2)) = row_end_ghosts(a, b, high);
}

/* The rules are constants, so that what is extrapolated from stays in registers. */
template <int RULE>
static __device__ void side_ghosts(const struct wall_view &w, int x, int layers)
{
    int d, high, a, b;
    side_cell(w.c, x, &d, &high, &a, &b);
    const int last = high * (extent_of(w.c, d) - 1);
    const long inward = high ? -stride_of(w.c, d) : stride_of(w.c, d);
    const long cell =
        a * stride_of(w.c, d == 0) + b * stride_of(w.c, d == 2 ? 1 : 2) + last * stride_of(w.c, d);
    if (RULE == 4 && layers == 2 && d == 0 && w.c.n[0] % 2 == 0) {
        row_ghosts(w, cell, high);
        return;
    }
    fill_line(w.x + cell - inward, inward, RULE, layers);
}

/* All ghosts on the edge of two walls next to one place along it, in so many layers of both: from
 * those behind the wall of the lower direction. */
template <int RULE>
static __device__ void edge_ghosts(const struct wall_view &w, int x, int layers)
{
    int along = 0;
    while (x >= 4 * extent_of(w.c, along))
        x -= 4 * extent_of(w.c, along++);
    const int first = along == 0 ? 1 : 0, second = along == 2 ? 1 : 2,
              corner = x / extent_of(w.c, along), place = x % extent_of(w.c, along);
    const int last_first = corner & 1 ? extent_of(w.c, first) - 1 : 0,
              last_second = corner & 2 ? extent_of(w.c, second) - 1 : 0;
    const long in_first = corner & 1 ? -stride_of(w.c, first) : stride_of(w.c, first),
               in_second = corner & 2 ? -stride_of(w.c, second) : stride_of(w.c, second);
    double *const cell = w.x + place * stride_of(w.c, along) + last_first * stride_of(w.c, first) +
                         last_second * stride_of(w.c, second);
    double ghosts[2][4]; /* by layer */
#pragma unroll
    for (int m = 0; m < RULE; m++) {
        double v[4];
#pragma unroll
        for (int o = 0; o < RULE; o++)
            v[o] = cell[o * in_first + m * in_second];
        ghosts[0][m] = extrapolate(v, RULE, 0);
        ghosts[1][m] = extrapolate(v, RULE, 1);
    }
#pragma unroll
    for (int a = 0; a < 2; a++)
#pragma unroll
        for (int b = 0; b < 2; b++)
            if (a < layers && b < layers)
                cell[-(a + 1) * in_first - (b + 1) * in_second] = extrapolate(ghosts[a], RULE, b);
}

template <int RULE>
static __device__ void corner_ghost(const struct wall_view &w, int x, int layers)
{
    const int each = layers * layers * layers, corner = x / each, number = x % each;
    const int layer[3] = {number % layers, number / layers % layers, number / layers / layers};
    int at[3];
#pragma unroll
    for (int d = 0; d < 3; d++)
        at[d] = corner >> d & 1 ? extent_of(w.c, d) + layer[d] : -1 - layer[d];
    w.x[at[0] + at[1] * w.c.sj + at[2] * w.c.sk] = value_k<RULE>(w, at[0], at[1], at[2]);
}

/* Layers of ghosts wanted of a patch with walls on all sides. */
struct wall_layers {
    int sides, edges, corners;
};

/* What takes longest has the lowest numbers, since blocks begin in that order. */
template <int RULE>
static void fill_closed(const struct wall_view &w, const struct wall_layers &layers)
{
    const int *n = w.c.n, sides = 2 * (n[1] * n[2] + n[0] * n[2] + n[0] * n[1]),
              corners = 8 * layers.corners * layers.corners * layers.corners,
              edges = layers.edges > 0 ? 4 * (n[0] + n[1] + n[2]) : 0;
    for_range(corners + edges + sides, [=] __device__(long number) {
        const int x = (int)number;
        if (x < corners)
            corner_ghost<RULE>(w, x, layers.corners);
        else if (x < corners + edges)
            edge_ghosts<RULE>(w, x - corners, layers.edges);
        else
            side_ghosts<RULE>(w, x - corners - edges, layers.sides);
    });
}

static void fill_closed_by(const struct cells &c, double *x, int rule,
                           const struct wall_layers &layers)
{
    const struct wall_view w = {c, x};
    if (rule == 4)
        fill_closed<4>(w, layers);
    else if (rule == 2)
        fill_closed<2>(w, layers);
    else
        fill_closed<1>(w, layers);
}

void cuda_walls_star(const struct cells &c, double *x, int rule, int layers)
{
    fill_closed_by(c, x, rule, {layers, layers > 1 ? 1 : 0, 0});
}

/* All ghosts of the shell of `layers`; where one side has no wall, those of other walls are needed
 * as deep as that side's halo, `ghosts`. */
void cuda_walls(const struct cells &c, double *x, int rule, int layers, int ghosts,
                enum pass_part part)
{
    int walls = 0;
    for (int d = 0; d < 3; d++)
        walls += c.wall[d][0] + c.wall[d][1];
    if (walls == 6)
        fill_closed_by(c, x, rule, {layers, layers, layers});
    else if (walls > 0)
        fill_open_by(c, x, rule, ghosts, part);
}

void cuda_walls_fill(const struct level *level, double *field, int rule, int layers)
{
    for (int q = 0; q < level->npatches; q++) {
        const struct cells c = cells_of(&level->patches[q]);
        cuda_walls(c, field + c.offset, rule, layers, level->ghosts, PART_ALL);
    }
}
