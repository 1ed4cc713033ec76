/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_JSON_H
#define CLI_JSON_H
/* Building JSON and writing it to a file. Needs cJSON; builds without it link json_absent.c, where
 * json_available() is false and nothing else is called. */
#include <stdbool.h>
#include <stddef.h>
#include "cli/output_file.h"

struct cJSON; /* a value; see cjson/cJSON.h */

bool json_available(void);

/* A new root object. */
struct cJSON *json_object(void);
void json_destroy(struct cJSON *root);

/* New members of an object. Numbers that are not finite, and a text that is NULL, become null:
 * JSON knows neither NaN nor infinity. */
void json_add_number(struct cJSON *object, const char *key, double value);
void json_add_text(struct cJSON *object, const char *key, const char *text);
void json_add_flag(struct cJSON *object, const char *key, bool value);
struct cJSON *json_add_object(struct cJSON *object, const char *key);
struct cJSON *json_add_array(struct cJSON *object, const char *key);
/* Several numbers or texts in turn: JSON_NUMBERS(object, {"n", n}, {"ranks", ranks}). */
struct json_number {
    const char *key;
    double value;
};
struct json_text {
    const char *key, *text;
};
static inline void json_add_numbers(struct cJSON *object, const struct json_number *numbers)
{
    for (const struct json_number *n = numbers; n->key; n++)
        json_add_number(object, n->key, n->value);
}
static inline void json_add_texts(struct cJSON *object, const struct json_text *texts)
{
    for (const struct json_text *t = texts; t->key; t++)
        json_add_text(object, t->key, t->text);
}
#define JSON_NUMBERS(object, ...)                                                                  \
    json_add_numbers(object, (const struct json_number[]){__VA_ARGS__, {NULL, 0.0}})
#define JSON_TEXTS(object, ...)                                                                    \
    json_add_texts(object, (const struct json_text[]){__VA_ARGS__, {NULL, NULL}})
/* New last elements of an array. */
struct cJSON *json_append_object(struct cJSON *array);
void json_append_number(struct cJSON *array, double value);
void json_append_text(struct cJSON *array, const char *text);

/* Writes root and frees the file; as output_file_write(). */
bool json_write(struct output_file *file, const struct cJSON *root);

#endif
