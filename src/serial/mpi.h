/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What `make MPI=0` includes as <mpi.h>: the part of MPI that comm/ uses, for a world of one rank.
 * Rank 0 may send messages to itself if it posts the receive before the send. Messages are those of
 * one source file, and so are files. */
#pragma GCC system_header /* the parameters are MPI's, and most say nothing new about one rank */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MPI_SUCCESS = 0,
    MPI_ERR_RANK,    /* a rank other than 0 */
    MPI_ERR_PENDING, /* a message before its receive, a receive without message, or too many */
    MPI_ERR_IO,      /* and errno, of files */
};
enum { MPI_MAX_ERROR_STRING = 128, MPI_MAX_LIBRARY_VERSION_STRING = 128 };
enum { MPI_THREAD_FUNNELED = 1 };

typedef int MPI_Comm;
enum { MPI_COMM_NULL, MPI_COMM_WORLD };
enum { MPI_COMM_TYPE_SHARED = 1 };
enum { MPI_UNDEFINED = -1 }; /* as the colour of a split */

typedef int MPI_Group;

typedef int MPI_Datatype; /* bytes of one element */
enum {
    MPI_BYTE = 1,
    MPI_INT = 4,
    MPI_INT64_T = 8,
    MPI_UINT64_T = 8,
    MPI_DOUBLE = 8,
    MPI_FLOAT = 4
};

typedef int MPI_Op;
enum { MPI_MAX, MPI_MIN, MPI_SUM };

typedef int MPI_Info;
enum { MPI_INFO_NULL };

typedef int MPI_Errhandler;
enum { MPI_ERRORS_RETURN };

typedef int MPI_Request;
typedef int MPI_Status;
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_IN_PLACE ((void *)1)

typedef struct serial_file *MPI_File;
typedef int64_t MPI_Offset;
enum { MPI_MODE_WRONLY = 1 };
enum { MPI_ORDER_C };

static inline int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    *provided = required;
    return MPI_SUCCESS;
}

static inline int MPI_Finalize(void)
{
    return MPI_SUCCESS;
}

/* Programs of one rank need not start MPI. */
static inline int MPI_Initialized(int *flag)
{
    *flag = 1;
    return MPI_SUCCESS;
}

static inline int MPI_Finalized(int *flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

static inline int MPI_Abort(MPI_Comm comm, int status)
{
    _Exit(status);
}

static inline int MPI_Error_string(int error, char *text, int *length)
{
    *length = snprintf(text, MPI_MAX_ERROR_STRING, "%s",
                       error >= MPI_ERR_IO     ? strerror(error - MPI_ERR_IO)
                       : error == MPI_ERR_RANK ? "there is only rank 0 without MPI (make MPI=0)"
                                               : "a message to rank 0 itself has no receive");
    return MPI_SUCCESS;
}

static inline int MPI_Get_library_version(char *text, int *length)
{
    *length = snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "none (make MPI=0)");
    return MPI_SUCCESS;
}

/* --- communicators --- */

static inline MPI_Comm MPI_Comm_f2c(int handle)
{
    return handle;
}

static inline int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    return MPI_SUCCESS;
}

static inline int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = 0;
    return MPI_SUCCESS;
}

static inline int MPI_Comm_size(MPI_Comm comm, int *size)
{
    *size = 1;
    return MPI_SUCCESS;
}

static inline int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    *copy = comm;
    return MPI_SUCCESS;
}

static inline int MPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

static inline int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *part)
{
    *part = colour == MPI_UNDEFINED ? MPI_COMM_NULL : MPI_COMM_WORLD;
    return MPI_SUCCESS;
}

static inline int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                      MPI_Comm *part)
{
    *part = MPI_COMM_WORLD;
    return MPI_SUCCESS;
}

static inline int MPI_Comm_free(MPI_Comm *comm)
{
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

static inline int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    *group = comm;
    return MPI_SUCCESS;
}

static inline int MPI_Group_translate_ranks(MPI_Group from, int count, const int *ranks,
                                            MPI_Group to, int *numbers)
{
    memcpy(numbers, ranks, (size_t)count * sizeof *numbers);
    return MPI_SUCCESS;
}

static inline int MPI_Group_free(MPI_Group *group)
{
    return MPI_SUCCESS;
}

/* --- collectives: copies --- */

static inline int error_of_rank(int rank)
{
    return rank == 0 ? MPI_SUCCESS : MPI_ERR_RANK;
}

/* memcpy wants pointers even for no bytes. */
static inline void copy_elements(void *to, const void *from, int count, MPI_Datatype type)
{
    if (from != MPI_IN_PLACE && count > 0)
        memcpy(to, from, (size_t)count * (size_t)type);
}

static inline int MPI_Barrier(MPI_Comm comm)
{
    return MPI_SUCCESS;
}

static inline int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return error_of_rank(root);
}

static inline int MPI_Allreduce(const void *own, void *result, int count, MPI_Datatype type,
                                MPI_Op op, MPI_Comm comm)
{
    copy_elements(result, own, count, type);
    return MPI_SUCCESS;
}

static inline int MPI_Gather(const void *own, int count, MPI_Datatype type, void *all, int each,
                             MPI_Datatype type_of_each, int root, MPI_Comm comm)
{
    copy_elements(all, own, count, type);
    return error_of_rank(root);
}

static inline int MPI_Allgather(const void *own, int count, MPI_Datatype type, void *all, int each,
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

static inline int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag,
                            MPI_Comm comm, MPI_Request *request)
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
static inline int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
                            MPI_Comm comm, MPI_Request *request)
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

/* Between ranks; to and from rank 0 itself they would wait forever, which is an error here. */
static inline int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag,
                           MPI_Comm comm)
{
    return to != 0 ? MPI_ERR_RANK : MPI_ERR_PENDING;
}

static inline int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag,
                           MPI_Comm comm, MPI_Status *status)
{
    memset(data, 0, (size_t)count * (size_t)type);
    return from != 0 ? MPI_ERR_RANK : MPI_ERR_PENDING;
}

static inline int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    return nposted == 0 ? MPI_SUCCESS : MPI_ERR_PENDING;
}

static inline int MPI_Testall(int count, MPI_Request *requests, int *done, MPI_Status *statuses)
{
    *done = nposted == 0;
    return MPI_SUCCESS;
}

/* --- files --- */

static struct {
    int all[3], part[3], first[3]; /* k, j, i */
    int element;                   /* bytes */
} serial_box;

static struct serial_file {
    int descriptor;
    MPI_Offset offset; /* of the view */
} serial_open_file;

/* The program has one type of its own at a time: a box of an array, which is its MPI_Datatype
 * SERIAL_BOX until MPI_Type_free(). */
enum { SERIAL_BOX = -1 };
static inline int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *made)
{
    *made = count * type;
    return MPI_SUCCESS;
}

static inline int MPI_Type_create_subarray(int dimensions, const int *all, const int *part,
                                           const int *first, int order, MPI_Datatype type,
                                           MPI_Datatype *made)
{
    memcpy(serial_box.all, all, sizeof serial_box.all);
    memcpy(serial_box.part, part, sizeof serial_box.part);
    memcpy(serial_box.first, first, sizeof serial_box.first);
    serial_box.element = type;
    *made = SERIAL_BOX;
    return MPI_SUCCESS;
}

static inline int MPI_Type_commit(MPI_Datatype *type)
{
    return MPI_SUCCESS;
}

static inline int MPI_Type_free(MPI_Datatype *type)
{
    return MPI_SUCCESS;
}

/* Opens files that exist, for writing. */
static inline int MPI_File_open(MPI_Comm comm, const char *path, int mode, MPI_Info info,
                                MPI_File *file)
{
    serial_open_file.descriptor = open(path, O_WRONLY);
    *file = &serial_open_file;
    return serial_open_file.descriptor < 0 ? MPI_ERR_IO + errno : MPI_SUCCESS;
}

static inline int MPI_File_close(MPI_File *file)
{
    return close((*file)->descriptor) != 0 ? MPI_ERR_IO + errno : MPI_SUCCESS;
}

static inline int MPI_File_set_view(MPI_File file, MPI_Offset offset, MPI_Datatype element,
                                    MPI_Datatype type, const char *representation, MPI_Info info)
{
    file->offset = offset;
    return MPI_SUCCESS;
}

/* A write may end early, and be continued. */
static inline int write_bytes(MPI_File file, MPI_Offset offset, const char *data, size_t bytes)
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

/* offset: in elements of the view, which begins at the file's start and has bytes. */
static inline int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void *data, int count,
                                    MPI_Datatype type, MPI_Status *status)
{
    return write_bytes(file, offset, (const char *)data, (size_t)count * (size_t)type);
}

/* Writes the box of the view. */
static inline int MPI_File_write_all(MPI_File file, const void *data, int count, MPI_Datatype type,
                                     MPI_Status *status)
{
    const size_t row = (size_t)serial_box.part[2] * (size_t)serial_box.element;
    const char *from = (const char *)data;
    int error = MPI_SUCCESS;
    if (count == 0)
        return MPI_SUCCESS;
    for (int k = 0; k < serial_box.part[0]; k++)
        for (int j = 0; j < serial_box.part[1] && error == MPI_SUCCESS; j++, from += row) {
            const MPI_Offset line =
                (MPI_Offset)(serial_box.first[0] + k) * serial_box.all[1] + serial_box.first[1] + j;
            error = write_bytes(file,
                                file->offset + (line * serial_box.all[2] + serial_box.first[2]) *
                                                   serial_box.element,
                                from, row);
        }
    return error;
}
