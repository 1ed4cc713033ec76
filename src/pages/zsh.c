/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion for zsh: specifications for its function _arguments. */
#include <stdio.h>
#include <string.h>
#include "lab/lab.h"
#include "pages/pages.h"

/* Within '…[text]:text:'. */
static void print_text(const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            printf("'\\''");
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text == '\n' ? ' ' : *text);
}

/* ":N:(auto never)": what the value is called, and what it may be. */
static void print_value(const struct option_row *row, const char *words)
{
    printf(":");
    print_text(row->argument ? row->argument : row->name);
    if (row->kind == OPTION_PATH)
        printf(":_files");
    else if (!*words)
        printf(": ");
    else if (is_list(row) && !(row->uses & OPTION_REPEATED))
        printf(":_sequence -s , compadd - %s", words);
    else
        printf(":(%s)", words);
}

/* Arguments of _arguments. experiments: words for a repeated argument. */
static void print_rows(const struct option_list *list, const char *experiments, const char *indent)
{
    char words[VALUE_WORDS_SIZE];
    int position = 0;
    for (int i = 0; i < list->count; i++) {
        const struct option_row *row = &list->rows[i];
        printf(" \\\n%s'", indent);
        value_words(row, words);
        if (row->uses & OPTION_REPEATED) {
            printf("*");
            print_value(row, experiments);
        } else if (row->uses & OPTION_POSITIONAL) {
            printf("%d", ++position);
            print_value(row, words);
        } else {
            printf("%s--%s%s[", row->uses & OPTION_REQUEST ? "(- *)" : "", row->name,
                   row->kind == OPTION_FLAG ? "" : "=");
            print_text(row->help);
            printf("]");
            if (row->kind != OPTION_FLAG)
                print_value(row, words);
        }
        printf("'");
    }
    printf("\n");
}

static void print_lab(void)
{
    char words[VALUE_WORDS_SIZE];
    printf("local state\n_arguments -C");
    for (const struct request *r = requests; r->name; r++) {
        printf(" \\\n    '(- *)%s[", r->name);
        print_text(r->summary);
        printf("]'");
    }
    printf(" \\\n    '1:subcommand:(");
    for (const struct subcommand *s = subcommands; s->name; s++)
        printf("%s%s", s == subcommands ? "" : " ", s->name);
    printf(")' \\\n    '*::argument:->rest' && return\ncase $words[1] in\n");
    for (const struct subcommand *s = subcommands; s->name; s++) {
        experiment_words(s->name, words);
        printf("%s)\n    _arguments", s->name);
        print_rows(lab_options_of(s->name), words, "        ");
        printf("    ;;\n");
    }
    printf("esac\n");
}

void zsh_print(const struct documented *program)
{
    const char *name = program->text->name;
    printf("#compdef %s\n# Completion of %s for zsh, made from its table of options.\n", name,
           name);
    if (program->options) {
        printf("_arguments");
        print_rows(program->options, "", "    ");
    } else {
        print_lab();
    }
}
