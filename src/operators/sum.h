/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Sums that do not depend on the order of their terms, hence not on ranks, boxes, threads or
 * device. A first pass finds max|x| and a power of two 2^exponent above it. Every term x is cut
 * into three integer digits, x = 2^exponent · (d0·2^-28 + d1·2^-56 + d2·2^-84) + (less than
 * 2^(exponent-84)). Adding the digits as 64-bit integers is associative. With |d| <= 2^28 there is
 * room for 2^34 terms. The result is exact to 2^-84 of the largest term. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "operators/formula.h"

enum { SUM_DIGITS = 3, SUM_DIGIT_BITS = 28 };

/* The bit pattern of |x|. It sorts like |x|, with NaN above infinity. */
FORMULA uint64_t magnitude_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x7fffffffffffffffull;
}

FORMULA double bits_to_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The exponent for the largest magnitude in the sum (finite, not 0). It stays in a range where the
 * scale 2^(28-exponent), which sum_digits takes, is a normal number. */
FORMULA int sum_exponent(uint64_t largest_bits)
{
    const int exponent = (int)(largest_bits >> 52) - 1022;
    return exponent < -950 ? -950 : exponent;
}

FORMULA double sum_scale(int exponent)
{
    return ldexp(1.0, SUM_DIGIT_BITS - exponent);
}

/* Adds the digits of x. scale = 2^(28-exponent). Adding 1.5·2^52 to a number of at most 2^51 rounds
 * it to an integer, which then is the low bits of the sum: on GPUs conversions would take longer
 * than reading x. */
FORMULA void sum_digits(double x, double scale, int64_t digits[SUM_DIGITS])
{
    const double shift = 6755399441055744.0; /* 1.5·2^52 */
    double rest = x * scale;
    int64_t bits, shift_bits;
    memcpy(&shift_bits, &shift, sizeof shift_bits);
    for (int d = 0; d < SUM_DIGITS; d++) {
        const double shifted = rest + shift;
        memcpy(&bits, &shifted, sizeof bits);
        digits[d] += bits - shift_bits;
        rest = (rest - (shifted - shift)) * 268435456.0; /* 2^28 */
    }
}

/* The value of the digits. */
FORMULA double sum_value(const int64_t digits[SUM_DIGITS], int exponent)
{
    const double low = fma((double)digits[2], 1.0 / 268435456.0, (double)digits[1]);
    return ldexp(fma(low, 1.0 / 268435456.0, (double)digits[0]), exponent - SUM_DIGIT_BITS);
}

/* False if the largest term is zero or not finite: then the sum does not follow from digits. */
FORMULA bool sum_has_digits(uint64_t largest_bits)
{
    return largest_bits != 0 && largest_bits < 0x7ff0000000000000ull;
}

/* The sum of such terms; NaN if one is not finite. */
FORMULA double sum_result(uint64_t largest_bits, const int64_t digits[SUM_DIGITS])
{
    if (sum_has_digits(largest_bits))
        return sum_value(digits, sum_exponent(largest_bits));
    return largest_bits == 0 ? 0.0 : bits_to_double(0x7ff8000000000000ull);
}
