/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program says of its stages: the bytes that each must move, and the seconds of all its
 * executions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <time.h>
#include "cpu/cpu.h"
#include "operators/pass.h"
#include "support/run.h"
#include "support/solve_case.h"

enum { LOG2_DIM = 3, DIM = 1 << LOG2_DIM, CELLS = DIM * DIM * DIM };

static void find_stage(void *data, struct program *p)
{
    *(struct program **)data = p;
}

/* Bytes of the first stage of that name on the finest level of an F-cycle; -1 if there is none. */
static double bytes_of(struct hierarchy_choice choice, const char *name)
{
    char buffer[64];
    double bytes = -1.0;
    struct program *p = NULL;
    struct hierarchy *h = hierarchy_create(&choice);
    struct solver *s = solver_create(h, 0, (struct solver_choice){.f_cycle = true});
    solver_programs(s, find_stage, &p);
    for (int i = 0; i < p->count && bytes < 0.0; i++)
        if (p->stages[i].level == 0 &&
            strcmp(stage_name(&p->stages[i], buffer, sizeof buffer), name) == 0)
            bytes = stage_bytes(p, &p->stages[i]);
    solver_destroy(s);
    hierarchy_destroy(h);
    return bytes;
}

static struct hierarchy_choice choice_of(bool helmholtz, bool variable, bool periodic)
{
    struct hierarchy_choice choice =
        case_choice(2, helmholtz, periodic, SMOOTHER_GSRB, LOG2_DIM, 1);
    choice.op.variable = variable;
    return choice;
}

/* u written, f, D⁻¹ and the coefficients read; an eighth of a value comes from the coarse level and
 * an eighth goes there. */
static void a_pass_moves_each_array_once(void **state)
{
    (void)state;
    static const struct {
        bool helmholtz, variable;
        double values; /* per cell */
    } table[] = {
        {false, false, 1 + 1 + 1 + 2.0 / 8},
        {true, false, 1 + 1 + 1 + 2.0 / 8},
        {false, true, 1 + 1 + 1 + 3 + 2.0 / 8},
        {true, true, 1 + 1 + 1 + 4 + 2.0 / 8},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const double bytes = bytes_of(choice_of(table[i].helmholtz, table[i].variable, false),
                                      "interpolate+smooth+residual+restrict");
        assert_true(bytes == 8.0 * table[i].values * CELLS);
    }
}

/* Around one periodic box each ghost is read once and written once. */
static void a_halo_reads_and_writes_each_ghost(void **state)
{
    (void)state;
    bool found = false;
    const double bytes = bytes_of(choice_of(false, true, true), "halo");
    for (int layers = 1; layers <= 3; layers++) {
        const int side = DIM + 2 * layers;
        found = found || bytes == 16.0 * (side * side * side - CELLS);
    }
    assert_true(found);
}

static void restricting_reads_eight_values_for_one(void **state)
{
    (void)state;
    assert_true(bytes_of(choice_of(false, true, false), "restrict") == 8.0 * 9 / 8 * CELLS);
    assert_true(bytes_of(choice_of(false, true, true), "mean") == 8.0 * 3 * CELLS);
}

/* --- seconds --- */

static struct passes passes;
static struct backend backend;
static long pause_nanoseconds;

static void run_slowly(const struct pass *pass)
{
    const struct timespec pause = {0, pause_nanoseconds};
    if (pause_nanoseconds > 0)
        nanosleep(&pause, NULL);
    cpu_passes.run(pass);
}

/* The first execution is slow, and its time stays in the sum. */
static void seconds_are_summed_over_executions(void **state)
{
    (void)state;
    static struct solve_result result;
    passes = cpu_passes;
    passes.run = run_slowly;
    backend = backend_cpu;
    backend.passes = &passes;
    struct hierarchy_choice choice = choice_of(false, true, false);
    choice.placement.backend = &backend;
    struct hierarchy *h = hierarchy_create(&choice);
    struct solver *s = solver_create(h, 0, (struct solver_choice){.f_cycle = true});
    program_time(s->first, true);
    pause_nanoseconds = 20000000;
    solver_run(s, &result);
    pause_nanoseconds = 0;
    solver_run(s, &result);
    for (int i = 0; i < s->first->count; i++)
        if (s->first->stages[i].kind == STAGE_PASS)
            assert_true(s->first->times[i].total >= 0.02);
    solver_destroy(s);
    hierarchy_destroy(h);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_moves_each_array_once),
        cmocka_unit_test(a_halo_reads_and_writes_each_ghost),
        cmocka_unit_test(restricting_reads_eight_values_for_one),
        cmocka_unit_test(seconds_are_summed_over_executions),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
