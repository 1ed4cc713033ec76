/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAGES_PAGES_H
#define PAGES_PAGES_H
/* Man pages and completion of both programs, made from their tables of options. All print to
 * stdout. */
#include "cli/option.h"

struct documented {
    const struct program_text *text;
    const struct option_list *options; /* NULL: those of the lab's subcommands */
};

void man_print(const struct documented *program);
void bash_print(const struct documented *program);

/* True unless the option's value is the next word. */
static inline bool stands_alone(const struct option_row *row)
{
    return row->kind == OPTION_FLAG || (row->uses & OPTION_POSITIONAL);
}

/* True if the value is words with commas between them. */
static inline bool is_list(const struct option_row *row)
{
    return row->kind == OPTION_SIDES || row->kind == OPTION_NAMES;
}

/* The words that the option's value may be, with blanks between them; "" if there are none. */
enum { VALUE_WORDS_SIZE = 512 };
void value_words(const struct option_row *row, char words[VALUE_WORDS_SIZE]);

/* The lab's experiments of a subcommand, in the same way. */
void experiment_words(const char *subcommand, char words[VALUE_WORDS_SIZE]);

#endif
