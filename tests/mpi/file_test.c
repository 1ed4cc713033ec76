/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that ranks write together: boxes land where a plain loop would put them, and all ranks know
 * of a file that could not be opened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/memory.h"
#include "comm/comm.h"
#include "comm/file.h"
#include "support/random.h"
#include "support/run.h"

enum { CASES = 30, HEAD = 24, MOST = 17, PATH_SIZE = 256 };

/* The same name on all ranks, of an empty file that rank 0 makes. */
static void make_file(char path[PATH_SIZE])
{
    const char *folder = getenv("TMPDIR");
    if (comm_rank() == 0) {
        snprintf(path, PATH_SIZE, "%s/file_test.XXXXXX", folder ? folder : "/tmp");
        const int descriptor = mkstemp(path);
        assert_true(descriptor >= 0);
        close(descriptor);
    }
    comm_broadcast(comm_world(), path, PATH_SIZE);
}

static double value_of(int i, int j, int k)
{
    return i + 100.0 * j + 10000.0 * k + 0.5;
}

/* Writes planes of the box of rows [lo, hi) in j, one k after the other. Every rank makes as many
 * calls. */
static void write_rows(struct comm_file *f, const int n[3], int lo, int hi)
{
    double *values = memory_alloc(sizeof *values * MOST * MOST, "values");
    for (int k = 0; k < n[2]; k++) {
        const int from[3] = {0, lo, k}, to[3] = {hi > lo ? n[0] : 0, hi, k + 1};
        for (int j = lo, at = 0; j < hi; j++)
            for (int i = 0; i < n[0]; i++)
                values[at++] = value_of(i, j, k);
        comm_file_write_box(f, HEAD, n, from, to, values);
    }
    memory_free(values);
}

static void expect_cells(const char *path, const int n[3])
{
    char head[HEAD];
    double value;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, HEAD, file), HEAD);
    assert_memory_equal(head, "the head of this file   ", HEAD);
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                assert_int_equal(fread(&value, sizeof value, 1, file), 1);
                assert_true(value == value_of(i, j, k));
            }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
}

/* Rank r has the rows from cuts[r] on; some ranks have none. */
static void boxes_land_in_their_places(void **state)
{
    (void)state;
    char path[PATH_SIZE], reason[200];
    for (int number = 0; number < CASES; number++) {
        random_begin(number);
        const int n[3] = {random_int(1, MOST), random_int(1, MOST), random_int(1, MOST)};
        int lo = 0, hi = 0;
        for (int rank = 0; rank <= comm_rank(); rank++) {
            lo = hi;
            hi = random_int(lo, n[1]);
        }
        hi = comm_rank() == comm_size() - 1 ? n[1] : hi;
        struct comm_file f;
        make_file(path);
        comm_file_open(&f, path);
        if (comm_rank() == 0)
            comm_file_write(&f, 0, "the head of this file   ", HEAD);
        write_rows(&f, n, lo, hi);
        assert_true(comm_file_close(&f, reason, sizeof reason));
        expect_cells(path, n);
        comm_barrier(comm_world());
        if (comm_rank() == 0)
            unlink(path);
    }
}

static void a_missing_file_is_known_to_all(void **state)
{
    (void)state;
    struct comm_file f;
    char reason[200] = "";
    const int n[3] = {4, 4, 4};
    comm_file_open(&f, "/nowhere/at/all");
    write_rows(&f, n, 0, 0);
    comm_file_write(&f, 0, "x", 1);
    assert_false(comm_file_close(&f, reason, sizeof reason));
    assert_non_null(strstr(reason, "rank 0: MPI_File_open: "));
    assert_null(strchr(reason, '\n'));
}

int main(int argc, char **argv)
{
    comm_start(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_land_in_their_places),
        cmocka_unit_test(a_missing_file_is_known_to_all),
    };
    return finish_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
