/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a user's text reaches the terminal in a message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "cli/command_line.h"

static void expect(const char *given, const char *shown)
{
    char text[64];
    strcpy(text, given);
    message_make_one_line(text);
    assert_string_equal(text, shown);
}

static void letters_stay(void **state)
{
    (void)state;
    const char *const texts[] = {"", "~/plain [text]",
                                 "J\xc3\xbcrgen \xe6\x97\xa5 \xf0\x9f\x98\x80"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        expect(texts[t], texts[t]);
}

static void control_characters_do_not(void **state)
{
    (void)state;
    expect("a\nb\tc\r\x1b[2J\x7f", "a?b?c??[2J?");
    expect("a\x9b\xc2\x9b", "a???"); /* 155, as a byte and as a character */
}

/* A terminal may take them for other characters, or wait for their end. */
static void what_is_no_utf8_does_not(void **state)
{
    (void)state;
    expect("\xe9t\xe9", "?t?");              /* Latin-1 */
    expect("\xc3", "?");                     /* cut short */
    expect("\xe6\x97z", "??z");              /* in the middle */
    expect("\xc0\x9b", "??");                /* 27, too long */
    expect("\xf5\x80\x80\x80\xff", "?????"); /* beyond Unicode */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_stay),
        cmocka_unit_test(control_characters_do_not),
        cmocka_unit_test(what_is_no_utf8_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
