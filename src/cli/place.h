/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Where this rank runs. */
#include <stddef.h>

struct place {
    char host[65];
    char cpuset[128]; /* processors that its main thread may use, "0-3,8"; "" if unknown */
    int numa_node;    /* of the processor that it is on; -1 if unknown */
};

void place_read(struct place *p);

/* What a file of Linux's, of lines `key: value`, has for this key; no change of text if nothing. */
void place_read_value(const char *path, const char *key, char *text, size_t size);
