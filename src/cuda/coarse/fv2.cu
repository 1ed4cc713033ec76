/* SPDX-License-Identifier: BSD-3-Clause */
/* The tail of order 2. */
#include "cuda/coarse/kernel.cuh"

template tail_launcher tail_launch<op_fv2>;
template tail_launcher tail_launch<op_fv2_helmholtz>;
template tail_launcher tail_launch<op_fv2_constant>;
template tail_launcher tail_launch<op_fv2_constant_helmholtz>;
