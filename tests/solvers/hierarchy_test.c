/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes that are foreseen are those that are allocated, on every level and rank, redistribution
 * buffers included. HPGMG's diagonal is that of its own solver around odd periodic grids alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "comm/comm.h"
#include "support/run.h"
#include "support/solve_case.h"

static size_t allocated_bytes(const struct level *l)
{
    size_t count = 0;
    for (int f = 0; f < NUM_FIELDS; f++)
        count += l->fields[f] != NULL;
    return count * level_field_bytes(l);
}

struct built {
    const struct hierarchy *h;
    int levels, separate; /* levels seen, and how many of them have buffers of their own */
    double sum;
};

/* Of a grid and its redistribution buffer. */
static size_t grid_bytes(const struct hierarchy *h, int grid)
{
    const struct transfer *t = &h->transfers[grid];
    return allocated_bytes(h->levels[grid]) + (t->separate ? allocated_bytes(t->coarse) : 0);
}

static void compare_level(void *data, int level, const struct decomposition *d, const size_t *bytes)
{
    struct built *b = data;
    const int correction = hierarchy_correction(b->h, level);
    const size_t allocated =
        grid_bytes(b->h, level) + (correction >= 0 ? grid_bytes(b->h, correction) : 0);
    assert_int_equal(level, b->levels++);
    assert_true(decomposition_equal(d, &b->h->levels[level]->decomposition));
    assert_int_equal(bytes[comm_rank()], allocated);
    b->separate += b->h->transfers[level].separate;
    b->sum += (double)allocated;
}

/* Returns how many levels have buffers of their own. */
static int check(struct hierarchy_choice choice)
{
    const struct hierarchy_shape shape = hierarchy_shape(&choice, comm_size());
    struct hierarchy *h = hierarchy_create(&choice);
    struct built built = {.h = h};
    hierarchy_estimate(&choice, &shape, comm_size(), compare_level, &built);
    assert_int_equal(built.levels, h->nlevels);
    comm_max_f64(MPI_COMM_WORLD, &built.sum, 1);
    assert_true((double)hierarchy_bytes(&choice, &shape, comm_size(), false) == built.sum);
    hierarchy_destroy(h);
    return built.separate;
}

static void bytes_are_foreseen(void **state)
{
    (void)state;
    int separate = 0;
    for (int variant = 0; variant < 64; variant++) {
        struct hierarchy_choice choice =
            case_choice(variant & 1 ? 4 : 2, variant & 2, variant & 4,
                        variant & 8 ? SMOOTHER_JACOBI : SMOOTHER_GSRB, 3, 8);
        choice.problem = variant & 8 ? 3 : 0;
        choice.outer_fields = variant & 1;
        choice.op.variable = variant != 4;
        choice.placement.agglomerate_below = variant & 16 ? 5000.0 : 0.0;
        choice.single_above = variant & 32 ? 512.0 : 0.0;
        separate += check(choice);
    }
    assert_true(separate > 0 || comm_size() == 1);
}

static void hpgmg_has_its_diagonal(void **state)
{
    (void)state;
    for (int variant = 0; variant < 16; variant++) {
        const bool second_order = variant & 1, periodic = variant & 2, odd = variant & 4;
        struct hierarchy_choice choice =
            case_choice(second_order ? 2 : 4, false, periodic, SMOOTHER_GSRB, 2, odd ? 27 : 8);
        choice.bottom = variant & 8 ? BOTTOM_METHOD_CG : BOTTOM_METHOD_BICGSTAB;
        choice.domain.boxes[0] = choice.domain.boxes[1] = choice.domain.boxes[2] = odd ? 3 : 2;
        struct hierarchy *h = hierarchy_create(&choice);
        assert_int_equal(h->levels[h->nlevels - 1]->stencil->hpgmg_diagonal,
                         second_order && periodic && odd && !(variant & 8));
        hierarchy_destroy(h);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_foreseen),
        cmocka_unit_test(hpgmg_has_its_diagonal),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
