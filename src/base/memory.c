#include "base/memory.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"

enum { ALIGNMENT = 128 };

/* In front of every block, so that releasing it can be counted. */
struct header {
    size_t bytes;
};

static struct {
    size_t blocks, bytes, peak;
} live;

void *memory_alloc(size_t bytes, const char *what)
{
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const bool wraps = bytes > SIZE_MAX - 2 * ALIGNMENT;
    char *start = wraps ? NULL : aligned_alloc(ALIGNMENT, rounded + ALIGNMENT);
    if (!start)
        die(STATUS_MEMORY, "no memory for %zu bytes of %s", bytes, what);
    ((struct header *)(void *)start)->bytes = bytes;
    live.blocks++;
    live.bytes += bytes;
    live.peak = live.bytes > live.peak ? live.bytes : live.peak;
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

void memory_free(void *block)
{
    if (!block)
        return;
    char *start = (char *)block - ALIGNMENT;
    live.blocks--;
    live.bytes -= ((struct header *)(void *)start)->bytes;
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

/* The number that follows `key` on a line of `path`, or 0. */
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

/* What the control group still allows: its limit less what it uses; 0 if it sets none. Files of
 * version 2, then of version 1
 * ("max" reads as 0, and version 1 says "no limit" by a number beyond any machine). */
static size_t control_group_rest(void)
{
    static const char *const files[][2] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
         "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
    };
    for (int v = 0; v < 2; v++) {
        const size_t limit = read_number(files[v][0], ""), used = read_number(files[v][1], "");
        if (limit > 0 && limit < (size_t)1 << 60)
            return limit > used ? limit - used : 1;
    }
    return 0;
}

size_t memory_available_bytes(void)
{
    const size_t machine = 1024 * read_number("/proc/meminfo", "MemAvailable:");
    const size_t group = control_group_rest();
    return group > 0 && group < machine ? group : machine;
}
