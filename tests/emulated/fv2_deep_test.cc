/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of the deep kernel on emulated clusters, for all finishes, between walls of both
 * kinds, around wrapped directions and any mixture of these: results are bitwise those of the
 * formulas; nothing else is stored; no ghosts are read in wrapped directions; there are no races,
 * whenever the cells arrive that blocks send each other. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#include "cuda/fv2/deep_kernel.cuh"
#include "fv2_red_black.h"

using namespace fv2;
enum { PAIRS = emulated::THREADS / DEEP_WIDTH };

/* --- the kernel --------------------------------------------------------------------------------
 */

template <class tile>
static void run_kernel(struct fv2_deep w, int planes, std::mt19937 &random)
{
    w.back = (int)(w.c.sk - w.c.n[2] * w.c.sk);
    const int n[3] = {deep_tiles<tile>(w.c, 0), deep_tiles<tile>(w.c, 1),
                      cuda_divided(w.c.n[2], planes)};
    assert_true(emulated::run_clusters(
        n, tile::BLOCKS, random, [&] { deep_kernel<tile>(w, planes); }, tile::THREADS));
}

template <class tile>
static void check(const int n[3], const enum ends sides[3], int planes, int parity)
{
    check_half_sweeps<struct fv2_deep, typename tile::op, tile::ZERO, tile::FINISH>(
        n, sides, planes, parity, tile::SWEEPS,
        [&](const struct fv2_deep &w, std::mt19937 &random) {
            run_kernel<tile>(w, planes, random);
        });
}

template <class Op, finish FINISH, bool ZERO = false, int SWEEPS = 6, int BLOCKS = 2>
using small = deep_tile<Op, ZERO, FINISH, SWEEPS, PAIRS, BLOCKS>;

static const enum ends mixed[] = {WALLS, WRAPPED, OPEN, WALL_BELOW, WALL_ABOVE};

static void test_walls(void **)
{
    const enum ends walls[3] = {WALLS, WALLS, WALLS};
    const int n[3] = {16, 20, 12}, wide[3] = {100, 8, 8};
    check<small<op_fv2, ONLY_SWEEPS>>(n, walls, 12, 0);
    check<small<op_fv2, ONLY_SWEEPS, true>>(n, walls, 6, 1);
    check<small<op_fv2, RESTRICTS>>(n, walls, 4, 0);
    check<small<op_fv2, REDUCES>>(n, walls, 12, 1);
    check<small<op_fv2_helmholtz, RESTRICTS>>(n, walls, 12, 1);
    check<small<op_fv2, RESTRICTS>>(wide, walls, 8, 0);
}

/* Mixtures of sides, on patches of several tiles. */
static void test_mixtures(void **)
{
    enum { KINDS = sizeof mixed / sizeof mixed[0] };
    for (int mixture = 0; mixture < KINDS * KINDS * KINDS; mixture += 2) {
        const enum ends sides[3] = {mixed[mixture % KINDS], mixed[mixture / KINDS % KINDS],
                                    mixed[mixture / KINDS / KINDS]};
        const int n[3] = {mixture % 3 ? 12 : 66, 18, 10};
        switch (mixture / 2 % 4) {
        case 0:
            check<small<op_fv2, RESTRICTS, true>>(n, sides, 4, mixture / 2 & 1);
            break;
        case 1:
            check<small<op_fv2_helmholtz, RESTRICTS>>(n, sides, 6, mixture / 2 & 1);
            break;
        case 2:
            check<small<op_fv2, REDUCES>>(n, sides, 10, mixture / 2 & 1);
            break;
        default:
            check<small<op_fv2, ONLY_SWEEPS, true, 4, 3>>(n, sides, 6, mixture / 2 & 1);
        }
    }
}

static void test_neumann_walls(void **)
{
    const int n[3] = {12, 18, 10};
    each_neumann_mixture([&](const enum ends sides[3], int mixture) {
        if (mixture % 8 == 0)
            check<small<op_fv2, RESTRICTS>>(n, sides, 10, 0);
        else if (mixture % 8 == 1)
            check<small<op_fv2_constant, REDUCES>>(n, sides, 6, 1);
        else if (mixture % 8 == 2)
            check<small<op_fv2_constant_helmholtz, ONLY_SWEEPS, true>>(n, sides, 10, 0);
    });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_neumann_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
