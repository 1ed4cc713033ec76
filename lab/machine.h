/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_MACHINE_H
#define LAB_MACHINE_H
/* The ceilings of a machine: the table of cases is in machine.c, the loops in machine_cpu.c, the
 * kernels in machine_gpu.cu. */
#include "lab/bodies.h"

enum section {
    SECTION_ALL,
    SECTION_MEMORY,
    SECTION_INTENSITY,
    SECTION_PEAK,
    SECTION_CACHE,
    SECTION_LATENCY,
    SECTION_TRANSFER,
};

enum {
    CACHE_SWEEPS = 32,
    SHARED_DOUBLES = 2048, /* of a block */
    SHARED_SWEEPS = 512,
    EVENTS = 1000,
    PEAK_CHAINS = 4, /* independent ones per result */
    PEAK_PERIOD = 64,
    PEAK_STEPS = 4096,
    PEAK_FLOPS = 2 * PEAK_STEPS * PEAK_CHAINS,
    MAX_PARTIALS = 65536, /* of a sum */
    GPU_BLOCK = 256,      /* threads per block; blocks that fill the GPU once: */
    BLOCKS_PER_MULTIPROCESSOR = 8,
};

/* Where a chain starts. */
FORMULA double chain_start(long chain)
{
    return 1.0 + (double)(chain % PEAK_PERIOD);
}

#endif
