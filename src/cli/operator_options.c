/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/operator_options.h"
#include "operators/stencil.h"

const struct choice order_choices[] = {{"2", 2}, {"4", 4}, {NULL, 0}};
const struct choice equation_choices[] = {
    {"poisson", EQUATION_POISSON}, {"helmholtz", EQUATION_HELMHOLTZ}, {NULL, 0}};
const struct choice boundary_choices[] = {
    {"dirichlet", BOUNDARY_DIRICHLET}, {"periodic", BOUNDARY_PERIODIC}, {NULL, 0}};
const struct choice coefficient_choices[] = {
    {"variable", COEFFICIENTS_VARIABLE}, {"constant", COEFFICIENTS_CONSTANT}, {NULL, 0}};
const struct choice smoother_choices[] = {{"gsrb", SMOOTHER_GSRB},
                                          {"chebyshev", SMOOTHER_CHEBYSHEV},
                                          {"jacobi", SMOOTHER_JACOBI},
                                          {"l1jacobi", SMOOTHER_L1JACOBI},
                                          {NULL, 0}};
const struct choice backend_choices[] = {
    {"auto", BACKEND_AUTO}, {"cpu", BACKEND_CPU}, {"gpu", BACKEND_GPU}, {NULL, 0}};
