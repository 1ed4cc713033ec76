/* SPDX-License-Identifier: BSD-3-Clause */
/* Libraries at run time: the first that is there, functions that work, and what is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/library.h"

static double (*square_root)(double);
static double (*missing)(double);

static void takes_the_first_file_that_exists(void **state)
{
    static const char *const files[] = {"libnone-of-that-name.so.1", "libm.so.6", NULL};
    const struct library_function functions[] = {{"sqrt", &square_root}};
    (void)state;
    assert_true(library_load(files, functions, 1));
    assert_true(square_root(9.0) == 3.0);
}

static void says_that_no_file_exists(void **state)
{
    static const char *const files[] = {"libnone-of-that-name.so.1", NULL};
    const struct library_function functions[] = {{"sqrt", &square_root}};
    (void)state;
    assert_false(library_load(files, functions, 1));
}

static void says_that_a_function_is_missing(void **state)
{
    static const char *const files[] = {"libm.so.6", NULL};
    const struct library_function functions[] = {{"sqrt", &square_root},
                                                 {"no_such_function", &missing}};
    (void)state;
    assert_false(library_load(files, functions, 2));
    assert_null(missing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_first_file_that_exists),
        cmocka_unit_test(says_that_no_file_exists),
        cmocka_unit_test(says_that_a_function_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
