/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_RUNGS_GPU_CUH
#define LAB_RUNGS_GPU_CUH
/* The kernels of the rungs: each order is compiled in a file of its own. */
#include "lab/rungs.h"
#include "lab/rungs_kernel.cuh"

namespace rungs
{
typedef void kernel_fn(const half_sweep s);

/* As many registers as the compiler wants. */
template <class Near>
static __global__ void __launch_bounds__(256) rung_kernel(const __grid_constant__ half_sweep s)
{
    sweep<Near>(s);
}

/* At most so many that BLOCKS blocks of THREADS threads fit on a multiprocessor. */
template <class Near, int THREADS, int BLOCKS>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    capped_kernel(const __grid_constant__ half_sweep s)
{
    sweep<Near>(s);
}

/* By the limits of register_limits[] in rungs.c. */
struct kernels {
    kernel_fn *by_limit[REGISTER_LIMITS];
};

template <class Near>
static struct kernels kernels_of()
{
    return {{rung_kernel<Near>, capped_kernel<Near, 512, 1>, capped_kernel<Near, 1024, 1>,
             capped_kernel<Near, 1024, 2>}};
}

/* In the order of rungs.def. */
extern const struct kernels fv2_kernels[], fv4_kernels[];
} // namespace rungs

#endif
