/* SPDX-License-Identifier: BSD-3-Clause */
/* The tail of order 2 between any sides. */
#include "cuda/coarse/kernel.cuh"

template void tail_launch<any_sides<op_fv2>>(const struct tail &tail, int blocks, size_t bytes);
template void tail_launch<any_sides<op_fv2_helmholtz>>(const struct tail &tail, int blocks,
                                                       size_t bytes);
template void tail_launch<any_sides<op_fv2_constant>>(const struct tail &tail, int blocks,
                                                      size_t bytes);
template void tail_launch<any_sides<op_fv2_constant_helmholtz>>(const struct tail &tail, int blocks,
                                                                size_t bytes);
