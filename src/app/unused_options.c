/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/unused_options.h"
#include <stdio.h>
#include <string.h>
#include "config/transport.h"

/* What a run has that options choose. */
struct occurrences {
    bool gpu, messages, coarsest_chosen;
};

/* Options, and what they need to have an effect. */
static const struct {
    const char *name;
    size_t needs; /* a flag of struct occurrences */
    bool value;   /* of the flag */
} needs[] = {
    {"cpu-below", offsetof(struct occurrences, gpu), true},
    {"loops", offsetof(struct occurrences, gpu), false},
    {"transport", offsetof(struct occurrences, messages), true},
    {"overlap-above", offsetof(struct occurrences, messages), true},
    {"levels", offsetof(struct occurrences, coarsest_chosen), true},
};

static struct occurrences find_occurrences(const struct hierarchy *h, const struct options *o)
{
    return (struct occurrences){
        .gpu = h->choice.backend->on_device,
        .messages = transport_chosen()->name != NULL,
        .coarsest_chosen = o->solver.levels <= h->nlevels,
    };
}

/* True if the option has another value than its default. */
static bool is_changed(const struct option_row *row, const struct options *o)
{
    char own[OPTION_TEXT_SIZE], initial[OPTION_TEXT_SIZE];
    struct options defaults;
    option_set_defaults(&options_list, &defaults);
    const bool changed =
        strcmp(option_text(row, o, own), option_text(row, &defaults, initial)) != 0;
    option_release(&options_list, &defaults);
    return changed;
}

void unused_options(const struct hierarchy *h, struct benchmark *b, const struct options *options)
{
    const struct occurrences found = find_occurrences(h, options);
    size_t length = 0;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        const bool flag = *(const bool *)((const char *)&found + needs[i].needs);
        if (flag == needs[i].value ||
            !is_changed(option_find(&options_list, needs[i].name, 0), options))
            continue;
        length += (size_t)snprintf(b->idle + length, sizeof b->idle - length, "%s--%s",
                                   length ? ", " : "", needs[i].name);
    }
}
