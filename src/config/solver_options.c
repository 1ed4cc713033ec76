/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/solver_options.h"
#include "cli/option_rows.h"

const struct choice order_choices[] = {{"2", 2}, {"4", 4}, {NULL, 0}};
const struct choice equation_choices[] = {
    {"poisson", EQUATION_POISSON}, {"helmholtz", EQUATION_HELMHOLTZ}, {NULL, 0}};
const struct choice boundary_choices[] = {{"dirichlet", BOUNDARY_DIRICHLET},
                                          {"periodic", BOUNDARY_PERIODIC},
                                          {"neumann", BOUNDARY_NEUMANN},
                                          {NULL, 0}};
const struct choice coefficient_choices[] = {
    {"variable", COEFFICIENTS_VARIABLE}, {"constant", COEFFICIENTS_CONSTANT}, {NULL, 0}};
const struct choice smoother_choices[] = {{"gsrb", SMOOTHER_GSRB},
                                          {"chebyshev", SMOOTHER_CHEBYSHEV},
                                          {"jacobi", SMOOTHER_JACOBI},
                                          {"l1jacobi", SMOOTHER_L1JACOBI},
                                          {NULL, 0}};
const struct choice backend_choices[] = {
    {"auto", BACKEND_AUTO}, {"cpu", BACKEND_CPU}, {"gpu", BACKEND_GPU}, {NULL, 0}};
const struct choice cycle_choices[] = {{"f", CYCLE_F}, {"v", CYCLE_V}, {"w", CYCLE_W}, {NULL, 0}};
const struct choice precision_choices[] = {
    {"double", PRECISION_DOUBLE}, {"mixed", PRECISION_MIXED}, {NULL, 0}};
const struct choice outer_choices[] = {
    {"mg", OUTER_NONE}, {"idr", OUTER_IDR}, {"auto", OUTER_AUTO}, {NULL, 0}};
const struct choice bottom_choices[] = {{"bicgstab", BOTTOM_METHOD_BICGSTAB},
                                        {"cg", BOTTOM_METHOD_CG},
                                        {"smooth", BOTTOM_METHOD_SMOOTH},
                                        {NULL, 0}};
const struct choice below_choices[] = {{"never", BELOW_NEVER}, {NULL, 0}};
const struct choice transport_choices[] = {{"auto", TRANSPORT_AUTO},
                                           {"peer", TRANSPORT_PEER},
                                           {"cuda-aware", TRANSPORT_CUDA_AWARE},
                                           {"staged", TRANSPORT_STAGED},
                                           {NULL, 0}};
const struct choice overlap_choices[] = {{"never", OVERLAP_NEVER}, {NULL, 0}};
const struct choice loop_choices[] = {{"tiled", false}, {"plain", true}, {NULL, 0}};
const struct choice fuse_choices[] = {{"on", false}, {"off", true}, {NULL, 0}};

#define AT(member) .offset = offsetof(struct solver_options, member)
static const struct option_row rows[] = {
#include "config/solver_options.def"
};
const struct option_list solver_options_list = {rows, sizeof rows / sizeof rows[0],
                                                sizeof(struct solver_options)};

struct sides boundary_sides(const int boundary[6])
{
    struct sides s;
    for (int side = 0; side < 6; side++)
        s.of[side / 2][side % 2] = (enum boundary)boundary[side];
    return s;
}

enum status parser_check_boundary(struct parser *p, const int boundary[6])
{
    for (int d = 0; d < 3; d++)
        if ((boundary[2 * d] == BOUNDARY_PERIODIC) != (boundary[2 * d + 1] == BOUNDARY_PERIODIC))
            return parser_fail(p,
                               "--boundary: direction %c is periodic on one side; both sides of "
                               "a direction are periodic, or none is",
                               "ijk"[d]);
    return STATUS_VALID;
}

/* One F-cycle needs no tolerance; V-cycles and IDR do. */
static enum status check_tolerance(struct parser *p, struct solver_options *o)
{
    if (!options_have_tolerance(o) && (o->cycle != CYCLE_F || o->outer == OUTER_IDR))
        o->rtol = 1e-10;
    if (!options_have_tolerance(o) && parser_was_given(p, "max-cycles"))
        return parser_fail(p, "--max-cycles: needs --rtol, --atol, --cycle v or w, or --solver "
                              "idr; without them one F-cycle is run");
    return STATUS_VALID;
}

/* Operators need not exist for every combination of the options that choose one. */
static enum status check_operator(struct parser *p, const struct solver_options *o)
{
    const struct operator_choice op = options_operator(o);
    if (operator_index(&op) < 0)
        return parser_fail(p, "--equation: there is none like this of this --order with these "
                              "--coefficients; take others");
    if (o->weight > 0.0 && o->smoother == SMOOTHER_CHEBYSHEV)
        return parser_fail(p, "--weight: the steps of chebyshev have weights of their own");
    return STATUS_VALID;
}

enum status solver_options_check(struct parser *p, struct solver_options *o)
{
    enum status status = parser_check_boundary(p, o->boundary);
    if (status == STATUS_VALID)
        status = check_operator(p, o);
    return status == STATUS_VALID ? check_tolerance(p, o) : status;
}

struct operator_choice options_operator(const struct solver_options *o)
{
    return (struct operator_choice){.order = o->order,
                                    .equation = (enum equation)o->equation,
                                    .variable = o->coefficients == COEFFICIENTS_VARIABLE,
                                    .sides = boundary_sides(o->boundary),
                                    .smoother = (enum smoother)o->smoother,
                                    .weight = o->weight};
}

bool options_have_tolerance(const struct solver_options *o)
{
    return o->rtol > 0.0 || o->atol > 0.0;
}
