#ifndef CUDA_TAIL_BOTTOM_CUH
#define CUDA_TAIL_BOTTOM_CUH
/* The bottom solve as a step of the tail kernel, in shared memory where all its fields fit there.
 */
#include "cuda/tail_frames.cuh"

/* The bottom solver's fields, in the order of their frames. */
enum {
    BOTTOM_U,
    BOTTOM_TMP,
    BOTTOM_WORK,
    BOTTOM_F = BOTTOM_WORK + NUM_KRYLOV_FIELDS,
    BOTTOM_DINV,
    BOTTOM_ALPHA,
    BOTTOM_BETA_I,
    BOTTOM_BETA_J,
    BOTTOM_BETA_K,
    NUM_BOTTOM_FRAMES
};

/* u, f and the coefficients into frames in `store`, ghosts too. */
static __device__ void fetch_bottom(const struct bottom_work &w, double *store, int length)
{
    for (int x = threadIdx.x; x < length; x += TAIL_THREADS) {
        int i, j, k;
        cube_cell(x, w.framed, &i, &j, &k);
        const long at = i - w.ghosts + (j - w.ghosts) * w.c.sj + (k - w.ghosts) * w.c.sk;
        store[BOTTOM_U * length + x] = w.u[at];
        store[BOTTOM_F * length + x] = w.v.f[at];
        store[BOTTOM_DINV * length + x] = w.v.dinv[at];
        store[BOTTOM_ALPHA * length + x] = w.v.alpha[at];
        store[BOTTOM_BETA_I * length + x] = w.v.beta_i[at];
        store[BOTTOM_BETA_J * length + x] = w.v.beta_j[at];
        store[BOTTOM_BETA_K * length + x] = w.v.beta_k[at];
    }
}

/* True if all fields fit into frames in shared memory with room for so many doubles. */
static __device__ bool bottom_is_framed(const struct bottom_work &w, int room)
{
    return NUM_BOTTOM_FRAMES * w.framed.n * w.framed.n * w.framed.n <= room;
}

/* Lets w work in the frames, if there is room. */
static __device__ void enter_frames(struct bottom_work *w, double *store, int room)
{
    const int length = w->framed.n * w->framed.n * w->framed.n;
    if (!bottom_is_framed(*w, room))
        return;
    w->c.sj = w->v.sj = w->framed.n;
    w->c.sk = w->v.sk = w->framed.n * w->framed.n;
    double *cell = store + w->ghosts * (1 + w->c.sj + w->c.sk);
    w->u = cell + BOTTOM_U * length;
    w->tmp = cell + BOTTOM_TMP * length;
    for (int v = 0; v < NUM_KRYLOV_FIELDS; v++)
        w->work[v] = cell + (BOTTOM_WORK + v) * length;
    w->v.f = cell + BOTTOM_F * length;
    w->v.dinv = cell + BOTTOM_DINV * length;
    w->v.alpha = cell + BOTTOM_ALPHA * length;
    w->v.beta_i = cell + BOTTOM_BETA_I * length;
    w->v.beta_j = cell + BOTTOM_BETA_J * length;
    w->v.beta_k = cell + BOTTOM_BETA_K * length;
}

/* By one block: `given` has the level's fields, w what enter_frames has made of it; `store` has
 * room for `room` doubles. */
template <class Op>
static __device__ void run_bottom(const struct bottom_work &given, const struct bottom_work &w,
                                  double *store, int room)
{
    __shared__ struct block_shared shared;
    const bool framed = bottom_is_framed(given, room);
    if (framed)
        fetch_bottom(given, store, given.framed.n * given.framed.n * given.framed.n);
    __syncthreads();
    if (threadIdx.x < given.threads)
        solve_bottom<Op>(w, &shared);
    __syncthreads();
    const int cells = given.side.n * given.side.n * given.side.n;
    for (int x = threadIdx.x; x < cells && framed; x += TAIL_THREADS) {
        int i, j, k;
        cube_cell(x, given.side, &i, &j, &k);
        given.u[i + j * given.c.sj + k * given.c.sk] = w.u[i + j * w.c.sj + k * w.c.sk];
    }
}

#endif
