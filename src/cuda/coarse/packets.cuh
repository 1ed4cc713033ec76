/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Halo exchange between subdomains, by packets (core/packet.cuh). An exchange costs one latency and
 * no barrier.
 *
 * Two buffers alternate, each with one packet per cell of a level. Exchange n + 2 cannot overwrite
 * an unread packet of n: a neighbour sends its n + 1 after it has read its ghosts of n.
 * No deadlock: all blocks of the launch run at once, and each sends before it waits. */
#include "cuda/coarse/barrier.cuh"
#include "cuda/coarse/tiles.cuh"

enum { EXCHANGES_PER_ROUND = 1 << 8 }; /* at most, between two barriers of all blocks */
static_assert(SMOOTHER_SWEEPS + 2 < EXCHANGES_PER_ROUND, "a pass's exchanges");

/* One exchange: its number, which no other one ever has, and its buffer. */
struct packet_round {
    unsigned long long number;
    struct packet *packets;
};

/* The first one of a pass. Barriers separate passes, so all blocks number alike. */
DEVICE struct packet_round first_exchange(const struct tail &t)
{
    return {barriers_done() * EXCHANGES_PER_ROUND, t.sync->packets[0]};
}

/* The n-th one after it. */
DEVICE struct packet_round later(const struct packet_round &first, int n)
{
    return {first.number + n, first.packets + (n & 1) * TAIL_PACKETS};
}

/* The halo of a subdomain, of one colour or of both, one after the other: where its entries begin
 * in the list, and how many there are. Black entries go backwards. */
struct halo_part {
    int red, black, nred, count;
};

/* The halo cells of `colours`: bit 0 red, bit 1 black. */
DEVICE struct halo_part part_of(const struct tail_level &l, const struct ghost_counts &counts,
                                int colours)
{
    const int nred = colours & 1 ? counts.halo[0] : 0;
    return {halo_offset(l, 0, 0), halo_offset(l, 1, 0), nred,
            nred + (colours & 2 ? counts.halo[1] : 0)};
}

DEVICE unsigned halo_entry(const struct halo_part &h, const struct subdomain_lists &s, int x)
{
    return s.halo[x < h.nred ? h.red + x : h.black + h.nred - x];
}

/* Receives them into the tile of u; a thread polls ROUNDS packets at a time. Warps stay together:
 * a lane without a packet of its own polls the last one. */
template <class Op, int ROUNDS, int CELLS>
DEVICE void receive_halo(const struct halo_part &h, subdomain_tiles<Op, CELLS> &s,
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
            entry[r] = halo_entry(h, s.lists, min(mine + r * TAIL_THREADS, h.count - 1));
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
                s.u_tile[entry[r] >> HALO_BITS] = p[r].value;
    }
}

template <class Op, int CELLS>
DEVICE void clear_halo(const struct halo_part &h, subdomain_tiles<Op, CELLS> &s)
{
    for (int x = threadIdx.x; x < h.count; x += TAIL_THREADS)
        s.u_tile[halo_entry(h, s.lists, x) >> HALO_BITS] = 0.0;
}
