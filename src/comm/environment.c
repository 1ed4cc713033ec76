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

int comm_node_size(void)
{
    MPI_Comm node;
    int size;
    MPI_CALL(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    MPI_CALL(MPI_Comm_size(node, &size));
    comm_free(&node);
    return size;
}
