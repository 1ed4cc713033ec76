#ifndef APP_OPTIONS_TABLE_H
#define APP_OPTIONS_TABLE_H
/* The table behind options.h: one row per option. To add an option: one member of struct options
 * and one row. */
#include <stdbool.h>
#include <stddef.h>
#include "app/options.h"

enum option_kind {
    OPTION_FLAG,   /* bool */
    OPTION_CHOICE, /* int, one of the row's choices */
    OPTION_INT,    /* int, minimum <= value <= maximum */
    OPTION_LONG,   /* long, the same */
    OPTION_REAL,   /* double, minimum < value < maximum */
    OPTION_PATH,   /* char *, NULL or not empty */
};

/* Where an option may be given, and what it is for. */
enum {
    OPTION_COMMAND_LINE = 1,
    OPTION_FILE = 2,
    OPTION_POSITIONAL = 4, /* on the command line it has no name: the table's order counts */
    OPTION_SHAPES = 8,     /* shapes the run: reports echo it */
    OPTION_REQUEST = 16,   /* --help, --version: nothing else counts */
};

struct choice {
    const char *name; /* NULL ends a list */
    int value;
};

struct option_row {
    const char *name; /* without dashes: the key in input files too */
    enum option_kind kind;
    unsigned uses;
    size_t offset;       /* of the member of struct options */
    const char *initial; /* default as text; NULL: false, or no path */
    const char *unset;   /* the word that stands for "not chosen" (the member is then 0), or NULL */
    const struct choice *choices;
    double minimum, maximum;
    const char *argument; /* what --help calls the value; NULL for flags and choices */
    const char *help;
};

enum { MAX_OPTIONS = 64 };
extern const struct option_row option_table[];
extern const int option_count;

/* The row of that name among those with all the bits of `uses`; NULL if there is none. */
const struct option_row *option_find(const char *name, unsigned uses);

/* Sets every member to its default. What paths point to is not freed. */
void option_set_defaults(struct options *options);

/* Sets the row's member from text. False, and nothing changed, if text is no legal value of it. */
bool option_set(const struct option_row *row, struct options *options, const char *text);

/* Sets the row's member to its default again. */
void option_reset(const struct option_row *row, struct options *options);

/* The member's value as option_set would read it back ("" for no path). The text is in buffer or
 * lives as long as options. */
enum { OPTION_TEXT_SIZE = 32 };
const char *option_text(const struct option_row *row, const struct options *options,
                        char buffer[OPTION_TEXT_SIZE]);

/* Whether the member says something else than "not chosen". */
bool option_is_chosen(const struct option_row *row, const struct options *options);

/* Writes the legal values in words: "2, 4", "an integer from 2 to 10". */
void option_describe_legal(const struct option_row *row, char *text, int size);

#endif
