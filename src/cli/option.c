/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/option.h"
#include <limits.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"

const struct option_row *option_find(const struct option_list *list, const char *name,
                                     unsigned uses)
{
    for (int i = 0; i < list->count; i++)
        if ((list->rows[i].uses & uses) == uses && strcmp(list->rows[i].name, name) == 0)
            return &list->rows[i];
    return NULL;
}

const char *option_dashes(const struct option_row *row)
{
    return (row->uses & OPTION_POSITIONAL) ? "" : "--";
}

const char *option_word(const struct option_row *row)
{
    return row->uses & OPTION_POSITIONAL ? row->argument : row->name;
}

void option_set_defaults(const struct option_list *list, void *options)
{
    memset(options, 0, list->size);
    for (int i = 0; i < list->count; i++)
        if (list->rows[i].initial)
            option_set(&list->rows[i], options, list->rows[i].initial);
}

/* True if the member is allocated text. */
static bool is_text(const struct option_row *row)
{
    return row->kind == OPTION_PATH || row->kind == OPTION_NAMES;
}

void option_release(const struct option_list *list, void *options)
{
    for (int i = 0; i < list->count; i++)
        if (is_text(&list->rows[i]))
            option_reset(&list->rows[i], options);
}

/* Decimal digits with an optional sign only: strtol alone would skip leading blanks. */
static bool parse_integer(const char *text, double minimum, double maximum, long *value)
{
    if (*text == '\0' || strspn(text, "-0123456789") != strlen(text))
        return false;
    char *end;
    errno = 0;
    *value = strtol(text, &end, 10);
    return *end == '\0' && errno == 0 && (double)*value >= minimum && (double)*value <= maximum;
}

/* A decimal number: strtod alone would accept blanks, hexadecimal digits, "inf" and "nan". */
static bool parse_real(const char *text, double minimum, double maximum, double *value)
{
    if (*text == '\0' || strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return *end == '\0' && errno == 0 && *value > minimum && *value < maximum;
}

static bool set_flag(bool *member, const char *text)
{
    const bool value = strcmp(text, "true") == 0;
    if (!value && strcmp(text, "false") != 0)
        return false;
    *member = value;
    return true;
}

static bool set_choice(int *member, const struct choice *choices, const char *text)
{
    for (const struct choice *c = choices; c->name; c++)
        if (strcmp(c->name, text) == 0) {
            *member = c->value;
            return true;
        }
    return false;
}

/* Cuts a copy of the text at each separator. Returns the number of words; 0: more than `most`. */
static int cut(const char *text, char separator, char copy[OPTION_TEXT_SIZE], char **words,
               int most)
{
    int count = 0;
    if (strlen(text) >= OPTION_TEXT_SIZE)
        return 0;
    strcpy(copy, text);
    for (char *next = copy; next; count++) {
        if (count == most)
            return 0;
        words[count] = next;
        next = strchr(next, separator);
        if (next)
            *next++ = '\0';
    }
    return count;
}

static bool set_sides(int member[6], const struct choice *choices, const char *text)
{
    char copy[OPTION_TEXT_SIZE], ends[OPTION_TEXT_SIZE], *directions[3], *words[2];
    int sides[6];
    const int count = cut(text, ',', copy, directions, 3);
    for (int d = 0; d < count; d++) {
        const int both = cut(directions[d], '/', ends, words, 2);
        for (int side = 0; side < 2; side++)
            if (both == 0 || !set_choice(&sides[2 * d + side], choices, words[side % both]))
                return false;
    }
    if (count != 1 && count != 3)
        return false;
    for (int side = 0; side < 6; side++)
        member[side] = sides[side % (2 * count)];
    return true;
}

static bool set_integer(const struct option_row *row, void *member, const char *text)
{
    long value = 0;
    int word = 0;
    if (row->choices && set_choice(&word, row->choices, text))
        value = word;
    else if (!(row->unset && strcmp(text, row->unset) == 0) &&
             !parse_integer(text, row->minimum, row->maximum, &value))
        return false;
    if (row->kind == OPTION_INT)
        *(int *)member = (int)value;
    else
        *(long *)member = value;
    return true;
}

/* How many numbers a list has, and what is between them. */
static int list_length(const struct option_row *row)
{
    return row->kind == OPTION_PAIR ? 2 : 3;
}

static const char *list_separator(const struct option_row *row)
{
    return row->kind == OPTION_PAIR ? "," : "x";
}

static bool set_list(const struct option_row *row, int *member, const char *text)
{
    const int count = list_length(row);
    char copy[OPTION_TEXT_SIZE], *words[3];
    long values[3] = {0, 0, 0};
    int word = 0;
    bool any = row->choices && set_choice(&word, row->choices, text);
    values[0] = word;
    if (!any && !(row->unset && strcmp(text, row->unset) == 0)) {
        if (cut(text, *list_separator(row), copy, words, count) != count)
            return false;
        for (int i = 0; i < count; i++) {
            if (!parse_integer(words[i], row->minimum, row->maximum, &values[i]))
                return false;
            any = any || values[i] != 0;
        }
        if (!any)
            return false;
    }
    for (int i = 0; i < count; i++)
        member[i] = (int)values[i];
    return true;
}

static bool set_real(const struct option_row *row, double *member, const char *text)
{
    double value = 0;
    if (!(row->unset && strcmp(text, row->unset) == 0) &&
        !parse_real(text, row->minimum, row->maximum, &value))
        return false;
    *member = value;
    return true;
}

static bool set_reals(const struct option_row *row, double member[3], const char *text)
{
    char copy[OPTION_TEXT_SIZE], *words[3];
    double values[3] = {0.0, 0.0, 0.0};
    if (strcmp(text, row->unset) != 0) {
        if (cut(text, ',', copy, words, 3) != 3)
            return false;
        for (int i = 0; i < 3; i++)
            if (!parse_real(words[i], row->minimum, row->maximum, &values[i]))
                return false;
    }
    memcpy(member, values, sizeof values);
    return true;
}

static bool set_path(char **member, const char *text)
{
    if (*text == '\0')
        return false;
    memory_free(*member);
    *member = memory_alloc(strlen(text) + 1, "a path of the options");
    strcpy(*member, text);
    return true;
}

bool option_set(const struct option_row *row, void *options, const char *text)
{
    void *member = (char *)options + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        return set_flag(member, text);
    case OPTION_CHOICE:
        return set_choice(member, row->choices, text);
    case OPTION_SIDES:
        return set_sides(member, row->choices, text);
    case OPTION_INT:
    case OPTION_LONG:
        return set_integer(row, member, text);
    case OPTION_PAIR:
    case OPTION_TRIPLE:
        return set_list(row, member, text);
    case OPTION_REAL:
        return set_real(row, member, text);
    case OPTION_REALS:
        return set_reals(row, member, text);
    case OPTION_PATH:
    case OPTION_NAMES:
        return set_path(member, text);
    }
    return false;
}

void option_reset(const struct option_row *row, void *options)
{
    if (is_text(row)) {
        char **path = (void *)((char *)options + row->offset);
        memory_free(*path);
        *path = NULL;
    } else {
        option_set(row, options, row->initial ? row->initial : "false");
    }
}

/* The shortest decimal text that reads back as the same number. */
static const char *real_text(double value, char buffer[OPTION_TEXT_SIZE])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buffer, OPTION_TEXT_SIZE, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

static const char *reals_text(const struct option_row *row, const double member[3],
                              char buffer[OPTION_TEXT_SIZE])
{
    char number[OPTION_TEXT_SIZE];
    int length = 0;
    if (member[0] == 0)
        return row->unset;
    for (int i = 0; i < 3; i++)
        length += snprintf(buffer + length, (size_t)(OPTION_TEXT_SIZE - length), "%s%s",
                           i > 0 ? "," : "", real_text(member[i], number));
    return buffer;
}

static const char *choice_text(const struct choice *choices, int value)
{
    const struct choice *c = choices;
    while (c->name && c->value != value)
        c++;
    return c->name;
}

/* As few words as say it. */
static const char *sides_text(const struct choice *choices, const int member[6],
                              char buffer[OPTION_TEXT_SIZE])
{
    bool same = true;
    for (int d = 1; d < 3; d++)
        same = same && member[2 * d] == member[0] && member[2 * d + 1] == member[1];
    int length = 0;
    for (int d = 0; d < (same ? 1 : 3); d++) {
        const char *low = choice_text(choices, member[2 * d]),
                   *high = choice_text(choices, member[2 * d + 1]);
        length += snprintf(buffer + length, (size_t)(OPTION_TEXT_SIZE - length), "%s%s%s%s",
                           d ? "," : "", low, low == high ? "" : "/", low == high ? "" : high);
    }
    return buffer;
}

static const char *integer_text(const struct option_row *row, long value,
                                char buffer[OPTION_TEXT_SIZE])
{
    if (row->unset && value == 0)
        return row->unset;
    const char *word =
        row->choices ? choice_text(row->choices, value < INT_MAX ? (int)value : 0) : NULL;
    if (word)
        return word;
    snprintf(buffer, OPTION_TEXT_SIZE, "%ld", value);
    return buffer;
}

static const char *list_text(const struct option_row *row, const int *member,
                             char buffer[OPTION_TEXT_SIZE])
{
    const char *word = row->choices ? choice_text(row->choices, member[0]) : NULL;
    int length = 0;
    if (word || (row->unset && member[0] == 0 && member[1] == 0))
        return word ? word : row->unset;
    for (int i = 0; i < list_length(row); i++)
        length += snprintf(buffer + length, (size_t)(OPTION_TEXT_SIZE - length), "%s%d",
                           i > 0 ? list_separator(row) : "", member[i]);
    return buffer;
}

const char *option_text(const struct option_row *row, const void *options,
                        char buffer[OPTION_TEXT_SIZE])
{
    const void *member = (const char *)options + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        return *(const bool *)member ? "true" : "false";
    case OPTION_CHOICE:
        return choice_text(row->choices, *(const int *)member);
    case OPTION_SIDES:
        return sides_text(row->choices, member, buffer);
    case OPTION_INT:
        return integer_text(row, *(const int *)member, buffer);
    case OPTION_LONG:
        return integer_text(row, *(const long *)member, buffer);
    case OPTION_PAIR:
    case OPTION_TRIPLE:
        return list_text(row, member, buffer);
    case OPTION_REAL:
        if (row->unset && *(const double *)member == 0)
            return row->unset;
        return real_text(*(const double *)member, buffer);
    case OPTION_REALS:
        return reals_text(row, member, buffer);
    case OPTION_PATH:
    case OPTION_NAMES:
        return *(char *const *)member ? *(char *const *)member : row->unset;
    }
    return "";
}

bool option_is_chosen(const struct option_row *row, const void *options)
{
    char buffer[OPTION_TEXT_SIZE];
    return !row->unset || strcmp(option_text(row, options, buffer), row->unset) != 0;
}

static void describe_choices(const struct choice *choices, char *text, int size)
{
    int length = 0;
    for (const struct choice *c = choices; c->name && length < size; c++)
        length += snprintf(text + length, (size_t)(size - length), "%s%s", c == choices ? "" : ", ",
                           c->name);
}

void option_describe_legal(const struct option_row *row, char *text, int size)
{
    const size_t n = (size_t)size;
    const char *unset = row->unset ? row->unset : "";
    const char *or_else = row->unset ? ", or " : "";
    char words[OPTION_TEXT_SIZE] = "";
    switch (row->kind) {
    case OPTION_FLAG:
        snprintf(text, n, "true, false");
        break;
    case OPTION_CHOICE:
        describe_choices(row->choices, text, size);
        break;
    case OPTION_SIDES:
        describe_choices(row->choices, words, sizeof words);
        snprintf(text, n,
                 "%s; one for all sides, or three with commas, each for both sides of a "
                 "direction or as low/high",
                 words);
        break;
    case OPTION_INT:
    case OPTION_LONG:
        if (row->choices)
            describe_choices(row->choices, words, sizeof words);
        snprintf(text, n, "%s%s%s%san integer from %.0f to %.0f", unset, words[0] ? ", " : "",
                 words, or_else, row->minimum, row->maximum);
        break;
    case OPTION_PAIR:
    case OPTION_TRIPLE:
        if (row->choices)
            describe_choices(row->choices, words, sizeof words);
        snprintf(text, n, "%s%s, or %d integers from %.0f to %.0f with '%s' between them%s", unset,
                 words, list_length(row), row->minimum, row->maximum, list_separator(row),
                 row->minimum == 0 ? ", not all 0" : "");
        break;
    case OPTION_REAL:
        snprintf(text, n, "%s%sa number above %g and below %g", unset, or_else, row->minimum,
                 row->maximum);
        break;
    case OPTION_REALS:
        snprintf(text, n, "%s%s3 numbers above %g and below %g with ',' between them", unset,
                 or_else, row->minimum, row->maximum);
        break;
    case OPTION_PATH:
        snprintf(text, n, "a file name");
        break;
    case OPTION_NAMES:
        snprintf(text, n, "names with commas between them");
        break;
    }
}
