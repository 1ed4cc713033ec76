/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/tuning_file.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"

enum { VERSION = 1, LINE_SIZE = 256, FIRST_LINES = 160 };

/* The file being read. */
struct reading {
    const char *path;
    int line;
    char *message;
    int message_size;
};

static enum status wrong(const struct reading *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum status wrong(const struct reading *r, const char *format, ...)
{
    va_list arguments;
    const int used = snprintf(r->message, (size_t)r->message_size, "%.300s:%d: ", r->path, r->line);
    va_start(arguments, format);
    vsnprintf(r->message + used, (size_t)(r->message_size - used), format, arguments);
    va_end(arguments);
    return STATUS_USAGE;
}

static const char *equation_name(const struct cuda_tuning *t)
{
    return t->helmholtz ? "helmholtz" : "poisson";
}

static int stage_index(const char *name)
{
    int stage = 0;
    while (stage < NUM_TUNED_STAGES && strcmp(cuda_tuned_stage_names[stage], name) != 0)
        stage++;
    return stage;
}

static enum status read_choice(const struct reading *r, const char *text, struct cuda_tuning *t)
{
    char stage[32], equation[16], rest;
    *t = (struct cuda_tuning){.order = 0};
    if (sscanf(text, "%9d %31s %15s %9d %9d %9d %c", &t->order, stage, equation, &t->n, &t->rows,
               &t->planes, &rest) != 6)
        return wrong(r, "is not ORDER STAGE EQUATION N ROWS PLANES");
    t->stage = (enum cuda_tuned_stage)stage_index(stage);
    t->helmholtz = strcmp(equation, "helmholtz") == 0;
    if (t->stage == NUM_TUNED_STAGES)
        return wrong(r, "no kernel is tuned for stage '%s'", stage);
    if (!t->helmholtz && strcmp(equation, "poisson") != 0)
        return wrong(r, "'%s' is neither poisson nor helmholtz", equation);
    if (!cuda_tuning_is_legal(t))
        return wrong(r, "no kernel of order %d can do %s on %d^3 with %d rows and %d planes",
                     t->order, stage, t->n, t->rows, t->planes);
    return STATUS_VALID;
}

/* True if both are for the same patches, which would be ambiguous. */
static bool same_patches(const struct cuda_tuning *a, const struct cuda_tuning *b)
{
    return cuda_tuning_is_for(a, b->order, b->stage, b->helmholtz) && a->n == b->n;
}

static enum status add_choice(const struct reading *r, const char *text, struct tuning_file *file)
{
    struct cuda_tuning *t = &file->tunings[file->count];
    if (file->count == MAX_TUNINGS)
        return wrong(r, "more than %d choices", MAX_TUNINGS);
    const enum status status = read_choice(r, text, t);
    for (int i = 0; i < file->count && status == STATUS_VALID; i++)
        if (same_patches(t, &file->tunings[i]))
            return wrong(r, "a second choice for order %d, %s, %s, %d^3", t->order,
                         cuda_tuned_stage_names[t->stage], equation_name(t), t->n);
    file->count += status == STATUS_VALID;
    return status;
}

/* Lines 1 and 2 are the version and the device; then come the choices. */
static enum status read_line(struct reading *r, char *text, struct tuning_file *file)
{
    int version;
    char rest;
    for (size_t end = strlen(text); end > 0 && strchr(" \t\r\n", text[end - 1]); end--)
        text[end - 1] = '\0';
    if (r->line == 1)
        return sscanf(text, "hpgmg-gpu tuning %9d %c", &version, &rest) == 1 && version == VERSION
                   ? STATUS_VALID
                   : wrong(r, "does not begin with 'hpgmg-gpu tuning %d'", VERSION);
    if (r->line == 2)
        return sscanf(text, "device %63[^\n]", file->device) == 1
                   ? STATUS_VALID
                   : wrong(r, "does not name the device");
    if (text[0] == '#' || text[0] == '\0')
        return STATUS_VALID;
    return add_choice(r, text, file);
}

enum status tuning_file_read(struct tuning_file *file, const char *path, char *message,
                             int message_size)
{
    struct reading r = {path, 0, message, message_size};
    char text[LINE_SIZE];
    enum status status = STATUS_VALID;
    FILE *in = fopen(path, "r");
    memset(file, 0, sizeof *file);
    if (!in) {
        snprintf(message, (size_t)message_size, "%.300s: %s", path, strerror(errno));
        return STATUS_USAGE;
    }
    while (status == STATUS_VALID && fgets(text, sizeof text, in)) {
        r.line++;
        status = strlen(text) + 1 < sizeof text ? read_line(&r, text, file)
                                                : wrong(&r, "too long a line");
    }
    if (status == STATUS_VALID && ferror(in)) {
        snprintf(message, (size_t)message_size, "%.300s: %s", path, strerror(errno));
        status = STATUS_USAGE;
    }
    if (status == STATUS_VALID && r.line < 2)
        status = wrong(&r, "ends before it has named the device");
    fclose(in);
    return status;
}

void tuning_line(const struct cuda_tuning *t, char *text, int size)
{
    snprintf(text, (size_t)size, "%d %s %s %d %d %d", t->order, cuda_tuned_stage_names[t->stage],
             equation_name(t), t->n, t->rows, t->planes);
}

char *tuning_file_text(const struct tuning_file *file)
{
    const size_t size = FIRST_LINES + (size_t)file->count * LINE_SIZE;
    char *text = memory_alloc(size, "a tuning file");
    int used = snprintf(text, size,
                        "hpgmg-gpu tuning %d\ndevice %s\n# order stage equation n rows planes\n",
                        VERSION, file->device);
    for (int i = 0; i < file->count; i++) {
        char line[LINE_SIZE];
        tuning_line(&file->tunings[i], line, sizeof line);
        used += snprintf(text + used, size - (size_t)used, "%s\n", line);
    }
    return text;
}
