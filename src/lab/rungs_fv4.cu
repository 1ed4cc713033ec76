/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of the rungs for order 4. */
#include "lab/rungs_gpu.cuh"

namespace rungs
{
enum { ORDER = 4 };
#define RUNG(name, summary, i, j, rows, keeps, ahead, ...) kernels_of<__VA_ARGS__>(),
extern const struct kernels fv4_kernels[] = {
#include "lab/rungs.def"
};
} // namespace rungs
