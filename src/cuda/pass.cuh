/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Passes and the operations that they consist of. */
#include "cuda/core/operators.cuh"
#include "level/ghosts.h"
#include "operators/pass.h"

/* One pass on one patch. Sweep s reads buffer[s & 1] and writes the other. */
struct patch_launch {
    const struct pass *pass;
    const struct stencil *s;
    int q; /* the patch's number */
    struct cells c;
    struct view v; /* u is that of the next operation */
    real *buffer[2];
    int parity; /* of the global index of cell (0,0,0) */
};

struct patch_launch cuda_open_work(const struct pass *pass, int q);
/* Patch q with this right-hand side; u is not set. */
struct view cuda_view(const struct level *l, int q, enum field f);

/* Ghosts behind walls and wrapped ones of the field that sweep number `sweep` reads, which becomes
 * v.u. */
void cuda_fill_walls(struct patch_launch &w, int sweep);

/* The ghosts that the first operation of the pass reads, but for halos, on all patches. */
void cuda_fill_ghosts(const struct pass *pass);

/* Gives a kernel where it stores the restricted residual of the pass on patch q: cell (0,0,0), and
 * the strides. */
template <class Kernel>
void set_coarse(Kernel &kernel, const struct pass *pass, int q)
{
    const struct patch *coarse = &pass->coarse->patches[q];
    kernel.coarse = pass->coarse->fields[pass->coarse_f] + coarse->offset;
    kernel.coarse_sj = coarse->sj;
    kernel.coarse_sk = coarse->sk;
}

/* Levels in double precision may be corrected, the others are not: their kernels have no variant
 * for it. */
static constexpr bool MAY_BE_CORRECTED = sizeof(real) == sizeof(double);
/* Patch q of the level's correction level: its f for residuals, or its u for corrections. */
struct correction_cells cuda_defect(const struct level *l, int q);
struct correction_cells cuda_correction(const struct level *l, int q);

/* True if the pass's sweeps are red and black half-sweeps in turns, on a level where kernels may
 * swap u and FIELD_TMP. */
bool alternates_colours(const struct pass *pass);
/* True if also each red one has its black one. */
bool fuses_red_black(const struct pass *pass);
/* True for levels whose passes are mostly steps of the tail kernel. No kernel may swap u and
 * FIELD_TMP there: the tail kernel does not, so over a cycle u would not come back. */
bool cuda_tail_level(const struct level *level);

/* The residual norm of a pass. Kernels raise this word of device memory to it. After the last of
 * them cuda_fetch_norm takes the norm to the host and raises *norm to it; of work that is recorded,
 * the replay raises its own *norm. */
unsigned long long *cuda_norm_word();
void cuda_fetch_norm(uint64_t *norm);
/* *norm = max(*norm, last norm copied to the host). The stream must be idle. */
void cuda_deliver_norm(uint64_t *norm);
void cuda_release_norm();

/* Stores the ghosts of the list around one patch. x points at the field's cell (0,0,0). Ghosts that
 * follow from halos belong to the boundary region. */
void cuda_store_ghosts(const struct cells &c, real *x, const struct ghost_list &list,
                       const struct wall_weights &walls, enum pass_region region);
/* One layer of ghosts beyond the ends of wrapped directions, without those on edges. */
void cuda_wrap_sides(const struct cells &c, real *x);
void cuda_fill_level_ghosts(const struct level *level, real *field,
                            const struct wall_weights &walls, enum ghost_shape shape);

/* u (+)= P coarse_u of the pass on patch q, and on even_layers(layers) of ghosts beyond open sides;
 * the coarse ghosts must be there. u is at cell (0,0,0). */
void cuda_prolong(const struct pass *pass, int q, real *u, int layers);

/* The operations as one kernel each, any operator: the readable baseline that tuned kernels must
 * equal bit for bit. `extent` is how many layers beyond open sides they work on. Sweeps
 * and finishes want v.u with its ghosts. */
void baseline_start(const struct patch_launch &w, int q, int extent);
void baseline_sweep(const struct patch_launch &w, int sweep, int extent);
void baseline_finish(const struct patch_launch &w, int q);
/* Those between a level and its correction level in single precision. */
void baseline_correct(const struct patch_launch &w, int q);
void baseline_defect(const struct patch_launch &w, int q);
