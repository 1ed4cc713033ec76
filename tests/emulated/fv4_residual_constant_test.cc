/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of the kernel of order 4's residual with constant coefficients: what it stores,
 * restricts, reduces and narrows is bitwise that of the formulas. It reads two layers of ghosts on
 * sides alone, and stores nothing else. Memory may end with these layers. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#include "cuda/fv4/residual_constant_kernel.cuh"
#include "fenced.h"
#include "patch.h"

using namespace fv4;
using namespace fv4::constant;
using emulated::values;

struct results {
    values out, coarse;
    std::vector<float> defect;
    unsigned long long norm;
};

static struct results no_results(const emulated::box &b, const emulated::box &coarse)
{
    return {values(b.size, (real)NAN), values(coarse.size, (real)NAN),
            std::vector<float>(b.size, NAN), 0};
}

static const double FACTOR = 3.7; /* of narrowed residuals */

/* Cell by cell. */
template <class Op>
static struct results expected(const emulated::box &b, const emulated::box &coarse,
                               const struct view &v)
{
    struct results want = no_results(b, coarse);
    const auto residual = [&](int i, int j, int k) {
        return Op::residual(v, i + j * v.sj + k * v.sk);
    };
    emulated::for_box(b, [&](const int p[3], long place) {
        if (emulated::outside_of(b.c, p).directions > 0)
            return;
        want.out[place] = residual(p[0], p[1], p[2]);
        want.defect[place] = (float)(FACTOR * (double)want.out[place]);
        want.norm = larger(want.norm, magnitude_bits((double)want.out[place]));
    });
    emulated::for_box(coarse, [&](const int p[3], long place) {
        real pairs[4];
        if (emulated::outside_of(coarse.c, p).directions > 0)
            return;
        for (int row = 0; row < 4; row++) {
            const int j = 2 * p[1] + row % 2, k = 2 * p[2] + row / 2;
            pairs[row] = residual(2 * p[0], j, k) + residual(2 * p[0] + 1, j, k);
        }
        want.coarse[place] = restrict_cell(pairs[0], pairs[1], pairs[2], pairs[3]);
    });
    return want;
}

template <class Op, enum sweep_kind KIND>
static void run_kernel(const struct fv4_sweep &w, int planes, std::mt19937 &random)
{
    const int n[3] = {cuda_divided(w.c.n[0], TILE_WIDTH), cuda_divided(w.c.n[1], TILE_ROWS),
                      cuda_divided(w.c.n[2], planes)};
    const struct tile_set tiles = {{n[0], n[1], n[2]}, {0, 0, 0}, {n[0], n[1], n[2]}, false};
    assert_true(emulated::run_grid(
        n, random, [&] { residual_kernel<Op, KIND>(w, tiles, planes); }, THREADS, LANES));
}

/* Whether the operator reads this ghost. */
static bool is_read(const struct emulated::outside &o)
{
    return o.directions <= 1 && o.layers <= REACH;
}

template <class Values>
static void assert_equal(const Values &got, const Values &want)
{
    assert_memory_equal(got.data(), want.data(), want.size() * sizeof want[0]);
}

template <class Op>
static void check_fenced(int n0, int n1, int n2, int planes, enum emulated::fence fence)
{
    std::mt19937 random(n0 + n1 + n2);
    const emulated::box b = emulated::make_box(n0, n1, n2),
                        coarse = emulated::make_box(n0 / 2, n1 / 2, n2 / 2);
    values u = emulated::random_field(b, random, -1.0, 1.0),
           f = emulated::random_field(b, random, -1.0, 1.0);
    emulated::for_box(b, [&](const int p[3], long place) {
        const struct emulated::outside o = emulated::outside_of(b.c, p);
        if (!is_read(o))
            u[place] = (real)NAN;
        if (o.directions > 0)
            f[place] = (real)NAN;
    });
    const emulated::fenced u_read(b, u, REACH, fence);
    const real *first_u = u_read.cells(), *first_f = f.data() + b.origin;
    const struct view v = {
        {first_f, first_f, first_f, first_f, first_f, first_f, 0.37}, first_u, b.c.sj, b.c.sk};
    const struct results want = expected<Op>(b, coarse, v);
    struct results got = no_results(b, coarse);
    struct fv4_sweep w = {};
    static_cast<struct operands &>(w) = v;
    w.c = b.c;
    w.u = first_u;
    w.out = got.out.data() + b.origin;
    w.coarse = got.coarse.data() + coarse.origin;
    w.coarse_sj = coarse.c.sj;
    w.coarse_sk = coarse.c.sk;
    w.norm = &got.norm;
    run_kernel<Op, SWEEP_RESIDUAL>(w, planes, random);
    assert_equal(got.out, want.out);
    run_kernel<Op, SWEEP_RESTRICT>(w, planes, random);
    assert_equal(got.coarse, want.coarse);
    run_kernel<Op, SWEEP_NORM>(w, planes, random);
    assert_true(got.norm == want.norm);
    got.norm = 0;
    w.defect = {got.defect.data() + b.origin, b.c.sj, b.c.sk, FACTOR};
    run_kernel<Op, SWEEP_DEFECT>(w, planes, random);
    assert_equal(got.defect, want.defect);
    assert_true(got.norm == want.norm);
    w.norm = NULL;
    run_kernel<Op, SWEEP_DEFECT>(w, planes, random);
}

template <class Op>
static void check(int n0, int n1, int n2, int planes)
{
    check_fenced<Op>(n0, n1, n2, planes, emulated::FENCE_BELOW);
    check_fenced<Op>(n0, n1, n2, planes, emulated::FENCE_ABOVE);
}

static void test_whole_tiles(void **)
{
    check<op_fv4_constant>(64, 16, 8, 8);
    check<op_fv4_constant_helmholtz>(128, 32, 4, 2);
}

static void test_other_patches(void **)
{
    check<op_fv4_constant>(68, 18, 10, 4);
    check<op_fv4_constant_helmholtz>(2, 2, 2, 6);
    check<op_fv4_constant_helmholtz>(62, 14, 6, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_tiles),
        cmocka_unit_test(test_other_patches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
