/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H
/* Reads a command line by a table of options. Every error is one sentence that names the option and
 * what would be legal; nothing is printed here. */
#include "base/status.h"
#include "cli/option.h"

/* A reading in progress. */
struct parser {
    const struct option_list *list;
    void *options;                   /* the struct that the list describes */
    unsigned char seen[MAX_OPTIONS]; /* OPTION_COMMAND_LINE, OPTION_FILE: where each was given */
    const char *file;                /* being read; NULL: the command line is */
    int line;                        /* of file */
    char *message;
    int message_size;
};

/* Writes the message, with the place in the file being read, and returns STATUS_USAGE. */
enum status parser_fail(struct parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for a word that names no option; `word` is as given, with its dashes. */
enum status parser_fail_unknown(struct parser *p, const char *word);

/* Gives the row's option the value `text`. */
enum status parser_set(struct parser *p, const struct option_row *row, const char *text);

/* Reads all of argv but argv[0]; stops at a request (--help). */
enum status parser_read(struct parser *p, int argc, char **argv);

/* Refuses options of which two name the same file, by whatever links: one of them would overwrite
 * what the other reads or writes. */
enum status parser_check_paths(struct parser *p);

/* Whether a request was read: nothing else counts then. */
bool parser_has_request(const struct parser *p);

/* Whether the option of that name was given anywhere. */
bool parser_was_given(const struct parser *p, const char *name);

/* Values and file names may hold line ends and escape sequences; a message must not. Each byte that
 * is not part of a printable UTF-8 character becomes a question mark. */
void message_make_one_line(char *text);

#endif
