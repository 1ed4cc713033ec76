/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghosts behind walls, the source of the kernels that store them, for all sets of walls, rules and
 * layers: the ghosts asked for are bitwise identical to the rule applied in i, then in j, then in
 * k, and to the CPU's; nothing else changes. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
#include "level/level.h"
#include "operators/cpu.h"
}
struct cells cells_of(const struct patch *patch);
#include "cuda/boundary/walls.cu"
#include "patch.h"
#pragma GCC diagnostic ignored "-Wunused-variable" /* of loops with threads */
extern "C" {
#include "operators/cpu_walls.c"
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

/* Fills a random field by fill(c, x) and compares all of it; wanted(outside) says which ghosts
 * behind walls. Returns how many these are. */
template <class Fill, class Wanted>
static long check(const emulated::box &b, int rule, const Fill &fill, const Wanted &wanted)
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
    return filled;
}

static emulated::box walled_box(int n0, int n1, int n2, unsigned walls)
{
    emulated::box b = emulated::make_box(n0, n1, n2);
    for (int side = 0; side < 6; side++)
        b.c.wall[side / 2][side % 2] = walls >> side & 1;
    return b;
}

/* Calls act(walls, rule, layers) for all of them. */
template <class Do>
static void for_cases(int most_layers, const Do &act)
{
    for (unsigned walls = 1; walls < 64; walls++)
        for (const int rule : {1, 2, 4})
            for (int layers = 1; layers <= (rule == 4 ? 2 : most_layers); layers++)
                act(walls, rule, layers);
}

static void test_stars(void **)
{
    for_cases(2, [](unsigned walls, int rule, int layers) {
        const long filled = check(
            walled_box(8, 6, rule == 2 ? 5 : 4, walls), rule,
            [&](const struct cells &c, double *x) { cuda_walls_star(c, x, rule, layers); },
            [&](const struct outside &o) {
                return (o.directions == 1 && o.layers <= layers) ||
                       (o.directions == 2 && layers == 2 && o.layers == 1);
            });
        assert_true(filled > 0);
    });
}

/* Ghosts that follow from halos are the outer part, the others the inner part. */
static void test_shells(void **)
{
    for_cases(3, [](unsigned walls, int rule, int layers) {
        const int ghosts = layers + walls % 2;
        for (const enum pass_part part : {PART_ALL, PART_INNER, PART_OUTER}) {
            const long filled = check(
                walled_box(5 + walls % 2, 4, 7, walls), rule,
                [&](const struct cells &c, double *x) {
                    cuda_walls(c, x, rule, layers, ghosts, part);
                },
                [&](const struct outside &o) {
                    const bool outer = o.directions > o.walls;
                    return o.wall_layers <= layers && o.layers <= ghosts &&
                           (part == PART_ALL || outer == (part == PART_OUTER));
                });
            assert_int_equal(filled > 0, part != PART_OUTER || walls != 63);
        }
    });
}

static void test_cpu(void **)
{
    for_cases(2, [](unsigned walls, int rule, int layers) {
        const emulated::box b = walled_box(4, 7, 5, walls);
        std::mt19937 random(walls);
        emulated::field of_gpu = emulated::random_field(b, random, -1.0, 1.0), of_cpu = of_gpu;
        double *fields[NUM_FIELDS] = {};
        struct patch p = {};
        struct level l = {};
        std::copy_n(b.c.n, 3, p.n);
        memcpy(p.wall, b.c.wall, sizeof p.wall);
        p.offset = b.origin;
        p.sj = b.c.sj;
        p.sk = b.c.sk;
        l.ghosts = layers;
        l.npatches = 1;
        l.patches = &p;
        fields[FIELD_U] = of_cpu.data();
        l.fields = fields;
        walls_fill(&l, FIELD_U, rule, layers);
        cuda_walls(b.c, of_gpu.data() + b.origin, rule, layers, layers, PART_ALL);
        assert_memory_equal(of_cpu.data(), of_gpu.data(), b.size * sizeof(double));
    });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stars),
        cmocka_unit_test(test_shells),
        cmocka_unit_test(test_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
