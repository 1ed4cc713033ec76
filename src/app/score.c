/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/score.h"
#include <stdarg.h>
#include <string.h>

/* What HPGMG's benchmark computes. */
static const struct {
    const char *name, *value;
} rules[] = {
    {"order", "4"},         {"equation", "poisson"}, {"boundary", "dirichlet"},
    {"problem", "fv"},      {"smoother", "gsrb"},    {"coefficients", "variable"},
    {"cycle", "f"},         {"rtol", "none"},        {"solver", "mg"},
    {"bottom", "bicgstab"}, {"sweeps", "auto"},      {"weight", "auto"},
    {"levels", "all"},      {"domain", "cube"},
};
enum { NUM_RULES = sizeof rules / sizeof rules[0] };

/* 256³ unknowns: one field has 134 MB, more than the caches of a GPU or a processor hold. */
#define LEAST_UNKNOWNS 16777216.0
/* Clocks and temperatures settle within seconds. --benchmark times twice as long, since the number
 * of solves is chosen from one of them. */
enum { LEAST_SOLVES = 10, LEAST_SECONDS = 5 };
#define BENCHMARK_MIN_TIME "10"

static const char *rule_of(const char *name)
{
    for (int r = 0; r < NUM_RULES; r++)
        if (strcmp(rules[r].name, name) == 0)
            return rules[r].value;
    return NULL;
}

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

/* A list in words. */
struct words {
    char *text;
    size_t length;
};

static void add(struct words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct words *w, const char *format, ...)
{
    va_list arguments;
    if (w->length > 0 && w->length + 2 < SCORE_TEXT_SIZE)
        w->length += (size_t)sprintf(w->text + w->length, "; ");
    va_start(arguments, format);
    w->length +=
        (size_t)vsnprintf(w->text + w->length, SCORE_TEXT_SIZE - w->length, format, arguments);
    va_end(arguments);
    if (w->length >= SCORE_TEXT_SIZE)
        w->length = SCORE_TEXT_SIZE - 1;
}

static void add_option(void *data, const char *name, const char *value)
{
    const char *rule = rule_of(name);
    if (rule && strcmp(rule, value) != 0)
        add(data, "--%s %s", name, value);
}

/* Each rank counts as a GPU. Where ranks share a GPU, the rule is stricter than necessary. */
static void add_size(struct words *w, const struct run_info *f)
{
    const bool on_gpu = f->levels[0].threads == 0;
    const double share = f->unknowns / (on_gpu ? f->environment.ranks : f->environment.nodes);
    if (share < LEAST_UNKNOWNS)
        add(w, "%.0f unknowns per %s", share, on_gpu ? "GPU" : "node");
}

static void add_times(struct words *w, const struct benchmark *b)
{
    if (b->nsizes < SOLVED_LEVELS)
        add(w, "fewer than three sizes");
    for (int s = 0; s < b->nsizes; s++) {
        const struct size_record *r = &b->sizes[s];
        if (r->solves < LEAST_SOLVES || (double)r->solves * r->mean < LEAST_SECONDS) {
            add(w, "%ld solve%s in %.1f s at %s", r->solves, r->solves == 1 ? "" : "s",
                (double)r->solves * r->mean, r->name);
            return;
        }
    }
}

const char *score_deviations(const struct run_info *f, const struct options *options,
                             const struct benchmark *b, char text[SCORE_TEXT_SIZE])
{
    struct words w = {text, 0};
    text[0] = '\0';
    options_visit(options, add_option, &w);
    add_size(&w, f);
    add_times(&w, b);
    if (!b->verdict.accuracy_checked)
        add(&w, "accuracy not checked");
    return text;
}

void score_print(const struct run_info *f, const struct options *options, const struct benchmark *b)
{
    char text[SCORE_TEXT_SIZE];
    if (!b->verdict.valid) {
        printf("SCORE: none (INVALID)\n");
        return;
    }
    printf("SCORE:");
    for (int s = 0; s < b->nsizes; s++)
        printf("%s %.3e%s at %s", s > 0 ? "," : "", b->sizes[s].dof_per_second,
               s > 0 ? "" : " DOF/s", b->sizes[s].name);
    score_deviations(f, options, b, text);
    if (text[0])
        printf(" (custom: %s)\n", text);
    else
        printf(" (official)\n");
}
