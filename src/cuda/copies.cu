/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between fields, message buffers and host memory. */
#include <algorithm>
#include <map>
#include "cuda/backend.cuh"
#include "cuda/core/conversion.cuh"
#include "cuda/device.cuh"

/* The copies of a list: blockIdx.x is the copy, blockIdx.y a part of its cells. */
template <class From, class To>
static __global__ void __launch_bounds__(256)
    copy_kernel(const struct copy *copies, const From *from, To *to, double factor)
{
    const struct copy c = copies[blockIdx.x];
    const long cells = (long)c.n[0] * c.n[1] * c.n[2];
    for (long x = (long)blockIdx.y * blockDim.x + threadIdx.x; x < cells;
         x += (long)gridDim.y * blockDim.x) {
        const long i = x % c.n[0], j = x / c.n[0] % c.n[1], k = x / c.n[0] / c.n[1];
        to[c.to + i + j * c.to_sj + k * c.to_sk] =
            converted<To>(from[c.from + i + j * c.from_sj + k * c.from_sk], factor);
    }
}

/* Lists on the device, from the first use of each until cuda_forget. */
static std::map<const struct copy *, struct copy *> lists;

static const struct copy *on_device(const struct copy_list *list)
{
    struct copy *&copies = lists[list->copies];
    if (!copies) {
        const size_t bytes = (size_t)list->count * sizeof *copies;
        copies = (struct copy *)cuda_allocate_bytes(bytes, "a plan");
        CUDA_CALL(
            cudaMemcpyAsync(copies, list->copies, bytes, cudaMemcpyHostToDevice, cuda_stream()));
        cuda_synchronise();
    }
    return copies;
}

template <class From, class To>
static void launch(const struct copy_list *list, const From *from, To *to)
{
    long most = 0;
    if (list->count == 0)
        return;
    for (int c = 0; c < list->count; c++)
        most = std::max(most, copy_cells(&list->copies[c]));
    const dim3 grid((unsigned)list->count, (unsigned)std::min((most + 1023) / 1024, 1024L));
    copy_kernel<<<grid, 256, 0, cuda_stream()>>>(on_device(list), from, to, list->factor);
    CUDA_LAUNCHED();
}

void cuda_copy(const struct copy_list *list, const void *from, void *to)
{
    with_precisions(list->from_single, list->to_single, [&](auto x, auto y) {
        launch(list, (const decltype(x) *)from, (decltype(y) *)to);
    });
}

void cuda_forget(const struct copy_list *list)
{
    const auto found = lists.find(list->copies);
    if (found == lists.end())
        return;
    cuda_synchronise();
    cuda_release_bytes(found->second);
    lists.erase(found);
}

void cuda_upload(void *field, const void *values, size_t bytes)
{
    CUDA_CALL(cudaMemcpyAsync(field, values, bytes, cudaMemcpyHostToDevice, cuda_stream()));
    cuda_synchronise(); /* the caller may reuse values */
}

void cuda_download(const void *field, void *values, size_t bytes)
{
    CUDA_CALL(cudaMemcpyAsync(values, field, bytes, cudaMemcpyDeviceToHost, cuda_stream()));
    cuda_synchronise();
}
