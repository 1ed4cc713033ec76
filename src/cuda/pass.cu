/* A pass as one kernel per operation: the readable baseline that tuned kernels must equal bit for
 * bit. Passes that a tuned kernel can do go there. */
#include <vector>
#include "cuda/operators.cuh"
#include "cuda/pair_fv2.cuh"
#include "cuda/transfers.cuh"
#include "operators/sum.h"

/* One pass on one patch. Sweep s reads buffer[s & 1] and writes the other. */
struct work {
    const struct pass *pass;
    const struct stencil *s;
    struct cells c;
    struct view v;
    double *buffer[2];
    int parity; /* of the global index of cell (0,0,0) */
};

static struct work open_work(const struct pass *pass, int q)
{
    const struct level *l = pass->level;
    struct work w = {pass, l->stencil, cells_of(&l->patches[q])};
    const long o = w.c.offset;
    w.buffer[0] = l->fields[pass->u] + o;
    w.buffer[1] = l->stencil->in_place ? w.buffer[0] : l->fields[FIELD_TMP] + o;
    w.v.f = w.v.alpha = w.v.beta_i = w.v.beta_j = w.v.beta_k = l->fields[pass->f] + o;
    w.v.dinv = l->fields[FIELD_DINV] + o;
    if (l->fields[FIELD_ALPHA])
        w.v.alpha = l->fields[FIELD_ALPHA] + o;
    if (l->fields[FIELD_BETA_I]) {
        w.v.beta_i = l->fields[FIELD_BETA_I] + o;
        w.v.beta_j = l->fields[FIELD_BETA_J] + o;
        w.v.beta_k = l->fields[FIELD_BETA_K] + o;
    }
    w.v.sj = w.c.sj;
    w.v.sk = w.c.sk;
    w.v.scale = l->stencil->scale;
    w.parity = (w.c.lo[0] + w.c.lo[1] + w.c.lo[2]) & 1;
    return w;
}

/* Calls f(i,j,k) for the patch and `extent` layers beyond its sides that are no wall. */
template <class F>
static void for_extended(const struct cells &c, int extent, F f)
{
    int low[3], n[3];
    for (int d = 0; d < 3; d++) {
        low[d] = c.wall[d][0] ? 0 : -extent;
        n[d] = c.n[d] - low[d] + (c.wall[d][1] ? 0 : extent);
    }
    const int l0 = low[0], l1 = low[1], l2 = low[2];
    for_cells(n[0], n[1], n[2], [=] __device__(int i, int j, int k) { f(i + l0, j + l1, k + l2); });
}

/* Ghosts of the field that sweep number `sweep` reads. */
static void fill_walls(struct work &w, int sweep)
{
    cuda_walls(w.c, w.buffer[sweep & 1], w.s->wall_rule, w.s->radius, w.pass->level->ghosts);
    w.v.u = w.buffer[sweep & 1];
}

template <class Op>
static void sweep_gauss_seidel(const struct work &w, int sweep, int extent)
{
    const struct view v = w.v;
    double *out = w.buffer[(sweep + 1) & 1];
    const int colour = (w.parity + sweep) & 1;
    for_extended(w.c, extent, [=] __device__(int i, int j, int k) {
        const long at = i + j * v.sj + k * v.sk;
        if ((i + j + k + colour) & 1) {
            if (out != v.u)
                out[at] = v.u[at];
        } else {
            out[at] = update_gauss_seidel(v.u[at], v.dinv[at], Op::residual(v, at));
        }
    });
}

template <class Op>
static void sweep_weighted(const struct work &w, int sweep, int extent, double weight)
{
    const struct view v = w.v;
    double *out = w.buffer[(sweep + 1) & 1];
    for_extended(w.c, extent, [=] __device__(int i, int j, int k) {
        const long at = i + j * v.sj + k * v.sk;
        out[at] = update_weighted(v.u[at], v.dinv[at], Op::residual(v, at), weight);
    });
}

template <class Op>
static void sweep_chebyshev(const struct work &w, int sweep, int extent)
{
    const struct view v = w.v;
    double *out = w.buffer[(sweep + 1) & 1];
    const double c1 = w.s->chebyshev_c1[sweep], c2 = w.s->chebyshev_c2[sweep];
    for_extended(w.c, extent, [=] __device__(int i, int j, int k) {
        const long at = i + j * v.sj + k * v.sk;
        out[at] = update_chebyshev(v.u[at], out[at], v.dinv[at], Op::residual(v, at), c1, c2);
    });
}

template <class Op>
static void sweep_once(struct work &w, int sweep, int extent)
{
    fill_walls(w, sweep);
    switch (w.s->choice.smoother) {
    case SMOOTHER_GSRB:
        sweep_gauss_seidel<Op>(w, sweep, extent);
        return;
    case SMOOTHER_CHEBYSHEV:
        if (sweep > 0)
            sweep_chebyshev<Op>(w, sweep, extent);
        else
            sweep_weighted<Op>(w, sweep, extent, w.s->chebyshev_c2[0]);
        return;
    case SMOOTHER_JACOBI:
        sweep_weighted<Op>(w, sweep, extent, 2.0 / 3.0);
        return;
    case SMOOTHER_L1JACOBI:
        sweep_weighted<Op>(w, sweep, extent, 1.0);
        return;
    }
}

template <class Op>
static void finish_store(const struct work &w)
{
    const struct view v = w.v;
    double *out = w.pass->level->fields[w.pass->residual] + w.c.offset;
    for_cells(w.c.n[0], w.c.n[1], w.c.n[2], [=] __device__(int i, int j, int k) {
        const long at = i + j * v.sj + k * v.sk;
        out[at] = Op::residual(v, at);
    });
}

template <class Op>
static void finish_restrict(const struct work &w, int q)
{
    const struct view v = w.v;
    const struct cells c = cells_of(&w.pass->coarse->patches[q]);
    double *out = w.pass->coarse->fields[w.pass->coarse_f] + c.offset;
    for_cells(c.n[0], c.n[1], c.n[2], [=] __device__(int i, int j, int k) {
        double pair[4];
        for (int row = 0; row < 4; row++) {
            const long at = 2 * i + (2 * j + (row & 1)) * v.sj + (2 * k + (row >> 1)) * v.sk;
            pair[row] = Op::residual(v, at) + Op::residual(v, at + 1);
        }
        out[i + j * c.sj + k * c.sk] = restrict_cell(pair[0], pair[1], pair[2], pair[3]);
    });
}

template <class Op>
static __global__ void __launch_bounds__(256)
    norm_kernel(struct view v, int n0, int n1, int n2, unsigned long long *norm)
{
    const long cells = (long)n0 * n1 * n2;
    unsigned long long largest = 0;
    for (long x = (long)blockIdx.x * blockDim.x + threadIdx.x; x < cells;
         x += (long)gridDim.x * blockDim.x) {
        const long at = x % n0 + x / n0 % n1 * v.sj + x / n0 / n1 * v.sk;
        const unsigned long long bits = magnitude_bits(Op::residual(v, at));
        largest = bits > largest ? bits : largest;
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        const unsigned long long other = __shfl_down_sync(0xffffffffu, largest, lanes);
        largest = other > largest ? other : largest;
    }
    if (threadIdx.x % 32 == 0)
        atomicMax(norm, largest);
}

/* Where the norm of a pass arrives: a word of device memory, copied to a word of the host's that is
 * read once the stream is idle. One slot per target, for good, since a recorded pass delivers again
 * at every replay. */
struct norm_slot {
    uint64_t *target;
    unsigned long long *on_device, *on_host;
};
static std::vector<norm_slot> norm_slots;

static const norm_slot &slot_of(uint64_t *target)
{
    for (const norm_slot &slot : norm_slots)
        if (slot.target == target)
            return slot;
    norm_slot slot = {target};
    slot.on_device = (unsigned long long *)cuda_allocate_bytes(sizeof *slot.on_device, "a norm");
    CUDA_CALL(cudaHostAlloc((void **)&slot.on_host, sizeof *slot.on_host, cudaHostAllocDefault));
    *slot.on_host = 0;
    norm_slots.push_back(slot);
    return norm_slots.back();
}

void cuda_deliver_norms()
{
    for (const norm_slot &slot : norm_slots) {
        if (*slot.on_host == 0)
            continue;
        *slot.target = *slot.on_host > *slot.target ? *slot.on_host : *slot.target;
        *slot.on_host = 0;
    }
}

template <class Op>
static void finish_norm(const struct work &w)
{
    const norm_slot &slot = slot_of(w.pass->norm);
    CUDA_CALL(cudaMemsetAsync(slot.on_device, 0, sizeof *slot.on_device, cuda_stream()));
    norm_kernel<Op>
        <<<1056, 256, 0, cuda_stream()>>>(w.v, w.c.n[0], w.c.n[1], w.c.n[2], slot.on_device);
    CUDA_LAUNCHED();
    CUDA_CALL(cudaMemcpyAsync(slot.on_host, slot.on_device, sizeof *slot.on_host,
                              cudaMemcpyDeviceToHost, cuda_stream()));
    if (cuda_recording())
        return;
    cuda_synchronise();
    cuda_deliver_norms();
}

template <int REACH>
static void prolong(const struct work &w, int q, bool add)
{
    const struct cells c = cells_of(&w.pass->coarse->patches[q]);
    const double *coarse = w.pass->coarse->fields[w.pass->coarse_u] + c.offset;
    double *u = w.buffer[0];
    const long sj = w.c.sj, sk = w.c.sk;
    for_cells(w.c.n[0], w.c.n[1], w.c.n[2], [=] __device__(int i, int j, int k) {
        const long at = i + j * sj + k * sk;
        const double value = prolonged<REACH>(coarse, c.sj, c.sk, i, j, k);
        u[at] = add ? u[at] + value : value;
    });
}

static void start(const struct work &w, int q, int extent)
{
    double *u = w.buffer[0];
    const long sj = w.c.sj, sk = w.c.sk;
    switch (w.pass->start) {
    case START_KEEP:
        return;
    case START_ZERO:
        for_extended(w.c, extent,
                     [=] __device__(int i, int j, int k) { u[i + j * sj + k * sk] = 0.0; });
        return;
    case START_PROLONG_SET:
    case START_PROLONG_ADD:
        if (w.pass->prolongation == 4)
            prolong<2>(w, q, w.pass->start == START_PROLONG_ADD);
        else
            prolong<1>(w, q, w.pass->start == START_PROLONG_ADD);
        return;
    }
}

template <class Op>
static void finish(struct work &w, int q)
{
    if (w.pass->finish == FINISH_NONE)
        return;
    fill_walls(w, w.pass->first_sweep + w.pass->nsweeps);
    if (w.pass->finish == FINISH_RESTRICT)
        finish_restrict<Op>(w, q);
    else if (w.pass->finish == FINISH_NORM)
        finish_norm<Op>(w);
    else
        finish_store<Op>(w);
}

int cuda_sweeps_per_halo(const struct level *level)
{
    if (level->periodic && level->dim % 2) /* see cpu_sweeps_per_halo */
        return 1;
    return level->ghosts / level->stencil->radius;
}

/* All sweeps of the pass by fused red-black kernels, which work out of place: u and FIELD_TMP
 * change places after each. */
static void sweep_by_pairs(const struct pass *pass)
{
    struct level *l = pass->level;
    const long offset = l->patches[0].offset;
    double *const *fields = l->fields;
    for (int sweep = 0; sweep < pass->nsweeps; sweep += 2) {
        struct pair_fv2 pair = {cells_of(&l->patches[0])};
        pair.in = fields[pass->u] + offset;
        pair.out = fields[FIELD_TMP] + offset;
        pair.f = fields[pass->f] + offset;
        pair.alpha = fields[FIELD_ALPHA] ? fields[FIELD_ALPHA] + offset : NULL;
        pair.dinv = fields[FIELD_DINV] + offset;
        pair.beta_i = fields[FIELD_BETA_I] + offset;
        pair.beta_j = fields[FIELD_BETA_J] + offset;
        pair.beta_k = fields[FIELD_BETA_K] + offset;
        pair.scale = l->stencil->scale;
        pair.zero_guess = sweep == 0 && pass->start == START_ZERO;
        cuda_pair_fv2(pair);
        double *swapped = l->fields[pass->u];
        l->fields[pass->u] = l->fields[FIELD_TMP];
        l->fields[FIELD_TMP] = swapped;
    }
}

/* The pass on patch q by one kernel per operation. */
static void run_plainly(const struct pass *pass, int q, int nsweeps)
{
    const struct level *l = pass->level;
    struct work w = open_work(pass, q);
    const int operations = nsweeps + (pass->finish != FINISH_NONE);
    if (nsweeps == pass->nsweeps)
        start(w, q, l->connected ? operations * l->stencil->radius : 0);
    with_operator(l->stencil->choice, [&](auto op) {
        for (int sweep = 0; sweep < nsweeps; sweep++)
            sweep_once<decltype(op)>(w, pass->first_sweep + sweep,
                                     l->connected ? (operations - 1 - sweep) * l->stencil->radius
                                                  : 0);
        finish<decltype(op)>(w, q);
    });
}

void cuda_run(const struct pass *pass)
{
    struct level *l = pass->level;
    const struct step step = {STEP_PASS, *pass};
    if (cuda_step_fits(&step)) {
        cuda_run_steps(&step, 1);
        return;
    }
    const bool fused = pass->nsweeps > 0 && pass->nsweeps % 2 == 0 && pass->first_sweep % 2 == 0 &&
                       !cuda_tail_level(l) && cuda_pair_fv2_fits(l);
    if (pass->start == START_PROLONG_SET || pass->start == START_PROLONG_ADD)
        cuda_walls_fill(pass->coarse, pass->coarse->fields[pass->coarse_u],
                        stencil_wall_rule(pass->prolongation, pass->coarse->dim),
                        pass->prolongation / 2);
    if (fused) {
        if (pass->start != START_ZERO)
            start(open_work(pass, 0), 0, 0);
        sweep_by_pairs(pass);
    }
    for (int q = 0; q < l->npatches; q++)
        run_plainly(pass, q, fused ? 0 : pass->nsweeps);
}

/* to = A x = −(0 − A x), with `to` as the right-hand side 0. */
template <class Op>
static void apply(const struct work &w, double *to)
{
    const struct view v = w.v;
    for_cells(w.c.n[0], w.c.n[1], w.c.n[2],
              [=] __device__(int i, int j, int k) { to[i + j * v.sj + k * v.sk] = 0.0; });
    for_cells(w.c.n[0], w.c.n[1], w.c.n[2], [=] __device__(int i, int j, int k) {
        const long at = i + j * v.sj + k * v.sk;
        to[at] = -Op::residual(v, at);
    });
}

void cuda_apply(struct level *level, enum field out, enum field x)
{
    cuda_walls_fill(level, level->fields[x], level->stencil->wall_rule, level->stencil->radius);
    for (int q = 0; q < level->npatches; q++) {
        struct pass pass = {};
        pass.level = level;
        pass.u = x;
        pass.f = out;
        struct work w = open_work(&pass, q);
        w.v.u = w.buffer[0];
        with_operator(level->stencil->choice,
                      [&](auto op) { apply<decltype(op)>(w, level->fields[out] + w.c.offset); });
    }
}
