/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm/node_memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/check.h"
#include "base/memory.h"
#include "comm/comm.h"

enum { NAME_SIZE = 64 };

/* Rounds up to whole pages. */
static size_t page_bytes(long length)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)length * sizeof(double);
    return (bytes + page - 1) / page * page;
}

/* Where this rank's part begins, and the bytes of all parts. */
static size_t find_part(size_t own, size_t *all)
{
    const MPI_Comm node = comm_node();
    const int ranks = comm_node_size();
    int64_t *bytes = memory_alloc_zero((size_t)ranks * sizeof *bytes, "parts of shared memory");
    bytes[comm_node_rank()] = (int64_t)own;
    comm_sum_i64(node, bytes, ranks);
    size_t first = 0;
    *all = 0;
    for (int rank = 0; rank < ranks; rank++) {
        first += rank < comm_node_rank() ? (size_t)bytes[rank] : 0;
        *all += (size_t)bytes[rank];
    }
    memory_free(bytes);
    return first;
}

/* The node's first rank makes a name that is new on this machine. A process of another container
 * may have the same number. */
static int open_first(char name[NAME_SIZE])
{
    static unsigned number;
    int file;
    do {
        snprintf(name, NAME_SIZE, "/hpgmg-gpu-%ld-%u", (long)getpid(), number++);
        file = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    } while (file < 0 && errno == EEXIST);
    return file;
}

/* The same memory as a file of all ranks of the node, without a name from now on; negative if that
 * fails here. */
static int open_together(void)
{
    const bool first = comm_node_rank() == 0;
    char name[NAME_SIZE] = "";
    int file = first ? open_first(name) : -1;
    comm_broadcast(comm_node(), name, sizeof name);
    if (!first)
        file = shm_open(name, O_RDWR, 0600);
    comm_barrier(comm_node());
    if (first && file >= 0)
        shm_unlink(name);
    return file;
}

bool node_all(bool value)
{
    return comm_min_i64(comm_node(), value) != 0;
}

static void warn_once(size_t bytes)
{
    static bool warned;
    if (!warned && comm_node_rank() == 0)
        warn(
            "/dev/shm has no room for %.3g MB of messages between the ranks of a node: MPI carries "
            "them, which takes longer",
            1e-6 * (double)bytes);
    warned = true;
}

/* posix_fallocate finds out whether there is room, and takes pages near this rank. Without it, a
 * write would end the process where /dev/shm is full. */
bool node_memory_share(struct node_memory *m, long length)
{
    *m = (struct node_memory){.data = NULL};
    if (comm_node_size() == 1)
        return false;
    const size_t own = page_bytes(length), first = find_part(own, &m->bytes);
    m->own = (long)(first / sizeof(double));
    if (m->bytes == 0)
        return false;
    const int file = open_together();
    bool works = file >= 0 && (own == 0 || posix_fallocate(file, (off_t)first, (off_t)own) == 0);
    if (node_all(works)) {
        void *data = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        m->data = data == MAP_FAILED ? NULL : data;
    }
    if (file >= 0)
        close(file);
    works = node_all(m->data);
    if (!works) {
        warn_once(m->bytes);
        node_memory_release(m);
    }
    return works;
}

void node_memory_release(struct node_memory *m)
{
    if (m->data)
        munmap(m->data, m->bytes);
    m->data = NULL;
}
