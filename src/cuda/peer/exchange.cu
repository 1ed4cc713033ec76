/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel of an exchange between GPUs. It sends packets (core/packet.cuh) into
 * other GPUs' buffers and polls those in its own, as NCCL's protocol LL does. A packet holds 12
 * bytes of data, so three cells take two. The device counts exchanges, so a recording can be
 * replayed. */
#include "cuda/peer/peer.cuh"
#include <algorithm>
#include "cuda/core/clock.cuh"
#include "cuda/timeout.cuh"

#define TIMEOUT_NS 60000000000ull /* for a rank that never comes */

/* What a packet holds: a cell, and half of another cell beside the number of the exchange. */
struct peer_packet {
    double cell;
    unsigned half, number;
};

static __device__ void store(struct packet *at, struct peer_packet p)
{
    store_packet<cuda::thread_scope_system>(at,
                                            {p.cell, (unsigned long long)p.half << 32 | p.number});
}

static __device__ struct peer_packet load(const struct packet *at)
{
    const struct packet p = load_packet<cuda::thread_scope_system>(at);
    return {p.value, (unsigned)(p.number >> 32), (unsigned)p.number};
}

/* A thread's two packets. Returns whether both are of this exchange. */
static __device__ bool load_both(struct peer_packet p[2], const struct packet *at, unsigned number)
{
    p[0] = load(at);
    p[1] = load(at + PEER_BLOCK);
    return p[0].number == number && p[1].number == number;
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
static __device__ void read_cells(const struct copy &c, unsigned x, const double *from,
                                  double values[3])
{
    const unsigned last = cells_in(c) - 1;
    for (unsigned a = 0; a < 3; a++)
        values[a] = __ldcg(
            &from[element_of(c, min(x + a * PEER_BLOCK, last), c.from, c.from_sj, c.from_sk)]);
}

static __device__ void write_cells(const struct copy &c, unsigned x, double *to,
                                   const double values[3])
{
    for (unsigned a = 0; a < 3; a++)
        if (x + a * PEER_BLOCK < cells_in(c))
            to[element_of(c, x + a * PEER_BLOCK, c.to, c.to_sj, c.to_sk)] = values[a];
}

static __device__ void send(const struct copy &c, unsigned x, const double *from,
                            struct packet *packets, unsigned number)
{
    double values[3] = {};
    if (cells_in(c) > 0)
        read_cells(c, x, from, values);
    store(packets, {values[0], (unsigned)__double2loint(values[1]), number});
    store(packets + PEER_BLOCK, {values[2], (unsigned)__double2hiint(values[1]), number});
}

static __device__ void receive(const struct peer_task &task, unsigned x,
                               const struct packet *packets, double *to, unsigned number,
                               struct wait_timeout *t, int longest)
{
    struct peer_packet p[2];
    if (!load_both(p, packets, number)) {
        const unsigned long long start = nanoseconds();
        while (!load_both(p, packets, number))
            if (nanoseconds() - start > TIMEOUT_NS)
                give_up(t, task.copy.peer, longest);
    }
    const double values[3] = {p[0].cell, __hiloint2double((int)p[1].half, (int)p[0].half),
                              p[1].cell};
    write_cells(task.copy, x, to, values);
}

/* An empty message is the packets of one thread. */
static __device__ void do_unit(const struct peer_task &task, unsigned unit, const double *from,
                               double *to, unsigned number, struct wait_timeout *t, int longest)
{
    const unsigned x = unit * UNIT_CELLS + threadIdx.x;
    if (x > 0 && x >= cells_in(task.copy))
        return;
    struct packet *packets =
        (number & 1 ? task.packets[1] : task.packets[0]) + (long)unit * UNIT_PACKETS + threadIdx.x;
    if (task.copy.direction == COPY_OUT)
        send(task.copy, x, from, packets, number);
    else if (task.copy.direction == COPY_IN)
        receive(task, x, packets, to, number, t, longest);
    else {
        double values[3];
        read_cells(task.copy, x, from, values);
        write_cells(task.copy, x, to, values);
    }
}

static __global__ void __launch_bounds__(PEER_BLOCK)
    exchange_kernel(struct peer_task *tasks, int count, const double *from, double *to,
                    struct wait_timeout *t, int longest)
{
    for (int x = blockIdx.x; x < count; x += gridDim.x) {
        const struct peer_task task = tasks[x];
        const unsigned number = task.number + 1;
        for (unsigned unit = task.first; unit < task.end; unit++)
            do_unit(task, unit, from, to, number, t, longest);
        __syncthreads(); /* all threads have read the number */
        if (threadIdx.x == 0)
            tasks[x].number = number;
    }
}

unsigned peer_resident_blocks()
{
    static int per_multiprocessor;
    static const cudaError_t found = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_multiprocessor, exchange_kernel, PEER_BLOCK, 0);
    CUDA_CALL(found);
    return (unsigned)(per_multiprocessor * cuda_multiprocessors());
}

void peer_exchange(struct peer_task *tasks, int count, const double *from, double *to, int longest)
{
    exchange_kernel<<<std::min((unsigned)count, peer_resident_blocks()), PEER_BLOCK, 0,
                      cuda_stream()>>>(tasks, count, from, to, cuda_wait_timeout(), longest);
    CUDA_LAUNCHED();
}
