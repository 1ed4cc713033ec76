/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of the kernel of fused sweeps of order 2 on emulated blocks, for every smoother,
 * between walls, around wrapped directions, beside open sides and any mixture of these: results are
 * bitwise those of one sweep after the other; nothing else is stored; there are no races. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#include "cuda/fv2/sweeps_kernel.cuh"
#include "fv2_patch.h"

using namespace fv2;

enum { TILE_ROWS = emulated::THREADS / LANES };
enum smoother_kind { RECOMPUTED, STORED, FIRST_STEPS, LATER_STEPS };

/* What is checked: sweeps of one smoother, of a guess or of 0, with `extent` layers of ghosts. */
struct sweeps_case {
    enum smoother_kind kind;
    int planes, extent;
    bool zero;
};

template <class tile>
static void run_kernel(const struct fv2_sweeps &w, int planes, std::mt19937 &random)
{
    const int depth =
        layers_beyond(w.c, 2, 0, 0, w.extent) + w.c.n[2] + layers_beyond(w.c, 2, 1, 0, w.extent);
    const int n[3] = {tiles_across<tile>(w.c, 0, w.extent), tiles_across<tile>(w.c, 1, w.extent),
                      cuda_divided(depth, planes)};
    const struct tile_set tiles = {{n[0], n[1], n[2]}, {0, 0, 0}, {n[0], n[1], n[2]}, false};
    assert_true(emulated::run_grid(
        n, random, [&] { sweeps_kernel<tile>(w, tiles, planes); }, emulated::THREADS, LANES));
}

/* Cells that differ from `want` in the patch and `layers` more, and cells outside that were stored.
 * A thread may store a cell more in i. */
static long differences(const emulated::box &b, const values &got, const values &want, int layers)
{
    long wrong = 0;
    emulated::for_box(b, [&](const int p[3], long place) {
        const int even[3] = {p[0] & ~1, p[1], p[2]}, odd[3] = {p[0] | 1, p[1], p[2]};
        if (is_extended(b.c, p, layers))
            wrong += memcmp(&got[place], &want[place], sizeof(real)) != 0;
        else if (!is_extended(b.c, even, layers) && !is_extended(b.c, odd, layers))
            wrong += !std::isnan(got[place]);
    });
    return wrong;
}

static struct relaxation relaxation_of(enum smoother_kind kind, int sweep)
{
    struct relaxation r = {};
    r.reads_before = kind == LATER_STEPS || (kind == FIRST_STEPS && sweep > 0);
    r.update = r.reads_before ? UPDATE_TWO_STEP : UPDATE_WEIGHTED;
    r.weight = 0.6 + 0.1 * sweep;
    r.c1 = r.reads_before ? 0.2 + 0.1 * sweep : 0.0;
    return r;
}

template <class Op, int SWEEPS, bool TWO_STEP, bool STORED_WEIGHT>
static void check(const emulated::box &b, const struct sweeps_case &what)
{
    std::mt19937 random(b.size + what.planes);
    const struct coefficients a = make_coefficients(b, random);
    values u = make_values(b, random, -1.0, 1.0), zeros(b.size, 0.0),
           before = make_values(b, random, -1.0, 1.0), weight = make_values(b, random, 0.1, 0.3),
           out(b.size, (real)NAN), out_before = out;
    const auto first = [&](const values &x) { return x.data() + b.origin; };
    struct fv2_sweeps w = {};
    w.c = b.c;
    w.in = first(u);
    w.before = what.kind == LATER_STEPS ? first(before) : NULL;
    w.f = first(a.f);
    w.alpha = Op::VARIABLE && Op::HELMHOLTZ ? first(a.alpha) : NULL;
    w.beta_i = first(a.beta[0]);
    w.beta_j = first(a.beta[1]);
    w.beta_k = first(a.beta[2]);
    w.dinv = first(weight);
    w.out = out.data() + b.origin;
    w.out_before = TWO_STEP && !what.zero ? out_before.data() + b.origin : NULL;
    w.scale = a.scale;
    w.extent = what.extent;
    w.zero_guess = what.zero;
    for (int s = 0; s < SWEEPS; s++)
        w.sweeps[s] = relaxation_of(what.kind, s);
    if (what.zero)
        w.in = NULL;
    emulated::races = 0;
    run_kernel<sweep_tile<Op, SWEEPS, TWO_STEP, STORED_WEIGHT, TILE_ROWS>>(w, what.planes, random);
    assert_int_equal(emulated::races, 0);

    if (what.zero)
        u = zeros;
    values after = u;
    for (int s = 0; s < SWEEPS; s++) {
        const struct relaxation r = w.sweeps[s];
        emulated::for_box(b, [&](const int p[3], long place) {
            if (!is_extended(b.c, p, what.extent + SWEEPS - 1 - s))
                return;
            const real dinv =
                STORED_WEIGHT ? weight[place] : (real)1.0 / diagonal_at<Op>(b, a, p, zeros);
            const real residual = residual_at<Op>(b, a, u, p);
            after[place] = r.reads_before ? update_two_step(u[place], before[place], dinv, residual,
                                                            r.weight, r.c1)
                                          : update_weighted(u[place], dinv, residual, r.weight);
        });
        before = u;
        u = after;
    }
    assert_int_equal(differences(b, out, u, what.extent), 0);
    if (w.out_before)
        assert_int_equal(differences(b, out_before, before, what.extent + 1), 0);
}

template <class Op, int SWEEPS>
static void check_kind(const emulated::box &b, const struct sweeps_case &what)
{
    if (what.kind == RECOMPUTED)
        check<Op, SWEEPS, false, false>(b, what);
    else if (what.kind == STORED)
        check<Op, SWEEPS, false, true>(b, what);
    else
        check<Op, SWEEPS, true, false>(b, what);
}

static const enum smoother_kind kinds[] = {RECOMPUTED, STORED, FIRST_STEPS, LATER_STEPS};

/* Every mixture of sides on a patch of several tiles in j and k. */
static void test_mixtures(void **)
{
    const int n[3] = {8, 12, 8};
    for (int mixture = 0; mixture < NUM_SIDES * NUM_SIDES * NUM_SIDES; mixture++) {
        const enum ends sides[3] = {(enum ends)(mixture % NUM_SIDES),
                                    (enum ends)(mixture / NUM_SIDES % NUM_SIDES),
                                    (enum ends)(mixture / NUM_SIDES / NUM_SIDES)};
        const emulated::box b = make_patch(n, sides);
        const enum smoother_kind kind = kinds[(mixture + mixture / 5 + mixture / 25) % 4];
        check_kind<op_fv2, 2>(b, {kind, 4, mixture & 1, false});
        if (mixture % 2)
            check_kind<op_fv2_helmholtz, 2>(b, {kind, 8, 0, mixture % 4 == 1});
        else
            check_kind<op_fv2_helmholtz, 3>(b, {kind, 6, 0, false});
    }
}

static void test_neumann_walls(void **)
{
    each_neumann_mixture([](const enum ends sides[3], int mixture) {
        const int n[3] = {8, 12, 8}, long_rows[3] = {mixture % 3 ? 58 : 8, 6, 6};
        const enum smoother_kind kind = kinds[(mixture + mixture / 4) % 4];
        check_kind<op_fv2, 2>(make_patch(n, sides), {kind, 4, 0, false});
        check_kind<op_fv2_constant, 3>(make_patch(long_rows, sides), {kind, 6, 0, false});
        check_kind<op_fv2_constant_helmholtz, 2>(make_patch(n, sides), {kind, 8, 0, false});
    });
}

static void test_small_patches(void **)
{
    const enum ends walls[3] = {WALLS, WALLS, WALLS}, open[3] = {OPEN, OPEN, OPEN},
                    wrapped[3] = {WRAPPED, WRAPPED, WRAPPED};
    for (int dim = 6; dim <= 10; dim += 2)
        for (const enum smoother_kind kind : kinds) {
            const int n[3] = {dim, dim, dim};
            check_kind<op_fv2, 3>(make_patch(n, walls), {kind, dim == 8 ? 2 : dim, 0, false});
            check_kind<op_fv2_constant, 3>(make_patch(n, walls),
                                           {kind, dim, 0, kind < LATER_STEPS});
            check_kind<op_fv2_constant_helmholtz, 2>(make_patch(n, open), {kind, 4, 0, false});
            check_kind<op_fv2, 3>(make_patch(n, wrapped), {kind, dim, 0, false});
        }
}

/* Several tiles in i, and few of the last tile's columns on the patch. */
static void test_long_rows(void **)
{
    const enum ends walls[3] = {WALLS, WALLS, WALLS}, open[3] = {OPEN, WRAPPED, OPEN},
                    wrapped[3] = {WRAPPED, WALLS, WRAPPED};
    for (const int width : {54, 56, 58, 60, 62, 64, 122}) {
        const int n[3] = {width, 6, 6};
        check_kind<op_fv2, 3>(make_patch(n, walls), {kinds[width / 2 % 4], 6, 0, false});
        check_kind<op_fv2, 2>(make_patch(n, walls), {kinds[width / 4 % 4], 6, 0, false});
        check_kind<op_fv2, 3>(make_patch(n, wrapped), {kinds[width / 2 % 4], 4, 0, false});
        check_kind<op_fv2_helmholtz, 2>(make_patch(n, open), {RECOMPUTED, 4, 1, false});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_neumann_walls),
        cmocka_unit_test(test_small_patches),
        cmocka_unit_test(test_long_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
