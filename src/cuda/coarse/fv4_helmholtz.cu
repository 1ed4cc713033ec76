/* SPDX-License-Identifier: BSD-3-Clause */
/* The tail of order 4 with α. */
#include "cuda/coarse/kernel.cuh"

template tail_launcher tail_launch<op_fv4_helmholtz>;
