/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm/comm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "comm/call.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

void comm_library(char *text, int size)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_CALL(MPI_Get_library_version(version, &length));
    version[strcspn(version, "\n")] = '\0'; /* MPICH adds its configuration */
    snprintf(text, (size_t)size, "%s", version);
}

static int pretended_nodes;

/* The node that a rank acts on, of those that a test pretends. */
static int pretended_node(int rank)
{
    return (int)((long)rank * pretended_nodes / comm_size());
}

static MPI_Comm split_by_node(void)
{
    MPI_Comm node;
    if (pretended_nodes > 0)
        MPI_CALL(MPI_Comm_split(MPI_COMM_WORLD, pretended_node(comm_rank()), 0, &node));
    else
        MPI_CALL(
            MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    return node;
}

static MPI_Comm node = MPI_COMM_NULL;
static int node_size = 1, node_rank;

void comm_find_node(void)
{
    comm_leave_node();
    node = split_by_node();
    MPI_CALL(MPI_Comm_size(node, &node_size));
    MPI_CALL(MPI_Comm_rank(node, &node_rank));
}

void comm_leave_node(void)
{
    comm_free(&node);
}

void comm_pretend_nodes(int count)
{
    pretended_nodes = count;
    comm_find_node();
}

MPI_Comm comm_node(void)
{
    return node;
}

int comm_node_size(void)
{
    return node_size;
}

int comm_node_rank(void)
{
    return node_rank;
}

struct sharers comm_sharers(const void *name, int size)
{
    const size_t bytes = (size_t)size;
    struct sharers s = {0, 0};
    char *names = memory_alloc((size_t)node_size * bytes, "names that ranks of a node compare");
    MPI_CALL(MPI_Allgather(name, size, MPI_BYTE, names, size, MPI_BYTE, node));
    for (int rank = 0; rank < node_size; rank++) {
        const bool same = memcmp(names + (size_t)rank * bytes, name, bytes) == 0;
        s.count += same;
        s.lower += same && rank < node_rank;
    }
    memory_free(names);
    return s;
}

const char *comm_launcher_of_several(int *rank)
{
    static const char *const variables[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                               {"PMI_SIZE", "PMI_RANK"},
                                               {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++) {
        const char *size = getenv(variables[v][0]), *number = getenv(variables[v][1]);
        if (!size || atoi(size) <= 1)
            continue;
        *rank = number ? atoi(number) : 0;
        return variables[v][0];
    }
    return NULL;
}

void comm_nodes(int *nodes)
{
    const int first = (int)comm_min_i64(node, comm_rank());
    MPI_CALL(MPI_Allgather(&first, 1, MPI_INT, nodes, 1, MPI_INT, MPI_COMM_WORLD));
}

/* Several MPI libraries have the extension MPIX_Query_cuda_support. Open MPI declares it in
 * mpi-ext.h. */
bool comm_takes_device_memory(void)
{
#if defined(MPIX_CUDA_AWARE_SUPPORT) || defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}
