/* The bytes that are foreseen are those that are allocated, on every level and rank, redistribution
 * buffers included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/memory.h"
#include "comm/comm.h"
#include "support/solve_case.h"

static size_t allocated_bytes(const struct level *l)
{
    size_t count = 0;
    for (int f = 0; f < NUM_FIELDS; f++)
        count += l->fields[f] != NULL;
    return count * level_field_bytes(l);
}

/* Returns how many levels have buffers of their own. */
static int check(struct hierarchy_choice choice)
{
    const struct hierarchy_shape shape = hierarchy_shape(&choice, comm_size());
    struct hierarchy *h = hierarchy_create(&choice);
    int separate = 0;
    double sum = 0.0;
    assert_int_equal(h->nlevels, shape.nlevels);
    for (int l = 0; l < h->nlevels; l++) {
        const struct transfer *t = &h->transfers[l];
        const size_t bytes =
            allocated_bytes(h->levels[l]) + (t->separate ? allocated_bytes(t->coarse) : 0);
        assert_int_equal(hierarchy_level_bytes(&choice, &shape, l, comm_rank(), comm_size()),
                         bytes);
        separate += t->separate;
        sum += (double)bytes;
    }
    comm_max_f64(MPI_COMM_WORLD, &sum, 1);
    assert_true((double)hierarchy_bytes(&choice, &shape, comm_size()) == sum);
    hierarchy_destroy(h);
    return separate;
}

static void bytes_are_foreseen(void **state)
{
    (void)state;
    int separate = 0;
    for (int variant = 0; variant < 32; variant++) {
        struct hierarchy_choice choice =
            case_choice(variant & 1 ? 4 : 2, variant & 2, variant & 4,
                        variant & 8 ? SMOOTHER_JACOBI : SMOOTHER_GSRB, 3, 8);
        choice.problem = variant & 8 ? 3 : 0;
        choice.mgpcg = variant & 1;
        choice.op.variable = variant != 4;
        choice.agglomerate_below = variant & 16 ? 5000.0 : 0.0;
        separate += check(choice);
    }
    assert_true(separate > 0 || comm_size() == 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_foreseen),
    };
    comm_start(&argc, &argv);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    const bool leak = memory_live_blocks() != 0;
    comm_finish();
    return failed != 0 || leak;
}
