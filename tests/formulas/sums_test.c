/* SPDX-License-Identifier: BSD-3-Clause */
/* Magnitudes, sums and hashes as formulas: none depends on the order of its terms, sums are exact
 * to what operators/sum.h promises, and no NaN is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <float.h>
#include "operators/hash.h"
#include "operators/sum.h"
#include "support/random.h"

enum { CASES = 2000, TERMS = 200 };

__extension__ typedef __int128 wide;

static double random_value(void)
{
    return (double)(random_bits() >> 11) * 0x1p-52 - 1.0;
}

static void shuffle(double *x, int count)
{
    for (int i = count - 1; i > 0; i--) {
        const int other = random_int(0, i);
        const double kept = x[i];
        x[i] = x[other];
        x[other] = kept;
    }
}

/* Digits of the terms, in the order given. Returns the exponent. */
static int add_up(const double *x, int count, int64_t digits[SUM_DIGITS])
{
    uint64_t largest = 0;
    for (int i = 0; i < count; i++)
        largest = magnitude_bits(x[i]) > largest ? magnitude_bits(x[i]) : largest;
    const int exponent = sum_exponent(largest);
    for (int i = 0; i < count; i++)
        sum_digits(x[i], ldexp(1.0, SUM_DIGIT_BITS - exponent), digits);
    return exponent;
}

static double sum_of(const double *x, int count)
{
    int64_t digits[SUM_DIGITS] = {0};
    const int exponent = add_up(x, count, digits);
    return sum_value(digits, exponent);
}

/* Every term within 2^-spread … 1 of 2^top. */
static int random_terms(double *x, int top, int spread)
{
    const int count = random_int(1, TERMS);
    for (int i = 0; i < count; i++)
        x[i] = ldexp(random_value(), top - random_int(0, spread));
    return count;
}

static void sums_ignore_order(void **state)
{
    (void)state;
    double x[TERMS];
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int count = random_terms(x, random_int(-900, 900), random_int(0, 120));
        int64_t digits[SUM_DIGITS] = {0}, shuffled[SUM_DIGITS] = {0}, parts[SUM_DIGITS] = {0};
        const int exponent = add_up(x, count, digits), cut = random_int(0, count);
        const double scale = ldexp(1.0, SUM_DIGIT_BITS - exponent);
        for (int i = cut; i < count; i++)
            sum_digits(x[i], scale, parts);
        for (int i = 0; i < cut; i++)
            sum_digits(x[i], scale, parts);
        shuffle(x, count);
        EXPECT(add_up(x, count, shuffled) == exponent);
        EXPECT(memcmp(digits, shuffled, sizeof digits) == 0);
        EXPECT(memcmp(digits, parts, sizeof digits) == 0);
    }
}

/* Terms of 53 bits whose exponents differ by at most 30 fit below 2^-84 of the largest: the digits
 * hold all of them. The exact sum is an integer of less than 96 bits. */
static void sums_are_exact_where_all_bits_fit(void **state)
{
    (void)state;
    double x[TERMS];
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int top = random_int(-800, 800), count = random_int(1, TERMS);
        wide exact = 0;
        for (int i = 0; i < count; i++) {
            const int shift = random_int(0, 30);
            const int64_t mantissa = (int64_t)(random_bits() >> 11) * (random_bool() ? 1 : -1);
            exact += (wide)mantissa * ((int64_t)1 << shift);
            x[i] = ldexp((double)mantissa, shift + top);
        }
        /* The digits' own value, without the last rounding: 2^84 times the scaled sum. */
        int64_t digits[SUM_DIGITS] = {0};
        const int exponent = add_up(x, count, digits);
        const wide held = ((wide)digits[0] * (1 << 28) + digits[1]) * (1 << 28) + digits[2];
        const int unit = exponent - 3 * SUM_DIGIT_BITS - top; /* held·2^unit = exact */
        EXPECT(unit <= 0 && unit > -64);
        EXPECT(held == exact * ((wide)1 << -unit));
        /* Two roundings at most. */
        const double value = sum_value(digits, exponent);
        EXPECT(fabsl((long double)value - ldexpl((long double)exact, top)) <=
               ldexpl(fabsl((long double)exact), top) * 0x1p-52L);
    }
}

/* In general: off by less than 2^-84 of the largest term for each term, and roundings of the
 * result. */
static void sums_keep_their_promise(void **state)
{
    (void)state;
    double x[TERMS];
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int top = random_int(-800, 800);
        const int count = random_terms(x, top, random_int(0, 100));
        long double exact = 0.0L;
        for (int i = 0; i < count; i++)
            exact += x[i];
        /* The reference itself rounds at 2^-64 of at most `count` times the largest. */
        EXPECT(fabsl((long double)sum_of(x, count) - exact) <=
               fabsl(exact) * 0x1p-52L + ldexpl(1.0L, top - 63) * count * count);
    }
}

/* What cancels leaves exactly 0, what is left over comes out. */
static void sums_cancel(void **state)
{
    (void)state;
    double x[2 * TERMS + 1];
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int count = random_terms(x, 0, 20);
        for (int i = 0; i < count; i++)
            x[count + i] = -x[i];
        shuffle(x, 2 * count);
        EXPECT(sum_of(x, 2 * count) == 0.0);
        x[2 * count] = ldexp((double)random_int(1, 1 << 20), -60);
        const double kept = x[2 * count];
        shuffle(x, 2 * count + 1);
        EXPECT(sum_of(x, 2 * count + 1) == kept);
    }
}

static void single_terms_are_themselves(void **state)
{
    (void)state;
    static const double edges[] = {DBL_MAX,    DBL_MIN,         DBL_TRUE_MIN,       1.0,
                                   0x1.8p1023, DBL_MIN * 0.5,   1.0 - 0x1p-53,      0x1p-950,
                                   0x1p-951,   0x1.fffffp-1000, 3.0 * DBL_TRUE_MIN, 0x1p1023};
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double x = sign * edges[e];
            const double kept = fabs(x) < 0x1p-1034 ? 0.0 : x;
            const double sum = sum_of(&x, 1);
            /* The digits end at 2^-84 of 2^-950: below, values are cut. */
            if (fabs(x) >= 0x1p-980)
                assert_true(sum == x);
            else
                assert_true(fabs(sum - kept) <= 0x1p-1034);
        }
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const double x = ldexp(random_value(), random_int(-980 + 60, 1023));
        EXPECT(sum_of(&x, 1) == x);
    }
}

/* 2^28 largest terms, by multiples of their digits: nothing overflows. */
static void digits_have_room(void **state)
{
    (void)state;
    static const double extremes[] = {1.0 - 0x1p-53, 0x1p-1, -(1.0 - 0x1p-53), 0.75};
    for (int e = 0; e < 4; e++) {
        int64_t digits[SUM_DIGITS] = {0};
        const int exponent = add_up(&extremes[e], 1, digits);
        assert_int_equal(exponent, 0);
        for (int d = 0; d < SUM_DIGITS; d++) {
            assert_true(digits[d] <= (int64_t)1 << 28 && digits[d] >= -((int64_t)1 << 28));
            digits[d] *= (int64_t)1 << 34;
        }
        assert_true(sum_value(digits, exponent) == ldexp(extremes[e], 34));
    }
}

/* Bits order like magnitudes, infinity above all numbers and NaN above infinity, whatever its sign
 * and payload. */
static void magnitudes_order(void **state)
{
    (void)state;
    const uint64_t infinity = magnitude_bits(INFINITY);
    assert_true(magnitude_bits(0.0) == 0 && magnitude_bits(-0.0) == 0);
    assert_true(magnitude_bits(-INFINITY) == infinity && infinity > magnitude_bits(DBL_MAX));
    assert_true(magnitude_bits(DBL_TRUE_MIN) == 1);
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const double a = ldexp(random_value(), random_int(-1073, 1023)),
                     b = ldexp(random_value(), random_int(-1073, 1023));
        EXPECT((magnitude_bits(a) < magnitude_bits(b)) == (fabs(a) < fabs(b)));
        EXPECT(magnitude_bits(-a) == magnitude_bits(a));
        EXPECT(bits_to_double(magnitude_bits(a)) == fabs(a));
        const uint64_t nan = 0x7ff0000000000000u | (random_bits() & 0x800fffffffffffffu) | 1;
        EXPECT(isnan(bits_to_double(nan)) && magnitude_bits(bits_to_double(nan)) > infinity);
    }
}

static void exponents_bound_magnitudes(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const double x = ldexp(random_value(), random_int(-1073, 1023));
        const int exponent = sum_exponent(magnitude_bits(x));
        EXPECT(ldexpl(1.0L, exponent) > fabsl((long double)x));
        EXPECT(exponent == -950 || ldexpl(1.0L, exponent - 1) <= fabsl((long double)x));
        const double scale = ldexp(1.0, SUM_DIGIT_BITS - exponent);
        EXPECT(isnormal(scale));
    }
}

static uint64_t hash_of(const double *x, int count)
{
    uint64_t hash = 0;
    for (int i = 0; i < count; i++)
        hash += hash_cell((uint64_t)i, x[i]);
    return hash;
}

/* Swaps, single bits, signs of zero and shifts along the index all show. */
static void hashes_see_every_change(void **state)
{
    (void)state;
    double x[TERMS];
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int count = 2 + random_terms(x, 0, 3) / 2;
        x[count - 1] = random_value();
        x[0] = 0.0;
        const uint64_t hash = hash_of(x, count);
        const int a = random_int(0, count - 2), b = random_int(a + 1, count - 1);
        const double first = x[a], second = x[b];
        x[a] = second;
        x[b] = first;
        EXPECT(first == second || hash_of(x, count) != hash);
        x[a] = first;
        x[b] = second;
        x[b] = bits_to_double(0x3ff0000000000000u ^ ((uint64_t)1 << random_int(0, 51)));
        const uint64_t changed = hash_of(x, count);
        x[b] = 1.0;
        EXPECT(hash_of(x, count) != changed);
        x[b] = second;
        x[0] = -0.0;
        EXPECT(hash_of(x, count) != hash);
        x[0] = 0.0;
        EXPECT(hash_of(x, count) == hash);
        EXPECT(hash_cell((uint64_t)a, first) != hash_cell((uint64_t)b, first));
    }
}

/* The mix is a bijection (its inverse is known), and one bit of the input changes about half of the
 * output's. */
static void mix_spreads(void **state)
{
    (void)state;
    long changed = 0;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const uint64_t x = random_bits();
        uint64_t y = hash_mix(x);
        changed += __builtin_popcountll(y ^ hash_mix(x ^ ((uint64_t)1 << random_int(0, 63))));
        y = (y ^ y >> 31 ^ y >> 62) * 0x319642b2d24d8ec3u;
        y = (y ^ y >> 27 ^ y >> 54) * 0x96de1b173f119089u;
        EXPECT((y ^ y >> 30 ^ y >> 60) == x);
    }
    assert_true(changed > 31L * CASES && changed < 33L * CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_ignore_order),
        cmocka_unit_test(sums_are_exact_where_all_bits_fit),
        cmocka_unit_test(sums_keep_their_promise),
        cmocka_unit_test(sums_cancel),
        cmocka_unit_test(single_terms_are_themselves),
        cmocka_unit_test(digits_have_room),
        cmocka_unit_test(magnitudes_order),
        cmocka_unit_test(exponents_bound_magnitudes),
        cmocka_unit_test(hashes_see_every_change),
        cmocka_unit_test(mix_spreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
