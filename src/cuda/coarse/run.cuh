/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A block's work in the tail's kernel: it goes through the list of steps and does its part of
 * each. */
#include "cuda/coarse/bottom.cuh"
#include "cuda/coarse/pass.cuh"

/* Copies the parameters to shared memory. Levels and steps are found by an index, and an indexed
 * read of a parameter takes three times as long as one of shared memory. */
static __device__ void copy_parameters(const struct tail &t, struct tail *copy)
{
    static_assert(sizeof t % sizeof(double) == 0 && alignof(struct tail) == alignof(double), "");
    const double *from = opaque((const double *)&t); /* see fences.cuh */
    double *to = (double *)copy;
    for (int x = threadIdx.x; x < (int)(sizeof t / sizeof *to); x += TAIL_THREADS)
        to[x] = from[x];
    __syncthreads();
}

template <class Op, class Group>
DEVICE void run_step_by(const struct tail &t, const struct tail_walls &rules,
                        const struct tail_step &step, single_block::tiles<Op> &s)
{
    if (threadIdx.x >= Group::THREADS)
        return;
    group_sync<Group::THREADS>(); /* a smaller group may have written what is read now */
    single_block::run_step<Op, Group>(t, rules, step, s);
}

/* By one warp, with as many lanes per cell as it has. */
template <class Op>
DEVICE void bottom_by_warp(const struct tail &t, const struct tail_walls &rules,
                           const struct tail_step &step, single_block::tiles<Op> &s)
{
    using namespace single_block;
    using small = typename thread_groups<Op>::small;
    using single = thread_group<Op, 32, NARROW, 1, typename small::rules>;
    if (threadIdx.x >= 32)
        return;
    constexpr int MOST = WARP_BOTTOM_CELLS / small::PER_PAIR;
    if (MOST >= WARP_BOTTOM_CELLS || cuboid_cells(t.levels[step.level].size) <= MOST)
        single_block::solve<Op, small>(t.bottom, t, rules, step, s);
    else
        single_block::solve<Op, single>(t.bottom, t, rules, step, s);
}

/* A step of single-block levels is in registers; order 4 has none left for it. */
template <class Op>
using held_step =
    std::conditional_t<(Op::RADIUS > 1), const struct tail_step &, const struct tail_step>;

/* One step of a single-block level. Threads outside of its thread group skip it. */
template <class Op>
DEVICE void run_single_block_step(const struct tail &t, const struct tail_walls &rules,
                                  const struct tail_step &listed, single_block::tiles<Op> &s)
{
    held_step<Op> step = listed;
    using groups = single_block::thread_groups<Op>;
    const int n = t.levels[step.level].longest;
    if (step.kind == STAGE_BOTTOM)
        bottom_by_warp<Op>(t, rules, step, s);
    else if (n <= groups::SMALL_DIM)
        run_step_by<Op, typename groups::small>(t, rules, step, s);
    else if (groups::SMALL_DIM < groups::MEDIUM_DIM && n <= groups::MEDIUM_DIM) /* order 4 */
        run_step_by<Op, typename groups::medium>(t, rules, step, s);
    else
        run_step_by<Op, typename groups::large>(t, rules, step, s);
}

/* One step of a level with several subdomains, by the blocks that have one. */
template <class Op>
DEVICE void run_subdomain_step(const struct tail &t, const struct tail_walls &rules,
                               const struct tail_step &step, block_memory<Op> &block)
{
    const struct tail_level &l = t.levels[step.level];
    if (step.kind == STAGE_PASS && has_small_subdomains(l)) {
        run_pass<Op, MIN_CELLS>(t, rules, step, block.small);
    } else if (step.kind == STAGE_PASS) {
        run_pass<Op, MAX_CELLS>(t, rules, step, block.large);
    } else {
        const struct subdomain sub = subdomain_of<Op>(l);
        restrict_to(l, sub, step, step.f + sub.at, l.sj, l.sk);
    }
}

template <class Op>
DEVICE void run_tail_block(const struct tail &t, const struct tail_walls &rules,
                           block_memory<Op> &block)
{
    const struct tail &tail = block.tail;
    const bool is_single_block = (int)blockIdx.x == t.single_block;
    open_barrier(t.sync);
    copy_parameters(t, &block.tail);
    if (!is_single_block)
        open_lists(block.lists);
    if (gridDim.x > 1)
        wait_for_all_blocks(t.sync); /* gives this launch's exchanges numbers of their own */
    if (is_single_block)
        single_block::open_tiles<Op>(tail, block.levels);
#pragma unroll 1
    for (int x = 0; x < t.count; x++) {
        const struct tail_step &step = tail.steps[x];
        const int nsubdomains = tail.levels[step.level].nsubdomains;
        if (step.waits)
            wait_for_all_blocks(t.sync);
        if (is_single_block && x == tail.first_single_block)
            single_block::await_tiles();
        if (nsubdomains == 1 && is_single_block)
            run_single_block_step<Op>(tail, rules, step, block.levels);
        else if (nsubdomains > 1 && (int)blockIdx.x < nsubdomains)
            run_subdomain_step<Op>(tail, rules, step, block);
    }
}
