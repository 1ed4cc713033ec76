/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm/comm.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/check.h"
#include "base/memory.h"
#include "comm/call.h"

/* The program's world. */
static struct world all_ranks = {
    .comm = MPI_COMM_WORLD, .size = 1, .node = MPI_COMM_NULL, .node_size = 1};
struct world *selected_world = &all_ranks;
static int pretended_rank, pretended_size; /* 0: none */
static void (*abort_without_mpi)(int status);
static void (*wait_without_mpi)(void);
static pid_t user; /* the process that first made a world; 0 before */

static void sleep_for(double seconds)
{
    const long nanoseconds = (long)(1e9 * seconds);
    const struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    nanosleep(&time, NULL);
}

/* Hydra, the launcher of MPICH and Intel MPI, ends a job at once and may lose what a rank wrote
 * just before. */
static void abort_job(int status)
{
    sleep_for(0.1);
    MPI_Abort(MPI_COMM_WORLD, status);
}

/* All ranks may fail alike, for example where memory is short. Each rank gives lower ranks the time
 * to print and to abort the job. It does not wait for a message, which might never come. */
static void wait_for_lower_ranks(void)
{
    sleep_for(log2(1.0 + selected_world->rank));
}

void mpi_error_text(int error, char text[MPI_MAX_ERROR_STRING])
{
    int length = 0;
    text[0] = '\0';
    MPI_Error_string(error, text, &length);
    for (char *end = text; (end = strchr(end, '\n')) != NULL;) /* MPICH adds a stack of calls */
        *end = ' ';
}

void mpi_check(int error, const char *call)
{
    char text[MPI_MAX_ERROR_STRING];
    if (error == MPI_SUCCESS)
        return;
    mpi_error_text(error, text);
    die(STATUS_SYSTEM, "rank %d: %s: %s", selected_world->rank, call, text);
}

/* Copies of one rank each would share cores and GPUs, report false speeds, and write the same
 * files. A launcher starts them if the program has no MPI, or another MPI library than its own. */
static void refuse_copies(void)
{
    char library[256];
    const char *variable = all_ranks.size == 1 ? comm_launcher_of_several(&all_ranks.rank) : NULL;
    if (!variable)
        return;
    comm_library(library, sizeof library);
    die(STATUS_ENVIRONMENT,
        "the launcher started several ranks (%s=%s), but each is alone with its MPI library: %s",
        variable, getenv(variable), library);
}

static void describe(struct world *world)
{
    MPI_CALL(MPI_Comm_set_errhandler(world->comm, MPI_ERRORS_RETURN));
    MPI_CALL(MPI_Comm_rank(world->comm, &world->rank));
    MPI_CALL(MPI_Comm_size(world->comm, &world->size));
}

static void abort_by_mpi(void)
{
    if (check_abort == abort_job)
        return;
    abort_without_mpi = check_abort;
    check_abort = abort_job;
    wait_without_mpi = check_wait;
    check_wait = wait_for_lower_ranks;
}

static void abort_alone(void)
{
    if (check_abort != abort_job)
        return;
    check_abort = abort_without_mpi;
    check_wait = wait_without_mpi;
}

void comm_prepare_to_die(void)
{
    if (comm_is_running() && !comm_is_forked()) {
        describe(&all_ranks);
        abort_by_mpi();
    } else {
        abort_alone();
    }
}

void comm_start(int *argc, char ***argv)
{
    int provided;
    MPI_CALL(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided));
    describe(&all_ranks);
    abort_by_mpi();
    refuse_copies();
    if (provided < MPI_THREAD_FUNNELED)
        die(STATUS_ENVIRONMENT, "this MPI library does not support threads (MPI_THREAD_FUNNELED)");
    world_find_node(&all_ranks);
}

void comm_finish(void)
{
    MPI_CALL(MPI_Barrier(MPI_COMM_WORLD));
    comm_free(&all_ranks.node);
    abort_alone(); /* MPI_Abort is not allowed after MPI_Finalize */
    MPI_CALL(MPI_Finalize());
}

bool comm_is_forked(void)
{
    return user != 0 && user != getpid();
}

bool comm_is_running(void)
{
    int initialised = 0, finalised = 0;
    MPI_CALL(MPI_Initialized(&initialised));
    MPI_CALL(MPI_Finalized(&finalised));
    return initialised && !finalised;
}

bool comm_is_usable(MPI_Comm comm)
{
    int two_groups = 0;
    if (comm == MPI_COMM_NULL)
        return false;
    MPI_CALL(MPI_Comm_test_inter(comm, &two_groups));
    return !two_groups;
}

MPI_Comm comm_of_fortran(const int *handle)
{
    if (!comm_is_running())
        return MPI_COMM_NULL;
    /* Open MPI returns a null pointer for a number that is no handle. */
    const MPI_Comm comm = handle ? MPI_Comm_f2c(*handle) : MPI_COMM_WORLD;
    return comm ? comm : MPI_COMM_NULL;
}

MPI_Comm comm_world(void)
{
    return selected_world->comm;
}

struct world *comm_world_create(MPI_Comm comm)
{
    struct world *world = memory_alloc_zero(sizeof *world, "communicator");
    user = getpid();
    abort_by_mpi();
    MPI_CALL(MPI_Comm_dup(comm, &world->comm));
    world->node = MPI_COMM_NULL;
    describe(world);
    world_find_node(world);
    return world;
}

void comm_world_destroy(struct world *world)
{
    CHECK(world != selected_world);
    comm_free(&world->node);
    comm_free(&world->comm);
    memory_free(world);
}

struct world *comm_world_select(struct world *world)
{
    struct world *before = selected_world;
    selected_world = world;
    return before;
}

int comm_rank(void)
{
    return pretended_size > 0 ? pretended_rank : selected_world->rank;
}

int comm_size(void)
{
    return pretended_size > 0 ? pretended_size : selected_world->size;
}

void comm_mock_world(int rank, int size)
{
    pretended_rank = rank;
    pretended_size = size;
}

MPI_Comm comm_split(int member)
{
    MPI_Comm comm;
    MPI_CALL(MPI_Comm_split(comm_world(), member ? 0 : MPI_UNDEFINED, selected_world->rank, &comm));
    return comm;
}

void comm_free(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL)
        MPI_CALL(MPI_Comm_free(comm));
}

/* MPICH 4.0.2 compares unsigned integers as if they were signed. With the highest bit inverted the
 * order of signed integers is that of unsigned ones. */
uint64_t comm_max_u64(MPI_Comm comm, uint64_t value)
{
    const uint64_t highest = (uint64_t)1 << 63;
    value ^= highest;
    MPI_CALL(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, comm));
    return value ^ highest;
}

int64_t comm_min_i64(MPI_Comm comm, int64_t value)
{
    MPI_CALL(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MIN, comm));
    return value;
}

/* Sums of hashes wrap, so the type is unsigned. */
void comm_sum_i64(MPI_Comm comm, int64_t *values, int count)
{
    MPI_CALL(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_SUM, comm));
}

void comm_sum_f64(MPI_Comm comm, double *values, int count)
{
    MPI_CALL(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, comm));
}

void comm_max_f64(MPI_Comm comm, double *values, int count)
{
    MPI_CALL(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, comm));
}

void comm_min_f64(MPI_Comm comm, double *values, int count)
{
    MPI_CALL(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MIN, comm));
}

void comm_broadcast(MPI_Comm comm, void *data, int bytes)
{
    comm_broadcast_from(comm, 0, data, bytes);
}

void comm_broadcast_from(MPI_Comm comm, int root, void *data, int bytes)
{
    MPI_CALL(MPI_Bcast(data, bytes, MPI_BYTE, root, comm));
}

void comm_barrier(MPI_Comm comm)
{
    MPI_CALL(MPI_Barrier(comm));
}

void comm_gather(MPI_Comm comm, const void *own, void *all, int bytes)
{
    MPI_CALL(MPI_Gather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, comm));
}
