/* SPDX-License-Identifier: BSD-3-Clause */
/* hpgmg-pages FORM PROGRAM: a program's man page or completion. `make install` runs it; users do
 * not, and it needs no MPI. */
#include <stdio.h>
#include <string.h>
#include "app/options.h"
#include "lab/experiments.h"
#include "lab/lab.h"
#include "pages/pages.h"

static const struct {
    const char *name;
    void (*print)(const struct documented *program);
} forms[] = {{"man", man_print}, {"bash", bash_print}};

static void append(char words[VALUE_WORDS_SIZE], const char *word)
{
    const size_t length = strlen(words);
    snprintf(words + length, VALUE_WORDS_SIZE - length, "%s%s", length ? " " : "", word);
}

void value_words(const struct option_row *row, char words[VALUE_WORDS_SIZE])
{
    words[0] = '\0';
    if (row->kind != OPTION_FLAG && row->unset && row->unset[0])
        append(words, row->unset);
    for (const struct choice *c = row->choices; c && c->name; c++)
        append(words, c->name);
}

void experiment_words(const char *subcommand, char words[VALUE_WORDS_SIZE])
{
    words[0] = '\0';
    for (const struct experiment_row *e = experiments; e->name; e++)
        if (strcmp(e->subcommand, subcommand) == 0)
            append(words, e->name);
}

int main(int argc, char **argv)
{
    const struct documented programs[] = {{&options_program, &options_list}, {&lab_program, NULL}};
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++)
        for (size_t p = 0; p < sizeof programs / sizeof programs[0]; p++)
            if (argc == 3 && strcmp(argv[1], forms[f].name) == 0 &&
                strcmp(argv[2], programs[p].text->name) == 0) {
                forms[f].print(&programs[p]);
                return fflush(stdout) == 0 && !ferror(stdout) ? STATUS_VALID : STATUS_SYSTEM;
            }
    fprintf(stderr, "usage: hpgmg-pages man|bash hpgmg-gpu|hpgmg-lab\n");
    return STATUS_USAGE;
}
