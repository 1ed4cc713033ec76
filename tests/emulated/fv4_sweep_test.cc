/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of order 4's kernel of one operation on emulated blocks: what it stores, restricts,
 * reduces and narrows is bitwise that of the formulas, and all other cells keep their value. A copy
 * that a thread does not wait for is NaN, or belongs to another plane. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
/* Threads without cells pass on registers that they have not loaded. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#include "cuda/fv4/sweep_kernel.cuh"
#pragma GCC diagnostic pop
#include "fv4_patch.h"

using namespace fv4;

template <>
CUtensorMap tile_source<CUtensorMap>(const real *x, const struct cells &c, int width, int rows)
{
    return {x, c, width, rows};
}

template <>
struct field_source tile_source<field_source>(const real *x, const struct cells &c, int, int) {
    return {x, c.sj, c.sk, {c.n[0], c.n[1], c.n[2]}};
}

template <class tile>
static sweep_sources<typename tile::source> sources_of(const struct fv4_sweep &w)
{
    using source = typename tile::source;
    constexpr int ROWS = tile::CORE_ROWS;
    const auto from = [&](const real *x, int width, int rows) {
        return tile_source<source>(x, w.c, width, rows);
    };
    return {from(w.u, WIDTH, ROWS + 4),      from(w.beta_i, WIDTH, ROWS + 2),
            from(w.beta_j, WIDTH, ROWS + 1), from(w.beta_k, WIDTH, ROWS + 2),
            from(w.f, CORE_WIDTH, ROWS),     from(w.dinv, CORE_WIDTH, ROWS),
            from(w.alpha, CORE_WIDTH, ROWS)};
}

template <class tile, class Op, enum sweep_kind KIND>
static void run_kernel(const struct fv4_sweep &w, int planes, std::mt19937 &random)
{
    const int n[3] = {cuda_divided(w.c.n[0], CORE_WIDTH), cuda_divided(w.c.n[1], tile::CORE_ROWS),
                      cuda_divided(w.c.n[2], planes)};
    const struct tile_set tiles = {{n[0], n[1], n[2]}, {0, 0, 0}, {n[0], n[1], n[2]}, false};
    const auto kernel = [&] {
        sweep_kernel<tile, Op, KIND>(w, sources_of<tile>(w), tiles, planes);
    };
    assert_true(emulated::run_grid(n, random, kernel, tile::THREADS, LANES));
}

struct results {
    values out, coarse;
    std::vector<float> defect;
    unsigned long long norm;
};

/* The value that cell (i,j,k) gets, whose residual is r. */
static real new_value(const struct fv4_sweep &w, enum sweep_kind kind, int i, int j, int k, real r,
                      real before)
{
    const long cell = i + j * w.c.sj + k * w.c.sk;
    const real u = w.u[cell], dinv = w.dinv[cell];
    if (kind == SWEEP_TWO_STEP)
        return update_two_step(u, before, dinv, r, w.weight, w.c1);
    if (kind == SWEEP_COLOURED && ((i + j + k + w.colour) & 1))
        return u;
    return kind == SWEEP_RESIDUAL ? r : update_weighted(u, dinv, r, w.weight);
}

/* Cell by cell; `want` has what was there before. */
template <class Op>
static void expect(const struct fv4_sweep &w, enum sweep_kind kind, const emulated::box &b,
                   const emulated::box &coarse, struct results &want)
{
    const struct view v = {w, w.u, w.c.sj, w.c.sk};
    const auto residual = [&](int i, int j, int k) {
        return Op::residual(v, i + j * v.sj + k * v.sk);
    };
    for_cells(b.c, false, [&](int i, int j, int k, long place) {
        real &out = want.out[b.origin + place];
        const real r = residual(i, j, k);
        if (kind == SWEEP_NORM || (kind == SWEEP_DEFECT && w.norm))
            want.norm = larger(want.norm, magnitude_bits((double)r));
        if (kind == SWEEP_DEFECT)
            want.defect[b.origin + place] = (float)(w.defect.factor * (double)r);
        else if (kind != SWEEP_NORM && kind != SWEEP_RESTRICT)
            out = new_value(w, kind, i, j, k, r, out);
    });
    for_cells(coarse.c, false, [&](int i, int j, int k, long place) {
        real pairs[4];
        for (int row = 0; row < 4; row++)
            pairs[row] = residual(2 * i, 2 * j + row % 2, 2 * k + row / 2) +
                         residual(2 * i + 1, 2 * j + row % 2, 2 * k + row / 2);
        if (kind == SWEEP_RESTRICT)
            want.coarse[coarse.origin + place] =
                restrict_cell(pairs[0], pairs[1], pairs[2], pairs[3]);
    });
}

/* The sweep of this pass. Cells near walls have any D⁻¹. */
static struct fv4_sweep sweep_of(const struct fv4_gsrb &pass)
{
    struct fv4_sweep w = {};
    static_cast<struct operands &>(w) = pass;
    w.c = pass.c;
    w.u = pass.in;
    w.weight = 0.7;
    w.c1 = 0.3;
    w.colour = pass.colour;
    for (int d = 0; d < 3; d++) {
        w.inner_lo[d] = w.c.wall[d][0] ? BOUNDARY_LAYERS : 0;
        w.inner_hi[d] = w.c.n[d] - (w.c.wall[d][1] ? BOUNDARY_LAYERS : 0);
    }
    return w;
}

template <class Op, class tile, enum sweep_kind KIND>
static void check_kind(int n0, int n1, int n2, int planes, unsigned walls)
{
    std::mt19937 random(n0 + n1 + n2 + KIND);
    const emulated::box b = make_walled_box(n0, n1, n2, walls),
                        coarse = make_box(n0 / 2, n1 / 2, n2 / 2);
    struct fields x = make_fields(b, random);
    struct fv4_sweep w = sweep_of(make_pass<Op>(b, x, n0 / 4 % 2, ANY));
    struct results want = {random_field(b, random, -1.0, 1.0),
                           random_field(coarse, random, -1.0, 1.0), std::vector<float>(b.size), 0},
                   got = want;
    w.out = got.out.data() + b.origin;
    w.coarse = got.coarse.data() + coarse.origin;
    w.coarse_sj = coarse.c.sj;
    w.coarse_sk = coarse.c.sk;
    w.norm = KIND == SWEEP_DEFECT && n2 % 4 != 0 ? NULL : &got.norm;
    w.defect = {got.defect.data() + b.origin, b.c.sj, b.c.sk, 3.7};
    expect<Op>(w, KIND, b, coarse, want);
    run_kernel<tile, Op, KIND>(w, planes, random);
    assert_memory_equal(got.out.data(), want.out.data(), want.out.size() * sizeof(real));
    assert_memory_equal(got.coarse.data(), want.coarse.data(), want.coarse.size() * sizeof(real));
    assert_memory_equal(got.defect.data(), want.defect.data(), want.defect.size() * sizeof(float));
    assert_true(got.norm == want.norm);
}

/* All operations, with both mechanisms of copies and all sizes of tiles. */
template <class Op, class tile>
static void check_tile(int n0, int n1, int n2, int planes, unsigned walls)
{
    check_kind<Op, tile, SWEEP_COLOURED>(n0, n1, n2, planes, walls);
    check_kind<Op, tile, SWEEP_WEIGHTED>(n0, n1, n2, planes, walls);
    check_kind<Op, tile, SWEEP_TWO_STEP>(n0, n1, n2, planes, walls);
    check_kind<Op, tile, SWEEP_RESIDUAL>(n0, n1, n2, planes, walls);
    check_kind<Op, tile, SWEEP_RESTRICT>(n0, n1, n2, planes, walls);
    check_kind<Op, tile, SWEEP_DEFECT>(n0, n1, n2, planes, walls);
    check_kind<Op, tile, SWEEP_NORM>(n0, n1, n2, planes, walls);
}

template <class Op>
static void check(int n0, int n1, int n2, int planes, unsigned walls)
{
    check_tile<Op, large_sweep>(n0, n1, n2, planes, walls);
    check_tile<Op, medium_sweep>(n0, n1, n2, planes, walls);
    check_tile<Op, small_sweep>(n0, n1, n2, planes, walls);
}

enum { ALL_WALLS = 63, LOW_WALLS = 1 | 4 | 16 };

static void test_whole_tiles(void **)
{
    check<op_fv4>(64, 16, 8, 4, ALL_WALLS);
    check<op_fv4_helmholtz>(128, 12, 4, 4, 0);
}

static void test_other_patches(void **)
{
    check<op_fv4>(68, 18, 6, 4, LOW_WALLS);
    check<op_fv4_helmholtz>(6, 6, 10, 2, ALL_WALLS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_tiles),
        cmocka_unit_test(test_other_patches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
