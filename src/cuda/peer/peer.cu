/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between GPUs of one host without the host: ranks map each other's receive buffers (CUDA
 * IPC), and one kernel an exchange sends into them over the links between GPUs and takes out of its
 * own what has come.
 *
 * Messages are packets of 16 bytes, read and written as one: 12 bytes of data and the number of the
 * exchange. Who finds the number that it waits for has the data too, so nothing need be fenced or
 * flagged, and a message takes as long as its cells take one after the other, and one latency. (The
 * idea is that of NCCL's protocol LL.) Three cells travel in two packets.
 *
 * Every message has two buffers on the receiver's side, used in turns, and is answered: a rank that
 * has nothing to send where it receives sends one empty packet. So exchange n may write over what
 * exchange n − 2 left: the receiver sent its part of n − 1, which this rank has taken, after its
 * kernel of n − 2 was done.
 *
 * No deadlock: all ranks execute the same plans in the same order, sending waits for nothing, all
 * blocks of a kernel are on the GPU together, and each does what it has to send before it waits. So
 * the first exchange in that order that is not done anywhere will be. Ranks must not share a GPU,
 * where one's waiting would keep the other from working.
 *
 * The numbers are counted on the device, so that a recorded exchange can be replayed. */
#include "cuda/peer/peer.cuh"
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>
#include "cuda/cuda.h"

extern "C" {
#include "base/memory.h"
#include "comm/comm.h"
#include "level/plan.h"
}

#if CUDART_VERSION < 12030
#error "this needs CUDA 12.3 or newer, for accesses of 128 bits; make CUDA=0 builds without CUDA"
#endif

/* Memory that is mapped elsewhere is allocated in whole pages of the driver's, so that nothing else
 * lies in them. */
enum { PAGE = 1 << 21 };
/* A unit is what a block copies at a time: three cells a thread. */
enum { BLOCK = 256, UNIT_CELLS = 3 * BLOCK, UNIT_PACKETS = 2 * BLOCK };
#define PATIENCE_NS 60000000000ull /* for a rank that never comes */

struct alignas(16) packet {
    double whole;          /* a cell */
    unsigned half, number; /* half of another one; of the exchange, from 1 */
};

enum task { SEND, KEEP, RECEIVE }; /* from the field, within fields, to the field */

/* What one block does of a copy in every exchange: units first to end − 1. */
struct alignas(16) work {
    struct copy copy;
    struct packet *packets[2]; /* of the whole copy, in turns */
    unsigned first, end;
    unsigned number; /* exchanges so far */
    enum task task;
    int peer;
};

/* What the host reads after a kernel has given up. */
struct complaint {
    int made, peer, dim;
};
static struct complaint *complaint_on_host, *complaint_on_device;

static __device__ unsigned long long nanoseconds()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}

static __device__ void store_packet(struct packet *at, struct packet p)
{
    const long long first = __double_as_longlong(p.whole),
                    second = (long long)p.half << 32 | p.number;
    asm volatile("{ .reg .b128 p; mov.b128 p, {%1, %2}; st.relaxed.sys.global.b128 [%0], p; }"
                 :
                 : "l"(at), "l"(first), "l"(second)
                 : "memory");
}

static __device__ struct packet load_packet(const struct packet *at)
{
    long long first, second;
    asm volatile("{ .reg .b128 p; ld.relaxed.sys.global.b128 p, [%2]; mov.b128 {%0, %1}, p; }"
                 : "=l"(first), "=l"(second)
                 : "l"(at)
                 : "memory");
    return {__longlong_as_double(first), (unsigned)(second >> 32), (unsigned)second};
}

static __device__ void give_up(struct complaint *c, int peer, int dim)
{
    c->peer = peer;
    c->dim = dim;
    __threadfence_system();
    c->made = 1;
    __threadfence_system();
    __trap();
}

/* p, as it is once it has come. */
static __device__ void wait_for(struct packet &p, const struct packet *at, unsigned number,
                                struct complaint *c, int peer, int dim)
{
    if (p.number == number)
        return;
    const unsigned long long start = nanoseconds();
    while ((p = load_packet(at)).number != number)
        if (nanoseconds() - start > PATIENCE_NS)
            give_up(c, peer, dim);
}

static __device__ unsigned cells_in(const struct copy &c)
{
    return (unsigned)c.n[0] * c.n[1] * c.n[2];
}

/* The place of cell x of a copy. */
static __device__ long place(const struct copy &c, unsigned x, long at, long sj, long sk)
{
    const unsigned n0 = c.n[0], n1 = c.n[1], row = x / n0, i = x - row * n0, k = row / n1,
                   j = row - k * n1;
    return at + i + j * sj + k * sk;
}

/* This thread's cells of a unit, x, x + BLOCK and x + 2 BLOCK, as far as there are some. */
static __device__ void read_cells(const struct copy &c, unsigned x, const double *from,
                                  double values[3])
{
    for (unsigned a = 0; a < 3; a++)
        values[a] = x + a * BLOCK < cells_in(c)
                        ? __ldcg(&from[place(c, x + a * BLOCK, c.from, c.from_sj, c.from_sk)])
                        : 0.0;
}

static __device__ void write_cells(const struct copy &c, unsigned x, double *to,
                                   const double values[3])
{
    for (unsigned a = 0; a < 3; a++)
        if (x + a * BLOCK < cells_in(c))
            to[place(c, x + a * BLOCK, c.to, c.to_sj, c.to_sk)] = values[a];
}

/* Which of a thread's two packets there are. An answer has no cells, and one packet. */
static __device__ bool has_first(const struct copy &c, unsigned x)
{
    return x == 0 || x < cells_in(c);
}

static __device__ bool has_second(const struct copy &c, unsigned x)
{
    return x + BLOCK < cells_in(c);
}

static __device__ void send(const struct copy &c, unsigned x, const double *from,
                            struct packet *packets, unsigned number)
{
    double values[3];
    read_cells(c, x, from, values);
    if (has_first(c, x))
        store_packet(packets, {values[0], (unsigned)__double2loint(values[1]), number});
    if (has_second(c, x))
        store_packet(packets + BLOCK, {values[2], (unsigned)__double2hiint(values[1]), number});
}

static __device__ void receive(const struct work &w, unsigned x, const struct packet *packets,
                               double *to, unsigned number, struct complaint *c, int dim)
{
    const bool first = has_first(w.copy, x), second = has_second(w.copy, x);
    struct packet a = {0.0, 0, number}, b = a;
    if (first)
        a = load_packet(packets);
    if (second)
        b = load_packet(packets + BLOCK);
    wait_for(a, packets, number, c, w.peer, dim);
    wait_for(b, packets + BLOCK, number, c, w.peer, dim);
    const double values[3] = {a.whole, __hiloint2double((int)b.half, (int)a.half), b.whole};
    write_cells(w.copy, x, to, values);
}

static __device__ void do_unit(const struct work &w, unsigned unit, const double *from, double *to,
                               unsigned number, struct complaint *c, int dim)
{
    const unsigned x = unit * UNIT_CELLS + threadIdx.x;
    struct packet *packets =
        (number & 1 ? w.packets[1] : w.packets[0]) + (long)unit * UNIT_PACKETS + threadIdx.x;
    if (w.task == SEND)
        send(w.copy, x, from, packets, number);
    else if (w.task == RECEIVE)
        receive(w, x, packets, to, number, c, dim);
    else {
        double values[3];
        read_cells(w.copy, x, from, values);
        write_cells(w.copy, x, to, values);
    }
}

/* All of an exchange. Works that send come first. */
static __global__ void __launch_bounds__(BLOCK)
    exchange_kernel(struct work *works, int count, const double *from, double *to,
                    struct complaint *c, int dim)
{
    for (int w = blockIdx.x; w < count; w += gridDim.x) {
        const struct work work = works[w];
        const unsigned number = work.number + 1;
        for (unsigned unit = work.first; unit < work.end; unit++)
            do_unit(work, unit, from, to, number, c, dim);
        __syncthreads(); /* all have read the number */
        if (threadIdx.x == 0)
            works[w].number = number;
    }
}

/* What two ranks tell each other of a plan: the memory that the other one writes to, and where its
 * packets go in it, in turns. */
struct introduction {
    cudaIpcMemHandle_t memory;
    long packets[2];
};

struct connection {
    struct packet *arena;                  /* receive buffers; other ranks map it */
    std::map<int, struct packet *> mapped; /* other ranks' arenas */
    struct work *works;
    int count, dim;
};

static unsigned units_of(const struct copy &c)
{
    const long cells = (long)c.n[0] * c.n[1] * c.n[2];
    return (unsigned)std::max(1l, (cells + UNIT_CELLS - 1) / UNIT_CELLS);
}

/* One direction of the messages: what goes to or comes from each peer, in the order in which both
 * ends know it. */
typedef std::map<int, std::vector<struct copy>> traffic;

static traffic traffic_of(const struct copy_list &list)
{
    traffic t;
    for (int i = 0; i < list.count; i++)
        t[list.copies[i].peer].push_back(list.copies[i]);
    return t;
}

/* An empty message to every peer that has none of this direction but one of the other. */
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

/* The arena, and where in it each peer's packets go, in turns. */
static std::map<int, struct introduction> place_messages(const traffic &receives,
                                                         struct connection *c)
{
    std::map<int, struct introduction> own;
    long length = 0;
    for (const auto &message : receives)
        for (long &at : own[message.first].packets) {
            at = length;
            length += packets_in(message.second);
        }
    const size_t bytes = ((size_t)length * sizeof(struct packet) + PAGE - 1) / PAGE * PAGE;
    c->arena = (struct packet *)cuda_allocate_bytes(bytes, "messages between GPUs");
    CUDA_CALL(cudaMemsetAsync(c->arena, 0, bytes, cuda_stream()));
    cuda_synchronise(); /* numbers are zero before anybody hears of them */
    return own;
}

/* Introduces every peer's place to it, and returns what they say. */
static std::map<int, struct introduction> introduce(const struct packet *arena,
                                                    const std::map<int, struct introduction> &own)
{
    std::vector<int> peers;
    std::vector<struct introduction> out, in(own.size());
    std::map<int, struct introduction> others;
    for (const auto &i : own) {
        peers.push_back(i.first);
        out.push_back(i.second);
        CUDA_CALL(cudaIpcGetMemHandle(&out.back().memory, (void *)arena));
    }
    comm_swap((int)peers.size(), peers.data(), out.data(), in.data(),
              (int)sizeof(struct introduction));
    for (size_t p = 0; p < peers.size(); p++)
        others[peers[p]] = in[p];
    return others;
}

static struct packet *map_memory(cudaIpcMemHandle_t memory)
{
    void *at;
    CUDA_CALL(cudaIpcOpenMemHandle(&at, memory, cudaIpcMemLazyEnablePeerAccess));
    return (struct packet *)at;
}

/* Blocks of the kernel that the GPU holds together. */
static unsigned resident_blocks()
{
    static int per_multiprocessor;
    static const cudaError_t found = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_multiprocessor, exchange_kernel, BLOCK, 0);
    CUDA_CALL(found);
    return (unsigned)(per_multiprocessor * cuda_multiprocessors());
}

/* Adds the works of a copy, each of so many units. */
static void add_works(std::vector<struct work> &works, const struct copy &copy, enum task task,
                      int peer, struct packet *const packets[2], unsigned units)
{
    for (unsigned first = 0; first < units_of(copy); first += units)
        works.push_back({copy,
                         {packets[0], packets[1]},
                         first,
                         std::min(first + units, units_of(copy)),
                         0,
                         task,
                         peer});
}

/* The works of a direction; places say where each peer's packets begin in which memory. */
static void add_messages(std::vector<struct work> &works, const traffic &messages, enum task task,
                         std::map<int, struct introduction> &places,
                         std::map<int, struct packet *> &memory, unsigned units)
{
    for (const auto &message : messages) {
        const int peer = message.first;
        struct packet *packets[2] = {memory[peer] + places[peer].packets[0],
                                     memory[peer] + places[peer].packets[1]};
        for (const struct copy &copy : message.second) {
            add_works(works, copy, task, peer, packets, units);
            for (struct packet *&turn : packets)
                turn += (long)units_of(copy) * UNIT_PACKETS;
        }
    }
}

static void *to_device(const void *data, size_t bytes)
{
    void *block = cuda_allocate_bytes(bytes, "a plan between GPUs");
    CUDA_CALL(cudaMemcpyAsync(block, data, bytes, cudaMemcpyHostToDevice, cuda_stream()));
    cuda_synchronise();
    return block;
}

static unsigned units_in(const struct copy_list &list)
{
    unsigned units = 0;
    for (int i = 0; i < list.count; i++)
        units += units_of(list.copies[i]);
    return units;
}

/* Units for each work, so that all that send or keep are under way at once, and then all that
 * receive. */
static unsigned units_a_work(const struct plan *plan, unsigned resident)
{
    const unsigned out = units_in(plan->pack) + units_in(plan->local), in = units_in(plan->unpack);
    return std::max(1u, (std::max(out, in) + resident - 1) / resident);
}

static void *connect(const struct plan *plan)
{
    traffic sends = traffic_of(plan->pack), receives = traffic_of(plan->unpack);
    answer(sends, receives);
    answer(receives, sends);
    struct connection *c = new struct connection();
    std::map<int, struct introduction> own = place_messages(receives, c);
    std::map<int, struct introduction> others = introduce(c->arena, own);
    std::map<int, struct packet *> here;
    for (const auto &other : others) {
        c->mapped[other.first] = map_memory(other.second.memory);
        here[other.first] = c->arena;
    }
    const unsigned units = units_a_work(plan, resident_blocks());
    struct packet *const none[2] = {NULL, NULL};
    std::vector<struct work> works;
    add_messages(works, sends, SEND, others, c->mapped, units);
    for (int i = 0; i < plan->local.count; i++)
        add_works(works, plan->local.copies[i], KEEP, -1, none, units);
    add_messages(works, receives, RECEIVE, own, here, units);
    c->count = (int)works.size();
    c->works = (struct work *)to_device(works.data(), works.size() * sizeof works[0]);
    c->dim = plan->dim;
    return c;
}

static void execute(void *connection, const double *from, double *to)
{
    const struct connection &c = *(const struct connection *)connection;
    if (c.count == 0)
        return;
    exchange_kernel<<<std::min((unsigned)c.count, resident_blocks()), BLOCK, 0, cuda_stream()>>>(
        c.works, c.count, from, to, complaint_on_device, c.dim);
    CUDA_LAUNCHED();
}

/* Others may still write here until they have got as far. */
static void disconnect(void *connection)
{
    struct connection *c = (struct connection *)connection;
    cuda_synchronise();
    comm_barrier(MPI_COMM_WORLD);
    for (const auto &mapped : c->mapped)
        CUDA_CALL(cudaIpcCloseMemHandle(mapped.second));
    comm_barrier(MPI_COMM_WORLD);
    cuda_release_bytes(c->works);
    cuda_release_bytes(c->arena);
    delete c;
}

static std::vector<int> nodes; /* of all ranks */

static bool reaches(int rank)
{
    return nodes[rank] == nodes[comm_rank()];
}

static const struct transport peer_transport = {"peer", reaches, connect, execute, disconnect};

/* What ranks tell each other before they try. */
struct greeting {
    cudaUUID_t gpu;
    cudaIpcMemHandle_t memory;
};

static bool same_gpu(const cudaUUID_t &a, const cudaUUID_t &b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Tries to map a piece of memory of every other rank that is to be reached; why not, if that
 * fails. */
static const char *try_all(const std::vector<struct greeting> &greetings)
{
    for (int rank = 0; rank < comm_size(); rank++) {
        if (rank == comm_rank() || !reaches(rank))
            continue;
        if (same_gpu(greetings[rank].gpu, greetings[comm_rank()].gpu))
            return "ranks share a GPU";
        void *at;
        if (cudaIpcOpenMemHandle(&at, greetings[rank].memory, cudaIpcMemLazyEnablePeerAccess) !=
            cudaSuccess) {
            cudaGetLastError();
            return "a GPU cannot map another one's memory (CUDA IPC)";
        }
        CUDA_CALL(cudaIpcCloseMemHandle(at));
    }
    return NULL;
}

static bool some_node_has_two_ranks()
{
    for (int rank = 1; rank < comm_size(); rank++)
        if (std::count(nodes.begin(), nodes.begin() + rank, nodes[rank]) > 0)
            return true;
    return false;
}

extern "C" const struct transport *cuda_peer_transport(const char **why_not)
{
    *why_not = "every rank is on a node of its own";
    nodes.resize(comm_size());
    comm_nodes(nodes.data());
    if (!some_node_has_two_ranks())
        return NULL;
    std::vector<int> ranks;
    for (int rank = 0; rank < comm_size(); rank++)
        ranks.push_back(rank);
    cudaDeviceProp properties;
    CUDA_CALL(cudaGetDeviceProperties(&properties, cuda_device()->number));
    void *memory = cuda_allocate_bytes(PAGE, "a trial of CUDA IPC");
    struct greeting greeting = {properties.uuid, {}};
    CUDA_CALL(cudaIpcGetMemHandle(&greeting.memory, memory));
    std::vector<struct greeting> own(ranks.size(), greeting), greetings(ranks.size());
    comm_swap((int)ranks.size(), ranks.data(), own.data(), greetings.data(), (int)sizeof greeting);
    const char *reason = try_all(greetings);
    double works = reason ? 0.0 : 1.0;
    comm_min_f64(MPI_COMM_WORLD, &works, 1);
    cuda_release_bytes(memory);
    *why_not = reason ? reason : "another rank's GPU cannot map all others' memory (CUDA IPC)";
    if (works == 1.0 && !complaint_on_host) {
        CUDA_CALL(cudaHostAlloc((void **)&complaint_on_host, sizeof *complaint_on_host,
                                cudaHostAllocMapped));
        *complaint_on_host = {};
        CUDA_CALL(cudaHostGetDevicePointer((void **)&complaint_on_device, complaint_on_host, 0));
    }
    return works == 1.0 ? &peer_transport : NULL;
}

void cuda_peer_complain()
{
    const volatile struct complaint *c = complaint_on_host;
    if (c && c->made)
        die(STATUS_SYSTEM,
            "rank %d waited a minute for rank %d in an exchange between %d^3 levels: its message "
            "never came",
            comm_rank(), c->peer, c->dim);
}
