/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel of an exchange between GPUs. It sends packets (core/packet.cuh) into
 * other GPUs' buffers and polls those in its own, as NCCL's protocol LL does. A packet holds three
 * words of 4 bytes beside the number of the exchange, so three cells take two packets in double
 * precision, and one in single. The device counts exchanges, so a recording can be replayed. */
#include "cuda/peer/peer.cuh"
#include <algorithm>
#include "cuda/core/clock.cuh"
#include "cuda/core/conversion.cuh"
#include "cuda/timeout.cuh"

#define TIMEOUT_NS 60000000000ull /* for a rank that never comes */

/* What the threads of an exchange share. Values that change their precision are multiplied. */
template <class From, class To>
struct exchange_fields {
    const From *from;
    To *to;
    double factor;
    int longest;
    struct wait_timeout *timeout;
    /* Messages are in single precision if one end is. */
    using wire = typename std::conditional<sizeof(From) < sizeof(To), From, To>::type;
    static constexpr int PACKETS = sizeof(wire) / sizeof(unsigned); /* of a thread */
};

/* Three cells of a message, as what its packets hold. */
template <class T>
union cell_words {
    T cells[3];
    unsigned words[3 * sizeof(T) / sizeof(unsigned)];
};

static __device__ void store(struct packet *at, const unsigned words[3], unsigned number)
{
    store_packet<cuda::thread_scope_system>(at, {__hiloint2double((int)words[1], (int)words[0]),
                                                 (unsigned long long)words[2] << 32 | number});
}

/* Returns whether the packet is of this exchange. */
static __device__ bool load(const struct packet *at, unsigned words[3], unsigned number)
{
    const struct packet p = load_packet<cuda::thread_scope_system>(at);
    words[0] = (unsigned)__double2loint(p.value);
    words[1] = (unsigned)__double2hiint(p.value);
    words[2] = (unsigned)(p.number >> 32);
    return (unsigned)p.number == number;
}

/* A thread's packets. Returns whether all are of this exchange. */
template <int PACKETS>
static __device__ bool load_all(const struct packet *at, unsigned words[3 * PACKETS],
                                unsigned number)
{
    bool all = true;
    for (int p = 0; p < PACKETS; p++)
        all = load(at + p * PEER_BLOCK, &words[3 * p], number) && all;
    return all;
}

static __device__ unsigned cells_in(const struct copy &c)
{
    return (unsigned)c.n[0] * c.n[1] * c.n[2];
}

/* The element of cell x of a copy whose first cell is element `at`. */
static __device__ long element_of(const struct copy &c, unsigned x, long at, long sj, long sk)
{
    const unsigned n0 = c.n[0], n1 = c.n[1], row = x / n0, i = x - row * n0, k = row / n1,
                   j = row - k * n1;
    return at + i + j * sj + k * sk;
}

/* This thread's cells of a unit: x, x + PEER_BLOCK and x + 2 PEER_BLOCK. The last cell takes the
 * place of those that do not exist: without branches, all cells are requested before one of them
 * has come. */
template <class T>
static __device__ void read_cells(const struct copy &c, unsigned x, const T *from, T values[3])
{
    const unsigned last = cells_in(c) - 1;
    for (unsigned a = 0; a < 3; a++)
        values[a] = __ldcg(
            &from[element_of(c, min(x + a * PEER_BLOCK, last), c.from, c.from_sj, c.from_sk)]);
}

template <class T, class From>
static __device__ void write_cells(const struct copy &c, unsigned x, T *to, const From values[3],
                                   double factor)
{
    for (unsigned a = 0; a < 3; a++)
        if (x + a * PEER_BLOCK < cells_in(c))
            to[element_of(c, x + a * PEER_BLOCK, c.to, c.to_sj, c.to_sk)] =
                converted<T>(values[a], factor);
}

template <class From, class To>
static __device__ void send(const struct exchange_fields<From, To> &f, const struct copy &c,
                            unsigned x, struct packet *packets, unsigned number)
{
    using wire = typename exchange_fields<From, To>::wire;
    From values[3] = {};
    union cell_words<wire> message;
    if (cells_in(c) > 0)
        read_cells(c, x, f.from, values);
    for (int a = 0; a < 3; a++)
        message.cells[a] = converted<wire>(values[a], f.factor);
    for (int p = 0; p < f.PACKETS; p++)
        store(packets + p * PEER_BLOCK, &message.words[3 * p], number);
}

template <class From, class To>
static __device__ void receive(const struct exchange_fields<From, To> &f,
                               const struct peer_task &task, unsigned x,
                               const struct packet *packets, unsigned number)
{
    union cell_words<typename exchange_fields<From, To>::wire> message;
    if (!load_all<f.PACKETS>(packets, message.words, number)) {
        const unsigned long long start = nanoseconds();
        while (!load_all<f.PACKETS>(packets, message.words, number))
            if (nanoseconds() - start > TIMEOUT_NS)
                give_up(f.timeout, task.copy.peer, f.longest);
    }
    write_cells(task.copy, x, f.to, message.cells, f.factor);
}

/* An empty message is the packets of one thread. */
template <class From, class To>
static __device__ void do_unit(const struct exchange_fields<From, To> &f,
                               const struct peer_task &task, unsigned unit, unsigned number)
{
    const unsigned x = unit * UNIT_CELLS + threadIdx.x;
    if (x > 0 && x >= cells_in(task.copy))
        return;
    struct packet *packets =
        (number & 1 ? task.packets[1] : task.packets[0]) +
        unit * packets_per_unit(sizeof(typename exchange_fields<From, To>::wire)) + threadIdx.x;
    if (task.copy.direction == COPY_OUT)
        send(f, task.copy, x, packets, number);
    else if (task.copy.direction == COPY_IN)
        receive(f, task, x, packets, number);
    else {
        From values[3];
        read_cells(task.copy, x, f.from, values);
        write_cells(task.copy, x, f.to, values, f.factor);
    }
}

template <class From, class To>
static __global__ void __launch_bounds__(PEER_BLOCK)
    exchange_kernel(const __grid_constant__ struct exchange_fields<From, To> f,
                    struct peer_task *tasks, int count)
{
    for (int x = blockIdx.x; x < count; x += gridDim.x) {
        const struct peer_task task = tasks[x];
        const unsigned number = task.number + 1;
        for (unsigned unit = task.first; unit < task.end; unit++)
            do_unit(f, task, unit, number);
        __syncthreads(); /* all threads have read the number */
        if (threadIdx.x == 0)
            tasks[x].number = number;
    }
}

template <class From, class To>
static unsigned resident_blocks()
{
    static int per_multiprocessor;
    static const cudaError_t found = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_multiprocessor, exchange_kernel<From, To>, PEER_BLOCK, 0);
    CUDA_CALL(found);
    return (unsigned)(per_multiprocessor * cuda_multiprocessors());
}

unsigned peer_resident_blocks()
{
    return std::min({resident_blocks<double, double>(), resident_blocks<double, float>(),
                     resident_blocks<float, double>(), resident_blocks<float, float>()});
}

template <class From, class To>
static void launch(const struct route *route, struct peer_task *tasks, int count, const From *from,
                   To *to)
{
    struct exchange_fields<From, To> f = {
        from, to
    };
    f.factor = route->lists[COPY_OUT].factor;
    f.longest = route->ends->longest;
    f.timeout = cuda_wait_timeout();
    exchange_kernel<<<std::min((unsigned)count, peer_resident_blocks()), PEER_BLOCK, 0,
                      cuda_stream()>>>(f, tasks, count);
    CUDA_LAUNCHED();
}

void peer_exchange(const struct route *route, struct peer_task *tasks, int count, const void *from,
                   void *to)
{
    with_precisions(is_single(route->ends->source), is_single(route->ends->target),
                    [&](auto x, auto y) {
                        launch(route, tasks, count, (const decltype(x) *)from, (decltype(y) *)to);
                    });
}
