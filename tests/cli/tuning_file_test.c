/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written of tuned choices is read back, every legal kind of them. */
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
#include "cli/tuning_file.h"

/* A file with one choice of every kind, each on a size of its own. */
static void fill(struct tuning_file *file)
{
    memset(file, 0, sizeof *file);
    snprintf(file->device, sizeof file->device, "Some GPU, 80 GB");
    for (int order = 2; order <= 4; order += 2)
        for (int stage = 0; stage < NUM_TUNED_STAGES; stage++) {
            int rows[MAX_TUNED_ROWS];
            const int count = cuda_tuned_rows(order, (enum cuda_tuned_stage)stage, rows);
            for (int r = 0; r < 2 * count; r++)
                file->tunings[file->count++] =
                    (struct cuda_tuning){.order = order,
                                         .stage = (enum cuda_tuned_stage)stage,
                                         .helmholtz = r % 2,
                                         .n = 32 + r,
                                         .rows = rows[r / 2],
                                         .planes = 2 * file->count};
        }
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    static struct tuning_file written, found;
    char path[] = "/tmp/tuning_file_test.XXXXXX", message[512] = "";
    fill(&written);
    assert_true(written.count > 0);
    char *text = tuning_file_text(&written);
    const int out = mkstemp(path);
    assert_true(out >= 0);
    assert_int_equal(write(out, text, strlen(text)), (int)strlen(text));
    close(out);
    memory_free(text);
    const enum status status = tuning_file_read(&found, path, message, sizeof message);
    unlink(path);
    assert_string_equal(message, "");
    assert_int_equal(status, STATUS_VALID);
    assert_string_equal(found.device, written.device);
    assert_int_equal(found.count, written.count);
    for (int i = 0; i < written.count; i++) {
        const struct cuda_tuning *a = &written.tunings[i], *b = &found.tunings[i];
        assert_int_equal(a->order, b->order);
        assert_int_equal(a->stage, b->stage);
        assert_int_equal(a->helmholtz, b->helmholtz);
        assert_int_equal(a->n, b->n);
        assert_int_equal(a->rows, b->rows);
        assert_int_equal(a->planes, b->planes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_is_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
