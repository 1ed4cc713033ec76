/* SPDX-License-Identifier: BSD-3-Clause */
/* Input files, read by the inih library. */
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "app/input_file.h"
#include "comm/comm.h"

struct reader {
    FILE *file;
    input_file_set *set;
    void *data;
    int line;            /* that inih is parsing */
    bool refused;        /* set returned false */
    int read_error;      /* errno of a failed read, or 0 */
    const char *problem; /* what is wrong with the line itself, or NULL */
};

static void cut_comment(char *line)
{
    for (char *c = line; *c; c++)
        if (*c == '#' && (c == line || isblank((unsigned char)c[-1]))) {
            *c = '\0';
            return;
        }
}

/* inih would take an indented line as a continuation of the value above it. */
static void cut_indentation(char *line)
{
    const size_t blanks = strspn(line, " \t");
    memmove(line, line + blanks, strlen(line + blanks) + 1);
}

/* UTF-8's, which some editors write. */
static void cut_byte_order_mark(char *line)
{
    if (strncmp(line, "\xef\xbb\xbf", 3) == 0)
        memmove(line, line + 3, strlen(line + 3) + 1);
}

/* fgets for inih. Counts lines, and ends the file at the first error, which is then reported. */
static char *next_line(char *text, int size, void *stream)
{
    struct reader *r = stream;
    if (r->refused || r->problem)
        return NULL;
    errno = 0;
    if (!fgets(text, size, r->file)) {
        r->read_error = ferror(r->file) ? errno : 0;
        return NULL;
    }
    r->line++;
    if (!strchr(text, '\n') && !feof(r->file))
        r->problem = "the line is too long, or no text";
    if (r->line == 1)
        cut_byte_order_mark(text);
    cut_comment(text);
    cut_indentation(text);
    if (*text == '[')
        r->problem = "there are no sections in input files: expected `key = value`";
    return r->problem ? NULL : text;
}

static int take_key(void *user, const char *section, const char *key, const char *value)
{
    (void)section;
    struct reader *r = user;
    r->refused = !r->set(r->data, r->line, key, value);
    return !r->refused;
}

/* Each rank reads the file; of a pipe only one rank would get the contents. */
static bool is_for_one_rank(const char *path)
{
    struct stat s;
    return comm_size() > 1 && stat(path, &s) == 0 && !S_ISREG(s.st_mode);
}

enum status input_file_read(const char *path, input_file_set *set, void *data, char *message,
                            int message_size)
{
    const size_t size = (size_t)message_size;
    if (is_for_one_rank(path)) {
        snprintf(message, size, "--input: '%s' is no regular file, and %d ranks read it", path,
                 comm_size());
        return STATUS_USAGE;
    }
    struct reader r = {.file = fopen(path, "r"), .set = set, .data = data};
    if (!r.file) {
        snprintf(message, size, "--input: cannot read '%s': %s", path, strerror(errno));
        return STATUS_USAGE;
    }
    const int wrong_line = ini_parse_stream(next_line, &r, take_key, &r);
    fclose(r.file);
    if (wrong_line != 0 && !(r.refused && wrong_line == r.line))
        snprintf(message, size, "%s:%d: expected `key = value`", path, wrong_line);
    else if (r.problem)
        snprintf(message, size, "%s:%d: %s", path, r.line, r.problem);
    else if (r.read_error)
        snprintf(message, size, "--input: cannot read '%s': %s", path, strerror(r.read_error));
    else if (!r.refused)
        return STATUS_VALID;
    return STATUS_USAGE;
}
