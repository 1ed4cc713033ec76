/* SPDX-License-Identifier: BSD-3-Clause */
/* The benchmark procedure: a solve that does not repeat the bits of the first one, how many solves
 * are timed, and what is made of their times, of those of stages, copies and trials. The clock is
 * the test's own, so nothing here depends on the machine. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "app/benchmark.h"
#include "app/breakdown.h"
#include "config/threshold.h"
#include "app/verdict.h"
#include "base/memory.h"
#include "base/timer.h"
#include "solvers/program.h"
#include "support/run.h"

/* Seconds that pass from one reading to the next, by turns, with each reading so many more, and
 * before each of the first four, those of the warm-up solves, so many more. */
static struct {
    double now, steps[6], more, warming;
    int count;
    long readings;
} fake;

double timer_seconds(void)
{
    fake.now += fake.steps[fake.readings % fake.count] + fake.more * (double)fake.readings +
                (fake.readings < 4 ? fake.warming : 0.0);
    fake.readings++;
    return fake.now;
}

static struct record *run_with(char *option, long solves, double min_time)
{
    static char name[] = "hpgmg-gpu", size[] = "3", boxes[] = "1";
    char *argv[] = {name, option, size, boxes};
    char message[200];
    struct options options;
    assert_int_equal(options_parse(&options, 4, argv, message, sizeof message), STATUS_VALID);
    options.solves = solves;
    options.min_time = min_time;
    const struct hierarchy_choice choice = benchmark_hierarchy_choice(&options, false);
    struct hierarchy *h = hierarchy_create(&choice);
    fake.readings = 0;
    struct record *b = record_create(&options, h);
    benchmark_run(b, h, &options);
    hierarchy_destroy(h);
    option_release(&options_list, &options);
    return b;
}

static struct record *run(long solves, double min_time)
{
    static char quiet[] = "--quiet";
    return run_with(quiet, solves, min_time);
}

/* 1/64 s from reading to reading. */
static void as_many_solves_as_fill_the_time(void **state)
{
    (void)state;
    static const struct {
        double min_time;
        long solves;
    } table[] = {{1.0, 64}, {2.0, 128}, {0.5, 32}, {1.01, 65}, {0.1, 10}};
    fake.count = 1;
    fake.steps[0] = 1.0 / 64;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct record *b = run(0, table[i].min_time);
        for (int s = 0; s < b->nsizes; s++) {
            assert_int_equal(b->sizes[s].solves, table[i].solves);
            assert_true(b->sizes[s].mean == 1.0 / 64);
            assert_true(b->sizes[s].deviation == 0.0);
        }
        record_destroy(b);
    }
}

/* Solves of 1, 2 and 6 s by turns; readings before and after them are a second apart. */
static void take_turns(void)
{
    fake.count = 6;
    for (int i = 0; i < 6; i++)
        fake.steps[i] = i % 2 == 0 ? 1.0 : (double[]){1.0, 2.0, 6.0}[i / 2];
}

/* What warm-up solves take does not matter, nor what a single solve does. */
static void the_time_is_filled_whatever_solves_take(void **state)
{
    (void)state;
    fake.count = 1;
    fake.steps[0] = 1.0 / 64;
    fake.warming = 10.0;
    struct record *b = run(0, 1.0);
    assert_int_equal(b->sizes[0].solves, 64);
    assert_true(b->sizes[0].total == 1.0);
    record_destroy(b);
    fake.warming = 0.0;
    static const struct {
        double min_time, total;
        long solves;
    } table[] = {{30.0, 33.0, 10}, {33.0, 33.0, 10}, {33.5, 34.0, 11}, {34.5, 36.0, 12}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        take_turns(); /* 1 and 2 to warm up, then 6, 1, 2, … */
        b = run(0, table[i].min_time);
        assert_int_equal(b->sizes[0].solves, table[i].solves);
        assert_true(b->sizes[0].total == table[i].total);
        record_destroy(b);
    }
}

static void times_are_summed_up(void **state)
{
    (void)state;
    take_turns();
    struct record *b = run(6, 0.0);
    for (int s = 0; s < b->nsizes; s++) {
        const struct size_record *r = &b->sizes[s];
        assert_int_equal(r->solves, 6);
        assert_true(r->min == 1.0 && r->max == 6.0 && r->median == 2.0 && r->mean == 3.0);
        assert_true(fabs(r->deviation - sqrt(2.0 * (4 + 1 + 9) / 5)) < 1e-12);
        assert_true(r->total == 18.0 && r->spread == (6.0 - 1.0) / 2.0 && r->drift == 0.0);
        assert_true(size_noise(r) == r->spread && size_is_noisy(r));
        assert_true(r->dof_per_second == pow(r->n[0], 3) / 2.0);
    }
    record_destroy(b);
}

/* Of solves of 5, 7, 9, 11 and 13 s the last two take twice as long as the first two. */
static void drift_is_noise(void **state)
{
    (void)state;
    fake.count = 1;
    fake.steps[0] = 0.0;
    fake.more = 1.0;
    struct record *b = run(5, 0.0);
    const struct size_record *r = &b->sizes[0];
    assert_true(r->median == 9.0 && r->spread == 6.0 / 9.0 && r->drift == 1.0);
    assert_true(size_noise(r) == 1.0);
    struct size_record faster = *r;
    faster.drift = -0.5;
    faster.spread = 0.01;
    assert_true(size_noise(&faster) == 0.5 && size_is_noisy(&faster));
    faster.drift = -0.1;
    assert_true(!size_is_noisy(&faster));
    record_destroy(b);
    fake.more = 0.0;
    fake.steps[0] = 1.0;
    b = run(1, 0.0);
    assert_true(isnan(b->sizes[0].spread) && isnan(b->sizes[0].drift));
    assert_true(isnan(size_noise(&b->sizes[0])) && size_is_noisy(&b->sizes[0]));
    record_destroy(b);
}

/* As in HPGMG, whose solves begin with the norm of f. */
static void solves_of_the_benchmark_measure_f(void **state)
{
    (void)state;
    struct options options;
    struct solve_result *result = memory_alloc(sizeof *result, "result");
    option_set_defaults(&options_list, &options);
    options.log2_box_dim = 3;
    options.boxes_per_rank = 1;
    const struct hierarchy_choice choice = benchmark_hierarchy_choice(&options, false);
    struct hierarchy *h = hierarchy_create(&choice);
    for (int measures = 0; measures < 2; measures++) {
        options.benchmark = measures;
        struct solver *s = solver_create(h, 0, benchmark_solver_choice(&options));
        const double norm = s->rhs_norm;
        s->rhs_norm = -1.0;
        solver_run(s, result);
        assert_true(s->rhs_norm == (measures ? norm : -1.0));
        solver_destroy(s);
    }
    hierarchy_destroy(h);
    option_release(&options_list, &options);
    memory_free(result);
}

static bool close_to(double a, double b)
{
    return fabs(a - b) < 1e-9 * fabs(b);
}

/* Each reading comes a second later than the one before did, so that the parts of an exchange
 * differ by as many seconds as readings lie between them: pack, local | begin, local, wait, unpack.
 */
static void parts_of_an_exchange_are_told_apart(void **state)
{
    (void)state;
    static char option[] = "--boundary=periodic";
    int halos = 0;
    fake.count = 1;
    fake.steps[0] = 0.0;
    fake.more = 1.0;
    struct record *b = run_with(option, 1, 0.0);
    for (int i = 0; i < b->sizes[0].nstages; i++) {
        const struct stage_record *row = &b->sizes[0].stages[i];
        if (strcmp(row->name, "halo") != 0)
            continue;
        halos++;
        assert_true(row->calls >= 1.0);
        assert_true(close_to(row->local, 2.0 * row->pack + 4.0 * row->calls));
        assert_true(close_to(row->wait, row->pack + 4.0 * row->calls));
        assert_true(close_to(row->unpack, row->pack + 5.0 * row->calls));
        assert_true(row->seconds > row->pack + row->local + row->wait + row->unpack);
    }
    assert_true(halos > 1);
    record_destroy(b);
    fake.more = 0.0;
}

/* Readings before and after a copy are 2, 4 and 3 s apart by turns. */
static void the_best_copy_counts(void **state)
{
    (void)state;
    fake.count = 6;
    fake.readings = 0;
    for (int i = 0; i < 6; i++)
        fake.steps[i] = i % 2 == 0 ? 1.0 : (double[]){4.0, 2.0, 3.0}[i / 2];
    assert_true(breakdown_copy_rate() == 2.0 * 64 * 1024 * 1024 / 2.0);
}

static void the_fastest_trial_is_chosen(void **state)
{
    (void)state;
    struct threshold t = {.count = 0};
    const double seconds[] = {4.0, 2.0, 5.0, 1.0, 1.0, 3.0};
    for (int i = 0; i < 6; i++)
        threshold_add(&t, 100 + i, i, seconds[i]);
    assert_int_equal(t.count, 6);
    assert_int_equal(t.best, 3);
    assert_int_equal(t.trials[3].below, 103);
    assert_int_equal(t.trials[3].threads, 3);
}

/* Moves one cell of u by its last bit, from the second execution of a program on. */
static void move_bit(void *data, const struct program *p, const struct stage *stage)
{
    int *executions = data;
    const struct level *l = p->hierarchy->levels[0];
    if (stage != &p->stages[p->count - 1] || stage->level != 0)
        return;
    double *u = level_natural(l, FIELD_U) + l->patches[0].offset;
    if (++*executions > 1)
        *u = nextafter(*u, INFINITY);
}

static void other_bits_are_noticed(void **state)
{
    (void)state;
    int executions = 0;
    char text[VERDICT_SIZE];
    fake.count = 1;
    fake.steps[0] = 1.0;
    struct record *b = run(2, 0.0);
    assert_true(b->verdict.valid && b->sizes[0].reproducible);
    record_destroy(b);
    program_observe(move_bit, &executions);
    b = run(2, 0.0);
    program_observe(NULL, NULL);
    assert_int_equal(executions, 4); /* two to warm up, two timed */
    assert_false(b->sizes[0].reproducible);
    assert_false(b->verdict.valid);
    assert_non_null(strstr(verdict_text(&b->verdict, text, sizeof text),
                           "h: repeated solves are not bitwise identical"));
    record_destroy(b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_bits_are_noticed),
        cmocka_unit_test(as_many_solves_as_fill_the_time),
        cmocka_unit_test(the_time_is_filled_whatever_solves_take),
        cmocka_unit_test(times_are_summed_up),
        cmocka_unit_test(drift_is_noise),
        cmocka_unit_test(solves_of_the_benchmark_measure_f),
        cmocka_unit_test(parts_of_an_exchange_are_told_apart),
        cmocka_unit_test(the_best_copy_counts),
        cmocka_unit_test(the_fastest_trial_is_chosen),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
