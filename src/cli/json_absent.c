/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON in a build without the cJSON library: programs refuse --json. */
#include <stddef.h>
#include "cli/json.h"

bool json_available(void)
{
    return false;
}

struct cJSON *json_object(void)
{
    return NULL;
}

void json_destroy(struct cJSON *root)
{
    (void)root;
}

void json_add_number(struct cJSON *object, const char *key, double value)
{
    (void)object, (void)key, (void)value;
}

void json_add_text(struct cJSON *object, const char *key, const char *text)
{
    (void)object, (void)key, (void)text;
}

void json_add_flag(struct cJSON *object, const char *key, bool value)
{
    (void)object, (void)key, (void)value;
}

struct cJSON *json_add_object(struct cJSON *object, const char *key)
{
    (void)object, (void)key;
    return NULL;
}

struct cJSON *json_add_array(struct cJSON *object, const char *key)
{
    (void)object, (void)key;
    return NULL;
}

struct cJSON *json_append_object(struct cJSON *array)
{
    (void)array;
    return NULL;
}

void json_append_number(struct cJSON *array, double value)
{
    (void)array, (void)value;
}

void json_append_text(struct cJSON *array, const char *text)
{
    (void)array, (void)text;
}

bool json_write(struct output_file *file, const struct cJSON *root)
{
    (void)file, (void)root;
    return false;
}
