/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport between GPUs of one host: maps receive buffers, and makes each plan's tasks. */
#include "cuda/peer/peer.cuh"
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>
#include "cuda/cuda.h"

extern "C" {
#include "comm/comm.h"
#include "level/plan.h"
}

/* Mapped memory is allocated in whole pages of the driver, so that they hold nothing else. */
enum { PAGE = 1 << 21 };

/* What a rank tells a peer about a plan: its receive buffers' memory, and the offsets of the peer's
 * packets in it. */
struct endpoint {
    cudaIpcMemHandle_t memory;
    long packets[2];
};

/* Where the packets of a message begin, for exchanges of even and odd numbers. */
struct buffers {
    struct packet *packets[2];
};

static struct buffers buffers_of(const struct endpoint &e, void *memory)
{
    struct packet *packets = (struct packet *)memory;
    return {{packets + e.packets[0], packets + e.packets[1]}};
}

struct connection {
    struct packet *buffers;     /* for receiving; other ranks map them */
    std::vector<void *> mapped; /* other ranks' */
    struct peer_task *tasks;
    int count;
};

static unsigned units_of(const struct copy &c)
{
    return (unsigned)std::max(1l, (copy_cells(&c) + UNIT_CELLS - 1) / UNIT_CELLS);
}

/* The copies of one direction, in the order of peers, which both ends know. A message without cells
 * is a copy without cells. A message's two buffers alternate, so exchange n overwrites packets of
 * n − 2. The receiver has read these before its message of n − 1, for which the sender has waited.
 */
static std::vector<struct copy> copies_of(const struct copy_list &list, enum direction direction,
                                          const struct messages &messages)
{
    std::vector<struct copy> copies(list.copies, list.copies + list.count);
    for (int m = 0; m < messages.count; m++)
        if (messages.list[m].count == 0) {
            struct copy empty = {};
            empty.peer = messages.list[m].peer;
            empty.direction = direction;
            copies.push_back(empty);
        }
    return copies;
}

static long packets_of(const struct copy &c, int value_bytes)
{
    return (long)units_of(c) * packets_per_unit(value_bytes);
}

/* Allocates the receive buffers; returns each peer's offsets in them. */
static std::map<int, struct endpoint> allocate_buffers(const std::vector<struct copy> &receives,
                                                       int value_bytes, struct connection *c)
{
    std::map<int, struct endpoint> own;
    std::map<int, long> packets;
    long length = 0;
    for (const struct copy &copy : receives)
        packets[copy.peer] += packets_of(copy, value_bytes);
    for (const auto &message : packets)
        for (long &offset : own[message.first].packets) {
            offset = length;
            length += message.second;
        }
    const size_t bytes = ((size_t)length * sizeof(struct packet) + PAGE - 1) / PAGE * PAGE;
    c->buffers = (struct packet *)cuda_allocate_bytes(bytes, "messages between GPUs");
    CUDA_CALL(cudaMemsetAsync(c->buffers, 0, bytes, cuda_stream()));
    cuda_synchronise(); /* before any peer writes */
    return own;
}

/* Sends each peer its endpoint here, and returns those there. */
static std::map<int, struct endpoint> swap_endpoints(const struct packet *buffers,
                                                     const std::map<int, struct endpoint> &own)
{
    std::vector<int> peers;
    std::vector<struct endpoint> out, in(own.size());
    std::map<int, struct endpoint> others;
    for (const auto &e : own) {
        peers.push_back(e.first);
        out.push_back(e.second);
        CUDA_CALL(cudaIpcGetMemHandle(&out.back().memory, (void *)buffers));
    }
    comm_swap((int)peers.size(), peers.data(), out.data(), in.data(), (int)sizeof(endpoint));
    for (size_t p = 0; p < peers.size(); p++)
        others[peers[p]] = in[p];
    return others;
}

/* Adds the tasks of copies, each of at most `units` units. `buffers` points to each peer's packets.
 */
static void add_tasks(std::vector<struct peer_task> &tasks, const std::vector<struct copy> &copies,
                      int value_bytes, std::map<int, struct buffers> buffers, unsigned units)
{
    for (const struct copy &copy : copies) {
        struct buffers &b = buffers[copy.peer];
        const unsigned all = units_of(copy);
        for (unsigned first = 0; first < all; first += units)
            tasks.push_back(
                {copy, {b.packets[0], b.packets[1]}, first, std::min(first + units, all), 0});
        for (struct packet *&packets : b.packets)
            packets += packets_of(copy, value_bytes);
    }
}

static unsigned units_in(const struct copy_list &list)
{
    unsigned units = 0;
    for (int i = 0; i < list.count; i++)
        units += units_of(list.copies[i]);
    return units;
}

/* Units per task, so that all tasks that send or copy run at once, and then all that receive. */
static unsigned units_per_task(const struct copy_list lists[NUM_DIRECTIONS])
{
    const unsigned out = units_in(lists[COPY_OUT]) + units_in(lists[COPY_LOCAL]),
                   in = units_in(lists[COPY_IN]), resident = peer_resident_blocks();
    return std::max(1u, (std::max(out, in) + resident - 1) / resident);
}

static bool connect(struct route *route)
{
    const struct copy_list *lists = route->lists;
    const auto sends = copies_of(lists[COPY_OUT], COPY_OUT, route->exchange.sends),
               local = copies_of(lists[COPY_LOCAL], COPY_LOCAL, {}),
               receives = copies_of(lists[COPY_IN], COPY_IN, route->exchange.receives);
    const int value_bytes = route->exchange.value_bytes;
    struct connection *c = new struct connection();
    std::map<int, struct endpoint> own = allocate_buffers(receives, value_bytes, c);
    std::map<int, struct buffers> here, there;
    for (const auto &other : swap_endpoints(c->buffers, own)) {
        void *mapped;
        CUDA_CALL(
            cudaIpcOpenMemHandle(&mapped, other.second.memory, cudaIpcMemLazyEnablePeerAccess));
        c->mapped.push_back(mapped);
        here[other.first] = buffers_of(own[other.first], c->buffers);
        there[other.first] = buffers_of(other.second, mapped);
    }
    const unsigned units = units_per_task(lists);
    std::vector<struct peer_task> tasks;
    add_tasks(tasks, sends, value_bytes, there, units);
    add_tasks(tasks, local, value_bytes, {}, units);
    add_tasks(tasks, receives, value_bytes, here, units);
    const size_t bytes = tasks.size() * sizeof tasks[0];
    c->tasks = (struct peer_task *)cuda_allocate_bytes(bytes, "a plan between GPUs");
    CUDA_CALL(
        cudaMemcpyAsync(c->tasks, tasks.data(), bytes, cudaMemcpyHostToDevice, cuda_stream()));
    cuda_synchronise();
    c->count = (int)tasks.size();
    route->state = c;
    return true;
}

static void execute(struct route *route, const real *from, real *to)
{
    const struct connection &c = *(const struct connection *)route->state;
    if (c.count > 0)
        peer_exchange(route, c.tasks, c.count, from, to);
}

/* Until the first barrier other ranks may write here; until the second one they have it mapped. */
static void disconnect(struct route *route)
{
    struct connection *c = (struct connection *)route->state;
    cuda_synchronise();
    comm_barrier(comm_world());
    for (void *mapped : c->mapped)
        CUDA_CALL(cudaIpcCloseMemHandle(mapped));
    comm_barrier(comm_world());
    cuda_release_bytes(c->tasks);
    cuda_release_bytes(c->buffers);
    delete c;
}

static const struct transport peer_transport = {
    comm_on_node, true, connect, disconnect, {NULL, execute, NULL, NULL}};

/* What ranks tell each other before they try to map memory. */
struct trial {
    cudaUUID_t gpu;
    bool can_share; /* there is a handle */
    cudaIpcMemHandle_t memory;
};

/* Tries to map memory of each other rank of the node; returns why that fails, or NULL. */
static const char *try_all(const std::vector<struct trial> &trials)
{
    for (int rank = 0; rank < comm_size(); rank++) {
        if (!comm_on_node(rank))
            continue;
        if (!trials[rank].can_share)
            return "a GPU cannot share its memory (CUDA IPC)";
        if (rank == comm_rank())
            continue;
        if (memcmp(&trials[rank].gpu, &trials[comm_rank()].gpu, sizeof(cudaUUID_t)) == 0)
            return "ranks share a GPU";
        void *at;
        if (cudaIpcOpenMemHandle(&at, trials[rank].memory, cudaIpcMemLazyEnablePeerAccess) !=
            cudaSuccess) {
            cudaGetLastError(); /* forgets the failure */
            return "a GPU cannot map another one's memory (CUDA IPC)";
        }
        CUDA_CALL(cudaIpcCloseMemHandle(at));
    }
    return NULL;
}

/* The same by all ranks, with memory of their own for the others to map. */
static const char *try_ipc()
{
    std::vector<int> ranks;
    for (int rank = 0; rank < comm_size(); rank++)
        ranks.push_back(rank);
    cudaDeviceProp properties;
    CUDA_CALL(cudaGetDeviceProperties(&properties, cuda_device()->number));
    void *memory = cuda_allocate_bytes(PAGE, "a trial of CUDA IPC");
    struct trial trial = {properties.uuid, false, {}};
    trial.can_share = cudaIpcGetMemHandle(&trial.memory, memory) == cudaSuccess;
    cudaGetLastError(); /* forgets the failure */
    std::vector<struct trial> own(ranks.size(), trial), trials(ranks.size());
    comm_swap((int)ranks.size(), ranks.data(), own.data(), trials.data(), (int)sizeof trial);
    const char *reason = try_all(trials);
    double works = reason ? 0.0 : 1.0;
    comm_min_f64(comm_world(), &works, 1);
    cuda_release_bytes(memory);
    return reason         ? reason
           : works == 0.0 ? "another rank's GPU cannot map all others' memory (CUDA IPC)"
                          : NULL;
}

extern "C" const struct transport *cuda_peer_transport(const char **why_not)
{
    const bool alone = comm_min_i64(comm_world(), comm_node_size() == 1);
    *why_not = alone ? "every rank is on a node of its own" : try_ipc();
    return *why_not ? NULL : &peer_transport;
}
