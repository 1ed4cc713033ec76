/* The text of --help, made from the table of options. */
#include <string.h>
#include "app/options.h"
#include "app/options_table.h"

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

void options_print_help(FILE *out)
{
    fprintf(out, "Usage: hpgmg-gpu [options] LOG2_BOX_DIM BOXES_PER_RANK\n"
                 "Times geometric multigrid solves on a cube, and checks every answer.\n\n");
    for (int i = 0; i < option_count; i++) {
        if (i > 0 && (option_table[i - 1].uses & OPTION_POSITIONAL) &&
            !(option_table[i].uses & OPTION_POSITIONAL))
            fprintf(out, "\nOptions, the default value first or in brackets:\n");
        print_row(out, &option_table[i]);
    }
    fprintf(out,
            "\nInput files have lines `key = value` and comments after `#`. Keys are the option\n"
            "names without dashes, log2-box-dim and boxes-per-rank; flags are true or false.\n"
            "Exit: 0 valid, 1 invalid answer, 2 usage, 3 environment, 4 memory, 5 system.\n");
}
