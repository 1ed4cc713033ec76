/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output_file.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/memory.h"
#include "cli/command_line.h"
#include "comm/comm.h"

struct output_file {
    FILE *stream; /* NULL: a file is created, written and renamed to path */
    const char *option;
    char path[PATH_MAX], partial[PATH_MAX + sizeof ".2147483647"];
    int64_t bytes; /* to reserve for ranks that write together; 0: none */
};

/* Prints the reason and frees the file; a partial one is removed. Returns false. */
static bool fail(struct output_file *file, const char *reason)
{
    char message[PATH_MAX + 512];
    snprintf(message, sizeof message, "--%s: cannot write '%s': %s", file->option, file->path,
             reason);
    message_print(message);
    if (file->partial[0])
        unlink(file->partial);
    memory_free(file);
    return false;
}

/* NULL with the reason in errno. */
static FILE *create(const struct output_file *file)
{
    FILE *stream = fopen(file->partial, "w");
    if (stream && file->bytes > 0 &&
        (errno = posix_fallocate(fileno(stream), 0, file->bytes)) != 0) {
        const int reason = errno;
        fclose(stream);
        errno = reason;
        return NULL;
    }
    return stream;
}

/* True if the file can be created. It is removed at once: none exists during the run, so that no
 * way to end it leaves one behind. */
static bool can_be_created(const struct output_file *file)
{
    FILE *trial = create(file);
    if (!trial)
        return false;
    fclose(trial);
    return unlink(file->partial) == 0;
}

/* False with the reason in errno. */
static bool open_path(struct output_file *file, const char *path)
{
    struct stat s, out;
    snprintf(file->path, sizeof file->path, "%s", path);
    const bool exists = lstat(path, &s) == 0;
    if (exists && (stat(path, &s) != 0 || access(path, W_OK) != 0)) /* rename() would replace it */
        return false;
    const bool is_stdout = exists && fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == s.st_dev &&
                           out.st_ino == s.st_ino;
    if (exists && (is_stdout || !S_ISREG(s.st_mode))) {
        errno = EINVAL; /* of files that ranks write together */
        if (file->bytes == 0)
            file->stream = is_stdout ? fdopen(dup(STDOUT_FILENO), "w") : fopen(path, "w");
        return file->stream != NULL;
    }
    if (exists && !realpath(path, file->path)) /* a symbolic link stays one */
        return false;
    snprintf(file->partial, sizeof file->partial, "%s.%d", file->path, (int)getpid());
    return can_be_created(file);
}

struct output_file *output_file_open(const char *option, const char *path, int64_t bytes)
{
    struct output_file *file = memory_alloc_zero(sizeof *file, "an output file");
    file->option = option;
    file->bytes = bytes;
    return open_path(file, path) || fail(file, strerror(errno)) ? file : NULL;
}

bool output_file_open_together(const char *option, const char *path, int64_t bytes,
                               struct output_file **file)
{
    *file = path && comm_rank() == 0 ? output_file_open(option, path, bytes) : NULL;
    bool good = !path || *file;
    comm_broadcast(comm_world(), &good, sizeof good);
    return good;
}

bool output_file_write(struct output_file *file, const char *text)
{
    FILE *stream = file->stream ? file->stream : create(file);
    if (!stream)
        return fail(file, strerror(errno));
    const bool written = fputs(text, stream) >= 0 && fflush(stream) == 0;
    const int reason = errno;
    const bool closed = fclose(stream) == 0; /* which may fail too */
    if (file->stream && written && closed) {
        memory_free(file);
        return true;
    }
    return output_file_end(file, written && closed ? NULL : strerror(written ? errno : reason));
}

const char *output_file_begin(struct output_file *file)
{
    FILE *stream = create(file);
    if (stream && fclose(stream) == 0)
        return file->partial;
    fail(file, strerror(errno));
    return NULL;
}

bool output_file_end(struct output_file *file, const char *reason)
{
    if (reason || rename(file->partial, file->path) != 0)
        return fail(file, reason ? reason : strerror(errno));
    memory_free(file);
    return true;
}

void output_file_discard(struct output_file *file)
{
    if (file->stream)
        fclose(file->stream);
    memory_free(file);
}
