/* SPDX-License-Identifier: BSD-3-Clause */
/* The size rule, the Morton curve, how boxes are distributed and merged, and the chain of coarser
 * specs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/memory.h"
#include "level/decomposition.h"
#include "support/random.h"

enum { CASES = 1000, LARGEST_SIDE = 24, MAX_LEVELS = 16 };

/* --- the size rule --- */

/* The largest m·2^s with odd m <= 11 whose cube is at most `boxes`. */
static long largest_side(long boxes)
{
    long best = 1;
    for (long m = 1; m <= 11; m += 2)
        for (long n = m; n * n * n <= boxes; n *= 2)
            best = n > best ? n : best;
    return best;
}

static void size_rule_finds_the_largest(void **state)
{
    (void)state;
    for (long boxes = 0; boxes <= 20000; boxes++)
        assert_int_equal(size_rule(boxes, 1), largest_side(boxes));
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int per_rank = random_int(1, 1 << random_int(0, 20));
        const int ranks = random_int(1, 1 << random_int(0, 10));
        EXPECT(size_rule(per_rank, ranks) == largest_side((long)per_rank * ranks));
    }
    const int sides[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 22, 24, 28, 32};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        const int n = sides[s], cube = n * n * n;
        assert_int_equal(size_rule(cube, 1), n);
        assert_int_equal(size_rule(1, cube), n);
        assert_true(cube == 1 || size_rule(cube - 1, 1) < n);
    }
}

/* --- one decomposition --- */

/* Owner of each box before merging: unit[i + n·(j + n·k)], or -1. */
struct units {
    int n;
    int owner[LARGEST_SIDE * LARGEST_SIDE * LARGEST_SIDE];
};

static int *unit(struct units *u, int i, int j, int k)
{
    return &u->owner[i + u->n * (j + u->n * k)];
}

static void mark_units(struct units *u, struct box b, int owner, int side)
{
    for (int k = b.lo[2] / side; k < b.hi[2] / side; k++)
        for (int j = b.lo[1] / side; j < b.hi[1] / side; j++)
            for (int i = b.lo[0] / side; i < b.hi[0] / side; i++) {
                EXPECT(*unit(u, i, j, k) == -1);
                *unit(u, i, j, k) = owner;
            }
}

/* Every unit is in exactly one box. Boxes are cuboids of whole units, sorted by owner. */
static void expect_cover(const struct decomposition *d, struct decomposition_spec spec,
                         struct units *u)
{
    const int n = spec.boxes_per_side, side = spec.box_dim;
    long cells = 0;
    u->n = n;
    for (int b = 0; b < n * n * n; b++)
        u->owner[b] = -1;
    EXPECT(d->dim == n * side);
    for (int b = 0; b < d->nboxes; b++) {
        const struct box box = d->boxes[b];
        EXPECT(box_contains(box_cube(0, 0, 0, d->dim), box) && !box_is_empty(box));
        for (int e = 0; e < 3; e++)
            EXPECT(box.lo[e] % side == 0 && box.hi[e] % side == 0);
        EXPECT(b == 0 || d->owner[b - 1] <= d->owner[b]);
        mark_units(u, box, d->owner[b], side);
        cells += box_cells(box);
    }
    EXPECT(cells == (long)d->dim * d->dim * d->dim);
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
    const int n = u->n;
    long count = 0;
    for (int b = 0; b < n * n * n; b++)
        count += u->owner[b] == rank;
    return count;
}

/* Owners increase along the curve, pieces differ by at most one unit, and piece p is on
 * rank p·world/ranks. */
static void expect_distributed(struct units *u, struct decomposition_spec spec, int world)
{
    const int n = u->n, count = n * n * n;
    int piece = 0, last = 0;
    EXPECT(*unit(u, 0, 0, 0) == 0);
    for (unsigned long code = 0; code < 8ul * 8 * 8 * 8 * 8; code++) {
        const int i = decode(code, 0), j = decode(code, 1), k = decode(code, 2);
        if (i >= n || j >= n || k >= n)
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

static void boxes_are_distributed_evenly(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int n = random_int(1, random_int(0, 9) ? 6 : 12), boxes = n * n * n;
        const int world = random_int(1, random_bool() ? 8 : 3 * boxes);
        const int ranks =
            random_bool() ? smaller(world, boxes) : random_int(1, smaller(world, boxes));
        expect_decomposition((struct decomposition_spec){n, random_int(1, 64), ranks}, world);
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
            expect_decomposition((struct decomposition_spec){n, 8, smaller(primes[p], n * n * n)},
                                 primes[p]);
    }
}

/* Aligned groups of 2^m consecutive codes are cuboids: one box per rank. */
static void powers_of_two_have_one_box_a_rank(void **state)
{
    (void)state;
    for (int n = 1; n <= 16; n *= 2)
        for (int ranks = 1; ranks <= n * n * n; ranks *= 2) {
            random_begin(ranks);
            struct decomposition d =
                decomposition_create((struct decomposition_spec){n, 16, ranks}, ranks);
            EXPECT(d.nboxes == ranks);
            for (int b = 0; b < d.nboxes; b++)
                EXPECT(d.owner[b] == b && box_cells(d.boxes[b]) == 4096l * n * n * n / ranks);
            decomposition_destroy(&d);
        }
}

/* --- coarser levels --- */

static void expect_coarsened(const struct decomposition *fine)
{
    struct decomposition coarse = decomposition_coarsen(fine);
    EXPECT(2 * coarse.dim == fine->dim && coarse.nboxes == fine->nboxes);
    for (int b = 0; b < fine->nboxes; b++) {
        EXPECT(box_equal(box_refine(coarse.boxes[b]), fine->boxes[b]));
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

static void expect_even(const struct decomposition *d)
{
    for (int b = 0; b < d->nboxes; b++)
        for (int e = 0; e < 3; e++)
            EXPECT(d->boxes[b].lo[e] % 2 == 0 && d->boxes[b].hi[e] % 2 == 0);
}

static void expect_step(const struct decomposition *fine, const struct decomposition *coarse)
{
    EXPECT(2 * coarse->dim == fine->dim);
    expect_even(fine);
    expect_coarsened(fine);
    for (int b = 0; b < coarse->nboxes; b++)
        EXPECT(owns(fine, coarse->owner[b]));
}

/* The coarsest level is one box on rank 0, as small as the rule allows. */
static void expect_bottom(const struct decomposition *d, int finest_dim, int min_dim)
{
    int dim = finest_dim;
    while (dim % 2 == 0 && dim / 2 >= min_dim)
        dim /= 2;
    EXPECT(d->dim == dim);
    EXPECT(d->nboxes == 1 && d->owner[0] == 0);
}

static void expect_chain(struct decomposition_spec spec, int world, int min_dim,
                         double agglomerate_below)
{
    const int finest = spec_dim(spec);
    struct decomposition fine = decomposition_create(spec, world);
    int levels = 1;
    for (struct decomposition_spec next; (next = spec_coarsen(spec, min_dim)).boxes_per_side > 0;
         spec = next) {
        next = spec_agglomerate(next, agglomerate_below);
        struct decomposition coarse = decomposition_create(next, world);
        EXPECT(++levels <= MAX_LEVELS);
        EXPECT(next.ranks <= spec.ranks);
        expect_step(&fine, &coarse);
        decomposition_destroy(&fine);
        fine = coarse;
    }
    expect_bottom(&fine, finest, min_dim);
    decomposition_destroy(&fine);
}

static void expect_chains(int n, int box_dim, int world)
{
    const struct decomposition_spec spec = {n, box_dim, smaller(world, n * n * n)};
    for (int min_dim = 1; min_dim <= 2; min_dim++) {
        expect_chain(spec, world, min_dim, 0);
        expect_chain(spec, world, min_dim, 1 << random_int(6, 18));
    }
}

static void coarse_levels_fit_the_finer_ones(void **state)
{
    (void)state;
    long number = 0;
    for (int n = 1; n <= LARGEST_SIDE; n++) {
        if (largest_side((long)n * n * n) != n)
            continue;
        for (int box_dim = 4; box_dim <= 64; box_dim *= 2)
            for (int repeat = 0; repeat < (n > 12 ? 4 : 16); repeat++) {
                random_begin(number++);
                expect_chains(n, box_dim, random_int(1, 1 << random_int(0, 12)));
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
            expect_chains(n, 8, world);
        }
}

static void hierarchies_end_where_they_must(void **state)
{
    (void)state;
    const struct decomposition_spec odd = {1, 3, 1}, small = {1, 2, 1}, three = {3, 8, 5};
    assert_int_equal(spec_coarsen(odd, 1).boxes_per_side, 0);
    assert_int_equal(spec_coarsen(small, 2).boxes_per_side, 0);
    assert_int_equal(spec_coarsen(small, 1).box_dim, 1);
    const struct decomposition_spec merged = spec_coarsen(three, 1);
    assert_int_equal(merged.boxes_per_side, 1);
    assert_int_equal(merged.box_dim, 12);
    assert_int_equal(merged.ranks, 1);
}

static void expect_agglomerated(struct decomposition_spec from, double below,
                                struct decomposition_spec to)
{
    const struct decomposition_spec spec = spec_agglomerate(from, below);
    assert_int_equal(spec.boxes_per_side, to.boxes_per_side);
    assert_int_equal(spec.box_dim, to.box_dim);
    assert_int_equal(spec.ranks, to.ranks);
}

static void small_boxes_are_merged_on_fewer_ranks(void **state)
{
    (void)state;
    const struct decomposition_spec many = {8, 16, 512}, few = {4, 8, 5}, odd = {6, 8, 100},
                                    three = {3, 8, 5}, end = {0, 0, 0};
    expect_agglomerated(many, 32768, many); /* 8·16³ */
    expect_agglomerated(many, 32769, (struct decomposition_spec){4, 32, 64});
    expect_agglomerated(many, 64 * 64 * 64 + 1, (struct decomposition_spec){2, 64, 8});
    expect_agglomerated(many, 128 * 128 * 128 + 1, (struct decomposition_spec){1, 128, 1});
    expect_agglomerated(few, 4097, (struct decomposition_spec){2, 16, 5});
    expect_agglomerated(odd, 4097, (struct decomposition_spec){3, 16, 27});
    expect_agglomerated(odd, 48 * 48 * 48 + 1, (struct decomposition_spec){1, 48, 1});
    expect_agglomerated(three, 24 * 24 * 24, three);
    expect_agglomerated(three, 24 * 24 * 24 + 1, (struct decomposition_spec){1, 24, 1});
    expect_agglomerated(end, 1e9, end);
    expect_agglomerated(many, 0, many);
}

static void equal_means_the_same_boxes_and_owners(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int n = random_int(1, 4), ranks = random_int(1, n * n * n);
        const struct decomposition_spec spec = {n, 4, ranks};
        struct decomposition a = decomposition_create(spec, ranks),
                             b = decomposition_create(spec, ranks);
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
            const struct decomposition one = {DIM, 1, boxes, NULL, true},
                                       two = {DIM, 2, boxes, NULL, true};
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
        const int n = random_int(1, 6), side = random_int(1, 16);
        const int ranks = random_int(1, n * n * n), world = random_int(ranks, 3 * ranks);
        const int other_ranks = random_bool() ? ranks : random_int(1, ranks);
        const struct decomposition_spec fine = {n, 2 * side, ranks},
                                        coarse = {n, side, other_ranks};
        struct decomposition a = decomposition_create(fine, world),
                             b = decomposition_create(coarse, world), c = decomposition_coarsen(&a);
        EXPECT(spec_is_coarsened(fine, coarse) == (ranks == other_ranks));
        EXPECT(decomposition_is_coarsened(&a, &b) == decomposition_equal(&c, &b));
        EXPECT(ranks != other_ranks || decomposition_equal(&c, &b));
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
        cmocka_unit_test(size_rule_finds_the_largest),
        cmocka_unit_test(boxes_are_distributed_evenly),
        cmocka_unit_test(primes_are_distributed_evenly),
        cmocka_unit_test(powers_of_two_have_one_box_a_rank),
        cmocka_unit_test(coarse_levels_fit_the_finer_ones),
        cmocka_unit_test(all_small_worlds_fit),
        cmocka_unit_test(hierarchies_end_where_they_must),
        cmocka_unit_test(small_boxes_are_merged_on_fewer_ranks),
        cmocka_unit_test(equal_means_the_same_boxes_and_owners),
        cmocka_unit_test(the_shortest_side_is_of_any_box),
        cmocka_unit_test(halved_boxes_follow_from_the_finer_ones),
        cmocka_unit_test(nothing_is_left_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
