/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Building JSON and writing it to a file. */
#include <stdbool.h>
#include "cli/output_file.h"

struct json; /* a value */

/* A new root object. */
struct json *json_object(void);
void json_destroy(struct json *root);

/* New last members of an object, or elements of an array, which have no key: NULL. Numbers that are
 * not finite, and a text that is NULL, become null: JSON knows neither NaN nor infinity. */
void json_add_number(struct json *parent, const char *key, double value);
void json_add_text(struct json *parent, const char *key, const char *text);
void json_add_flag(struct json *parent, const char *key, bool value);
struct json *json_add_object(struct json *parent, const char *key);
struct json *json_add_array(struct json *parent, const char *key);
/* Several numbers or texts in turn: JSON_NUMBERS(object, {"n", n}, {"ranks", ranks}). */
struct json_number {
    const char *key;
    double value;
};
struct json_text {
    const char *key, *text;
};
static inline void json_add_numbers(struct json *object, const struct json_number *numbers)
{
    for (const struct json_number *n = numbers; n->key; n++)
        json_add_number(object, n->key, n->value);
}
static inline void json_add_texts(struct json *object, const struct json_text *texts)
{
    for (const struct json_text *t = texts; t->key; t++)
        json_add_text(object, t->key, t->text);
}
#define JSON_NUMBERS(object, ...)                                                                  \
    json_add_numbers(object, (const struct json_number[]){__VA_ARGS__, {NULL, 0.0}})
#define JSON_TEXTS(object, ...)                                                                    \
    json_add_texts(object, (const struct json_text[]){__VA_ARGS__, {NULL, NULL}})

/* Writes root and frees the file; as output_file_write(). */
bool json_write(struct output_file *file, const struct json *root);
/* The same for all ranks, which return the same; destroys root. file and root are rank 0's, and
 * NULL on the other ranks. Collective over the world. */
bool json_write_of_rank_0(struct output_file *file, struct json *root);
