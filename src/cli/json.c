/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/memory.h"
#include "comm/comm.h"

struct json {
    struct json *first, *last, *next; /* members, and the parent's next member */
    bool quoted;
    const char *value; /* "{" or "[" of an object or array, else as it is written */
    char key[];        /* and the value behind it */
};

static struct json *add(struct json *parent, const char *key, const char *value, bool quoted)
{
    const size_t key_size = key ? strlen(key) + 1 : 1, value_size = strlen(value) + 1;
    struct json *json = memory_alloc_zero(sizeof *json + key_size + value_size, "JSON");
    json->quoted = quoted;
    json->value = memcpy(json->key + key_size, value, value_size);
    if (key)
        memcpy(json->key, key, key_size);
    if (parent) {
        *(parent->last ? &parent->last->next : &parent->first) = json;
        parent->last = json;
    }
    return json;
}

struct json *json_object(void)
{
    return add(NULL, NULL, "{", false);
}

void json_destroy(struct json *root)
{
    for (struct json *member = root->first, *next; member; member = next) {
        next = member->next;
        json_destroy(member);
    }
    memory_free(root);
}

/* The shortest text that reads back as the same double. */
void json_add_number(struct json *parent, const char *key, double value)
{
    char text[32] = "null";
    for (int digits = 15; digits <= 17 && isfinite(value); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    add(parent, key, text, false);
}

void json_add_text(struct json *parent, const char *key, const char *text)
{
    add(parent, key, text ? text : "null", text != NULL);
}

void json_add_flag(struct json *parent, const char *key, bool value)
{
    add(parent, key, value ? "true" : "false", false);
}

struct json *json_add_object(struct json *parent, const char *key)
{
    return add(parent, key, "{", false);
}

struct json *json_add_array(struct json *parent, const char *key)
{
    return add(parent, key, "[", false);
}

static void print_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == '"' || *text == '\\')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            putc(*text, out);
    putc('"', out);
}

/* Members of objects have a line each; elements of arrays stand behind each other. */
static void print(FILE *out, const struct json *json, int depth)
{
    if (json->quoted)
        print_text(out, json->value);
    else
        fputs(json->value, out);
    const bool array = json->value[0] == '[', object = json->value[0] == '{';
    if (json->quoted || !(array || object))
        return;
    for (const struct json *member = json->first; member; member = member->next) {
        if (object) {
            fprintf(out, "\n%*s", 2 * depth + 2, "");
            print_text(out, member->key);
            fputs(": ", out);
        }
        print(out, member, depth + object);
        if (member->next)
            fputs(array ? ", " : ",", out);
    }
    if (object)
        fprintf(out, "\n%*s", 2 * depth, "");
    fputs(array ? "]" : "}", out);
}

bool json_write(struct output_file *file, const struct json *root)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    print(out, root, 0);
    putc('\n', out);
    CHECK(fclose(out) == 0);
    const bool good = output_file_write(file, text);
    free(text);
    return good;
}

bool json_write_of_rank_0(struct output_file *file, struct json *root)
{
    const bool good = !root || json_write(file, root);
    if (root)
        json_destroy(root);
    return comm_min_i64(comm_world(), good);
}
