/* SPDX-License-Identifier: BSD-3-Clause */
/* What --help says about each option, made from its row. */
#include <string.h>
#include "cli/option.h"

enum { HELP_COLUMN = 35, LINE_WIDTH = 80, LIST_COLUMN = 6 };

/* "|word" or " word", on a new line if it does not fit. Returns the new column. */
static int print_choice(FILE *out, const char *word, bool first, int column)
{
    if (column + 1 + (int)strlen(word) >= LINE_WIDTH)
        column = fprintf(out, "%s\n%*s", first ? "" : "|", LIST_COLUMN, "") - !first - 1;
    else
        column += fprintf(out, "%c", first ? ' ' : '|');
    return column + fprintf(out, "%s", word);
}

/* "  --order 2|4": the option and its values, the default first. Returns the column after it. */
static int print_option(FILE *out, const struct option_row *row)
{
    int column = fprintf(out, "  %s%s", option_dashes(row), option_word(row));
    if (row->argument && !(row->uses & OPTION_POSITIONAL))
        column += fprintf(out, " %s", row->argument);
    const bool words = row->kind == OPTION_CHOICE || row->kind == OPTION_SIDES;
    for (const struct choice *c = row->choices; words && c->name; c++)
        column = print_choice(out, c->name, c == row->choices, column);
    return column;
}

int print_words(FILE *out, const char *text, int column, int indent, int width)
{
    while (*text) {
        const int word = (int)strcspn(text, " \n");
        if (column >= indent && column + 1 + word > width)
            column = fprintf(out, "\n") - 1;
        const int blanks = column < indent ? indent - column : column > 0;
        column += fprintf(out, "%*s%.*s", blanks, "", word, text);
        text += word;
        text += strspn(text, " \n");
    }
    return column;
}

/* An option and its text, which has a line of its own if the option leaves too little room. */
static void print_row(FILE *out, const struct option_row *row)
{
    char text[256];
    const bool says_initial =
        row->initial && row->kind != OPTION_CHOICE && row->kind != OPTION_SIDES;
    snprintf(text, sizeof text, "%s%s%s%s", row->help, says_initial ? " [" : "",
             says_initial ? row->initial : "", says_initial ? "]" : "");
    int column = print_option(out, row), indent = HELP_COLUMN;
    if (column >= HELP_COLUMN && column + 2 + (int)strlen(text) < LINE_WIDTH)
        indent = column + 2;
    else if (column >= HELP_COLUMN)
        column = fprintf(out, "\n") - 1;
    print_words(out, text, column, indent, LINE_WIDTH - 1);
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
