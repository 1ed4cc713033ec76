/* A thread owns two columns of cells, one above the other in j, and marches through the planes. At
 * step k it computes the fluxes through its cells' low faces in plane k; the high ones are the low
 * ones of the neighbours, which come from the next lane, from the thread's other column or through
 * shared memory, and from the thread itself one step later, when plane k − 1 is finished. So every
 * flux is computed once in a block. Planes are copied to shared memory some steps before they are
 * needed, without a register or a wait. The first and last lane and the last group of rows only
 * serve their neighbours. */
#include "cuda/march_fv4.cuh"
#include <cuda_pipeline.h>
#include "operators/fv4.h"
#include "operators/smoothers.h"
#include "operators/sum.h"
#include "operators/transfers.h"

enum { LANES = 32, GROUPS = 13, THREADS = LANES * GROUPS };
enum { CORE_LANES = LANES - 2, CORE_ROWS = 2 * (GROUPS - 1) };
/* Planes a block, even; it takes about five steps to begin. */
enum { MIN_PLANES = 2, MAX_PLANES = 128, EXTRA_STEPS = 5 };

/* What step k brings: rows of u and of β of i and j faces in plane k + 1, of β of the faces below
 * plane k and of the rest in plane k. Every row has the tile's lanes and one more at both ends; all
 * are copied as pairs of cells. Of u there are two rows on either side of the tile, of β_i and β_k
 * one, of β_j one above. */
enum { WIDTH = LANES + 2, PAIRS = WIDTH / 2 };
enum {
    U_ROWS = 0,
    BETA_I_ROWS = U_ROWS + CORE_ROWS + 4,
    BETA_K_ROWS = BETA_I_ROWS + CORE_ROWS + 2,
    BETA_J_ROWS = BETA_K_ROWS + CORE_ROWS + 2,
    F_ROWS = BETA_J_ROWS + CORE_ROWS + 1,
    DINV_ROWS = F_ROWS + CORE_ROWS,
    ALPHA_ROWS = DINV_ROWS + CORE_ROWS,
};

/* How much is copied how early, so that it fits. */
template <bool HELMHOLTZ>
struct sizes {
    static constexpr int AHEAD = HELMHOLTZ ? 1 : 2, SLOTS = AHEAD + 3;
    static constexpr int ALL_ROWS = HELMHOLTZ ? ALPHA_ROWS + CORE_ROWS : (int)ALPHA_ROWS;
    static constexpr int COPIES = (ALL_ROWS * PAIRS + THREADS - 1) / THREADS;
};
typedef double row[WIDTH];

template <bool HELMHOLTZ>
struct shared_planes {
    row slots[sizes<HELMHOLTZ>::SLOTS][sizes<HELMHOLTZ>::ALL_ROWS];
    double flux_j[2][GROUPS][LANES]; /* of every thread's first row */
};

/* A thread's place: i and j of its first cell. */
struct place {
    int lane, group, i, j, first, last;
    bool core; /* it has cells to update */
};

static __device__ struct place find_place(const struct cells &c, int planes)
{
    struct place p;
    p.lane = threadIdx.x;
    p.group = threadIdx.y;
    p.i = (int)blockIdx.x * CORE_LANES + p.lane - 1;
    p.j = (int)blockIdx.y * CORE_ROWS + 2 * p.group;
    p.first = (int)blockIdx.z * planes;
    p.last = min(p.first + planes, c.n[2]);
    p.core =
        p.lane > 0 && p.lane < LANES - 1 && p.group < GROUPS - 1 && p.i < c.n[0] && p.j < c.n[1];
    return p;
}

template <enum march_kind KIND>
static constexpr bool SMOOTHS =
    KIND == MARCH_GAUSS_SEIDEL || KIND == MARCH_WEIGHTED || KIND == MARCH_CHEBYSHEV;

/* Where row `row` of the arrivals of step k comes from: an array at cell (0,0,k), and the row of
 * the tile; NULL if it is not wanted. */
template <bool HELMHOLTZ, enum march_kind KIND>
static __device__ const double *source_of_row(const struct march_fv4 &w, int row, int *tile_row)
{
    if (row < BETA_I_ROWS) {
        *tile_row = row - U_ROWS - 2;
        return w.u + w.c.sk;
    }
    if (row < BETA_K_ROWS) {
        *tile_row = row - BETA_I_ROWS - 1;
        return w.beta_i + w.c.sk;
    }
    if (row < BETA_J_ROWS) {
        *tile_row = row - BETA_K_ROWS - 1;
        return w.beta_k;
    }
    if (row < F_ROWS) {
        *tile_row = row - BETA_J_ROWS;
        return w.beta_j + w.c.sk;
    }
    *tile_row = (row - F_ROWS) % CORE_ROWS;
    if (row < DINV_ROWS)
        return w.f;
    if (row < ALPHA_ROWS)
        return SMOOTHS<KIND> ? w.dinv : NULL;
    return HELMHOLTZ && row < sizes<HELMHOLTZ>::ALL_ROWS ? w.alpha : NULL;
}

/* What a thread copies at each step: where from at the next one; NULL for nothing. */
template <bool HELMHOLTZ>
struct copies {
    const double *from[sizes<HELMHOLTZ>::COPIES];
};

/* Of step k. Only what is stored is copied, ghosts included. */
template <bool HELMHOLTZ, enum march_kind KIND>
static __device__ struct copies<HELMHOLTZ> first_copies(const struct march_fv4 &w, int k)
{
    struct copies<HELMHOLTZ> c;
    const int thread = threadIdx.y * LANES + threadIdx.x;
    for (int x = 0; x < sizes<HELMHOLTZ>::COPIES; x++) {
        const int row = (thread + x * THREADS) / PAIRS, pair = (thread + x * THREADS) % PAIRS;
        int tile_row;
        const double *array = source_of_row<HELMHOLTZ, KIND>(w, row, &tile_row);
        const int i = (int)blockIdx.x * CORE_LANES - 2 + 2 * pair;
        const int j = (int)blockIdx.y * CORE_ROWS + tile_row;
        const bool stored = array && i <= w.c.n[0] && j <= w.c.n[1] + 1;
        c.from[x] = stored ? array + i + j * w.c.sj + k * w.c.sk : NULL;
    }
    return c;
}

/* Starts the copies of the next step, if there is one. */
template <bool HELMHOLTZ>
static __device__ void fetch(struct copies<HELMHOLTZ> &c, row *to, long sk, bool wanted)
{
    double *base = &to[0][0] + 2 * (threadIdx.y * LANES + threadIdx.x);
    for (int x = 0; wanted && x < sizes<HELMHOLTZ>::COPIES; x++)
        if (c.from[x]) {
            __pipeline_memcpy_async(base + 2 * x * THREADS, c.from[x], 2 * sizeof(double));
            c.from[x] += sk;
        }
    __pipeline_commit();
}

/* The columns' values in planes around k; *_m is plane k − 1, *_p plane k + 1. */
struct columns {
    double u_mm[2], u_m[2], u[2], u_p[2];
    double beta_i_m[2], beta_i[2], beta_i_p[2], beta_j_m[2], beta_j[2], beta_j_p[2];
    double di_m[2], dj_m[2];               /* central differences of u in plane k − 1 */
    double sum_i[2], flux_j[2], flux_k[2]; /* of plane k − 1, until it is finished */
};

/* From the lane below and above. */
static __device__ double below(double x)
{
    return __shfl_up_sync(0xffffffffu, x, 1);
}

static __device__ double above(double x)
{
    return __shfl_down_sync(0xffffffffu, x, 1);
}

/* The fluxes of step k; the operator's sums in plane k − 1. sm, s and sp are the arrivals of steps
 * k − 2, k − 1 and k; flux_j is for the neighbours in j, flux_j_before that of the step before. */
static __device__ void advance(struct columns &c, const struct place &p, const row *sm,
                               const row *s, const row *sp, double (*flux_j)[LANES],
                               const double (*flux_j_before)[LANES], double sum[2])
{
    const int l = p.lane + 1, y = U_ROWS + 2 * p.group + 2, bi = BETA_I_ROWS + 2 * p.group + 1,
              bk = BETA_K_ROWS + 2 * p.group + 1, bj = BETA_J_ROWS + 2 * p.group;
    double beta_k[2], di[2], dk[2], u_im[2], u_ip[2];
    for (int q = 0; q < 2; q++) {
        c.u_p[q] = sp[y + q][l];
        c.beta_i_p[q] = sp[bi + q][l];
        c.beta_j_p[q] = sp[bj + q][l];
        beta_k[q] = sp[bk + q][l];
        u_im[q] = s[y + q][l - 1];
        u_ip[q] = s[y + q][l + 1];
        di[q] = u_ip[q] - u_im[q];
        dk[q] = c.u_p[q] - c.u_m[q];
    }
    const double u_jm = s[y - 1][l], u_jp = s[y + 2][l];
    const double dj[2] = {c.u[1] - u_jm, u_jp - c.u[0]};

    const double db_ij[2] = {c.beta_i[1] - s[bi - 1][l], s[bi + 2][l] - c.beta_i[0]};
    double flux_i[2];
    for (int q = 0; q < 2; q++)
        flux_i[q] =
            fv4_flux(c.beta_i[q], s[y + q][max(l - 2, 0)], u_im[q], c.u[q], u_ip[q], db_ij[q],
                     below(dj[q]), dj[q], c.beta_i_p[q] - c.beta_i_m[q], below(dk[q]), dk[q]);

    const double db_ji[2] = {above(c.beta_j[0]) - below(c.beta_j[0]),
                             above(c.beta_j[1]) - below(c.beta_j[1])};
    const double flux_j_low = fv4_flux(
        c.beta_j[0], s[y - 2][l], u_jm, c.u[0], c.u[1], db_ji[0], s[y - 1][l + 1] - s[y - 1][l - 1],
        di[0], c.beta_j_p[0] - c.beta_j_m[0], sp[y - 1][l] - sm[y - 1][l], dk[0]);
    const double flux_j_middle = fv4_flux(c.beta_j[1], u_jm, c.u[0], c.u[1], u_jp, db_ji[1], di[0],
                                          di[1], c.beta_j_p[1] - c.beta_j_m[1], dk[0], dk[1]);

    const double db_kj[2] = {beta_k[1] - sp[bk - 1][l], sp[bk + 2][l] - beta_k[0]};
    const double flux_j_high[2] = {c.flux_j[1],
                                   flux_j_before[min(p.group + 1, GROUPS - 1)][p.lane]};
    for (int q = 0; q < 2; q++) {
        const double flux_k = fv4_flux(beta_k[q], c.u_mm[q], c.u_m[q], c.u[q], c.u_p[q],
                                       above(beta_k[q]) - below(beta_k[q]), c.di_m[q], di[q],
                                       db_kj[q], c.dj_m[q], dj[q]);
        /* fv4_sum, whose high fluxes are the neighbours' low ones, negated */
        sum[q] = (c.sum_i[q] + (c.flux_j[q] - flux_j_high[q])) + (c.flux_k[q] - flux_k);
        c.flux_k[q] = flux_k;
        c.sum_i[q] = flux_i[q] - above(flux_i[q]);
        c.di_m[q] = di[q];
        c.dj_m[q] = dj[q];
    }
    c.flux_j[0] = flux_j[p.group][p.lane] = flux_j_low;
    c.flux_j[1] = flux_j_middle;
}

/* On to the next plane. */
static __device__ void shift(struct columns &c)
{
    for (int q = 0; q < 2; q++) {
        c.u_mm[q] = c.u_m[q];
        c.u_m[q] = c.u[q];
        c.u[q] = c.u_p[q];
        c.beta_i_m[q] = c.beta_i[q];
        c.beta_i[q] = c.beta_i_p[q];
        c.beta_j_m[q] = c.beta_j[q];
        c.beta_j[q] = c.beta_j_p[q];
    }
}

static __device__ unsigned long long larger(unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}

static __device__ void raise(unsigned long long *norm, unsigned long long value)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        value = larger(value, __shfl_down_sync(0xffffffffu, value, lanes));
    if (threadIdx.x == 0)
        atomicMax(norm, value);
}

/* The new value of cell (i,j,k), whose residual is r. */
template <enum march_kind KIND>
static __device__ double new_value(const struct march_fv4 &w, double u, double dinv, double r,
                                   int ijk, const double *out)
{
    switch (KIND) {
    case MARCH_GAUSS_SEIDEL:
        return (ijk + w.colour) & 1 ? u : update_gauss_seidel(u, dinv, r);
    case MARCH_WEIGHTED:
        return update_weighted(u, dinv, r, w.c2);
    case MARCH_CHEBYSHEV:
        return update_chebyshev(u, *out, dinv, r, w.c1, w.c2);
    default:
        return r;
    }
}

/* What becomes of the residuals besides new values: sums of two in i, of the last even plane, and
 * the largest magnitude. */
struct yield {
    double even[2];
    unsigned long long norm;
};

static __device__ void restrict_pairs(const struct march_fv4 &w, const struct place &p,
                                      const double r[2], int k, struct yield &y)
{
    const double pair[2] = {r[0] + above(r[0]), r[1] + above(r[1])};
    if (k % 2 == 0) {
        y.even[0] = pair[0];
        y.even[1] = pair[1];
    } else if (p.core && p.lane % 2 != 0) {
        w.out[p.i / 2 + (p.j / 2) * w.out_sj + (k / 2) * w.out_sk] =
            restrict_cell(y.even[0], y.even[1], pair[0], pair[1]);
    }
}

/* The last thing a block does with plane k, of which `s` has f, α and D⁻¹. */
template <bool HELMHOLTZ, enum march_kind KIND>
static __device__ void finish(const struct march_fv4 &w, const struct place &p, const row *s,
                              const double u[2], const double sum[2], int k, struct yield &y)
{
    const int l = p.lane + 1, own = 2 * min(p.group, GROUPS - 2);
    double r[2];
    for (int q = 0; q < 2; q++) {
        const double f = s[F_ROWS + own + q][l];
        const double rhs = HELMHOLTZ ? rhs_helmholtz(f, s[ALPHA_ROWS + own + q][l], u[q])
                                     : rhs_poisson(f, 0.0, u[q]);
        r[q] = residual_value(rhs, w.scale, sum[q]);
    }
    if (KIND == MARCH_RESTRICT)
        restrict_pairs(w, p, r, k, y);
    for (int q = 0; q < 2 && KIND != MARCH_RESTRICT && p.core; q++) {
        double *out = w.out + p.i + (p.j + q) * w.c.sj + k * w.c.sk;
        if (KIND == MARCH_NORM)
            y.norm = larger(y.norm, magnitude_bits(r[q]));
        else
            *out =
                new_value<KIND>(w, u[q], s[DINV_ROWS + own + q][l], r[q], p.i + p.j + q + k, out);
    }
}

static __device__ int next_slot(int slot, int slots)
{
    return slot + 1 < slots ? slot + 1 : 0;
}

template <bool HELMHOLTZ, enum march_kind KIND>
static __global__ void __launch_bounds__(THREADS, 1)
    march_kernel(const __grid_constant__ struct march_fv4 w, int planes)
{
    constexpr int AHEAD = sizes<HELMHOLTZ>::AHEAD, SLOTS = sizes<HELMHOLTZ>::SLOTS;
    extern __shared__ double2 shared_memory[];
    auto &s = *reinterpret_cast<struct shared_planes<HELMHOLTZ> *>(shared_memory);
    const struct place p = find_place(w.c, planes);
    const int l = p.lane + 1, y = 2 * p.group;
    struct columns c = {};
    struct yield yield = {};

    /* Step first − 1 only yields differences: its fluxes are not used. */
    struct copies<HELMHOLTZ> copies = first_copies<HELMHOLTZ, KIND>(w, p.first - 2);
    for (int a = 0; a <= AHEAD; a++)
        fetch(copies, s.slots[a + 1], w.c.sk, true);
    __pipeline_wait_prior(AHEAD - 1);
    __syncthreads();
    for (int q = 0; q < 2; q++) {
        const int i = min(p.i, w.c.n[0]), j = min(p.j + q, w.c.n[1]);
        c.u_m[q] = w.u[i + j * w.c.sj + (p.first - 2) * w.c.sk];
        c.u[q] = s.slots[1][U_ROWS + y + q + 2][l];
        c.beta_i[q] = s.slots[1][BETA_I_ROWS + y + q + 1][l];
        c.beta_j[q] = s.slots[1][BETA_J_ROWS + y + q][l];
    }

    int m = 0, here = 1, next = 2, fetched = (AHEAD + 2) % SLOTS;
    for (int k = p.first - 1; k <= p.last; k++) {
        fetch(copies, s.slots[fetched], w.c.sk, k + AHEAD <= p.last);
        double sum[2];
        advance(c, p, s.slots[m], s.slots[here], s.slots[next], s.flux_j[k & 1],
                s.flux_j[(k & 1) ^ 1], sum);
        if (k - 1 >= p.first)
            finish<HELMHOLTZ, KIND>(w, p, s.slots[here], c.u_m, sum, k - 1, yield);
        shift(c);
        __pipeline_wait_prior(AHEAD - 1);
        __syncthreads();
        m = here;
        here = next;
        next = next_slot(next, SLOTS);
        fetched = next_slot(fetched, SLOTS);
    }
    if (KIND == MARCH_NORM)
        raise(w.norm, yield.norm);
}

bool cuda_march_fv4_fits(const struct level *level)
{
    const struct operator_choice *choice = &level->stencil->choice;
    const size_t bytes = choice->helmholtz ? sizeof(struct shared_planes<true>)
                                           : sizeof(struct shared_planes<false>);
    return bytes <= cuda_shared_bytes() && choice->order == 4 && choice->variable &&
           level->dim % 2 == 0;
}

template <bool HELMHOLTZ, enum march_kind KIND>
static void launch(const struct march_fv4 &w)
{
    constexpr int BYTES = sizeof(struct shared_planes<HELMHOLTZ>);
    static const cudaError_t prepared = cudaFuncSetAttribute(
        march_kernel<HELMHOLTZ, KIND>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    CUDA_CALL(prepared);
    const int tiles_i = cuda_divided(w.c.n[0], CORE_LANES),
              tiles_j = cuda_divided(w.c.n[1], CORE_ROWS);
    const int planes =
        cuda_choose_planes(w.c.n[2], tiles_i * tiles_j, MIN_PLANES, MAX_PLANES, EXTRA_STEPS);
    const dim3 block(LANES, GROUPS), grid(tiles_i, tiles_j, cuda_divided(w.c.n[2], planes));
    march_kernel<HELMHOLTZ, KIND><<<grid, block, BYTES, cuda_stream()>>>(w, planes);
    CUDA_LAUNCHED();
}

template <bool HELMHOLTZ>
static void launch_kind(const struct march_fv4 &w)
{
    switch (w.kind) {
    case MARCH_GAUSS_SEIDEL:
        return launch<HELMHOLTZ, MARCH_GAUSS_SEIDEL>(w);
    case MARCH_WEIGHTED:
        return launch<HELMHOLTZ, MARCH_WEIGHTED>(w);
    case MARCH_CHEBYSHEV:
        return launch<HELMHOLTZ, MARCH_CHEBYSHEV>(w);
    case MARCH_STORE:
        return launch<HELMHOLTZ, MARCH_STORE>(w);
    case MARCH_RESTRICT:
        return launch<HELMHOLTZ, MARCH_RESTRICT>(w);
    case MARCH_NORM:
        return launch<HELMHOLTZ, MARCH_NORM>(w);
    }
}

void cuda_march_fv4(const struct march_fv4 &march)
{
    if (march.alpha)
        launch_kind<true>(march);
    else
        launch_kind<false>(march);
}
