/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EMULATED_BLOCK_H
#define EMULATED_BLOCK_H
/* Runs a block of a CUDA kernel on the CPU, to check the results of its source and to find races
 * without a GPU. Threads are coroutines: each runs until it must wait; then a random one goes on.
 *
 * Races are found by vector clocks (C. Flanagan and S. Freund, FastTrack, 2009). Every thread
 * counts its own time, and knows for each other thread up to which time that thread's accesses come
 * before its own next one; barriers tell it. A word of shared memory records its last writer, and
 * when each thread last read it. An access is a race if it conflicts with one that the thread does
 * not know of.
 */
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <vector>
#include "support/coroutine.h"

namespace emulated
{
enum { THREADS = 256, WARP = 32, SHARED_WORDS = 232448 / 8, STACK_BYTES = 1 << 17 };

struct clock_of_all {
    std::array<int, THREADS> time{};
    void learn(const clock_of_all &other)
    {
        for (int t = 0; t < THREADS; t++)
            time[t] = std::max(time[t], other.time[t]);
    }
};

struct index3 {
    unsigned x, y, z;
};

/* An issued copy, whose value arrives when the thread has waited for it. */
struct copy {
    double *to, value;
};

struct thread {
    coroutine turns;
    bool done = false;
    index3 index{};
    clock_of_all known;
    std::vector<copy> copies;      /* issued */
    std::vector<size_t> committed; /* how many of them with each commit */
};

/* A barrier of some threads without a phase count: a warp or the block. */
struct meeting {
    int come = 0, times = 0;
    clock_of_all told;
    std::array<double, WARP> said{}, heard{};
};

/* A barrier in shared memory: a phase ends after all expected arrivals and bytes. */
struct counted_barrier {
    int expected = 0, missing = 0, phase = 0;
    long bytes = 0;
    clock_of_all coming, told;
};

struct access {
    int writer = -1, written = 0;
    std::array<int, THREADS> read{};
};

struct block {
    index3 index{}, grid{}, extent{};
    std::vector<thread> threads = std::vector<thread>(THREADS);
    std::array<meeting, THREADS / WARP> warps;
    meeting all;
    std::vector<counted_barrier> barriers;
    std::vector<access> accesses;
    std::function<void()> kernel;
    int count = THREADS, running = 0;
    bool moved = false; /* some thread got on since the scheduler's last round */
};

alignas(128) inline unsigned char shared_memory[SHARED_WORDS * sizeof(double)];
inline block *now;
inline long races;

inline thread &self()
{
    return now->threads[now->running];
}

inline void wait_for_others()
{
    self().turns.yield();
}

inline void race(const char *what, int address, int other)
{
    enum { SHOWN = 8 };
    if (races++ < SHOWN)
        std::fprintf(stderr, "%s at %d between threads %d and %d, block %u %u %u\n", what, address,
                     now->running, other, now->index.x, now->index.y, now->index.z);
}

inline void check_against_writer(const access &a, const char *what, int address)
{
    if (a.writer >= 0 && a.writer != now->running && self().known.time[a.writer] < a.written)
        race(what, address, a.writer);
}

inline void note_read(int address)
{
    access &a = now->accesses[address / sizeof(double)];
    check_against_writer(a, "read after write", address);
    a.read[now->running] = self().known.time[now->running];
}

inline void note_write(int address)
{
    access &a = now->accesses[address / sizeof(double)];
    check_against_writer(a, "write after write", address);
    for (int t = 0; t < THREADS; t++)
        if (t != now->running && a.read[t] > self().known.time[t]) {
            race("write after read", address, t);
            break;
        }
    a.writer = now->running;
    a.written = self().known.time[now->running];
}

/* `ordered`: earlier accesses of each thread come before later ones of the others. */
inline void meet(meeting &m, int first, int count, bool ordered)
{
    const int times = m.times;
    m.told.learn(self().known);
    now->moved = true;
    if (++m.come < count) {
        while (m.times == times)
            wait_for_others();
        return;
    }
    for (int t = first; ordered && t < first + count; t++) {
        now->threads[t].known.learn(m.told);
        now->threads[t].known.time[t]++;
    }
    m.told = {};
    m.heard = m.said;
    m.come = 0;
    m.times++;
}

inline meeting &warp()
{
    return now->warps[now->running / WARP];
}

inline void meet_warp(bool ordered)
{
    meet(warp(), now->running / WARP * WARP, WARP, ordered);
}

/* All lanes' values. Shuffles and votes order no memory accesses. */
inline const std::array<double, WARP> &exchange(double value)
{
    warp().said[now->running % WARP] = value;
    meet_warp(false);
    return warp().heard;
}

inline void end_phase(counted_barrier &b)
{
    if (b.missing > 0 || b.bytes > 0)
        return;
    b.phase++;
    b.missing = b.expected;
    b.told = b.coming;
    now->moved = true;
}

inline void arrive(counted_barrier &b)
{
    b.coming.learn(self().known);
    self().known.time[now->running]++;
    b.missing--;
    end_phase(b);
}

/* An arrival before the thread copies so many bytes. */
inline void arrive_before_copies(counted_barrier &b, long bytes)
{
    b.coming.learn(self().known);
    b.missing--;
    b.bytes += bytes;
    end_phase(b);
}

inline void copied(counted_barrier &b, long bytes)
{
    b.bytes -= bytes;
    end_phase(b);
}

inline void start()
{
    now->kernel();
    self().done = now->moved = true;
    wait_for_others();
}

inline void prepare(thread &t, int number, int width)
{
    t.index = {(unsigned)(number % width), (unsigned)(number / width), 0};
    t.known.time[number] = 1;
    t.turns.prepare(start, STACK_BYTES);
}

/* Runs one block of `count` threads, `width` of them in a row, of a grid; false if its threads
 * deadlock. Shared memory begins as NaN. */
inline bool run(const index3 &index, std::mt19937 &random, const std::function<void()> &kernel,
                const index3 &grid = {1, 1, 1}, int count = THREADS, int width = THREADS)
{
    block b;
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::fill_n((double *)shared_memory, (int)SHARED_WORDS, std::nan(""));
    b.index = index;
    b.grid = grid;
    b.extent = {(unsigned)width, (unsigned)(count / width), 1};
    b.count = count;
    b.kernel = kernel;
    b.accesses.resize(SHARED_WORDS);
    now = &b;
    for (int t = 0; t < count; t++)
        prepare(b.threads[t], t, width);
    do {
        b.moved = false;
        std::shuffle(order.begin(), order.end(), random);
        for (const int t : order)
            if (!b.threads[t].done) {
                b.running = t;
                b.threads[t].turns.go_on();
            }
    } while (b.moved);
    return std::all_of(b.threads.begin(), b.threads.begin() + count,
                       [](const thread &t) { return t.done; });
}
} // namespace emulated

#endif
