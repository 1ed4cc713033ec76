/* SPDX-License-Identifier: BSD-3-Clause */
/* What hpgmg-lab says about times, in numbers that were computed by hand: the clock is not the
 * machine's. And the limiter: classes by the rule of 60 %, where what is not known limits
 * nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/timer.h"
#include "lab/experiments.h"
#include "lab/limiter.h"
#include "lab/stage_case.h"
#include "cpu/cpu.h"
#include "support/run.h"

/* --- a clock, and what is printed ------------------------------------------------------------- */

/* A sample reads the clock before and after, and has two runs, since it lasts longer than samples
 * need to: 1/32 s, 1/64 s per run. From reading `slow_from` on it takes twice as long. */
static struct {
    double now;
    long readings, slow_from;
} fake;

double timer_seconds(void)
{
    fake.now += fake.readings < fake.slow_from ? 1.0 / 32 : 1.0 / 16;
    fake.readings++;
    return fake.now;
}

static char text[1 << 16], json[1 << 16]; /* what a subcommand printed and reported */

static void read_all(const char *path, char *to, size_t size)
{
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    to[fread(to, 1, size - 1, in)] = '\0';
    fclose(in);
    remove(path);
}

/* Runs a subcommand with the options, of which the last is NULL. */
static void run(const char *name, enum status (*command)(struct lab *), long slow_from,
                char *const *options)
{
    char out[] = "/tmp/lab_test_out_XXXXXX", report[] = "/tmp/lab_test_json_XXXXXX", message[200];
    char *argv[16] = {"hpgmg-lab"};
    int argc = 1;
    struct lab lab = {.subcommand = name, .backend = &backend_cpu, .json = json_object()};
    const struct option_list *list = lab_options_of(name);
    for (; options[argc - 1]; argc++)
        argv[argc] = options[argc - 1];
    assert_int_equal(lab_options_parse(list, &lab.options, argc, argv, message, sizeof message),
                     STATUS_VALID);
    fake.readings = 0;
    fake.slow_from = slow_from;
    close(mkstemp(report));
    fflush(stdout);
    const int terminal = dup(STDOUT_FILENO), file = mkstemp(out);
    assert_true(dup2(file, STDOUT_FILENO) >= 0);
    const enum status status = command(&lab);
    fflush(stdout);
    assert_true(dup2(terminal, STDOUT_FILENO) >= 0);
    close(terminal);
    close(file);
    assert_true(json_write(output_file_open("json", report, 0), lab.json));
    read_all(out, text, sizeof text);
    read_all(report, json, sizeof json);
    json_destroy(lab.json);
    option_release(list, &lab.options);
    assert_int_equal(status, STATUS_VALID);
}

static void assert_has(const char *where, const char *what)
{
    if (!strstr(where, what))
        fail_msg("no '%s' in:\n%s", what, where);
}

/* --- figures ---------------------------------------------------------------------------------- */

/* 131072 doubles per array: a copy moves 2 MiB in 1/64 s; 256 FMAs per double are 67.1 million
 * operations; a run has 1000 events, of 15.6 us each. */
static void machine_figures(void **state)
{
    char *const options[] = {"--array-mib", "1", "--samples", "2", NULL};
    (void)state;
    run("machine", experiments_command, 1000000, options);
    assert_has(text, "  copy                                         15.6250   15.6250     0.008   "
                     "  0.134     0.134\n");
    assert_has(text, "  256 FMAs per double                          15.6250   15.6250     0.008   "
                     "  0.134     0.134     4.295\n");
    assert_has(text,
               "  barrier in a parallel region                 15.6250   15.6250     15.63\n");
    assert_has(json, "\"flops\": 67108864");
    assert_has(json, "\"bytes_per_second\": 134217728,");
    assert_has(json, "\"seconds_per_event\": 1.5625e-05");
    assert_has(json, "\"median\": 0.015625,");
}

/* The second sample takes twice as long. Three trials come
 * before. */
static void rates_of_samples(void **state)
{
    char *const options[] = {"memory", "--array-mib", "1", "--samples", "2", NULL};
    (void)state;
    run("machine", experiments_command, 8, options);
    /* The median of 1/64 and 1/32 s. */
    assert_has(text, "  copy                                         23.4375   15.6250     0.006   "
                     "  0.089     0.089\n");
    assert_has(json, "\"max\": 0.03125,");
    assert_has(json, "\"median\": 0.0234375,");
}

/* 131072 doubles, one of every 4: 32768 elements, of which each names 16 bytes and moves 32 + 8. */
static void memory_figures(void **state)
{
    char *const options[] = {"strides", "--array-mib", "1", "--samples", "1", NULL};
    (void)state;
    run("memory", experiments_command, 1000000, options);
    assert_has(text, "  double, stride 4, 16 FMAs                    15.6250   15.6250     0.002   "
                     "  0.034     0.084     0.067\n");
    assert_has(json, "\"elements_per_second\": 2097152,");
    assert_has(json, "\"moved_bytes_per_second\": 83886080,");
    assert_has(json, "\"flops_per_second\": 67108864,");
}

/* Two half-sweeps of 16^3 cells: 56 bytes and 21 operations per cell. */
static void kernel_figures(void **state)
{
    char *const options[] = {"--array-mib", "1", "--samples", "2", "16", NULL};
    (void)state;
    run("kernel", kernel_command, 1000000, options);
    assert_has(text, "  default                   15.6250    15.6250    15.6250     56.0      0.0  "
                     "  10.9       0.0");
    assert_has(text, "copy 0.1 GB/s, FP64");
    assert_has(json, "\"bytes\": 229376,");
    assert_has(json, "\"bytes_per_second\": 14680064,");
    assert_has(json, "\"flops_per_second\": 5505024,");
    assert_has(json, "\"fraction_of_copy\": 0.109375,");
}

/* Before the first rung four ceilings are measured, each by three trials and five samples, and
 * filling levels reads the clock a few times; a rung takes three trials and a sample. All but the
 * first take twice as long. */
static void ladder_figures(void **state)
{
    char *const options[] = {"--rung", "rows", "--array-mib", "1", "--samples", "1", "16", NULL};
    (void)state;
    run("ladder", ladder_command, 2 * (4 * (3 + 5) + (3 + 1)) + 6, options);
    assert_has(text, "  naive         15.6250    15.6250     0.00     1.00    112.0\n");
    assert_has(text, "  rows          31.2500    31.2500     0.00     0.50    112.0\n");
    assert_has(json, "\"cells_per_second\": 786432,");
    assert_has(json, "\"speed_up\": 0.5");
}

/* 24^3 cells, periodic, on one rank: nothing is sent. An exchange reads the clock seven times. */
static void exchange_figures(void **state)
{
    char *const options[] = {"--boundary", "periodic", "--samples", "1", "24", NULL};
    (void)state;
    run("exchange", exchange_command, 1000000, options);
    assert_has(text, "  local         234375.00  234375.00  234375.00       0.0000\n");
    assert_has(json, "\"median\": 0.234375,");
    assert_has(json, "\"bytes_per_second\": null");
}

/* --- operations ------------------------------------------------------------------------------- */

static void assert_operations(struct operator_choice op, int nsweeps, enum pass_finish finish,
                              double instructions, double flops)
{
    struct stencil stencil = stencil_create(op, (const int[3]){16, 16, 16});
    struct level level = {.stencil = &stencil};
    const struct pass pass = {.level = &level, .nsweeps = nsweeps, .finish = finish};
    const struct operations o = operations_of_pass(&pass);
    assert_true(o.instructions == instructions);
    assert_true(o.flops == flops);
}

/* One fma is one instruction and two operations; half-sweeps work on half of the cells. */
static void operations_by_hand(void **state)
{
    const struct operator_choice fv2 = {.order = 2, .variable = true},
                                 fv4 = {.order = 4,
                                        .variable = true,
                                        .equation = EQUATION_HELMHOLTZ},
                                 constant = {.order = 2, .smoother = SMOOTHER_JACOBI};
    (void)state;
    /* Six differences, a product and five fma; f - A u and the update are one fma each. */
    assert_operations(fv2, 2, FINISH_NONE, 6 + 6 + 1 + 1, 6 + 11 + 2 + 2);
    assert_operations(fv2, 1, FINISH_NONE, 7.0, 10.5);
    /* Seven additions and a product restrict eight residuals. */
    assert_operations(fv2, 0, FINISH_RESTRICT, 13 + 1, 19 + 1);
    /* Six fluxes of 18 operations and their sum; a u, the residual, the update. */
    assert_operations(fv4, 2, FINISH_NONE, 6 * 15 + 5 + 3, 6 * 18 + 5 + 3 * 2);
    /* Six additions of u, one of them fused; all cells, with a weight. */
    assert_operations(constant, 1, FINISH_NONE, 6 + 1 + 2, 7 + 2 + 3);
}

/* --- the limiter ------------------------------------------------------------------------------ */

static const char *class_of(double memory, double cache, double shared, double fp64, double issue)
{
    const struct shares s = {{memory, cache, shared, fp64, issue}};
    return limiter_of(&s);
}

static void classes(void **state)
{
    (void)state;
    assert_string_equal(class_of(0.59, 0.59, 0.59, 0.59, 0.59), "latency");
    assert_string_equal(class_of(0.60, 0.0, 0.0, 0.59, 0.59), "bandwidth");
    assert_string_equal(class_of(0.0, 0.60, 0.0, 0.59, 0.0), "bandwidth");
    assert_string_equal(class_of(0.0, 0.0, 0.60, 0.0, 0.59), "bandwidth");
    assert_string_equal(class_of(0.59, 0.59, 0.59, 0.60, 0.0), "compute");
    assert_string_equal(class_of(0.0, 0.0, 0.0, 0.0, 0.60), "compute");
    assert_string_equal(class_of(0.60, 0.0, 0.0, 0.60, 0.0), "both");
    assert_string_equal(class_of(0.0, 0.0, 0.70, 0.0, 0.60), "both");
    assert_string_equal(class_of(0.7, NAN, NAN, 0.1, NAN), "bandwidth");
    /* What is not counted may be the limit. */
    assert_string_equal(class_of(0.1, NAN, NAN, 0.1, NAN), "unknown");
    assert_string_equal(class_of(0.1, 0.1, NAN, 0.1, 0.1), "unknown");
    assert_string_equal(class_of(0.1, 0.1, 0.1, 0.1, NAN), "unknown");
}

static bool near_of(double memory, double shared)
{
    const struct shares s = {{memory, 0.1, shared, 0.1, 0.1}};
    return limiter_is_near(&s);
}

/* A share near the threshold is of no account where a greater one decides. */
static void near_the_threshold(void **state)
{
    (void)state;
    assert_true(near_of(0.56, 0.57));
    assert_true(near_of(0.64, 0.1));
    assert_false(near_of(0.54, 0.1));
    assert_false(near_of(0.66, 0.1));
    assert_false(near_of(0.86, 0.58));
}

static void most_used(void **state)
{
    const struct shares s = {{0.5, 0.4, 0.7, 0.6, 0.1}}, unknown = {{0.2, NAN, NAN, 0.3, NAN}};
    (void)state;
    assert_string_equal(most_used_of(&s), "shared memory");
    assert_string_equal(most_used_of(&unknown), "FP64");
}

/* Each share is of its own ceiling; one fma is one instruction and two operations. */
static void shares(void **state)
{
    const struct ceilings c = {.copy_bytes_per_second = 100.0,
                               .cache_bytes_per_second = 200.0,
                               .shared_bytes_per_second = 400.0,
                               .fp64_flops_per_second = 800.0,
                               .fp32_flops_per_second = 1600.0,
                               .instructions_per_second = 1000.0};
    const struct usage u = {.bytes = 100.0,
                            .cache_bytes = 100.0,
                            .shared_bytes = 100.0,
                            .fp64_instructions = 100.0,
                            .instructions = 100.0};
    const struct shares s = shares_of(&c, &u, 2.0);
    (void)state;
    assert_true(s.of[RESOURCE_MEMORY] == 0.5);
    assert_true(s.of[RESOURCE_CACHE] == 0.25);
    assert_true(s.of[RESOURCE_SHARED] == 0.125);
    assert_true(s.of[RESOURCE_FP64] == 0.125);
    assert_true(s.of[RESOURCE_ISSUE] == 0.05);
    /* Faster than memory: its copy rate is not the ceiling. */
    assert_true(isnan(shares_of(&c, &u, 0.99).of[RESOURCE_MEMORY]));
    assert_true(shares_of(&c, &u, 1.0).of[RESOURCE_MEMORY] == 1.0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_figures),    cmocka_unit_test(rates_of_samples),
        cmocka_unit_test(memory_figures),     cmocka_unit_test(kernel_figures),
        cmocka_unit_test(ladder_figures),     cmocka_unit_test(exchange_figures),
        cmocka_unit_test(operations_by_hand), cmocka_unit_test(classes),
        cmocka_unit_test(most_used),          cmocka_unit_test(shares),
        cmocka_unit_test(near_the_threshold),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
