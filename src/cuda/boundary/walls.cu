/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores Dirichlet and wrapped ghosts, for the kernels that read them from memory. */
#include "cuda/boundary/ghosts.cuh"
#include "cuda/pass.cuh"

/* How deep the ghosts of a patch are wanted: behind walls next to one side, two, three; and how far
 * into the halo of an open side. */
struct wall_layers {
    int sides, edges, corners, halo;
};

/* The ghosts of a patch behind walls. Those that lie beyond an open side too are the outer part.
 * The rule is a constant, so that a thread asks for all cells that it reads at once. */
template <int RULE>
struct patch_ghosts {
    struct walled_cells<long> cells;
    unsigned walls, open; /* its sides that are walls, and open ones, as bits */
    struct wall_layers layers;
    enum pass_part part;

    __device__ bool is_wall(int side) const
    {
        return walls >> side & 1;
    }

    __device__ bool is_open(int side) const
    {
        return open >> side & 1;
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
        if (RULE == WALL_QUARTIC && layers.sides == 2 && c.side[0] < 2 && cells.n[0] % 2 == 0)
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
        if ((!first && !second) || !in_part(is_open(c.side[0]) || is_open(c.side[1])))
            return;
        const long cell = offset_of(cells, c.at),
                   in_first = step_inward(c.side[0], cells.sj, cells.sk),
                   in_second = step_inward(c.side[1], cells.sj, cells.sk);
        if (first && second)
            ::fill_edge<RULE == WALL_QUARTIC ? 2 : 3>(cells, cell, in_first, in_second, RULE,
                                                      layers.edges);
        const int halo = is_open(c.side[first]) ? layers.halo : 0;
        for (int layer = 1; first != second && layer <= halo; layer++)
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
            const int side = 2 * d + high;
            outer = outer || is_open(side);
            wanted = wanted && layer < (is_wall(side)   ? layers.corners
                                        : is_open(side) ? layers.halo
                                                        : 0);
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

static unsigned open_sides(const struct cells &c)
{
    unsigned open = 0;
    for (int side = 0; side < 6; side++)
        open |= (unsigned)is_open(c, side / 2, side % 2) << side;
    return open;
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
        with_rule(wall_rules<WALL_QUARTIC, WALL_QUADRATIC, WALL_LINEAR>{}, rule,
                  [&](auto constant) {
                      fill<decltype(constant)::value>({cells, walls, open_sides(c), layers, part});
                  });
}

/* The ghosts of a patch beyond the sides in wrapped directions. Each is a copy of the cell that its
 * indices stand for around those directions. The copied cell may itself be a ghost: of the halo, or
 * behind a wall in another direction. Then it must be there already. */
struct wrapped_ghosts {
    struct cells c;
    double *x;
    struct wall_layers layers;
    enum pass_part part;
    unsigned open; /* sides, as bits */

    __device__ void fill(const int at[3]) const
    {
        int from[3], beyond = 0, layer = 0;
        bool outer = false;
#pragma unroll
        for (int d = 0; d < 3; d++) {
            const int high = at[d] >= 0, depth = high ? at[d] - c.n[d] + 1 : -at[d];
            const bool wrapped = depth > 0 && c.wrap[d];
            from[d] = wrapped ? (at[d] + depth * c.n[d]) % c.n[d] : at[d];
            beyond += depth > 0;
            layer = max(layer, depth);
            outer = outer || (depth > 0 && (open >> (2 * d + high) & 1));
        }
        const int wanted = beyond == 1 ? layers.sides : beyond == 2 ? layers.edges : layers.corners;
        if (layer <= wanted && (part == PART_ALL || outer == (part == PART_OUTER)))
            x[at[0] + at[1] * c.sj + at[2] * c.sk] = x[from[0] + from[1] * c.sj + from[2] * c.sk];
    }
};

/* The ghosts beyond both ends in one wrapped direction. Ghosts beyond the ends in two of them count
 * with the higher direction. */
struct wrapped_slab {
    int lo[3], n[3]; /* without the cells between both ends */
    long cells;
};

static struct wrapped_slab make_slab(const struct cells &c, int d, const struct wall_layers &layers)
{
    struct wrapped_slab s = {{}, {}, c.wrap[d]};
    for (int e = 0; e < 3; e++) {
        const int beyond = e == d ? layers.sides : e > d && c.wrap[e] ? 0 : layers.edges;
        s.lo[e] = -beyond;
        s.n[e] = (e == d ? 0 : c.n[e]) + 2 * beyond;
        s.cells *= s.n[e];
    }
    return s;
}

static void wrap_by(const struct cells &c, double *x, const struct wall_layers &layers,
                    enum pass_part part)
{
    const struct wrapped_ghosts g = {c, x, layers, part, open_sides(c)};
    const struct wrapped_slab in_i = make_slab(c, 0, layers), in_j = make_slab(c, 1, layers),
                              in_k = make_slab(c, 2, layers);
    for_range(in_i.cells + in_j.cells + in_k.cells, [=] __device__(long number) {
        const int d = number < in_i.cells ? 0 : number < in_i.cells + in_j.cells ? 1 : 2;
        const struct wrapped_slab &s = d == 0 ? in_i : d == 1 ? in_j : in_k;
        int rest = (int)(number - (d > 0 ? in_i.cells : 0) - (d > 1 ? in_j.cells : 0)), at[3];
#pragma unroll
        for (int e = 0; e < 3; e++) {
            at[e] = rest % s.n[e] + s.lo[e];
            at[e] += e == d && at[e] >= 0 ? g.c.n[e] : 0;
            rest /= s.n[e];
        }
        g.fill(at);
    });
}

static struct wall_layers star(int layers)
{
    return {layers, layers - 1, layers - 2, layers - 1};
}

void cuda_walls_star(const struct cells &c, double *x, int rule, int layers)
{
    fill_by(c, x, rule, star(layers), PART_ALL);
    wrap_by(c, x, star(layers), PART_ALL);
}

void cuda_wrap_sides(const struct cells &c, double *x)
{
    wrap_by(c, x, star(1), PART_ALL);
}

/* Where one side is open, wrapped ghosts are wanted as deep as that side's halo. */
void cuda_walls(const struct cells &c, double *x, int rule, int layers, int ghosts,
                enum pass_part part)
{
    const int halo = open_sides(c) ? ghosts : 0, depth = halo > layers ? halo : layers;
    fill_by(c, x, rule, {layers, layers, layers, halo}, part);
    wrap_by(c, x, {depth, depth, depth, halo}, part);
}

void cuda_walls_fill(const struct level *level, double *field, int rule, int layers)
{
    for (int q = 0; q < level->npatches; q++) {
        const struct cells c = cells_of(&level->patches[q]);
        cuda_walls(c, field + c.offset, rule, layers, level->ghosts, PART_ALL);
    }
}
