#include "cli/output_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/memory.h"
#include "cli/partial_file.h"

struct output_file {
    FILE *stream;
    struct partial_file *partial; /* NULL where written directly */
};

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

/* Beside the file that path leads to, so that a symbolic link stays one. */
static FILE *open_partial(struct output_file *file, const char *path)
{
    FILE *stream = NULL;
    char *target = realpath(path, NULL);
    file->partial = partial_file_create(target ? target : path, &stream);
    const int reason = errno;
    free(target);
    errno = reason;
    return stream;
}

struct output_file *output_file_open(const char *path)
{
    struct stat s;
    const bool exists = stat(path, &s) == 0;
    int reason = errno;
    if (!exists && is_link(path)) { /* to nothing, or a loop: renaming would replace the link */
        errno = reason;
        return NULL;
    }
    if (exists && access(path, W_OK) != 0) /* renaming would not ask */
        return NULL;
    struct output_file *file = memory_alloc_zero(sizeof *file, "an output file");
    if (exists && is_stdout(&s))
        file->stream = open_stdout();
    else if (exists && !S_ISREG(s.st_mode))
        file->stream = fopen(path, "w");
    else
        file->stream = open_partial(file, path);
    if (file->stream)
        return file;
    reason = errno;
    memory_free(file);
    errno = reason;
    return NULL;
}

bool output_file_write(struct output_file *file, const char *text)
{
    bool good = fputs(text, file->stream) >= 0;
    good = fflush(file->stream) == 0 && good;
    int reason = errno;
    if (fclose(file->stream) != 0 && good) {
        reason = errno;
        good = false;
    }
    if (file->partial && good) {
        good = partial_file_finish(file->partial);
        reason = errno;
    } else if (file->partial) {
        partial_file_remove(file->partial);
    }
    memory_free(file);
    errno = reason;
    return good;
}

void output_file_discard(struct output_file *file)
{
    fclose(file->stream);
    if (file->partial)
        partial_file_remove(file->partial);
    memory_free(file);
}
