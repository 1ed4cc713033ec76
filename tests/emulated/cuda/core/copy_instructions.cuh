/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Barriers, and the copies that they wait for: the engine's are completed at once by the thread
 * that issues them, a thread's own when it arrives after them. */
#include <cuda_pipeline.h>
#include "cuda/core/launch.cuh"
#include "cuda/core/shared_memory.cuh"

typedef uint64_t barrier_word;

/* The word holds the barrier's number. */
static inline emulated::counted_barrier &barrier_at(const barrier_word *word)
{
    return emulated::now->barriers[*word];
}

static inline void barrier_create(barrier_word *word, int arrivals)
{
    *word = emulated::now->barriers.size();
    emulated::now->barriers.push_back({arrivals, arrivals, 0, 0, {}, {}});
}

static inline void barriers_created()
{
}

static inline void barrier_wait(barrier_word *word, int parity)
{
    emulated::await_phase(barrier_at(word), parity);
}

static inline void barrier_arrive(barrier_word *word)
{
    emulated::arrive(barrier_at(word));
}

struct CUtensorMap {
    const real *x;
    struct cells c;
    int width, rows;
};

static inline real value_or_zero(const CUtensorMap &map, int i, int j, int k)
{
    const int cell[3] = {i, j, k};
    for (int d = 0; d < 3; d++)
        if (cell[d] < -MAP_GHOSTS || cell[d] >= map.c.n[d] + MAP_GHOSTS)
            return 0;
    return map.x[i + j * map.c.sj + k * map.c.sk];
}

static inline void barrier_expect(barrier_word *word, int bytes)
{
    emulated::arrive_before_copies(barrier_at(word), bytes);
}

/* As the copy engine requires, tiles begin at multiples of 16 bytes, have rows of as many, and go
 * to multiples of 128 bytes. */
static inline void copy_mapped(void *to, const CUtensorMap &map, const int32_t (&first)[3],
                               barrier_word *word)
{
    const int address = (int)((unsigned char *)to - shared_memory), i = first[0] - MAP_GHOSTS,
              j = first[1] - MAP_GHOSTS, k = first[2] - MAP_GHOSTS;
    if (address % 128 != 0 || first[0] * sizeof(real) % 16 != 0 ||
        map.width * sizeof(real) % 16 != 0)
        abort();
    for (int r = 0; r < map.rows; r++)
        for (int q = 0; q < map.width; q++)
            put(address + (r * map.width + q) * (int)sizeof(real),
                value_or_zero(map, i + q, j + r, k));
    emulated::copied(barrier_at(word), (long)map.rows * map.width * (long)sizeof(real));
}

static inline void order_before_mapped_copies()
{
}

static inline bool one_lane()
{
    return emulated::now->running % emulated::WARP == 0;
}

static inline void copy_two_cells(int to, const real *from, bool inside)
{
    static const real zeros[2] = {};
    check_pair((uintptr_t)to);
    check_pair((uintptr_t)from);
    for (int x = 0; x < 2; x++)
        __pipeline_memcpy_async(shared_pointer(to + x * (int)sizeof(real)),
                                (inside ? from : zeros) + x, sizeof(real));
}

static inline void barrier_arrive_after_copies(barrier_word *word)
{
    __pipeline_commit();
    __pipeline_wait_prior(0);
    emulated::arrive(barrier_at(word));
}
