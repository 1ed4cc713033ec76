/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores the ghosts of a list (level/ghosts.h), for kernels that read them from memory. */
#include "cuda/boundary/ghosts.cuh"
#include "cuda/pass.cuh"

enum { MAX_BOXES = sizeof(ghost_list::box) / sizeof(struct ghost_box) };

/* The boxes of a list whose ghosts are wanted, and the number of lines, or of wrapped ghosts, in
 * them and all boxes before. */
struct wanted_boxes {
    int count;
    int end[MAX_BOXES];
    struct ghost_box box[MAX_BOXES];
};

/* Corners first: their ghosts take longest, and blocks begin in this order. */
static struct wanted_boxes wanted_of(const struct ghost_list &list, enum pass_region region)
{
    struct wanted_boxes w = {};
    int cells = 0;
    for (int x = list.first[3] - 1; x >= 0; x--) {
        const struct ghost_box &b = list.box[x];
        if (region != REGION_ALL && b.outer != (region == REGION_BOUNDARY))
            continue;
        cells += b.n[0] * b.n[1] * b.n[2];
        w.end[w.count] = cells;
        w.box[w.count++] = b;
    }
    return w;
}

/* How a value beyond a wall follows from cells inward. */
struct behind_wall {
    int layer;
    long step; /* inward */
    const struct side_weights *side;
};

struct walls_between {
    struct behind_wall first, second;
};

/* Cells whose values are ghosts behind WALLS walls, which their rules are applied across in
 * order. In wrapped directions values are those of the cells' images. */
template <int RULE, int WALLS>
struct cells_behind {
    real *x;
    long image; /* the offset of a cell's image */
    struct walls_between walls;

    template <int W>
    __device__ real value(long at) const
    {
        if constexpr (W == 0) {
            return x[at + image];
        } else {
            const struct behind_wall &w = W == 1 ? walls.first : walls.second;
            real v[MAX_WALL_CELLS] = {};
#pragma unroll(W == 2 ? 1 : MAX_WALL_CELLS)
            for (int m = 0; m < RULE; m++)
                set(v, m, value<W - 1>(at + (w.layer + 1 + m) * w.step));
            return side_ghost(w.side, RULE, w.layer, v);
        }
    }

    __device__ real load(long at) const
    {
        return value<WALLS>(at);
    }

    __device__ void store(long at, real ghost) const
    {
        x[at] = ghost;
    }
};

template <int RULE>
struct patch_ghosts {
    struct walled_cells<long> cells;
    struct wall_weights walls;
    struct wanted_boxes wanted;

    __device__ const struct side_weights &side_of(const struct ghost_box &b, int d) const
    {
        return walls.side[d][b.side[d] > 0];
    }

    /* From (i,j,k) to the cell that it is the image of, in wrapped directions. */
    __device__ long offset_of_image(const struct ghost_box &b, const int at[3]) const
    {
        int away[3];
#pragma unroll
        for (int d = 0; d < 3; d++) {
            const int n = cells.n[d], inside = (at[d] % n + n) % n;
            away[d] = b.side[d] != 0 && b.wall[d] == NO_WALL ? inside - at[d] : 0;
        }
        return offset_of(cells, away);
    }

    /* From a cell inside, along the line that begins at `at`. */
    template <int WALLS>
    __device__ void fill_line_behind(const struct ghost_box &b, const int at[3],
                                     const struct walls_between &between) const
    {
        const cells_behind<RULE, WALLS> from = {cells.x, offset_of_image(b, at), between};
        const long cell = offset_of(cells, at),
                   inward = step_inward(2 * b.along + (b.side[b.along] > 0), cells.sj, cells.sk);
        fill_line(from, cell, inward, side_of(b, b.along), RULE, b.layers);
    }

    __device__ struct behind_wall behind(const struct ghost_box &b, int d, const int at[3]) const
    {
        return {b.side[d] < 0 ? -1 - at[d] : at[d] - cells.n[d],
                step_inward(2 * d + (b.side[d] > 0), cells.sj, cells.sk), &side_of(b, d)};
    }

    __device__ void fill_behind_walls(const struct ghost_box &b, const int at[3]) const
    {
        const bool in_i = b.along > 0 && b.wall[0] != NO_WALL,
                   in_j = b.along > 1 && b.wall[1] != NO_WALL;
        if (in_i && in_j)
            fill_line_behind<2>(b, at, {behind(b, 0, at), behind(b, 1, at)});
        else if (in_i || in_j)
            fill_line_behind<1>(b, at, {behind(b, in_i ? 0 : 1, at), {}});
        else if (RULE == WALL_QUARTIC && b.along == 0 && b.side[1] == 0 && b.side[2] == 0 &&
                 b.layers == 2 && cells.n[0] % 2 == 0)
            fill_row_end(cells, offset_of(cells, at), b.side[0] > 0,
                         [&](const real v[4]) { return quartic_ghosts(side_of(b, 0), v); });
        else
            fill_line_behind<0>(b, at, {});
    }

    /* The image may itself be a ghost of the halo, which is there. */
    __device__ void copy_image(const struct ghost_box &b, const int at[3]) const
    {
        const long ghost = offset_of(cells, at);
        cells.store(ghost, cells.load(ghost + offset_of_image(b, at)));
    }

    /* Sides come last, and nearly all ghosts are theirs, so the search halves the list. */
    __device__ int box_of(int number) const
    {
        int first = 0, last = wanted.count - 1;
        while (first < last) {
            const int middle = (first + last) / 2;
            if (number >= wanted.end[middle])
                first = middle + 1;
            else
                last = middle;
        }
        return first;
    }

    __device__ void fill(int number) const
    {
        const int which = box_of(number);
        const struct ghost_box &b = wanted.box[which];
        const int x = number - (which > 0 ? wanted.end[which - 1] : 0), row = x / b.n[0],
                  plane = row / b.n[1];
        const int at[3] = {b.lo[0] + x - row * b.n[0], b.lo[1] + row - plane * b.n[1],
                           b.lo[2] + plane};
        if (b.wall[b.along] == NO_WALL)
            copy_image(b, at);
        else
            fill_behind_walls(b, at);
    }
};

template <int RULE>
static void fill(const struct patch_ghosts<RULE> &g)
{
    for_range(g.wanted.count > 0 ? g.wanted.end[g.wanted.count - 1] : 0,
              [=] __device__(long number) { g.fill((int)number); });
}

void cuda_store_ghosts(const struct cells &c, real *x, const struct ghost_list &list,
                       const struct wall_weights &walls, enum pass_region region)
{
    const struct walled_cells<long> cells = {
        x, {c.n[0], c.n[1], c.n[2]}, {}, c.sj, c.sk
    };
    with_rule(wall_rules<WALL_QUARTIC, WALL_QUADRATIC, WALL_LINEAR>{}, walls.cells,
              [&](auto constant) {
                  fill<decltype(constant)::value>({cells, walls, wanted_of(list, region)});
              });
}

void cuda_wrap_sides(const struct cells &c, real *x)
{
    const struct ghost_depths one = {1, 0, 0, 0};
    const enum wall no_wall[3][2] = {};
    cuda_store_ghosts(c, x, ghost_list_of(c.n, no_wall, c.wrap, &one), {}, REGION_ALL);
}

void cuda_fill_level_ghosts(const struct level *level, real *field,
                            const struct wall_weights &walls, enum ghost_shape shape)
{
    for (int q = 0; q < level->npatches; q++) {
        const struct cells c = cells_of(&level->patches[q]);
        cuda_store_ghosts(c, field + c.offset, *level_ghost_list(level, q, shape), walls,
                          REGION_ALL);
    }
}
