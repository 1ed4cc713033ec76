/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows are worked on in chunks that fit into the innermost cache. A row of several chunks gives the
 * bits of its pieces, each shorter than a chunk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "cpu/operations.h"
#include "support/random.h"

enum { LENGTH = 640, PIECE = 40, ROWS = 2, MARGIN = 4 };
enum { SJ = LENGTH + 2 * MARGIN, SK = SJ * (ROWS + 2 * MARGIN), FIELD = SK * (ROWS + 2 * MARGIN) };
enum { ORIGIN = MARGIN * (1 + SJ + SK) };

/* What passes read and write, at any place of it. */
enum { U, OUT, F, ALPHA, DINV, BETA_I, BETA_J, BETA_K, RESIDUAL, COARSE_U, COARSE_F, ARRAYS };
static double before[ARRAYS][FIELD], arrays[ARRAYS][FIELD], wanted[ARRAYS][FIELD];

static void fill(long number)
{
    random_begin(number);
    for (int a = 0; a < ARRAYS; a++)
        for (int x = 0; x < FIELD; x++)
            before[a][x] = (double)(random_bits() >> 11) * 0x1p-52 - 1.0;
}

/* Works on the first `length` cells of rows from column `start` on, which is even. */
static void work(const struct stencil *s, const struct operation *op, int start, int length,
                 struct thread_state *state)
{
    const struct patch patch = {.n = {length, ROWS, ROWS}, .sj = SJ, .sk = SK};
    const int at = ORIGIN + start, coarse = ORIGIN + start / 2;
    const struct patch_pass pass = {
        .stencil = s,
        .patch = &patch,
        .buffer = {arrays[U] + at, arrays[OUT] + at},
        .operands = {arrays[F] + at, arrays[ALPHA] + at, arrays[DINV] + at, arrays[BETA_I] + at,
                     arrays[BETA_J] + at, arrays[BETA_K] + at, s->scale},
        .residual = arrays[RESIDUAL] + at,
        .coarse_u = arrays[COARSE_U] + coarse,
        .coarse_f = arrays[COARSE_F] + coarse,
        .coarse_sj = SJ,
        .coarse_sk = SK,
    };
    for (int k = 0; k < ROWS; k += op->grain)
        op->step(&pass, op, (struct range){0, ROWS}, (struct range){k, k + op->grain}, state);
}

static void check(const struct stencil *s, struct operation op)
{
    struct thread_state whole = {0}, pieces = {0};
    memcpy(arrays, before, sizeof arrays);
    for (int start = 0; start < LENGTH; start += PIECE)
        work(s, &op, start, PIECE, &pieces);
    memcpy(wanted, arrays, sizeof arrays);
    memcpy(arrays, before, sizeof arrays);
    work(s, &op, 0, LENGTH, &whole);
    EXPECT(memcmp(arrays, wanted, sizeof arrays) == 0);
    EXPECT(whole.norm == pieces.norm);
}

static void long_rows_are_prolonged(void **state)
{
    (void)state;
    const struct stencil s =
        stencil_create((struct operator_choice){.order = 2}, (const int[3]){8, 8, 8});
    fill(0);
    for (int prolongation = 2; prolongation <= 4; prolongation += 2) {
        check(&s, (struct operation){.step = step_prolong_set, .sweep = prolongation, .grain = 1});
        check(&s, (struct operation){.step = step_prolong_add, .sweep = prolongation, .grain = 1});
    }
}

static void check_operator(const struct operator_choice *choice)
{
    struct stencil s = stencil_create(*choice, (const int[3]){8, 8, 8});
    stencil_set_lambda_max(&s, 1.9);
    for (int kind = ROW_COLOURED; kind < NUM_ROW_KINDS; kind++)
        check(&s, (struct operation){.step = step_sweep,
                                     .row = operator_rows(choice)->update[kind],
                                     .sweep = 2,
                                     .relaxation = stencil_relaxation(&s, 2),
                                     .grain = 1});
    row_fn *const residual = operator_rows(choice)->update[ROW_RESIDUAL];
    check(&s,
          (struct operation){.step = step_residual_store, .row = residual, .sweep = 2, .grain = 1});
    check(&s,
          (struct operation){.step = step_residual_norm, .row = residual, .sweep = 2, .grain = 1});
    check(&s, (struct operation){
                  .step = step_residual_restrict, .row = residual, .sweep = 2, .grain = 2});
}

static void long_rows_are_swept(void **state)
{
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        const struct operator_choice choice = {.order = variant & 1 ? 4 : 2,
                                               .equation = variant & 2 ? EQUATION_HELMHOLTZ
                                                                       : EQUATION_POISSON,
                                               .variable = variant & 4,
                                               .smoother = SMOOTHER_CHEBYSHEV};
        fill(variant);
        check_operator(&choice);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_rows_are_prolonged),
        cmocka_unit_test(long_rows_are_swept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
