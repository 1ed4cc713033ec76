/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/cache.h"
#include <stdbool.h>
#include <stdio.h>

/* The first line of a file about cache `index` of the first processor. */
static bool read_line(int index, const char *file, char *line, int size)
{
    char path[100];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, file);
    FILE *in = fopen(path, "r");
    if (!in)
        return false;
    const bool good = fgets(line, size, in) != NULL;
    fclose(in);
    return good;
}

/* "32768K" */
static long bytes_of(const char *text)
{
    long number = 0;
    char unit = ' ';
    sscanf(text, "%ld%c", &number, &unit);
    return number * (unit == 'K' ? 1024L : unit == 'M' ? 1024L * 1024 : 1);
}

/* Ones in a mask of hexadecimal digits. */
static int ones_of(const char *mask)
{
    int ones = 0;
    for (; *mask; mask++) {
        unsigned digit = 0;
        if (*mask == ',' || sscanf(mask, "%1x", &digit) != 1)
            continue;
        for (; digit; digit &= digit - 1)
            ones++;
    }
    return ones;
}

long cache_bytes(int threads)
{
    char size[64], mask[4096];
    long bytes = 0;
    int sharing = 1;
    for (int index = 0; read_line(index, "size", size, sizeof size); index++) {
        if (bytes_of(size) <= bytes)
            continue;
        bytes = bytes_of(size);
        sharing = read_line(index, "shared_cpu_map", mask, sizeof mask) ? ones_of(mask) : 1;
    }
    if (bytes == 0)
        return 32L * 1024 * 1024;
    const int groups = sharing > 0 ? (threads + sharing - 1) / sharing : 1;
    return bytes * groups;
}
