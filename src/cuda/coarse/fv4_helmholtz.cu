/* SPDX-License-Identifier: BSD-3-Clause */
/* The tail of order 4 with α. */
#include "cuda/coarse/kernel.cuh"

template void tail_launch<op_fv4_helmholtz>(const struct tail &tail, int blocks, size_t bytes);
