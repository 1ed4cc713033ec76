#ifndef CUDA_TAIL_WALLS_CUH
#define CUDA_TAIL_WALLS_CUH
/* Ghosts of u behind walls that order 4's operator reads, in the tail kernel's frames: two layers
 * on the sides and one on the edges. */
#include "cuda/tail_frames.cuh"
#include "cuda/tail_parts.cuh"

/* As elements, with the numbers of the sides that they are behind above ELEMENT_BITS. */
struct wall_lists {
    const int *sides, *edges;
    int nsides, nedges;
};

/* One of each, of a thread: elements, −1 if it has none, and the steps inward. */
struct own_walls {
    int side, inward;
    int edge, first, second;
    bool last; /* no thread has more in the lists */
};

/* Those of this thread from place `begin` of the lists on. The last threads take the edges, who
 * have fewer sides. */
template <int TEAM>
static __device__ __forceinline__ struct own_walls take_walls(const struct wall_lists &l, int begin,
                                                              int sj, int sk)
{
    const int x = begin + threadIdx.x, y = begin + TEAM - 1 - threadIdx.x;
    struct own_walls w = {-1, 0, -1, 0, 0, max(l.nsides, l.nedges) <= begin + TEAM};
    if (x < l.nsides) {
        const int side = l.sides[x];
        w.side = element(side);
        w.inward = step_inward(side >> ELEMENT_BITS, sj, sk);
    }
    if (y < l.nedges) {
        const int edge = l.edges[y], sides = edge >> ELEMENT_BITS;
        w.edge = element(edge);
        w.first = step_inward(sides & 7, sj, sk);
        w.second = step_inward(sides >> 3, sj, sk);
    }
    return w;
}

template <int RULE>
static __device__ __forceinline__ void fill_own(double *u, const struct own_walls &w)
{
    if (w.side >= 0)
        fill_line(u + w.side, w.inward, RULE, 2);
    if (w.edge >= 0)
        fill_edge(u + w.edge, w.first, w.second, RULE);
}

/* Fills them all. `own` are the thread's first ones, which it looks up once for all sweeps of a
 * pass; lists() gives the others. The rule is one of Rules. */
template <int TEAM, class Rules, class Lists>
static __device__ __forceinline__ void fill_walls(double *u, const struct own_walls &own, int rule,
                                                  int sj, int sk, const Lists &lists)
{
    with_rule(Rules{}, rule, [&](auto constant) {
        constexpr int RULE = decltype(constant)::value;
        fill_own<RULE>(u, own);
        struct own_walls more = own;
        for (int x = TEAM; !more.last; x += TEAM) {
            more = take_walls<TEAM>(lists(), x, sj, sk);
            fill_own<RULE>(u, more);
        }
    });
    meet<TEAM>();
}

#endif
