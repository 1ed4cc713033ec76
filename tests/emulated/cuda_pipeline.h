/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A thread's asynchronous copies: the target holds NaN until the thread has committed the copy and
 * then waited for that commit. */
#include "cuda/core/shared_memory.cuh"

static inline void __pipeline_memcpy_async(void *to, const void *from, size_t)
{
    copy_cell((int)((unsigned char *)to - shared_memory), from);
}

static inline void __pipeline_commit()
{
    emulated::self().committed.push_back(emulated::self().copies.size());
}

/* Waits for all commits but the last `latest`. */
static inline void __pipeline_wait_prior(size_t latest)
{
    emulated::thread &t = emulated::self();
    if (t.committed.size() <= latest)
        return;
    const size_t commits = t.committed.size() - latest, done = t.committed[commits - 1];
    for (size_t c = 0; c < done; c++)
        *t.copies[c].to = t.copies[c].value;
    t.copies.erase(t.copies.begin(), t.copies.begin() + (long)done);
    t.committed.erase(t.committed.begin(), t.committed.begin() + (long)commits);
    for (size_t &count : t.committed)
        count -= done;
}
