/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written whole or left alone: what is there after success, after a full disk (a
 * limit on file sizes stands in for it), where links lie in the way, after a program that ended
 * too early, and where nothing can be written at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/output_file.h"
#include "cli/partial_file.h"
#include "base/memory.h"
#include "support/child.h"

enum { LIMIT = 4096, TEXT_SIZE = 3 * LIMIT };

static char folder[] = "/tmp/output_file_test.XXXXXX";
static char path[64], target[64], loop[64];

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

/* In the folder of the tests. */
static int count_files(void)
{
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *e; (e = readdir(entries)) != NULL;)
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(entries);
    return count;
}

static void write_good(const char *name, const char *text)
{
    struct output_file *file = output_file_open("json", name);
    assert_non_null(file);
    assert_true(output_file_write(file, text));
}

static void a_new_file_is_written(void **state)
{
    (void)state;
    write_good(path, "new\n");
    expect_contents(path, "new\n");
    assert_int_equal(count_files(), 1);
}

static void an_old_file_stays_until_the_new_one_is_whole(void **state)
{
    (void)state;
    put(path, "a longer old text\n");
    struct output_file *file = output_file_open("json", path);
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

static void permissions_of_an_old_file_stay(void **state)
{
    (void)state;
    struct stat s;
    put(path, "old\n");
    assert_int_equal(chmod(path, 0604), 0);
    write_good(path, "new\n");
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0604);
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

static void a_link_to_nothing_is_refused_and_stays(void **state)
{
    (void)state;
    struct stat s;
    assert_int_equal(symlink(target, path), 0);
    assert_null(output_file_open("json", path));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(symlink(loop, loop), 0);
    assert_null(output_file_open("json", loop));
    assert_int_equal(errno, ELOOP);
    assert_int_equal(lstat(path, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    assert_int_equal(count_files(), 2);
}

/* Somebody who knows which name the partial file will have has put a link there. */
static void a_planted_link_is_not_followed(void **state)
{
    (void)state;
    char name[160];
    put(target, "precious\n");
    snprintf(name, sizeof name, "%s.partial", path);
    assert_int_equal(symlink(target, name), 0);
    struct output_file *file = output_file_open("json", path);
    assert_non_null(file);
    expect_contents(target, "precious\n");
    assert_true(output_file_write(file, "new\n"));
    expect_contents(target, "precious\n");
    unlink(name);
    snprintf(name, sizeof name, "%s.%ld-0.partial", path, (long)getpid());
    assert_int_equal(symlink(target, name), 0);
    write_good(path, "newer\n");
    expect_contents(target, "precious\n");
    expect_contents(path, "newer\n");
    unlink(name);
    assert_int_equal(count_files(), 2);
}

/* --- programs that end before the file is written --- */

static void begin_and_die(const void *unused)
{
    FILE *stream;
    (void)unused;
    if (partial_file_create(path, &stream) && count_files() == 1)
        die(STATUS_MEMORY, "cause");
}

static void begin_and_exit(const void *unused)
{
    FILE *stream;
    (void)unused;
    if (partial_file_create(path, &stream) && count_files() == 1)
        exit(STATUS_MEMORY);
}

static void nothing_is_left_by_a_program_that_dies(void **state)
{
    (void)state;
    assert_int_equal(child_run(begin_and_die, NULL).status, STATUS_MEMORY);
    assert_int_equal(count_files(), 0);
    assert_int_equal(child_run(begin_and_exit, NULL).status, STATUS_MEMORY);
    assert_int_equal(count_files(), 0);
}

/* Two files; the one that is finished first does not end the care for the other. */
static void begin_and_raise(const void *number)
{
    FILE *stream;
    struct partial_file *first = partial_file_create(path, &stream);
    if (first && partial_file_create(target, &stream) && partial_file_finish(first) &&
        count_files() == 2)
        raise(*(const int *)number);
}

static void *raise_in_thread(void *number)
{
    kill(getpid(), *(const int *)number); /* the main thread blocks it */
    return NULL;
}

/* As when a library's thread is given the signal. */
static void begin_and_raise_elsewhere(const void *number)
{
    FILE *stream;
    sigset_t all, before;
    pthread_t thread;
    int copy = *(const int *)number;
    if (!partial_file_create(path, &stream))
        return;
    sigfillset(&all);
    if (pthread_create(&thread, NULL, raise_in_thread, &copy) != 0)
        return;
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void nothing_is_left_by_a_signal(void **state)
{
    (void)state;
    const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGPIPE};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        assert_int_equal(child_run(begin_and_raise, &numbers[n]).status, -1);
        assert_int_equal(count_files(), 1);
        unlink(path);
        assert_int_equal(child_run(begin_and_raise_elsewhere, &numbers[n]).status, -1);
        assert_int_equal(count_files(), 0);
    }
}

/* No partial file is there while the program computes, so no way to end it leaves one. */
static void nothing_is_there_between_opening_and_writing(void **state)
{
    (void)state;
    struct output_file *file = output_file_open("json", path);
    assert_non_null(file);
    assert_int_equal(count_files(), 0);
    assert_true(signal(SIGTERM, SIG_DFL) == SIG_DFL);
    assert_true(output_file_write(file, "new\n"));
    expect_contents(path, "new\n");
}

static volatile sig_atomic_t caught;

static void catch_signal(int number)
{
    caught = number;
}

static void handlers_are_as_before(void **state)
{
    (void)state;
    char name[64];
    FILE *stream;
    signal(SIGTERM, catch_signal);
    signal(SIGHUP, SIG_IGN);
    struct partial_file *file = partial_file_create(path, &stream);
    assert_non_null(file);
    raise(SIGHUP);
    assert_int_equal(count_files(), 1);
    assert_int_equal(fclose(stream), 0);
    partial_file_remove(file);
    assert_int_equal(count_files(), 0);
    raise(SIGTERM);
    assert_int_equal(caught, SIGTERM);
    assert_true(signal(SIGTERM, SIG_DFL) == catch_signal);
    assert_true(signal(SIGHUP, SIG_DFL) == SIG_IGN);
    assert_true(signal(SIGINT, SIG_DFL) == SIG_DFL);
    snprintf(name, sizeof name, "%s/none/report", folder);
    assert_null(partial_file_create(name, &stream));
    assert_true(signal(SIGINT, SIG_DFL) == SIG_DFL);
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
    struct output_file *file = output_file_open("json", path);
    assert_non_null(file);
    assert_false(write_too_much(file));
    assert_int_equal(errno, EFBIG);
    expect_contents(path, "old\n");
    assert_int_equal(count_files(), 1);
}

static void a_full_device_is_noticed(void **state)
{
    (void)state;
    struct output_file *file = output_file_open("json", "/dev/full");
    assert_non_null(file);
    assert_false(output_file_write(file, "text\n"));
    assert_int_equal(errno, ENOSPC);
}

static void what_cannot_be_written_is_refused_with_a_reason(void **state)
{
    (void)state;
    char name[400];
    snprintf(name, sizeof name, "%s/none/report", folder);
    assert_null(output_file_open("json", name));
    assert_int_equal(errno, ENOENT);
    assert_null(output_file_open("json", folder));
    assert_int_equal(errno, EISDIR);
    memset(name, 'x', 300);
    name[300] = '\0';
    assert_null(output_file_open("json", name));
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
    unlink(target);
    unlink(loop);
    return memory_live_blocks() == 0 ? 0 : -1;
}

static int create_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/report", folder);
    snprintf(loop, sizeof loop, "%s/loop", folder);
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
        TEST(a_new_file_is_written),          TEST(an_old_file_stays_until_the_new_one_is_whole),
        TEST(permissions_follow_the_mask),    TEST(permissions_of_an_old_file_stay),
        TEST(a_link_leads_to_the_new_file),   TEST(a_link_to_nothing_is_refused_and_stays),
        TEST(a_planted_link_is_not_followed), TEST(nothing_is_left_by_a_program_that_dies),
        TEST(nothing_is_left_by_a_signal),    TEST(nothing_is_there_between_opening_and_writing),
        TEST(handlers_are_as_before),         TEST(a_full_disk_leaves_the_old_file),
        TEST(a_full_device_is_noticed),       TEST(what_cannot_be_written_is_refused_with_a_reason),
        TEST(a_device_is_written_directly),
    };
    return cmocka_run_group_tests(tests, create_folder, remove_folder);
}
