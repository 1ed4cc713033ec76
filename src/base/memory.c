/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, bytes) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(start, bytes) ((void)0)
#endif

enum { ALIGNMENT = 128, FIRST_ROOM = 64, UNWRITTEN = 0xa5 };

/* Precedes every block, so that memory_free can count its bytes. */
struct header {
    size_t bytes;
};

static struct {
    size_t blocks, bytes, peak;
} live;

static size_t rounded_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* What rounding has added to a block belongs to nobody: AddressSanitizer reports any access to it,
 * and every build reports writes when the block is freed. */
static void close_rest(unsigned char *rest, size_t bytes)
{
    memset(rest, UNWRITTEN, bytes);
    ASAN_POISON_MEMORY_REGION(rest, bytes);
}

static void check_rest(const unsigned char *rest, size_t bytes)
{
    ASAN_UNPOISON_MEMORY_REGION(rest, bytes);
    for (size_t at = 0; at < bytes; at++)
        CHECK(rest[at] == UNWRITTEN);
}

void *memory_alloc(size_t bytes, const char *what)
{
    const size_t rounded = rounded_up(bytes);
    const bool wraps = bytes > SIZE_MAX - 2 * ALIGNMENT;
    char *start = wraps ? NULL : aligned_alloc(ALIGNMENT, rounded + ALIGNMENT);
    if (!start)
        die(STATUS_MEMORY, "no memory for %zu bytes of %s", bytes, what);
    ((struct header *)(void *)start)->bytes = bytes;
    live.blocks++;
    live.bytes += bytes;
    live.peak = live.bytes > live.peak ? live.bytes : live.peak;
    close_rest((unsigned char *)start + ALIGNMENT + bytes, rounded - bytes);
    return start + ALIGNMENT;
}

void *memory_alloc_zero(size_t bytes, const char *what)
{
    return memset(memory_alloc(bytes, what), 0, bytes);
}

void *memory_grow(void *block, size_t old_bytes, size_t new_bytes, const char *what)
{
    void *grown = memory_alloc(new_bytes, what);
    if (block)
        memcpy(grown, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    memory_free(block);
    return grown;
}

void *memory_room(void *array, int count, size_t size, const char *what)
{
    const bool full = count == 0 || (count >= FIRST_ROOM && (count & (count - 1)) == 0);
    const size_t room = count == 0 ? FIRST_ROOM : 2 * (size_t)count;
    return full ? memory_grow(array, (size_t)count * size, room * size, what) : array;
}

void memory_free(void *block)
{
    if (!block)
        return;
    char *start = (char *)block - ALIGNMENT;
    const size_t bytes = ((struct header *)(void *)start)->bytes;
    check_rest((unsigned char *)block + bytes, rounded_up(bytes) - bytes);
    live.blocks--;
    live.bytes -= bytes;
    free(start);
}

size_t memory_live_blocks(void)
{
    return live.blocks;
}

size_t memory_live_bytes(void)
{
    return live.bytes;
}

size_t memory_peak_bytes(void)
{
    return live.peak;
}

/* The number after `key` on a line of the file `path`, or 0. */
static size_t read_number(const char *path, const char *key)
{
    char line[256];
    size_t value = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (value == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtoull(line + strlen(key), NULL, 10);
    fclose(file);
    return value;
}

/* File names of one version of Linux's control groups. */
struct group_version {
    const char *controller; /* in this process's line of /proc/self/cgroup */
    const char *root, *limit, *used, *inactive, *active;
};

static const struct group_version group_versions[] = {
    {"", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file ", "active_file "},
    {"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file ", "total_active_file "},
};

enum { LINE_LENGTH = 4096, FILE_LENGTH = LINE_LENGTH + 64 };

/* Whether `name` is in a list separated by commas. The empty list contains the empty name. */
static bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *item = list; item; item = strchr(item, ',')) {
        item += *item == ',';
        if (strncmp(item, name, length) == 0 && (item[length] == ',' || item[length] == '\0'))
            return true;
    }
    return false;
}

/* The path of this process's group below the version's root, or "". Lines of the file are
 * number:controllers:path. */
static void find_group(const struct group_version *v, char path[LINE_LENGTH])
{
    char line[LINE_LENGTH];
    FILE *file = fopen("/proc/self/cgroup", "r");
    path[0] = '\0';
    while (file && path[0] == '\0' && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':');
        char *end = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!end)
            continue;
        *end = '\0';
        if (is_listed(controllers + 1, v->controller)) {
            end[1 + strcspn(end + 1, "\n")] = '\0';
            strcpy(path, end + 1);
        }
    }
    if (file)
        fclose(file);
}

static size_t read_group(const struct group_version *v, const char *path, const char *name,
                         const char *key)
{
    char file[FILE_LENGTH];
    snprintf(file, sizeof file, "%s%s/%s", v->root, path, name);
    return read_number(file, key);
}

/* Bytes that one group still allows: its limit less its use, without cached files, which the kernel
 * drops first. SIZE_MAX if there is no limit: "max" reads as 0, and version 1 has a huge number. */
static size_t group_rest(const struct group_version *v, const char *path)
{
    const size_t limit = read_group(v, path, v->limit, "");
    if (limit == 0 || limit >= (size_t)1 << 60)
        return SIZE_MAX;
    const size_t used = read_group(v, path, v->used, "");
    const size_t cached = read_group(v, path, "memory.stat", v->inactive) +
                          read_group(v, path, "memory.stat", v->active);
    const size_t held = used > cached ? used - cached : 0;
    return limit > held ? limit - held : 1;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The least that this process's group and its parents still allow: batch systems set limits on any
 * of them. In a container the path may not exist; then only the root counts. */
static size_t groups_rest(const struct group_version *v)
{
    char path[LINE_LENGTH];
    find_group(v, path);
    size_t rest = group_rest(v, path);
    for (char *slash; (slash = strrchr(path, '/')) != NULL;) {
        *slash = '\0';
        rest = smaller(rest, group_rest(v, path));
    }
    return rest;
}

size_t memory_available_bytes(void)
{
    const size_t machine = 1024 * read_number("/proc/meminfo", "MemAvailable:");
    size_t least = machine > 0 ? machine : SIZE_MAX;
    for (size_t v = 0; v < sizeof group_versions / sizeof *group_versions; v++)
        least = smaller(least, groups_rest(&group_versions[v]));
    return least < SIZE_MAX ? least : 0;
}
