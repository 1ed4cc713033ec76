/* SPDX-License-Identifier: BSD-3-Clause */
/* Man pages, in the macros of man(7). */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "cli/build_info.h"
#include "lab/experiments.h"
#include "lab/lab.h"
#include "pages/pages.h"

enum { TEXT_SIZE = 1024 };

/* Text as roff prints it, on one line of the page's source: with ASCII's dashes and quotes, and
 * line breaks behind bars. */
static void print_text(const char *text)
{
    static const struct {
        char letter;
        const char *roff;
    } escapes[] = {{'\\', "\\e"},  {'-', "\\-"},    {'^', "\\(ha"}, {'`', "\\(ga"},
                   {'~', "\\(ti"}, {'\'', "\\(aq"}, {'\n', " "},    {'|', "|\\:"}};
    if (*text == '.')
        printf("\\&");
    for (; *text; text++) {
        size_t e = 0;
        while (e < sizeof escapes / sizeof escapes[0] && escapes[e].letter != *text)
            e++;
        if (e < sizeof escapes / sizeof escapes[0])
            printf("%s", escapes[e].roff);
        else
            putchar(*text);
    }
}

static void print_line(const char *before, const char *text, const char *after)
{
    printf("%s", before);
    print_text(text);
    printf("%s\n", after);
}

/* "times solves" of "Times solves." */
static void print_name(const struct program_text *p)
{
    char summary[TEXT_SIZE];
    snprintf(summary, sizeof summary, "%s", p->summary);
    summary[0] = (char)tolower((unsigned char)summary[0]);
    summary[strcspn(summary, ".")] = '\0';
    print_text(p->name);
    print_line(" \\- ", summary, "");
}

/* "2|4": what the value is called. False if that does not tell the legal ones. */
static bool name_value(const struct option_row *row, char name[VALUE_WORDS_SIZE])
{
    enum { LONGEST = 50 };
    value_words(row, name);
    const bool tells = row->kind == OPTION_CHOICE && strlen(name) <= LONGEST;
    if (row->argument || !(tells || row->kind == OPTION_SIDES))
        snprintf(name, VALUE_WORDS_SIZE, "%s", row->argument ? row->argument : row->name);
    for (char *c = name; *c; c++)
        if (*c == ' ')
            *c = '|';
    return tells || row->kind == OPTION_PATH || row->kind == OPTION_NAMES;
}

static void print_row(const struct option_row *row)
{
    const char *initial = row->initial ? row->initial : row->unset;
    char name[VALUE_WORDS_SIZE], legal[TEXT_SIZE];
    const bool tells = name_value(row, name);
    printf(".TP\n\\fB");
    print_text(option_dashes(row));
    print_text(option_word(row));
    print_line(stands_alone(row) ? "\\fR" : "\\fR \\fI", stands_alone(row) ? "" : name, "\\fR");
    print_line("", row->help, "");
    if (row->kind == OPTION_FLAG)
        return;
    option_describe_legal(row, legal, sizeof legal);
    if (!tells)
        print_line(".br\nLegal: ", legal, ".");
    if (initial && *initial)
        print_line(tells ? ".br\nDefault: " : "Default: ", initial, ".");
}

static void print_rows(const struct option_list *list)
{
    for (int i = 0; i < list->count; i++)
        print_row(&list->rows[i]);
}

static void print_subcommand(const struct subcommand *s)
{
    print_line(".SS ", s->name, "");
    print_line("\\fBhpgmg\\-lab ", s->name, "\\fR");
    print_line("", s->usage, "");
    print_line(".PP\n", s->summary, "");
    print_rows(lab_options_of(s->name));
    bool any = false;
    for (const struct experiment_row *e = experiments; e->name; e++)
        if (strcmp(e->subcommand, s->name) == 0) {
            printf("%s", any ? "" : ".PP\nExperiments:\n");
            print_line(".TP\n\\fB", e->name, "\\fR");
            print_line("", e->summary, e->where == ON_GPU ? " (GPU)" : "");
            any = true;
        }
}

static void print_lab(void)
{
    printf(".SH OPTIONS\n");
    for (const struct request *r = requests; r->name; r++) {
        print_line(".TP\n\\fB", r->name, "\\fR");
        print_line("", r->summary, "");
    }
    printf(".SH SUBCOMMANDS\n");
    for (const struct subcommand *s = subcommands; s->name; s++)
        print_subcommand(s);
}

void man_print(const struct documented *program)
{
    const struct program_text *p = program->text;
    const bool is_lab = !program->options;
    printf(".\\\" Made from the program's table of options.\n"
           ".TH %s 1 \"\" \"%s %s\"\n.nh\n.ad l\n.SH NAME\n",
           is_lab ? "HPGMG\\-LAB" : "HPGMG\\-GPU", p->name, build_info.version);
    print_name(p);
    print_line(".SH SYNOPSIS\n\\fB", p->name, "\\fR");
    print_line("", p->usage, "");
    print_line(".SH DESCRIPTION\n", p->summary, "");
    if (is_lab) {
        print_lab();
    } else {
        printf(".SH OPTIONS\n");
        print_rows(program->options);
    }
    if (p->input_files)
        print_line(".SH INPUT FILES\n", p->input_files, "");
    print_line(".SH EXIT STATUS\n", p->exit_statuses, "");
    printf(".SH FILES\n"
           ".TP\n\\fIPREFIX\\fR/share/hpgmg\\-gpu/run/\n"
           "scripts for studies, profiles and figures\n"
           ".TP\n\\fIPREFIX\\fR/share/doc/hpgmg\\-gpu/\n"
           "the documentation; %s has all options and the report explained\n"
           ".SH SEE ALSO\n.BR hpgmg\\-%s (1)\n",
           is_lab ? "lab/README.md" : "docs/USAGE.md", is_lab ? "gpu" : "lab");
}
