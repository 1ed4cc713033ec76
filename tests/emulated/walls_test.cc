/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghosts behind walls and around wrapped directions, the source of the kernels that store them, for
 * all sets of sides, kinds of walls, rules and layers: the ghosts asked for are bitwise identical
 * to the rule applied in i, then in j, then in k, and to the CPU's; nothing else changes. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#pragma GCC diagnostic ignored "-Wshadow" /* in C a struct and a function may share a name */
extern "C" {
#include <cmocka.h>
#include "level/level.h"
#include "cpu/operations.h"
}
#include "level/ghosts.h"
struct cells cells_of(const struct patch *patch);
#include "cuda/boundary/walls.cu"
#include "patch.h"
#pragma GCC diagnostic ignored "-Wunused-variable" /* of loops with threads */
#pragma GCC diagnostic ignored "-Wpedantic"        /* C's compound literals */
extern "C" {
#include "cpu/walls.c"
}

using emulated::outside;

struct cells cells_of(const struct patch *)
{
    fail_msg("no level here");
    return {};
}

int cpu_threads(long)
{
    return 1;
}

static unsigned neumann; /* bit by bit the sides whose walls are Neumann walls */

static void copy_walls(const struct cells &c, enum wall wall[3][2])
{
    for (int side = 0; side < 6; side++)
        wall[side / 2][side % 2] = (enum wall)c.wall[side / 2][side % 2];
}

static void store(const struct cells &c, real *x, int rule, const struct ghost_depths &depths,
                  enum pass_region region)
{
    enum wall wall[3][2];
    copy_walls(c, wall);
    cuda_store_ghosts(c, x, ghost_list_of(c.n, wall, c.wrap, &depths),
                      emulated::weights_of(c, rule), region);
}

static struct ghost_depths star(int layers)
{
    return {layers, layers - 1, layers - 2, 0};
}

/* The value at p of a field whose cells inside, and beyond sides without walls, are there. */
static real value_at(const struct cells &c, const real *x, int rule, const int p[3], int d)
{
    if (d < 0)
        return x[p[0] + p[1] * c.sj + p[2] * c.sk];
    const bool low = p[d] < 0 && c.wall[d][0], high = p[d] >= c.n[d] && c.wall[d][1];
    if (c.wrap[d]) {
        int around[3] = {p[0], p[1], p[2]};
        around[d] = (p[d] + emulated::MARGIN * c.n[d]) % c.n[d];
        return value_at(c, x, rule, around, d - 1);
    }
    if (!low && !high)
        return value_at(c, x, rule, p, d - 1);
    real v[4] = {};
    for (int m = 0; m < rule; m++) {
        int inward[3] = {p[0], p[1], p[2]};
        inward[d] = low ? m : c.n[d] - 1 - m;
        v[m] = value_at(c, x, rule, inward, d - 1);
    }
    return wall_ghost(c.wall[d][high], rule, low ? -1 - p[d] : p[d] - c.n[d], v);
}

/* Fills a random field by fill(c, x) and compares all of it; wanted(outside) says which ghosts of
 * those that are not all the halo's. Returns how many these are. */
template <class Fill, class Wanted>
static long check(const emulated::box &b, int rule, const Fill &fill, const Wanted &wanted)
{
    std::mt19937 random(b.c.n[0] + rule);
    const emulated::values before = emulated::random_field(b, random, -1.0, 1.0);
    emulated::values after = before;
    long wrong = 0, filled = 0;
    fill(b.c, after.data() + b.origin);
    emulated::for_box(b, [&](const int p[3], long place) {
        const struct outside o = emulated::outside_of(b.c, p);
        const bool is_wanted = o.closed > 0 && wanted(o);
        const real want =
            is_wanted ? value_at(b.c, before.data() + b.origin, rule, p, 2) : before[place];
        filled += is_wanted;
        wrong += memcmp(&want, &after[place], sizeof want) != 0;
    });
    assert_int_equal(wrong, 0);
    return filled;
}

/* Bits 0 to 5 of `sides` are walls, bits 6 to 8 wrapped directions. */
static emulated::box closed_box(int n0, int n1, int n2, unsigned sides)
{
    emulated::box b = emulated::make_box(n0, n1, n2);
    for (int side = 0; side < 6; side++)
        b.c.wall[side / 2][side % 2] = !(sides >> side & 1)  ? NO_WALL
                                       : neumann >> side & 1 ? WALL_NEUMANN
                                                             : WALL_DIRICHLET;
    for (int d = 0; d < 3; d++)
        b.c.wrap[d] = sides >> (6 + d) & 1;
    return b;
}

enum { ALL_WALLS = 0x3f, ALL_WRAPPED = 0x1c0 };

/* A direction has walls or is wrapped. */
static bool is_possible(unsigned sides)
{
    bool possible = true;
    for (int d = 0; d < 3; d++)
        possible = possible && !((sides >> (6 + d) & 1) && (sides >> (2 * d) & 3));
    return possible;
}

static bool has_open_side(unsigned sides)
{
    bool open = false;
    for (int side = 0; side < 6; side++)
        open = open || !((sides >> side & 1) || (sides >> (6 + side / 2) & 1));
    return open;
}

/* Calls act(sides, rule, layers) for all of them. */
template <class Do>
static void for_cases(unsigned last, int max_layers, const Do &act)
{
    for (unsigned sides = 1; sides <= last; neumann = (5 * ++sides) & ALL_WALLS)
        for (const int rule : {WALL_LINEAR, WALL_QUADRATIC, WALL_QUARTIC})
            for (int layers = 1; layers <= (rule == WALL_QUARTIC ? 2 : max_layers); layers++)
                if (is_possible(sides))
                    act(sides, rule, layers);
}

/* A star of ghosts that do not follow from halos. */
static void test_stars(void **)
{
    for_cases(ALL_WRAPPED, 3, [](unsigned sides, int rule, int layers) {
        const long filled = check(
            closed_box(8, 6, rule == WALL_QUADRATIC ? 5 : 4, sides), rule,
            [&](const struct cells &c, real *x) { store(c, x, rule, star(layers), REGION_ALL); },
            [&](const struct outside &o) {
                return o.directions == o.closed && o.layers <= layers + 1 - o.directions;
            });
        assert_true(filled > 0);
    });
}

/* The order-4 kernels ask for one layer more in wrapped directions than the wall rule has. */
static void test_deep_star(void **)
{
    check(
        closed_box(8, 6, 4, ALL_WRAPPED), WALL_QUARTIC,
        [](const struct cells &c, real *x) { store(c, x, WALL_QUARTIC, star(3), REGION_ALL); },
        [](const struct outside &o) { return o.layers <= 4 - o.directions; });
}

/* Walls, and edges of wrapped directions, are left alone. */
static void test_wrapped_sides(void **)
{
    for (unsigned sides = 0; sides <= ALL_WRAPPED; sides++)
        if (is_possible(sides)) {
            const emulated::box b = closed_box(6, 5, 4, sides);
            check(b, WALL_QUARTIC, cuda_wrap_sides, [&](const struct outside &o) {
                return o.directions == 1 && o.layers == 1 && o.wall_layers == 0;
            });
        }
}

/* Ghosts that follow from halos are the boundary region, the others the interior. */
static void test_shells(void **)
{
    for_cases(ALL_WRAPPED, 3, [](unsigned sides, int rule, int layers) {
        const int ghosts = layers + (sides > ALL_WALLS ? 0 : sides % 2);
        for (const enum pass_region region : {REGION_ALL, REGION_INTERIOR, REGION_BOUNDARY}) {
            const long filled = check(
                closed_box(5 + sides % 2, 4, 7, sides), rule,
                [&](const struct cells &c, real *x) {
                    store(c, x, rule, {layers, layers, layers, ghosts}, region);
                },
                [&](const struct outside &o) {
                    const bool outer = o.directions > o.closed;
                    return o.wall_layers <= layers && o.layers <= ghosts &&
                           (region == REGION_ALL || outer == (region == REGION_BOUNDARY));
                });
            assert_int_equal(filled > 0, region != REGION_BOUNDARY || has_open_side(sides));
        }
    });
}

/* A halo deeper than the patch has cells. */
static void test_few_cells(void **)
{
    for (int n = 1; n <= 3; n++)
        check(
            closed_box(n, 4 - n, 2, ALL_WRAPPED), WALL_LINEAR,
            [](const struct cells &c, real *x) {
                store(c, x, WALL_LINEAR, {3, 3, 3, 3}, REGION_ALL);
            },
            [](const struct outside &o) { return o.layers <= 3; });
}

/* By the quartic rule the CPU fills two layers whenever one is asked for. */
static void test_cpu(void **)
{
    for_cases(ALL_WALLS, 2, [](unsigned walls, int rule, int layers) {
        if (rule == WALL_QUARTIC && layers == 1)
            return;
        const emulated::box b = closed_box(4, 7, 5, walls);
        std::mt19937 random(walls);
        emulated::values of_gpu = emulated::random_field(b, random, -1.0, 1.0), of_cpu = of_gpu;
        real *fields[NUM_FIELDS] = {};
        struct patch p = {};
        struct level l = {};
        bool own_order[NUM_FIELDS] = {};
        std::copy_n(b.c.n, 3, p.n);
        copy_walls(b.c, p.wall);
        p.offset = b.origin;
        p.sj = b.c.sj;
        p.sk = b.c.sk;
        l.ghosts = layers;
        l.npatches = 1;
        l.patches = &p;
        fields[FIELD_U] = of_cpu.data();
        l.fields = fields;
        l.own_order = own_order;
        const struct wall_weights weights = emulated::weights_of(b.c, rule);
        walls_fill(&l, FIELD_U, &weights, layers);
        store(b.c, of_gpu.data() + b.origin, rule, {layers, layers, layers, layers}, REGION_ALL);
        assert_memory_equal(of_cpu.data(), of_gpu.data(), b.size * sizeof(real));
    });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stars),         cmocka_unit_test(test_deep_star),
        cmocka_unit_test(test_wrapped_sides), cmocka_unit_test(test_shells),
        cmocka_unit_test(test_few_cells),     cmocka_unit_test(test_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
