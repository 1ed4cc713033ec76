/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The figures of one row of a report, described once: columns of a table and members in JSON. */
#include "cli/json.h"

struct column {
    const char *title; /* in the table; NULL: only in JSON */
    const char *key;   /* in JSON; NULL: only in the table */
    int width, decimals;
    double unit;  /* of the table, in units of the value: 1e-3 prints seconds as milliseconds */
    double value; /* NaN, unknown: blank in the table, null in JSON */
};
enum { DECIMALS_OF_RATE = -1 }; /* three below ten, else one */

/* Prints the figures of one row of a table and adds them to its JSON object; before it the titles,
 * behind that of the first column, unless it is NULL. Prints no end of line. Returns true. */
bool report_row(struct json *object, const char *title, const char *first, int width,
                const struct column *columns, int count);
