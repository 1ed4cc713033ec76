/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of the kernel of order 2's residual: what it restricts, reduces and narrows is bitwise
 * that of the formulas, between walls and beside open sides. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#include "cuda/fv2/residual_kernel.cuh"
#include "fv2_patch.h"

using namespace fv2;

enum { GROUPS = emulated::THREADS / LANES };

template <class Op, enum pass_finish FINISH>
static void run_kernel(const struct fv2_residual &w, int planes, std::mt19937 &random)
{
    const int n[3] = {cuda_divided(w.c.n[0] / 2, LANES), cuda_divided(w.c.n[1] / 2, GROUPS),
                      cuda_divided(w.c.n[2], planes)};
    assert_true(emulated::run_grid(
        n, random, [&] { residual_kernel<Op, FINISH, GROUPS>(w, planes); }, emulated::THREADS,
        LANES));
}

template <class Op>
static void check(const int n[3], const enum ends sides[3], int planes)
{
    const emulated::box b = make_patch(n, sides),
                        coarse = emulated::make_box(n[0] / 2, n[1] / 2, n[2] / 2);
    std::mt19937 random(n[0] + planes);
    const struct coefficients a = make_coefficients(b, random);
    const values u = make_values(b, random, -1.0, 1.0);
    values restricted(coarse.size, (real)NAN);
    std::vector<float> defect(b.size, NAN);
    const auto first = [&](const values &x) { return x.data() + b.origin; };
    unsigned long long norm = 0, norm_of_defect = 0, largest = 0;
    struct fv2_residual w = {{first(a.f), first(a.alpha), NULL, first(a.beta[0]), first(a.beta[1]),
                              first(a.beta[2]), a.scale},
                             b.c,
                             first(u),
                             restricted.data() + coarse.origin,
                             coarse.c.sj,
                             coarse.c.sk,
                             &norm,
                             {defect.data() + b.origin, b.c.sj, b.c.sk, 3.7}};
    emulated::races = 0;
    run_kernel<Op, FINISH_RESTRICT>(w, planes, random);
    run_kernel<Op, FINISH_NORM>(w, planes, random);
    for (unsigned long long *of_defect : {(unsigned long long *)NULL, &norm_of_defect}) {
        w.norm = of_defect;
        run_kernel<Op, FINISH_DEFECT>(w, planes, random);
    }
    assert_int_equal(emulated::races, 0);
    emulated::for_box(b, [&](const int p[3], long place) {
        if (emulated::outside_of(b.c, p).directions > 0) {
            assert_true(std::isnan(defect[place]));
            return;
        }
        const float want = (float)(w.defect.factor * (double)residual_at<Op>(b, a, u, p));
        assert_memory_equal(&defect[place], &want, sizeof want);
    });
    emulated::for_box(coarse, [&](const int p[3], long place) {
        real rows[4];
        if (emulated::outside_of(coarse.c, p).directions > 0) {
            assert_true(std::isnan(restricted[place]));
            return;
        }
        for (int row = 0; row < 4; row++) {
            const int low[3] = {2 * p[0], 2 * p[1] + row % 2, 2 * p[2] + row / 2},
                      high[3] = {low[0] + 1, low[1], low[2]};
            const real r[2] = {residual_at<Op>(b, a, u, low), residual_at<Op>(b, a, u, high)};
            rows[row] = r[0] + r[1];
            largest =
                larger(largest, larger(magnitude_bits((double)r[0]), magnitude_bits((double)r[1])));
        }
        const real want = restrict_cell(rows[0], rows[1], rows[2], rows[3]);
        assert_memory_equal(&restricted[place], &want, sizeof want);
    });
    assert_true(norm == largest && norm_of_defect == largest);
}

static void test_sides(void **)
{
    const enum ends kinds[4] = {WALLS, OPEN, WALL_BELOW, WALL_ABOVE};
    for (int mixture = 0; mixture < 64; mixture++) {
        const enum ends sides[3] = {kinds[mixture % 4], kinds[mixture / 4 % 4],
                                    kinds[mixture / 16]};
        const int n[3] = {mixture % 2 ? 8 : 12, 6, 8};
        check<op_fv2>(n, sides, 4);
        check<op_fv2_helmholtz>(n, sides, 8);
    }
}

static void test_neumann_walls(void **)
{
    each_neumann_mixture([](const enum ends sides[3], int mixture) {
        const int n[3] = {mixture % 2 ? 66 : 12, 6, 8};
        if (sides[0] == WRAPPED || sides[1] == WRAPPED || sides[2] == WRAPPED)
            return; /* the kernel reads ghosts there */
        check<op_fv2>(n, sides, 4);
        check<op_fv2_helmholtz>(n, sides, 8);
    });
}

static void test_long_rows(void **)
{
    const enum ends walls[3] = {WALLS, WALLS, WALLS}, open[3] = {OPEN, WALLS, OPEN};
    for (const int width : {4, 62, 64, 66, 128}) {
        const int n[3] = {width, 2 * GROUPS + 2, 4};
        check<op_fv2>(n, walls, 2);
        check<op_fv2_helmholtz>(n, open, 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_neumann_walls),
        cmocka_unit_test(test_long_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
