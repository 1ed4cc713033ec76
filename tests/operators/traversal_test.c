/* SPDX-License-Identifier: BSD-3-Clause */
/* How many threads work on a box; and the order in which a tiled traversal works on rows, seen by
 * steps that only take notes: each row is worked on once for each operation, after all that it
 * reads; and the rows that a wall's ghosts follow from are one thread's.
 *
 * A thread sanitizer would see the last point only if two threads happened to meet there, and needs
 * an OpenMP library that is instrumented. Who works on a row is fixed by the number of threads, so
 * the notes show it every time. */
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <time.h>
#include "base/memory.h"
#include "backend/context.h"
#include "cpu/operations.h"

enum {
    THREADS = 4,
    MAX_THREADS = 16,
    MARGIN = 16,
    QUARTIC_ROWS = 4 /* that a ghost of order 4 follows from */
};

/* What became of one row in one operation. */
struct note {
    int times, thread;
    long when;
};

static struct {
    const struct patch *patch;
    struct note *notes; /* by operation, plane and row */
    atomic_long clock, steps;
    bool delays;
} seen;

static int span(int d)
{
    return seen.patch->n[d] + 2 * MARGIN;
}

static struct note *note_of(int op, int j, int k)
{
    return &seen.notes[((long)op * span(2) + k + MARGIN) * span(1) + j + MARGIN];
}

/* Now and then a step takes long, so that a thread that should wait for it and does not is ahead.
 */
static void delay(void)
{
    static const struct timespec time = {.tv_nsec = 50000};
    if (seen.delays && atomic_fetch_add(&seen.steps, 1) % 64 == 0)
        nanosleep(&time, NULL);
}

static void take_notes(const struct patch_pass *p, const struct operation *op, struct range rows,
                       struct range planes, struct thread_state *state)
{
    (void)p;
    (void)state;
    delay();
    for (int plane = planes.low; plane < planes.high; plane++)
        for (int j = rows.low; j < rows.high; j++) {
            struct note *note = note_of(op->sweep, j, plane);
            note->times++;
            note->thread = omp_get_thread_num();
            note->when = atomic_fetch_add(&seen.clock, 1);
        }
}

/* Operations as passes have them: each reaches `less` layers less far beyond open sides than the
 * one before it, and the last may work on pairs of rows and planes. */
static struct traversal traversal_of(const struct patch_pass *pass, int nops, int lag, int less,
                                     bool pairs)
{
    static struct thread_state states[MAX_THREADS];
    struct traversal t = {
        .pass = pass, .nops = nops, .lag = lag, .wall_cells = 2 * lag, .states = states};
    for (int op = 0; op < nops; op++)
        t.ops[op] = (struct operation){.step = take_notes,
                                       .sweep = op,
                                       .grain = pairs && op == nops - 1 ? 2 : 1,
                                       .extent = (nops - 1 - op) * less};
    return t;
}

static int low_of(const struct operation *op, int d)
{
    return seen.patch->wall[d][0] ? 0 : -op->extent;
}

static int high_of(const struct operation *op, int d)
{
    return seen.patch->n[d] + (seen.patch->wall[d][1] ? 0 : op->extent);
}

/* What a row (d = 1) or a plane (d = 2) at x reads of the operation before: its neighbours, and
 * what the ghosts among them follow from. */
static struct range read_by(const struct traversal *t, int d, int x)
{
    const int n = seen.patch->n[d];
    struct range r = {x - t->lag, x + t->lag + 1};
    if (seen.patch->wall[d][0] && r.low < 0 && r.high < t->wall_cells)
        r.high = t->wall_cells;
    if (seen.patch->wall[d][1] && r.high > n && r.low > n - t->wall_cells)
        r.low = n - t->wall_cells;
    return r;
}

/* All that operation `op` reads of the one before it has been written. */
static void check_order(const struct traversal *t, int op, int j, int k)
{
    const struct operation *before = &t->ops[op - 1];
    const struct range rows = read_by(t, 1, j), planes = read_by(t, 2, k);
    for (int plane = planes.low; plane < planes.high; plane++)
        for (int row = rows.low; row < rows.high; row++)
            if (plane >= low_of(before, 2) && plane < high_of(before, 2) &&
                row >= low_of(before, 1) && row < high_of(before, 1))
                assert_true(note_of(op - 1, row, plane)->when < note_of(op, j, k)->when);
}

static void check_operation(const struct traversal *t, int op)
{
    const struct operation *o = &t->ops[op];
    for (int k = -MARGIN; k < span(2) - MARGIN; k++)
        for (int j = -MARGIN; j < span(1) - MARGIN; j++) {
            const bool wanted =
                k >= low_of(o, 2) && k < high_of(o, 2) && j >= low_of(o, 1) && j < high_of(o, 1);
            assert_int_equal(note_of(op, j, k)->times, wanted);
            if (wanted && op > 0)
                check_order(t, op, j, k);
        }
}

/* Of the rows next to the walls in j. Those at the end of the patch are its last. */
static void check_walls(const struct traversal *t, int op)
{
    const int n = seen.patch->n[1];
    for (int k = 0; k < seen.patch->n[2]; k++)
        for (int row = 1; row < QUARTIC_ROWS && t->ops[op].grain == 1; row++) {
            assert_int_equal(note_of(op, row, k)->thread, note_of(op, 0, k)->thread);
            assert_int_equal(note_of(op, n - 1 - row, k)->thread, note_of(op, n - 1, k)->thread);
        }
}

/* Takes notes of a tiled traversal of the operations. The caller frees them. */
static void trace(const struct traversal *t)
{
    seen.patch = t->pass->patch;
    seen.notes = memory_alloc_zero(
        (size_t)t->nops * (size_t)(span(1) * span(2)) * sizeof *seen.notes, "notes");
    traverse_tiled(t);
}

static void check(struct patch patch, int nops, int lag, int less, bool pairs)
{
    const struct patch_pass pass = {.patch = &patch};
    const struct traversal t = traversal_of(&pass, nops, lag, less, pairs);
    trace(&t);
    for (int op = 0; op < nops; op++) {
        check_operation(&t, op);
        check_walls(&t, op);
    }
    memory_free(seen.notes);
}

static struct patch patch_of(const int n[3], int row_length)
{
    struct patch patch = {.wall = {{true, true}, {true, true}, {true, true}}};
    memcpy(patch.n, n, sizeof patch.n);
    patch.sj = row_length;
    patch.sk = patch.sj * patch.n[1];
    return patch;
}

/* All numbers of operations, lags and kinds of sides on a patch of this shape. */
static void check_shape(const int n[3])
{
    for (int lag = 1; lag <= 2; lag++)
        for (int nops = 2; nops <= 6; nops++)
            for (int variant = 0; variant < (lag > 1 ? 16 : 8); variant++) {
                /* Long rows leave few of them to a strip. */
                struct patch patch = patch_of(n, variant & 4 ? 8192 : n[0] + 16);
                patch.wall[1][0] = patch.wall[2][1] = !(variant & 1);
                check(patch, nops, lag, variant & 8 ? 1 : lag, variant & 2);
            }
}

/* Thin patches too: they leave a thread few rows of a wedge between two slabs. */
static void rows_are_worked_on_in_order(void **state)
{
    static const int shapes[][3] = {{64, 8, 64},  {96, 6, 64},  {32, 12, 64},
                                    {32, 32, 32}, {16, 40, 64}, {8, 8, 8}};
    (void)state;
    omp_set_dynamic(0);
    omp_set_num_threads(THREADS);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        check_shape(shapes[s]);
}

/* Several threads share a slab, as many as there are rows for. */
static void threads_wait_for_each_other(void **state)
{
    static const int threads[] = {2, 3, 6, 16}, shapes[][3] = {{64, 50, 16}, {32, 130, 10}};
    (void)state;
    seen.delays = true;
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            omp_set_num_threads(threads[t]);
            check_shape(shapes[s]);
        }
    seen.delays = false;
}

/* On a patch with few planes the last operation has reached the first plane before the first one
 * has reached the last. */
static void thin_slabs_are_shared(void **state)
{
    static const int n[] = {32, 256, 32};
    const struct patch patch = patch_of(n, 48);
    const struct patch_pass pass = {.patch = &patch};
    const struct traversal t = traversal_of(&pass, 4, 2, 2, false);
    (void)state;
    for (int threads = 1; threads <= MAX_THREADS; threads *= 2) {
        omp_set_num_threads(threads);
        trace(&t);
        assert_true(note_of(t.nops - 1, 0, 0)->when < note_of(0, 0, n[2] - 1)->when);
        memory_free(seen.notes);
    }
}

/* One thread or all that may, and each of them with enough cells. */
static void teams_have_one_size(void **state)
{
    (void)state;
    omp_set_dynamic(0);
    omp_set_num_threads(THREADS);
    assert_int_equal(cpu_threads(8191), 1);
    assert_int_equal(cpu_threads(8192), THREADS);
    assert_int_equal(cpu_threads(1L << 40), THREADS);
    cpu_use_threads(THREADS - 1);
    assert_int_equal(cpu_threads(1L << 40), THREADS - 1);
    cpu_use_threads(THREADS + 1);
    assert_int_equal(cpu_threads(1L << 40), THREADS);
    struct context other = {.threads = 1}, *own = context_select(&other);
    assert_int_equal(cpu_threads(1L << 40), 1);
    assert_ptr_equal(context_select(own), &other);
    assert_int_equal(cpu_threads(1L << 40), THREADS);
    omp_set_num_threads(17);
    cpu_use_threads(17);
    assert_int_equal(cpu_threads(17 * 512 - 1), 1);
    assert_int_equal(cpu_threads(17 * 512), 17);
    cpu_use_threads(1000000);
}

static int team_size(void)
{
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    return size;
}

/* Threads that were ended come back. */
static void threads_can_be_released(void **state)
{
    (void)state;
    omp_set_num_threads(THREADS);
    assert_int_equal(team_size(), THREADS);
    cpu_use_threads(1);
    cpu_release_threads();
    assert_int_equal(cpu_max_threads(), 1);
    assert_int_equal(team_size(), THREADS);
    cpu_use_threads(1000000);
    cpu_release_threads();
    assert_int_equal(team_size(), THREADS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(teams_have_one_size),
        cmocka_unit_test(threads_can_be_released),
        cmocka_unit_test(rows_are_worked_on_in_order),
        cmocka_unit_test(threads_wait_for_each_other),
        cmocka_unit_test(thin_slabs_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
