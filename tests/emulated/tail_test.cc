/* SPDX-License-Identifier: BSD-3-Clause */
/* The tail, its own source, on all of its blocks at once: F-cycles on levels of
 * the tail give u bitwise identical to the CPU's. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mpi.h>
extern "C" {
#include <cmocka.h>
#include "backend/bottom_counts.h"
#include "comm/comm.h"
#include "cpu/cpu.h"
#include "level/build.h"
#include "operators/operands.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "solvers/krylov.h"
#include "solvers/reduce.h"
#include "solvers/solver.h"
#include "solvers/walls.h"
}
#pragma GCC diagnostic ignored "-Winvalid-offsetof" /* of members that the compiler knows */
#include "cuda/core/launch.cuh"
#include "cuda/coarse/run.cuh"
#include "cuda/coarse/tail.cu"

static std::mt19937 random_order;
static int multiprocessors;
static struct device_limits limits;
static unsigned long long norm_word;

/* --- in place of other parts of the CUDA backend ------------------------------------------------
 */

int cuda_multiprocessors()
{
    return multiprocessors;
}

const struct device_limits *cuda_limits()
{
    return &limits;
}

bool kernel_is_chosen(const struct kernel *)
{
    return true;
}

void *cuda_keep_bytes(void **block, size_t bytes, const char *)
{
    if (!*block) {
        *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
        memset(*block, 0, bytes);
    }
    return *block;
}

unsigned long long *cuda_norm_word()
{
    return &norm_word;
}

void cuda_fetch_norm(uint64_t *norm)
{
    *norm = max((unsigned long long)*norm, norm_word);
    norm_word = 0;
}

struct bottom_work bottom_open(struct level *level, enum field u, enum field f, double reduction,
                               int max_iterations)
{
    static struct bottom_counts counts;
    const struct patch *p = &level->patches[0];
    const auto field = [&](int x) { return level->fields[x] + p->offset; };
    const int *n = level->n;
    struct bottom_work w = {};
    w.c = {{n[0], n[1], n[2]}, {}, p->offset, p->sj, p->sk, {}, {}};
    for (int side = 0; side < 6; side++)
        w.c.wall[side / 2][side % 2] = p->wall[side / 2][side % 2];
    for (int sweep = 0; sweep < SMOOTHER_SWEEPS; sweep++)
        w.relaxations[sweep] = stencil_relaxation(level->stencil, sweep);
    w.v = {operands_of(level, p, f), NULL, p->sj, p->sk};
    w.u = field(u);
    w.tmp = field(FIELD_TMP);
    w.work[0] = field(FIELD_KRYLOV);
    w.singular = operator_is_singular(&level->stencil->choice);
    w.in_place = level->stencil->in_place;
    w.ghosts = level->stencil->radius;
    w.wall_rule = stencil_walls(level->stencil)->cells;
    w.cells = cuboid_of(n[0], n[1], n[2]);
    w.max_iterations = max_iterations;
    w.reduction = reduction;
    w.counts = &counts;
    return w;
}

template <class Op>
void tail_launch(const struct tail &tail, const struct tail_walls &rules, int blocks, size_t bytes)
{
    assert_true(bytes <= limits.shared_per_block);
    const bool done = emulated::run_cooperative(blocks, TAIL_THREADS, bytes, random_order, [&] {
        run_tail_block<Op>(tail, rules, *reinterpret_cast<block_memory<Op> *>(shared_memory));
    });
    assert_true(done);
}

/* --- a backend of the CPU's functions but for steps ---------------------------------------------
 */

/* The coarsest level while the host solves there, since it is too large for the tail's solver. */
static const struct level *host_bottom;

static void run_nothing(const struct pass *p)
{
    if (p->level != host_bottom)
        fail_msg("a pass on %s cells that is no stage of the tail", extent_format(p->level->n).of);
    backend_cpu.passes->run(p);
}

static void solve_nothing(struct level *l, enum field u, enum field f, double reduction,
                          int max_iterations)
{
    if (warp_solves(l->n))
        fail_msg("a bottom solve that is no stage of the tail");
    host_bottom = l;
    krylov_bicgstab(l, u, f, reduction, max_iterations);
    if (operator_is_singular(&l->stencil->choice))
        reduce_subtract_mean(l, u);
    host_bottom = NULL;
}

static const struct backend *tail_backend()
{
    static struct passes passes;
    static struct backend backend;
    backend = backend_cpu;
    passes = *backend_cpu.passes;
    passes.run = run_nothing;
    passes.bottom_solve = solve_nothing;
    passes.run_stages = cuda_run_stages;
    backend.wraps = true;
    backend.passes = &passes;
    return &backend;
}

/* Sets all ghosts to NaN: of a level with wrapped directions only those of β may be read. */
static void spoil_ghosts(const struct level *l, enum field field)
{
    const struct patch *p = &l->patches[0];
    const int *n = l->n, g = l->ghosts;
    for (int k = -g; k < n[2] + g; k++)
        for (int j = -g; j < n[1] + g; j++)
            for (int i = -g; i < n[0] + g; i++)
                if (i < 0 || i >= n[0] || j < 0 || j >= n[1] || k < 0 || k >= n[2])
                    l->fields[field][p->offset + i + j * p->sj + k * p->sk] = std::nan("");
}

static void spoil_all_ghosts(const struct hierarchy *h)
{
    for (int x = 0; x < h->nlevels; x++)
        for (int field = 0; field < NUM_FIELDS; field++)
            if (h->levels[x]->fields[field] && (field < FIELD_BETA_I || field > FIELD_BETA_K))
                spoil_ghosts(h->levels[x], (enum field)field);
}

/* Puts values on all walls, which the F-cycle then counts with on all levels. */
static void set_walls(struct hierarchy *h)
{
    struct level *l = h->levels[0];
    struct wall_values values = {};
    for (int wall = 0; wall < 6; wall++) {
        const int d = wall / 2, side = wall % 2;
        if (!l->patches[0].wall[d][side])
            continue;
        std::vector<double> faces((size_t)wall_faces(l, d, side));
        for (size_t face = 0; face < faces.size(); face++)
            faces[face] = 1.0 + std::sin((double)(face + 7 * (size_t)wall));
        values.g[d][side] = wall_plane_create(l, d, side, faces.data());
    }
    struct wall_terms *terms = wall_terms_create(l, l->stencil->radius);
    wall_terms_set_operator(terms, &values, NUM_FIELDS);
    wall_terms_add(terms, FIELD_F);
    hierarchy_set_walls(h, &values, terms);
    wall_terms_destroy(terms);
    wall_values_release(&values);
}

static bool walls_have_values;

/* The checksum of u after an F-cycle. */
static uint64_t f_cycle(struct hierarchy_choice choice, const struct backend *backend)
{
    static struct solve_result result;
    choice.placement.backend = backend;
    struct hierarchy *h = hierarchy_create(&choice);
    if (walls_have_values)
        set_walls(h);
    if (backend->wraps && sides_have(&choice.op.sides, BOUNDARY_PERIODIC))
        spoil_all_ghosts(h);
    struct solver_choice f = {};
    f.f_cycle = true;
    struct solver *s = solver_create(h, 0, f);
    solver_run(s, &result);
    const uint64_t checksum = reduce_checksum(h->levels[0], FIELD_U);
    solver_destroy(s);
    hierarchy_destroy(h);
    return checksum;
}

/* Sides of different kinds, singular operators included. */
static const struct sides mixtures[] = {
    SIDES_ALL(BOUNDARY_NEUMANN),
    {{{BOUNDARY_PERIODIC, BOUNDARY_PERIODIC},
      {BOUNDARY_NEUMANN, BOUNDARY_NEUMANN},
      {BOUNDARY_DIRICHLET, BOUNDARY_DIRICHLET}}},
    {{{BOUNDARY_DIRICHLET, BOUNDARY_NEUMANN},
      {BOUNDARY_PERIODIC, BOUNDARY_PERIODIC},
      {BOUNDARY_NEUMANN, BOUNDARY_DIRICHLET}}},
    {{{BOUNDARY_NEUMANN, BOUNDARY_DIRICHLET},
      {BOUNDARY_DIRICHLET, BOUNDARY_NEUMANN},
      {BOUNDARY_PERIODIC, BOUNDARY_PERIODIC}}},
    {{{BOUNDARY_DIRICHLET, BOUNDARY_DIRICHLET},
      {BOUNDARY_DIRICHLET, BOUNDARY_NEUMANN},
      {BOUNDARY_DIRICHLET, BOUNDARY_DIRICHLET}}},
    {{{BOUNDARY_NEUMANN, BOUNDARY_NEUMANN},
      {BOUNDARY_PERIODIC, BOUNDARY_PERIODIC},
      {BOUNDARY_PERIODIC, BOUNDARY_PERIODIC}}},
};

static void set_limits(int blocks, const char *limits_of)
{
    multiprocessors = blocks;
    limits = {227 * 1024, true};
    assert_true(device_limits_lower(&limits, limits_of));
}

static struct hierarchy_choice choice_of(int order, bool periodic, enum smoother smoother,
                                         int log2_box_dim, long boxes)
{
    struct hierarchy_choice choice = {};
    choice.log2_box_dim = log2_box_dim;
    choice.boxes_per_rank = boxes;
    choice.op.order = order;
    choice.op.variable = true;
    choice.op.sides = sides_all(periodic ? BOUNDARY_PERIODIC : BOUNDARY_DIRICHLET);
    choice.op.smoother = smoother;
    return choice;
}

static void check_choice(const struct hierarchy_choice &choice, int blocks, const char *limits_of)
{
    set_limits(blocks, limits_of);
    assert_true(f_cycle(choice, tail_backend()) == f_cycle(choice, &backend_cpu));
}

static void check(int order, bool periodic, enum smoother smoother, int log2_box_dim, long boxes,
                  int blocks, const char *limits_of)
{
    check_choice(choice_of(order, periodic, smoother, log2_box_dim, boxes), blocks, limits_of);
}

/* The operators that store other coefficients than poisson with variable ones. */
static void check_operators(struct hierarchy_choice choice)
{
    choice.op.equation = EQUATION_HELMHOLTZ;
    check_choice(choice, 9, "sm_90");
    choice.op.variable = false;
    check_choice(choice, 9, "sm_90");
    choice.op.equation = EQUATION_POISSON;
    check_choice(choice, 9, "sm_90");
}

template <int ORDER, bool PERIODIC>
static void cycles(void **)
{
    check(ORDER, PERIODIC, SMOOTHER_GSRB, 4, 1, 9, "sm_90");
    check(ORDER, PERIODIC, SMOOTHER_CHEBYSHEV, 4, 1, 17, "sm_86");
    check_operators(choice_of(ORDER, PERIODIC, SMOOTHER_GSRB, 4, 1));
    check(ORDER, PERIODIC, SMOOTHER_GSRB, 5, 1, 17, "sm_80");
    if (ORDER == 4 || !PERIODIC) /* order 2's bottom solver of 3³ periodic cells is the host's */
        check(ORDER, PERIODIC, SMOOTHER_JACOBI, 2, 27, 9, "sm_90");
}

template <int ORDER>
static void mixed_cycles(void **)
{
    int number = 0;
    for (const struct sides &sides : mixtures) {
        struct hierarchy_choice choice = choice_of(ORDER, false, SMOOTHER_GSRB, 4, 1);
        choice.op.sides = sides;
        check_choice(choice, 9, "sm_90");
        if (number++ % 2)
            check_operators(choice);
        choice.op.smoother = SMOOTHER_CHEBYSHEV;
        check_choice(choice, 17, "sm_86");
        if (ORDER == 4 || !sides_have(&sides, BOUNDARY_PERIODIC)) {
            choice = choice_of(ORDER, false, SMOOTHER_JACOBI, 2, 27);
            choice.op.sides = sides;
            check_choice(choice, 9, "sm_90");
        }
    }
}

static struct hierarchy_choice cuboid_choice(int order, enum smoother smoother, int log2_box_dim,
                                             const int boxes[3])
{
    struct hierarchy_choice choice =
        choice_of(order, false, smoother, log2_box_dim, (long)extent_cells(boxes));
    choice.domain = {{boxes[0], boxes[1], boxes[2]}};
    return choice;
}

/* With several smoothers and numbers of blocks: up to 16 subdomains, and more if there are cells
 * for them. */
static void check_cuboid(struct hierarchy_choice choice, const struct sides &sides)
{
    const double cells = extent_cells(choice.domain.boxes) * (1 << 3 * choice.log2_box_dim);
    choice.op.sides = sides;
    check_choice(choice, 17, "sm_90");
    if (cells > 16 * MIN_SIDE * MIN_SIDE * MIN_SIDE)
        check_choice(choice, 129, "sm_90");
    choice.op.smoother = SMOOTHER_CHEBYSHEV;
    check_choice(choice, 9, "sm_80");
}

/* Of boxes of 4^3 cells: down to levels of one cell in some direction, or of two. */
template <int ORDER>
static void cuboids(void **)
{
    static const int domains[][3] = {{4, 2, 1}, {1, 2, 4}, {8, 4, 2}, {3, 2, 1}};
    for (const int *boxes : domains) {
        const struct hierarchy_choice choice = cuboid_choice(ORDER, SMOOTHER_GSRB, 2, boxes);
        check_cuboid(choice, sides_all(BOUNDARY_DIRICHLET));
        check_cuboid(choice, mixtures[4]);
    }
}

/* Of boxes of 8^3 cells. The coarsest levels of these are the tail's: the host's passes do not
 * wrap. */
template <int ORDER>
static void wrapped_cuboids(void **)
{
    static const int domains[][3] = {{2, 1, 1}, {1, 2, 2}, {1, 1, 2}};
    int number = 0;
    for (const int *boxes : domains) {
        const struct hierarchy_choice choice = cuboid_choice(ORDER, SMOOTHER_GSRB, 3, boxes);
        check_cuboid(choice, sides_all(BOUNDARY_PERIODIC));
        check_cuboid(choice, mixtures[number++]);
    }
}

/* Levels whose ghosts are too many for the lists of one launch. */
static void lists_without_room(void **)
{
    const int boxes[3] = {7, 7, 4};
    struct hierarchy_choice choice = cuboid_choice(2, SMOOTHER_GSRB, 3, boxes);
    choice.max_levels = 4; /* 7×7×4 cells; else one direction would go on, without the tail */
    check_choice(choice, 84, "sm_90");
}

/* The tail stops where values on walls are added, and goes on after that. Of 16³, 12³ and 16×8×8
 * cells, down to levels of one or three. */
template <int ORDER>
static void values_on_walls(void **)
{
    static const int boxes[] = {2, 1, 1};
    walls_have_values = true;
    check(ORDER, false, SMOOTHER_GSRB, 4, 1, 9, "sm_90");
    check(ORDER, false, SMOOTHER_JACOBI, 2, 27, 9, "sm_90");
    for (const struct sides &sides : mixtures) {
        struct hierarchy_choice choice = cuboid_choice(ORDER, SMOOTHER_GSRB, 3, boxes);
        choice.op.sides = sides;
        check_choice(choice, 9, "sm_90");
    }
    walls_have_values = false;
}

/* With --levels no level of a list may belong to a single block, and a pass may only set u to 0. */
static void large_coarsest_level(void **)
{
    for (int order = 2; order <= 4; order += 2) {
        struct hierarchy_choice choice = choice_of(order, false, SMOOTHER_GSRB, 5, 1);
        choice.max_levels = 2;
        check_choice(choice, 17, "sm_90");
    }
}

static void sweep_once(struct level *l, int sweep)
{
    struct pass pass = {};
    pass.level = l;
    pass.u = FIELD_U;
    pass.f = FIELD_F;
    pass.first_sweep = sweep;
    pass.nsweeps = 1;
    level_exchange_halo(l, FIELD_F);
    level_exchange_halo(l, l->stencil->in_place || sweep % 2 == 0 ? FIELD_U : FIELD_TMP);
    l->backend->passes->run(&pass);
}

/* The checksum of u on the coarsest level after one iteration of BiCGStab, which does not suffice,
 * and the fallback: as many sweeps as a smoothing has. */
static uint64_t bottom_solve(struct hierarchy_choice choice, const struct backend *backend)
{
    choice.placement.backend = backend;
    struct hierarchy *h = hierarchy_create(&choice);
    struct level *l = h->levels[h->nlevels - 1];
    struct stage stage = {};
    stage.kind = STAGE_BOTTOM;
    stage.on_device = true;
    stage.pass.level = l;
    stage.pass.u = FIELD_U;
    stage.pass.f = FIELD_F;
    stage.reduction = 1e-12;
    stage.max_iterations = 1;
    for (long x = 0; x < l->field_length; x++)
        l->fields[FIELD_F][x] = (double)(x * x % 17);
    vector_add_constant(l, FIELD_U, 1.0);
    if (backend->passes->run_stages == cuda_run_stages) {
        assert_int_equal(cuda_run_stages(&stage, 1), 1);
    } else {
        assert_int_equal(krylov_bicgstab(l, FIELD_U, FIELD_F, 1e-12, 1).breakdown,
                         BREAKDOWN_ITERATIONS);
        for (int sweep = 0; sweep < SMOOTHER_SWEEPS; sweep++)
            sweep_once(l, sweep);
        if (operator_is_singular(&choice.op))
            reduce_subtract_mean(l, FIELD_U);
    }
    const uint64_t checksum = reduce_checksum(l, FIELD_U);
    hierarchy_destroy(h);
    return checksum;
}

static void fallback(void **)
{
    set_limits(9, "sm_90");
    for (int order = 2; order <= 4; order += 2) {
        const struct hierarchy_choice walls = choice_of(order, false, SMOOTHER_GSRB, 2, 27),
                                      wrapped = choice_of(order, true, SMOOTHER_JACOBI, 4, 1);
        assert_true(bottom_solve(walls, tail_backend()) == bottom_solve(walls, &backend_cpu));
        assert_true(bottom_solve(wrapped, tail_backend()) == bottom_solve(wrapped, &backend_cpu));
        struct hierarchy_choice mixed = wrapped;
        mixed.op.sides = mixtures[2];
        assert_true(bottom_solve(mixed, tail_backend()) == bottom_solve(mixed, &backend_cpu));
    }
}

/* What fits into a block. */
template <class Op>
static void check_block(const char *limits_of, int single_block_dim, int side)
{
    set_limits(132, limits_of);
    const struct block_choice block = block_for<Op>();
    assert_int_equal(block.limits.single_block_dim, single_block_dim);
    assert_int_equal(block.limits.side, side);
}

static void older_gpus_have_a_tail(void **)
{
    check_block<op_fv4_helmholtz>("sm_80", SINGLE_BLOCK_DIM, SUBDOMAIN_SIDE);
    check_block<op_fv4_helmholtz>("sm_86", MIN_SINGLE_BLOCK_DIM, SMALL_SIDE);
    check_block<op_fv4_constant_helmholtz>("sm_86", SINGLE_BLOCK_DIM, SUBDOMAIN_SIDE);
    check_block<op_fv2_helmholtz>("sm_80", SINGLE_BLOCK_DIM, SUBDOMAIN_SIDE);
    check_block<op_fv2>("sm_86", SINGLE_BLOCK_DIM, SMALL_SIDE);
    check_block<op_fv2_helmholtz>("sm_86", MIN_SINGLE_BLOCK_DIM, SMALL_SIDE);
}

/* The argument, if there is one, is a pattern of tests: "*cuboids". */
int main(int argc, char **argv)
{
    comm_start(&argc, &argv);
    const struct CMUnitTest tests[] = {
        {"older GPUs have a tail", older_gpus_have_a_tail, NULL, NULL, NULL},
        {"the bottom solver's fallback", fallback, NULL, NULL, NULL},
        {"a large coarsest level", large_coarsest_level, NULL, NULL, NULL},
        {"order 2 with walls", cycles<2, false>, NULL, NULL, NULL},
        {"order 2, periodic", cycles<2, true>, NULL, NULL, NULL},
        {"order 4 with walls", cycles<4, false>, NULL, NULL, NULL},
        {"order 4, periodic", cycles<4, true>, NULL, NULL, NULL},
        {"order 2, mixed sides", mixed_cycles<2>, NULL, NULL, NULL},
        {"order 4, mixed sides", mixed_cycles<4>, NULL, NULL, NULL},
        {"order 2, cuboids", cuboids<2>, NULL, NULL, NULL},
        {"order 4, cuboids", cuboids<4>, NULL, NULL, NULL},
        {"order 2, wrapped cuboids", wrapped_cuboids<2>, NULL, NULL, NULL},
        {"order 4, wrapped cuboids", wrapped_cuboids<4>, NULL, NULL, NULL},
        {"order 2, values on walls", values_on_walls<2>, NULL, NULL, NULL},
        {"order 4, values on walls", values_on_walls<4>, NULL, NULL, NULL},
        {"lists without room for all levels", lists_without_room, NULL, NULL, NULL},
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comm_finish();
    return failed;
}
