/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/score.h"
#include <math.h>
#include <string.h>
#include "base/check.h"

/* What HPGMG's benchmark computes. docs/BENCHMARK.md lists the rules, run/check-result has them
 * too. */
static const struct {
    const char *name, *value;
} rules[] = {
    {"order", "4"},        {"equation", "poisson"}, {"boundary", "dirichlet"},
    {"problem", "fv"},     {"smoother", "gsrb"},    {"coefficients", "variable"},
    {"cycle", "f"},        {"rtol", "none"},        {"atol", "none"},
    {"solver", "mg"},      {"bottom", "bicgstab"},  {"sweeps", "auto"},
    {"weight", "auto"},    {"levels", "all"},       {"domain", "cube"},
    {"benchmark", "true"},
};
enum { NUM_RULES = sizeof rules / sizeof rules[0] };

/* 256³ unknowns: one field has 134 MB, more than the caches of a GPU or a processor hold. */
enum { MIN_LOG2_UNKNOWNS = 24 };
/* HPGMG's. */
enum { MIN_SOLVES = 10, MIN_SECONDS = 60 };
#define BENCHMARK_MIN_TIME "60"

enum status score_apply_rules(struct parser *p)
{
    char text[OPTION_TEXT_SIZE];
    for (int r = 0; r < NUM_RULES; r++) {
        const struct option_row *row = option_find(p->list, rules[r].name, 0);
        if (parser_was_given(p, row->name) &&
            strcmp(option_text(row, p->options, text), rules[r].value) != 0)
            return parser_fail(p,
                               "--benchmark: runs with --%s %s only; without --benchmark the "
                               "score is 'custom'",
                               row->name, rules[r].value);
        option_set(row, p->options, rules[r].value);
    }
    if (!parser_was_given(p, "min-time") && !parser_was_given(p, "solves"))
        option_set(option_find(p->list, "min-time", 0), p->options, BENCHMARK_MIN_TIME);
    return STATUS_VALID;
}

static void add_option(void *data, const char *name, const char *value)
{
    for (int r = 0; r < NUM_RULES; r++)
        if (strcmp(rules[r].name, name) == 0 && strcmp(rules[r].value, value) != 0)
            fprintf(data, "; --%s %s", name, value);
}

/* Each rank counts as a GPU. Where ranks share a GPU, the rule is stricter than necessary. Numbers
 * are rounded down, so that they look smaller than the bounds that they miss. */
static void add_size(FILE *out, const struct run_info *f)
{
    const bool on_gpu = run_info_on_gpu(f);
    const double share = f->unknowns / (on_gpu ? f->environment.ranks : f->environment.nodes);
    if (share < exp2(MIN_LOG2_UNKNOWNS))
        fprintf(out, "; %.0f unknowns per %s < 2^%d", floor(share), on_gpu ? "GPU" : "node",
                MIN_LOG2_UNKNOWNS);
}

/* Of the first size with too few or too short solves, and of all sizes whose times are noisy. */
static void add_times(FILE *out, const struct benchmark *b)
{
    bool told = false;
    for (int s = 0; s < b->nsizes; s++) {
        const struct size_record *r = &b->sizes[s];
        if (!told && r->solves < MIN_SOLVES)
            fprintf(out, "; %ld of %d solves at %s", r->solves, MIN_SOLVES, r->name);
        else if (!told && r->total < MIN_SECONDS)
            fprintf(out, "; %ld solves in %.1f s < %d s at %s", r->solves,
                    floor(10.0 * r->total) / 10.0, MIN_SECONDS, r->name);
        told = told || r->solves < MIN_SOLVES || r->total < MIN_SECONDS;
        if (size_is_noisy(r))
            fprintf(out, "; noisy at %s", r->name);
    }
}

const char *score_deviations(const struct run_info *f, const struct options *options,
                             const struct benchmark *b, char text[SCORE_TEXT_SIZE])
{
    memset(text, 0, SCORE_TEXT_SIZE);
    FILE *out = fmemopen(text, SCORE_TEXT_SIZE - 1, "w");
    CHECK(out);
    options_visit(options, add_option, out);
    add_size(out, f);
    if (b->nsizes < SOLVED_LEVELS)
        fprintf(out, "; %d of %d sizes", b->nsizes, SOLVED_LEVELS);
    add_times(out, b);
    if (!b->verdict.accuracy_checked)
        fprintf(out, "; accuracy not checked");
    fclose(out);
    return text[0] ? text + strlen("; ") : text;
}

void score_print(FILE *out, const struct run_info *f, const struct options *options,
                 const struct benchmark *b)
{
    char text[SCORE_TEXT_SIZE];
    const double joules = b->sizes[0].meters.joules;
    if (!b->verdict.valid) {
        fprintf(out, "SCORE: none (INVALID)\n");
        return;
    }
    fprintf(out, "SCORE:");
    for (int s = 0; s < b->nsizes; s++) {
        const struct size_record *r = &b->sizes[s];
        fprintf(out, "%s %.3e%s at %s (%s%s)", s > 0 ? "," : "", r->dof_per_second,
                s > 0 ? "" : " DOF/s", r->name, size_is_noisy(r) ? "noisy: " : "",
                size_noise_text(r, text));
    }
    if (joules > 0.0)
        fprintf(out, "; %.4g J per solve, %.3e DOF/J at h", joules, b->sizes[0].unknowns / joules);
    const char *deviations = score_deviations(f, options, b, text);
    fprintf(out, deviations[0] ? " (custom: %s)\n" : " (official)\n", deviations);
}
