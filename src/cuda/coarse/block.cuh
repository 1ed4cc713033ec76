/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_BLOCK_CUH
#define CUDA_COARSE_BLOCK_CUH
/* What a block of the tail's kernel has in shared memory, and the kernel's launch. */
#include "cuda/coarse/bottom.cuh"
#include "cuda/coarse/pass.cuh"

/* The shared memory of a block: of one that has bricks, or of the one that has the solo levels. */
template <class Op>
struct tail_block {
    struct tail tail; /* the kernel's parameters; see take_parameters */
    union {
        frames<Op> brick;
        solo<Op> levels;
    };
};

/* True if a thread has at most FEWEST_CELLS cells of a brick. */
inline __host__ __device__ bool few_cells(const struct tail_level &l)
{
    return l.half.n * l.side.n * l.depth <= FEWEST_CELLS / 2 * TAIL_THREADS;
}

/* Launches the list with so many blocks. Each operator's is compiled in
 * one of tail_fv*.cu. */
template <class Op>
void tail_launch(const struct tail &tail, int blocks);

#endif
