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
    int count, longest;
};

static unsigned units_of(const struct copy &c)
{
    const long cells = (long)c.n[0] * c.n[1] * c.n[2];
    return (unsigned)std::max(1l, (cells + UNIT_CELLS - 1) / UNIT_CELLS);
}

/* The messages of one direction by peer, as lists of copies in an order that both ends know. */
typedef std::map<int, std::vector<struct copy>> traffic;

static traffic traffic_of(const struct copy_list &list)
{
    traffic t;
    for (int i = 0; i < list.count; i++)
        t[list.copies[i].peer].push_back(list.copies[i]);
    return t;
}

/* Answers each peer that has a message of the other direction only, by an empty one. A message's
 * two buffers alternate, so exchange n overwrites packets of n − 2. The receiver has read these
 * before its message of n − 1, for which the sender has waited. */
static void answer(traffic &t, const traffic &other)
{
    for (const auto &message : other)
        if (t[message.first].empty())
            t[message.first].push_back({});
}

static long packets_in(const std::vector<struct copy> &message)
{
    long units = 0;
    for (const struct copy &c : message)
        units += units_of(c);
    return units * UNIT_PACKETS;
}

/* Allocates the receive buffers; returns each peer's offsets in them. */
static std::map<int, struct endpoint> allocate_buffers(const traffic &receives,
                                                       struct connection *c)
{
    std::map<int, struct endpoint> own;
    long length = 0;
    for (const auto &message : receives)
        for (long &offset : own[message.first].packets) {
            offset = length;
            length += packets_in(message.second);
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

/* Adds the tasks of a copy, each of at most `units` units. */
static void add_tasks(std::vector<struct peer_task> &tasks, const struct copy &copy,
                      enum peer_direction direction, int peer, const struct buffers &buffers,
                      unsigned units)
{
    for (unsigned first = 0; first < units_of(copy); first += units)
        tasks.push_back({copy,
                         {buffers.packets[0], buffers.packets[1]},
                         first,
                         std::min(first + units, units_of(copy)),
                         0,
                         direction,
                         peer});
}

/* The tasks of one direction. `buffers` points to each peer's packets. */
static void add_messages(std::vector<struct peer_task> &tasks, const traffic &messages,
                         enum peer_direction direction, std::map<int, struct buffers> &buffers,
                         unsigned units)
{
    for (const auto &message : messages) {
        struct buffers b = buffers[message.first];
        for (const struct copy &copy : message.second) {
            add_tasks(tasks, copy, direction, message.first, b, units);
            for (struct packet *&packets : b.packets)
                packets += (long)units_of(copy) * UNIT_PACKETS;
        }
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
static unsigned units_per_task(const struct plan *plan)
{
    const unsigned out = units_in(plan->pack) + units_in(plan->local), in = units_in(plan->unpack),
                   resident = peer_resident_blocks();
    return std::max(1u, (std::max(out, in) + resident - 1) / resident);
}

static void *connect(const struct plan *plan)
{
    traffic sends = traffic_of(plan->pack), receives = traffic_of(plan->unpack);
    answer(sends, receives);
    answer(receives, sends);
    struct connection *c = new struct connection();
    std::map<int, struct endpoint> own = allocate_buffers(receives, c);
    std::map<int, struct buffers> here, there;
    for (const auto &other : swap_endpoints(c->buffers, own)) {
        void *mapped;
        CUDA_CALL(
            cudaIpcOpenMemHandle(&mapped, other.second.memory, cudaIpcMemLazyEnablePeerAccess));
        c->mapped.push_back(mapped);
        here[other.first] = buffers_of(own[other.first], c->buffers);
        there[other.first] = buffers_of(other.second, mapped);
    }
    const unsigned units = units_per_task(plan);
    std::vector<struct peer_task> tasks;
    add_messages(tasks, sends, PEER_SEND, there, units);
    for (int i = 0; i < plan->local.count; i++)
        add_tasks(tasks, plan->local.copies[i], PEER_LOCAL, -1, {}, units);
    add_messages(tasks, receives, PEER_RECEIVE, here, units);
    const size_t bytes = tasks.size() * sizeof tasks[0];
    c->tasks = (struct peer_task *)cuda_allocate_bytes(bytes, "a plan between GPUs");
    CUDA_CALL(
        cudaMemcpyAsync(c->tasks, tasks.data(), bytes, cudaMemcpyHostToDevice, cuda_stream()));
    cuda_synchronise();
    c->count = (int)tasks.size();
    c->longest = plan->longest;
    return c;
}

static void execute(void *connection, const double *from, double *to)
{
    const struct connection &c = *(const struct connection *)connection;
    if (c.count > 0)
        peer_exchange(c.tasks, c.count, from, to, c.longest);
}

/* Until the first barrier other ranks may write here; until the second one they have it mapped. */
static void disconnect(void *connection)
{
    struct connection *c = (struct connection *)connection;
    cuda_synchronise();
    comm_barrier(comm_world());
    for (void *mapped : c->mapped)
        CUDA_CALL(cudaIpcCloseMemHandle(mapped));
    comm_barrier(comm_world());
    cuda_release_bytes(c->tasks);
    cuda_release_bytes(c->buffers);
    delete c;
}

static const struct transport peer_transport = {"peer", comm_on_node, connect, execute, disconnect};

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
