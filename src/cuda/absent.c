/* SPDX-License-Identifier: BSD-3-Clause */
/* The GPU's symbols in a build without CUDA. */
#include <stdio.h>
#include "cuda/cuda.h"
#include "cpu/cpu.h"

const struct backend backend_cuda = {.name = "none"};
const struct backend backend_cuda_host = {.name = "none"};
const struct backend backend_cuda_single = {.name = "none"};
const struct backend backend_cuda_host_single = {.name = "none"};

bool cuda_open(int local_rank, char *message, int message_size)
{
    (void)local_rank;
    snprintf(message, (size_t)message_size, "this build has no CUDA (make CUDA=1 needs nvcc)");
    return false;
}

void cuda_close(void)
{
}

const struct cuda_device *cuda_device(void)
{
    return NULL;
}

size_t cuda_free_bytes(void)
{
    return 0;
}

int cuda_use_device(int number)
{
    return number;
}

int cuda_device_of(const void *data)
{
    (void)data;
    return -1;
}

bool cuda_choose_kernels(const char *list, char *message, int message_size)
{
    (void)list;
    snprintf(message, (size_t)message_size, "this build has no CUDA");
    return false;
}

struct cuda_counts cuda_count(const struct pass *pass)
{
    (void)pass;
    return (struct cuda_counts){0};
}

void cuda_leave_out_tail(void)
{
}

const char *cuda_kernel_name(int number)
{
    (void)number;
    return NULL;
}

void cuda_list_kernels(FILE *out)
{
    fprintf(out, "this build has no GPU kernels\n");
}

size_t cuda_peak_bytes(void)
{
    return 0;
}

const struct transport *cuda_peer_transport(const char **why_not)
{
    *why_not = "this build has no CUDA";
    return NULL;
}

double cuda_copy_rate(void)
{
    return 0.0;
}
