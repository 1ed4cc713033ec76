/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_KERNEL_CUH
#define CUDA_COARSE_KERNEL_CUH
/* The tail's kernel: a block goes through the list of steps and does its part of each. */
#include "cuda/coarse/block.cuh"

/* Copies the parameters to shared memory. Levels and steps are found by an index, and to read a
 * parameter by an index takes three times as long as to read shared memory. */
static __device__ void take_parameters(const struct tail &t, struct tail *copy)
{
    static_assert(sizeof t % sizeof(double) == 0 && alignof(struct tail) == alignof(double), "");
    const double *from = hidden((const double *)&t); /* see fences.cuh */
    double *to = (double *)copy;
    for (int x = threadIdx.x; x < (int)(sizeof t / sizeof *to); x += TAIL_THREADS)
        to[x] = from[x];
    __syncthreads();
}

template <class Op, class Team>
static __device__ __forceinline__ void solo_step_by(const struct tail &t,
                                                    const struct tail_step &step, solo<Op> &s)
{
    if (threadIdx.x >= Team::THREADS)
        return;
    meet<Team::THREADS>(); /* a smaller team may have worked on what is read now */
    solo_step<Op, Team>(t, step, s);
}

/* One warp, with as many lanes a cell as it has. */
template <class Op>
static __device__ __forceinline__ void
solo_bottom_by_warp(const struct tail &t, const struct tail_step &step, solo<Op> &s)
{
    using small = typename solo_teams<Op>::small;
    using single = solo_team<Op, 32, SOLO_NARROW, 1, wall_rules<2>>; /* 3 cells a side */
    if (threadIdx.x >= 32)
        return;
    constexpr int MOST = solo_teams<Op>::SMALL_DIM;
    if (MOST >= SOLO_BOTTOM_DIM || t.levels[step.level].n <= MOST)
        solo_bottom<Op, small>(t.bottom, t, step, s);
    else
        solo_bottom<Op, single>(t.bottom, t, step, s);
}

/* A step as the solo levels' block has it: in registers, of which order 4 has none left for it. */
template <class Op>
using held_step =
    std::conditional_t<Op::ORDER == 4, const struct tail_step &, const struct tail_step>;

/* One step, by the block that has the solo levels; other threads than the team's go on. */
template <class Op>
static __device__ __forceinline__ void run_solo_step(const struct tail &t,
                                                     const struct tail_step &listed, solo<Op> &s)
{
    held_step<Op> step = listed;
    using teams = solo_teams<Op>;
    const int n = t.levels[step.level].n;
    if (step.kind == STEP_BOTTOM)
        solo_bottom_by_warp<Op>(t, step, s);
    else if (n <= teams::SMALL_DIM)
        solo_step_by<Op, typename teams::small>(t, step, s);
    else if (teams::SMALL_DIM < teams::MEDIUM_DIM && n <= teams::MEDIUM_DIM) /* order 4 */
        solo_step_by<Op, typename teams::medium>(t, step, s);
    else
        solo_step_by<Op, typename teams::large>(t, step, s);
}

/* What a block that has a brick of the step's level does. */
template <class Op>
static __device__ __forceinline__ void run_step(const struct tail &t, const struct tail_step &step,
                                                frames<Op> &s)
{
    const struct tail_level &l = t.levels[step.level];
    if (step.kind == STEP_PASS && few_cells(l)) {
        run_pass<Op, FEWEST_CELLS>(t, step, s);
    } else if (step.kind == STEP_PASS) {
        run_pass<Op, MOST_CELLS>(t, step, s);
    } else {
        const struct brick b = brick_of(l);
        restrict_to(l, b, step, step.f + b.at, l.sj, l.sk);
    }
}

template <class Op>
static __global__ void __launch_bounds__(TAIL_THREADS, 1)
    tail_kernel(const __grid_constant__ struct tail t)
{
    extern __shared__ __align__(16) double store[];
    tail_block<Op> &block = *reinterpret_cast<tail_block<Op> *>(store);
    const struct tail &tail = block.tail;
    const bool has_solo = (int)blockIdx.x == t.solo_block;
    open_barrier();
    take_parameters(t, &block.tail);
    if (!has_solo)
        open_lists<Op>(block.brick);
    if (gridDim.x > 1)
        wait_for_all_blocks(); /* so that exchanges of this launch have numbers of their own */
    if (has_solo)
        open_solo<Op>(tail, block.levels);
#pragma unroll 1
    for (int x = 0; x < t.count; x++) {
        const struct tail_step &step = tail.steps[x];
        const int nbricks = tail.levels[step.level].nbricks;
        if (step.waits)
            wait_for_all_blocks();
        if (has_solo && x == tail.first_solo)
            await_solo();
        if (nbricks == 1 && has_solo)
            run_solo_step<Op>(tail, step, block.levels);
        else if (nbricks > 1 && (int)blockIdx.x < nbricks)
            run_step<Op>(tail, step, block.brick);
    }
}

/* These and the count that numbers exchanges (tail_arrivals) belong together, so each file that
 * compiles kernels has its own of both. Made at the first launch, which is not a recorded one. */
static struct tail_packet *packets()
{
    static struct tail_packet *at;
    const size_t bytes = 2 * TAIL_PACKETS * sizeof *at;
    if (!at) {
        at = (struct tail_packet *)cuda_allocate_bytes(bytes, "packets between blocks");
        CUDA_CALL(cudaMemsetAsync(at, 0, bytes, cuda_stream()));
    }
    return at;
}

template <class Op>
void tail_launch(struct tail &tail, int blocks)
{
    constexpr size_t BYTES = sizeof(tail_block<Op>);
    static const cudaError_t prepared = cudaFuncSetAttribute(
        tail_kernel<Op>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)BYTES);
    CUDA_CALL(prepared);
    tail.packets = packets();
    void *arguments[] = {&tail};
    CUDA_CALL(cudaLaunchCooperativeKernel((const void *)tail_kernel<Op>, blocks, TAIL_THREADS,
                                          arguments, BYTES, cuda_stream()));
}

#endif
