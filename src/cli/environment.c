/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/environment.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "comm/comm.h"
#include "cuda/cuda.h"

static void read_cpu_model(char *model, int size)
{
    static const char key[] = "model name";
    char line[256];
    snprintf(model, (size_t)size, "unknown");
    FILE *in = fopen("/proc/cpuinfo", "r");
    while (in && fgets(line, sizeof line, in)) {
        const char *value = strstr(line, ": ");
        if (strncmp(line, key, strlen(key)) != 0 || !value)
            continue;
        snprintf(model, (size_t)size, "%s", value + 2);
        model[strcspn(model, "\n")] = '\0';
        break;
    }
    if (in)
        fclose(in);
}

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

/* Each rank counts for its share of a node, and the shares of a node add up to one. */
static void count_nodes(struct environment *e)
{
    const int here = comm_node_size();
    double nodes = 1.0 / here, fullest = here, usable = omp_get_num_procs();
    comm_sum_f64(MPI_COMM_WORLD, &nodes, 1);
    comm_max_f64(MPI_COMM_WORLD, &fullest, 1);
    comm_min_f64(MPI_COMM_WORLD, &usable, 1);
    e->nodes = (int)lround(nodes);
    e->ranks_per_node = (int)fullest;
    e->usable = (int)usable;
}

void environment_read(struct environment *e)
{
    memset(e, 0, sizeof *e);
    gethostname(e->host, sizeof e->host - 1);
    read_cpu_model(e->cpu, sizeof e->cpu);
    comm_library(e->mpi, sizeof e->mpi);
    read_date(e->date, sizeof e->date);
    e->ranks = comm_size();
    e->threads = omp_get_max_threads();
    e->processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    read_gpu(e);
    count_nodes(e);
}
