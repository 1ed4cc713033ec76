/* SPDX-License-Identifier: BSD-3-Clause */
/* Tail kernels of operators that are compiled in different files share one sync_context. This
 * program solves with such operators alternately, in one process on one GPU, and compares each
 * solution's checksum with the CPU's. Exit status: 0 if all agree, 1 if not, 77 without a GPU. */
#include <inttypes.h>
#include <stdio.h>
#include "base/memory.h"
#include "cuda/cuda.h"
#include "support/solve_case.h"

enum { NO_GPU = 77, ROUNDS = 3 };

/* One operator of each file src/cuda/coarse/fv*.cu, and periodic ones. */
static const struct operator_choice operators[] = {
    {.order = 2, .variable = true},
    {.order = 4, .variable = true},
    {.order = 4, .variable = true, .equation = EQUATION_HELMHOLTZ},
    {.order = 4},
    {.order = 2, .variable = true, .sides = SIDES_ALL(BOUNDARY_PERIODIC)},
    {.order = 4, .variable = true, .sides = SIDES_ALL(BOUNDARY_PERIODIC)},
};
enum { NUM_OPERATORS = sizeof operators / sizeof operators[0] };

static struct hierarchy_choice one_box(int op, int log2_dim)
{
    struct hierarchy_choice choice = case_choice(2, false, false, SMOOTHER_GSRB, log2_dim, 1);
    choice.op = operators[op];
    return choice;
}

/* False if a solve on the GPU has another checksum than on the CPU. */
static bool agrees(struct solver *s, const struct operator_choice *op, uint64_t expected)
{
    struct solve_result result;
    solver_run(s, &result);
    const struct level *l = s->hierarchy->levels[0];
    const uint64_t checksum = reduce_checksum(l, FIELD_U);
    if (checksum == expected)
        return true;
    printf("order %d%s%s%s, %d^3: checksum %016" PRIx64 ", on the CPU %016" PRIx64 "\n", op->order,
           op->equation ? ", helmholtz" : "", op->variable ? "" : ", constant",
           sides_wrap(&op->sides, 0) ? ", periodic" : "", l->n[0], checksum, expected);
    return false;
}

/* Solves with all operators alternately; returns the solves that differ. */
static int count_differences(int log2_dim)
{
    struct solver *solvers[NUM_OPERATORS];
    uint64_t expected[NUM_OPERATORS];
    int differences = 0;
    for (int op = 0; op < NUM_OPERATORS; op++) {
        struct hierarchy_choice choice = one_box(op, log2_dim);
        expected[op] = case_f_cycle(&choice, NULL);
        choice.placement.backend = &backend_cuda;
        solvers[op] =
            solver_create(hierarchy_create(&choice), 0, (struct solver_choice){.f_cycle = true});
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int op = 0; op < NUM_OPERATORS; op++)
            differences += !agrees(solvers[op], &operators[op], expected[op]);
    for (int op = 0; op < NUM_OPERATORS; op++) {
        struct hierarchy *h = solvers[op]->hierarchy;
        solver_destroy(solvers[op]);
        hierarchy_destroy(h);
    }
    return differences;
}

int main(int argc, char **argv)
{
    char message[256];
    int status = NO_GPU;
    comm_start(&argc, &argv);
    if (cuda_open(0, message, sizeof message)) {
        const int differences = count_differences(5) + count_differences(6);
        cuda_close();
        printf("%d of %d solves differ\n", differences, 2 * ROUNDS * NUM_OPERATORS);
        status = differences > 0 || memory_live_blocks() > 0;
    } else {
        printf("%s\n", message);
    }
    comm_finish();
    return status;
}
