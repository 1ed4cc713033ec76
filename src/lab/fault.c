/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/fault.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const places[] = {"first", "middle", "last"};
enum { PLACES = sizeof places / sizeof places[0] };
const double fault_value = -12345.678;

/* The place's number; -1 without the variable, PLACES if there is no such place. */
static int fault_place(void)
{
    const char *text = getenv("HPGMG_FAULT");
    int place = 0;
    while (text && place < PLACES && strcmp(text, places[place]) != 0)
        place++;
    return text ? place : -1;
}

bool fault_is_legal(char *message, int size)
{
    if (fault_place() < PLACES)
        return true;
    snprintf(message, (size_t)size, "HPGMG_FAULT is not first, middle or last");
    return false;
}

long fault_index(long results)
{
    return fault_place() < 0 ? -1 : fault_place() * (results - 1) / (PLACES - 1);
}
