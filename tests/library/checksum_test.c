/* SPDX-License-Identifier: BSD-3-Clause */
/* The library computes the program's solution bit for bit from the program's data, which lies in
 * the fields of the program's own levels: blocks with strides of their own, on a GPU in its memory.
 */
#include "config/environment.h"
#include "config/setup.h"
#include "operators/problem.h"
#include "solvers/reduce.h"
#include "support/library.h"

enum { LOG2_BOX_DIM = 3, BOXES = 4 };

/* The program's hierarchy for a domain of BOXES boxes per side with these options. */
static struct hierarchy *create_hierarchy(const char *const *words, struct solver_choice *solver)
{
    struct solver_options o;
    option_set_defaults(&solver_options_list, &o);
    for (int w = 0; words[w]; w += 2)
        REQUIRE(option_set(option_find(&solver_options_list, words[w], 0), &o, words[w + 1]));
    if (o.cpu_below == 0)
        o.cpu_below = BELOW_NEVER;
    struct hierarchy_choice choice = setup_hierarchy(&o, strcmp(backend, "gpu") == 0);
    choice.log2_box_dim = LOG2_BOX_DIM;
    choice.boxes_per_rank = BOXES * BOXES * BOXES;
    for (int d = 0; d < 3; d++)
        choice.domain.boxes[d] = BOXES;
    *solver = setup_solver(&o);
    option_release(&solver_options_list, &o);
    return hierarchy_allocate(&choice);
}

/* Hands the data of the level to the solver. */
static void set_all(struct hpgmg *s, const struct level *l)
{
    static const struct {
        enum hpgmg_field to;
        enum field from;
    } all[] = {{HPGMG_F, FIELD_F},
               {HPGMG_ALPHA, FIELD_ALPHA},
               {HPGMG_BETA_I, FIELD_BETA_I},
               {HPGMG_BETA_J, FIELD_BETA_J},
               {HPGMG_BETA_K, FIELD_BETA_K}};
    for (size_t f = 0; f < sizeof all / sizeof all[0]; f++) {
        if (!l->fields[all[f].from])
            continue;
        struct hpgmg_block *blocks = blocks_of(l, all[f].from);
        EXPECT(hpgmg_set(s, all[f].to, l->npatches, blocks) == HPGMG_OK);
        free(blocks);
    }
}

static void compare(const char *const *words)
{
    const int cells[3] = {BOXES << LOG2_BOX_DIM, BOXES << LOG2_BOX_DIM, BOXES << LOG2_BOX_DIM};
    struct hpgmg *s = create_solver(cells, words);
    struct hpgmg_result mine;
    struct solve_result theirs;
    struct solver_choice choice;
    struct hierarchy *h = create_hierarchy(words, &choice);
    struct level *l = h->levels[0];
    problem_fill(l, PROBLEM_FV);
    set_all(s, l);
    hierarchy_set_rhs(h);
    hierarchy_set_operator(h);
    struct solver *solver = solver_create(h, 0, choice);
    solver_run(solver, &theirs);
    const uint64_t checksum = reduce_checksum(l, FIELD_U);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &mine) == HPGMG_OK);
    struct hpgmg_block *blocks = blocks_of(l, FIELD_U);
    EXPECT(hpgmg_get(s, HPGMG_U, l->npatches, blocks) == HPGMG_OK);
    EXPECT(reduce_checksum(l, FIELD_U) == checksum);
    EXPECT(mine.cycles == theirs.cycles);
    EXPECT(memcmp(mine.history, theirs.history, (size_t)mine.cycles * sizeof(double)) == 0);
    free(blocks);
    solver_destroy(solver);
    hierarchy_destroy(h);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

int main(int argc, char **argv)
{
    static const char *const cases[][12] = {
        {"rtol", "none"},
        {"rtol", "none", "order", "4"},
        {"rtol", "none", "boundary", "periodic"},
        {"rtol", "none", "order", "4", "boundary", "periodic"},
        {"rtol", "none", "order", "4", "boundary", "periodic,neumann,dirichlet/neumann"},
        {"rtol", "1e-7", "order", "4", "equation", "helmholtz", "boundary", "neumann"},
        {"order", "4", "smoother", "chebyshev", "rtol", "1e-6"},
        {"rtol", "1e-7", "coefficients", "constant", "cycle", "v"},
        {"solver", "idr", "rtol", "1e-9"},
        {"bottom", "cg", "smoother", "jacobi", "cycle", "w", "rtol", "1e-9"},
    };
    test_begin(argc, argv);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        compare(cases[c]);
    return test_end();
}
