/* SPDX-License-Identifier: BSD-3-Clause */
/* The limiter of hpgmg-lab: four classes by the rule of 60 %. What is not known limits nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "lab/limiter.c"

static const char *class_of(double memory, double cache, double shared, double fp64, double issue)
{
    const struct shares s = {{memory, cache, shared, fp64, issue}};
    return limiter_of(&s);
}

static void test_classes(void **state)
{
    (void)state;
    assert_string_equal(class_of(0.59, 0.59, 0.59, 0.59, 0.59), "latency");
    assert_string_equal(class_of(0.60, 0.0, 0.0, 0.59, 0.59), "bandwidth");
    assert_string_equal(class_of(0.0, 0.60, 0.0, 0.59, 0.0), "bandwidth");
    assert_string_equal(class_of(0.0, 0.0, 0.60, 0.0, 0.59), "bandwidth");
    assert_string_equal(class_of(0.59, 0.59, 0.59, 0.60, 0.0), "compute");
    assert_string_equal(class_of(0.0, 0.0, 0.0, 0.0, 0.60), "compute");
    assert_string_equal(class_of(0.60, 0.0, 0.0, 0.60, 0.0), "both");
    assert_string_equal(class_of(0.0, 0.0, 0.70, 0.0, 0.60), "both");
}

static void test_unknown_shares(void **state)
{
    (void)state;
    assert_string_equal(class_of(0.7, NAN, NAN, 0.1, NAN), "bandwidth");
    assert_string_equal(class_of(0.1, NAN, NAN, 0.1, NAN), "latency");
}

static void test_most_used(void **state)
{
    const struct shares s = {{0.5, 0.4, 0.7, 0.6, 0.1}}, unknown = {{0.2, NAN, NAN, 0.3, NAN}};
    (void)state;
    assert_string_equal(most_used_of(&s), "shared memory");
    assert_string_equal(most_used_of(&unknown), "FP64");
}

/* Each share is of its own ceiling; one fma is one instruction and two operations. */
static void test_shares(void **state)
{
    const struct ceilings c = {.copy_bytes_per_second = 100.0,
                               .cache_bytes_per_second = 200.0,
                               .shared_bytes_per_second = 400.0,
                               .fp64_flops_per_second = 800.0,
                               .fp32_flops_per_second = 1600.0,
                               .instructions_per_second = 1000.0};
    const struct usage u = {.bytes = 100.0,
                            .cache_bytes = 100.0,
                            .shared_bytes = 100.0,
                            .fp64_instructions = 100.0,
                            .instructions = 100.0};
    const struct shares s = shares_of(&c, &u, 2.0);
    (void)state;
    assert_true(s.of[RESOURCE_MEMORY] == 0.5);
    assert_true(s.of[RESOURCE_CACHE] == 0.25);
    assert_true(s.of[RESOURCE_SHARED] == 0.125);
    assert_true(s.of[RESOURCE_FP64] == 0.125);
    assert_true(s.of[RESOURCE_ISSUE] == 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_unknown_shares),
        cmocka_unit_test(test_most_used),
        cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
