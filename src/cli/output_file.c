/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output_file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/memory.h"
#include "cli/command_line.h"
#include "comm/comm.h"

struct output_file {
    FILE *stream; /* NULL: a file is created, written and renamed to path */
    const char *option;
    char path[PATH_MAX], partial[PATH_MAX + sizeof ".XXXXXX"];
    int64_t bytes; /* to reserve for ranks that write together; 0: none */
};

/* Frees the file. */
static void fail(struct output_file *file, const char *reason)
{
    char message[PATH_MAX + 512];
    snprintf(message, sizeof message, "--%s: cannot write '%s': %s", file->option, file->path,
             reason);
    message_print(message);
    memory_free(file);
}

/* With the permissions of the old file, or those of the umask. Not every file system has any. */
static void set_mode(const struct output_file *file, int descriptor)
{
    struct stat old;
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, stat(file->path, &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask);
}

/* NULL with the reason in errno. Nothing is left then. */
static FILE *create_partial(struct output_file *file)
{
    snprintf(file->partial, sizeof file->partial, "%s.XXXXXX", file->path);
    const int descriptor = mkstemp(file->partial);
    if (descriptor < 0)
        return NULL;
    set_mode(file, descriptor);
    const int reason = file->bytes > 0 ? posix_fallocate(descriptor, 0, file->bytes) : 0;
    if (reason == 0)
        return fdopen(descriptor, "w");
    close(descriptor);
    unlink(file->partial);
    errno = reason;
    return NULL;
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

static struct output_file *open_file(const char *option, const char *path, int64_t bytes)
{
    struct stat s;
    struct output_file *file = memory_alloc_zero(sizeof *file, "an output file");
    file->option = option;
    file->bytes = bytes;
    snprintf(file->path, sizeof file->path, "%s", path);
    const bool opened = lstat(path, &s) == 0 ? open_existing(file, path) : can_be_created(file);
    if (opened && !(bytes > 0 && file->stream))
        return file;
    if (opened)
        fclose(file->stream);
    fail(file, opened ? "it must be a regular file" : strerror(errno));
    return NULL;
}

struct output_file *output_file_open(const char *option, const char *path)
{
    return open_file(option, path, 0);
}

bool output_file_open_together(const char *option, const char *path, int64_t bytes,
                               struct output_file **file)
{
    int good = 1;
    *file = NULL;
    if (!path)
        return true;
    if (comm_rank() == 0) {
        *file = open_file(option, path, bytes);
        good = *file != NULL;
    }
    comm_broadcast(comm_world(), &good, sizeof good);
    return good;
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

/* The reason is in errno. created: a partial file is there, which is removed. */
static void give_up(struct output_file *file, bool created)
{
    const char *reason = strerror(errno);
    if (created)
        unlink(file->partial);
    fail(file, reason);
}

bool output_file_write(struct output_file *file, const char *text)
{
    FILE *stream = file->stream ? file->stream : create_partial(file);
    if (stream && write_stream(stream, text) &&
        (file->stream || rename(file->partial, file->path) == 0)) {
        memory_free(file);
        return true;
    }
    give_up(file, stream && !file->stream);
    return false;
}

const char *output_file_begin(struct output_file *file)
{
    FILE *stream = create_partial(file);
    if (stream && fclose(stream) == 0)
        return file->partial;
    give_up(file, stream != NULL);
    return NULL;
}

bool output_file_end(struct output_file *file, const char *reason)
{
    if (!reason && rename(file->partial, file->path) == 0) {
        memory_free(file);
        return true;
    }
    reason = reason ? reason : strerror(errno);
    unlink(file->partial);
    fail(file, reason);
    return false;
}

void output_file_discard(struct output_file *file)
{
    if (file->stream)
        fclose(file->stream);
    memory_free(file);
}
