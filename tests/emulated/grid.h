/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Runs blocks of a CUDA kernel on the CPU, to check the results of its source without a GPU: one
 * after the other, whose races are found too (races.h), or all of a cooperative kernel at once.
 * Threads are coroutines. Each runs until it must wait; then others go on, in a random order. So
 * what needs a barrier that is not there is wrong in some order. */
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <vector>
#include "base/real.h"
#include "races.h"
#include "support/coroutine.h"

namespace emulated
{
enum { THREADS = 256, WARP = 32, STACK_BYTES = 1 << 17, IDLE_ROUNDS = 20000 };

struct index3 {
    unsigned x, y, z;
};

/* An issued copy, whose value arrives when the thread has waited for it. */
struct copy {
    real *to, value;
};

struct thread {
    coroutine turns;
    struct block *block;
    int number;
    index3 index;
    bool done = false;
    const int *waits = nullptr; /* until there is another value than this */
    int value = 0;
    std::vector<copy> copies;      /* issued */
    std::vector<size_t> committed; /* how many of them with each commit */
};

/* A barrier; all that come to it know how many are to come. */
struct meeting {
    int come = 0, times = 0;
    clock_of_all coming, told;
};

struct warp {
    meeting all;
    std::array<uint64_t, WARP> said{}, heard{};
};

/* A barrier in shared memory: a phase ends after all expected arrivals and bytes. */
struct counted_barrier {
    int expected, missing, phase;
    long bytes;
    clock_of_all coming, told;
};

struct block {
    index3 index, grid, extent;
    std::vector<thread> threads;
    std::vector<warp> warps;
    meeting all;
    std::array<meeting, 16> named;
    std::deque<counted_barrier> barriers;
    std::vector<real> memory;
    unsigned char *shared;             /* aligned in it */
    std::unique_ptr<race_check> check; /* if races are found */
    std::vector<block> *cluster;       /* of which this is one */
    int running;
    size_t ended; /* threads */
};

/* A store to another block of the cluster that has not arrived, and the barrier that counts it. */
struct sent_cell {
    real *to, value;
    counted_barrier *barrier;
    const block *there;
};

inline block *now;
inline meeting all_blocks;
inline std::vector<sent_cell> sent;
inline bool too_late; /* a cell arrived at a block that had ended */
inline bool moved;    /* some thread got on since the scheduler's last round */
inline const std::function<void()> *kernel_now;

inline thread &self()
{
    return now->threads[now->running];
}

inline void wait_for_others()
{
    self().turns.yield();
}

/* The scheduler knows what the thread waits for, and does not try it in vain. */
inline void wait_for_change(const int &count)
{
    thread &t = self();
    t.waits = &count;
    t.value = count;
    t.turns.yield();
    t.waits = nullptr;
}

inline void learn(const clock_of_all &told)
{
    if (now->check)
        now->check->learn(now->running, told);
}

inline void tell(clock_of_all &all)
{
    if (now->check)
        all.learn(now->check->tell(now->running));
}

inline void tick()
{
    if (now->check)
        now->check->tick(now->running);
}

/* `ordered`: earlier accesses of each thread come before later ones of the others. */
inline void meet(meeting &m, int count, bool ordered)
{
    tell(m.coming);
    if (++m.come < count) {
        wait_for_change(m.times);
    } else {
        if (now->check) {
            m.told = m.coming;
            m.coming = {};
        }
        m.come = 0;
        m.times++;
        moved = moved || count > WARP; /* warps also meet while they wait for other blocks */
    }
    if (ordered) {
        learn(m.told);
        tick();
    }
}

inline warp &my_warp()
{
    return now->warps[now->running / WARP];
}

/* All lanes' values. Shuffles and votes order no memory accesses. */
template <class T>
inline std::array<T, WARP> exchange(T value)
{
    static_assert(sizeof(T) <= sizeof(uint64_t));
    warp &w = my_warp();
    std::memcpy(&w.said[now->running % WARP], &value, sizeof value);
    if (w.all.come == WARP - 1)
        w.heard = w.said;
    meet(w.all, WARP, false);
    std::array<T, WARP> all;
    for (int lane = 0; lane < WARP; lane++)
        std::memcpy(&all[lane], &w.heard[lane], sizeof value);
    return all;
}

inline void end_phase(counted_barrier &b)
{
    if (b.missing > 0 || b.bytes > 0)
        return;
    b.phase++;
    b.missing = b.expected;
    b.told = b.coming;
    moved = true;
}

inline void arrive(counted_barrier &b)
{
    tell(b.coming);
    tick();
    b.missing--;
    end_phase(b);
}

/* An arrival before the thread copies so many bytes. */
inline void arrive_before_copies(counted_barrier &b, long bytes)
{
    tell(b.coming);
    b.missing--;
    b.bytes += bytes;
    end_phase(b);
}

inline void copied(counted_barrier &b, long bytes)
{
    b.bytes -= bytes;
    end_phase(b);
}

inline void await_phase(const counted_barrier &b, int parity)
{
    while (b.phase % 2 == parity)
        wait_for_change(b.phase);
    learn(b.told);
}

inline void note_read(int address)
{
    if (now->check)
        now->check->note_read(now->running, address);
}

inline void note_write(int address)
{
    if (now->check)
        now->check->note_write(now->running, address);
}

inline void start()
{
    (*kernel_now)();
    self().done = moved = true;
    now->ended++;
    wait_for_others();
}

/* Shared memory begins as NaN. */
inline void prepare(block &b, int count, size_t bytes)
{
    enum { ALIGNED = 128 };
    if (b.check && count > CLOCKS)
        abort();
    b.memory.assign((bytes + ALIGNED) / sizeof(real) + 1, (real)NAN);
    b.shared = (unsigned char *)(((uintptr_t)b.memory.data() + ALIGNED - 1) / ALIGNED * ALIGNED);
    b.threads = std::vector<thread>(count);
    b.warps.resize((count + WARP - 1) / WARP);
    for (int t = 0; t < count; t++) {
        const unsigned width = b.extent.x;
        b.threads[t].block = &b;
        b.threads[t].number = t;
        b.threads[t].index = {t % width, t / width, 0};
        b.threads[t].turns.prepare(start, STACK_BYTES);
    }
}

inline bool can_run(const thread *t)
{
    return !t->waits || *t->waits != t->value;
}

/* Lets some of the cells that were sent arrive. */
inline void deliver(std::mt19937 &random)
{
    std::shuffle(sent.begin(), sent.end(), random);
    for (size_t left = sent.empty() ? 0 : random() % (sent.size() + 1); left > 0; left--) {
        too_late = too_late || sent.back().there->ended == sent.back().there->threads.size();
        *sent.back().to = sent.back().value;
        copied(*sent.back().barrier, sizeof(real));
        sent.pop_back();
        moved = true;
    }
}

/* Runs the threads until all are done; false if they deadlock, poll for ever, or end too early. */
inline bool run_threads(std::vector<thread *> threads, std::mt19937 &random)
{
    bool some = true;
    too_late = false;
    for (int idle = 0; some && idle < IDLE_ROUNDS; idle = moved ? 0 : idle + 1) {
        moved = false;
        some = !sent.empty();
        std::shuffle(threads.begin(), threads.end(), random);
        deliver(random);
        for (thread *t : threads)
            if (can_run(t)) {
                some = true;
                now = t->block;
                now->running = t->number;
                t->turns.go_on();
            }
        threads.erase(
            std::remove_if(threads.begin(), threads.end(), [](const thread *t) { return t->done; }),
            threads.end());
    }
    return threads.empty() && !too_late;
}

inline bool run_blocks(std::vector<block> &blocks, std::mt19937 &random,
                       const std::function<void()> &kernel)
{
    std::vector<thread *> threads;
    for (block &b : blocks)
        for (thread &t : b.threads)
            threads.push_back(&t);
    all_blocks = {};
    kernel_now = &kernel;
    return run_threads(threads, random);
}

/* Runs one block of `count` threads, `width` of them in a row, of a grid. */
inline bool run(const index3 &index, std::mt19937 &random, const std::function<void()> &kernel,
                const index3 &grid = {1, 1, 1}, int count = THREADS, int width = THREADS)
{
    std::vector<block> blocks(1);
    block &b = blocks[0];
    b.index = index;
    b.grid = grid;
    b.extent = {(unsigned)width, (unsigned)(count / width), 1};
    b.check = std::make_unique<race_check>(0);
    prepare(b, count, SHARED_BYTES);
    return run_blocks(blocks, random, kernel);
}

/* The numbers below n in a random order: what runs one after the other here may do so in any order
 * on a GPU. */
inline std::vector<long> any_order(long n, std::mt19937 &random)
{
    std::vector<long> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    return order;
}

/* Runs all blocks of a grid, one after the other, in a random order. */
inline bool run_grid(const int n[3], std::mt19937 &random, const std::function<void()> &kernel,
                     int count = THREADS, int width = THREADS)
{
    const index3 grid = {(unsigned)n[0], (unsigned)n[1], (unsigned)n[2]};
    bool done = true;
    for (const long x : any_order((long)n[0] * n[1] * n[2], random)) {
        const unsigned row = (unsigned)x / grid.x;
        done = done && run({(unsigned)x % grid.x, row % grid.y, row / grid.y}, random, kernel, grid,
                           count, width);
    }
    return done;
}

/* The same in clusters of `cluster` blocks in j; the blocks of a cluster run at once. */
inline bool run_clusters(const int n[3], int cluster, std::mt19937 &random,
                         const std::function<void()> &kernel, int count)
{
    const index3 grid = {(unsigned)n[0], (unsigned)(n[1] * cluster), (unsigned)n[2]};
    bool done = true;
    for (const long x : any_order((long)n[0] * n[1] * n[2], random)) {
        const unsigned row = (unsigned)(x / n[0]);
        std::vector<block> blocks(cluster);
        for (int rank = 0; rank < cluster; rank++) {
            block &b = blocks[rank];
            b.index = {(unsigned)(x % n[0]), row % n[1] * cluster + rank, row / n[1]};
            b.grid = grid;
            b.extent = {(unsigned)count, 1, 1};
            b.check = std::make_unique<race_check>(rank);
            b.cluster = &blocks;
            prepare(b, count, SHARED_BYTES);
        }
        done = done && run_blocks(blocks, random, kernel);
    }
    return done;
}

/* Runs a cooperative kernel: all blocks at once, with so many bytes of shared memory each. */
inline bool run_cooperative(int nblocks, int count, size_t bytes, std::mt19937 &random,
                            const std::function<void()> &kernel)
{
    std::vector<block> blocks(nblocks);
    for (int x = 0; x < nblocks; x++) {
        block &b = blocks[x];
        b.index = {(unsigned)x, 0, 0};
        b.grid = {(unsigned)nblocks, 1, 1};
        b.extent = {(unsigned)count, 1, 1};
        prepare(b, count, bytes);
    }
    return run_blocks(blocks, random, kernel);
}
} // namespace emulated
