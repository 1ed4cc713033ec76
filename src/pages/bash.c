/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion for bash: after an option its values, else options. */
#include <stdio.h>
#include "lab/lab.h"
#include "pages/pages.h"

/* A case of the option before the word: values="2 4". */
static void print_values(const struct option_row *row, const char *indent)
{
    char words[VALUE_WORDS_SIZE];
    value_words(row, words);
    printf("%s--%s) ", indent, row->name);
    if (row->kind == OPTION_PATH)
        printf("files=yes ;;\n");
    else
        printf("values=\"%s\"%s ;;\n", words,
               is_list(row) ? " kept=${word%\"${word##*[,/]}\"}" : "");
}

/* What may stand there: an option, or one of `others`. */
static void print_cases(const struct option_list *list, const char *others, const char *indent)
{
    printf("%scase $before in\n", indent);
    for (int i = 0; i < list->count; i++)
        if (!stands_alone(&list->rows[i]) && (list->rows[i].uses & OPTION_COMMAND_LINE))
            print_values(&list->rows[i], indent);
    printf("%s*) values=\"", indent);
    for (int i = 0; i < list->count; i++)
        if (list->rows[i].uses & OPTION_COMMAND_LINE)
            printf("--%s ", list->rows[i].name);
    printf("%s\" ;;\n%sesac\n", others, indent);
}

/* The lab's first word is a subcommand. */
static void print_subcommands(void)
{
    char words[VALUE_WORDS_SIZE];
    printf("    case $COMP_CWORD,${COMP_WORDS[1]} in\n    1,*) values=\"");
    for (const struct subcommand *s = subcommands; s->name; s++)
        printf("%s ", s->name);
    for (const struct request *r = requests; r->name; r++)
        printf("%s%s", r->name, r[1].name ? " " : "\" ;;\n");
    for (const struct subcommand *s = subcommands; s->name; s++) {
        experiment_words(s->name, words);
        printf("    *,%s)\n", s->name);
        print_cases(lab_options_of(s->name), words, "        ");
        printf("        ;;\n");
    }
    printf("    esac\n");
}

/* `--name=value` is three words. */
void bash_print(const struct documented *program)
{
    const char *name = program->text->name;
    const char *function = program->options ? "_hpgmg_gpu" : "_hpgmg_lab";
    printf("# Completion of %s for bash, made from its table of options.\n"
           "%s()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local values='' kept='' files=''\n"
           "    if [[ $word == = ]]; then\n        word=\n"
           "    elif [[ $before == = ]]; then\n        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    fi\n",
           name, function);
    if (program->options)
        print_cases(program->options, "", "    ");
    else
        print_subcommands();
    printf("    if [[ $files ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "        compopt -o filenames 2>/dev/null\n"
           "    else\n"
           "        mapfile -t COMPREPLY < <(compgen -P \"$kept\" -W \"$values\" -- "
           "\"${word#\"$kept\"}\")\n"
           "    fi\n"
           "} && complete -F %s %s\n",
           function, name);
}
