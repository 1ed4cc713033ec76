/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_PASS_CUH
#define CUDA_PASS_CUH
/* Passes and the operations that they consist of. */
#include "cuda/core/operators.cuh"
extern "C" {
#include "operators/stencil.h"
}

/* One pass on one patch. Sweep s reads buffer[s & 1] and writes the other. */
struct work {
    const struct pass *pass;
    const struct stencil *s;
    struct cells c;
    struct view v; /* u is that of the next operation */
    double *buffer[2];
    int parity; /* of the global index of cell (0,0,0) */
};

struct work cuda_open_work(const struct pass *pass, int q);

/* Dirichlet ghosts of the field that sweep number `sweep` reads, which becomes v.u. */
void cuda_fill_walls(struct work &w, int sweep);

/* Gives a kernel what all fused ones have of the operator and the right-hand side. */
template <class Kernel>
void set_operator(Kernel &kernel, const struct work &w)
{
    kernel.f = w.v.f;
    kernel.alpha = w.pass->level->fields[FIELD_ALPHA] ? w.v.alpha : NULL;
    kernel.beta_i = w.v.beta_i;
    kernel.beta_j = w.v.beta_j;
    kernel.beta_k = w.v.beta_k;
    kernel.scale = w.v.scale;
}

/* Where the restricted residual of the pass on patch q goes: its cell (0,0,0), and the strides. */
template <class Kernel>
void set_coarse(Kernel &kernel, const struct pass *pass, int q)
{
    const struct patch *coarse = &pass->coarse->patches[q];
    kernel.coarse = pass->coarse->fields[pass->coarse_f] + coarse->offset;
    kernel.coarse_sj = coarse->sj;
    kernel.coarse_sk = coarse->sk;
}

/* True if a fused kernel of this order may run the pass's sweeps: red and black half-sweeps in
 * turns of the operator with variable coefficients, on a level where u and FIELD_TMP may be
 * exchanged. The tail kernel's levels are none of these: it does not exchange the fields. */
bool fuses_red_black(const struct pass *pass, int order);
void exchange_buffers(const struct pass *pass);

/* The operations as one kernel each, any operator: the readable baseline that tuned kernels must
 * equal bit for bit. `extent` is how many layers beyond sides without a wall they work on. Sweeps
 * and finishes want v.u with its ghosts. */
void baseline_start(const struct work &w, int q, int extent);
void baseline_sweep(const struct work &w, int sweep, int extent);
void baseline_finish(const struct work &w, int q);

/* The whole pass on every patch by the kernels of the row `generic`. */
void cuda_run_baseline(const struct pass *pass);

#endif
