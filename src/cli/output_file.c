/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output_file.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/memory.h"
#include "cli/command_line.h"
#include "cli/partial_file.h"

struct output_file {
    FILE *stream; /* NULL: a file is created, written and renamed to path */
    const char *option;
    char *path;
};

/* The reason is in errno, and stays there. */
static void complain(const char *option, const char *path)
{
    const int reason = errno;
    char message[PATH_MAX + 128];
    snprintf(message, sizeof message, "--%s: cannot write '%s': %s", option, path,
             strerror(reason));
    message_print(message);
    errno = reason;
}

static bool is_link(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0 && S_ISLNK(s.st_mode);
}

static bool is_stdout(const struct stat *s)
{
    struct stat out;
    return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == s->st_dev && out.st_ino == s->st_ino;
}

static FILE *open_stdout(void)
{
    const int copy = dup(STDOUT_FILENO);
    return copy < 0 ? NULL : fdopen(copy, "w");
}

/* The target of path, so that a symbolic link stays one. */
static char *resolve(const char *path)
{
    char *found = realpath(path, NULL);
    const char *name = found ? found : path;
    char *copy = memory_alloc(strlen(name) + 1, "a file name");
    strcpy(copy, name);
    free(found);
    return copy;
}

/* True if a partial file can be created beside path. It is removed at once: no file exists during
 * the run, so that not even SIGKILL leaves one behind. */
static bool can_be_created(const char *path)
{
    FILE *stream;
    struct partial_file *trial = partial_file_create(path, &stream);
    if (!trial)
        return false;
    fclose(stream);
    partial_file_remove(trial);
    return true;
}

static void release(struct output_file *file)
{
    memory_free(file->path);
    memory_free(file);
}

static struct output_file *open_file(const char *path)
{
    struct stat s;
    const bool exists = stat(path, &s) == 0;
    int reason = errno;
    if (!exists && is_link(path)) { /* dangling, or a loop: renaming would replace the link */
        errno = reason;
        return NULL;
    }
    if (exists && access(path, W_OK) != 0) /* rename() needs no write permission */
        return NULL;
    struct output_file *file = memory_alloc_zero(sizeof *file, "an output file");
    file->path = resolve(path);
    const bool direct = exists && (!S_ISREG(s.st_mode) || is_stdout(&s));
    if (direct)
        file->stream = is_stdout(&s) ? open_stdout() : fopen(path, "w");
    if (direct ? file->stream != NULL : can_be_created(file->path))
        return file;
    reason = errno;
    release(file);
    errno = reason;
    return NULL;
}

struct output_file *output_file_open(const char *option, const char *path)
{
    struct output_file *file = open_file(path);
    if (file)
        file->option = option;
    else
        complain(option, path);
    return file;
}

/* Writes and closes. */
static bool write_stream(FILE *stream, const char *text)
{
    bool good = fputs(text, stream) >= 0;
    good = fflush(stream) == 0 && good;
    const int reason = errno;
    if (fclose(stream) != 0 && good)
        return false;
    errno = reason;
    return good;
}

static bool replace(const char *path, const char *text)
{
    FILE *stream;
    struct partial_file *partial = partial_file_create(path, &stream);
    if (!partial)
        return false;
    if (write_stream(stream, text))
        return partial_file_finish(partial);
    const int reason = errno;
    partial_file_remove(partial);
    errno = reason;
    return false;
}

bool output_file_write(struct output_file *file, const char *text)
{
    const bool good = file->stream ? write_stream(file->stream, text) : replace(file->path, text);
    if (!good)
        complain(file->option, file->path);
    const int reason = errno;
    release(file);
    errno = reason;
    return good;
}

void output_file_discard(struct output_file *file)
{
    if (file->stream)
        fclose(file->stream);
    release(file);
}
