/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Races between the threads of a block, found by vector clocks (C. Flanagan and S. Freund,
 * FastTrack, 2009). Every thread counts its own time, and knows for each other thread up to which
 * time that thread's accesses come before its own next one; barriers tell it. A word of shared
 * memory records its last writer, and when each thread has read it since. An access is a race if it
 * conflicts with one that the thread does not know of. */
#include <algorithm>
#include <array>
#include <bitset>
#include <cstdio>
#include <deque>
#include <vector>
#include "base/real.h"

namespace emulated
{
/* How many threads of a block races are found between: those of the largest block of the kernels.
 */
enum { CLOCKS = sizeof(real) == sizeof(double) ? 256 : 384, SHARED_BYTES = 232448 };

struct clock_of_all {
    std::array<int, CLOCKS> time{};
    void learn(const clock_of_all &other)
    {
        for (int t = 0; t < CLOCKS; t++)
            time[t] = std::max(time[t], other.time[t]);
    }
};

inline long races;

/* Clocks of the threads, and the accesses to each word. */
class race_check
{
  public:
    /* `rank` is the block's among those that run at once. */
    explicit race_check(int rank) : words(SHARED_BYTES / sizeof(real)), known(CLOCKS)
    {
        static std::deque<read_times> tables;
        while ((int)tables.size() <= rank)
            tables.emplace_back(SHARED_BYTES / sizeof(real));
        read_at = &tables[rank];
        for (int t = 0; t < CLOCKS; t++)
            known[t].time[t] = 1;
    }

    void learn(int thread, const clock_of_all &told)
    {
        known[thread].learn(told);
    }

    /* What the thread tells others at a barrier: its accesses until now. */
    const clock_of_all &tell(int thread) const
    {
        return known[thread];
    }

    /* Later accesses are not those that it has told of. */
    void tick(int thread)
    {
        known[thread].time[thread]++;
    }

    void note_read(int thread, int address)
    {
        word &w = words[address / sizeof(real)];
        check_against_writer(w, thread, "read after write", address);
        w.readers[thread] = true;
        (*read_at)[address / sizeof(real)][thread] = known[thread].time[thread];
    }

    void note_write(int thread, int address)
    {
        word &w = words[address / sizeof(real)];
        check_against_writer(w, thread, "write after write", address);
        if (w.readers.any())
            check_against_readers(w, thread, address);
        w.readers.reset();
        w.writer = thread;
        w.written = known[thread].time[thread];
    }

  private:
    struct word {
        int writer = -1, written = 0;
        std::bitset<CLOCKS> readers; /* since it was written */
    };
    std::vector<word> words;
    std::vector<clock_of_all> known;

    /* When its readers have read a word. As it is large, blocks use it one after the other. */
    typedef std::vector<std::array<int, CLOCKS>> read_times;
    read_times *read_at;

    static void report(const char *what, int address, int thread, int other)
    {
        enum { SHOWN = 8 };
        if (races++ < SHOWN)
            std::fprintf(stderr, "%s at %d between threads %d and %d\n", what, address, thread,
                         other);
    }

    void check_against_writer(const word &w, int thread, const char *what, int address)
    {
        if (w.writer >= 0 && w.writer != thread && known[thread].time[w.writer] < w.written)
            report(what, address, thread, w.writer);
    }

    void check_against_readers(const word &w, int thread, int address)
    {
        for (int t = 0; t < CLOCKS; t++)
            if (w.readers[t] && t != thread &&
                (*read_at)[address / sizeof(real)][t] > known[thread].time[t]) {
                report("write after read", address, thread, t);
                return;
            }
    }
};
} // namespace emulated
