/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of device classes lower what a GPU has, and never raise it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cuda/device_limits.h"

static const struct device_limits h200 = {.shared_per_block = 232448, .tile_copies = true};

static void test_lower(void **state)
{
    (void)state;
    struct device_limits l = h200;
    assert_true(device_limits_lower(&l, "sm_80"));
    assert_int_equal(l.shared_per_block, 166912);
    assert_false(l.tile_copies);
    assert_true(device_limits_lower(&l, "sm_86"));
    assert_int_equal(l.shared_per_block, 101376);
    assert_true(device_limits_lower(&l, "sm_90")); /* already lower */
    assert_int_equal(l.shared_per_block, 101376);
    assert_false(l.tile_copies);
}

static void expect_h200(const struct device_limits *l)
{
    assert_int_equal(l->shared_per_block, h200.shared_per_block);
    assert_true(l->tile_copies);
}

static void test_own_class(void **state)
{
    (void)state;
    struct device_limits l = h200;
    assert_true(device_limits_lower(&l, "sm_90"));
    expect_h200(&l);
}

static void test_unknown(void **state)
{
    (void)state;
    struct device_limits l = h200;
    assert_false(device_limits_lower(&l, "sm_8"));
    assert_false(device_limits_lower(&l, ""));
    expect_h200(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lower),
        cmocka_unit_test(test_own_class),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
