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

/* The members that are numbers, and what is between several of them in the text. */
static const struct numbers {
    enum { INTS = 1, LONGS, REALS } type;
    int count;
    char separator;
} numbers_of[] = {
    [OPTION_INT] = {INTS, 1, '\0'},   [OPTION_LONG] = {LONGS, 1, '\0'},
    [OPTION_PAIR] = {INTS, 2, ','},   [OPTION_TRIPLE] = {INTS, 3, 'x'},
    [OPTION_REAL] = {REALS, 1, '\0'}, [OPTION_REALS] = {REALS, 3, ','},
};
enum { MAX_NUMBERS = 3 };

/* Of integers too: doubles hold them up to 2^53. */
static double number_at(const struct numbers *kind, const void *member, int i)
{
    return kind->type == INTS    ? ((const int *)member)[i]
           : kind->type == LONGS ? (double)((const long *)member)[i]
                                 : ((const double *)member)[i];
}

static void store_number(const struct numbers *kind, void *member, int i, double value)
{
    if (kind->type == INTS)
        ((int *)member)[i] = (int)value;
    else if (kind->type == LONGS)
        ((long *)member)[i] = (long)value;
    else
        ((double *)member)[i] = value;
}

/* Reads a decimal number and returns what follows it; NULL: there is none, or none within the
 * bounds. strtol and strtod alone would accept blanks, hexadecimal digits, "inf" and "nan". */
static const char *parse_number(const struct option_row *row, const char *text, double *value)
{
    const bool real = numbers_of[row->kind].type == REALS;
    const size_t length = strspn(text, real ? "+-.0123456789eE" : "-0123456789");
    char *end;
    errno = 0;
    *value = real ? strtod(text, &end) : (double)strtol(text, &end, 10);
    const bool inside = real ? *value > row->minimum && *value < row->maximum
                             : *value >= row->minimum && *value <= row->maximum;
    return length > 0 && end == text + length && errno == 0 && inside ? end : NULL;
}

static bool set_flag(bool *member, const char *text)
{
    const bool value = strcmp(text, "true") == 0;
    if (!value && strcmp(text, "false") != 0)
        return false;
    *member = value;
    return true;
}

/* Reads a word that a comma, a slash or the end follows, and returns what follows it; NULL: it is
 * none of the choices. */
static const char *parse_choice(const struct choice *choices, const char *text, int *value)
{
    const size_t length = strcspn(text, ",/");
    for (const struct choice *c = choices; c->name; c++)
        if (strlen(c->name) == length && strncmp(c->name, text, length) == 0) {
            *value = c->value;
            return text + length;
        }
    return NULL;
}

static bool set_choice(int *member, const struct choice *choices, const char *text)
{
    int value = 0;
    const char *end = parse_choice(choices, text, &value);
    if (!end || *end)
        return false;
    *member = value;
    return true;
}

static bool set_sides(int member[6], const struct choice *choices, const char *text)
{
    int sides[6] = {0}, count = 0; /* sides of one or three directions */
    do {
        text = parse_choice(choices, text + (count > 0), &sides[count]);
        if (text && *text == '/')
            text = parse_choice(choices, text + 1, &sides[count + 1]);
        else
            sides[count + 1] = sides[count];
        count += 2;
    } while (text && *text == ',' && count < 6);
    if (!text || *text || count == 4)
        return false;
    for (int side = 0; side < 6; side++)
        member[side] = sides[side % count];
    return true;
}

/* Of several numbers one must not be 0. */
static bool parse_numbers(const struct option_row *row, const char *text, double *values)
{
    const struct numbers *kind = &numbers_of[row->kind];
    bool any = kind->count == 1;
    for (int i = 0; i < kind->count; i++) {
        text = parse_number(row, text, &values[i]);
        if (!text || *text++ != (i + 1 < kind->count ? kind->separator : '\0'))
            return false;
        any = any || values[i] != 0.0;
    }
    return any;
}

/* Numbers, or a word, which sets the first one and 0 for the others. */
static bool set_numbers(const struct option_row *row, void *member, const char *text)
{
    double values[MAX_NUMBERS] = {0.0, 0.0, 0.0};
    int word = 0;
    if ((row->choices && set_choice(&word, row->choices, text)) ||
        (row->unset && strcmp(text, row->unset) == 0))
        values[0] = word;
    else if (!parse_numbers(row, text, values))
        return false;
    for (int i = 0; i < numbers_of[row->kind].count; i++)
        store_number(&numbers_of[row->kind], member, i, values[i]);
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
    case OPTION_PATH:
    case OPTION_NAMES:
        return set_path(member, text);
    default:
        return set_numbers(row, member, text);
    }
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

/* Of a real the shortest decimal text that reads back as the same number. */
static const char *number_text(const struct numbers *kind, double value,
                               char buffer[OPTION_TEXT_SIZE])
{
    if (kind->type != REALS) {
        snprintf(buffer, OPTION_TEXT_SIZE, "%.0f", value);
        return buffer;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buffer, OPTION_TEXT_SIZE, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
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

static const char *numbers_text(const struct option_row *row, const void *member,
                                char buffer[OPTION_TEXT_SIZE])
{
    const struct numbers *kind = &numbers_of[row->kind];
    const double first = number_at(kind, member, 0);
    char number[OPTION_TEXT_SIZE];
    bool any = false;
    int length = 0;
    for (int i = 0; i < kind->count; i++) {
        const double value = number_at(kind, member, i);
        const char separator[] = {i > 0 ? kind->separator : '\0', '\0'};
        any = any || value != 0.0;
        length += snprintf(buffer + length, (size_t)(OPTION_TEXT_SIZE - length), "%s%s", separator,
                           number_text(kind, value, number));
    }
    if (row->unset && !any)
        return row->unset;
    const char *word =
        row->choices ? choice_text(row->choices, first < INT_MAX ? (int)first : 0) : NULL;
    return word ? word : buffer;
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
    case OPTION_PATH:
    case OPTION_NAMES:
        return *(char *const *)member ? *(char *const *)member : row->unset;
    default:
        return numbers_text(row, member, buffer);
    }
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

/* "auto, never, or an integer from 1 to 10": the words, what numbers, how many of them. */
static void describe_numbers(const struct option_row *row, char *text, size_t size)
{
    const struct numbers *kind = &numbers_of[row->kind];
    const bool real = kind->type == REALS, several = kind->count > 1;
    const char *unset = row->unset ? row->unset : "";
    char words[OPTION_TEXT_SIZE] = "", what[24], between[48] = "";
    if (row->choices)
        describe_choices(row->choices, words, sizeof words);
    if (several)
        snprintf(what, sizeof what, "%d %s", kind->count, real ? "numbers" : "integers");
    else
        snprintf(what, sizeof what, "%s", real ? "a number" : "an integer");
    if (several)
        snprintf(between, sizeof between, " with '%c' between them%s", kind->separator,
                 row->minimum == 0 && !real ? ", not all 0" : "");
    snprintf(text, size,
             real ? "%s%s%s%s%s above %g and below %g%s" : "%s%s%s%s%s from %.0f to %.0f%s", unset,
             *unset && *words ? ", " : "", words, *unset || *words ? ", or " : "", what,
             row->minimum, row->maximum, between);
}

void option_describe_legal(const struct option_row *row, char *text, int size)
{
    const size_t n = (size_t)size;
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
    case OPTION_PATH:
        snprintf(text, n, "a file name");
        break;
    case OPTION_NAMES:
        snprintf(text, n, "names with commas between them");
        break;
    default:
        describe_numbers(row, text, n);
    }
}
