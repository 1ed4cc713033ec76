/* SPDX-License-Identifier: BSD-3-Clause */
/* die(), warn() and CHECK, in child processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "support/child.h"
#include "support/random.h"

static void die_with(const void *status)
{
    die(*(const enum status *)status, "%s number %d", "cause", 7);
}

static void die_says_one_line_and_gives_its_status(void **state)
{
    (void)state;
    for (enum status s = STATUS_INVALID; s <= STATUS_SYSTEM; s++) {
        const struct child c = child_run(die_with, &s);
        assert_int_equal(c.status, s);
        assert_string_equal(c.text, "hpgmg-gpu: error: cause number 7\n");
    }
}

static void come_back(int status)
{
    (void)status;
}

static void die_with_weak_abort(const void *status)
{
    check_abort = come_back;
    die_with(status);
}

static void die_ends_the_program_even_if_abort_comes_back(void **state)
{
    (void)state;
    const enum status s = STATUS_ENVIRONMENT;
    assert_int_equal(child_run(die_with_weak_abort, &s).status, s);
}

static void die_at_length(const void *text)
{
    die(STATUS_USAGE, "%s", (const char *)text);
}

static void messages_of_any_length_are_one_line(void **state)
{
    (void)state;
    char text[3001];
    for (int number = 0; number < 50; number++) {
        random_begin(number);
        const int length = random_int(0, (int)sizeof text - 1);
        memset(text, 'x', sizeof text);
        text[length] = '\0';
        const struct child c = child_run(die_at_length, text);
        EXPECT(c.status == STATUS_USAGE);
        EXPECT(c.lines == 1);
        EXPECT(c.text[strlen(c.text) - 1] == '\n');
        EXPECT(strncmp(c.text, "hpgmg-gpu: error: ", 18) == 0);
        EXPECT(length > 1000 || (int)strlen(c.text) == 18 + length + 1);
    }
}

static void warn_once(const void *unused)
{
    (void)unused;
    warn("%d of %d", 2, 3);
}

static void warnings_go_on(void **state)
{
    (void)state;
    const struct child c = child_run(warn_once, NULL);
    assert_int_equal(c.status, CHILD_RETURNED);
    assert_string_equal(c.text, "hpgmg-gpu: warning: 2 of 3\n");
}

static void check_number(const void *number)
{
    int evaluated = 0;
    CHECK(++evaluated == *(const int *)number);
}

static void check_holds_or_ends_the_program(void **state)
{
    (void)state;
    const int one = 1, two = 2;
    const struct child good = child_run(check_number, &one), bad = child_run(check_number, &two);
    assert_int_equal(good.status, CHILD_RETURNED);
    assert_string_equal(good.text, "");
    assert_int_equal(bad.status, STATUS_SYSTEM);
    assert_int_equal(bad.lines, 1);
    assert_non_null(strstr(bad.text, "check_test.c:"));
    assert_non_null(strstr(bad.text, "++evaluated == *(const int *)number"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(die_says_one_line_and_gives_its_status),
        cmocka_unit_test(die_ends_the_program_even_if_abort_comes_back),
        cmocka_unit_test(messages_of_any_length_are_one_line),
        cmocka_unit_test(warnings_go_on),
        cmocka_unit_test(check_holds_or_ends_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
