/* SPDX-License-Identifier: BSD-3-Clause */
/* Norms that passes leave on the device, and how they come to the host. */
#include <vector>
#include "cuda/internal.cuh"

/* Where the norm of a pass arrives: a word of device memory that kernels raise, 0 in between, from
 * which it goes to a word of the host's that is read once the stream is idle. One slot per target,
 * for good, since a recorded pass delivers again at every replay. */
struct norm_slot {
    uint64_t *target;
    unsigned long long *on_device, *on_host;
};
static std::vector<norm_slot> norm_slots;

static const norm_slot &slot_of(uint64_t *target)
{
    for (const norm_slot &slot : norm_slots)
        if (slot.target == target)
            return slot;
    norm_slot slot = {target};
    slot.on_device = (unsigned long long *)cuda_allocate_bytes(sizeof *slot.on_device, "a norm");
    CUDA_CALL(cudaMemsetAsync(slot.on_device, 0, sizeof *slot.on_device, cuda_stream()));
    CUDA_CALL(cudaHostAlloc((void **)&slot.on_host, sizeof *slot.on_host, cudaHostAllocMapped));
    *slot.on_host = 0;
    norm_slots.push_back(slot);
    return norm_slots.back();
}

void cuda_deliver_norms()
{
    for (const norm_slot &slot : norm_slots) {
        if (*slot.on_host == 0)
            continue;
        *slot.target = *slot.on_host > *slot.target ? *slot.on_host : *slot.target;
        *slot.on_host = 0;
    }
}

unsigned long long *cuda_norm_word(uint64_t *target)
{
    return slot_of(target).on_device;
}

/* A kernel of one thread, since in a recording a copy and a memset take 2 µs longer. */
static __global__ void take_norm_kernel(unsigned long long *on_device, unsigned long long *on_host)
{
    *on_host = *on_device;
    *on_device = 0;
}

void cuda_fetch_norm(uint64_t *target)
{
    const norm_slot &slot = slot_of(target);
    take_norm_kernel<<<1, 1, 0, cuda_stream()>>>(slot.on_device, slot.on_host);
    CUDA_LAUNCHED();
    if (cuda_recording())
        return;
    cuda_synchronise();
    cuda_deliver_norms();
}
