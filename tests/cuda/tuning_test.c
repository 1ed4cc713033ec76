/* SPDX-License-Identifier: BSD-3-Clause */
/* The patches that a tuned choice holds for, and the rows of tuning.def. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "cuda/tuning.h"

static const struct cuda_tuning choices[] = {
    {4, TUNED_NORM, false, 64, TUNED_FV4_SWEEP_ROWS, 4},
    {4, TUNED_NORM, false, 128, TUNED_FV4_SWEEP_ROWS, 8},
    {4, TUNED_NORM, true, 512, TUNED_FV4_SWEEP_ROWS, 16},
    {2, TUNED_NORM, false, 512, TUNED_FV2_RESIDUAL_FEW_ROWS, 32},
};

static int choose_choices(void **state)
{
    (void)state;
    cuda_tune(choices, sizeof choices / sizeof choices[0]);
    return 0;
}

/* Its planes, 0 if there is none. */
static int planes_of(double cells)
{
    const struct cuda_tuning *t = cuda_tuning_for(4, TUNED_NORM, false, cells);
    return t ? t->planes : 0;
}

static void the_nearest_one_holds(void **state)
{
    (void)state;
    assert_int_equal(planes_of(64. * 64 * 64), 4);
    assert_int_equal(planes_of(64. * 64 * 128), 4);
    assert_int_equal(planes_of(128. * 128 * 64), 8);
    assert_int_equal(planes_of(128. * 128 * 128), 8);
    assert_int_equal(planes_of(160. * 160 * 160), 8);
}

static void none_holds_for_much_larger_or_smaller_ones(void **state)
{
    (void)state;
    assert_int_equal(planes_of(44. * 44 * 44), 0);
    assert_int_equal(planes_of(192. * 192 * 192), 0);
    assert_int_equal(planes_of(512. * 512 * 512), 0);
    assert_int_equal(planes_of(1024. * 1024 * 1024), 0);
}

static void other_stages_and_operators_have_their_own(void **state)
{
    const double cells = 512. * 512 * 512;
    (void)state;
    assert_int_equal(cuda_tuning_for(4, TUNED_NORM, true, cells)->planes, 16);
    assert_int_equal(cuda_tuning_for(2, TUNED_NORM, false, cells)->planes, 32);
    assert_null(cuda_tuning_for(2, TUNED_RESTRICT, false, cells));
}

static const struct {
    const char *device, *text;
} rows[] = {
#define ROW(device, text) {device, text},
#include "cuda/tuning.def"
};

static void every_row_is_legal_and_has_patches_of_its_own(void **state)
{
    struct cuda_tuning t, other;
    char text[TUNING_TEXT_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(cuda_tuning_read(&t, rows[i].text));
        cuda_tuning_write(&t, text);
        assert_string_equal(text, rows[i].text);
        for (size_t j = 0; j < i; j++)
            if (strcmp(rows[i].device, rows[j].device) == 0 &&
                cuda_tuning_read(&other, rows[j].text))
                assert_false(cuda_tuning_is_for(&other, t.order, t.stage, t.helmholtz) &&
                             other.n == t.n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_one_holds),
        cmocka_unit_test(none_holds_for_much_larger_or_smaller_ones),
        cmocka_unit_test(other_stages_and_operators_have_their_own),
        cmocka_unit_test(every_row_is_legal_and_has_patches_of_its_own),
    };
    return cmocka_run_group_tests(tests, choose_choices, NULL);
}
