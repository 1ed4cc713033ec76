/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps in groups, as many as a halo is deep enough for, give the bits of sweeps one by one, each
 * after a halo exchange. Nothing depends on deeper ghosts than halo_layers() and rhs_halo_layers()
 * say. Around an odd number of periodic cells colours do not alternate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>
#include "comm/comm.h"
#include "level/build.h"
#include "operators/halo.h"
#include "support/random.h"
#include "support/run.h"
#include "support/solve_case.h"

/* The same values whatever the boxes. */
static void fill_u(const struct level *l)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        for (int k = 0; k < p->n[2]; k++)
            for (int j = 0; j < p->n[1]; j++)
                for (int i = 0; i < p->n[0]; i++) {
                    random_begin(p->box.lo[0] + i +
                                 1000L * (p->box.lo[1] + j + 1000L * (p->box.lo[2] + k)));
                    level_natural(l, FIELD_U)[p->offset + i + j * p->sj + k * p->sk] =
                        (double)(random_bits() >> 11) * 0x1p-52 - 1.0;
                }
    }
}

/* Everything but the cells of the boxes becomes NaN. */
static void spoil_ghosts(const struct level *l, enum field field)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        const int g = l->ghosts;
        for (int k = -g; k < p->n[2] + g; k++)
            for (int j = -g; j < p->n[1] + g; j++)
                for (int i = -g; i < p->n[0] + g; i++)
                    if (i < 0 || i >= p->n[0] || j < 0 || j >= p->n[1] || k < 0 || k >= p->n[2])
                        level_natural(l, field)[p->offset + i + j * p->sj + k * p->sk] = NAN;
    }
}

static void exchange(struct level *l, enum field field, int layers)
{
    spoil_ghosts(l, field);
    if (layers == 0)
        return;
    if (!l->halos[layers])
        level_make_halo(l, layers);
    plan_execute(l->halos[layers], level_natural(l, field), level_natural(l, field), NULL);
}

/* A smoothing and the norm of its residual, which the last group computes if its ghosts are deep
 * enough. */
static uint64_t sweep_in_groups(struct level *l, int group)
{
    uint64_t norm = 0;
    const bool finishes = group > 1 && operations_per_halo(l) > group;
    fill_u(l);
    if (level_natural(l, FIELD_TMP))
        spoil_ghosts(l, FIELD_TMP);
    exchange(l, FIELD_F, rhs_halo_layers(l));
    for (int sweep = 0, left = SMOOTHER_SWEEPS; sweep < SMOOTHER_SWEEPS + !finishes;
         sweep += group, left -= group) {
        const bool last = finishes ? left <= group : left <= 0;
        const struct pass pass = {.level = l,
                                  .u = FIELD_U,
                                  .f = FIELD_F,
                                  .first_sweep = left > 0 ? sweep : 0,
                                  .nsweeps = left < group ? left : group,
                                  .finish = last ? FINISH_NORM : FINISH_NONE,
                                  .norm = &norm};
        exchange(l, pass_reads(&pass), halo_layers(l, pass.nsweeps, last));
        l->backend->passes->run(&pass);
    }
    assert_true(norm != 0 || !l->active);
    return reduce_checksum(l, FIELD_U) ^ norm;
}

static void check_levels(const struct hierarchy_choice *choice, int *odd)
{
    struct hierarchy *h = hierarchy_create(choice);
    for (int n = 0; n < h->nlevels; n++) {
        struct level *l = h->levels[n];
        if (!l->connected)
            continue;
        *odd += l->n[0] % 2 && l->n[0] > 1;
        assert_true(sweep_in_groups(l, sweeps_per_halo(l)) == sweep_in_groups(l, 1));
    }
    hierarchy_destroy(h);
}

/* Levels of 12³, 6³, 3³, of 20³, 10³, 5³ and of 16³ cells and less. Walls bound some boxes where
 * several ranks share a level. */
static void groups_of_sweeps_have_the_bits_of_single_ones(void **state)
{
    static const int boxes[] = {27, 125, 64};
    (void)state;
    int odd = 0;
    for (int variant = 0; variant < 48; variant++) {
        const int per_rank = (boxes[variant / 16] + comm_size() - 1) / comm_size();
        const struct hierarchy_choice choice = case_choice(
            variant & 1 ? 4 : 2, false, variant & 2, (enum smoother)(variant / 4 % 4), 2, per_rank);
        check_levels(&choice, &odd);
    }
    assert_true(odd > 0);
}

/* Ghosts of long boxes are deep enough for a smoothing and its residual, whatever the operator.
 * They are an even number of layers. */
static void long_boxes_have_one_group(void **state)
{
    static const struct {
        int order;
        enum smoother smoother;
    } cases[] = {
        {2, SMOOTHER_GSRB}, {2, SMOOTHER_CHEBYSHEV}, {2, SMOOTHER_JACOBI}, {4, SMOOTHER_GSRB}};
    (void)state;
    const bool alone = comm_size() == 1;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct hierarchy_choice choice =
            case_choice(cases[c].order, false, alone, cases[c].smoother, alone ? 7 : 6,
                        alone ? 1 : 8 / comm_size() + 1);
        struct hierarchy *h = hierarchy_create(&choice);
        struct level *l = h->levels[0];
        assert_true(l->connected);
        assert_int_equal(l->ghosts % 2, 0);
        assert_int_equal(sweeps_per_halo(l), SMOOTHER_SWEEPS);
        assert_true(sweep_in_groups(l, SMOOTHER_SWEEPS) == sweep_in_groups(l, 1));
        hierarchy_destroy(h);
    }
}

/* Ghosts are deep only where they add little work: not on short boxes, not where sweeps of order 4
 * repeat two layers. */
static void short_boxes_have_several_groups(void **state)
{
    (void)state;
    const struct hierarchy_choice short_boxes =
        case_choice(4, false, true, SMOOTHER_GSRB, 5, 8 / comm_size() + 1);
    const struct hierarchy_choice two_layers =
        case_choice(4, false, true, SMOOTHER_JACOBI, 6, 8 / comm_size() + 1);
    struct hierarchy *h = hierarchy_create(&short_boxes);
    assert_int_equal(sweeps_per_halo(h->levels[0]), 2);
    hierarchy_destroy(h);
    h = hierarchy_create(&two_layers);
    assert_int_equal(sweeps_per_halo(h->levels[0]), 1);
    hierarchy_destroy(h);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_sweeps_have_the_bits_of_single_ones),
        cmocka_unit_test(long_boxes_have_one_group),
        cmocka_unit_test(short_boxes_have_several_groups),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
