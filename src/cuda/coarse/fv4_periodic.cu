/* SPDX-License-Identifier: BSD-3-Clause */
/* The tail of order 4 on periodic levels. */
#include "cuda/coarse/kernel.cuh"

template void tail_launch<periodic<op_fv4>>(const struct tail &tail, int blocks, size_t bytes);
template void tail_launch<periodic<op_fv4_helmholtz>>(const struct tail &tail, int blocks,
                                                      size_t bytes);
