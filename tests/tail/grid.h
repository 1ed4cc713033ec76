/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAIL_GRID_H
#define TAIL_GRID_H
/* Runs a cooperative kernel on the CPU: threads of all blocks are coroutines. Each runs until it
 * must wait; then others go on, in a random order. So a result that needs a barrier that is not
 * there is wrong in some run. */
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <vector>
#include "support/coroutine.h"

namespace grid
{
enum { WARP = 32, STACK_BYTES = 1 << 17, IDLE_ROUNDS = 20000 };

struct index3 {
    unsigned x, y, z;
};

/* A barrier; all that come to it know how many are to come. */
struct meeting {
    int come = 0, times = 0;
};

struct warp {
    meeting all;
    std::array<uint64_t, WARP> said{}, heard{};
};

struct copy {
    double *to, value;
};

struct block;

struct thread {
    coroutine turns;
    struct block *block;
    index3 index;
    bool done = false;
    const meeting *waits = nullptr; /* until it has taken place more often than `times` */
    int times = 0;
    std::vector<copy> copies; /* issued; the first `committed` are committed */
    size_t committed = 0;
};

/* A block, and what it has in shared memory beside the kernel's own. */
struct block {
    index3 index;
    std::vector<thread> threads;
    std::vector<warp> warps;
    meeting all;
    std::array<meeting, 16> named;
    char *shared;
    unsigned long long barriers;
};

inline thread *now;
inline index3 size;
inline meeting all_blocks;
inline bool moved; /* some thread got on since the scheduler's last round */
inline const std::function<void()> *kernel;

inline void wait_for_others()
{
    now->turns.yield();
}

inline void meet(meeting &m, int count)
{
    if (++m.come == count) {
        m.come = 0;
        m.times++;
        moved = moved || count > WARP; /* warps also meet while they wait for packets */
        return;
    }
    now->waits = &m;
    now->times = m.times;
    wait_for_others();
    now->waits = nullptr;
}

inline warp &my_warp()
{
    return now->block->warps[now->index.x / WARP];
}

/* All lanes' values. */
template <class T>
inline std::array<T, WARP> exchange(T value)
{
    static_assert(sizeof(T) <= sizeof(uint64_t));
    warp &w = my_warp();
    std::memcpy(&w.said[now->index.x % WARP], &value, sizeof value);
    if (w.all.come == WARP - 1)
        w.heard = w.said;
    meet(w.all, WARP);
    std::array<T, WARP> all;
    for (int lane = 0; lane < WARP; lane++)
        std::memcpy(&all[lane], &w.heard[lane], sizeof value);
    return all;
}

inline void start()
{
    (*kernel)();
    now->done = moved = true;
    wait_for_others();
}

inline void prepare(thread &t, struct block &b, int number)
{
    t.block = &b;
    t.index = {(unsigned)number, 0, 0};
    t.turns.prepare(start, STACK_BYTES);
}

/* Runs the threads until all are done; false if they stop getting on. */
inline bool run_all(std::vector<thread *> threads, std::mt19937 &random)
{
    int idle = 0;
    while (!threads.empty() && idle < IDLE_ROUNDS) {
        moved = false;
        std::shuffle(threads.begin(), threads.end(), random);
        for (thread *t : threads)
            if (!t->waits || t->waits->times > t->times) {
                now = t;
                t->turns.go_on();
            }
        threads.erase(
            std::remove_if(threads.begin(), threads.end(), [](const thread *t) { return t->done; }),
            threads.end());
        idle = moved ? 0 : idle + 1;
    }
    return threads.empty();
}

/* Runs all blocks, with so many bytes of shared memory each, which begin as NaN. `barriers` is how
 * many barriers of all blocks there have been. */
inline bool run(int nblocks, int nthreads, size_t bytes, unsigned long long *barriers,
                std::mt19937 &random, const std::function<void()> &f)
{
    std::vector<struct block> blocks(nblocks);
    std::vector<std::vector<double>> shared(nblocks);
    std::vector<thread *> threads;
    size = {(unsigned)nblocks, 1, 1};
    kernel = &f;
    all_blocks = {};
    for (int x = 0; x < nblocks; x++) {
        struct block &b = blocks[x];
        shared[x].assign(bytes / sizeof(double) + 2, std::nan(""));
        b.index = {(unsigned)x, 0, 0};
        b.threads = std::vector<thread>(nthreads);
        b.warps.resize(nthreads / WARP);
        b.shared = (char *)(((uintptr_t)shared[x].data() + 15) / 16 * 16);
        b.barriers = *barriers;
        for (int t = 0; t < nthreads; t++) {
            prepare(b.threads[t], b, t);
            threads.push_back(&b.threads[t]);
        }
    }
    const bool done = run_all(threads, random);
    *barriers = blocks[0].barriers;
    return done;
}
} // namespace grid

#endif
