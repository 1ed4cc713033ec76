/* SPDX-License-Identifier: BSD-3-Clause */
/* A library for LD_PRELOAD: MPICH's ranks give their core away while they wait. MPICH 4.0.2 with
 * UCX polls without end, so with fewer cores than ranks each message takes a time slice of a few
 * milliseconds; Open MPI yields by itself. */
#include <dlfcn.h>
#include <sched.h>
#include <string.h>

/* In a row, before the core is given away: a message may be about to come. */
enum { IDLE_POLLS = 20 };

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker);

/* UCX's, whose result is how many communications made progress. MPICH calls it from one thread. */
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *worker);
    static int idle;
    if (!progress) {
        void *symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
        memcpy(&progress, &symbol, sizeof progress);
    }
    const unsigned count = progress(worker);
    idle = count > 0 ? 0 : idle + 1;
    if (idle >= IDLE_POLLS) {
        idle = 0;
        sched_yield();
    }
    return count;
}
