#ifndef CUDA_PASS_CUH
#define CUDA_PASS_CUH
/* Passes and the operations that they consist of. */
#include "cuda/operators.cuh"
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

/* The operations as one kernel each, any operator: the readable baseline that tuned kernels must
 * equal bit for bit. `extent` is how many layers beyond sides without a wall they work on. Sweeps
 * and finishes want v.u with its ghosts. */
void baseline_start(const struct work &w, int q, int extent);
void baseline_sweep(const struct work &w, int sweep, int extent);
void baseline_finish(const struct work &w, int q);

/* The whole pass on every patch by the baseline. */
void cuda_run_baseline(const struct pass *pass);

#endif
