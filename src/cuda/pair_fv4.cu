/* A block marches through the planes. At step k its threads update red cells of plane k, and then
 * black ones of plane k − 1. Of the red cells as they have become, a black one sees only its six
 * nearest neighbours, as all others within the operator's reach are black; so red cells are updated
 * one cell beyond the block's own and one plane ahead, and what is already there for the red cell
 * serves for the black one below it.
 *
 * A thread has four columns, neighbours in j, of which every second one has a red cell in plane k
 * and a black one in k − 1; those are the active ones, in the next step it is the others. What a
 * column will need again when it is active stays in registers, everything else is in shared memory:
 * tiles of u and β, copied there a step ahead, and new red cells. One column of cells on either
 * side of the block's own has red cells only; the warps update them in turns. */
#include "cuda/pair_fv4.cuh"
#include "cuda/pair_fv4_tiles.cuh"
#include "cuda/reciprocal.cuh"
#include "cuda/tuning.cuh"
#include "operators/fv4.h"
#include "operators/smoothers.h"

/* Planes a block, even; it takes about five steps to begin. */
enum { MIN_PLANES = 2, MAX_PLANES = 512, EXTRA_STEPS = 5, LEAST_DIM = 8 };

/* Values by side, low and high, in i and in j. */
struct sides {
    double i[2], j[2];
};

/* u in the next cells. */
static __device__ __forceinline__ struct sides load_next(int place)
{
    return {{at(place - COLUMN), at(place + COLUMN)}, {at(place - ROW), at(place + ROW)}};
}

/* β on a cell's faces. */
static __device__ __forceinline__ struct sides load_beta(int place)
{
    return {{at(place + BETA_I_CELL), at(place + BETA_I_CELL + COLUMN)},
            {at(place + BETA_J_CELL), at(place + BETA_J_CELL + ROW)}};
}

/* A face between planes: β and its differences. */
struct face {
    double beta, d_i, d_j;
};

static __device__ __forceinline__ struct face load_face(int place)
{
    return {at(place), at(place + COLUMN) - at(place - COLUMN), at(place + ROW) - at(place - ROW)};
}

/* The faces of a cell: β at them, in the planes below and above too. */
struct faces {
    struct fv4_faces i, j, k;
};

static __device__ __forceinline__ struct faces
load_faces(int place, const struct sides &below, const struct sides &here,
           const struct sides &above, const struct face &low, const struct face &high)
{
    struct faces x = {{}, {}, {{low.beta, high.beta}, {low.d_i, high.d_i}, {low.d_j, high.d_j}}};
    for (int side = 0; side < 2; side++) {
        const int i = place + BETA_I_CELL + side * COLUMN, j = place + BETA_J_CELL + side * ROW;
        x.i.beta[side] = here.i[side];
        x.i.d_first[side] = at(i + ROW) - at(i - ROW);
        x.i.d_second[side] = above.i[side] - below.i[side];
        x.j.beta[side] = here.j[side];
        x.j.d_first[side] = at(j + COLUMN) - at(j - COLUMN);
        x.j.d_second[side] = above.j[side] - below.j[side];
    }
    return x;
}

/* u around a cell, of its own colour but for `next`. `column` are those below and above it, the far
 * one first; `place` is the cell's. */
static __device__ __forceinline__ struct fv4_cells load_cells(double here, const double column[4],
                                                              const struct sides &next, int place,
                                                              const struct sides &below,
                                                              const struct sides &above)
{
    struct fv4_cells x;
    x.here = here;
    for (int side = 0; side < 2; side++) {
        const int step = side ? 1 : -1;
        x.near_i[side] = next.i[side];
        x.near_j[side] = next.j[side];
        x.near_k[side] = column[1 + side];
        x.far_i[side] = at(place + 2 * step * COLUMN);
        x.far_j[side] = at(place + 2 * step * ROW);
        x.far_k[side] = column[3 * side];
        x.ij[side] = at(place - ROW + step * COLUMN);
        x.ij[2 + side] = at(place + ROW + step * COLUMN);
        x.ik[side] = below.i[side];
        x.ik[2 + side] = above.i[side];
        x.jk[side] = below.j[side];
        x.jk[2 + side] = above.j[side];
    }
    return x;
}

static __device__ __forceinline__ double inverse_diagonal(double scale, const struct faces &x,
                                                          double alpha)
{
    return reciprocal(fv4_inner_diagonal(scale, alpha, x.i.beta[0], x.i.beta[1], x.j.beta[0],
                                         x.j.beta[1], x.k.beta[0], x.k.beta[1]));
}

/* What else a cell's new value depends on; dinv is that of a red cell near a wall, else 0. */
struct source {
    double f, alpha, dinv;
};

template <bool HELMHOLTZ>
static __device__ __forceinline__ double relax(const struct fv4_cells &x, const struct faces &faces,
                                               const struct source &s, double dinv, double scale)
{
    const double sum = fv4_sum_of(&x, &faces.i, &faces.j, &faces.k);
    const double rhs =
        HELMHOLTZ ? rhs_helmholtz(s.f, s.alpha, x.here) : rhs_poisson(s.f, 0.0, x.here);
    return update_gauss_seidel(x.here, dinv, residual_value(rhs, scale, sum));
}

/* What remains of a column from one step in which it is active to the next, by planes before the
 * latter's red cell: u as it was, its last red cell, and the face below the black cell. */
struct column {
    double u_mmm, red_mm;
    struct face low;
};

/* Whether the cell at a place of plane k is the patch's, and so many layers away from its ends. */
static __device__ __forceinline__ bool is_within(const struct pair_fv4 &w, const struct march &m,
                                                 int place, int k, int layers)
{
    const int i = m.i - 1 + place % ROW / COLUMN, j = m.j - 1 + place / ROW, *n = w.c.n;
    return i >= layers && i < n[0] - layers && j >= layers && j < n[1] - layers && k >= layers &&
           k < n[2] - layers;
}

/* The same of all cells that the block updates in planes k − 1 and k: no wall is near any of them.
 */
static __device__ __forceinline__ bool is_inner(const struct pair_fv4 &w, const struct march &m,
                                                int k)
{
    const int low = RIM_LAYERS + 1, *n = w.c.n;
    return m.i >= low && m.i + CORE_WIDTH < n[0] - RIM_LAYERS && m.j >= low &&
           m.j + CORE_ROWS < n[1] - RIM_LAYERS && k >= low && k < n[2] - RIM_LAYERS;
}

static __device__ __forceinline__ double stored_inverse(const struct pair_fv4 &w,
                                                        const struct march &m, int place, int k)
{
    if (is_inner(w, m, k) || !is_within(w, m, place, k, 0) || is_within(w, m, place, k, RIM_LAYERS))
        return 0.0;
    const int i = m.i - 1 + place % ROW / COLUMN, j = m.j - 1 + place / ROW;
    return w.dinv[i + j * w.c.sj + k * w.c.sk];
}

/* What the red cell in plane k has loaded and the black one below it needs too, by planes around
 * the former: u in it and in the cells beside it, the column's, and β. */
struct common {
    struct sides next, beta, beta_m;
    double u_m, u_p;
    struct face low;
};

/* The new value of the red cell at place c in plane k, and the face above it. */
template <bool HELMHOLTZ>
static __device__ __forceinline__ double relax_red(const struct pair_fv4 &w, int c,
                                                   const struct planes &p, const struct source &s,
                                                   struct common &common, struct face &high)
{
    common.u_m = at(p.u[1] + c);
    common.u_p = at(p.u[3] + c);
    common.next = load_next(p.u[2] + c);
    common.beta = load_beta(p.beta[2] + c);
    common.beta_m = load_beta(p.beta[1] + c);
    common.low = load_face(p.beta_k[0] + c);
    high = load_face(p.beta_k[1] + c);
    const double column[4] = {at(p.u[0] + c), common.u_m, common.u_p, at(p.u[4] + c)};
    const struct fv4_cells x = load_cells(at(p.u[2] + c), column, common.next, p.u[2] + c,
                                          load_next(p.u[1] + c), load_next(p.u[3] + c));
    const struct faces faces = load_faces(p.beta[2] + c, common.beta_m, common.beta,
                                          load_beta(p.beta[3] + c), common.low, high);
    const double dinv = s.dinv != 0.0 ? s.dinv : inverse_diagonal(w.scale, faces, s.alpha);
    return relax<HELMHOLTZ>(x, faces, s, dinv, w.scale);
}

/* That of the black cell below it, where no wall is near. `reds` is the place among red cells, and
 * south and north how far from there those are. */
template <bool HELMHOLTZ>
static __device__ __forceinline__ double
relax_black(const struct pair_fv4 &w, int c, const struct planes &p, const struct column &column,
            int reds, int south, int north, double red, const struct source &s,
            const struct common &common)
{
    const int place = p.red[0] + reds;
    const struct sides next = {{at(place - COLUMN), at(place + COLUMN)},
                               {at(place + south), at(place + north)}};
    const double others[4] = {column.u_mmm, column.red_mm, red, common.u_p};
    const struct fv4_cells x =
        load_cells(common.u_m, others, next, p.u[1] + c, load_next(p.u[0] + c), common.next);
    const struct faces faces = load_faces(p.beta[1] + c, load_beta(p.beta[0] + c), common.beta_m,
                                          common.beta, column.low, common.low);
    return relax<HELMHOLTZ>(x, faces, s, inverse_diagonal(w.scale, faces, s.alpha), w.scale);
}

/* A thread's columns: place of the first cell in i and j, whether the first or the second of each
 * two is active in the first step, by parity of the step the place of the lower active one, the
 * place among red cells, where f has them, and which rows are the block's own, as bits. */
struct columns {
    int i, j, odd, cells[2], reds, rows[COLUMNS], own;
};

/* Where the patch has the cell, or the nearest one if it has not. */
static __device__ __forceinline__ int clamped_place(const struct pair_fv4 &w, int i, int j)
{
    return min(max(i, 0), w.c.n[0] - 1) + min(max(j, 0), w.c.n[1] - 1) * (int)w.c.sj;
}

static __device__ __forceinline__ struct columns make_columns(const struct pair_fv4 &w,
                                                              const struct march &m)
{
    const int warp = threadIdx.x / LANES, row = warp / 2 * COLUMNS,
              column = 1 + warp % 2 * LANES + threadIdx.x % LANES;
    struct columns t;
    t.i = m.i - 1 + column;
    t.j = m.j - 1 + row;
    t.odd = (t.i + t.j + m.first - 1 + w.colour) & 1;
    t.cells[0] = (row + t.odd) * ROW + column * COLUMN;
    t.cells[1] = (row + 1 - t.odd) * ROW + column * COLUMN;
    t.reds = row / 2 * ROW + column * COLUMN;
    t.own = 0;
    for (int r = 0; r < COLUMNS; r++) {
        t.rows[r] = clamped_place(w, t.i, t.j + r);
        t.own |= (t.i < w.c.n[0] && t.j + r < w.c.n[1] && row + r >= 1 && row + r <= CORE_ROWS)
                 << r;
    }
    return t;
}

/* Outer columns have one red cell in each pair of rows, and a lane for it: first those on the low
 * side, then those on the high one. The other lanes do what these do, and store nothing. */
static __device__ __forceinline__ int outer_column()
{
    return threadIdx.x % REGION_ROWS < REGION_ROWS / 2 ? 0 : CORE_WIDTH + 1;
}

static __device__ __forceinline__ int outer_row(const struct pair_fv4 &w, const struct march &m,
                                                int k)
{
    const int pair = threadIdx.x % (REGION_ROWS / 2);
    return 2 * pair + ((outer_column() + m.i + m.j + k + w.colour) & 1);
}

static __device__ __forceinline__ bool has_outer(const struct march &m, int k)
{
    return threadIdx.x / LANES == (k - m.first + 1) % WARPS;
}

template <bool HELMHOLTZ>
static __device__ __forceinline__ void relax_outer(const struct pair_fv4 &w, const struct march &m,
                                                   const struct planes &p, const struct source &s,
                                                   int k)
{
    const int row = outer_row(w, m, k), column = outer_column() * COLUMN;
    struct common common;
    struct face high;
    const double red = relax_red<HELMHOLTZ>(w, row * ROW + column, p, s, common, high);
    if (threadIdx.x % LANES < REGION_ROWS)
        *(double *)(shared_memory + p.red[1] + row / 2 * ROW + column) = red;
}

/* What the cells of a step need besides, loaded a step ahead: f and α of all four rows, which those
 * that are not active will need for their black cells in the step after it, and of the outer
 * column; f and alpha point at the step's plane, or the nearest one of the patch. */
struct sources {
    struct source rows[COLUMNS], outer;
    double dinv[2];
    const double *f, *alpha;
};

template <bool HELMHOLTZ>
static __device__ __forceinline__ void load_sources(struct sources &s, const struct pair_fv4 &w,
                                                    const struct march &m, const struct columns &t,
                                                    int cell, int k)
{
    for (int r = 0; r < COLUMNS; r++)
        s.rows[r] = {s.f[t.rows[r]], HELMHOLTZ ? s.alpha[t.rows[r]] : 0.0, 0.0};
    for (int q = 0; q < 2; q++)
        s.dinv[q] = stored_inverse(w, m, cell + 2 * q * ROW, k);
    if (!has_outer(m, k))
        return;
    const int row = outer_row(w, m, k), column = outer_column(),
              place = clamped_place(w, m.i - 1 + column, m.j - 1 + row);
    s.outer = {s.f[place], HELMHOLTZ ? s.alpha[place] : 0.0,
               stored_inverse(w, m, row * ROW + column * COLUMN, k)};
}

template <bool HELMHOLTZ>
static __device__ __forceinline__ void first_sources(struct sources &s, const struct pair_fv4 &w,
                                                     const struct march &m, const struct columns &t)
{
    const long plane = max(m.first - 1, 0) * w.c.sk;
    s.f = w.f + plane;
    s.alpha = HELMHOLTZ ? w.alpha + plane : NULL;
    s.outer = {};
    load_sources<HELMHOLTZ>(s, w, m, t, t.cells[0], m.first - 1);
}

template <bool HELMHOLTZ>
static __device__ __forceinline__ void next_sources(struct sources &s, const struct pair_fv4 &w,
                                                    const struct march &m, const struct columns &t,
                                                    int cell, int k)
{
    if (k > 0 && k < w.c.n[2]) {
        s.f += w.c.sk;
        if (HELMHOLTZ)
            s.alpha += w.c.sk;
    }
    load_sources<HELMHOLTZ>(s, w, m, t, cell, k);
}

/* What a thread takes from step to step. */
struct state {
    struct planes p;
    struct column kept[2][2]; /* by parity of the step in which they are active, and row */
    struct source black[2];   /* of the next step */
    struct sources sources;
    double *out; /* the first column's cell in plane k − 1 */
};

/* Stores plane k − 1: the black cells, and the red ones of the step before. */
static __device__ __forceinline__ void store_rows(const struct pair_fv4 &w, const struct columns &t,
                                                  double *out, bool upper, const double black[2],
                                                  const struct column red[2])
{
    const int sj = (int)w.c.sj;
#pragma unroll
    for (int q = 0; q < 2; q++) {
        if (t.own >> 2 * q & 1)
            out[2 * q * sj] = upper ? red[q].red_mm : black[q];
        if (t.own >> 2 * q & 2)
            out[(2 * q + 1) * sj] = upper ? black[q] : red[q].red_mm;
    }
}

/* Step k, of parity S. */
template <bool HELMHOLTZ, int S>
static __device__ __forceinline__ void step(const struct pair_fv4 &w, const struct maps &maps,
                                            const struct march &m, const struct columns &t,
                                            struct state &x, int k)
{
    const int number = k - m.first + 1;
    const bool upper = t.odd ^ S, inner = is_inner(w, m, k);
    const struct planes &p = x.p;
    const struct source outer = x.sources.outer;
    struct source of_red[2], of_black[2];
#pragma unroll
    for (int q = 0; q < 2; q++) {
        const struct source *rows = &x.sources.rows[2 * q];
        of_red[q] = upper ? rows[1] : rows[0];
        of_red[q].dinv = x.sources.dinv[q];
        of_black[q] = x.black[q];
        x.black[q] = upper ? rows[0] : rows[1];
    }
    barrier_wait(&barriers().full[S], (number >> 1) & 1);

    double red[2], black[2];
#pragma unroll
    for (int q = 0; q < 2; q++) {
        const int c = t.cells[S] + 2 * q * ROW;
        struct common common;
        struct face high;
        red[q] = relax_red<HELMHOLTZ>(w, c, p, of_red[q], common, high);
        if (q == 0) {
            if (number > 0)
                barrier_wait(&barriers().done[S ^ 1], ((number - 1) >> 1) & 1);
            /* Not earlier: a use of what was loaded before would wait for this too. */
            next_sources<HELMHOLTZ>(x.sources, w, m, t, t.cells[S ^ 1], k + 1);
        }
        black[q] = relax_black<HELMHOLTZ>(w, c, p, x.kept[S][q], t.reds + q * ROW, upper ? 0 : -ROW,
                                          upper ? ROW : 0, red[q], of_black[q], common);
        if (!inner && !is_within(w, m, c, k - 1, RIM_LAYERS))
            black[q] = common.u_m;
        x.kept[S][q] = {common.u_m, red[q], high};
    }
#pragma unroll
    for (int q = 0; q < 2; q++)
        *(double *)(shared_memory + p.red[1] + t.reds + q * ROW) = red[q];
    if (k > m.first)
        store_rows(w, t, x.out, upper, black, x.kept[S ^ 1]);
    if (has_outer(m, k))
        relax_outer<HELMHOLTZ>(w, m, p, outer, k);
    x.out += w.c.sk;
    move_up(x.p);
    finish_step(maps, m, k);
}

template <bool HELMHOLTZ>
static __global__ void __launch_bounds__(LANES *WARPS, 1)
    red_black_kernel(const __grid_constant__ struct pair_fv4 w,
                     const __grid_constant__ struct maps maps, int planes)
{
    struct march m = {(int)blockIdx.x * CORE_WIDTH, (int)blockIdx.y * CORE_ROWS,
                      (int)blockIdx.z * planes, 0};
    m.last = min(m.first + planes, w.c.n[2]);
    create_barriers();
    if (threadIdx.x == 0) {
        fetch_first(maps, m);
        fetch(maps, m, m.first);
    }
    const struct columns t = make_columns(w, m);
    struct state x = {};
    x.p = first_planes();
    x.out = w.out + t.i + t.j * w.c.sj + (m.first - 2) * w.c.sk;
    first_sources<HELMHOLTZ>(x.sources, w, m, t);
    for (int k = m.first - 1; k < m.last; k += 2) {
        step<HELMHOLTZ, 0>(w, maps, m, t, x, k);
        step<HELMHOLTZ, 1>(w, maps, m, t, x, k + 1);
    }
}

bool cuda_pair_fv4_fits(const struct level *level)
{
    const struct operator_choice *choice = &level->stencil->choice;
    static const bool compiled = cuda_has_tile_copies((const void *)red_black_kernel<false>);
    return compiled && SHARED_BYTES <= cuda_shared_bytes() && choice->order == 4 &&
           choice->variable && choice->smoother == SMOOTHER_GSRB && !level->connected &&
           level->dim >= LEAST_DIM && level->dim % 2 == 0;
}

template <bool HELMHOLTZ>
static void launch(const struct pair_fv4 &w)
{
    static const cudaError_t prepared = cudaFuncSetAttribute(
        red_black_kernel<HELMHOLTZ>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
    CUDA_CALL(prepared);
    const int tiles_i = cuda_divided(w.c.n[0], CORE_WIDTH),
              tiles_j = cuda_divided(w.c.n[1], CORE_ROWS);
    const struct cuda_tuning tuning = cuda_tuned(4, TUNED_SMOOTH, HELMHOLTZ, w.c);
    const int planes = tuning.planes > 0 ? tuning.planes
                                         : cuda_choose_planes(w.c.n[2], tiles_i * tiles_j,
                                                              MIN_PLANES, MAX_PLANES, EXTRA_STEPS);
    const struct maps maps = {cuda_tile_map(w.in, w.c, WIDTH, REGION_ROWS + 4),
                              cuda_tile_map(w.beta_i, w.c, WIDTH, REGION_ROWS + 2),
                              cuda_tile_map(w.beta_j, w.c, WIDTH, REGION_ROWS + 1),
                              cuda_tile_map(w.beta_k, w.c, WIDTH, REGION_ROWS + 2)};
    const dim3 grid(tiles_i, tiles_j, cuda_divided(w.c.n[2], planes));
    red_black_kernel<HELMHOLTZ>
        <<<grid, LANES * WARPS, SHARED_BYTES, cuda_stream()>>>(w, maps, planes);
    CUDA_LAUNCHED();
}

void cuda_pair_fv4(const struct pair_fv4 &w)
{
    if (w.alpha)
        launch<true>(w);
    else
        launch<false>(w);
    cuda_walls_two_colours(w.c, w.out, w.in, w.colour);
    cuda_rim_fv4(w);
}
