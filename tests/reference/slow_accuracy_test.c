/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of errors and orders by which runs are judged, src/app/accuracy_record.def: the solver
 * still finds what is written there, up to 64³ and, with gsrb, 128³.
 *     slow_accuracy_test --record 1024 >src/app/accuracy_record.def
 * makes the record anew, on a GPU if there is one: up to so many cells per side, and up to 256 for
 * the manufactured problems, whose tables of tanh take long. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "app/accuracy.h"
#include "cuda/cuda.h"
#include "support/sides.h"
#include "support/solve_case.h"

enum { LARGEST_MANUFACTURED = 256, LARGEST_TESTED = 64, LARGEST_TESTED_GSRB = 128 };
enum { NUM_COLUMNS = 5 };

static const char *const columns[NUM_COLUMNS] = {"CONVERGED", "F_GSRB", "F_CHEBYSHEV", "F_JACOBI",
                                                 "F_L1JACOBI"};

struct row {
    int problem, column;
    struct operator_choice op;
};

/* Row `number` of all; false after the last. */
static bool row_number(int number, struct row *row)
{
    const int column = number % NUM_COLUMNS, code = number / NUM_COLUMNS;
    *row = (struct row){.problem = code / 16, .column = column};
    row->op = (struct operator_choice){.order = code & 8 ? 4 : 2,
                                       .sides = sides_if(code & 4),
                                       .equation = (code & 2) != 0,
                                       .variable = (code & 1) != 0,
                                       .smoother = column == 0 ? SMOOTHER_GSRB
                                                               : (enum smoother)(column - 1)};
    return row->problem < PROBLEM_COUNT;
}

static struct accuracy solve(const struct row *row, int dim)
{
    static struct case_result result;
    const bool on_gpu = cuda_device() != NULL;
    int log2_box_dim = 0;
    while (dim % (2 << log2_box_dim) == 0)
        log2_box_dim++;
    const long boxes_per_side = dim >> log2_box_dim;
    const struct hierarchy_choice choice = {
        .log2_box_dim = log2_box_dim,
        .boxes_per_rank = boxes_per_side * boxes_per_side * boxes_per_side,
        .op = row->op,
        .problem = row->problem,
        .placement = {.backend = on_gpu ? &backend_cuda : &backend_cpu,
                      .coarse_backend = on_gpu ? &backend_cuda_host : NULL,
                      .cpu_below = 1}};
    const struct solver_choice solver = {
        .f_cycle = true, .rtol = row->column == 0 ? 1e-11 : 0.0, .max_cycles = 20};
    case_run(&choice, solver, &result);
    const double *errors = result.true_errors;
    if (problems[row->problem].exact)
        return (struct accuracy){errors[0], log2(errors[1] / errors[0]), true};
    return (struct accuracy){result.richardson_error, result.richardson_order, true};
}

static void print_record(int largest)
{
    struct row row;
    printf("/* clang-format off */\n"
           "/* Made by tests/reference/slow_accuracy_test --record. Error and order at 16^3, 32^3, "
           "64^3 ... */\n");
    for (int number = 0; row_number(number, &row); number++) {
        const int most = problems[row.problem].exact && largest > LARGEST_MANUFACTURED
                             ? LARGEST_MANUFACTURED
                             : largest;
        printf("RECORD(");
        for (const char *c = problems[row.problem].name; *c; c++)
            putchar(toupper((unsigned char)*c));
        printf(", %d, %s, %s, %s, %s", row.op.order,
               sides_wrap(&row.op.sides, 0) ? "PERIODIC" : "DIRICHLET",
               row.op.equation ? "HELMHOLTZ" : "POISSON", row.op.variable ? "VARIABLE" : "CONSTANT",
               columns[row.column]);
        for (int dim = ACCURACY_SMALLEST; dim <= most; dim *= 2) {
            const struct accuracy a = solve(&row, dim);
            printf(", {%.4e, %.3f}", a.error, a.order);
        }
        printf(")\n");
        fflush(stdout);
    }
}

static bool agrees(const struct row *row, int dim)
{
    struct accuracy known;
    const struct accuracy found = solve(row, dim);
    const bool there = row->column == 0 ? accuracy_converged(row->op, row->problem, dim, &known)
                                        : accuracy_f_cycle(row->op, row->problem, dim, &known);
    if (there && known.recorded && fabs(found.error - known.error) <= 1e-3 * known.error &&
        fabs(found.order - known.order) <= 2e-3)
        return true;
    printf("%s, order %d, periodic %d, helmholtz %d, variable %d, %s, %d^3: %.4e, %.3f\n",
           problems[row->problem].name, row->op.order, sides_wrap(&row->op.sides, 0),
           row->op.equation, row->op.variable, columns[row->column], dim, found.error, found.order);
    return false;
}

static int count_differences(void)
{
    struct row row;
    int bad = 0;
    for (int number = 0; row_number(number, &row); number++) {
        const int largest = row.op.smoother == SMOOTHER_GSRB ? LARGEST_TESTED_GSRB : LARGEST_TESTED;
        for (int dim = ACCURACY_SMALLEST; dim <= largest; dim *= 2)
            bad += !agrees(&row, dim);
    }
    return bad;
}

int main(int argc, char **argv)
{
    char message[256];
    int bad = 0;
    comm_start(&argc, &argv);
    cuda_open(0, message, sizeof message);
    if (argc == 3 && strcmp(argv[1], "--record") == 0)
        print_record(atoi(argv[2]));
    else
        printf("%d differ\n", bad = count_differences());
    cuda_close();
    comm_finish();
    return bad != 0;
}
