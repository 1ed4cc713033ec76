/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda/timeout.cuh"
#include <cstdio>
#include <cstdlib>
#include "cuda/core/launch.cuh"
extern "C" {
#include "comm/comm.h"
}

static struct wait_timeout *timeout;
static int seconds = 60; /* that a kernel waits for the host */

static bool read_seconds(char *message, int size)
{
    const char *text = getenv("HPGMG_HAND_OVER_SECONDS");
    char rest;
    if (!text || (sscanf(text, "%8d%c", &seconds, &rest) == 1 && seconds > 0))
        return true;
    snprintf(message, (size_t)size, "HPGMG_HAND_OVER_SECONDS=%s is not a number of seconds", text);
    return false;
}

bool cuda_open_timeout(char *message, int size)
{
    if (!read_seconds(message, size))
        return false;
    CUDA_CALL(cudaHostAlloc((void **)&timeout, sizeof *timeout, cudaHostAllocMapped));
    *timeout = {};
    timeout->limit_ns = 1000000000ull * (unsigned)seconds;
    return true;
}

void cuda_release_timeout()
{
    CUDA_CALL(cudaFreeHost(timeout));
    timeout = NULL;
}

struct wait_timeout *cuda_wait_timeout()
{
    return timeout;
}

void cuda_report_timeout()
{
    const volatile struct wait_timeout *t = timeout;
    if (!t || !t->happened)
        return;
    if (t->peer == WAITED_FOR_HOST)
        die(STATUS_SYSTEM,
            "the GPU waited %d seconds for the CPU's work on levels of at most %d cells along a "
            "side",
            seconds, t->longest);
    die(STATUS_SYSTEM,
        "rank %d waited a minute for rank %d in an exchange between levels of %d cells along their "
        "longest side: its message never came",
        comm_rank(), t->peer, t->longest);
}
