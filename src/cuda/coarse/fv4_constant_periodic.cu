/* SPDX-License-Identifier: BSD-3-Clause */
/* The tail of order 4 on periodic levels with constant coefficients. */
#include "cuda/coarse/kernel.cuh"

template void tail_launch<periodic<op_fv4_constant>>(const struct tail &tail, int blocks,
                                                     size_t bytes);
template void tail_launch<periodic<op_fv4_constant_helmholtz>>(const struct tail &tail, int blocks,
                                                               size_t bytes);
