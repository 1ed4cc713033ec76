/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of the fused red-black kernel of order 4 on emulated blocks: red cells, and black
 * cells that are not near walls in j and k, are bitwise those of the formulas; all other cells keep
 * their value; there are no races. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#include "cuda/fv4/gsrb_kernel.cuh"
#include "fv4_patch.h"

using namespace fv4;

/* Half of the tiles with `planes` planes per block, the others with two more. */
static struct wave_partition make_partition(int tiles, int n, int planes)
{
    return {tiles,
            cuda_divided(tiles, 2),
            {cuda_divided(n, planes), cuda_divided(n, planes + 2)},
            {planes, planes + 2}};
}

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
static void run_kernel(const struct fv4_gsrb &w, int planes, std::mt19937 &random)
{
    const bool zero = !w.in;
    const sources_of<tile> from = make_sources<tile>(w);
    const int tiles_i = cuda_divided(w.c.n[0], tile::CORE_WIDTH),
              tiles = tiles_i * cuda_divided(w.last[1] - w.first[1] - 1, tile::CORE_ROWS);
    const struct wave_partition waves = make_partition(tiles, w.c.n[2], planes);
    const struct block_partition partition = make_block_partition(waves, tiles_i);
    const auto kernel = [&] {
        zero ? gsrb_kernel<tile, true>(w, from, partition, 0)
             : gsrb_kernel<tile, false>(w, from, partition, 0);
    };
    const int grid[3] = {wave_partition_blocks(&waves), 1, 1};
    assert_true(emulated::run_grid(grid, random, kernel, tile::THREADS, tile::THREADS));
}

/* Sets both ghosts behind the walls in i of every row. */
static void fill_ends(const struct cells &c, real *u)
{
    for_cells(c, true, [&](int i, int, int, long place) {
        if (i == 0 && c.wall[0][0])
            put_ghosts_behind(c, 0, false, u + place, 1);
        if (i == c.n[0] - 1 && c.wall[0][1])
            put_ghosts_behind(c, 0, true, u + place, 1);
    });
}

/* The expected result, computed cell by cell. */
template <class Op>
static values expected(const emulated::box &b, const struct fv4_gsrb &w, const values &u)
{
    values after_red = u, after_both;
    for_cells(w.c, true, [&](int i, int j, int k, long place) {
        if (is_red(w, i, j, k))
            after_red[b.origin + place] = relaxed<Op>(w, u.data() + b.origin, i, j, k);
    });
    after_both = after_red;
    fill_ends(w.c, after_red.data() + b.origin);
    for_cells(w.c, false, [&](int i, int j, int k, long place) {
        if (!is_red(w, i, j, k) && !in_boundary_layer(w, j, k))
            after_both[b.origin + place] = relaxed<Op>(w, after_red.data() + b.origin, i, j, k);
    });
    return after_both;
}

enum { ALL_WALLS = 63 };

/* Of ghosts, none may have been stored. */
template <class tile>
static void check_tile(int n0, int n1, int n2, int planes, int colour, enum guess guess,
                       unsigned walls, unsigned neumann)
{
    using Op = typename tile::op;
    std::mt19937 random(n0 + n1 + n2 + colour);
    const emulated::box b = make_walled_box(n0, n1, n2, walls, neumann);
    struct fields x = make_fields(b, random);
    const struct fv4_gsrb w = make_pass<Op>(b, x, colour, guess);
    values want = x.out;
    const values computed = expected<Op>(b, w, x.u);
    for_cells(b.c, false, [&](int, int, int, long place) {
        want[b.origin + place] = computed[b.origin + place];
    });
    emulated::races = 0;
    run_kernel<tile>(w, planes, random);
    assert_memory_equal(x.out.data(), want.data(), want.size() * sizeof(real));
    assert_int_equal(emulated::races, 0);
}

/* With both mechanisms of copies and all sizes of tiles. */
template <class Op>
static void check(int n0, int n1, int n2, int planes, int colour, enum guess guess = ANY,
                  unsigned walls = ALL_WALLS, unsigned neumann = 0)
{
    check_tile<large_tile<Op>>(n0, n1, n2, planes, colour, guess, walls, neumann);
    check_tile<medium_tile<Op>>(n0, n1, n2, planes, colour, guess, walls, neumann);
    check_tile<small_tile<Op>>(n0, n1, n2, planes, colour, guess, walls, neumann);
}

static void test_whole_tiles(void **)
{
    check<op_fv4>(64, 16, 16, 16, 0);
    check<op_fv4>(128, 30, 20, 10, 1);
    check<op_fv4_helmholtz>(192, 16, 12, 12, 0);
}

static void test_tiles_that_are_not_full(void **)
{
    check<op_fv4>(68, 20, 16, 8, 1);
    check<op_fv4_helmholtz>(72, 20, 16, 8, 0);
    check<op_fv4>(76, 20, 16, 8, 1);
    check<op_fv4>(100, 20, 16, 8, 1);
    check<op_fv4>(132, 18, 10, 6, 0);
}

static void test_small_patches(void **)
{
    check<op_fv4>(8, 8, 8, 8, 0);
    check<op_fv4_helmholtz>(12, 12, 12, 4, 1);
    check<op_fv4>(16, 40, 8, 2, 1);
    check<op_fv4>(40, 16, 16, 6, 0);
}

static void test_from_zero(void **)
{
    check<op_fv4>(64, 16, 16, 16, 0, ZERO);
    check<op_fv4>(132, 30, 12, 6, 1, ZERO);
    check<op_fv4_helmholtz>(76, 20, 16, 8, 0, ZERO);
    check<op_fv4_helmholtz>(8, 8, 8, 8, 1, ZERO);
}

static void test_constant_coefficients(void **)
{
    check<op_fv4_constant>(64, 16, 16, 16, 0);
    check<op_fv4_constant_helmholtz>(132, 30, 12, 6, 1);
    check<op_fv4_constant>(12, 12, 12, 4, 1);
    check<op_fv4_constant>(76, 20, 16, 8, 0, ZERO);
    check<op_fv4_constant_helmholtz>(8, 8, 8, 8, 1, ZERO);
}

/* Rows with both ends in one warp, and with ends in different tiles. */
static void test_neumann_walls(void **)
{
    for (unsigned neumann = 1; neumann < 4; neumann++) {
        check<op_fv4>(12, 16, 8, 8, 0, ANY, ALL_WALLS, neumann);
        check<op_fv4_helmholtz>(68, 12, 8, 4, 1, ANY, 23, neumann);
        check<op_fv4>(40, 12, 8, 8, 1, ZERO, ALL_WALLS, neumann | 60);
        check<op_fv4_constant>(76, 20, 8, 8, 0, ANY, 3, neumann);
        check<op_fv4_constant_helmholtz>(8, 8, 8, 8, 0, ZERO, ALL_WALLS, neumann);
    }
}

/* With tiles that end before the patch does, or with it, in i and in j. */
static void test_open_sides(void **)
{
    for (unsigned walls = 0; walls < ALL_WALLS; walls += 3) {
        const int odd = walls % 2, high = walls / 2 % 2;
        check<op_fv4_constant>(odd ? 64 : 12, high ? 14 : 16, 8, 4 + 2 * odd, high, ANY, walls);
    }
    for (const unsigned walls : {0u, 1u, 6u, 24u, 41u, 62u}) {
        check<op_fv4>(68, 28, 12, 6, 0, ANY, walls);
        check<op_fv4_helmholtz>(128, 12, 8, 8, 1, ANY, walls);
        check<op_fv4>(60, 16, 8, 4, 1, ZERO, walls);
    }
}

/* Fills the ghosts that wanted(outside) tells as images of cells, and the others with NaN. */
template <class Wanted>
static void wrap(const emulated::box &b, values &x, const Wanted &wanted)
{
    emulated::for_box(b, [&](const int p[3], long place) {
        const struct cells &c = b.c;
        const struct emulated::outside o = emulated::outside_of(c, p);
        const long image = b.origin + (p[0] + c.n[0]) % c.n[0] + (p[1] + c.n[1]) % c.n[1] * c.sj +
                           (p[2] + c.n[2]) % c.n[2] * c.sk;
        x[place] = o.directions == 0 || wanted(o) ? x[image] : (real)NAN;
    });
}

static bool everywhere(const struct emulated::outside &)
{
    return true;
}

static bool on_sides(const struct emulated::outside &o)
{
    return o.directions == 1 && o.layers == 1;
}

static bool within_reach(const struct emulated::outside &o)
{
    return o.layers <= REACH + 1 - o.directions;
}

/* The expected result on a patch that is its own neighbour, by one sweep after the other. */
template <class Op>
static values expected_wrapped(const emulated::box &b, const struct fv4_gsrb &w, const values &u)
{
    values before = u, after = u;
    for (const bool red : {true, false}) {
        wrap(b, before, everywhere);
        for_cells(w.c, false, [&](int i, int j, int k, long place) {
            if (is_red(w, i, j, k) == red)
                after[b.origin + place] = relaxed<Op>(w, before.data() + b.origin, i, j, k);
        });
        before = after;
    }
    return after;
}

template <class tile>
static void check_wrapped_tile(int n0, int n1, int n2, int planes, int colour, enum guess guess)
{
    using Op = typename tile::op;
    std::mt19937 random(n0 + n1 + n2 + colour);
    emulated::box b = make_walled_box(n0, n1, n2, 0);
    std::fill_n(b.c.wrap, 3, true);
    struct fields x = make_fields(b, random);
    for (values *coefficient : {&x.alpha, &x.beta_i, &x.beta_j, &x.beta_k})
        wrap(b, *coefficient, everywhere);
    const struct fv4_gsrb w = make_pass<Op>(b, x, colour, guess);
    values want = x.out;
    const values computed = expected_wrapped<Op>(b, w, x.u);
    for_cells(b.c, false, [&](int, int, int, long place) {
        want[b.origin + place] = computed[b.origin + place];
    });
    wrap(b, x.u, within_reach);
    wrap(b, x.f, on_sides);
    x.dinv.assign(x.dinv.size(), (real)NAN);
    emulated::races = 0;
    run_kernel<tile>(w, planes, random);
    assert_memory_equal(x.out.data(), want.data(), want.size() * sizeof(real));
    assert_int_equal(emulated::races, 0);
}

template <class Op>
static void check_wrapped(int n0, int n1, int n2, int planes, int colour, enum guess guess = ANY)
{
    check_wrapped_tile<large_tile<Op>>(n0, n1, n2, planes, colour, guess);
    check_wrapped_tile<medium_tile<Op>>(n0, n1, n2, planes, colour, guess);
    check_wrapped_tile<small_tile<Op>>(n0, n1, n2, planes, colour, guess);
}

static void test_wrapped_sides(void **)
{
    check_wrapped<op_fv4>(8, 8, 8, 8, 0);
    check_wrapped<op_fv4>(68, 28, 12, 6, 1);
    check_wrapped<op_fv4_helmholtz>(64, 16, 8, 4, 0);
    check_wrapped<op_fv4_helmholtz>(12, 12, 8, 4, 1, ZERO);
    check_wrapped<op_fv4_constant>(132, 16, 12, 6, 1);
    check_wrapped<op_fv4_constant_helmholtz>(12, 12, 12, 4, 0);
}

/* The inner part runs before ghosts beyond open sides are there. */
template <class tile>
static void check_parts(int n0, int n1, int n2, int planes, unsigned walls, unsigned wrapped = 0)
{
    using Op = typename tile::op;
    std::mt19937 random(n0);
    emulated::box b = make_walled_box(n0, n1, n2, walls);
    for (int d = 0; d < 3; d++)
        b.c.wrap[d] = wrapped >> d & 1;
    struct fields x = make_fields(b, random);
    struct fv4_gsrb w = make_pass<Op>(b, x, 0, ANY);
    run_kernel<tile>(w, planes, random);
    const values want = x.out, u = x.u, f = x.f;
    x.out.assign(x.out.size(), (real)NAN);
    emulated::for_box(b, [&](const int p[3], long place) {
        const struct emulated::outside o = emulated::outside_of(b.c, p);
        if (o.directions > o.closed)
            x.u[place] = x.f[place] = (real)NAN;
    });
    w.region = REGION_INTERIOR;
    run_kernel<tile>(w, planes, random);
    assert_memory_not_equal(x.out.data(), want.data(), want.size() * sizeof(real));
    x.u = u;
    x.f = f;
    w.region = REGION_BOUNDARY;
    run_kernel<tile>(w, planes, random);
    assert_memory_equal(x.out.data(), want.data(), want.size() * sizeof(real));
}

static void test_parts(void **)
{
    check_parts<large_tile<op_fv4_constant>>(200, 16, 8, 8, 60);
    check_parts<medium_tile<op_fv4>>(64, 48, 24, 4, 3);
    check_parts<large_tile<op_fv4_constant>>(200, 16, 8, 8, 0, 6);
}

/* Blocks that begin and end two cells before an open side, and so still read ghosts beyond it. */
static void test_parts_near_ghosts(void **)
{
    check_parts<large_tile<op_fv4_constant>>(64, 16, 16, 2, 15);
    check_parts<small_tile<op_fv4>>(64, 2 * small_tile<op_fv4>::CORE_ROWS + 2, 8, 8, 51);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_tiles),
        cmocka_unit_test(test_tiles_that_are_not_full),
        cmocka_unit_test(test_small_patches),
        cmocka_unit_test(test_from_zero),
        cmocka_unit_test(test_constant_coefficients),
        cmocka_unit_test(test_neumann_walls),
        cmocka_unit_test(test_open_sides),
        cmocka_unit_test(test_wrapped_sides),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_parts_near_ghosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
