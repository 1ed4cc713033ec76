/* SPDX-License-Identifier: BSD-3-Clause */
#include "serial/mpi.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The parameters are MPI's, and most of them say nothing new about one rank. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    *provided = required;
    return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
    return MPI_SUCCESS;
}

int MPI_Initialized(int *flag)
{
    *flag = 1;
    return MPI_SUCCESS;
}

int MPI_Finalized(int *flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int status)
{
    _Exit(status);
}

int MPI_Error_string(int error, char *text, int *length)
{
    *length = snprintf(text, MPI_MAX_ERROR_STRING, "%s",
                       error >= MPI_ERR_IO     ? strerror(error - MPI_ERR_IO)
                       : error == MPI_ERR_RANK ? "there is only rank 0 without MPI (make MPI=0)"
                                               : "a message to rank 0 itself has no receive");
    return MPI_SUCCESS;
}

int MPI_Get_library_version(char *text, int *length)
{
    *length = snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "none (make MPI=0)");
    return MPI_SUCCESS;
}

/* --- communicators --- */

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = 0;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    *size = 1;
    return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    *copy = comm;
    return MPI_SUCCESS;
}

int MPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *part)
{
    *part = colour == MPI_UNDEFINED ? MPI_COMM_NULL : MPI_COMM_WORLD;
    return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part)
{
    *part = MPI_COMM_WORLD;
    return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm)
{
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* --- collectives: copies --- */

static int error_of_rank(int rank)
{
    return rank == 0 ? MPI_SUCCESS : MPI_ERR_RANK;
}

/* memcpy wants pointers even for no bytes. */
static void copy_elements(void *to, const void *from, int count, MPI_Datatype type)
{
    if (from != MPI_IN_PLACE && count > 0)
        memcpy(to, from, (size_t)count * (size_t)type);
}

int MPI_Barrier(MPI_Comm comm)
{
    return MPI_SUCCESS;
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return error_of_rank(root);
}

int MPI_Allreduce(const void *own, void *result, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    copy_elements(result, own, count, type);
    return MPI_SUCCESS;
}

int MPI_Gather(const void *own, int count, MPI_Datatype type, void *all, int each,
               MPI_Datatype type_of_each, int root, MPI_Comm comm)
{
    copy_elements(all, own, count, type);
    return error_of_rank(root);
}

int MPI_Allgather(const void *own, int count, MPI_Datatype type, void *all, int each,
                  MPI_Datatype type_of_each, MPI_Comm comm)
{
    copy_elements(all, own, count, type);
    return MPI_SUCCESS;
}

/* --- messages from rank 0 to itself --- */

/* Receives that still wait for their message, in the order in which they were posted. */
enum { MAX_POSTED = 8 };
static struct posted {
    void *data;
    int tag;
} posted[MAX_POSTED];
static int nposted;

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    *request = 0;
    if (from != 0)
        return MPI_ERR_RANK;
    if (nposted == MAX_POSTED)
        return MPI_ERR_PENDING;
    posted[nposted++] = (struct posted){data, tag};
    return MPI_SUCCESS;
}

/* The first receive with the tag takes the message, whose length comm/ knows on both sides. */
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    int at = 0;
    *request = 0;
    while (at < nposted && posted[at].tag != tag)
        at++;
    if (to != 0 || at == nposted)
        return to != 0 ? MPI_ERR_RANK : MPI_ERR_PENDING;
    copy_elements(posted[at].data, data, count, type);
    nposted--;
    memmove(posted + at, posted + at + 1, (size_t)(nposted - at) * sizeof *posted);
    return MPI_SUCCESS;
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    return to != 0 ? MPI_ERR_RANK : MPI_ERR_PENDING;
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    return from != 0 ? MPI_ERR_RANK : MPI_ERR_PENDING;
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    return nposted == 0 ? MPI_SUCCESS : MPI_ERR_PENDING;
}

int MPI_Testall(int count, MPI_Request *requests, int *done, MPI_Status *statuses)
{
    *done = nposted == 0;
    return MPI_SUCCESS;
}

/* --- files --- */

static struct serial_box {
    int all[3], part[3], first[3]; /* k, j, i */
    int element;                   /* bytes */
} box;

static struct serial_file {
    int descriptor;
    MPI_Offset offset; /* of the view */
} the_file;

int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *made)
{
    *made = count * type;
    return MPI_SUCCESS;
}

int MPI_Type_create_subarray(int dimensions, const int *all, const int *part, const int *first,
                             int order, MPI_Datatype type, MPI_Datatype *made)
{
    memcpy(box.all, all, sizeof box.all);
    memcpy(box.part, part, sizeof box.part);
    memcpy(box.first, first, sizeof box.first);
    box.element = type;
    *made = SERIAL_BOX;
    return MPI_SUCCESS;
}

int MPI_Type_commit(MPI_Datatype *type)
{
    return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype *type)
{
    return MPI_SUCCESS;
}

int MPI_File_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file)
{
    the_file.descriptor = open(path, O_WRONLY);
    *file = &the_file;
    return the_file.descriptor < 0 ? MPI_ERR_IO + errno : MPI_SUCCESS;
}

int MPI_File_close(MPI_File *file)
{
    return close((*file)->descriptor) != 0 ? MPI_ERR_IO + errno : MPI_SUCCESS;
}

int MPI_File_set_view(MPI_File file, MPI_Offset offset, MPI_Datatype element, MPI_Datatype type,
                      const char *representation, MPI_Info info)
{
    file->offset = offset;
    return MPI_SUCCESS;
}

/* A write may end early, and be continued. */
static int write_bytes(MPI_File file, MPI_Offset offset, const char *data, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t written = pwrite(file->descriptor, data, bytes, offset);
        if (written < 0 && errno != EINTR)
            return MPI_ERR_IO + errno;
        data += written > 0 ? written : 0;
        offset += written > 0 ? written : 0;
        bytes -= written > 0 ? (size_t)written : 0;
    }
    return MPI_SUCCESS;
}

int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void *data, int count,
                      MPI_Datatype type, MPI_Status *status)
{
    return write_bytes(file, offset, data, (size_t)count * (size_t)type);
}

int MPI_File_write_all(MPI_File file, const void *data, int count, MPI_Datatype type,
                       MPI_Status *status)
{
    const size_t row = (size_t)box.part[2] * (size_t)box.element;
    const char *from = data;
    int error = MPI_SUCCESS;
    if (count == 0)
        return MPI_SUCCESS;
    for (int k = 0; k < box.part[0]; k++)
        for (int j = 0; j < box.part[1] && error == MPI_SUCCESS; j++, from += row) {
            const MPI_Offset line = (MPI_Offset)(box.first[0] + k) * box.all[1] + box.first[1] + j;
            error = write_bytes(
                file, file->offset + (line * box.all[2] + box.first[2]) * box.element, from, row);
        }
    return error;
}
