/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors and orders that are known: HPGMG's Richardson errors and orders of the default problem up
 * to 128³, and this project's own errors of the manufactured solutions, pinned after it was seen
 * that they fall by a factor of 4 a refinement. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "support/run.h"
#include "support/solve_case.h"

static const struct solver_choice one_f_cycle = {.f_cycle = true, .max_cycles = 20};

static void expect_close(const char *what, double ours, double golden, double relative)
{
    if (!(fabs(ours - golden) <= relative * golden))
        fail_msg("%s: %.15e instead of %.15e", what, ours, golden);
}

static void test_richardson(void **state)
{
    (void)state;
    static const struct {
        int order, log2_box_dim;
        double error, rate, min_order;
    } golden[] = {
        {2, 5, 1.171592818772242e-04, -0.266, -1.0}, {2, 6, 3.829371121658954e-05, 1.614, 1.5},
        {2, 7, 9.649246296773370e-06, 1.989, 1.95},  {4, 5, 2.741524561805046e-05, 1.966, 1.9},
        {4, 6, 2.889820931067759e-06, 3.247, 3.2},   {4, 7, 2.342436689257467e-07, 3.625, 3.5},
    };
    static struct case_result result;
    for (size_t g = 0; g < sizeof golden / sizeof golden[0]; g++) {
        const struct hierarchy_choice choice =
            case_choice(golden[g].order, false, false, SMOOTHER_GSRB, golden[g].log2_box_dim, 1);
        case_run(&choice, one_f_cycle, &result);
        expect_close("Richardson error", result.richardson_error, golden[g].error, 1e-10);
        assert_true(fabs(result.richardson_order - golden[g].rate) < 5.1e-4);
        assert_true(result.richardson_order >= golden[g].min_order);
    }
}

/* The error on the finest level of dim cells per side. (On 2h and 4h f is restricted, and the error
 * is another one.) */
static double true_error(int problem, bool periodic, int log2_dim)
{
    static struct case_result result;
    struct hierarchy_choice choice = case_choice(2, false, periodic, SMOOTHER_GSRB, log2_dim, 1);
    choice.problem = problem;
    case_run(&choice, one_f_cycle, &result);
    return result.true_errors[0];
}

static void test_true_error(void **state)
{
    (void)state;
    static const struct {
        int problem;
        bool periodic;
        double errors[3]; /* of 32³, 64³, 128³, as this program computes them */
    } golden[] = {
        {1, false, {1.069880591559575e+00, 1.835433463116385e-01, 4.053720320548804e-02}},
        {1, true, {1.069985652656177e+00, 1.835344241370824e-01, 4.053356852758583e-02}},
        {2, false, {6.342159501466344e-07, 1.680478816075220e-07, 4.345448251734775e-08}},
        {2, true, {5.867321332702935e-08, 1.520277632463405e-08, 3.858580526055073e-09}},
        {3, false, {1.847445267610947e-06, 4.628851113197508e-07, 1.160311248021547e-07}},
        {3, true, {3.435484405114501e-07, 8.577760675865730e-08, 2.142022879406927e-08}},
    };
    for (size_t g = 0; g < sizeof golden / sizeof golden[0]; g++) {
        double slope = 0.0, error, coarser = 0.0;
        printf("%-4s %-9s", problems[golden[g].problem].name,
               golden[g].periodic ? "periodic" : "dirichlet");
        for (int size = 0; size < 3; size++) {
            error = true_error(golden[g].problem, golden[g].periodic, 5 + size);
            slope = log2(coarser / error);
            printf(size == 0 ? "  %.15e" : "  %.15e (order %.3f)", error, slope);
            expect_close("error", error, golden[g].errors[size], 1e-8);
            coarser = error;
        }
        printf("\n");
        assert_true(slope >= 1.95);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_richardson),
        cmocka_unit_test(test_true_error),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
