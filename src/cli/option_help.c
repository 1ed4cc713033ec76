/* What --help says of each option, made from its row. */
#include <string.h>
#include "cli/option.h"

enum { HELP_COLUMN = 31, LINE_SIZE = 100 };

/* "  --order 2|4": the option and what it may be, its default first. */
static void describe_option(const struct option_row *row, char line[LINE_SIZE])
{
    const char *dashes = row->uses & OPTION_POSITIONAL ? "" : "--";
    const char *name = row->uses & OPTION_POSITIONAL ? row->argument : row->name;
    int length = snprintf(line, LINE_SIZE, "  %s%s", dashes, name);
    if (row->argument && *dashes)
        length += snprintf(line + length, (size_t)(LINE_SIZE - length), " %s", row->argument);
    for (const struct choice *c = row->choices; c && c->name; c++)
        length += snprintf(line + length, (size_t)(LINE_SIZE - length), "%c%s",
                           c == row->choices ? ' ' : '|', c->name);
}

/* Help texts start in one column; those of several lines go on there. */
static void print_row(FILE *out, const struct option_row *row)
{
    char line[LINE_SIZE];
    describe_option(row, line);
    fprintf(out, "%-*s", HELP_COLUMN - 1, line);
    if (strlen(line) >= HELP_COLUMN)
        fprintf(out, "\n%*s", HELP_COLUMN - 1, "");
    for (const char *text = row->help; *text; text++) {
        if (*text == '\n')
            fprintf(out, "\n%*s", HELP_COLUMN, "");
        else
            fprintf(out, "%s%c", text == row->help ? " " : "", *text);
    }
    if (row->initial && !row->choices)
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
