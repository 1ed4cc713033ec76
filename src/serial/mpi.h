/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SERIAL_MPI_H
#define SERIAL_MPI_H
/* What `make MPI=0` includes as <mpi.h>: the part of MPI that comm/ uses, for a world of one rank.
 * Rank 0 may send messages to itself if it posts the receive before the send. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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

typedef int MPI_Datatype; /* bytes of one element */
enum { MPI_BYTE = 1, MPI_INT = 4, MPI_INT64_T = 8, MPI_UINT64_T = 8, MPI_DOUBLE = 8 };

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

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Finalize(void);
int MPI_Initialized(int *flag); /* always; programs of one rank need not start MPI */
int MPI_Finalized(int *flag);   /* never */
int MPI_Abort(MPI_Comm comm, int status);
int MPI_Error_string(int error, char *text, int *length);
int MPI_Get_library_version(char *text, int *length);

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy);
int MPI_Comm_test_inter(MPI_Comm comm, int *flag);
int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *part);
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part);
int MPI_Comm_free(MPI_Comm *comm);

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Allreduce(const void *own, void *result, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm);
int MPI_Gather(const void *own, int count, MPI_Datatype type, void *all, int each,
               MPI_Datatype type_of_each, int root, MPI_Comm comm);
int MPI_Allgather(const void *own, int count, MPI_Datatype type, void *all, int each,
                  MPI_Datatype type_of_each, MPI_Comm comm);

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request);
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request);
/* Between ranks; to and from rank 0 itself they would wait forever, which is an error here. */
int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status);
int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses);
int MPI_Testall(int count, MPI_Request *requests, int *done, MPI_Status *statuses);

/* The program has one type of its own at a time: a box of an array, which is its MPI_Datatype
 * SERIAL_BOX until MPI_Type_free(). */
enum { SERIAL_BOX = -1 };
int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *made);
int MPI_Type_create_subarray(int dimensions, const int *all, const int *part, const int *first,
                             int order, MPI_Datatype type, MPI_Datatype *made);
int MPI_Type_commit(MPI_Datatype *type);
int MPI_Type_free(MPI_Datatype *type);

/* Opens files that exist, for writing. */
int MPI_File_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file);
int MPI_File_close(MPI_File *file);
int MPI_File_set_view(MPI_File file, MPI_Offset offset, MPI_Datatype element, MPI_Datatype type,
                      const char *representation, MPI_Info info);
/* offset: in elements of the view, which begins at the file's start and has bytes. */
int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void *data, int count,
                      MPI_Datatype type, MPI_Status *status);
/* Writes the box of the view. */
int MPI_File_write_all(MPI_File file, const void *data, int count, MPI_Datatype type,
                       MPI_Status *status);

#ifdef __cplusplus
}
#endif
#endif
