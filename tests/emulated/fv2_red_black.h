/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What tests of kernels that make half-sweeps of order 2 share: fields, the half-sweeps cell by
 * cell, and the check of all results. Include cmocka and the kernel before. */
#include "fv2_patch.h"

namespace fv2
{
struct fields {
    values u;
    struct coefficients a;
    values out, coarse;
};

inline struct fields make_fields(const emulated::box &b, std::mt19937 &random)
{
    values u = make_values(b, random, -1.0, 1.0);
    return {u, make_coefficients(b, random), values(b.size, (real)NAN), values(b.size, (real)NAN)};
}

/* u after a half-sweep, `extent` layers beyond open sides too, of the cells whose indices have a
 * sum of this parity. */
template <class Op>
values half_sweep(const emulated::box &b, const struct coefficients &a, const values &u, int parity,
                  int extent)
{
    values after = u, zeros(u.size(), 0.0);
    emulated::for_box(b, [&](const int p[3], long place) {
        if (((p[0] + p[1] + p[2] + parity) & 1) == 0 && is_extended(b.c, p, extent))
            after[place] = update_weighted(u[place], (real)1.0 / diagonal_at<Op>(b, a, p, zeros),
                                           residual_at<Op>(b, a, u, p), 1.0);
    });
    return after;
}

template <class Work>
Work make_work(const emulated::box &b, struct fields &x, int parity)
{
    const auto first = [&](values &v) { return v.data() + b.origin; };
    Work w = {};
    w.c = b.c;
    w.in = first(x.u);
    w.out = first(x.out);
    w.f = first(x.a.f);
    w.alpha = first(x.a.alpha);
    w.beta_i = first(x.a.beta[0]);
    w.beta_j = first(x.a.beta[1]);
    w.beta_k = first(x.a.beta[2]);
    w.scale = x.a.scale;
    w.parity = parity;
    w.coarse = first(x.coarse);
    w.coarse_sj = b.c.sj;
    w.coarse_sk = b.c.sk;
    return w;
}

/* The field `got` holds `want` in the first n cells of each direction and NaN elsewhere. */
template <class Want>
long differences(const emulated::box &b, const int n[3], const values &got, const Want &want)
{
    long wrong = 0;
    emulated::for_box(b, [&](const int p[3], long place) {
        bool inside = true;
        for (int d = 0; d < 3; d++)
            inside = inside && p[d] >= 0 && p[d] < n[d];
        const real value = inside ? want(p, place) : (real)NAN;
        wrong += std::isnan(value) == inside || memcmp(&value, &got[place], sizeof value) != 0;
    });
    return wrong;
}

/* Sets all values of a field outside the patch to NaN, except in the `layers` nearest layers. */
inline void spoil_beyond(const emulated::box &b, values &x, int layers)
{
    emulated::for_box(b, [&](const int p[3], long place) {
        if (emulated::outside_of(b.c, p).layers > layers)
            x[place] = (real)NAN;
    });
}

/* Runs the kernel by run(work, random). Checks its results after `sweeps` half-sweeps and the
 * finish, that it stores nothing else, that it reads no ghosts beyond one layer per half-sweep and
 * one for the residual, and that it has no races. */
template <class Work, class Op, bool ZERO, finish FINISH, class Run>
void check_half_sweeps(const int n[3], const enum ends sides[3], int planes, int parity, int sweeps,
                       const Run &run)
{
    std::mt19937 random(n[0] + 7 * sides[0] + 35 * sides[1] + 175 * sides[2] + planes);
    const emulated::box b = make_patch(n, sides);
    struct fields x = make_fields(b, random);
    if (ZERO)
        x.u.assign(x.u.size(), 0.0);
    spoil_beyond(b, x.u, sweeps + (FINISH != ONLY_SWEEPS));
    spoil_beyond(b, x.a.f, sweeps - 1 + (FINISH != ONLY_SWEEPS));
    Work w = make_work<Work>(b, x, parity);
    unsigned long long norm = 0, want_norm = 0;
    w.norm = &norm;
    if (ZERO)
        w.in = NULL;
    emulated::races = 0;
    run(w, random);
    assert_int_equal(emulated::races, 0);
    values u = x.u;
    for (int sweep = 0; sweep < sweeps; sweep++)
        u = half_sweep<Op>(b, x.a, u, parity + sweep, sweeps - sweep);
    assert_int_equal(differences(b, n, x.out, [&](const int[3], long place) { return u[place]; }),
                     0);
    const auto residual = [&](int i, int j, int k) {
        const int p[3] = {i, j, k};
        return residual_at<Op>(b, x.a, u, p);
    };
    emulated::for_box(b, [&](const int p[3], long) {
        if (FINISH == REDUCES && is_extended(b.c, p, 0))
            want_norm = larger(want_norm, magnitude_bits((double)residual(p[0], p[1], p[2])));
    });
    assert_true(norm == want_norm);
    const int coarse[3] = {n[0] / 2, n[1] / 2, n[2] / 2}, nothing[3] = {};
    assert_int_equal(differences(b, FINISH == RESTRICTS ? coarse : nothing, x.coarse,
                                 [&](const int p[3], long) {
                                     real pairs[4];
                                     for (int row = 0; row < 4; row++) {
                                         const int i = 2 * p[0], j = 2 * p[1] + row % 2,
                                                   k = 2 * p[2] + row / 2;
                                         pairs[row] = residual(i, j, k) + residual(i + 1, j, k);
                                     }
                                     return restrict_cell(pairs[0], pairs[1], pairs[2], pairs[3]);
                                 }),
                     0);
}
} // namespace fv2
