/* SPDX-License-Identifier: BSD-3-Clause */
/* The tail of order 2 between any sides. */
#include "cuda/coarse/kernel.cuh"

template tail_launcher tail_launch<any_sides<op_fv2>>;
template tail_launcher tail_launch<any_sides<op_fv2_helmholtz>>;
template tail_launcher tail_launch<any_sides<op_fv2_constant>>;
template tail_launcher tail_launch<any_sides<op_fv2_constant_helmholtz>>;
