#ifndef CUDA_TAIL_PACKETS_CUH
#define CUDA_TAIL_PACKETS_CUH
/* Cells that bricks read from each other, in packets of 16 bytes that are read and written as one:
 * the value, and the number of the exchange. Who finds the number that it waits for has the value
 * too, so an exchange takes one latency, and no barrier (as in peer.cu, where it is between GPUs).
 * There are two buffers, used in turns, with a packet for each cell of a level. A brick comes to
 * exchange n + 2 only when it has had all its ghosts of n + 1, from neighbours that sent those
 * after they had read what they wanted of n, so nobody writes over what is still to be read. No
 * deadlock: all blocks of the launch run at once, and each sends before it waits. */
#include "cuda/tail_barrier.cuh"
#include "cuda/tail_frames.cuh"

enum { EXCHANGES_PER_ROUND = 1 << 8 }; /* at most, between two barriers */
static_assert(SMOOTHER_SWEEPS + 2 < EXCHANGES_PER_ROUND, "a pass's exchanges");

/* An exchange's number, which no other one ever had, and its buffer. */
struct packet_round {
    unsigned long long number;
    struct tail_packet *packets;
};

/* The first one of a pass; as barriers are between passes, all blocks number alike. */
static __device__ __forceinline__ struct packet_round first_exchange(const struct tail &t)
{
    return {rounds_met() * EXCHANGES_PER_ROUND, t.packets};
}

/* The n-th one after it. */
static __device__ __forceinline__ struct packet_round later(const struct packet_round &first, int n)
{
    return {first.number + n, first.packets + (n & 1) * TAIL_PACKETS};
}

static __device__ __forceinline__ void send_packet(struct tail_packet *at, double value,
                                                   unsigned long long number)
{
    asm volatile("{ .reg .b128 p; mov.b128 p, {%1, %2}; st.relaxed.gpu.global.b128 [%0], p; }"
                 :
                 : "l"(at), "l"(__double_as_longlong(value)), "l"(number)
                 : "memory");
}

static __device__ __forceinline__ struct tail_packet take_packet(const struct tail_packet *at)
{
    long long value;
    unsigned long long number;
    asm volatile("{ .reg .b128 p; ld.relaxed.gpu.global.b128 p, [%2]; mov.b128 {%0, %1}, p; }"
                 : "=l"(value), "=l"(number)
                 : "l"(at)
                 : "memory");
    return {__longlong_as_double(value), number};
}

/* Puts the ghosts of `colours` (bit 0 red, 1 black) into the frame. Warps stay together: lanes that
 * have none wait for one of the others'. */
template <class Op>
static __device__ __forceinline__ void receive_halo(frames<Op> &s, const struct packet_round &e,
                                                    int colours)
{
    for (int colour = 0; colour < 2; colour++) {
        const int count = colours >> colour & 1 ? s.nhalo[colour] : 0;
        for (int first = threadIdx.x & ~31; first < count; first += TAIL_THREADS) {
            const int x = first + (int)(threadIdx.x & 31);
            const struct halo_cell h = *halo_entry<Op>(s, colour, min(x, count - 1));
            struct tail_packet p;
            do
                p = take_packet(e.packets + h.from);
            while (!__all_sync(0xffffffffu, p.number == e.number));
            if (x < count)
                s.u_frame[h.to] = p.value;
        }
    }
}

template <class Op>
static __device__ __forceinline__ void clear_halo(frames<Op> &s)
{
    for (int colour = 0; colour < 2; colour++)
        for (int x = threadIdx.x; x < s.nhalo[colour]; x += TAIL_THREADS)
            s.u_frame[halo_entry<Op>(s, colour, x)->to] = 0.0;
}

#endif
