/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_KERNELS_H
#define LAB_KERNELS_H
/* The experiments' kernels that are functions of their own, and what some of them need. */
#include "lab/experiments.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BODY(name)
#define OWN(name)                                                                                  \
    bench_kernel_fn cpu_##name;                                                                    \
    bench_kernel_fn gpu_##name;
#define GPU(name) bench_kernel_fn gpu_##name;
#include "lab/kernels.def"

/* A field of side^3 floats, which are on the device, as a 3-D texture. */
struct gpu_textures;
struct gpu_textures *gpu_textures_create(const double *field, int side);
/* `linear`: a fetch is filtered by the hardware, else it is one cell. */
unsigned long long gpu_texture(const struct gpu_textures *textures, bool linear);
void gpu_textures_destroy(struct gpu_textures *textures);

/* Prepares the kernel lu_cublas for n matrices of size^2 doubles; false without cuBLAS. */
bool gpu_cublas_open(double *first, long n, int size);
void gpu_cublas_close(void);

/* Bytes by which the second-level cache reads from memory. */
int gpu_fetch_bytes(void);

/* `length` doubles of managed memory, which moves to where it is used. */
double *gpu_managed_create(long length);
void gpu_managed_destroy(double *data);

#ifdef __cplusplus
}
#endif
#endif
