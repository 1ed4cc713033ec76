/* SPDX-License-Identifier: BSD-3-Clause */
/* What --help says of each option, made from its row. */
#include <string.h>
#include "cli/option.h"

enum { HELP_COLUMN = 31, LINE_WIDTH = 80, LIST_COLUMN = 6 };

/* "|word" or " word", on a new line if this one has no room. Returns the new column. */
static int print_choice(FILE *out, const char *word, bool first, int column)
{
    if (column + 1 + (int)strlen(word) >= LINE_WIDTH)
        column = fprintf(out, "%s\n%*s", first ? "" : "|", LIST_COLUMN, "") - !first - 1;
    else
        column += fprintf(out, "%c", first ? ' ' : '|');
    return column + fprintf(out, "%s", word);
}

/* "  --order 2|4": the option and what it may be, its default first. Returns the column after. */
static int describe_option(const struct option_row *row, FILE *out)
{
    const char *dashes = row->uses & OPTION_POSITIONAL ? "" : "--";
    const char *name = row->uses & OPTION_POSITIONAL ? row->argument : row->name;
    int column = fprintf(out, "  %s%s", dashes, name);
    if (row->argument && *dashes)
        column += fprintf(out, " %s", row->argument);
    const bool words = row->kind == OPTION_CHOICE;
    for (const struct choice *c = row->choices; words && c->name; c++)
        column = print_choice(out, c->name, c == row->choices, column);
    return column;
}

/* Help texts start in one column; those of several lines go on there. */
static void print_row(FILE *out, const struct option_row *row)
{
    const int column = describe_option(row, out);
    if (column >= HELP_COLUMN)
        fprintf(out, "\n%*s", HELP_COLUMN - 1, "");
    else
        fprintf(out, "%*s", HELP_COLUMN - 1 - column, "");
    for (const char *text = row->help; *text; text++) {
        if (*text == '\n')
            fprintf(out, "\n%*s", HELP_COLUMN, "");
        else
            fprintf(out, "%s%c", text == row->help ? " " : "", *text);
    }
    if (row->initial && row->kind != OPTION_CHOICE)
        fprintf(out, " [%s]", row->initial);
    fprintf(out, "\n");
}

void option_print_help(const struct option_list *list, FILE *out)
{
    for (int i = 0; i < list->count; i++) {
        const bool named = !(list->rows[i].uses & OPTION_POSITIONAL);
        if (named && (i == 0 || (list->rows[i - 1].uses & OPTION_POSITIONAL)))
            fprintf(out, "%sOptions, the default value first or in brackets:\n", i ? "\n" : "");
        print_row(out, &list->rows[i]);
    }
}
