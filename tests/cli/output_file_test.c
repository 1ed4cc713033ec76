/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written whole or left alone: what is there after success, after a full disk (a
 * limit on file sizes stands in for it), and where links lie in the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/memory.h"
#include "cli/output_file.h"
#include "comm/comm.h"

enum { LIMIT = 4096, TEXT_SIZE = 3 * LIMIT };

static bool close_fails;

/* A file system may report a lost write only when the file is closed. */
int fclose(FILE *stream)
{
    int (*own)(FILE *);
    void *found = dlsym(RTLD_NEXT, "fclose");
    memcpy(&own, &found, sizeof own);
    const int result = own(stream);
    return close_fails ? EOF : result;
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

static void expect_contents(const char *name, const char *text)
{
    static char found[TEXT_SIZE + 1];
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    found[fread(found, 1, TEXT_SIZE, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

/* The tests' folder, which is the current one, has so many files. */
static void expect_files(size_t count)
{
    glob_t found;
    assert_int_equal(glob("*", 0, NULL, &found) == GLOB_NOMATCH ? 0 : found.gl_pathc, count);
    globfree(&found);
}

static struct output_file *opened(const char *name)
{
    struct output_file *file = output_file_open("json", name, 0);
    assert_non_null(file);
    return file;
}

static mode_t mode_of(const char *name)
{
    struct stat s;
    assert_int_equal(lstat(name, &s), 0);
    return s.st_mode;
}

static void a_file_is_replaced_when_it_is_whole(void **state)
{
    (void)state;
    const mode_t mask = umask(027);
    struct output_file *file = opened("report");
    expect_files(0);
    assert_true(output_file_write(file, "a longer first text\n"));
    umask(mask);
    assert_int_equal(mode_of("report") & 0777, 0640);
    file = opened("report");
    expect_contents("report", "a longer first text\n");
    assert_true(output_file_write(file, "new\n"));
    expect_contents("report", "new\n");
    output_file_discard(opened("report"));
    expect_contents("report", "new\n");
    expect_files(1);
}

static void a_link_leads_to_the_new_file(void **state)
{
    (void)state;
    put("target", "old\n");
    assert_int_equal(symlink("target", "report"), 0);
    assert_true(output_file_write(opened("report"), "new\n"));
    assert_true(S_ISLNK(mode_of("report")));
    expect_contents("target", "new\n");
    assert_int_equal(unlink("target"), 0);
    assert_null(output_file_open("json", "report", 0));
    assert_true(S_ISLNK(mode_of("report")));
    expect_files(1);
}

static void limit_files(bool on)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = on ? LIMIT : limit.rlim_max;
    signal(SIGXFSZ, on ? SIG_IGN : SIG_DFL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Writes more than fits; the limit ends with it. */
static bool write_too_much(struct output_file *file)
{
    static char text[TEXT_SIZE];
    memset(text, 'x', TEXT_SIZE - 1);
    limit_files(true);
    const bool good = output_file_write(file, text);
    limit_files(false);
    return good;
}

static void a_write_that_fails_leaves_the_old_file(void **state)
{
    (void)state;
    put("report", "old\n");
    assert_false(write_too_much(opened("report")));
    struct output_file *file = opened("report");
    close_fails = true;
    const bool good = output_file_write(file, "new\n");
    close_fails = false;
    assert_false(good);
    expect_contents("report", "old\n");
    expect_files(1);
}

static struct output_file *opened_together(const char *name, int bytes)
{
    struct output_file *file;
    const bool good = output_file_open_together("write-solution", name, bytes, &file);
    assert_true(good == (file != NULL));
    return file;
}

static void room_is_reserved_for_ranks_that_write_together(void **state)
{
    (void)state;
    struct stat s;
    put("report", "old\n");
    struct output_file *file = opened_together("report", 2 * LIMIT);
    expect_files(1);
    const char *partial = output_file_begin(file);
    assert_int_equal(stat(partial, &s), 0);
    assert_int_equal(s.st_size, 2 * LIMIT);
    put(partial, "new\n");
    assert_true(output_file_end(file, NULL));
    expect_contents("report", "new\n");
    expect_files(1);
}

static void too_little_room_leaves_the_old_file(void **state)
{
    (void)state;
    put("report", "old\n");
    limit_files(true);
    assert_null(opened_together("report", 2 * LIMIT));
    limit_files(false);
    struct output_file *file = opened_together("report", 2 * LIMIT);
    limit_files(true);
    assert_null(output_file_begin(file));
    limit_files(false);
    file = opened_together("report", 2 * LIMIT);
    assert_non_null(output_file_begin(file));
    assert_false(output_file_end(file, "a rank could not write"));
    assert_null(opened_together("/dev/null", 1));
    expect_contents("report", "old\n");
    expect_files(1);
}

static void devices_are_written_directly(void **state)
{
    (void)state;
    assert_true(output_file_write(opened("/dev/null"), "text\n"));
    assert_true(S_ISCHR(mode_of("/dev/null")));
    assert_false(output_file_write(opened("/dev/full"), "text\n"));
}

static void what_cannot_be_written_is_refused(void **state)
{
    (void)state;
    char name[301];
    memset(name, 'x', 300);
    name[300] = '\0';
    assert_null(output_file_open("json", "none/report", 0));
    assert_null(output_file_open("json", ".", 0));
    assert_null(output_file_open("json", name, 0));
    expect_files(0);
}

static char folder[] = "/tmp/output_file_test.XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int remove_files(void **state)
{
    (void)state;
    unlink("report");
    unlink("target");
    return memory_live_blocks() == 0 ? 0 : -1;
}

#define TEST(function) cmocka_unit_test_teardown(function, remove_files)

int main(int argc, char **argv)
{
    comm_start(&argc, &argv);
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_replaced_when_it_is_whole),
        TEST(a_link_leads_to_the_new_file),
        TEST(a_write_that_fails_leaves_the_old_file),
        TEST(devices_are_written_directly),
        TEST(what_cannot_be_written_is_refused),
        TEST(room_is_reserved_for_ranks_that_write_together),
        TEST(too_little_room_leaves_the_old_file),
    };
    const int failed = cmocka_run_group_tests(tests, enter, leave);
    comm_finish();
    return failed;
}
