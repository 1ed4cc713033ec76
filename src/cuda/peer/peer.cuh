/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_PEER_PEER_CUH
#define CUDA_PEER_PEER_CUH
/* The transport between GPUs of one host; cuda.h says how the program gets it. */

/* If a kernel has given up waiting for another rank, says so and ends the job. For use after a CUDA
 * call has failed. */
void cuda_peer_complain();

#endif
