/* Messages between GPUs of one host without the host: ranks map each other's receive buffers (CUDA
 * IPC), kernels write into them over the links between GPUs and raise a flag there.
 *
 * Every message has two buffers on the receiver's side, used in turns. Exchange number n of a plan
 *   - packs into buffer n mod 2 of the receiver, once that one has said that it has unpacked
 *     exchange n − 2 (the word `consumed`, on the sender's side), and sets `arrived` to n;
 *   - unpacks what has arrived, and sets `consumed` to n.
 * No deadlock: all ranks execute the same plans in the same order, and each kernel only waits for
 * kernels that come earlier in that order: unpacking for the packing of the same exchange, packing
 * for the unpacking of an earlier one. So the first kernel in that order that is not done can
 * always go on. Ranks must not share a GPU, where one's waiting would keep the other from working.
 *
 * The numbers are counted on the device, so that a recorded exchange can be replayed. */
#include "cuda/peer.cuh"
#include <cstring>
#include <map>
#include <vector>
#include "cuda/cuda.h"

extern "C" {
#include "base/memory.h"
#include "comm/comm.h"
#include "level/plan.h"
}

typedef unsigned long long word;

enum { WORDS_APART = 16 }; /* flags that different GPUs write lie on lines of their own */
/* Memory that is mapped elsewhere is allocated in whole pages of the driver's, so that nothing else
 * lies in them. */
enum { PAGE = 1 << 21 };
enum { BLOCK = 256, CELLS_A_BLOCK = 4 * BLOCK, MAX_PIECES = 256 };
#define PATIENCE_NS 60000000000ull /* for a rank that never comes */

/* One piece of a message, or of what stays on this rank (message LOCAL). */
enum { LOCAL = -1 };
struct item {
    struct copy copy;
    int message;
};

/* Both ends of a message, as its sender or its receiver reaches them. */
struct end {
    double *buffer[2];
    word *arrived, *consumed;
    int peer;
};

/* Half of an exchange: packing or unpacking. */
struct half {
    const struct item *items;
    struct end *ends;
    unsigned *done;        /* blocks that are through, by message */
    const unsigned *parts; /* blocks that there are, likewise */
    unsigned *all_done;
    word *number; /* exchanges so far */
    int dim;      /* for complaints */
};

/* What the host reads after a kernel has given up. */
struct complaint {
    int made, peer, dim, unpacking;
};
static struct complaint *complaint_on_host, *complaint_on_device;

static __device__ word load_acquire(const word *at)
{
    word value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}

static __device__ void store_release(word *at, word value)
{
    asm volatile("st.release.sys.global.u64 [%0], %1;" : : "l"(at), "l"(value) : "memory");
}

static __device__ word nanoseconds()
{
    word t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}

static __device__ void give_up(struct complaint *c, const struct half &h, int peer, bool unpacking)
{
    c->peer = peer;
    c->dim = h.dim;
    c->unpacking = unpacking;
    __threadfence_system();
    c->made = 1;
    __threadfence_system();
    __trap();
}

static __device__ void wait_for(const word *flag, word value, struct complaint *c,
                                const struct half &h, int peer, bool unpacking)
{
    if (load_acquire(flag) >= value)
        return;
    const word start = nanoseconds();
    while (load_acquire(flag) < value)
        if (nanoseconds() - start > PATIENCE_NS)
            give_up(c, h, peer, unpacking);
}

static __device__ void copy_piece(const struct copy &c, const double *from, double *to)
{
    const unsigned n0 = c.n[0], n1 = c.n[1], cells = n0 * n1 * c.n[2];
    for (unsigned x = blockIdx.y * BLOCK + threadIdx.x; x < cells; x += gridDim.y * BLOCK) {
        const unsigned row = x / n0, i = x - row * n0, k = row / n1, j = row - k * n1;
        to[c.to + i + j * c.to_sj + k * c.to_sk] =
            __ldcg(&from[c.from + i + j * c.from_sj + k * c.from_sk]);
    }
}

/* True on the block that is the last to call this for the counter. */
static __device__ bool is_last(unsigned *done, unsigned parts)
{
    if (atomicAdd(done, 1) + 1 < parts)
        return false;
    *done = 0;
    return true;
}

/* A block is through with its piece: the last one of a message sets its flag, the last one of all
 * counts the exchange. */
static __device__ void finish_piece(const struct half &h, int message, word *flag, word number)
{
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    __threadfence_system();
    if (message != LOCAL && is_last(&h.done[message], h.parts[message])) {
        __threadfence_system();
        store_release(flag, number);
    }
    if (is_last(h.all_done, gridDim.x * gridDim.y))
        *h.number = number;
}

static __global__ void __launch_bounds__(BLOCK)
    pack_kernel(const struct half h, const double *from, double *to, struct complaint *c)
{
    const struct item &item = h.items[blockIdx.x];
    const word number = *h.number + 1;
    if (item.message == LOCAL) {
        copy_piece(item.copy, from, to);
        finish_piece(h, LOCAL, NULL, number);
        return;
    }
    const struct end &end = h.ends[item.message];
    if (threadIdx.x == 0 && number > 2)
        wait_for(end.consumed, number - 2, c, h, end.peer, false);
    __syncthreads();
    copy_piece(item.copy, from, end.buffer[number & 1]);
    finish_piece(h, item.message, end.arrived, number);
}

static __global__ void __launch_bounds__(BLOCK)
    unpack_kernel(const struct half h, double *to, struct complaint *c)
{
    const struct item &item = h.items[blockIdx.x];
    const struct end &end = h.ends[item.message];
    const word number = *h.number + 1;
    if (threadIdx.x == 0)
        wait_for(end.arrived, number, c, h, end.peer, true);
    __syncthreads();
    copy_piece(item.copy, end.buffer[number & 1], to);
    finish_piece(h, item.message, end.consumed, number);
}

/* What two ranks tell each other of a plan: the memory that both write to, and what is where in it,
 * in bytes; of a message that there is not, -1. */
struct introduction {
    cudaIpcMemHandle_t memory;
    long buffer[2], arrived, consumed;
};

struct connection {
    char *arena;                  /* flags and receive buffers; other ranks map it */
    std::map<int, char *> mapped; /* other ranks' arenas */
    struct half pack, unpack;
    int pack_items, unpack_items, pieces_packed, pieces_unpacked;
    std::vector<void *> blocks; /* device memory to release */
};

static long flag_bytes(const struct exchange &x)
{
    return (long)(x.nreceives + x.nsends) * WORDS_APART * (long)sizeof(word);
}

static long receive_length(const struct exchange &x)
{
    long length = 0;
    for (int m = 0; m < x.nreceives; m++)
        length += x.receives[m].count;
    return length;
}

static long arrived_at(int receive)
{
    return receive * WORDS_APART * (long)sizeof(word);
}

static long consumed_at(const struct exchange &x, int send)
{
    return arrived_at(x.nreceives + send);
}

static long buffer_at(const struct exchange &x, int turn)
{
    return flag_bytes(x) + turn * receive_length(x) * (long)sizeof(double);
}

static int message_with(const struct message *messages, int count, int peer)
{
    for (int m = 0; m < count; m++)
        if (messages[m].peer == peer)
            return m;
    return -1;
}

/* Ranks that this one exchanges messages with, either way. */
static std::vector<int> peers_of(const struct exchange &x)
{
    std::vector<int> peers;
    for (int rank = 0; rank < comm_size(); rank++)
        if (message_with(x.sends, x.nsends, rank) >= 0 ||
            message_with(x.receives, x.nreceives, rank) >= 0)
            peers.push_back(rank);
    return peers;
}

static struct introduction introduce(const struct exchange &x, const struct connection &c, int peer)
{
    struct introduction i = {{}, {-1, -1}, -1, -1};
    const int receive = message_with(x.receives, x.nreceives, peer),
              send = message_with(x.sends, x.nsends, peer);
    CUDA_CALL(cudaIpcGetMemHandle(&i.memory, c.arena));
    if (receive >= 0) {
        for (int turn = 0; turn < 2; turn++)
            i.buffer[turn] = buffer_at(x, turn) + x.receives[receive].offset * (long)sizeof(double);
        i.arrived = arrived_at(receive);
    }
    if (send >= 0)
        i.consumed = consumed_at(x, send);
    return i;
}

static void *to_device(struct connection &c, const void *data, size_t bytes)
{
    void *block = cuda_allocate_bytes(bytes, "a plan between GPUs");
    CUDA_CALL(cudaMemcpyAsync(block, data, bytes, cudaMemcpyHostToDevice, cuda_stream()));
    cuda_synchronise();
    c.blocks.push_back(block);
    return block;
}

/* The message that begins at or before the offset: copies lie one after the other in it. */
static int message_at(const struct message *messages, int count, long offset)
{
    int m = count - 1;
    while (m > 0 && messages[m].offset > offset)
        m--;
    return m;
}

static int pieces_of(const struct copy_list *list, int pieces)
{
    for (int i = 0; i < list->count; i++) {
        const struct copy &c = list->copies[i];
        const long cells = (long)c.n[0] * c.n[1] * c.n[2];
        const long wanted = (cells + CELLS_A_BLOCK - 1) / CELLS_A_BLOCK;
        pieces = wanted > pieces ? (int)(wanted < MAX_PIECES ? wanted : MAX_PIECES) : pieces;
    }
    return pieces;
}

/* One half as kernels want it. */
static struct half make_half(struct connection &c, const std::vector<struct item> &items,
                             const std::vector<struct end> &ends, int pieces, int dim)
{
    std::vector<unsigned> parts(ends.size() + 1, 0), zeros(ends.size() + 2, 0);
    for (const struct item &item : items)
        if (item.message != LOCAL)
            parts[item.message] += pieces;
    const word none = 0;
    struct half h = {};
    h.items = (const struct item *)to_device(c, items.data(), items.size() * sizeof items[0]);
    h.ends = (struct end *)to_device(c, ends.data(), ends.size() * sizeof(struct end));
    h.parts = (const unsigned *)to_device(c, parts.data(), parts.size() * sizeof parts[0]);
    h.done = (unsigned *)to_device(c, zeros.data(), zeros.size() * sizeof zeros[0]);
    h.all_done = h.done + ends.size();
    h.number = (word *)to_device(c, &none, sizeof none);
    h.dim = dim;
    return h;
}

static void connect_packing(struct connection &c, const struct plan *plan,
                            std::map<int, struct introduction> &others)
{
    const struct exchange &x = plan->exchange;
    std::vector<struct item> items;
    std::vector<struct end> ends;
    for (int m = 0; m < x.nsends; m++) {
        const int peer = x.sends[m].peer;
        char *arena = c.mapped[peer];
        const struct introduction &i = others[peer];
        CHECK(i.arrived >= 0);
        ends.push_back({{(double *)(arena + i.buffer[0]), (double *)(arena + i.buffer[1])},
                        (word *)(arena + i.arrived),
                        (word *)(c.arena + consumed_at(x, m)),
                        peer});
    }
    for (int i = 0; i < plan->pack.count; i++) {
        struct item item = {plan->pack.copies[i], LOCAL};
        item.message = message_at(x.sends, x.nsends, item.copy.to);
        item.copy.to -= x.sends[item.message].offset;
        items.push_back(item);
    }
    for (int i = 0; i < plan->local.count; i++)
        items.push_back({plan->local.copies[i], LOCAL});
    c.pack_items = (int)items.size();
    c.pieces_packed = pieces_of(&plan->local, pieces_of(&plan->pack, 1));
    c.pack = make_half(c, items, ends, c.pieces_packed, plan->dim);
}

static void connect_unpacking(struct connection &c, const struct plan *plan,
                              std::map<int, struct introduction> &others)
{
    const struct exchange &x = plan->exchange;
    std::vector<struct item> items;
    std::vector<struct end> ends;
    for (int m = 0; m < x.nreceives; m++) {
        const int peer = x.receives[m].peer;
        const long offset = x.receives[m].offset;
        CHECK(others[peer].consumed >= 0);
        ends.push_back({{(double *)(c.arena + buffer_at(x, 0)) + offset,
                         (double *)(c.arena + buffer_at(x, 1)) + offset},
                        (word *)(c.arena + arrived_at(m)),
                        (word *)(c.mapped[peer] + others[peer].consumed),
                        peer});
    }
    for (int i = 0; i < plan->unpack.count; i++) {
        struct item item = {plan->unpack.copies[i], LOCAL};
        item.message = message_at(x.receives, x.nreceives, item.copy.from);
        item.copy.from -= x.receives[item.message].offset;
        items.push_back(item);
    }
    c.unpack_items = (int)items.size();
    c.pieces_unpacked = pieces_of(&plan->unpack, 1);
    c.unpack = make_half(c, items, ends, c.pieces_unpacked, plan->dim);
}

static char *map_memory(cudaIpcMemHandle_t memory)
{
    void *at;
    CUDA_CALL(cudaIpcOpenMemHandle(&at, memory, cudaIpcMemLazyEnablePeerAccess));
    return (char *)at;
}

static void *connect(const struct plan *plan)
{
    const struct exchange &x = plan->exchange;
    struct connection *c = new struct connection();
    const std::vector<int> peers = peers_of(x);
    std::vector<struct introduction> own, theirs(peers.size());
    std::map<int, struct introduction> others;
    const size_t bytes = ((size_t)buffer_at(x, 2) + PAGE - 1) / PAGE * PAGE;
    c->arena = (char *)cuda_allocate_bytes(bytes, "messages between GPUs");
    CUDA_CALL(cudaMemsetAsync(c->arena, 0, bytes, cuda_stream()));
    cuda_synchronise(); /* flags are zero before anybody hears of them */
    for (int peer : peers)
        own.push_back(introduce(x, *c, peer));
    comm_swap((int)peers.size(), peers.data(), own.data(), theirs.data(),
              (int)sizeof(struct introduction));
    for (size_t p = 0; p < peers.size(); p++) {
        others[peers[p]] = theirs[p];
        c->mapped[peers[p]] = map_memory(theirs[p].memory);
    }
    connect_packing(*c, plan, others);
    connect_unpacking(*c, plan, others);
    return c;
}

static void execute(void *connection, const double *from, double *to)
{
    const struct connection &c = *(const struct connection *)connection;
    if (c.pack_items > 0) {
        pack_kernel<<<dim3(c.pack_items, c.pieces_packed), BLOCK, 0, cuda_stream()>>>(
            c.pack, from, to, complaint_on_device);
        CUDA_LAUNCHED();
    }
    if (c.unpack_items > 0) {
        unpack_kernel<<<dim3(c.unpack_items, c.pieces_unpacked), BLOCK, 0, cuda_stream()>>>(
            c.unpack, to, complaint_on_device);
        CUDA_LAUNCHED();
    }
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
    for (void *block : c->blocks)
        cuda_release_bytes(block);
    cuda_release_bytes(c->arena);
    delete c;
}

static const struct transport peer_transport = {"peer", connect, execute, disconnect};

/* What ranks tell each other before they try. */
struct greeting {
    cudaUUID_t gpu;
    cudaIpcMemHandle_t memory;
};

static bool same_gpu(const cudaUUID_t &a, const cudaUUID_t &b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Tries to map a piece of every other rank's memory; why not, if that fails. */
static const char *try_all(const std::vector<struct greeting> &greetings)
{
    for (int rank = 0; rank < comm_size(); rank++) {
        if (rank == comm_rank())
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

static bool on_one_node()
{
    std::vector<int> nodes(comm_size());
    comm_nodes(nodes.data());
    for (int node : nodes)
        if (node != nodes[0])
            return false;
    return true;
}

extern "C" const struct transport *cuda_peer_transport(const char **why_not)
{
    *why_not = "ranks are on several nodes";
    if (!on_one_node())
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
            "rank %d waited a minute for rank %d in an exchange between %d^3 levels: %s",
            comm_rank(), c->peer, c->dim,
            c->unpacking ? "its message never came" : "it never took the message before");
}
