#include "comm/environment.h"
#include <stdio.h>
#include <string.h>
#include "comm/call.h"
#include "comm/comm.h"

void comm_library(char *text, int size)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_CALL(MPI_Get_library_version(version, &length));
    version[strcspn(version, "\n")] = '\0'; /* MPICH goes on with how it was configured */
    snprintf(text, (size_t)size, "%s", version);
}

/* Calls get on the communicator of this rank's node. */
static int ask_node(int (*get)(MPI_Comm, int *))
{
    MPI_Comm node;
    int answer;
    MPI_CALL(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    MPI_CALL(get(node, &answer));
    comm_free(&node);
    return answer;
}

int comm_node_size(void)
{
    return ask_node(MPI_Comm_size);
}

int comm_node_rank(void)
{
    return ask_node(MPI_Comm_rank);
}
