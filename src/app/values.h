/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Tables of values of structs: JSON, its schema and the text report follow from their rows. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/json.h"

enum value_kind {
    VALUE_NONE, /* ends a table */
    VALUE_INT,
    VALUE_LONG,
    VALUE_DOUBLE,
    VALUE_FLAG,
    VALUE_HASH,    /* uint64_t, as hexadecimal text */
    VALUE_TEXT,    /* const char * */
    VALUE_CHARS,   /* char[] */
    VALUE_EXTENT,  /* int[3] */
    VALUE_LONGEST, /* of an int[3] */
    VALUE_NUMBER,  /* what number() returns */
    VALUE_WORDS,   /* what words() returns */
    VALUE_NUMBERS, /* count doubles */
    VALUE_LINES,   /* count texts of stride bytes */
    VALUE_OBJECT,  /* a struct */
    VALUE_LIST,    /* count structs */
    VALUE_ADDED,   /* what add() adds */
};

enum { VALUE_TEXT_SIZE = 320 };

struct value {
    const char *key;    /* in JSON; NULL: in the text report alone */
    const char *schema; /* of a member that is no struct: tests/cli/json_schema.py has these words;
                           "a|b": one of a and b; with "?": or null */
    enum value_kind kind;
    size_t offset; /* of the member */
    size_t count;  /* of an int or, where count_is_long, a long: the number of elements */
    bool indirect, count_is_long; /* indirect: the member points at them; NULL: there are none */
    bool optional;           /* without a value there is no key in JSON; else it is null there */
    const struct values *of; /* of objects and of elements */
    size_t stride;           /* of lines */
    size_t there_is;         /* of a member: no object if its first byte is 0; 0: always one */
    double (*number)(const void *);                                 /* NaN: there is no value */
    const char *(*words)(const void *, char text[VALUE_TEXT_SIZE]); /* NULL: there is no value */
    void (*add)(struct json *parent, const char *key, const void *);

    const char *label;  /* of the line or column in the text report; NULL: in JSON alone */
    const char *format; /* of numbers; NULL: %.4g; "B": bytes by their unit */
    double scale;       /* of the text; 0: 1 */
    int width;          /* of the column; < 0: aligned on the left; 0: the rest of the line */
};

/* A table, and the size of the struct that it describes. */
struct values {
    const struct value *rows;
    size_t size;
};

/* The members of a struct as members of a JSON object. */
void values_add_json(struct json *object, const struct values *values, const void *of);

/* The value in the text report; NULL if there is none. Returns text or one that lives as long. */
const char *value_text(const struct value *v, const void *of, char text[VALUE_TEXT_SIZE]);

/* The text report is at most so wide, except for HPGMG's lines, VERDICT and SCORE. */
enum { REPORT_WIDTH = 80 };

/* Short values side by side, long ones on lines of their own. End the last line. */
struct grid {
    int column, cells; /* of the line so far */
};
void grid_print(struct grid *g, const char *label, const char *text);
void grid_print_values(struct grid *g, const struct values *values, const void *of);
void grid_end(struct grid *g);

/* A line per struct under a line of labels, without columns that are empty. */
void values_print_table(const struct values *values, const void *list, int count);

/* Bytes in decimal units: "18.20 MB". */
enum { BYTES_TEXT_SIZE = 24 };
const char *bytes_text(double bytes, char text[BYTES_TEXT_SIZE]);
/* Boxes and the cells of each: "8x 32^3", "6x(32x16x16)". */
enum { BOXES_TEXT_SIZE = 64 };
const char *boxes_text(long boxes, const int cells[3], char text[BOXES_TEXT_SIZE]);
