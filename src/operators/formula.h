/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The common subset of C11 and CUDA C++ in which every formula of the method is written once. A
 * formula takes values (or a pointer and strides) and returns a value. Contraction is off in both
 * compilers and every fused operation is an explicit fma(), so CPU and GPU give bitwise identical
 * results. Only this file asks which compiler it is. */
#include <math.h>
#include <stdlib.h>
#include "base/real.h"

#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif
/* Before a loop: it is unrolled, all of it if its length is constant; or it stays a loop. */
#if defined __CUDACC__
#define LOOP_UNROLLED _Pragma("unroll")
#define LOOP_KEPT _Pragma("unroll 1")
#elif defined __clang__
#define LOOP_UNROLLED _Pragma("unroll")
#define LOOP_KEPT _Pragma("clang loop unroll(disable)")
#else
#define LOOP_UNROLLED _Pragma("GCC unroll 16")
#define LOOP_KEPT _Pragma("GCC unroll 1")
#endif
/* Before a loop whose iterations do not depend on each other. */
#ifdef __CUDACC__
#define LOOP_SIMD
#else
#define LOOP_SIMD _Pragma("omp simd")
#endif
#define FORMULA static inline HD __attribute__((always_inline))
/* A formula over an accessor (operators/near.h), which is its parameter of type NEAR: in C++ a
 * template, so that kernels can bring their own. */
#ifdef __cplusplus
#define NEAR_FORMULA                                                                               \
    template <class Near>                                                                          \
    FORMULA
#define NEAR const Near &
#define NEAR_CELL const struct near &
#else
#define NEAR_FORMULA FORMULA
#define NEAR const struct near
#define NEAR_CELL const struct near
#endif

/* a·b + c, rounded once, for values of either type. */
FORMULA real madd(real a, real b, real c)
{
#ifdef __cplusplus
    return fma(a, b, c);
#else
    return _Generic(a, float : fmaf, default : fma)(a, b, c);
#endif
}
