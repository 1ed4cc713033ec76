/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in JSON read back as the same doubles, and what is no number is null. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <unistd.h>
#include "base/memory.h"
#include "cli/json.h"
#include "support/random.h"

enum { NUMBERS = 2000 };

static double random_double(void)
{
    const uint64_t bits = random_bits();
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The text of an object as it comes in a file. Freed by the caller. */
static char *text_of(const struct json *root)
{
    enum { SIZE = 64 * NUMBERS };
    char path[] = "/tmp/json_test.XXXXXX";
    char *text = memory_alloc_zero(SIZE, "the text of a file");
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    struct output_file *json = output_file_open("json", path, 0);
    assert_non_null(json);
    assert_true(json_write(json, root));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, SIZE - 1, file) > 0);
    fclose(file);
    assert_int_equal(unlink(path), 0);
    return text;
}

static void numbers_read_back_as_they_were(void **state)
{
    (void)state;
    struct json *root = json_object();
    for (long number = 0; number < NUMBERS; number++) {
        random_begin(number);
        json_add_number(root, "x", random_double());
    }
    char *text = text_of(root);
    const char *at = text;
    for (long number = 0; number < NUMBERS; number++) {
        random_begin(number);
        const double x = random_double();
        at = strstr(at, "\"x\":");
        assert_non_null(at);
        at += strlen("\"x\":");
        at += strspn(at, " \t");
        EXPECT(isfinite(x) ? strtod(at, NULL) == x : strncmp(at, "null", 4) == 0);
    }
    memory_free(text);
    json_destroy(root);
    assert_int_equal(memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_back_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
