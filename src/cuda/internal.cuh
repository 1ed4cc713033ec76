/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_INTERNAL_CUH
#define CUDA_INTERNAL_CUH
/* Inside the CUDA backend: checked calls, the stream, launches over cells, and the entries of the
 * pass table. */
#include <cuda_runtime.h>
#include <cstdint>
#include "cuda/core/cells.cuh"
#include "cuda/device_limits.h"
extern "C" {
#include "base/check.h"
#include "level/backend.h"
#include "operators/passes.h"
}

/* Every CUDA call is checked; a failure ends the job with the call and CUDA's text. */
void cuda_check(cudaError_t error, const char *call, const char *file, int line);
#define CUDA_CALL(call) cuda_check((call), #call, __FILE__, __LINE__)
/* After a launch. */
#define CUDA_LAUNCHED() cuda_check(cudaGetLastError(), "kernel launch", __FILE__, __LINE__)

/* The stream of all work of the backend, in order: the first one, or beside it (backend.h, branch)
 * a second one. */
cudaStream_t cuda_stream();
void cuda_synchronise(); /* with that one */
/* Work on the second stream, from the latter call on, waits for what the first had at the former.
 */
void cuda_inner_prepared();
void cuda_await_inner_prepared();
int cuda_multiprocessors();
/* What the GPU has, or what HPGMG_DEVICE_LIMITS lowers it to. */
const struct device_limits *cuda_limits();

/* Marks of backend.h: events on the stream, of which there are as many as have been asked for. */
void cuda_mark(int number);
double cuda_seconds_between(int from, int to);
void cuda_release_marks();

/* True while work is being recorded: nothing may wait for the device then. */
bool cuda_recording();
/* Adds the norms that passes have left on the device to where the passes want them; the stream must
 * be idle. */
void cuda_deliver_norms();
/* A word of device memory, to be raised to the norm that is to arrive at target; and its way there,
 * once all patches have raised it. */
unsigned long long *cuda_norm_word(uint64_t *target);
void cuda_fetch_norm(uint64_t *target);

/* Device memory with the ledger of cuda.h; dies with STATUS_MEMORY if there is none. */
void *cuda_allocate_bytes(size_t bytes, const char *what);
void cuda_release_bytes(void *block);

struct cells cells_of(const struct patch *p);
/* Whether all patches of the level have an even number of cells in every direction. */
bool cuda_even_patches(const struct level *level);

/* Calls f(i,j,k) for 0 <= i < n[0], …; one thread a cell. */
template <class F>
__global__ void __launch_bounds__(256) for_cells_kernel(int n0, int n1, int n2, F f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
              k = blockIdx.z;
    if (i < n0 && j < n1)
        f(i, j, k);
}

template <class F>
void for_cells(int n0, int n1, int n2, F f)
{
    if (n0 <= 0 || n1 <= 0 || n2 <= 0)
        return;
    const dim3 block(64, 4), grid((n0 + 63) / 64, (n1 + 3) / 4, n2);
    for_cells_kernel<<<grid, block, 0, cuda_stream()>>>(n0, n1, n2, f);
    CUDA_LAUNCHED();
}

/* Calls f(x) for 0 <= x < n. */
template <class F>
__global__ void __launch_bounds__(256) for_range_kernel(long n, F f)
{
    const long x = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (x < n)
        f(x);
}

template <class F>
void for_range(long n, F f)
{
    if (n <= 0)
        return;
    for_range_kernel<<<(unsigned)((n + 255) / 256), 256, 0, cuda_stream()>>>(n, f);
    CUDA_LAUNCHED();
}

/* How many planes a block of a marching kernel should do: `tuned`, or where that is 0 an even
 * number between the bounds, where one block a multiprocessor runs, each takes `extra` steps more
 * than it has planes, and there are `tiles` in a plane: so many that all blocks are done soonest.
 */
int cuda_choose_planes(int tuned, int n2, int tiles, int least, int most, int extra);

/* Dirichlet ghosts of one patch, `layers` deep by `rule`. x points at the field's cell (0,0,0).
 * Those beyond a side without a wall too, by the halo there, are the outer part. */
void cuda_walls(const struct cells &c, double *x, int rule, int layers, int ghosts,
                enum pass_part part);
/* Those that the stencils read, of a patch with walls on all sides: `layers` deep on its sides, and
 * where that is 2, one deep on its edges. */
void cuda_walls_star(const struct cells &c, double *x, int rule, int layers);
void cuda_walls_fill(const struct level *level, double *field, int rule, int layers);

/* The entries of the pass table. */
void cuda_run(const struct pass *pass);
bool cuda_splits(const struct pass *pass);
double cuda_bytes(const struct pass *pass);
void cuda_kernels(const struct pass *pass, char *text, int size);
void cuda_fill_fv(const struct level *level, const struct fv_tables *tables);
void cuda_restrict_cells(const struct level *fine, enum field from, struct level *coarse,
                         enum field to);
void cuda_restrict_face(const struct level *fine, struct level *coarse, int direction);
/* u (+)= P coarse_u of the pass on patch q, and on an even number of layers of ghosts beyond sides
 * without a wall; the coarse ghosts must be there. u is at cell (0,0,0). */
void cuda_prolong(const struct pass *pass, int q, double *u, int extent);
void cuda_extrapolate_beta(struct level *level);
void cuda_diagonal(struct level *level, uint64_t *lambda_max);
void cuda_apply(struct level *level, enum field out, enum field x);
void cuda_combine(struct level *level, enum field z, double a, enum field x, double b,
                  enum field y);
void cuda_multiply(struct level *level, enum field z, enum field x, enum field y);
void cuda_add_constant(struct level *level, enum field x, double c);
void cuda_subtract_mean(struct level *level, enum field x);
uint64_t cuda_norm(const struct level *level, enum field x);
uint64_t cuda_product_norm(const struct level *level, enum field x, enum field y);
void cuda_product_digits(const struct level *level, enum field x, enum field y, int exponent,
                         int64_t digits[3]);
uint64_t cuda_checksum(const struct level *level, enum field x);
void cuda_bottom_solve(struct level *level, enum field u, enum field f, double reduction,
                       int max_iterations, bool singular);
void cuda_bottom_counts(struct bottom_counts *counts);
/* True for levels whose passes are mostly steps of the tail kernel. That one leaves u where it is,
 * so no pass on such a level may change u and FIELD_TMP: over a cycle u would end elsewhere than it
 * began, and a recorded cycle would begin again where it began. */
bool cuda_tail_level(const struct level *level);
bool cuda_step_fits(const struct step *step);
void cuda_run_steps(const struct step *steps, int count);
void cuda_tail_close();

#endif
