/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/delay.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "comm/comm.h"
#include "operators/hash.h"
#include "solvers/program.h"

static struct {
    uint64_t state; /* another one on every rank */
    unsigned most;  /* microseconds */
} delay;

static void sleep_after_stage(void *data, const struct program *p, const struct stage *stage)
{
    (void)data;
    (void)p;
    (void)stage;
    delay.state = hash_mix(delay.state + 1);
    const long nanoseconds = (long)(delay.state % (1000ull * delay.most + 1));
    const struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    nanosleep(&time, NULL);
}

enum status delay_install(char *message, int message_size)
{
    const char *text = getenv("HPGMG_DELAY");
    unsigned seed;
    char rest;
    if (!text)
        return STATUS_VALID;
    const bool unsigned_only = text[strspn(text, "0123456789:")] == '\0'; /* %u takes signs */
    if (!unsigned_only || sscanf(text, "%9u:%7u%c", &seed, &delay.most, &rest) != 2) {
        snprintf(message, (size_t)message_size, "HPGMG_DELAY=%s is not SEED:MICROSECONDS", text);
        return STATUS_USAGE;
    }
    delay.state = hash_mix(seed * 1000003ull + (uint64_t)comm_rank());
    program_observe(sleep_after_stage, NULL);
    return STATUS_VALID;
}
