/* SPDX-License-Identifier: BSD-3-Clause */
/* Order 4 at 256³, where its order shows: HPGMG's Richardson error is 1.486406621007894e-08, its
 * order 3.978; and the order of the sine problem's true error from 128³ to 256³. Needs 2 GiB. */
#include "base/memory.h"
#include "support/solve_case.h"
#include <stdio.h>

static double sine_error(int log2_dim)
{
    static struct case_result result;
    struct hierarchy_choice choice = case_choice(2, false, false, SMOOTHER_GSRB, log2_dim, 1);
    choice.problem = 1;
    case_run(&choice, (struct solver_choice){.f_cycle = true}, &result);
    return result.true_errors[0];
}

int main(int argc, char **argv)
{
    static struct case_result result;
    comm_start(&argc, &argv);
    const struct hierarchy_choice choice = case_choice(4, false, false, SMOOTHER_GSRB, 8, 1);
    case_run(&choice, (struct solver_choice){.f_cycle = true}, &result);
    const double relative = fabs(result.richardson_error / 1.486406621007894e-08 - 1.0);
    const double sine_order = log2(sine_error(7) / sine_error(8));
    printf("error %.15e, order %.3f; sine: order %.3f\n", result.richardson_error,
           result.richardson_order, sine_order);
    const bool good =
        relative <= 1e-8 && fabs(result.richardson_order - 3.978) < 5.1e-4 && sine_order >= 1.95;
    comm_finish();
    return good && memory_live_blocks() == 0 ? 0 : 1;
}
