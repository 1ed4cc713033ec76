/* SPDX-License-Identifier: BSD-3-Clause */
/* The tail of order 4 between any sides with constant coefficients. */
#include "cuda/coarse/kernel.cuh"

template void tail_launch<any_sides<op_fv4_constant>>(const struct tail &tail, int blocks,
                                                      size_t bytes);
template void tail_launch<any_sides<op_fv4_constant_helmholtz>>(const struct tail &tail, int blocks,
                                                                size_t bytes);
