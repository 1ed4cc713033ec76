/* The fused pass. A thread owns a pair of neighbouring cells in i, one of which is red and the
 * other black in every plane, and marches through the planes: at each step it updates the red cell
 * of its pair in plane k + 1 and the black one in plane k, which are at the same place in the pair.
 * So every coefficient is loaded once, 16 bytes at a time, and used once. Neighbours in k are the
 * thread's own registers, in i those of the next lane, in j they come through shared memory, one
 * value a thread and colour, with one barrier a plane. The outermost rows and lanes of a block only
 * repeat the red updates that its inner cells need; what lies beyond them is read from memory,
 * where `in` keeps the old values. Walls are folded in: a ghost is the quadratic extrapolation from
 * the cell itself and the next one inward. */
#include "cuda/pair_fv2.cuh"
#include "operators/boundary.h"
#include "operators/fv2.h"
#include "operators/smoothers.h"

enum { LANES = 32, ROWS = 20, INNER_PAIRS = LANES - 2, INNER_ROWS = ROWS - 2 };
/* A block repeats two planes of its neighbours, so it should have many; but all multiprocessors
 * should have a block. */
enum { MIN_PLANES = 2, MAX_PLANES = 64, WANTED_BLOCKS = 264 };

/* The member of a pair at place e. */
static __device__ double at_place(double2 pair, int e)
{
    return e ? pair.y : pair.x;
}

static __device__ double2 load_pair(const double *p)
{
    return *(const double2 *)p;
}

/* What an update needs of a cell besides its neighbours. */
struct cell_data {
    double f, alpha, dinv, bi0, bi1, bj0, bj1, bk0, bk1;
};

template <bool HELMHOLTZ>
static __device__ double update(double u, double im, double ip, double jm, double jp, double km,
                                double kp, const cell_data &d, double scale)
{
    const double sum = fv2_sum(u, im, ip, jm, jp, km, kp, d.bi0, d.bi1, d.bj0, d.bj1, d.bk0, d.bk1);
    const double rhs = HELMHOLTZ ? rhs_helmholtz(d.f, d.alpha, u) : rhs_poisson(d.f, 0.0, u);
    return update_gauss_seidel(u, d.dinv, residual_value(rhs, scale, sum));
}

/* The coefficients of a pair of cells. */
struct pair_data {
    double2 f, alpha, dinv, bi, bj0, bj1, bk0, bk1;
    double bi_next; /* of the low face of the next pair */
};

static __device__ cell_data cell_of(const pair_data &p, int e)
{
    cell_data d;
    d.f = at_place(p.f, e);
    d.alpha = at_place(p.alpha, e);
    d.dinv = at_place(p.dinv, e);
    d.bi0 = e ? p.bi.y : p.bi.x;
    d.bi1 = e ? p.bi_next : p.bi.y;
    d.bj0 = at_place(p.bj0, e);
    d.bj1 = at_place(p.bj1, e);
    d.bk0 = at_place(p.bk0, e);
    d.bk1 = at_place(p.bk1, e);
    return d;
}

/* The neighbour across the low or high side: a wall's ghost if there is a wall, which follows from
 * the cell and the next inward. */
static __device__ double or_ghost(bool wall, double neighbour, double u, double inward)
{
    return wall ? wall_quadratic(u, inward) : neighbour;
}

template <bool HELMHOLTZ, bool ZERO>
static __global__ void __launch_bounds__(LANES *ROWS, 1)
    pair_kernel(const struct pair_fv2 w, int planes)
{
    __shared__ double old_black[2][ROWS][LANES], new_red[2][ROWS][LANES];
    const int lane = threadIdx.x, row = threadIdx.y;
    const int pair = blockIdx.x * INNER_PAIRS - 1 + lane, j = blockIdx.y * INNER_ROWS - 1 + row;
    const int n0 = w.c.n[0], n1 = w.c.n[1], n2 = w.c.n[2], i = 2 * pair;
    const int first = blockIdx.z * planes, last = min(first + planes, n2);
    const bool inside = pair >= 0 && i < n0 && j >= 0 && j < n1;
    const bool stores = inside && lane > 0 && lane < LANES - 1 && row > 0 && row < ROWS - 1;
    const bool edge_row = row == 0 || row == ROWS - 1, edge_lane = lane == 0 || lane == LANES - 1;
    const long sj = w.c.sj, sk = w.c.sk, column = i + j * sj;
    const double2 nothing = make_double2(0.0, 0.0);

    double2 z = nothing, a = nothing, b = nothing, c = nothing; /* planes k − 1, k, k + 1, k + 2 */
    pair_data next = {};
    cell_data black = {};
    double2 bk_next = nothing;
    const int start = max(first - 2, -1);
    if (inside && !ZERO) {
        if (start >= 0)
            a = load_pair(w.in + column + start * sk);
        b = load_pair(w.in + column + (start + 1) * sk);
    }
    if (inside)
        bk_next = load_pair(w.beta_k + column + (start + 1) * sk);
    old_black[start & 1][row][lane] = ((j + start + 1) & 1) ? b.x : b.y;
    __syncthreads();

    for (int k = start; k < last; k++) {
        const int e = (j + k + 1) & 1, now = k & 1, then = now ^ 1;
        const bool red_plane = k + 1 < n2;
        double red = 0.0;
        if (inside && red_plane) {
            const long at = column + (k + 1) * sk;
            if (!ZERO)
                c = k + 2 < n2 ? load_pair(w.in + at + sk) : nothing;
            next.f = load_pair(w.f + at);
            if (HELMHOLTZ)
                next.alpha = load_pair(w.alpha + at);
            next.dinv = load_pair(w.dinv + at);
            next.bi = load_pair(w.beta_i + at);
            next.bj0 = load_pair(w.beta_j + at);
            next.bj1 = load_pair(w.beta_j + at + sj);
            next.bk0 = bk_next;
            bk_next = load_pair(w.beta_k + at + sk);
            next.bk1 = bk_next;
        }
        /* Whole warps take part in the exchanges between lanes. */
        const double my_black = e ? b.x : b.y, my_red = e ? a.x : a.y;
        const double black_beside = __shfl_sync(0xffffffffu, my_black, e ? lane + 1 : lane - 1);
        const double red_beside = __shfl_sync(0xffffffffu, my_red, e ? lane + 1 : lane - 1);
        next.bi_next = __shfl_down_sync(0xffffffffu, next.bi.x, 1);
        if (inside && red_plane) {
            const long at = column + (k + 1) * sk;
            if (lane == LANES - 1 || i + 2 == n0)
                next.bi_next = w.beta_i[at + 2];
            const double u = at_place(b, e), km = at_place(a, e), kp = at_place(c, e);
            double beside = black_beside, jm, jp;
            if (ZERO) {
                jm = jp = beside = 0.0;
            } else {
                if (edge_lane && (e ? lane == LANES - 1 : lane == 0))
                    beside = e ? (i + 2 < n0 ? w.in[at + 2] : 0.0) : (i > 0 ? w.in[at - 1] : 0.0);
                jm = row > 0 ? old_black[now][row - 1][lane] : 0.0;
                jp = row < ROWS - 1 ? old_black[now][row + 1][lane] : 0.0;
                if (edge_row) {
                    if (row == 0 && j > 0)
                        jm = w.in[at + e - sj];
                    if (row == ROWS - 1 && j < n1 - 1)
                        jp = w.in[at + e + sj];
                }
            }
            const double low = e ? my_black : beside, high = e ? beside : my_black;
            red = update<HELMHOLTZ>(
                u, or_ghost(i + e == 0, low, u, high), or_ghost(i + e == n0 - 1, high, u, low),
                or_ghost(j == 0, jm, u, jp), or_ghost(j == n1 - 1, jp, u, jm),
                or_ghost(k + 1 == 0, km, u, kp), or_ghost(k + 1 == n2 - 1, kp, u, km),
                cell_of(next, e), w.scale);
            if (e)
                b.y = red;
            else
                b.x = red;
        }
        if (stores && k >= first) {
            const double u = at_place(a, e), km = at_place(z, e), kp = at_place(b, e);
            const double jm = new_red[now][row - 1][lane], jp = new_red[now][row + 1][lane];
            const double low = e ? my_red : red_beside, high = e ? red_beside : my_red;
            const double value = update<HELMHOLTZ>(
                u, or_ghost(i + e == 0, low, u, high), or_ghost(i + e == n0 - 1, high, u, low),
                or_ghost(j == 0, jm, u, jp), or_ghost(j == n1 - 1, jp, u, jm),
                or_ghost(k == 0, km, u, kp), or_ghost(k == n2 - 1, kp, u, km), black, w.scale);
            const double2 result = e ? make_double2(a.x, value) : make_double2(value, a.y);
            *(double2 *)(w.out + column + k * sk) = result;
        }
        black = cell_of(next, 1 - e); /* of plane k + 1, at its turn in the next step */
        old_black[then][row][lane] = at_place(c, e);
        new_red[then][row][lane] = red;
        __syncthreads();
        z = a;
        a = b;
        b = c;
    }
}

bool cuda_pair_fv2_fits(const struct level *level)
{
    const struct operator_choice *choice = &level->stencil->choice;
    return choice->order == 2 && choice->variable && choice->smoother == SMOOTHER_GSRB &&
           !level->connected && level->stencil->wall_rule == 2 && level->dim % 2 == 0 &&
           level->dim >= 4;
}

template <bool HELMHOLTZ>
static void launch(const struct pair_fv2 &w)
{
    const int tiles_i = (w.c.n[0] / 2 + INNER_PAIRS - 1) / INNER_PAIRS, n2 = w.c.n[2];
    const int tiles_j = (w.c.n[1] + INNER_ROWS - 1) / INNER_ROWS;
    int planes = n2 * tiles_i * tiles_j / WANTED_BLOCKS;
    planes = planes < MIN_PLANES ? MIN_PLANES : planes > MAX_PLANES ? MAX_PLANES : planes;
    const dim3 block(LANES, ROWS), grid(tiles_i, tiles_j, (n2 + planes - 1) / planes);
    if (w.zero_guess)
        pair_kernel<HELMHOLTZ, true><<<grid, block, 0, cuda_stream()>>>(w, planes);
    else
        pair_kernel<HELMHOLTZ, false><<<grid, block, 0, cuda_stream()>>>(w, planes);
    CUDA_LAUNCHED();
}

void cuda_pair_fv2(const struct pair_fv2 &pair)
{
    if (pair.alpha)
        launch<true>(pair);
    else
        launch<false>(pair);
}
