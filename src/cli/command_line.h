/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Reads a command line by a table of options. Every error is one sentence that names the option and
 * the legal values. What both programs do before and after is here too. */
#include "base/status.h"
#include "cli/option.h"

/* A reading in progress. */
struct parser {
    const struct option_list *list;
    void *options;                   /* the struct that the list describes */
    unsigned char seen[MAX_OPTIONS]; /* OPTION_COMMAND_LINE, OPTION_FILE: where each was given */
    const char *file;                /* being read; NULL: the command line */
    int line;                        /* of file */
    char *message;
    int message_size;
};

/* Writes the message, after file and line if a file is being read, and returns STATUS_USAGE. */
enum status parser_fail(struct parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for a word that is no option; `word` has its dashes. */
enum status parser_fail_unknown(struct parser *p, const char *word);

/* Sets the row's option to `text`. */
enum status parser_set(struct parser *p, const struct option_row *row, const char *text);

/* Reads argv from argv[1] on; stops at a request (--help). */
enum status parser_read(struct parser *p, int argc, char **argv);

/* Reads lines `key = value`; `#` begins a comment at the start of a line or after a blank. Several
 * ranks read regular files only. */
enum status parser_read_file(struct parser *p, const char *path);

/* Refuses two options that name the same file, through links too: one would overwrite what the
 * other reads or writes. */
enum status parser_check_paths(struct parser *p);

/* True if a request was read; the other options are then ignored. */
bool parser_has_request(const struct parser *p);

/* True if the option was given, on the command line or in a file. */
bool parser_was_given(const struct parser *p, const char *name);

/* Starts MPI; `name` is the program's in messages. */
void program_start(const char *name, int argc, char **argv);
/* Checks that stdout could be written, ends MPI, and returns the exit status. */
enum status program_end(enum status status);
/* Prints the message on rank 0 as an error, and returns status. */
enum status program_refuse(enum status status, char *message);
/* "===== title =====" on stdout. */
void print_heading(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the message, made one line, on stderr as an error. */
void message_print(char *message);

/* Replaces each byte that is not part of a printable UTF-8 character by a question mark: values and
 * file names may have line ends and escape sequences, messages must not. */
void message_make_one_line(char *text);
