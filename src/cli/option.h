/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Options as data: a program has a struct of them and a table with one row per option, and parsing,
 * --help, error messages and the echo in reports follow from the rows. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum option_kind {
    OPTION_FLAG,   /* bool */
    OPTION_CHOICE, /* int, one of the row's choices */
    OPTION_SIDES,  /* int[6], a choice per side (low i, high i, low j, …): one word, or one per
                      direction with commas between them, each of which may be LOW/HIGH */
    OPTION_INT,    /* int, minimum <= value <= maximum */
    OPTION_LONG,   /* long, the same */
    OPTION_PAIR,   /* int[2], "4,2": each from minimum to maximum, not both 0; or a word in the
                      first, and then 0 */
    OPTION_TRIPLE, /* int[3], "4x2x1"; the same */
    OPTION_REAL,   /* double, minimum < value < maximum */
    OPTION_REALS,  /* double[3], "1,2,4": each the same; or the word for "not chosen" */
    OPTION_PATH,   /* char *, a file name; NULL or not empty */
    OPTION_NAMES,  /* char *, names with commas between them; NULL or not empty */
};

/* Where an option may be given, and what it is for. */
enum {
    OPTION_COMMAND_LINE = 1,
    OPTION_FILE = 2,
    OPTION_POSITIONAL = 4, /* without a name on the command line, in the table's order */
    OPTION_SHAPES = 8,     /* determines the run: reports echo it */
    OPTION_REQUEST = 16,   /* --help, --version: other options are ignored */
    OPTION_REPEATED = 32,  /* positional names, the last: as many as there are, or none */
};

struct choice {
    const char *name; /* NULL ends a list */
    int value;
};

struct option_row {
    const char *name; /* without dashes; also the key in input files */
    enum option_kind kind;
    unsigned uses;
    size_t offset;                /* of the member in the program's struct of options */
    const char *initial;          /* default as text; NULL: false, or no path */
    const char *unset;            /* the word for "not chosen" (the member is then 0), or NULL */
    const struct choice *choices; /* all values; of an integer, words for some of them, or NULL */
    double minimum, maximum;
    const char *argument; /* name of the value in --help; NULL for flags and choices */
    const char *help;
};

enum { MAX_OPTIONS = 64 };

/* The options of a program. */
struct option_list {
    const struct option_row *rows;
    int count;
    size_t size; /* of the struct */
};

/* What --help and the man page say besides the options. */
struct program_text {
    const char *name, *usage, *summary;
    const char *input_files; /* NULL: it reads none */
    const char *exit_statuses;
};

/* The row of that name with all bits of `uses`; NULL if there is none. */
const struct option_row *option_find(const struct option_list *list, const char *name,
                                     unsigned uses);

/* The option as it is written: two dashes unless it is positional or in files only, and its word.
 */
const char *option_dashes(const struct option_row *row);
const char *option_word(const struct option_row *row);

/* Sets every member to its default. Frees no texts. */
void option_set_defaults(const struct option_list *list, void *options);
/* Frees all texts. */
void option_release(const struct option_list *list, void *options);

/* Sets the row's member from text. False, and no change, if text is not a legal value. */
bool option_set(const struct option_row *row, void *options, const char *text);

/* Sets the row's member to its default again. */
void option_reset(const struct option_row *row, void *options);

/* The member's value as option_set reads it ("" for no path). The text is in buffer, or lives as
 * long as options. */
enum { OPTION_TEXT_SIZE = 64 };
const char *option_text(const struct option_row *row, const void *options,
                        char buffer[OPTION_TEXT_SIZE]);

/* False if the member has the value "not chosen". */
bool option_is_chosen(const struct option_row *row, const void *options);

/* The legal values in words: "2, 4", "an integer from 2 to 10". */
void option_describe_legal(const struct option_row *row, char *text, int size);

/* The words of text behind `column` columns of the line, in lines from column `indent` on that are
 * at most `width` wide. Returns the new column. */
int print_words(FILE *out, const char *text, int column, int indent, int width);

/* The middle of --help: one entry per option. */
void option_print_help(const struct option_list *list, FILE *out);
