/* SPDX-License-Identifier: BSD-3-Clause */
/* A library for LD_PRELOAD: MPICH's ranks yield their core while they wait. MPICH 4.0.2 with UCX
 * only polls, so with fewer cores than ranks each message takes a time slice of a few milliseconds.
 * Open MPI yields by itself. */
#include <dlfcn.h>
#include <sched.h>
#include <string.h>

/* A rank yields after so many polls without progress: not at once, since a message may be about to
 * arrive. */
enum { IDLE_POLLS = 20 };

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker);

/* Replaces UCX's function, which returns how many operations made progress. One thread calls it. */
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
