/* The bottom solver as one launch of one block: BiCGStab as solvers/krylov.c has it, step by step
 * and bit by bit, with the smoother as its fallback. Vectors stay in the level's fields, which fit
 * in the caches. */
#include "cuda/operators.cuh"
#include "cuda/walls.cuh"
#include "operators/sum.h"
extern "C" {
#include "solvers/bottom.h"
}

enum { MAX_THREADS = 512 };

/* What the solver works on. */
struct bottom_work {
    struct cells c;
    struct stencil s;
    struct view v; /* f and coefficients; u is set for each gather */
    double *u, *tmp, *work[NUM_KRYLOV_FIELDS];
    bool periodic, singular;
    int ghosts, parity, max_iterations;
    double reduction;
    struct bottom_counts *counts; /* in host memory that the device reaches */
};

struct block_shared {
    unsigned long long word[4];
};

/* Calls f(element) for every cell, by all threads of the block, and waits. */
template <class F>
static __device__ void each_cell(const struct cells &c, F f)
{
    const int cells = c.n[0] * c.n[1] * c.n[2];
    for (int x = threadIdx.x; x < cells; x += blockDim.x) {
        const int i = x % c.n[0], j = x / c.n[0] % c.n[1], k = x / c.n[0] / c.n[1];
        f(i + j * c.sj + k * c.sk, i + j + k);
    }
    __syncthreads();
}

static __device__ int wrapped(int i, int n)
{
    return (i + 4 * n) % n;
}

/* All ghosts of x: images where periodic, walls elsewhere. */
static __device__ void fill_ghosts(const struct bottom_work &w, double *x)
{
    const struct shell s = shell_of(w.c, w.ghosts);
    const struct wall_view view = {w.c, x, w.s.wall_rule};
    for (long at = threadIdx.x; at < s.all; at += blockDim.x) {
        int i, j, k;
        shell_cell(s, at, &i, &j, &k);
        double *ghost = x + i + j * w.c.sj + k * w.c.sk;
        if (w.periodic)
            *ghost = x[wrapped(i, w.c.n[0]) + wrapped(j, w.c.n[1]) * w.c.sj +
                       wrapped(k, w.c.n[2]) * w.c.sk];
        else
            *ghost = wall_value(view, i, j, k);
    }
    __syncthreads();
}

/* The block's maximum of a value per thread, known to all threads. */
static __device__ unsigned long long block_max(unsigned long long mine, struct block_shared *shared)
{
    if (threadIdx.x == 0)
        shared->word[3] = 0;
    __syncthreads();
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        const unsigned long long other = __shfl_down_sync(0xffffffffu, mine, lanes);
        mine = other > mine ? other : mine;
    }
    if (threadIdx.x % 32 == 0)
        atomicMax(&shared->word[3], mine);
    __syncthreads();
    const unsigned long long result = shared->word[3];
    __syncthreads();
    return result;
}

static __device__ double norm(const struct bottom_work &w, const double *x,
                              struct block_shared *shared)
{
    unsigned long long largest = 0;
    each_cell(w.c, [&](long c, int) {
        const unsigned long long bits = magnitude_bits(x[c]);
        largest = bits > largest ? bits : largest;
    });
    return bits_to_double(block_max(largest, shared));
}

/* reduce_dot of solvers/reduce.c; y may be NULL for 1. */
static __device__ double dot(const struct bottom_work &w, const double *x, const double *y,
                             struct block_shared *shared)
{
    unsigned long long largest = 0;
    each_cell(w.c, [&](long c, int) {
        const unsigned long long bits = magnitude_bits(y ? x[c] * y[c] : x[c]);
        largest = bits > largest ? bits : largest;
    });
    largest = block_max(largest, shared);
    if (largest == 0)
        return 0.0;
    if (largest >= 0x7ff0000000000000ull)
        return bits_to_double(0x7ff8000000000000ull);
    const int exponent = sum_exponent(largest);
    const double scale = ldexp(1.0, SUM_DIGIT_BITS - exponent);
    int64_t digits[SUM_DIGITS] = {0, 0, 0};
    if (threadIdx.x < SUM_DIGITS)
        shared->word[threadIdx.x] = 0;
    each_cell(w.c, [&](long c, int) { sum_digits(y ? x[c] * y[c] : x[c], scale, digits); });
    for (int d = 0; d < SUM_DIGITS; d++) {
        unsigned long long sum = (unsigned long long)digits[d];
        for (int lanes = 16; lanes > 0; lanes /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, lanes);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&shared->word[d], sum);
    }
    __syncthreads();
    for (int d = 0; d < SUM_DIGITS; d++)
        digits[d] = (int64_t)shared->word[d];
    __syncthreads();
    return sum_value(digits, exponent);
}

static __device__ void subtract_mean(const struct bottom_work &w, double *x,
                                     struct block_shared *shared)
{
    const double cells = (double)w.c.n[0] * w.c.n[1] * w.c.n[2],
                 mean = dot(w, x, NULL, shared) / cells;
    each_cell(w.c, [=](long c, int) { x[c] += -mean; });
}

/* krylov_project */
static __device__ void project(const struct bottom_work &w, double *x, struct block_shared *shared)
{
    for (int i = 0; i < 2 && w.singular; i++)
        subtract_mean(w, x, shared);
}

static __device__ void combine(const struct bottom_work &w, double *z, double a, const double *x,
                               double b, const double *y)
{
    each_cell(w.c, [=](long c, int) { z[c] = fma(a, x[c], b * y[c]); });
}

static __device__ void multiply(const struct bottom_work &w, double *z, const double *x,
                                const double *y)
{
    each_cell(w.c, [=](long c, int) { z[c] = x[c] * y[c]; });
}

template <class Op>
static __device__ void residual(const struct bottom_work &w, double *out, double *u)
{
    struct view v = w.v;
    v.u = u;
    fill_ghosts(w, u);
    each_cell(w.c, [=](long c, int) { out[c] = Op::residual(v, c); });
}

/* out = A x = −(0 − A x) */
template <class Op>
static __device__ void apply(const struct bottom_work &w, double *out, double *x)
{
    struct view v = w.v;
    v.u = x;
    v.f = out;
    fill_ghosts(w, x);
    each_cell(w.c, [=](long c, int) { out[c] = 0.0; });
    each_cell(w.c, [=](long c, int) { out[c] = -Op::residual(v, c); });
}

static __device__ bool usable(double pivot)
{
    return isfinite(pivot) && pivot != 0.0;
}

static __device__ enum breakdown reason(double pivot)
{
    return isfinite(pivot) ? BREAKDOWN_PIVOT : BREAKDOWN_NOT_FINITE;
}

/* krylov_bicgstab; returns the iterations made. */
template <class Op>
static __device__ int bicgstab(const struct bottom_work &w, enum breakdown *breakdown,
                               struct block_shared *shared)
{
    double *r0 = w.work[0], *r = w.work[1], *p = w.work[2], *q = w.work[3], *s = w.work[4],
           *t = w.work[5], *ap = w.work[6], *as = w.work[7];
    int iterations = 0;
    *breakdown = BREAKDOWN_NONE;
    residual<Op>(w, r0, w.u);
    project(w, r0, shared);
    combine(w, r, 1.0, r0, 0.0, r0);
    combine(w, p, 1.0, r0, 0.0, r0);
    double rho = dot(w, r, r0, shared);
    const double target = w.reduction * norm(w, r, shared);
    if (rho == 0.0 || target == 0.0)
        return 0;
    while (iterations++ < w.max_iterations) {
        multiply(w, q, w.v.dinv, p);
        apply<Op>(w, ap, q);
        const double pivot = dot(w, ap, r0, shared), alpha = rho / pivot;
        if (!usable(pivot) || !isfinite(alpha)) {
            *breakdown = reason(pivot);
            return iterations;
        }
        combine(w, w.u, 1.0, w.u, alpha, q);
        combine(w, s, 1.0, r, -alpha, ap);
        if (norm(w, s, shared) < target)
            return iterations;
        multiply(w, t, w.v.dinv, s);
        apply<Op>(w, as, t);
        const double as_as = dot(w, as, as, shared), omega = dot(w, as, s, shared) / as_as;
        if (!usable(as_as) || !usable(omega)) {
            *breakdown = reason(omega);
            return iterations;
        }
        combine(w, w.u, 1.0, w.u, omega, t);
        combine(w, r, 1.0, s, -omega, as);
        if (norm(w, r, shared) < target)
            return iterations;
        const double rho_new = dot(w, r, r0, shared), beta = (rho_new / rho) * (alpha / omega);
        if (!usable(rho_new) || !isfinite(beta)) {
            *breakdown = reason(rho_new);
            return iterations;
        }
        combine(w, p, 1.0, p, -omega, ap);
        combine(w, p, 1.0, r, beta, p);
        rho = rho_new;
    }
    *breakdown = BREAKDOWN_ITERATIONS;
    return w.max_iterations;
}

/* One sweep of the smoother; sweep s reads u where s is even (or where it works in place). */
template <class Op>
static __device__ void sweep_once(const struct bottom_work &w, int sweep)
{
    double *in = w.s.in_place || sweep % 2 == 0 ? w.u : w.tmp,
           *out = w.s.in_place || sweep % 2 == 1 ? w.u : w.tmp;
    struct view v = w.v;
    v.u = in;
    const enum smoother smoother = w.s.choice.smoother;
    const double weight = smoother == SMOOTHER_CHEBYSHEV ? w.s.chebyshev_c2[sweep]
                          : smoother == SMOOTHER_JACOBI  ? 2.0 / 3.0
                                                         : 1.0;
    const double c1 = w.s.chebyshev_c1[sweep];
    fill_ghosts(w, in);
    each_cell(w.c, [=](long c, int place) {
        if (smoother == SMOOTHER_GSRB && ((place + w.parity + sweep) & 1))
            out[c] = in[c];
        else if (smoother == SMOOTHER_GSRB)
            out[c] = update_gauss_seidel(in[c], v.dinv[c], Op::residual(v, c));
        else if (smoother == SMOOTHER_CHEBYSHEV && sweep > 0)
            out[c] = update_chebyshev(in[c], out[c], v.dinv[c], Op::residual(v, c), c1, weight);
        else
            out[c] = update_weighted(in[c], v.dinv[c], Op::residual(v, c), weight);
    });
}

/* solve_by_smoothing of solvers/bottom.c; returns the sweeps made. */
template <class Op>
static __device__ int smooth(const struct bottom_work &w, struct block_shared *shared)
{
    residual<Op>(w, w.work[0], w.u);
    project(w, w.work[0], shared);
    const double target = w.reduction * norm(w, w.work[0], shared);
    int sweeps = 0;
    double now = target == 0.0 ? 0.0 : bits_to_double(0x7ff0000000000000ull);
    while (sweeps < w.max_iterations && now > target) {
        for (int sweep = 0; sweep < SMOOTHER_SWEEPS; sweep++)
            sweep_once<Op>(w, sweep);
        sweeps += SMOOTHER_SWEEPS;
        residual<Op>(w, w.work[0], w.u);
        project(w, w.work[0], shared);
        now = norm(w, w.work[0], shared);
    }
    return sweeps;
}

template <class Op>
static __global__ void __launch_bounds__(MAX_THREADS) bottom_kernel(const struct bottom_work w)
{
    __shared__ struct block_shared shared;
    enum breakdown breakdown;
    int iterations = bicgstab<Op>(w, &breakdown, &shared);
    if (breakdown != BREAKDOWN_NONE)
        iterations += smooth<Op>(w, &shared);
    if (w.singular)
        subtract_mean(w, w.u, &shared);
    if (threadIdx.x == 0) {
        w.counts->solves++;
        w.counts->iterations += iterations;
        if (breakdown != BREAKDOWN_NONE)
            w.counts->breakdowns[breakdown]++;
    }
}

static struct bottom_counts *device_counts()
{
    static struct bottom_counts *counts;
    if (!counts) {
        CUDA_CALL(cudaHostAlloc((void **)&counts, sizeof *counts, cudaHostAllocMapped));
        *counts = {};
    }
    return counts;
}

void cuda_bottom_solve(struct level *level, enum field u, enum field f, double reduction,
                       int max_iterations, bool singular)
{
    const struct patch *p = &level->patches[0];
    const long o = p->offset;
    struct bottom_work w = {cells_of(p), *level->stencil};
    double *const *fields = level->fields;
    w.v.f = w.v.alpha = w.v.beta_i = w.v.beta_j = w.v.beta_k = fields[f] + o;
    if (fields[FIELD_ALPHA])
        w.v.alpha = fields[FIELD_ALPHA] + o;
    if (fields[FIELD_BETA_I]) {
        w.v.beta_i = fields[FIELD_BETA_I] + o;
        w.v.beta_j = fields[FIELD_BETA_J] + o;
        w.v.beta_k = fields[FIELD_BETA_K] + o;
    }
    w.v.dinv = fields[FIELD_DINV] + o;
    w.v.sj = w.c.sj;
    w.v.sk = w.c.sk;
    w.v.scale = level->stencil->scale;
    w.u = fields[u] + o;
    w.tmp = fields[FIELD_TMP] + o;
    for (int v = 0; v < NUM_KRYLOV_FIELDS; v++)
        w.work[v] = fields[FIELD_KRYLOV + v] + o;
    w.periodic = level->periodic;
    w.singular = singular;
    w.ghosts = level->stencil->radius;
    w.parity = (p->box.lo[0] + p->box.lo[1] + p->box.lo[2]) & 1;
    w.max_iterations = max_iterations;
    w.reduction = reduction;
    w.counts = device_counts();
    const int cells = w.c.n[0] * w.c.n[1] * w.c.n[2], wanted = (cells + 31) / 32 * 32;
    const int threads = wanted < MAX_THREADS ? wanted : MAX_THREADS;
    with_operator(level->stencil->choice, [&](auto op) {
        bottom_kernel<decltype(op)><<<1, threads, 0, cuda_stream()>>>(w);
        CUDA_LAUNCHED();
    });
}

void cuda_bottom_counts(struct bottom_counts *counts)
{
    cuda_synchronise();
    *counts = *device_counts();
}
