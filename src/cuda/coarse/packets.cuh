/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_PACKETS_CUH
#define CUDA_COARSE_PACKETS_CUH
/* Cells that bricks read from each other, in packets of 16 bytes that are read and written as one:
 * the value, and the number of the exchange. Who finds the number that it waits for has the value
 * too, so an exchange takes one latency, and no barrier (as in peer.cu, where it is between GPUs).
 * There are two buffers, used in turns, with a packet for each cell of a level. A brick comes to
 * exchange n + 2 only when it has had all its ghosts of n + 1, from neighbours that sent those
 * after they had read what they wanted of n, so nobody writes over what is still to be read. No
 * deadlock: all blocks of the launch run at once, and each sends before it waits. */
#include "cuda/coarse/barrier.cuh"
#include "cuda/coarse/tiles.cuh"

enum { EXCHANGES_PER_ROUND = 1 << 8 }; /* at most, between two barriers */
static_assert(SMOOTHER_SWEEPS + 2 < EXCHANGES_PER_ROUND, "a pass's exchanges");

/* An exchange's number, which no other one by the same packets ever had, and its buffer. */
struct packet_round {
    unsigned long long number;
    struct packet *packets;
};

/* The first one of a pass; as barriers are between passes, all blocks number alike. */
static __device__ __forceinline__ struct packet_round first_exchange(const struct tail &t)
{
    return {rounds_met() * EXCHANGES_PER_ROUND, t.sync->packets[0]};
}

/* The n-th one after it. */
static __device__ __forceinline__ struct packet_round later(const struct packet_round &first, int n)
{
    return {first.number + n, first.packets + (n & 1) * TAIL_PACKETS};
}

/* Ghosts of a brick that are other bricks' cells, of one colour or of both, one after the other:
 * where in the list the first one of each is, black ones go backwards from there; and how many. */
struct halo_part {
    int red, black, nred, count;
};

/* Those of `colours` (bit 0 red, 1 black). */
static __device__ __forceinline__ struct halo_part
part_of(const struct tail_level &l, const struct ghost_counts &counts, int colours)
{
    const int nred = colours & 1 ? counts.halo[0] : 0;
    return {halo_place(l, 0, 0), halo_place(l, 1, 0), nred,
            nred + (colours & 2 ? counts.halo[1] : 0)};
}

template <class Op>
static __device__ __forceinline__ unsigned halo_entry(const struct halo_part &h,
                                                      const frames<Op> &s, int x)
{
    return s.halo[x < h.nred ? h.red + x : h.black + h.nred - x];
}

/* Puts them into the frame; a thread asks for ROUNDS of them at a time. Warps stay together: lanes
 * that have none wait for one of the others'. */
template <class Op, int ROUNDS>
static __device__ __forceinline__ void receive_halo(const struct halo_part &h, frames<Op> &s,
                                                    const struct packet_round &e)
{
#pragma unroll 1
    for (int first = threadIdx.x & ~31; first < h.count; first += ROUNDS * TAIL_THREADS) {
        const int mine = first + (int)(threadIdx.x & 31);
        unsigned entry[ROUNDS];
        struct packet p[ROUNDS];
        bool here;
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            entry[r] = halo_entry<Op>(h, s, min(mine + r * TAIL_THREADS, h.count - 1));
        do {
            here = true;
#pragma unroll
            for (int r = 0; r < ROUNDS; r++)
                p[r] = load_packet<cuda::thread_scope_device>(e.packets + (entry[r] & HALO_MASK));
#pragma unroll
            for (int r = 0; r < ROUNDS; r++)
                here = here && p[r].number == e.number;
        } while (!__all_sync(WHOLE_WARP, here));
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            if (mine + r * TAIL_THREADS < h.count)
                s.u_frame[entry[r] >> HALO_BITS] = p[r].value;
    }
}

template <class Op>
static __device__ __forceinline__ void clear_halo(const struct halo_part &h, frames<Op> &s)
{
    for (int x = threadIdx.x; x < h.count; x += TAIL_THREADS)
        s.u_frame[halo_entry<Op>(h, s, x) >> HALO_BITS] = 0.0;
}

#endif
