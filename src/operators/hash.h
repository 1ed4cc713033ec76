/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Checksum of a field: the sum, modulo 2^64, of a mix of every cell's global index and bits. Equal
 * fields have equal checksums for any decomposition. Cells that swap values change it. */
#include <stdint.h>
#include <string.h>
#include "operators/formula.h"

/* Finaliser of the splitmix64 generator (Steele, Lea, Flood 2014): a bijection in which every input
 * bit flips about half of the output bits. */
FORMULA uint64_t hash_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

FORMULA uint64_t hash_cell(uint64_t index, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hash_mix(bits + hash_mix(index + 0x9e3779b97f4a7c15ull));
}
