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
static int pretended_node(const struct world *world)
{
    return (int)((long)world->rank * pretended_nodes / world->size);
}

void world_find_node(struct world *world)
{
    comm_free(&world->node);
    if (pretended_nodes > 0)
        MPI_CALL(MPI_Comm_split(world->comm, pretended_node(world), 0, &world->node));
    else
        MPI_CALL(
            MPI_Comm_split_type(world->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &world->node));
    MPI_CALL(MPI_Comm_size(world->node, &world->node_size));
    MPI_CALL(MPI_Comm_rank(world->node, &world->node_rank));
}

void comm_mock_nodes(int count)
{
    pretended_nodes = count;
    world_find_node(selected_world);
}

MPI_Comm comm_node(void)
{
    return selected_world->node;
}

int comm_node_size(void)
{
    return selected_world->node_size;
}

int comm_node_rank(void)
{
    return selected_world->node_rank;
}

struct sharers comm_sharers(const void *name, int size)
{
    const size_t bytes = (size_t)size;
    struct sharers s = {0, 0};
    char *names =
        memory_alloc((size_t)comm_node_size() * bytes, "names that ranks of a node compare");
    MPI_CALL(MPI_Allgather(name, size, MPI_BYTE, names, size, MPI_BYTE, comm_node()));
    for (int rank = 0; rank < comm_node_size(); rank++) {
        const bool same = memcmp(names + (size_t)rank * bytes, name, bytes) == 0;
        s.count += same;
        s.lower += same && rank < comm_node_rank();
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

bool comm_on_node(int rank)
{
    MPI_Group world, node;
    int number;
    MPI_CALL(MPI_Comm_group(comm_world(), &world));
    MPI_CALL(MPI_Comm_group(comm_node(), &node));
    MPI_CALL(MPI_Group_translate_ranks(world, 1, &rank, node, &number));
    MPI_CALL(MPI_Group_free(&world));
    MPI_CALL(MPI_Group_free(&node));
    return number != MPI_UNDEFINED;
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
