/* SPDX-License-Identifier: BSD-3-Clause */
/* Small levels of one box with walls, stored by colour: the layout of the arrays that colours.c
 * works in. */
#pragma once
#include "level/level.h"

#define INLINE static inline __attribute__((always_inline))

enum { LINE = 8 /* doubles in a cache line */ };

/* What is constant in a loop: cells per row, and what is needed of the operator. */
struct shape {
    int n, radius, wall_cells;
    bool edges; /* reads_edges of struct stencil */
    bool variable, alpha;
};

/* 0 … 3 for 2 … 16 cells per side, or −1. */
INLINE int size_index(int n)
{
    return n == 2 ? 0 : n == 4 ? 1 : n == 8 ? 2 : n == 16 ? 3 : -1;
}

/* A row (j,k) has the cells of colour c with i = 2m + odd, odd = (j + k + c) mod 2: half of them.
 * Its cell m is at m + j·sj + k·sk. */
INLINE int half(struct shape s)
{
    return s.n / 2;
}

/* Vectors of 8 begin a cache line, shorter ones lie in one with the ghosts on both sides. */
INLINE long stride_j(struct shape s)
{
    return s.n == 16 ? 16 : s.n == 2 ? 4 : s.n;
}

INLINE long first_cell(struct shape s)
{
    return s.n == 16 ? 0 : s.n == 2 ? 1 : s.n / 4;
}

INLINE long stride_k(struct shape s)
{
    return stride_j(s) * (s.n + 2 * s.radius);
}

/* Of an array with ghosts, and with a margin for those of its first and last row. */
INLINE long array_length(struct shape s)
{
    return (stride_k(s) * (s.n + 2 * s.radius) + 2 * LINE + LINE - 1) / LINE * LINE;
}

INLINE long array_origin(struct shape s)
{
    return s.radius * (stride_j(s) + stride_k(s)) + first_cell(s) + LINE;
}

/* Coefficients by row: those of the faces, D⁻¹, α. */
INLINE int face_coefficients(struct shape s)
{
    return !s.variable ? 0 : s.edges ? 18 : 6;
}

INLINE int coefficients(struct shape s)
{
    return face_coefficients(s) + 1 + s.alpha;
}

/* Cells of one colour. */
INLINE long cells(struct shape s)
{
    return (long)s.n * s.n * half(s);
}

/* The arrays of a level, by colour. u and spare point at cell 0 of row (0,0). */
struct arrays {
    real *u[2], *spare[2];
    real *f[2], *coefficients[2];
};

INLINE struct arrays arrays_in(real *memory, struct shape s)
{
    struct arrays a;
    const long length = array_length(s);
    for (int c = 0; c < 2; c++) {
        a.u[c] = memory + c * length + array_origin(s);
        a.spare[c] = memory + (2 + c) * length + array_origin(s);
        a.f[c] = memory + 4 * length + c * cells(s);
        a.coefficients[c] = memory + 4 * length + 2 * cells(s) + c * cells(s) * coefficients(s);
    }
    return a;
}

INLINE long arrays_length(struct shape s)
{
    return 4 * array_length(s) + 2 * cells(s) * (1 + coefficients(s));
}

/* The arrays of both colours from the rows at `natural`, and back. sj and sk are the arrays'
 * strides. */
INLINE void split(struct shape s, const struct patch *p, const real *natural, real *const to[2],
                  long sj, long sk)
{
    for (int k = 0; k < s.n; k++)
        for (int j = 0; j < s.n; j++) {
            const real *row = natural + j * p->sj + k * p->sk;
            real *restrict even = to[(j + k) & 1] + j * sj + k * sk;
            real *restrict odd = to[(j + k + 1) & 1] + j * sj + k * sk;
            for (int m = 0; m < half(s); m++) {
                even[m] = row[2 * m];
                odd[m] = row[2 * m + 1];
            }
        }
}

INLINE void join(struct shape s, const struct patch *p, real *natural, real *const from[2], long sj,
                 long sk)
{
    for (int k = 0; k < s.n; k++)
        for (int j = 0; j < s.n; j++) {
            real *restrict row = natural + j * p->sj + k * p->sk;
            const real *even = from[(j + k) & 1] + j * sj + k * sk;
            const real *odd = from[(j + k + 1) & 1] + j * sj + k * sk;
            for (int m = 0; m < half(s); m++) {
                row[2 * m] = even[m];
                row[2 * m + 1] = odd[m];
            }
        }
}
