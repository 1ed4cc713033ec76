#include "cli/output_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/memory.h"

struct output_file {
    FILE *stream;
    char *path, *partial; /* NULL where written directly */
};

static char *join(const char *a, const char *b)
{
    const size_t size = strlen(a) + strlen(b) + 1;
    char *text = memory_alloc(size, "a file name");
    snprintf(text, size, "%s%s", a, b);
    return text;
}

/* The file that path leads to, so that a symbolic link stays one. */
static char *resolve(const char *path)
{
    char *found = realpath(path, NULL);
    char *name = join(found ? found : path, "");
    free(found);
    return name;
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

static void release(struct output_file *file)
{
    memory_free(file->path);
    memory_free(file->partial);
    memory_free(file);
}

struct output_file *output_file_open(const char *path)
{
    struct stat s;
    const bool exists = stat(path, &s) == 0;
    if (exists && access(path, W_OK) != 0) /* renaming would not ask */
        return NULL;
    struct output_file *file = memory_alloc_zero(sizeof *file, "an output file");
    if (exists && is_stdout(&s)) {
        file->stream = open_stdout();
    } else if (exists && !S_ISREG(s.st_mode)) {
        file->stream = fopen(path, "w");
    } else {
        file->path = resolve(path);
        file->partial = join(file->path, ".partial");
        file->stream = fopen(file->partial, "w");
    }
    if (file->stream)
        return file;
    const int reason = errno;
    release(file);
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
    if (file->partial && good && rename(file->partial, file->path) != 0) {
        reason = errno;
        good = false;
    }
    if (file->partial && !good)
        unlink(file->partial);
    release(file);
    errno = reason;
    return good;
}

void output_file_discard(struct output_file *file)
{
    fclose(file->stream);
    if (file->partial)
        unlink(file->partial);
    release(file);
}
