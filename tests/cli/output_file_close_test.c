/* SPDX-License-Identifier: BSD-3-Clause */
/* A file system may report a lost write only when the file is closed. fclose() is this program's
 * own here, and fails when told to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/output_file.h"
#include "base/memory.h"

static bool fails;

int fclose(FILE *stream)
{
    int (*own)(FILE *);
    void *found = dlsym(RTLD_NEXT, "fclose");
    memcpy(&own, &found, sizeof own);
    const int result = own(stream);
    if (!fails)
        return result;
    errno = EDQUOT;
    return EOF;
}

static void a_write_that_is_lost_at_the_end_is_told(void **state)
{
    (void)state;
    char folder[] = "/tmp/output_file_close_test.XXXXXX", path[64], text[8] = "";
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    struct output_file *file = output_file_open("json", path);
    assert_non_null(file);
    assert_true(output_file_write(file, "old\n"));
    file = output_file_open("json", path);
    assert_non_null(file);
    fails = true;
    assert_false(output_file_write(file, "new\n"));
    assert_int_equal(errno, EDQUOT);
    fails = false;
    FILE *kept = fopen(path, "r");
    assert_non_null(kept);
    assert_non_null(fgets(text, sizeof text, kept));
    fclose(kept);
    assert_string_equal(text, "old\n");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left there */
    assert_int_equal(memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_that_is_lost_at_the_end_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
