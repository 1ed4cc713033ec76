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
        .gpu = h->choice.placement.backend->on_device,
        .messages = transport_chosen()->name != NULL,
        .coarsest_chosen = o->solver.levels <= h->nlevels,
    };
}

bool option_is_initial(const struct option_row *row, const char *value)
{
    return strcmp(value, row->initial ? row->initial : row->unset ? row->unset : "") == 0;
}

void unused_options(const struct hierarchy *h, struct record *b, const struct options *options)
{
    const struct occurrences found = find_occurrences(h, options);
    char text[OPTION_TEXT_SIZE];
    size_t length = 0;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        const bool flag = *(const bool *)((const char *)&found + needs[i].needs);
        const struct option_row *row = option_find(&options_list, needs[i].name, 0);
        if (flag == needs[i].value || option_is_initial(row, option_text(row, options, text)))
            continue;
        length += (size_t)snprintf(b->idle + length, sizeof b->idle - length, "%s--%s",
                                   length ? ", " : "", needs[i].name);
    }
}
