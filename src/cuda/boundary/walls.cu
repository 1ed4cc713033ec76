/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores Dirichlet ghosts, for the kernels that read them from memory. */
#include "cuda/boundary/ghosts.cuh"
#include "cuda/pass.cuh"

/* How deep the ghosts of a patch are wanted: behind walls next to one side, two, three; and how far
 * into the halo of a side without a wall. */
struct wall_layers {
    int sides, edges, corners, halo;
};

/* The ghosts of a patch. Those that lie in the halo of a side without a wall too are the outer
 * part. The rule is a constant, so that a thread asks for all cells that it reads at once. */
template <int RULE>
struct patch_ghosts {
    struct walled_cells<long> cells;
    unsigned walls; /* its sides that are walls, as bits */
    struct wall_layers layers;
    enum pass_part part;

    __device__ bool is_wall(int side) const
    {
        return walls >> side & 1;
    }

    __device__ bool in_part(bool outer) const
    {
        return part == PART_ALL || outer == (part == PART_OUTER);
    }

    __device__ void fill_side(int x) const
    {
        const struct wall_cell c =
            side_cell(cells.n, x, [](int number, int width) { return number / width; });
        if (!is_wall(c.side[0]) || !in_part(false))
            return;
        if (RULE == 4 && layers.sides == 2 && c.side[0] < 2 && cells.n[0] % 2 == 0)
            fill_row_end(cells, offset_of(cells, c.at), c.side[0] == 1);
        else
            fill_line(cells, offset_of(cells, c.at), step_inward(c.side[0], cells.sj, cells.sk),
                      RULE, layers.sides);
    }

    /* Behind one wall of two sides, lines of ghosts in the other side's halo. */
    __device__ void fill_edge(int x) const
    {
        const struct wall_cell c = edge_cell(cells.n, x);
        const bool first = is_wall(c.side[0]), second = is_wall(c.side[1]);
        if ((!first && !second) || !in_part(!first || !second))
            return;
        const long cell = offset_of(cells, c.at),
                   in_first = step_inward(c.side[0], cells.sj, cells.sk),
                   in_second = step_inward(c.side[1], cells.sj, cells.sk);
        if (first && second)
            ::fill_edge<RULE == 4 ? 2 : 3>(cells, cell, in_first, in_second, RULE, layers.edges);
        for (int layer = 1; first != second && layer <= layers.halo; layer++)
            fill_line(cells, cell - layer * (first ? in_second : in_first),
                      first ? in_first : in_second, RULE, layers.edges);
    }

    __host__ __device__ int corner_depth() const
    {
        return layers.corners > 0 ? max(layers.corners, layers.halo) : 0;
    }

    __device__ void fill_corner(int x) const
    {
        const int depth = corner_depth(), corner = x / (depth * depth * depth);
        int at[3];
        bool outer = false, wanted = true;
#pragma unroll
        for (int d = 0; d < 3; d++) {
            const int high = corner >> d & 1, layer = x % depth;
            x /= depth;
            at[d] = high ? cells.n[d] + layer : -1 - layer;
            const bool wall = is_wall(2 * d + high);
            outer = outer || !wall;
            wanted = wanted && layer < (wall ? layers.corners : layers.halo);
        }
        if (wanted && behind_wall(cells, at[0], at[1], at[2]) && in_part(outer))
            cells.store(offset_of(cells, at), ghost_value<RULE>(cells, at[0], at[1], at[2]));
    }
};

/* What takes longest has the lowest numbers, since blocks begin in that order. */
template <int RULE>
static void fill(const struct patch_ghosts<RULE> &g)
{
    const int *n = g.cells.n, depth = g.corner_depth(), corners = 8 * depth * depth * depth,
              edges = g.layers.edges > 0 ? edge_cells(n) : 0, sides = side_cells(n);
    for_range(corners + edges + sides, [=] __device__(long number) {
        const int x = (int)number;
        if (x < corners)
            g.fill_corner(x);
        else if (x < corners + edges)
            g.fill_edge(x - corners);
        else
            g.fill_side(x - corners - edges);
    });
}

static void fill_by(const struct cells &c, double *x, int rule, const struct wall_layers &layers,
                    enum pass_part part)
{
    struct walled_cells<long> cells = {
        x, {c.n[0], c.n[1], c.n[2]}, {}, c.sj, c.sk
    };
    unsigned walls = 0;
    for (int side = 0; side < 6; side++) {
        cells.wall[side / 2][side % 2] = c.wall[side / 2][side % 2];
        walls |= (unsigned)c.wall[side / 2][side % 2] << side;
    }
    if (walls != 0)
        with_rule(wall_rules<4, 2, 1>{}, rule, [&](auto constant) {
            fill<decltype(constant)::value>({cells, walls, layers, part});
        });
}

void cuda_walls_star(const struct cells &c, double *x, int rule, int layers)
{
    const int edges = layers > 1 ? 1 : 0;
    fill_by(c, x, rule, {layers, edges, 0, edges}, PART_ALL);
}

void cuda_walls(const struct cells &c, double *x, int rule, int layers, int ghosts,
                enum pass_part part)
{
    bool open = false;
    for (int side = 0; side < 6; side++)
        open = open || !c.wall[side / 2][side % 2];
    fill_by(c, x, rule, {layers, layers, layers, open ? ghosts : 0}, part);
}

void cuda_walls_fill(const struct level *level, double *field, int rule, int layers)
{
    for (int q = 0; q < level->npatches; q++) {
        const struct cells c = cells_of(&level->patches[q]);
        cuda_walls(c, field + c.offset, rule, layers, level->ghosts, PART_ALL);
    }
}
