#ifndef CUDA_TRANSFERS_CUH
#define CUDA_TRANSFERS_CUH
/* Prolongation to one cell, for kernels. */
#include "operators/transfers.h"

/* One direction of prolongation at the low or high child. */
template <int REACH>
static __device__ double interpolate(const double *c, long s, bool high)
{
    if (REACH == 1)
        return high ? prolong2_high(c[-s], c[0], c[s]) : prolong2_low(c[-s], c[0], c[s]);
    return high ? prolong4_high(c[-2 * s], c[-s], c[0], c[s], c[2 * s])
                : prolong4_low(c[-2 * s], c[-s], c[0], c[s], c[2 * s]);
}

/* P coarse at a fine cell: k first, then j, then i. */
template <int REACH>
static __device__ double prolonged(const double *coarse, long sj, long sk, int i, int j, int k)
{
    enum { WIDTH = 2 * REACH + 1 };
    const double *c = coarse + i / 2 + (j / 2) * sj + (k / 2) * sk;
    double line[WIDTH];
    for (int a = -REACH; a <= REACH; a++) {
        double column[WIDTH];
        for (int b = -REACH; b <= REACH; b++)
            column[b + REACH] = interpolate<REACH>(c + a + b * sj, sk, k & 1);
        line[a + REACH] = interpolate<REACH>(column + REACH, 1, j & 1);
    }
    return interpolate<REACH>(line + REACH, 1, i & 1);
}

#endif
