/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda/core/wave_partition.h"
#include <stdlib.h>
#include <string.h>
#include "base/check.h"

/* With more blocks per multiprocessor than this, the last wave hardly matters: it matters more that
 * neighbouring blocks work on the same planes at the same time. */
enum { MAX_UNEVEN = 4 };

static int divided_up(int n, int by)
{
    return (n + by - 1) / by;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

struct wave_partition wave_partition_even(int tiles, int n, int planes)
{
    return (struct wave_partition){tiles, tiles, {divided_up(n, planes), 0}, {planes, 0}};
}

/* The multiprocessor that is free first. */
static int min_of(const long *busy, int count)
{
    int least = 0;
    for (int m = 1; m < count; m++)
        if (busy[m] < busy[least])
            least = m;
    return least;
}

long wave_partition_steps(const struct wave_partition *p, int n, int extra, int multiprocessors)
{
    long *busy = calloc((size_t)multiprocessors, sizeof *busy), end = 0;
    CHECK(busy);
    for (int group = 0; group < 2; group++) {
        const int tiles = group == 0 ? p->first_tiles : p->tiles - p->first_tiles;
        for (int block = 0; block < tiles * p->count[group]; block++) {
            const int first = block / tiles * p->planes[group];
            long *at = &busy[min_of(busy, multiprocessors)];
            *at += smaller(p->planes[group], n - first) + extra;
            end = *at > end ? *at : end;
        }
    }
    free(busy);
    return end;
}

/* First run all full blocks, then one block per tile with the remaining planes. Multiprocessors are
 * in two groups: those with and those without a full block in its last wave. */
long wave_partition_even_steps(int tiles, int n, int planes, int extra, int multiprocessors)
{
    const int rest = n % planes, late = (int)((long)tiles * (n / planes) % multiprocessors);
    const long waves = (long)tiles * (n / planes) / multiprocessors;
    const int group[2] = {multiprocessors - late, late};
    long free_at[2] = {waves * (planes + extra), (waves + 1) * (planes + extra)};
    long end = free_at[late > 0];
    for (int left = rest > 0 ? tiles : 0; left > 0;) {
        const int g = late > 0 && free_at[1] < free_at[0];
        free_at[g] += rest + extra;
        left -= group[g];
        end = free_at[g] > end ? free_at[g] : end;
    }
    return end;
}

int wave_partition_best_planes(int tiles, int n, int least, int most, int extra,
                               int multiprocessors)
{
    int best = least;
    long fewest = wave_partition_even_steps(tiles, n, least, extra, multiprocessors);
    for (int planes = least + 2; planes <= smaller(most, n); planes += 2) {
        const long steps = wave_partition_even_steps(tiles, n, planes, extra, multiprocessors);
        if (steps <= fewest) {
            fewest = steps;
            best = planes;
        }
    }
    return best;
}

/* An even number of planes per block, so that a tile has about `count` blocks. */
static void divide_group(struct wave_partition *p, int group, int n, int count)
{
    p->planes[group] = divided_up(n, 2 * count) * 2;
    p->count[group] = divided_up(n, p->planes[group]);
}

/* Two sizes, `blocks` in all; each tile needs one at least. */
static struct wave_partition uneven(int tiles, int n, int blocks)
{
    struct wave_partition p = {tiles, tiles - blocks % tiles, {0, 0}, {0, 0}};
    divide_group(&p, 0, n, blocks / tiles);
    divide_group(&p, 1, n, blocks / tiles + 1);
    return p;
}

static struct wave_partition find_choice(int tiles, int n, int planes, int extra,
                                         int multiprocessors)
{
    struct wave_partition best = wave_partition_even(tiles, n, planes);
    if (wave_partition_blocks(&best) > MAX_UNEVEN * multiprocessors)
        return best;
    long fewest = wave_partition_steps(&best, n, extra, multiprocessors);
    for (int times = divided_up(tiles, multiprocessors); times <= MAX_UNEVEN; times++) {
        const struct wave_partition p = uneven(tiles, n, times * multiprocessors);
        const long steps = wave_partition_steps(&p, n, extra, multiprocessors);
        if (steps < fewest) {
            fewest = steps;
            best = p;
        }
    }
    return best;
}

/* A search takes up to 0.3 ms, a launch a few microseconds. The launches of a solve ask few
 * questions, each many times: answers are remembered, and the oldest is forgotten first. */
struct wave_partition wave_partition_choose(int tiles, int n, int planes, int extra,
                                            int multiprocessors)
{
    enum { REMEMBERED = 64 };
    static _Thread_local struct {
        int question[5]; /* of zeros if there is none: nobody asks that */
        struct wave_partition answer;
    } known[REMEMBERED];
    static _Thread_local int next;
    const int question[5] = {tiles, n, planes, extra, multiprocessors};
    for (int k = 0; k < REMEMBERED; k++)
        if (memcmp(known[k].question, question, sizeof question) == 0)
            return known[k].answer;
    const int k = next;
    next = (next + 1) % REMEMBERED;
    memcpy(known[k].question, question, sizeof question);
    known[k].answer = find_choice(tiles, n, planes, extra, multiprocessors);
    return known[k].answer;
}
