/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Kernels that wait for the host or for another GPU give up after a while. They leave what they
 * waited for in pinned memory, which the host can still read after the trap. */
enum { WAITED_FOR_HOST = -1 }; /* in place of a rank */

struct wait_timeout {
    unsigned long long limit_ns; /* of a wait for the host */
    int happened, peer;          /* the rank waited for */
    int longest;                 /* cells along the level's longest side */
};

#ifdef __CUDACC__
/* Ends the kernel. */
static __device__ inline void give_up(struct wait_timeout *t, int peer, int longest)
{
    t->peer = peer;
    t->longest = longest;
    __threadfence_system();
    t->happened = 1;
    __threadfence_system();
    __trap();
}
#endif

/* Allocates the program's one, and reads for how long kernels wait for the host. False with one
 * line in message if that is wrong. */
bool cuda_open_timeout(char *message, int size);
void cuda_release_timeout();
struct wait_timeout *cuda_wait_timeout();
/* If a kernel has waited in vain, says so and ends the job. For use after a CUDA call has failed.
 */
void cuda_report_timeout();
