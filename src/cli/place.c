/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/place.h"
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void place_read_value(const char *path, const char *key, char *text, size_t size)
{
    char line[512];
    bool found = false;
    FILE *in = fopen(path, "r");
    while (in && !found && fgets(line, sizeof line, in)) {
        const char *value = strchr(line, ':');
        found = value && strncmp(line, key, strlen(key)) == 0;
        line[strcspn(line, "\n")] = '\0';
        if (found)
            snprintf(text, size, "%s", value + 1 + strspn(value + 1, " \t"));
    }
    if (in)
        fclose(in);
}

void place_read(struct place *p)
{
    unsigned processor, node;
    memset(p, 0, sizeof *p);
    gethostname(p->host, sizeof p->host - 1);
    place_read_value("/proc/self/status", "Cpus_allowed_list", p->cpuset, sizeof p->cpuset);
    p->numa_node = getcpu(&processor, &node) == 0 ? (int)node : -1;
}
