/* The tail of the V-cycle: consecutive steps on levels so small that a launch takes longer than
 * what is done in it, all in one launch of one block.
 *
 * Between steps everything is in the levels' fields. During a pass u of the level is in a frame in
 * shared memory, β too; f, α and D⁻¹ are in registers, since each cell belongs to one thread. A
 * thread's cells are sorted by colour: the first half are red, the others black, so that all
 * threads work in a half-sweep. How many it has is a template parameter, CELLS: on the smaller
 * levels two are enough. Frames have the same strides on every level, so that neighbours are at
 * constant distances. */
#include <cuda_pipeline.h>
#include "cuda/tail.cuh"
#include "cuda/transfers.cuh"

enum {
    MOST_CELLS = TAIL_DIM * TAIL_DIM * TAIL_DIM / TAIL_THREADS,
    FEWEST_CELLS = 2,
    /* Of one β field: a layer around the cells. */
    BETA_SJ = TAIL_DIM + 2,
    BETA_SK = BETA_SJ * BETA_SJ,
    BETA_LENGTH = BETA_SJ * BETA_SK,
    BETA_ORIGIN = 1 + BETA_SJ + BETA_SK,
    /* Of the coarse u that is prolonged: two layers. */
    COARSE_SJ = TAIL_DIM / 2 + 4,
    COARSE_SK = COARSE_SJ * COARSE_SJ,
    COARSE_LENGTH = COARSE_SJ * COARSE_SK,
    COARSE_ORIGIN = 2 * (1 + COARSE_SJ + COARSE_SK),
};

/* The frames; pointers at cell (0,0,0). Rows are of even length, so that the cells of one colour in
 * two neighbouring rows lie in different banks. */
template <class Op>
struct frames {
    enum {
        GHOSTS = Op::ORDER / 2,
        SJ = TAIL_DIM + 2 * GHOSTS,
        SK = SJ * SJ,
        U_LENGTH = SJ * SK,
        U_ORIGIN = GHOSTS * (1 + SJ + SK),
        LENGTH = U_LENGTH + 3 * BETA_LENGTH + COARSE_LENGTH,
    };
    static __device__ double *u(double *store)
    {
        return store + U_ORIGIN;
    }
    static __device__ double *beta(double *store)
    {
        return store + U_LENGTH + BETA_ORIGIN;
    }
    static __device__ double *coarse(double *store)
    {
        return store + U_LENGTH + 3 * BETA_LENGTH + COARSE_ORIGIN;
    }
};

struct place {
    int i, j, k;
    bool inside;
};

/* Where cell number `slot` of this thread is. A colour's cells are numbered along the rows. */
template <int CELLS>
static __device__ __forceinline__ struct place place_of(const struct tail_level &l, int slot)
{
    const int colour = slot / (CELLS / 2), n = l.side.n;
    const int x = threadIdx.x + slot % (CELLS / 2) * TAIL_THREADS;
    struct place p = {0, 0, 0, x < l.half.n * n * n};
    if (!p.inside)
        return p;
    const int row = quotient(x, l.half);
    p.k = quotient(row, l.side);
    p.j = row - p.k * n;
    p.i = 2 * (x - row * l.half.n) + ((p.j + p.k + colour) & 1);
    p.inside = p.i < n;
    return p;
}

/* A cell's element in the frame of u, in those of β, and the six sides on which it has a wall, as
 * bits in the order low i, high i, low j, … */
enum { ELEMENT_BITS = 13, ELEMENT_MASK = (1 << ELEMENT_BITS) - 1 };
/* A thread with fewer cells has this mark in their place. To have no branch it computes all the
 * same, at the frame's last cell, which no thread changes: where there are such threads the level
 * is smaller. Nothing of it is stored. */
static constexpr unsigned NO_CELL = ~0u;

template <class Op>
static constexpr unsigned IDLE_CELL = (TAIL_DIM - 1) * (1 + frames<Op>::SJ + frames<Op>::SK) |
                                      (TAIL_DIM - 1) * (1 + BETA_SJ + BETA_SK) << ELEMENT_BITS;

template <class Op>
static __device__ __forceinline__ unsigned packed(const struct place &p, int n)
{
    using frame = frames<Op>;
    const unsigned u = p.i + p.j * frame::SJ + p.k * frame::SK;
    const unsigned beta = p.i + p.j * BETA_SJ + p.k * BETA_SK;
    const unsigned walls = (p.i == 0) | (p.i == n - 1) << 1 | (p.j == 0) << 2 |
                           (p.j == n - 1) << 3 | (p.k == 0) << 4 | (p.k == n - 1) << 5;
    return u | beta << ELEMENT_BITS | walls << 2 * ELEMENT_BITS;
}

/* What a thread holds of its cells during a pass. */
template <int CELLS>
struct own_cells {
    unsigned cell[CELLS]; /* packed, or NO_CELL */
    double f[CELLS], alpha[CELLS], dinv[CELLS];
    double value[CELLS]; /* on its way into the frame, or what was there before */
};

static __device__ __forceinline__ int element(unsigned cell)
{
    return cell & ELEMENT_MASK;
}

/* Begins to copy β into its frames: faces 0 … n, for order 4 a layer around the cells. */
template <class Op>
static __device__ void fetch_beta(const struct tail_level &l, double *store)
{
    const int low = Op::ORDER == 4 ? -1 : 0, all = l.beta.n * l.beta.n * l.beta.n;
    double *to = frames<Op>::beta(store) + low * BETA_ORIGIN;
    const int from = low * (1 + l.sj + l.sk);
    for (int x = threadIdx.x; x < all; x += TAIL_THREADS) {
        int i, j, k;
        cube_cell(x, l.beta, &i, &j, &k);
        const int target = i + j * BETA_SJ + k * BETA_SK, source = from + i + j * l.sj + k * l.sk;
        __pipeline_memcpy_async(to + target, l.beta_i + source, sizeof *to);
        __pipeline_memcpy_async(to + target + BETA_LENGTH, l.beta_j + source, sizeof *to);
        __pipeline_memcpy_async(to + target + 2 * BETA_LENGTH, l.beta_k + source, sizeof *to);
    }
}

template <class Op, int CELLS>
static __device__ __forceinline__ void
fetch_own(const struct tail_level &l, const struct tail_step &s, struct own_cells<CELLS> &own)
{
    const bool reads_u = s.start == START_KEEP || s.start == START_PROLONG_ADD;
#pragma unroll
    for (int x = 0; x < CELLS; x++) {
        const struct place p = place_of<CELLS>(l, x);
        const int at = p.i + p.j * l.sj + p.k * l.sk;
        own.cell[x] = p.inside ? packed<Op>(p, l.side.n) : NO_CELL;
        own.f[x] = p.inside ? s.f[at] : 0.0;
        own.alpha[x] = p.inside && l.alpha ? l.alpha[at] : 0.0;
        own.dinv[x] = p.inside ? l.dinv[at] : 0.0;
        own.value[x] = p.inside && reads_u ? s.u[at] : 0.0;
    }
}

static __device__ void fetch_coarse(const struct tail_level &l, const struct tail_step &s,
                                    double *coarse)
{
    const int all = l.half.n * l.half.n * l.half.n;
    for (int x = threadIdx.x; x < all; x += TAIL_THREADS) {
        int i, j, k;
        cube_cell(x, l.half, &i, &j, &k);
        coarse[i + j * COARSE_SJ + k * COARSE_SK] =
            s.coarse_u[i + j * l.coarse_sj + k * l.coarse_sk];
    }
}

/* Exchanges the values that wait in `own` with those in the frame, in the cells of `colours` (bit 0
 * red, 1 black). */
template <class Op, int CELLS>
static __device__ __forceinline__ void swap_own(struct own_cells<CELLS> &own, int colours,
                                                double *store)
{
    double *u = frames<Op>::u(store);
#pragma unroll
    for (int x = 0; x < CELLS; x++) {
        if (!(colours >> x / (CELLS / 2) & 1) || own.cell[x] == NO_CELL)
            continue;
        const int at = element(own.cell[x]);
        const double old = u[at];
        u[at] = own.value[x];
        own.value[x] = old;
    }
}

/* All ghosts of the coarse frame, as many layers as the prolongation reads. */
static __device__ void extend_coarse(const struct tail_level &l, const struct tail_step &s,
                                     double *coarse)
{
    const int n = l.half.n, width = s.coarse_framed.n, layers = (width - n) / 2;
    const struct cells c = {{n, n, n}, {0, 0, 0}, 0,
                            COARSE_SJ, COARSE_SK, {{true, true}, {true, true}, {true, true}}};
    const struct wall_view view = {c, coarse, s.coarse_rule};
    for (int x = threadIdx.x; x < width * width * width; x += TAIL_THREADS) {
        int i, j, k;
        cube_cell(x, s.coarse_framed, &i, &j, &k);
        i -= layers;
        j -= layers;
        k -= layers;
        if (behind_wall(c, i, j, k))
            coarse[i + j * COARSE_SJ + k * COARSE_SK] = wall_value(view, i, j, k);
    }
}

/* u (+)= P coarse, each thread its cells. */
template <class Op, int CELLS, int REACH>
static __device__ void prolong_own(const struct tail_level &l, const struct tail_step &s,
                                   double *store)
{
    double *u = frames<Op>::u(store);
    const double *coarse = frames<Op>::coarse(store);
#pragma unroll 1
    for (int x = 0; x < CELLS; x++) {
        const struct place p = place_of<CELLS>(l, x);
        if (!p.inside)
            continue;
        double *to = u + element(packed<Op>(p, l.side.n));
        const double value = prolonged<REACH>(coarse, COARSE_SJ, COARSE_SK, p.i, p.j, p.k);
        *to = s.start == START_PROLONG_ADD ? *to + value : value;
    }
}

/* The pass's start: u in its frame, f and coefficients where sweeps want them. */
template <class Op, int CELLS>
static __device__ __forceinline__ void start(const struct tail_level &l, const struct tail_step &s,
                                             struct own_cells<CELLS> &own, double *store)
{
    const bool prolongs = s.start == START_PROLONG_SET || s.start == START_PROLONG_ADD;
    double *coarse = frames<Op>::coarse(store);
    if (l.beta_i && (s.nsweeps > 0 || s.restricts))
        fetch_beta<Op>(l, store);
    __pipeline_commit();
    fetch_own<Op, CELLS>(l, s, own);
    if (prolongs)
        fetch_coarse(l, s, coarse);
    swap_own<Op, CELLS>(own, 3, store);
    __pipeline_wait_prior(0);
    __syncthreads();
    if (!prolongs)
        return;
    extend_coarse(l, s, coarse);
    __syncthreads();
    if (Op::ORDER == 4 && s.prolongation == 4)
        prolong_own<Op, CELLS, 2>(l, s, store);
    else
        prolong_own<Op, CELLS, 1>(l, s, store);
    __syncthreads();
}

/* Ghosts that order 4 reads: two layers on the sides, each thread a line, … */
template <class Op>
static __device__ void fill_sides(const struct tail_level &l, double *u)
{
    const int n = l.side.n, rule = l.wall_rule;
    for (int x = threadIdx.x; x < 6 * n * n; x += TAIL_THREADS) {
        const int row = quotient(x, l.side), side = quotient(row, l.side);
        const int a = x - row * n, b = row - side * n, d = side / 2;
        const int normal = d == 0 ? 1 : d == 1 ? frames<Op>::SJ : frames<Op>::SK;
        double *cell =
            u + a * (d == 0 ? frames<Op>::SJ : 1) + b * (d == 2 ? frames<Op>::SJ : frames<Op>::SK);
        const int inward = side % 2 ? -normal : normal;
        if (side % 2)
            cell += (n - 1) * normal;
        double v[4];
#pragma unroll
        for (int m = 0; m < 4; m++)
            v[m] = m < rule ? cell[m * inward] : 0.0;
        cell[-inward] = extrapolate(v, rule, 0);
        cell[-2 * inward] = extrapolate(v, rule, 1);
    }
}

/* … and one on the edges, where the rule is applied along the lower direction first. */
template <class Op>
static __device__ void fill_edges(const struct tail_level &l, double *u)
{
    const int n = l.side.n, rule = l.wall_rule;
    for (int x = threadIdx.x; x < 12 * n; x += TAIL_THREADS) {
        const int edge = quotient(x, l.side), along = 2 - edge / 4;
        const int first = along == 0 ? frames<Op>::SJ : 1;
        const int second = along == 2 ? frames<Op>::SJ : frames<Op>::SK;
        const int in_first = edge & 1 ? -first : first, in_second = edge & 2 ? -second : second;
        double *cell = u + (x - edge * n) * (along == 0   ? 1
                                             : along == 1 ? frames<Op>::SJ
                                                          : frames<Op>::SK);
        cell += (edge & 1 ? (n - 1) * first : 0) + (edge & 2 ? (n - 1) * second : 0);
        double ghosts[4];
#pragma unroll
        for (int m = 0; m < 4; m++) {
            double v[4];
#pragma unroll
            for (int o = 0; o < 4; o++)
                v[o] = o < rule && m < rule ? cell[o * in_first + m * in_second] : 0.0;
            ghosts[m] = extrapolate(v, rule, 0);
        }
        cell[-in_first - in_second] = extrapolate(ghosts, rule, 0);
    }
}

/* The neighbours in one direction with ghosts in place of what lies beyond walls (bit 0 low, 1
 * high). Where both sides are walls the rule is linear, so the order does not matter. */
static __device__ __forceinline__ void fold_walls(unsigned walls, int rule, double here,
                                                  double *low, double *high)
{
    if (walls & 1)
        *low = rule == 2 ? wall_quadratic(here, *high) : wall_linear(here);
    if (walls & 2)
        *high = rule == 2 ? wall_quadratic(here, *low) : wall_linear(here);
}

/* f − A u at the cell of one slot, and u there. For order 2 the cell and its neighbours are
 * gathered first, as a field of seven values; no other cell reads their ghosts. */
template <class Op, int CELLS>
static __device__ __forceinline__ double residual_of(const struct tail_level &l,
                                                     const struct own_cells<CELLS> &own, int x,
                                                     double *store, double *here)
{
    enum { SJ = frames<Op>::SJ, SK = frames<Op>::SK };
    const unsigned cell = own.cell[x] == NO_CELL ? IDLE_CELL<Op> : own.cell[x];
    const double *u = frames<Op>::u(store) + element(cell);
    const double *bi = frames<Op>::beta(store) + element(cell >> ELEMENT_BITS);
    const double *bj = bi + BETA_LENGTH, *bk = bj + BETA_LENGTH;
    *here = u[0];
    if constexpr (Op::ORDER == 2) {
        double seven[7] = {u[-SK], u[-SJ], u[-1], u[0], u[1], u[SJ], u[SK]};
        const unsigned walls = cell >> 2 * ELEMENT_BITS;
        fold_walls(walls, l.wall_rule, seven[3], &seven[2], &seven[4]);
        fold_walls(walls >> 2, l.wall_rule, seven[3], &seven[1], &seven[5]);
        fold_walls(walls >> 4, l.wall_rule, seven[3], &seven[0], &seven[6]);
        return Op::residual_at(seven + 3, 2, 3, bi, bj, bk, BETA_SJ, BETA_SK, own.f[x],
                               own.alpha[x], l.scale);
    } else {
        return Op::residual_at(u, SJ, SK, bi, bj, bk, BETA_SJ, BETA_SK, own.f[x], own.alpha[x],
                               l.scale);
    }
}

static __device__ __forceinline__ double update(enum smoother smoother, const struct tail_level &l,
                                                int sweep, double u, double previous, double dinv,
                                                double r)
{
    switch (smoother) {
    case SMOOTHER_GSRB:
        return update_gauss_seidel(u, dinv, r);
    case SMOOTHER_CHEBYSHEV:
        return sweep > 0 ? update_chebyshev(u, previous, dinv, r, l.c1[sweep], l.c2[sweep])
                         : update_weighted(u, dinv, r, l.c2[0]);
    case SMOOTHER_JACOBI:
        return update_weighted(u, dinv, r, 2.0 / 3.0);
    case SMOOTHER_L1JACOBI:
        break;
    }
    return update_weighted(u, dinv, r, 1.0);
}

/* One sweep, or in its place the residual of all cells into the frame of u. All values are computed
 * before any is put there, so sweeps are out of place; only where colours are not coupled there is
 * nothing to wait for in between. */
template <class Op, int CELLS>
static __device__ __forceinline__ void sweep_own(const struct tail &t, const struct tail_level &l,
                                                 int sweep, bool residual,
                                                 struct own_cells<CELLS> &own, double *store)
{
    const bool coloured = t.smoother == SMOOTHER_GSRB && !residual;
    const int colours = coloured ? 1 << (sweep & 1) : 3;
    if (Op::ORDER == 4) {
        fill_sides<Op>(l, frames<Op>::u(store));
        fill_edges<Op>(l, frames<Op>::u(store));
        __syncthreads();
    }
#pragma unroll
    for (int x = 0; x < CELLS; x++) {
        if (!(colours >> x / (CELLS / 2) & 1))
            continue;
        double u = 0.0;
        const double r = residual_of<Op, CELLS>(l, own, x, store, &u);
        own.value[x] = residual ? r : update(t.smoother, l, sweep, u, own.value[x], own.dinv[x], r);
    }
    if (Op::ORDER == 4 || !coloured)
        __syncthreads();
    swap_own<Op, CELLS>(own, colours, store);
    __syncthreads();
}

template <class Op, int CELLS>
static __device__ void store_own(const struct tail_level &l, const struct tail_step &s,
                                 double *store)
{
    const double *u = frames<Op>::u(store);
#pragma unroll 1
    for (int x = 0; x < CELLS; x++) {
        const struct place p = place_of<CELLS>(l, x);
        if (p.inside)
            s.u[p.i + p.j * l.sj + p.k * l.sk] = u[element(packed<Op>(p, l.side.n))];
    }
}

/* coarse f = R fine */
static __device__ __forceinline__ void restrict_to(const struct tail_level &l,
                                                   const struct tail_step &s, const double *fine,
                                                   int sj, int sk)
{
    const int all = l.half.n * l.half.n * l.half.n;
    for (int x = threadIdx.x; x < all; x += TAIL_THREADS) {
        int i, j, k;
        cube_cell(x, l.half, &i, &j, &k);
        const double *p = fine + 2 * i + 2 * j * sj + 2 * k * sk;
        s.coarse_f[i + j * l.coarse_sj + k * l.coarse_sk] = restrict_cell(
            p[0] + p[1], p[sj] + p[sj + 1], p[sk] + p[sk + 1], p[sj + sk] + p[sj + sk + 1]);
    }
}

template <class Op, int CELLS>
static __device__ __forceinline__ void run_pass(const struct tail &t, const struct tail_step &s,
                                                double *store)
{
    const struct tail_level &l = t.levels[s.level];
    struct own_cells<CELLS> own;
    start<Op, CELLS>(l, s, own, store);
#pragma unroll 1
    for (int sweep = 0; sweep < s.nsweeps + s.restricts; sweep++) {
        if (sweep == s.nsweeps)
            store_own<Op, CELLS>(l, s, store);
        sweep_own<Op, CELLS>(t, l, sweep, sweep == s.nsweeps, own, store);
    }
    if (s.restricts)
        restrict_to(l, s, frames<Op>::u(store), frames<Op>::SJ, frames<Op>::SK);
    else
        store_own<Op, CELLS>(l, s, store);
}

/* True if a thread has at most FEWEST_CELLS cells. */
static __device__ bool few_cells(const struct tail_level &l)
{
    return l.half.n * l.side.n * l.side.n <= FEWEST_CELLS / 2 * TAIL_THREADS;
}

/* The bottom solver's fields, in the order of their frames. */
enum {
    BOTTOM_U,
    BOTTOM_TMP,
    BOTTOM_WORK,
    BOTTOM_F = BOTTOM_WORK + NUM_KRYLOV_FIELDS,
    BOTTOM_DINV,
    BOTTOM_ALPHA,
    BOTTOM_BETA_I,
    BOTTOM_BETA_J,
    BOTTOM_BETA_K,
    NUM_BOTTOM_FRAMES
};

/* u, f and the coefficients into frames in `store`, ghosts too. */
static __device__ void fetch_bottom(const struct bottom_work &w, double *store, int length)
{
    for (int x = threadIdx.x; x < length; x += TAIL_THREADS) {
        int i, j, k;
        cube_cell(x, w.framed, &i, &j, &k);
        const long at = i - w.ghosts + (j - w.ghosts) * w.c.sj + (k - w.ghosts) * w.c.sk;
        store[BOTTOM_U * length + x] = w.u[at];
        store[BOTTOM_F * length + x] = w.v.f[at];
        store[BOTTOM_DINV * length + x] = w.v.dinv[at];
        store[BOTTOM_ALPHA * length + x] = w.v.alpha[at];
        store[BOTTOM_BETA_I * length + x] = w.v.beta_i[at];
        store[BOTTOM_BETA_J * length + x] = w.v.beta_j[at];
        store[BOTTOM_BETA_K * length + x] = w.v.beta_k[at];
    }
}

/* Lets w work in the frames. */
static __device__ void enter_frames(struct bottom_work *w, double *store, int length)
{
    w->c.sj = w->v.sj = w->framed.n;
    w->c.sk = w->v.sk = w->framed.n * w->framed.n;
    double *cell = store + w->ghosts * (1 + w->c.sj + w->c.sk);
    w->u = cell + BOTTOM_U * length;
    w->tmp = cell + BOTTOM_TMP * length;
    for (int v = 0; v < NUM_KRYLOV_FIELDS; v++)
        w->work[v] = cell + (BOTTOM_WORK + v) * length;
    w->v.f = cell + BOTTOM_F * length;
    w->v.dinv = cell + BOTTOM_DINV * length;
    w->v.alpha = cell + BOTTOM_ALPHA * length;
    w->v.beta_i = cell + BOTTOM_BETA_I * length;
    w->v.beta_j = cell + BOTTOM_BETA_J * length;
    w->v.beta_k = cell + BOTTOM_BETA_K * length;
}

/* The bottom solve, in shared memory where all its fields fit there. */
template <class Op>
static __device__ void run_bottom(const struct bottom_work &given, double *store)
{
    __shared__ struct bottom_work w;
    __shared__ struct block_shared shared;
    const int length = given.framed.n * given.framed.n * given.framed.n;
    const bool framed = NUM_BOTTOM_FRAMES * length <= frames<Op>::LENGTH;
    if (framed)
        fetch_bottom(given, store, length);
    if (threadIdx.x == 0) {
        w = given;
        if (framed)
            enter_frames(&w, store, length);
    }
    __syncthreads();
    if (threadIdx.x < given.threads)
        solve_bottom<Op>(w, &shared);
    __syncthreads();
    const int cells = given.side.n * given.side.n * given.side.n;
    for (int x = threadIdx.x; x < cells && framed; x += TAIL_THREADS) {
        int i, j, k;
        cube_cell(x, given.side, &i, &j, &k);
        given.u[i + j * given.c.sj + k * given.c.sk] = w.u[i + j * w.c.sj + k * w.c.sk];
    }
}

template <class Op>
static __global__ void __launch_bounds__(TAIL_THREADS, 1)
    tail_kernel(const __grid_constant__ struct tail t)
{
    extern __shared__ double store[];
#pragma unroll 1
    for (int x = 0; x < t.count; x++) {
        const struct tail_step &s = t.steps[x];
        const struct tail_level &l = t.levels[s.level];
        if (s.kind == STEP_PASS && few_cells(l))
            run_pass<Op, FEWEST_CELLS>(t, s, store);
        else if (s.kind == STEP_PASS)
            run_pass<Op, MOST_CELLS>(t, s, store);
        else if (s.kind == STEP_RESTRICT)
            restrict_to(l, s, s.f, l.sj, l.sk);
        else
            run_bottom<Op>(t.bottom, store);
        __syncthreads();
    }
}

/* The list that is being made; levels[x] is of[x]. */
struct launch {
    struct tail tail;
    int nlevels;
    const struct level *of[MAX_TAIL_LEVELS];
};

template <class Op>
static void launch_kernel(const struct tail &tail)
{
    const size_t bytes = frames<Op>::LENGTH * sizeof(double);
    static bool prepared;
    if (!prepared)
        CUDA_CALL(cudaFuncSetAttribute(tail_kernel<Op>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       (int)bytes));
    prepared = true;
    tail_kernel<Op><<<1, TAIL_THREADS, bytes, cuda_stream()>>>(tail);
    CUDA_LAUNCHED();
}

/* Launches the list and begins a new one. */
static void flush(struct launch *x)
{
    if (x->tail.count > 0)
        with_operator(x->of[0]->stencil->choice,
                      [&](auto op) { launch_kernel<decltype(op)>(x->tail); });
    *x = {};
}

static const double *field_of(const struct level *l, enum field field)
{
    return l->fields[field] ? l->fields[field] + l->patches[0].offset : NULL;
}

static struct tail_level describe(const struct level *l)
{
    const struct stencil *s = l->stencil;
    struct tail_level t = {};
    t.sj = (int)l->patches[0].sj;
    t.sk = (int)l->patches[0].sk;
    t.wall_rule = s->wall_rule;
    t.side = divider_of(l->dim);
    t.half = divider_of((l->dim + 1) / 2);
    t.beta = divider_of(l->dim + (s->choice.order == 4 ? 2 : 1));
    t.scale = s->scale;
    t.dinv = field_of(l, FIELD_DINV);
    t.alpha = field_of(l, FIELD_ALPHA);
    t.beta_i = field_of(l, FIELD_BETA_I);
    t.beta_j = field_of(l, FIELD_BETA_J);
    t.beta_k = field_of(l, FIELD_BETA_K);
    for (int n = 0; n < SMOOTHER_SWEEPS; n++) {
        t.c1[n] = s->chebyshev_c1[n];
        t.c2[n] = s->chebyshev_c2[n];
    }
    return t;
}

/* The place of a level in the list, MAX_TAIL_LEVELS if it is not there and all places are taken. */
static int place_in(struct launch *x, const struct level *l)
{
    int place = 0;
    while (place < x->nlevels && x->of[place] != l)
        place++;
    if (place < x->nlevels || place == MAX_TAIL_LEVELS)
        return place;
    x->of[place] = l;
    x->tail.levels[place] = describe(l);
    x->tail.smoother = l->stencil->choice.smoother;
    x->nlevels++;
    return place;
}

static void add_coarse_side(struct tail_level *level, struct tail_step *step, const struct pass *p)
{
    const struct level *coarse = p->coarse;
    const long offset = coarse->patches[0].offset;
    level->coarse_sj = (int)coarse->patches[0].sj;
    level->coarse_sk = (int)coarse->patches[0].sk;
    step->coarse_rule = stencil_wall_rule(p->prolongation, coarse->dim);
    step->coarse_framed = divider_of(coarse->dim + p->prolongation / 2 * 2);
    step->coarse_u = coarse->fields[p->coarse_u] + offset;
    step->coarse_f = coarse->fields[p->coarse_f] + offset;
}

static void add_bottom(struct tail *tail, const struct step *step)
{
    const struct pass *p = &step->pass;
    const struct bottom_work w =
        bottom_open(p->level, p->u, p->f, step->reduction, step->max_iterations, step->singular);
    CHECK(!tail->bottom.u || (tail->bottom.u == w.u && tail->bottom.v.f == w.v.f));
    tail->bottom = w;
}

static void add(struct launch *x, const struct step *step)
{
    const struct pass *p = &step->pass;
    const long offset = p->level->patches[0].offset;
    if (x->tail.count == MAX_TAIL_STEPS || place_in(x, p->level) == MAX_TAIL_LEVELS)
        flush(x);
    const int level = place_in(x, p->level);
    struct tail_step *t = &x->tail.steps[x->tail.count++];
    t->kind = step->kind;
    t->level = level;
    t->start = p->start;
    t->prolongation = p->prolongation;
    t->nsweeps = p->nsweeps;
    t->restricts = p->finish == FINISH_RESTRICT;
    t->u = p->level->fields[p->u] + offset;
    t->f = p->level->fields[p->f] + offset;
    if (p->coarse)
        add_coarse_side(&x->tail.levels[level], t, p);
    if (step->kind == STEP_BOTTOM)
        add_bottom(&x->tail, step);
}

bool cuda_tail_level(const struct level *level)
{
    const int frame = level->stencil->choice.order == 4 ? (int)frames<op_fv4>::LENGTH
                                                        : (int)frames<op_fv2>::LENGTH;
    const size_t bytes =
        (size_t)frame * sizeof(double) + sizeof(struct bottom_work) + sizeof(struct block_shared);
    return bytes <= cuda_shared_bytes() && !level->connected && level->npatches == 1 &&
           level->dim <= TAIL_DIM;
}

bool cuda_step_fits(const struct step *step)
{
    const struct pass *p = &step->pass;
    if (!cuda_tail_level(p->level))
        return false;
    return step->kind != STEP_PASS ||
           ((p->nsweeps == 0 || (p->first_sweep == 0 && p->nsweeps % 2 == 0)) &&
            (p->finish == FINISH_NONE || p->finish == FINISH_RESTRICT));
}

void cuda_run_steps(const struct step *steps, int count)
{
    struct launch x = {};
    for (int s = 0; s < count; s++)
        add(&x, &steps[s]);
    flush(&x);
}
