/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/unused_options.h"
#include <stdio.h>
#include <string.h>
#include "config/transport.h"

bool option_is_initial(const struct option_row *row, const char *value)
{
    return strcmp(value, row->initial ? row->initial : row->unset ? row->unset : "") == 0;
}

void unused_options(const struct hierarchy *h, struct record *b, const struct options *options)
{
    const bool gpu = h->choice.placement.backend->on_device,
               messages = transport_chosen()->name != NULL;
    const struct {
        const char *option;
        bool has_effect;
    } list[] = {
        {"cpu-below", gpu},
        {"loops", !gpu},
        {"transport", messages},
        {"overlap-above", messages},
        {"levels", options->solver.levels <= h->nlevels},
    };
    char text[OPTION_TEXT_SIZE];
    size_t length = 0;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const struct option_row *row = option_find(&options_list, list[i].option, 0);
        if (list[i].has_effect || option_is_initial(row, option_text(row, options, text)))
            continue;
        length += (size_t)snprintf(b->idle + length, sizeof b->idle - length, "%s--%s",
                                   length ? ", " : "", row->name);
    }
}
