/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* 1/x without a division's branch for results outside the range of normal numbers. */
#include "cuda/core/cells.cuh"

DEVICE void approximate_reciprocal(double x, double &y)
{
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
}

DEVICE void approximate_reciprocal(float x, float &y)
{
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
}

DEVICE double fma_up(double a, double b, double c)
{
    return __fma_ru(a, b, c);
}

DEVICE float fma_up(float a, float b, float c)
{
    return __fmaf_ru(a, b, c);
}

/* 1/x, rounded to nearest, for normal x with a normal reciprocal. The hardware's approximation is
 * good to 2⁻²³; the first correction leaves one of the two numbers next to 1/x, and from there a
 * Newton step with an exact residual rounds correctly (P. Markstein, Computation of elementary
 * functions on the IBM RISC System/6000 processor, 1990), if it starts from above where x is just
 * below a power of two. */
DEVICE real reciprocal(real x)
{
    real y;
    approximate_reciprocal(x, y);
    real e = fma(-x, y, (real)1.0);
    y = fma_up(y, fma(e, e, e), y);
    e = fma(-x, y, (real)1.0);
    return fma(y, e, y);
}
