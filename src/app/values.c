/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/values.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/option.h"
#include "level/extent.h"

static const void *member(const struct value *v, const void *of)
{
    const char *at = (const char *)of + v->offset;
    return v->indirect ? *(const void *const *)at : at;
}

static long count_of(const struct value *v, const void *of)
{
    const char *at = (const char *)of + v->count;
    return !member(v, of) ? 0 : v->count_is_long ? *(const long *)at : *(const int *)at;
}

static double number_of(const struct value *v, const void *of)
{
    const void *at = member(v, of);
    switch (v->kind) {
    case VALUE_INT:
        return *(const int *)at;
    case VALUE_LONG:
        return (double)*(const long *)at;
    case VALUE_DOUBLE:
        return *(const double *)at;
    case VALUE_LONGEST:
        return extent_longest(at);
    case VALUE_NUMBER:
        return v->number(of);
    default:
        return NAN;
    }
}

/* NULL of what is no text. */
static const char *words_of(const struct value *v, const void *of, char text[VALUE_TEXT_SIZE])
{
    const void *at = (const char *)of + v->offset;
    switch (v->kind) {
    case VALUE_TEXT:
        return *(const char *const *)at;
    case VALUE_CHARS:
        return at;
    case VALUE_WORDS:
        return v->words(of, text);
    case VALUE_HASH:
        snprintf(text, VALUE_TEXT_SIZE, "%016" PRIx64, *(const uint64_t *)at);
        return text;
    default:
        return NULL;
    }
}

/* --- JSON --- */

static void add_array(struct json *object, const struct value *v, const void *of)
{
    struct json *array = json_add_array(object, v->key);
    const char *element = member(v, of);
    const long count = v->kind == VALUE_EXTENT ? 3 : count_of(v, of);
    for (long i = 0; i < count; i++)
        if (v->kind == VALUE_LIST)
            values_add_json(json_add_object(array, NULL), v->of, element + (size_t)i * v->of->size);
        else if (v->kind == VALUE_LINES)
            json_add_text(array, NULL, element + (size_t)i * v->stride);
        else
            json_add_number(array, NULL,
                            v->kind == VALUE_EXTENT ? ((const int *)element)[i]
                                                    : ((const double *)element)[i]);
}

static void add_value(struct json *object, const struct value *v, const void *of)
{
    char buffer[VALUE_TEXT_SIZE];
    const double number = number_of(v, of);
    const char *text = words_of(v, of, buffer);
    switch (v->kind) {
    case VALUE_ADDED:
        v->add(object, v->key, of);
        break;
    case VALUE_FLAG:
        json_add_flag(object, v->key, *(const bool *)member(v, of));
        break;
    case VALUE_OBJECT:
        if (!v->there_is || ((const char *)of)[v->there_is])
            values_add_json(json_add_object(object, v->key), v->of, member(v, of));
        else if (!v->optional)
            json_add_text(object, v->key, NULL);
        break;
    case VALUE_TEXT:
    case VALUE_CHARS:
    case VALUE_WORDS:
    case VALUE_HASH:
        if (text || !v->optional)
            json_add_text(object, v->key, text);
        break;
    case VALUE_EXTENT:
    case VALUE_NUMBERS:
    case VALUE_LINES:
    case VALUE_LIST:
        add_array(object, v, of);
        break;
    default:
        if (!isnan(number) || !v->optional)
            json_add_number(object, v->key, number);
    }
}

void values_add_json(struct json *object, const struct values *values, const void *of)
{
    for (const struct value *v = values->rows; v->kind != VALUE_NONE; v++)
        if (v->key)
            add_value(object, v, of);
}

/* --- text --- */

const char *bytes_text(double bytes, char text[BYTES_TEXT_SIZE])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    while (bytes >= 1000.0 && unit < 5) {
        bytes /= 1000.0;
        unit++;
    }
    snprintf(text, BYTES_TEXT_SIZE, "%.*f %s", unit == 0 ? 0 : 2, bytes, units[unit]);
    return text;
}

const char *boxes_text(long boxes, const int cells[3], char text[BOXES_TEXT_SIZE])
{
    if (extent_is_cube(cells))
        snprintf(text, BOXES_TEXT_SIZE, "%ldx%3d^3", boxes, cells[0]);
    else
        snprintf(text, BOXES_TEXT_SIZE, "%ldx(%s)", boxes, extent_format(cells).of);
    return text;
}

const char *value_text(const struct value *v, const void *of, char text[VALUE_TEXT_SIZE])
{
    const double number = number_of(v, of) * (v->scale > 0.0 ? v->scale : 1.0);
    if (v->kind == VALUE_EXTENT)
        snprintf(text, VALUE_TEXT_SIZE, "%s", extent_format(member(v, of)).of);
    else if (isnan(number))
        return words_of(v, of, text);
    else if (v->format && strcmp(v->format, "B") == 0)
        return number > 0.0 ? bytes_text(number, text) : NULL;
    else
        snprintf(text, VALUE_TEXT_SIZE, v->format ? v->format : "%.4g", number);
    return text;
}

enum { CELL_WIDTH = 26, CELLS = 3, LABEL_WIDTH = 14 };

void grid_print(struct grid *g, const char *label, const char *text)
{
    const int wide = (int)strlen(label), before = wide > LABEL_WIDTH ? wide : LABEL_WIDTH;
    const int cells = (2 + before + (int)strlen(text)) / CELL_WIDTH + 1;
    if (g->cells + cells > CELLS)
        grid_end(g);
    g->column += printf("%*s", g->cells * CELL_WIDTH - g->column, "");
    g->column += printf("  %-*s", LABEL_WIDTH, label);
    g->column = print_words(stdout, text, g->column, before + 3, REPORT_WIDTH);
    g->cells += cells;
}

void grid_print_values(struct grid *g, const struct values *values, const void *of)
{
    char buffer[VALUE_TEXT_SIZE];
    for (const struct value *v = values->rows; v->kind != VALUE_NONE; v++) {
        const char *text = v->label ? value_text(v, of, buffer) : NULL;
        if (text && text[0])
            grid_print(g, v->label, text);
    }
}

void grid_end(struct grid *g)
{
    if (g->column > 0)
        printf("\n");
    *g = (struct grid){0};
}

static bool is_empty(const struct value *v, const char *list, int count, size_t size)
{
    char buffer[VALUE_TEXT_SIZE];
    for (int i = 0; i < count; i++) {
        const char *text = value_text(v, list + (size_t)i * size, buffer);
        if (text && text[0])
            return false;
    }
    return true;
}

void values_print_table(const struct values *values, const void *list, int count)
{
    char buffer[VALUE_TEXT_SIZE];
    for (int line = -1; line < count; line++) { /* the labels, then the structs */
        const char *of = (const char *)list + (size_t)(line < 0 ? 0 : line) * values->size;
        int column = printf(" ");
        for (const struct value *v = values->rows; v->kind != VALUE_NONE; v++) {
            if (!v->label || is_empty(v, list, count, values->size))
                continue;
            const char *text = line < 0 ? v->label : value_text(v, of, buffer);
            if (v->width == 0)
                print_words(stdout, text ? text : "", column, column, REPORT_WIDTH);
            else
                column += printf(" %*s", v->width, text ? text : "");
        }
        printf("\n");
    }
}
