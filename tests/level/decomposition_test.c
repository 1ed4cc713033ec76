/* SPDX-License-Identifier: BSD-3-Clause */
/* The Morton curve, how boxes are distributed and merged, and the chain of coarser specs. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/memory.h"
#include "level/decomposition.h"
#include "support/random.h"

enum { CASES = 1000, LARGEST_SIDE = 24, MAX_LEVELS = 32 };

/* --- one decomposition --- */

/* Owner of each box before merging: unit[i + n[0]·(j + n[1]·k)], or -1. */
struct units {
    int n[3];
    int owner[LARGEST_SIDE * LARGEST_SIDE * LARGEST_SIDE];
};

static int *unit(struct units *u, int i, int j, int k)
{
    return &u->owner[i + u->n[0] * (j + u->n[1] * k)];
}

static void mark_units(struct units *u, struct box b, int owner, const int side[3])
{
    for (int k = b.lo[2] / side[2]; k < b.hi[2] / side[2]; k++)
        for (int j = b.lo[1] / side[1]; j < b.hi[1] / side[1]; j++)
            for (int i = b.lo[0] / side[0]; i < b.hi[0] / side[0]; i++) {
                EXPECT(*unit(u, i, j, k) == -1);
                *unit(u, i, j, k) = owner;
            }
}

/* Every unit is in exactly one box. Boxes are cuboids of whole units, sorted by owner. */
static void expect_cover(const struct decomposition *d, struct decomposition_spec spec,
                         struct units *u)
{
    const int *side = spec.box_cells;
    struct box domain = {{0, 0, 0}, {0, 0, 0}};
    long cells = 0;
    memcpy(u->n, spec.boxes, sizeof u->n);
    for (int b = 0; b < spec_boxes(&spec); b++)
        u->owner[b] = -1;
    for (int e = 0; e < 3; e++) {
        domain.hi[e] = spec.boxes[e] * side[e];
        EXPECT(d->n[e] == domain.hi[e]);
    }
    for (int b = 0; b < d->nboxes; b++) {
        const struct box box = d->boxes[b];
        EXPECT(box_contains(domain, box) && !box_is_empty(box));
        for (int e = 0; e < 3; e++)
            EXPECT(box.lo[e] % side[e] == 0 && box.hi[e] % side[e] == 0);
        EXPECT(b == 0 || d->owner[b - 1] <= d->owner[b]);
        mark_units(u, box, d->owner[b], side);
        cells += box_cells(box);
    }
    EXPECT(cells == box_cells(domain));
}

/* Coordinate number d (0 = i) of the unit with this code. */
static int decode(unsigned long code, int d)
{
    int value = 0;
    for (int bit = 0; bit < 8; bit++)
        value |= (int)(code >> (3 * bit + d) & 1) << bit;
    return value;
}

static long count_owned(const struct units *u, int rank)
{
    long count = 0;
    for (int b = 0; b < u->n[0] * u->n[1] * u->n[2]; b++)
        count += u->owner[b] == rank;
    return count;
}

/* Owners increase along the curve, pieces differ by at most one unit, and piece p is on
 * rank p·world/ranks. */
static void expect_distributed(struct units *u, struct decomposition_spec spec, int world)
{
    const int *n = u->n, count = n[0] * n[1] * n[2];
    int piece = 0, last = 0;
    EXPECT(*unit(u, 0, 0, 0) == 0);
    for (unsigned long code = 0; code < 8ul * 8 * 8 * 8 * 8; code++) {
        const int i = decode(code, 0), j = decode(code, 1), k = decode(code, 2);
        if (i >= n[0] || j >= n[1] || k >= n[2])
            continue;
        const int owner = *unit(u, i, j, k);
        EXPECT(owner >= last);
        piece += owner != last;
        EXPECT(owner == (int)((long)piece * world / spec.ranks));
        if (owner != last || code == 0) {
            const long owned = count_owned(u, owner);
            EXPECT(owned == count / spec.ranks || owned == (count - 1) / spec.ranks + 1);
        }
        last = owner;
    }
    EXPECT(piece == spec.ranks - 1);
}

static bool joinable(struct box a, struct box b)
{
    int differing = 0;
    bool meet = false;
    for (int d = 0; d < 3; d++) {
        differing += a.lo[d] != b.lo[d] || a.hi[d] != b.hi[d];
        meet = meet || a.hi[d] == b.lo[d] || b.hi[d] == a.lo[d];
    }
    return differing == 1 && meet;
}

/* The last pass merges along k: no two boxes may be joinable there. */
static void expect_merged(const struct decomposition *d)
{
    for (int a = 0; a < d->nboxes; a++)
        for (int b = a + 1; b < d->nboxes && d->owner[b] == d->owner[a]; b++)
            EXPECT(!joinable(d->boxes[a], d->boxes[b]) || (d->boxes[a].lo[2] == d->boxes[b].lo[2] &&
                                                           d->boxes[a].hi[2] == d->boxes[b].hi[2]));
}

static void expect_decomposition(struct decomposition_spec spec, int world)
{
    static struct units units;
    struct decomposition d = decomposition_create(spec, world);
    expect_cover(&d, spec, &units);
    expect_distributed(&units, spec, world);
    expect_merged(&d);
    decomposition_destroy(&d);
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Half of them are cubes. */
static struct decomposition_spec random_spec(int most, int max_cells)
{
    struct decomposition_spec spec = spec_cube(random_int(1, most), random_int(1, max_cells), 1);
    for (int d = random_bool() ? 3 : 0; d < 3; d++) {
        spec.boxes[d] = random_int(1, most);
        spec.box_cells[d] = random_int(1, max_cells);
    }
    return spec;
}

static void boxes_are_distributed_evenly(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        struct decomposition_spec spec = random_spec(random_int(0, 9) ? 6 : 12, 64);
        const int boxes = (int)spec_boxes(&spec);
        const int world = random_int(1, random_bool() ? 8 : 3 * boxes);
        spec.ranks = random_bool() ? smaller(world, boxes) : random_int(1, smaller(world, boxes));
        expect_decomposition(spec, world);
    }
}

/* Prime numbers of ranks. */
static void primes_are_distributed_evenly(void **state)
{
    (void)state;
    const int primes[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29,
                          31, 37, 41, 43, 47, 53, 59, 61, 97, 127};
    for (size_t p = 0; p < sizeof primes / sizeof *primes; p++) {
        random_begin((long)p);
        for (int n = 1; n <= 7; n++)
            expect_decomposition(spec_cube(n, 8, smaller(primes[p], n * n * n)), primes[p]);
    }
}

/* Aligned groups of 2^m consecutive codes are cuboids: one box per rank. */
static void powers_of_two_have_one_box_a_rank(void **state)
{
    (void)state;
    for (int n = 1; n <= 16; n *= 2)
        for (int ranks = 1; ranks <= n * n * n; ranks *= 2) {
            random_begin(ranks);
            struct decomposition d = decomposition_create(spec_cube(n, 16, ranks), ranks);
            EXPECT(d.nboxes == ranks);
            for (int b = 0; b < d.nboxes; b++)
                EXPECT(d.owner[b] == b && box_cells(d.boxes[b]) == 4096l * n * n * n / ranks);
            decomposition_destroy(&d);
        }
}

/* --- coarser levels --- */

static void expect_spec(struct decomposition_spec spec, struct decomposition_spec wanted)
{
    assert_true(extent_equal(spec.boxes, wanted.boxes));
    assert_true(extent_equal(spec.box_cells, wanted.box_cells));
    assert_int_equal(spec.ranks, wanted.ranks);
}

/* The boxes of a level, coarsened to n cells. */
static void expect_coarsened(const struct decomposition *fine, const int n[3])
{
    struct decomposition coarse = decomposition_coarsen(fine, n);
    EXPECT(extent_equal(coarse.n, n) && coarse.nboxes == fine->nboxes);
    for (int b = 0; b < fine->nboxes; b++) {
        for (int d = 0; d < 3; d++) {
            const int ratio = fine->n[d] / n[d];
            EXPECT(ratio * coarse.boxes[b].lo[d] == fine->boxes[b].lo[d]);
            EXPECT(ratio * coarse.boxes[b].hi[d] == fine->boxes[b].hi[d]);
        }
        EXPECT(coarse.owner[b] == fine->owner[b]);
    }
    EXPECT(!decomposition_equal(&coarse, fine));
    decomposition_destroy(&coarse);
}

static bool owns(const struct decomposition *d, int rank)
{
    int low = 0, high = d->nboxes; /* owners are sorted */
    while (low < high) {
        const int middle = (low + high) / 2;
        if (d->owner[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->nboxes && d->owner[low] == rank;
}

/* Each direction is halved or stays, and one at least is halved. */
static void expect_step(const struct decomposition *fine, const struct decomposition *coarse)
{
    int halved = 0;
    for (int d = 0; d < 3; d++) {
        EXPECT(coarse->n[d] == fine->n[d] || 2 * coarse->n[d] == fine->n[d]);
        halved += coarse->n[d] != fine->n[d];
    }
    EXPECT(halved > 0);
    expect_coarsened(fine, coarse->n);
    for (int b = 0; b < coarse->nboxes; b++)
        EXPECT(owns(fine, coarse->owner[b]));
}

/* The rule of spec_coarsen() once more, by numbers of cells alone: halves n and returns true, or
 * false. Sides are whole numbers. */
static bool halve(int n[3], int side[3], struct min_cells least)
{
    int half[3] = {n[0], n[1], n[2]}, shortest = INT_MAX, able = 0, longest = 0;
    bool can[3];
    for (int d = 0; d < 3; d++) {
        const int a = side[(d + 1) % 3], b = side[(d + 2) % 3];
        const bool collapses =
            least.collapses[d] && n[d] == 2 && a > 2 * side[d] && b > 2 * side[d];
        can[d] = n[d] % 2 == 0 && (n[d] / 2 >= least.shortest || collapses);
        able += can[d];
        if (can[d] && side[d] < shortest)
            shortest = side[d];
    }
    for (int d = 0; d < 3; d++) {
        if (can[d] && side[d] <= 2 * shortest)
            half[d] = n[d] / 2;
        longest = half[d] > longest ? half[d] : longest;
    }
    if (able == 0 || longest < least.longest ||
        (able < 3 && (double)n[0] * n[1] * n[2] <= MAX_COARSEST_CELLS))
        return false;
    for (int d = 0; d < 3; d++) {
        side[d] *= n[d] / half[d];
        n[d] = half[d];
    }
    return true;
}

static void expect_chain(struct decomposition_spec spec, int world, struct min_cells least,
                         double agglomerate_below, const int sides[3])
{
    int n[3], side[3] = {sides[0], sides[1], sides[2]};
    double length[3] = {sides[0], sides[1], sides[2]};
    spec_extent(&spec, n);
    struct decomposition fine = decomposition_create(spec, world);
    int levels = 1;
    for (struct decomposition_spec next = spec_coarsen(spec, least, length); !spec_is_end(&next);
         next = spec_coarsen(spec, least, length)) {
        next = spec_agglomerate(next, agglomerate_below);
        struct decomposition coarse = decomposition_create(next, world);
        EXPECT(++levels <= MAX_LEVELS);
        EXPECT(next.ranks <= spec.ranks);
        expect_step(&fine, &coarse);
        EXPECT(halve(n, side, least) && extent_equal(coarse.n, n));
        for (int d = 0; d < 3; d++)
            length[d] = side[d];
        decomposition_destroy(&fine);
        fine = coarse;
        spec = next;
    }
    EXPECT(!halve(n, side, least)); /* the coarsest level is one box on rank 0 */
    EXPECT(fine.nboxes == 1 && fine.owner[0] == 0);
    decomposition_destroy(&fine);
}

/* At least one or two cells in all directions, or two in the longest. */
static const double cubes[3] = {1.0, 1.0, 1.0};
static const struct min_cells at_least_one = {1, 1, {false}}, at_least_two = {2, 2, {false}},
                              longest_two = {1, 2, {false}},
                              collapsing = {2, 2, {true, true, false}};

static void expect_chains(struct decomposition_spec spec, int world)
{
    spec.ranks = smaller(world, (int)spec_boxes(&spec));
    const struct min_cells leasts[] = {at_least_one, at_least_two, longest_two, collapsing};
    static const int equal[3] = {1, 1, 1};
    const int cuboids[3] = {random_int(1, 3), random_int(1, 10), random_int(1, 1000)};
    for (int i = 0; i < 4; i++) {
        expect_chain(spec, world, leasts[i], 0, equal);
        expect_chain(spec, world, leasts[i], 1 << random_int(6, 18),
                     random_bool() ? equal : cuboids);
    }
}

static void coarse_levels_fit_the_finer_ones(void **state)
{
    (void)state;
    long number = 0;
    for (int n = 1; n <= LARGEST_SIDE; n++) {
        for (int box_dim = 4; box_dim <= 64; box_dim *= 2)
            for (int repeat = 0; repeat < (n > 12 ? 4 : 16); repeat++) {
                random_begin(number++);
                expect_chains(spec_cube(n, box_dim, 1), random_int(1, 1 << random_int(0, 12)));
            }
    }
    assert_true(number >= 1000);
}

static void all_small_worlds_fit(void **state)
{
    (void)state;
    for (int world = 1; world <= 64; world++)
        for (int n = 1; n <= 6; n++) {
            random_begin(world);
            expect_chains(spec_cube(n, 8, 1), world);
        }
}

/* Cuboids whose boxes are cubes, as domains are. */
static void cuboids_are_coarsened_to_one_box(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int side = 4 << random_int(0, 4);
        struct decomposition_spec spec = spec_cube(1, side, 1);
        for (int d = 0; d < 3; d++)
            spec.boxes[d] = random_int(1, random_int(0, 3) ? 6 : LARGEST_SIDE);
        expect_chains(spec, random_int(1, 1 << random_int(0, 12)));
    }
    /* a line ends after three halvings in two boxes, which become one */
    const struct decomposition_spec line = {{16, 1, 1}, {8, 8, 8}, 16};
    expect_chains(line, 16);
    struct decomposition_spec end = line;
    for (int halving = 0; halving < 3; halving++)
        end = spec_coarsen(end, at_least_one, cubes);
    assert_true(extent_equal(end.boxes, (const int[3]){1, 1, 1}));
    assert_true(extent_equal(end.box_cells, (const int[3]){16, 1, 1}));
}

static void hierarchies_end_where_they_must(void **state)
{
    (void)state;
    const struct decomposition_spec odd = spec_cube(1, 3, 1), small = spec_cube(1, 2, 1),
                                    thin = {{1, 1, 1}, {8, 3, 4}, 1},
                                    flat = {{1, 1, 1}, {8, 8, 2}, 1};
    const struct decomposition_spec none[] = {
        spec_coarsen(odd, at_least_one, cubes), spec_coarsen(small, at_least_two, cubes),
        spec_coarsen(thin, at_least_one, cubes), spec_coarsen(flat, at_least_two, cubes),
        spec_coarsen(small, longest_two, cubes)};
    for (size_t e = 0; e < sizeof none / sizeof *none; e++)
        assert_true(spec_is_end(&none[e]));
    expect_spec(spec_coarsen(small, at_least_one, cubes), spec_cube(1, 1, 1));
    expect_spec(spec_coarsen(flat, longest_two, cubes),
                (struct decomposition_spec){{1, 1, 1}, {4, 4, 1}, 1});
    expect_spec(spec_coarsen(spec_cube(3, 8, 5), at_least_one, cubes), spec_cube(1, 12, 1));
    expect_spec(
        spec_coarsen((struct decomposition_spec){{5, 4, 2}, {8, 8, 8}, 40}, at_least_one, cubes),
        (struct decomposition_spec){{1, 2, 1}, {20, 8, 8}, 2});
}

static void expect_agglomerated(struct decomposition_spec from, double below,
                                struct decomposition_spec to)
{
    expect_spec(spec_agglomerate(from, below), to);
}

static void small_boxes_are_merged_on_fewer_ranks(void **state)
{
    (void)state;
    const struct decomposition_spec many = spec_cube(8, 16, 512), few = spec_cube(4, 8, 5),
                                    odd = spec_cube(6, 8, 100), three = spec_cube(3, 8, 5),
                                    end = spec_cube(0, 0, 0), flat = {{6, 4, 1}, {8, 8, 8}, 24};
    expect_agglomerated(many, 32768, many); /* 8·16³ */
    expect_agglomerated(many, 32769, spec_cube(4, 32, 64));
    expect_agglomerated(many, 64 * 64 * 64 + 1, spec_cube(2, 64, 8));
    expect_agglomerated(many, 128 * 128 * 128 + 1, spec_cube(1, 128, 1));
    expect_agglomerated(few, 4097, spec_cube(2, 16, 5));
    expect_agglomerated(odd, 4097, spec_cube(3, 16, 27));
    expect_agglomerated(odd, 48 * 48 * 48 + 1, spec_cube(1, 48, 1));
    expect_agglomerated(three, 24 * 24 * 24, three);
    expect_agglomerated(three, 24 * 24 * 24 + 1, spec_cube(1, 24, 1));
    expect_agglomerated(flat, 2049, (struct decomposition_spec){{3, 2, 1}, {16, 16, 8}, 6});
    expect_agglomerated(flat, 4097, (struct decomposition_spec){{3, 1, 1}, {16, 32, 8}, 3});
    expect_agglomerated(flat, 48 * 32 * 8 + 1,
                        (struct decomposition_spec){{1, 1, 1}, {48, 32, 8}, 1});
    expect_agglomerated(end, 1e9, end);
    expect_agglomerated(many, 0, many);
}

static void equal_means_the_same_boxes_and_owners(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        struct decomposition_spec spec = random_spec(4, 4);
        spec.ranks = random_int(1, (int)spec_boxes(&spec));
        struct decomposition a = decomposition_create(spec, spec.ranks),
                             b = decomposition_create(spec, spec.ranks);
        EXPECT(decomposition_equal(&a, &b) && decomposition_equal(&b, &a));
        const int which = random_int(0, b.nboxes - 1), what = random_int(0, 7);
        if (what < 6)
            (what % 2 ? b.boxes[which].lo : b.boxes[which].hi)[what / 2]++;
        else if (what == 6)
            b.owner[which]++;
        else
            b.nboxes--;
        EXPECT(!decomposition_equal(&a, &b) && !decomposition_equal(&b, &a));
        decomposition_destroy(&a);
        decomposition_destroy(&b);
    }
}

/* One cut makes two boxes of a cube, as long as the cube in the other directions. */
static void the_shortest_side_is_of_any_box(void **state)
{
    enum { DIM = 8 };
    (void)state;
    for (int cut = 1; cut < DIM; cut++)
        for (int e = 0; e < 3; e++) {
            struct box boxes[2] = {box_cube(0, 0, 0, DIM), box_cube(0, 0, 0, DIM)};
            boxes[0].hi[e] = boxes[1].lo[e] = cut;
            const struct decomposition one = {{DIM, DIM, DIM}, 1, boxes, NULL, true},
                                       two = {{DIM, DIM, DIM}, 2, boxes, NULL, true};
            assert_int_equal(decomposition_shortest_side(&one), cut);
            assert_int_equal(decomposition_shortest_side(&two), smaller(cut, DIM - cut));
        }
}

/* Halved boxes are those that the curve gives; other boxes are not taken for them. */
static void halved_boxes_follow_from_the_finer_ones(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        struct decomposition_spec coarse = random_spec(6, 16);
        const int ranks = random_int(1, (int)spec_boxes(&coarse)),
                  world = random_int(ranks, 3 * ranks);
        const int other_ranks = random_bool() ? ranks : random_int(1, ranks);
        struct decomposition_spec fine = coarse;
        coarse.ranks = other_ranks;
        fine.ranks = ranks;
        for (int d = 0; d < 3; d++)
            fine.box_cells[d] *= 2;
        struct decomposition a = decomposition_create(fine, world),
                             b = decomposition_create(coarse, world),
                             c = decomposition_coarsen(&a, b.n);
        EXPECT(spec_is_coarsened(&fine, &coarse) == (ranks == other_ranks));
        EXPECT(decomposition_is_coarsened(&a, &b) == decomposition_equal(&c, &b));
        EXPECT(ranks != other_ranks || decomposition_equal(&c, &b));
        EXPECT(decomposition_is_coarsened(&a, &c));
        c.owner[random_int(0, c.nboxes - 1)]++;
        EXPECT(!decomposition_is_coarsened(&a, &c));
        decomposition_destroy(&a);
        decomposition_destroy(&b);
        decomposition_destroy(&c);
    }
}

static void nothing_is_left_in_memory(void **state)
{
    (void)state;
    assert_int_equal(memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_distributed_evenly),
        cmocka_unit_test(primes_are_distributed_evenly),
        cmocka_unit_test(powers_of_two_have_one_box_a_rank),
        cmocka_unit_test(coarse_levels_fit_the_finer_ones),
        cmocka_unit_test(all_small_worlds_fit),
        cmocka_unit_test(cuboids_are_coarsened_to_one_box),
        cmocka_unit_test(hierarchies_end_where_they_must),
        cmocka_unit_test(small_boxes_are_merged_on_fewer_ranks),
        cmocka_unit_test(equal_means_the_same_boxes_and_owners),
        cmocka_unit_test(the_shortest_side_is_of_any_box),
        cmocka_unit_test(halved_boxes_follow_from_the_finer_ones),
        cmocka_unit_test(nothing_is_left_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
