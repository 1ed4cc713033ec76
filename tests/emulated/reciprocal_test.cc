/* SPDX-License-Identifier: BSD-3-Clause */
/* reciprocal() is the quotient, whatever the hardware's approximation within its bounds: in single
 * precision for all numbers of a binade and all approximations, in double precision for those next
 * to powers of two and for random ones, by approximations all over the range. Other binades differ
 * by factors that change no digit. */
#include <cfenv>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <random>
extern "C" {
#include <cmocka.h>
}
#include "cuda/core/launch.cuh"

/* a·b + c, rounded up. By way of volatile variables, for the compiler does not know that the
 * rounding changes. */
template <class T>
static T rounded_up(T a, T b, T c)
{
    volatile T first = a, sum;
    std::fesetround(FE_UPWARD);
    sum = fma(first, b, c);
    std::fesetround(FE_TONEAREST);
    return sum;
}

static inline double __fma_ru(double a, double b, double c)
{
    return rounded_up(a, b, c);
}

static inline float __fmaf_ru(float a, float b, float c)
{
    return rounded_up(a, b, c);
}

static real approximation; /* that the instruction gives */

/* The instructions give y, their approximation of 1/x. */
#pragma clang diagnostic ignored "-Wkeyword-macro"
#define asm(...) (y = (decltype(+y))approximation, (void)x)
#include "src/cuda/core/reciprocal.cuh"
#undef asm

static const double LARGEST_ERROR = 0x1p-23; /* of an approximation, where x is in [1,2) */

static long is_wrong(real x, real approximate)
{
    approximation = approximate;
    return reciprocal(x) != (real)1.0 / x;
}

#ifdef SINGLE
/* Results have 24 bits, so that there are five approximations at most. */
static long count_wrong(float x)
{
    const double exact = 1.0 / (double)x;
    long wrong = 0;
    for (float y = (float)(exact - LARGEST_ERROR); (double)y <= exact + LARGEST_ERROR;
         y = nextafterf(y, 2.0f))
        wrong += (double)y >= exact - LARGEST_ERROR && is_wrong(x, y);
    return wrong;
}

static void test_quotients(void **)
{
    long wrong = 0;
    for (float x = 1.0f; x < 2.0f; x += 0x1p-23f)
        wrong += count_wrong(x);
    assert_int_equal(wrong, 0);
}
#else
static long count_wrong(double x)
{
    enum { STEPS = 16 };
    const double exact = 1.0 / x;
    long wrong = is_wrong(x, nextafter(exact, 0.0)) + is_wrong(x, nextafter(exact, 2.0));
    for (int step = -STEPS; step <= STEPS; step++)
        wrong += is_wrong(x, exact + step * (LARGEST_ERROR / STEPS));
    return wrong;
}

static void test_quotients(void **)
{
    enum { NUMBERS = 20000 };
    std::mt19937_64 random(1);
    long wrong = 0;
    for (int number = 0; number < NUMBERS; number++) {
        const double beyond = number * 0x1p-52, any = (double)(random() >> 12) * 0x1p-52;
        wrong += count_wrong(1.0 + beyond) + count_wrong(2.0 - 0x1p-52 - beyond) +
                 count_wrong(1.0 + any);
    }
    assert_int_equal(wrong, 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
