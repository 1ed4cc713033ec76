/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAIL_CUDA_PIPELINE_H
#define TAIL_CUDA_PIPELINE_H
/* A thread's asynchronous copies: the target holds NaN until the thread has committed the copy and
 * then waited for it. */
#include "cuda/core/launch.cuh"

static inline void __pipeline_memcpy_async(void *to, const void *from, size_t)
{
    double *const target = (double *)to;
    *target = std::nan("");
    grid::now->copies.push_back({target, *(const double *)from});
}

static inline void __pipeline_commit()
{
    grid::now->committed = grid::now->copies.size();
}

static inline void __pipeline_wait_prior(int)
{
    grid::thread &t = *grid::now;
    const auto end = t.copies.begin() + (long)t.committed;
    for (auto c = t.copies.begin(); c != end; c++)
        *c->to = c->value;
    t.copies.erase(t.copies.begin(), end);
    t.committed = 0;
}

#endif
