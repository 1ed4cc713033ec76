/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/rules.h"
#include <string.h>

/* What HPGMG's benchmark computes. */
static const struct {
    const char *name, *value;
} rules[] = {
    {"order", "4"},       {"equation", "poisson"}, {"boundary", "dirichlet"},
    {"problem", "fv"},    {"smoother", "gsrb"},    {"coefficients", "variable"},
    {"cycle", "f"},       {"rtol", "none"},        {"atol", "none"},
    {"solver", "mg"},     {"bottom", "bicgstab"},  {"sweeps", "auto"},
    {"weight", "auto"},   {"levels", "all"},       {"domain", "cube"},
    {"lengths", "cubes"}, {"benchmark", "true"},   {"single-above", "262144"},
};
enum { NUM_RULES = sizeof rules / sizeof rules[0] };
#define BENCHMARK_MIN_TIME "60"

enum status rules_apply(struct parser *p)
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

bool rules_allow(const char *option, const char *value)
{
    for (int r = 0; r < NUM_RULES; r++)
        if (strcmp(rules[r].name, option) == 0)
            return strcmp(rules[r].value, value) == 0;
    return true;
}
