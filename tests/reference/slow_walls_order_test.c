/* SPDX-License-Identifier: BSD-3-Clause */
/* The operators of order 2 and 4 have their order between walls of all kinds, from 32³ to 64³.
 *     slow_walls_order_test --record
 * prints the table of docs/NUMERICS.md, "Observed orders". */
#include <string.h>
#include "base/memory.h"
#include "support/walls_order.h"

/* Measured: orders from 1.94 to 2.00 and from 3.86 to 4.11. */
#define TOLERANCE 0.05

static void print_heading(void)
{
    printf("| `--boundary` | order 2: 32³ | 64³ | observed | order 4: 32³ | 64³ | observed |\n"
           "| --- | --- | --- | --- | --- | --- | --- |\n");
}

int main(int argc, char **argv)
{
    int bad = 0;
    comm_start(&argc, &argv);
    const bool record = argc == 2 && strcmp(argv[1], "--record") == 0;
    if (record)
        print_heading();
    for (int number = 0; number < NUM_WALLS; number++) {
        const struct walls w = walls_number(number);
        const struct operator_choice op_2 = {.order = 2, .variable = true},
                                     op_4 = {.order = 4, .variable = true};
        const struct walls_errors order_2 = walls_solve(w, op_2, 6),
                                  order_4 = walls_solve(w, op_4, 6);
        const bool good = walls_order_is_right(&order_2, 2, TOLERANCE) &&
                          walls_order_is_right(&order_4, 4, TOLERANCE);
        if (record || !good)
            walls_print(w, order_2, order_4);
        bad += !good;
    }
    if (!record)
        printf("%d of %d combinations of walls miss an order\n", bad, NUM_WALLS);
    const bool leak = memory_live_blocks() != 0;
    comm_finish();
    return bad != 0 || leak;
}
