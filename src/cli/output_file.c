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

struct output_file {
    FILE *stream; /* NULL: a file is created, written and renamed to path */
    const char *option;
    char path[PATH_MAX], partial[PATH_MAX + sizeof ".XXXXXX"];
};

/* The reason is in errno. Frees the file. */
static void fail(struct output_file *file)
{
    char message[PATH_MAX + 128];
    snprintf(message, sizeof message, "--%s: cannot write '%s': %s", file->option, file->path,
             strerror(errno));
    message_print(message);
    memory_free(file);
}

/* With the permissions of the old file, or those of the umask. NULL with the reason in errno. */
static FILE *create_partial(struct output_file *file)
{
    struct stat old;
    const mode_t mask = umask(0);
    umask(mask);
    const mode_t mode = stat(file->path, &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask;
    snprintf(file->partial, sizeof file->partial, "%s.XXXXXX", file->path);
    const int descriptor = mkstemp(file->partial);
    if (descriptor >= 0)
        fchmod(descriptor, mode); /* not every file system has permissions */
    return descriptor < 0 ? NULL : fdopen(descriptor, "w");
}

/* True if a partial file can be created. It is removed at once: no file exists during the run, so
 * that no way to end it leaves one behind. */
static bool can_be_created(struct output_file *file)
{
    FILE *trial = create_partial(file);
    if (trial) {
        fclose(trial);
        unlink(file->partial);
    }
    return trial != NULL;
}

/* Of a file that exists: devices and stdout's file are opened for writing. */
static bool open_existing(struct output_file *file, const char *path)
{
    struct stat s, out;
    if (stat(path, &s) != 0 || access(path, W_OK) != 0) /* rename() needs no write permission */
        return false;
    const bool is_stdout =
        fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == s.st_dev && out.st_ino == s.st_ino;
    if (S_ISREG(s.st_mode) && !is_stdout) /* the target, so that a symbolic link stays one */
        return realpath(path, file->path) && can_be_created(file);
    file->stream = is_stdout ? fdopen(dup(STDOUT_FILENO), "w") : fopen(path, "w");
    return file->stream != NULL;
}

struct output_file *output_file_open(const char *option, const char *path)
{
    struct stat s;
    struct output_file *file = memory_alloc_zero(sizeof *file, "an output file");
    file->option = option;
    snprintf(file->path, sizeof file->path, "%s", path);
    if (lstat(path, &s) == 0 ? open_existing(file, path) : can_be_created(file))
        return file;
    fail(file);
    return NULL;
}

/* Writes and closes. A write may fail as late as when the file is closed. */
static bool write_stream(FILE *stream, const char *text)
{
    const bool written = fputs(text, stream) >= 0 && fflush(stream) == 0;
    const int reason = errno;
    const bool closed = fclose(stream) == 0;
    if (!written)
        errno = reason;
    return written && closed;
}

bool output_file_write(struct output_file *file, const char *text)
{
    FILE *stream = file->stream ? file->stream : create_partial(file);
    if (stream && write_stream(stream, text) &&
        (file->stream || rename(file->partial, file->path) == 0)) {
        memory_free(file);
        return true;
    }
    const int reason = errno;
    if (stream && !file->stream)
        unlink(file->partial);
    errno = reason;
    fail(file);
    return false;
}

void output_file_discard(struct output_file *file)
{
    if (file->stream)
        fclose(file->stream);
    memory_free(file);
}
