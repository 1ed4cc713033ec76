/* Files that are written whole or left alone: what is there after success, after a full disk (a
 * limit on file sizes stands in for it), and where nothing can be written at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/output_file.h"
#include "base/memory.h"

enum { LIMIT = 4096, TEXT_SIZE = 3 * LIMIT };

static char folder[] = "/tmp/output_file_test.XXXXXX";
static char path[64], partial[80], target[64];

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
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

static void write_good(const char *name, const char *text)
{
    struct output_file *file = output_file_open(name);
    assert_non_null(file);
    assert_true(output_file_write(file, text));
}

static void a_new_file_is_written(void **state)
{
    (void)state;
    write_good(path, "new\n");
    expect_contents(path, "new\n");
    assert_int_not_equal(access(partial, F_OK), 0);
}

static void an_old_file_stays_until_the_new_one_is_whole(void **state)
{
    (void)state;
    put(path, "a longer old text\n");
    struct output_file *file = output_file_open(path);
    assert_non_null(file);
    expect_contents(path, "a longer old text\n");
    assert_true(output_file_write(file, "new\n"));
    expect_contents(path, "new\n");
}

static void permissions_follow_the_mask(void **state)
{
    (void)state;
    struct stat s;
    const mode_t mask = umask(027);
    write_good(path, "new\n");
    umask(mask);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0640);
}

static void a_link_leads_to_the_new_file(void **state)
{
    (void)state;
    struct stat s;
    put(target, "old\n");
    assert_int_equal(symlink(target, path), 0);
    write_good(path, "new\n");
    assert_int_equal(lstat(path, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    expect_contents(target, "new\n");
}

static void fill(char *text)
{
    memset(text, 'x', TEXT_SIZE - 1);
    text[TEXT_SIZE - 1] = '\0';
}

/* Writes more than fits; the limit ends with it. */
static bool write_too_much(struct output_file *file)
{
    static char text[TEXT_SIZE];
    struct rlimit old;
    fill(text);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    const struct rlimit small = {LIMIT, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const bool good = output_file_write(file, text);
    const int reason = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_DFL);
    errno = reason;
    return good;
}

static void a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    put(path, "old\n");
    struct output_file *file = output_file_open(path);
    assert_non_null(file);
    assert_false(write_too_much(file));
    assert_int_equal(errno, EFBIG);
    expect_contents(path, "old\n");
    assert_int_not_equal(access(partial, F_OK), 0);
}

static void a_full_device_is_noticed(void **state)
{
    (void)state;
    struct output_file *file = output_file_open("/dev/full");
    assert_non_null(file);
    assert_false(output_file_write(file, "text\n"));
    assert_int_equal(errno, ENOSPC);
}

static void what_cannot_be_written_is_refused_with_a_reason(void **state)
{
    (void)state;
    char name[400];
    snprintf(name, sizeof name, "%s/none/report", folder);
    assert_null(output_file_open(name));
    assert_int_equal(errno, ENOENT);
    assert_null(output_file_open(folder));
    assert_int_equal(errno, EISDIR);
    memset(name, 'x', 300);
    name[300] = '\0';
    assert_null(output_file_open(name));
    assert_int_equal(errno, ENAMETOOLONG);
}

static void a_device_is_written_directly(void **state)
{
    (void)state;
    struct stat s;
    write_good("/dev/null", "text\n");
    assert_int_equal(stat("/dev/null", &s), 0);
    assert_true(S_ISCHR(s.st_mode));
}

static int remove_files(void **state)
{
    (void)state;
    unlink(path);
    unlink(partial);
    unlink(target);
    return memory_live_blocks() == 0 ? 0 : -1;
}

static int create_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/report", folder);
    snprintf(partial, sizeof partial, "%s.partial", path);
    snprintf(target, sizeof target, "%s/target", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

#define TEST(function) cmocka_unit_test_teardown(function, remove_files)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_file_is_written),
        TEST(an_old_file_stays_until_the_new_one_is_whole),
        TEST(permissions_follow_the_mask),
        TEST(a_link_leads_to_the_new_file),
        TEST(a_full_disk_leaves_the_old_file),
        TEST(a_full_device_is_noticed),
        TEST(what_cannot_be_written_is_refused_with_a_reason),
        TEST(a_device_is_written_directly),
    };
    return cmocka_run_group_tests(tests, create_folder, remove_folder);
}
