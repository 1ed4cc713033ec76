/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/message_trial.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "level/backend.h"

/* Doubles per message. MPI libraries send short messages at once and long ones by another protocol.
 */
enum { SHORT = 8, LONG = 1 << 17, NEIGHBOURS = 2 };

/* What rank `from` sends at place `at`. */
static double value_of(int from, int at)
{
    return 1.0 + from + at / (double)LONG;
}

static bool length_arrives(const struct backend *memory, int length)
{
    const int rank = comm_rank(), ranks = comm_size(), all = NEIGHBOURS * length,
              peers[NEIGHBOURS] = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
    double *host = memory_alloc((size_t)all * sizeof *host, "message trial"),
           *out = memory->allocate(all, "message trial"),
           *in = memory->allocate(all, "message trial");
    bool right = true;
    for (int x = 0; x < all; x++)
        host[x] = value_of(rank, x % length);
    memory->upload(out, host, all);
    memory->synchronise();
    comm_swap(NEIGHBOURS, peers, out, in, length * (int)sizeof *out);
    memory->download(in, host, all);
    for (int x = 0; x < all; x++)
        right = right && host[x] == value_of(peers[x / length], x % length);
    memory->release(out);
    memory->release(in);
    memory_free(host);
    return comm_min_i64(comm_world(), right) != 0;
}

bool messages_arrive(const struct backend *memory)
{
    return length_arrives(memory, SHORT) && length_arrives(memory, LONG);
}

const char *why_no_device_messages(const struct backend *device)
{
    if (!comm_min_i64(comm_world(), comm_takes_device_memory()))
        return "the MPI library does not accept pointers to GPU memory";
    return messages_arrive(device) ? NULL
                                   : "the MPI library says that it accepts pointers to GPU memory, "
                                     "but messages from there do not arrive";
}
