/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/json.h"
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/memory.h"
#include "cli/output_file.h"

bool json_available(void)
{
    return true;
}

/* As a hook of cJSON: memory_alloc never returns NULL, so cJSON never fails. */
static void *allocate(size_t bytes)
{
    return memory_alloc(bytes, "the JSON report");
}

cJSON *json_object(void)
{
    cJSON_Hooks hooks = {allocate, memory_free};
    cJSON_InitHooks(&hooks);
    return cJSON_CreateObject();
}

void json_destroy(cJSON *root)
{
    cJSON_Delete(root);
}

/* The shortest text that reads back as the same double; cJSON's own may be off by one bit. */
static cJSON *number(double value)
{
    char text[32];
    if (!isfinite(value))
        return cJSON_CreateNull();
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return cJSON_CreateRaw(text);
}

void json_add_number(cJSON *object, const char *key, double value)
{
    cJSON_AddItemToObject(object, key, number(value));
}

void json_add_text(cJSON *object, const char *key, const char *text)
{
    if (text)
        cJSON_AddStringToObject(object, key, text);
    else
        cJSON_AddNullToObject(object, key);
}

void json_add_flag(cJSON *object, const char *key, bool value)
{
    cJSON_AddBoolToObject(object, key, value);
}

cJSON *json_add_object(cJSON *object, const char *key)
{
    return cJSON_AddObjectToObject(object, key);
}

cJSON *json_add_array(cJSON *object, const char *key)
{
    return cJSON_AddArrayToObject(object, key);
}

cJSON *json_append_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

void json_append_number(cJSON *array, double value)
{
    cJSON_AddItemToArray(array, number(value));
}

void json_append_text(cJSON *array, const char *text)
{
    cJSON_AddItemToArray(array, cJSON_CreateString(text));
}

bool json_write(struct output_file *file, const cJSON *root)
{
    char *text = cJSON_Print(root);
    const bool good = output_file_write(file, text);
    cJSON_free(text);
    return good;
}
