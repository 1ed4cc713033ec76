/* SPDX-License-Identifier: BSD-3-Clause */
/* The tail of order 4 with constant coefficients. */
#include "cuda/coarse/kernel.cuh"

template tail_launcher tail_launch<op_fv4_constant>;
template tail_launcher tail_launch<op_fv4_constant_helmholtz>;
