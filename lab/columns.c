/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/columns.h"
#include <math.h>
#include <stdio.h>

static void print_titles(const char *first, int width, const struct column *columns, int count)
{
    printf("  %-*s", width, first);
    for (int c = 0; c < count; c++)
        if (columns[c].title)
            printf(" %*s", columns[c].width, columns[c].title);
    printf("\n");
}

static void print_figures(const char *first, int width, const struct column *columns, int count)
{
    int blanks = 0; /* before the next figure */
    printf("  %-*s", width, first);
    for (int c = 0; c < count; c++) {
        const struct column *x = &columns[c];
        const double value = x->value / x->unit;
        const int decimals = x->decimals != DECIMALS_OF_RATE ? x->decimals : value < 10.0 ? 3 : 1;
        blanks += x->title ? x->width + 1 : 0;
        if (!x->title || isnan(value))
            continue;
        printf("%*.*f", blanks, decimals, value);
        blanks = 0;
    }
}

bool report_row(struct json *object, const char *title, const char *first, int width,
                const struct column *columns, int count)
{
    if (title)
        print_titles(title, width, columns, count);
    print_figures(first, width, columns, count);
    fflush(stdout);
    for (int c = 0; c < count; c++)
        if (columns[c].key)
            json_add_number(object, columns[c].key, columns[c].value);
    return true;
}
