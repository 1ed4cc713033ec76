/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/environment.h"
#include <ctype.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cli/place.h"
#include "config/solver_options.h"
#include "comm/comm.h"
#include "cuda/cuda.h"

static void read_date(char *text, size_t size)
{
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void read_gpu(struct environment *e)
{
    const struct cuda_device *gpu = cuda_device();
    if (!gpu)
        return;
    snprintf(e->gpu, sizeof e->gpu, "%s", gpu->name);
    e->gpus = gpu->count;
    e->cuda_driver = gpu->driver;
    e->cuda_runtime = gpu->runtime;
}

/* Each rank counts 1/(ranks of its node); the sum is the number of nodes. */
static void count_nodes(struct environment *e)
{
    const int here = comm_node_size();
    double nodes = 1.0 / here, fullest = here, usable = omp_get_num_procs(),
           sharing = gpu_sharers().count;
    comm_sum_f64(comm_world(), &nodes, 1);
    comm_max_f64(comm_world(), &fullest, 1);
    comm_max_f64(comm_world(), &sharing, 1);
    comm_min_f64(comm_world(), &usable, 1);
    e->nodes = (int)lround(nodes);
    e->ranks_per_node = (int)fullest;
    e->ranks_per_gpu = (int)sharing;
    e->usable = (int)usable;
}

void environment_read(struct environment *e)
{
    memset(e, 0, sizeof *e);
    gethostname(e->host, sizeof e->host - 1);
    strcpy(e->cpu, "unknown");
    place_read_value("/proc/cpuinfo", "model name", e->cpu, sizeof e->cpu);
    comm_library(e->mpi, sizeof e->mpi);
    read_date(e->date, sizeof e->date);
    e->ranks = comm_size();
    e->threads = omp_get_max_threads();
    e->processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    read_gpu(e);
    count_nodes(e);
}

static struct sharers sharers_of_gpu = {.count = 1};

struct sharers gpu_sharers(void)
{
    return sharers_of_gpu;
}

enum status gpu_choose(int backend, const char *instead, bool *on_gpu, char *message, int size)
{
    char reason[256] = "not all ranks have a GPU";
    *on_gpu = false;
    if (backend == BACKEND_CPU)
        return STATUS_VALID;
    double opened = cuda_open(comm_node_rank(), reason, sizeof reason);
    comm_min_f64(comm_world(), &opened, 1);
    *on_gpu = opened == 1.0;
    if (*on_gpu) {
        sharers_of_gpu = comm_sharers(cuda_device()->uuid, sizeof cuda_device()->uuid);
        return STATUS_VALID;
    }
    if (backend == BACKEND_GPU) {
        snprintf(message, (size_t)size, "--backend gpu: %s", reason);
        return STATUS_ENVIRONMENT;
    }
    snprintf(message, (size_t)size, "%s; %s (--backend cpu avoids this warning)", reason, instead);
    return STATUS_VALID;
}

/* What Linux's processors may number. Some OpenMP libraries crash with ten times as many threads.
 */
enum { MAX_THREADS = 8192 };

/* More than twice what order 4 needs with -O3 and 512-bit vectors: between 32 and 48 KiB. */
enum { MIN_STACK_BYTES = 128 * 1024 };

/* What OMP_STACKSIZE asks for: a number, then B, K (the default), M or G (OpenMP 5.2, section
 * 21.2). INT64_MAX if it is not set: threads then have the stack of the process, which MPI needs
 * too. */
static int64_t stack_bytes(void)
{
    static const char units[] = "BKMG";
    const char *text = getenv("OMP_STACKSIZE");
    char *end;
    if (!text || omp_get_max_threads() == 1)
        return INT64_MAX;
    const long number = strtol(text, &end, 10);
    end += strspn(end, " ");
    const char *unit = strchr(units, *end ? toupper((unsigned char)*end) : 'K');
    if (end == text || !unit || number <= 0 || number > MIN_STACK_BYTES)
        return INT64_MAX;
    return (int64_t)number << (10 * (unit - units));
}

enum status environment_check(char *message, int size)
{
    const int64_t threads = -comm_min_i64(comm_world(), -omp_get_max_threads()),
                  bytes = comm_min_i64(comm_world(), stack_bytes());
    if (threads <= MAX_THREADS && bytes >= MIN_STACK_BYTES)
        return STATUS_VALID;
    if (threads > MAX_THREADS)
        snprintf(message, (size_t)size,
                 "OpenMP has %lld threads per rank; OMP_NUM_THREADS legal: 1 to %d",
                 (long long)threads, (int)MAX_THREADS);
    else
        snprintf(message, (size_t)size,
                 "OpenMP's threads have %lld bytes of stack and need %d; raise OMP_STACKSIZE",
                 (long long)bytes, (int)MIN_STACK_BYTES);
    return STATUS_ENVIRONMENT;
}
