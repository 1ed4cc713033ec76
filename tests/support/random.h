/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Reproducible random cases. Every case has its own random stream, from the seed and its number,
 * and the stream is the same on every rank. HPGMG_SEED sets the seed. Include after cmocka.h. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "level/sides.h"

enum { RANDOM_DEFAULT_SEED = 20240229 };

static struct {
    uint64_t seed, state;
    long number;
} random_case;

/* Begins case `number` of this run. */
static inline void random_begin(long number)
{
    const char *text = getenv("HPGMG_SEED");
    random_case.seed = text ? strtoull(text, NULL, 0) : (uint64_t)RANDOM_DEFAULT_SEED;
    random_case.number = number;
    random_case.state =
        (random_case.seed + 1) * 0xd1342543de82ef95u + (uint64_t)number * 0x2545f4914f6cdd1du;
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t random_bits(void)
{
    uint64_t z = random_case.state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* An integer, low and high included. The bias of the remainder does not matter here. */
static inline int random_int(int low, int high)
{
    return low + (int)(random_bits() % (uint64_t)((long)high - low + 1));
}

static inline int random_bool(void)
{
    return random_bits() >> 63 != 0;
}

/* Each direction periodic or with walls of random kinds. */
static inline struct sides random_sides(void)
{
    struct sides s = sides_all(BOUNDARY_PERIODIC);
    for (int side = 0; side < 6; side++)
        if (random_bool())
            s.of[side / 2][side % 2] = random_bool() ? BOUNDARY_NEUMANN : BOUNDARY_DIRICHLET;
    for (int d = 0; d < 3; d++) /* both sides or none */
        if (s.of[d][0] == BOUNDARY_PERIODIC)
            s.of[d][1] = BOUNDARY_PERIODIC;
        else if (s.of[d][1] == BOUNDARY_PERIODIC)
            s.of[d][1] = BOUNDARY_DIRICHLET;
    return s;
}

static inline void random_fail(const char *condition, const char *file, int line)
{
    print_error("%s does not hold in case %ld; HPGMG_SEED=%llu repeats it\n", condition,
                random_case.number, (unsigned long long)random_case.seed);
    _fail(file, line);
}

/* Like assert_true; the message says how to repeat the case. */
#define EXPECT(condition) ((condition) ? (void)0 : random_fail(#condition, __FILE__, __LINE__))
