/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/place.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Linux says it in a line of the process's status. */
static void read_cpuset(char *text, size_t size)
{
    static const char key[] = "Cpus_allowed_list:\t";
    char line[512];
    FILE *in = fopen("/proc/self/status", "r");
    while (in && fgets(line, sizeof line, in))
        if (strncmp(line, key, strlen(key)) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(text, size, "%.*s", (int)size - 1, line + strlen(key));
        }
    if (in)
        fclose(in);
}

void place_read(struct place *p)
{
    unsigned processor, node;
    memset(p, 0, sizeof *p);
    gethostname(p->host, sizeof p->host - 1);
    read_cpuset(p->cpuset, sizeof p->cpuset);
    p->numa_node = getcpu(&processor, &node) == 0 ? (int)node : -1;
}
