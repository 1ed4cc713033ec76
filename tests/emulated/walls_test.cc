/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghosts behind walls, the source of the kernels that store them: those that are asked for have the
 * bits of the rule applied in i, then in j, then in k; nothing else changes. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
#include "level/level.h"
#include "operators/passes.h"
}
struct cells cells_of(const struct patch *patch);
#include "cuda/boundary/walls.cu"
#include "patch.h"

using emulated::outside;

struct cells cells_of(const struct patch *)
{
    fail_msg("no level here");
    return {};
}

/* The value at p of a field whose cells inside, and beyond sides without walls, are there. */
static double value_at(const struct cells &c, const double *x, int rule, const int p[3], int d)
{
    if (d < 0)
        return x[p[0] + p[1] * c.sj + p[2] * c.sk];
    const bool low = p[d] < 0 && c.wall[d][0], high = p[d] >= c.n[d] && c.wall[d][1];
    if (!low && !high)
        return value_at(c, x, rule, p, d - 1);
    double v[4] = {};
    for (int m = 0; m < rule; m++) {
        int inward[3] = {p[0], p[1], p[2]};
        inward[d] = low ? m : c.n[d] - 1 - m;
        v[m] = value_at(c, x, rule, inward, d - 1);
    }
    const int layer = low ? -1 - p[d] : p[d] - c.n[d];
    if (layer > 0)
        return rule == 4 ? wall_quartic_second(v[0], v[1], v[2], v[3]) : 0.0;
    return rule == 4   ? wall_quartic(v[0], v[1], v[2], v[3])
           : rule == 2 ? wall_quadratic(v[0], v[1])
                       : wall_linear(v[0]);
}

/* Fills a random field by fill(c, x) and compares all of it; wanted(outside) says which ghosts. */
template <class Fill, class Wanted>
static void check(const emulated::box &b, int rule, const Fill &fill, const Wanted &wanted)
{
    std::mt19937 random(b.c.n[0] + rule);
    const emulated::field before = emulated::random_field(b, random, -1.0, 1.0);
    emulated::field after = before;
    long wrong = 0, filled = 0;
    fill(b.c, after.data() + b.origin);
    emulated::for_box(b, [&](const int p[3], long place) {
        const struct outside o = emulated::outside_of(b.c, p);
        const bool is_wanted = o.walls > 0 && wanted(o);
        const double want =
            is_wanted ? value_at(b.c, before.data() + b.origin, rule, p, 2) : before[place];
        filled += is_wanted;
        wrong += memcmp(&want, &after[place], sizeof want) != 0;
    });
    assert_int_equal(wrong, 0);
    assert_true(filled > 0);
}

static emulated::box walled_box(int n0, int n1, int n2, unsigned walls)
{
    emulated::box b = emulated::make_box(n0, n1, n2);
    for (int side = 0; side < 6; side++)
        b.c.wall[side / 2][side % 2] = walls >> side & 1;
    return b;
}

enum { ALL_WALLS = 63 };

static void test_stars(void **)
{
    for (const int rule : {1, 2, 4})
        for (int layers = 1; layers <= 2; layers++)
            check(
                walled_box(8, 6, rule == 2 ? 5 : 4, ALL_WALLS), rule,
                [&](const struct cells &c, double *x) { cuda_walls_star(c, x, rule, layers); },
                [&](const struct outside &o) {
                    return (o.directions == 1 && o.layers <= layers) ||
                           (o.directions == 2 && layers == 2 && o.layers == 1);
                });
}

static void test_shells(void **)
{
    for (const int rule : {1, 2, 4})
        for (int layers = 1; layers <= 2; layers++)
            for (const unsigned walls : {ALL_WALLS + 0u, 1u, 6u, 42u, 61u})
                check(
                    walled_box(6, 4, 5, walls), rule,
                    [&](const struct cells &c, double *x) {
                        cuda_walls(c, x, rule, layers, layers, PART_ALL);
                    },
                    [&](const struct outside &o) { return o.layers <= layers; });
}

/* Whether the place lies in the halo of a side without a wall. */
static bool beyond_open_side(const struct cells &c, const int p[3])
{
    for (int d = 0; d < 3; d++)
        if ((p[d] < 0 && !c.wall[d][0]) || (p[d] >= c.n[d] && !c.wall[d][1]))
            return true;
    return false;
}

/* Fills a random field by fill(c, x); wanted(p) says which places may change, and all of them do.
 */
template <class Fill, class Wanted>
static void check_places(const emulated::box &b, const Fill &fill, const Wanted &wanted)
{
    std::mt19937 random(b.c.n[1]);
    const emulated::field before = emulated::random_field(b, random, -1.0, 1.0);
    emulated::field after = before;
    fill(b.c, after.data() + b.origin);
    emulated::for_box(b, [&](const int p[3], long place) {
        const bool changed = memcmp(&before[place], &after[place], sizeof after[place]) != 0;
        assert_int_equal(changed, wanted(p));
    });
}

/* Ghosts that follow from halos are the outer part's, the others the inner part's. Each direction
 * has open sides in turn. */
static void test_parts(void **)
{
    for (const enum pass_part part : {PART_INNER, PART_OUTER})
        for (const unsigned walls : {3u, 12u, 48u, 1u, 4u, 16u, 21u, 62u}) {
            const emulated::box b = walled_box(6, 4, 5, walls);
            check_places(
                b, [&](const struct cells &c, double *x) { cuda_walls(c, x, 4, 2, 2, part); },
                [&](const int p[3]) {
                    const struct outside o = emulated::outside_of(b.c, p);
                    return o.walls > 0 && o.layers <= 2 &&
                           beyond_open_side(b.c, p) == (part == PART_OUTER);
                });
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stars),
        cmocka_unit_test(test_shells),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
