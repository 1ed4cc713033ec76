/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H
/* The figures of one row of a report, described once: columns of a table and members in JSON. */
#include "cli/json.h"

struct column {
    const char *title; /* in the table; NULL: only in JSON */
    const char *key;   /* in JSON; NULL: only in the table */
    int width, decimals;
    double unit;  /* of the table, in units of the value: 1e-3 prints seconds as milliseconds */
    double value; /* NaN, unknown: blank in the table, null in JSON */
};
/* Decimals of a rate: three below ten, else one. */
enum { DECIMALS_OF_RATE = -1, MAX_COLUMNS = 16 };

/* Print the titles, or the figures, behind a first column of that width, and no end of line. */
void columns_print_titles(const char *first, int width, const struct column *columns, int count);
void columns_print(const char *first, int width, const struct column *columns, int count);
void columns_add_json(struct json *object, const struct column *columns, int count);

#endif
