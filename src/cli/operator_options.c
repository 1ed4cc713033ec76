/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/operator_options.h"

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
