/* SPDX-License-Identifier: BSD-3-Clause */
/* The headers of formulas as CUDA C++: each kernel uses every formula of one of them. Compiled with
 * the tests and never run; whether host and device agree is for the tests of the GPU backend. */
#include "operators/boundary.h"
#include "operators/formula.h"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/hash.h"
#include "operators/probe.h"
#include "operators/problem_formula.h"
#include "operators/smoothers.h"
#include "operators/sum.h"
#include "operators/transfers.h"

__global__ void use_fv2(const double *u, const double *b, double *out)
{
    out[0] = fv2_sum(u[0], u[1], u[2], u[3], u[4], u[5], u[6], b[0], b[1], b[2], b[3], b[4], b[5]);
    out[1] = fv2_constant_sum(u[0], u[1], u[2], u[3], u[4], u[5], u[6]);
    out[2] = sum_fv2(near_at(u + 13, b + 13, b + 13, b + 13, 3, 9));
    out[3] = sum_fv2_constant(near_at(u + 13, NULL, NULL, NULL, 3, 9));
}

__global__ void use_fv4(const double *u, const double *b, double *out)
{
    out[0] = fv4_flux(b[0], u[0], u[1], u[2], u[3], b[1], u[4], u[5], b[2], u[6], u[7]);
    out[1] = fv4_sum(u[0], u[1], u[2], u[3], u[4], u[5]);
    out[2] = sum_fv4(near_at(u + 62, b + 62, b + 62, b + 62, 5, 25));
    out[3] = fv4_constant_sum(u[0], u[1], u[2], u[3], u[4], u[5], u[6]);
    out[4] = sum_fv4_constant(near_at(u + 62, NULL, NULL, NULL, 5, 25));
    out[5] = fv4_wall_flux(b[0], u[0], b[1], u[1], b[2], u[2]);
}

__global__ void use_problem(const struct fv_point *p, const double *s, double *out)
{
    out[0] = fv_rhs(p[0], p[1], p[2], s[0]);
    out[1] = fv_beta(s[0], s[1], s[2], s[3], s[4]);
}

__global__ void use_smoothers(const double *u, double *out)
{
    out[0] = rhs_poisson(u[0], u[1], u[2]);
    out[1] = rhs_helmholtz(u[0], u[1], u[2]);
    out[2] = rhs_helmholtz_unit(u[0], u[1], u[2]);
    out[3] = residual_value(u[0], u[1], u[2]);
    out[4] = relax_zero(u[0], u[1], u[2]);
    out[5] = update_weighted(u[0], u[1], u[2], u[3]);
    out[6] = update_two_step(u[0], u[1], u[2], u[3], u[4], u[5]);
}

__global__ void use_boundary(const double *x, double *out)
{
    const struct side_weights side = side_weights_of(WALL_NEUMANN, WALL_QUARTIC);
    out[0] = wall_ghost(WALL_DIRICHLET, WALL_LINEAR, 0, x);
    out[1] = wall_ghost(WALL_DIRICHLET, WALL_QUADRATIC, 0, x);
    out[2] = wall_ghost(WALL_DIRICHLET, WALL_QUARTIC, 0, x);
    out[3] = wall_ghost(WALL_DIRICHLET, WALL_QUARTIC, 1, x);
    out[7] = side_ghost(&side, WALL_QUARTIC, 1, x);
    out[8] = wall_value_weight(&side, WALL_NEUMANN, 1);
    out[4] = beta_extrapolate_5(x[0], x[1], x[2], x[3], x[4]);
    out[5] = beta_extrapolate_4(x[0], x[1], x[2], x[3]);
    out[6] = beta_extrapolate_2(x[0], x[1]);
}

__global__ void use_transfers(const double *x, double *out)
{
    out[0] = restrict_cell(x[0], x[1], x[2], x[3]);
    out[1] = restrict_face(x[0], x[1], x[2], x[3]);
    out[2] = prolong2_low(x[0], x[1], x[2]);
    out[3] = prolong2_high(x[0], x[1], x[2]);
    out[4] = prolong4_low(x[0], x[1], x[2], x[3], x[4]);
    out[5] = prolong4_high(x[0], x[1], x[2], x[3], x[4]);
}

__global__ void use_sum(const double *x, double *out)
{
    const uint64_t bits = magnitude_bits(x[0]);
    const int exponent = sum_exponent(bits);
    int64_t digits[SUM_DIGITS] = {0, 0, 0};
    sum_digits(x[1], ldexp(1.0, SUM_DIGIT_BITS - exponent), digits);
    out[0] = bits_to_double(bits);
    out[1] = sum_value(digits, exponent);
}

__global__ void use_hash(const double *x, uint64_t *out)
{
    out[0] = hash_mix(out[1]);
    out[2] = hash_cell(out[3], x[0]);
}

__global__ void use_probe(const struct stencil *s, const int *n, double *out)
{
    const int cell[3] = {0, 1, 2}, offset[3] = {1, 0, -1};
    double u[PROBE_LENGTH];
    const struct probe p = probe_create(s, n, cell);
    probe_unit(&p, offset, u);
    out[0] = probe_wall_weight(&stencil_walls(s)->side[0][0], 1, 2);
    out[1] = probe_weight(&p, 0, -1, offset[0]);
    out[2] = probe_matters(&p, offset) ? u[PROBE_CENTRE] : 0.0;
}
