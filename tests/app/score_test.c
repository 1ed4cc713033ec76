/* SPDX-License-Identifier: BSD-3-Clause */
/* The score of records made by hand: official if every rule is kept, else custom, with each rule
 * that is broken and the bound that was missed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "app/score.h"

static struct options options;
static struct record b;

/* A run that keeps the rules, barely, to be spoilt. */
static void make(void)
{
    static const char *const names[] = {"h", "2h", "4h"};
    static char name[] = "hpgmg-gpu", benchmark[] = "--benchmark", size[] = "8", boxes[] = "1";
    char *argv[] = {name, benchmark, size, boxes};
    char message[200];
    assert_int_equal(options_parse(&options, 4, argv, message, sizeof message), STATUS_VALID);
    b = (struct record){.unknowns = 4.0 * 16777216.0,
                        .environment = {.ranks = 4, .nodes = 1},
                        .nsizes = SOLVED_LEVELS,
                        .verdict = {.valid = true, .accuracy_checked = true}};
    for (int s = 0; s < SOLVED_LEVELS; s++)
        b.sizes[s] = (struct size_record){.name = names[s],
                                          .level = s,
                                          .unknowns = exp2(26 - 3 * s),
                                          .solves = 10,
                                          .total = 60.0,
                                          .spread = 0.004 * (s + 1),
                                          .drift = -0.1,
                                          .dof_per_second = 1e9 / (s + 1)};
}

/* The line, without its line end. */
static const char *line(void)
{
    static char text[1000];
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    score_judge(&b, &options);
    score_print(out, &b);
    fclose(out);
    assert_true(strlen(text) > 0 && text[strlen(text) - 1] == '\n');
    text[strlen(text) - 1] = '\0';
    return text;
}

static void expect_custom(const char *deviations)
{
    char end[DEVIATIONS_SIZE + 20];
    snprintf(end, sizeof end, " (custom: %s)", deviations);
    const char *whole = line();
    assert_string_equal(b.score.deviations, deviations);
    assert_false(b.score.official);
    assert_true(strlen(whole) > strlen(end));
    assert_string_equal(whole + strlen(whole) - strlen(end), end);
    make();
}

static void the_rules_are_kept(void **state)
{
    (void)state;
    make();
    assert_true(options.min_time == 60.0 && options.solver.order == 4);
    assert_string_equal(
        line(), "SCORE: 1.000e+09 DOF/s at h (spread 0.4 %), 5.000e+08 at 2h (spread 0.8 %), "
                "3.333e+08 at 4h (spread 1.2 %) (official)");
    b.verdict.valid = false;
    assert_string_equal(line(), "SCORE: none (INVALID)");
}

static void energy_is_in_the_line(void **state)
{
    (void)state;
    make();
    b.sizes[0].meters.joules = 2.0;
    b.sizes[1].meters.joules = 1.0;
    assert_non_null(
        strstr(line(), " (spread 1.2 %); 2 J per solve, 3.355e+07 DOF/J at h (official)"));
    b.sizes[0].meters.joules = NAN;
    assert_null(strstr(line(), "DOF/J"));
}

/* Each rule alone, at the last value that keeps it and the first that does not. */
static void a_missed_bound_is_named(void **state)
{
    (void)state;
    make();
    b.sizes[1].solves = 9;
    expect_custom("9 of 10 solves at 2h");
    b.sizes[2].solves = 1;
    expect_custom("1 of 10 solves at 4h; noisy at 4h");
    b.sizes[2].total = 59.99;
    expect_custom("10 solves in 59.9 s < 60 s at 4h");
    b.sizes[0].total = 0.0;
    b.sizes[2].solves = 9;
    expect_custom("10 solves in 0.0 s < 60 s at h");
    b.unknowns -= 1.0;
    expect_custom("16777215 unknowns per GPU < 2^24");
    b.levels[0].threads = 2;
    b.environment.nodes = 5;
    expect_custom("13421772 unknowns per node < 2^24");
    b.nsizes = 2;
    expect_custom("2 of 3 sizes");
    b.verdict.accuracy_checked = false;
    expect_custom("accuracy not checked");
    options.solver.order = 2;
    options.benchmark = false;
    options.solver.levels = 3;
    expect_custom("--order 2; --levels 3; --benchmark false");
    options.domain[0] = options.domain[1] = options.domain[2] = 2;
    expect_custom("--domain 2x2x2");
}

static void noise_is_said_of_its_size(void **state)
{
    (void)state;
    make();
    b.sizes[1].spread = 0.1;
    assert_null(strstr(line(), "noisy"));
    b.sizes[1].spread = 0.101;
    b.sizes[2].drift = 0.23;
    assert_non_null(strstr(line(),
                           " DOF/s at h (spread 0.4 %), 5.000e+08 at 2h (noisy: spread 10.1 %), "
                           "3.333e+08 at 4h (noisy: spread 1.2 %, drift +23.0 %) (custom:"));
    expect_custom("noisy at 2h; noisy at 4h");
    b.sizes[0].solves = 1;
    assert_non_null(strstr(line(), "SCORE: 1.000e+09 DOF/s at h (noisy: spread unknown), "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rules_are_kept),
        cmocka_unit_test(energy_is_in_the_line),
        cmocka_unit_test(a_missed_bound_is_named),
        cmocka_unit_test(noise_is_said_of_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
