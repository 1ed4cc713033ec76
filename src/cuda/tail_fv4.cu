/* The tail of order 4. */
#include "cuda/tail_kernel.cuh"

template void tail_launch<op_fv4>(struct tail &tail, int blocks);
