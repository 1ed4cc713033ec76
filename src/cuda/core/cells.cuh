/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_CELLS_CUH
#define CUDA_CORE_CELLS_CUH
/* What kernels know of a patch, and of memory. */

/* A function for the device. */
#define DEVICE static __device__ __forceinline__

/* One patch as kernels see it. */
struct cells {
    int n[3];
    int lo[3]; /* global index of cell (0,0,0) */
    long offset, sj, sk;
    bool wall[3][2];
};

/* The layers of ghosts that a field has around it, and a map of its tiles includes. */
enum { MAP_GHOSTS = 2 };

inline int cuda_divided(int a, int b) /* upwards */
{
    return (a + b - 1) / b;
}

/* The bytes of as many lines of memory, 128 bytes each, as these fill. */
constexpr int cuda_in_lines(int bytes)
{
    return (bytes + 127) / 128 * 128;
}

#endif
