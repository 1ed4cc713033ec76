/* SPDX-License-Identifier: BSD-3-Clause */
/* The benchmark procedure notices a solve that does not repeat the bits of the first one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "app/benchmark.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "solvers/program.h"

/* Moves one cell of u by its last bit, from the second execution of a program on. */
static void disturb(void *data, const struct program *p, const struct stage *stage)
{
    int *executions = data;
    const struct level *l = p->hierarchy->levels[0];
    if (stage != &p->stages[p->count - 1] || stage->level != 0)
        return;
    double *u = l->fields[FIELD_U] + l->patches[0].offset;
    if (++*executions > 1)
        *u = nextafter(*u, INFINITY);
}

static struct benchmark *run(observe_fn *observe, int *executions)
{
    struct options o;
    option_set_defaults(&options_list, &o);
    o.log2_box_dim = 4;
    o.boxes_per_rank = 1;
    o.solves = 2;
    o.quiet = true;
    const struct hierarchy_choice choice = benchmark_hierarchy_choice(&o, false);
    struct hierarchy *h = hierarchy_create(&choice);
    program_observe(observe, executions);
    struct benchmark *b = benchmark_run(h, &o);
    program_observe(NULL, NULL);
    hierarchy_destroy(h);
    return b;
}

static void test_same_bits(void **state)
{
    (void)state;
    struct benchmark *b = run(NULL, NULL);
    assert_true(b->verdict.valid && b->sizes[0].reproducible);
    benchmark_destroy(b);
}

static void test_other_bits(void **state)
{
    (void)state;
    int executions = 0;
    char text[VERDICT_SIZE];
    struct benchmark *b = run(disturb, &executions);
    assert_int_equal(executions, 4); /* two to warm up, two timed */
    assert_false(b->sizes[0].reproducible);
    assert_false(b->verdict.valid);
    assert_non_null(strstr(verdict_text(&b->verdict, text, sizeof text),
                           "h: repeated solves are not bitwise identical"));
    benchmark_destroy(b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_other_bits),
    };
    comm_start(&argc, &argv);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    const bool leak = memory_live_blocks() != 0;
    comm_finish();
    return failed != 0 || leak;
}
