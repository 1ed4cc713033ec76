#ifndef CUDA_TAIL_BOTTOM_CUH
#define CUDA_TAIL_BOTTOM_CUH
/* The bottom solve as a step of the tail kernel: by one warp, in the level's frames. */
#include "cuda/tail_solo.cuh"

/* Lets w work in the frames of its level. */
template <class Op>
static __device__ void enter_frames(struct bottom_work *w, const struct tail_level &l, solo<Op> &s)
{
    enum { GHOSTS = solo<Op>::GHOSTS };
    double *work = s.bottom + solo_origin(l.n, GHOSTS);
    const int length = solo_frame(l.n, GHOSTS);
    w->c.sj = w->v.sj = solo_width(l.n);
    w->c.sk = w->v.sk = solo_plane(l.n, GHOSTS);
    w->u = s.field[SOLO_U] + l.place;
    w->tmp = work;
    for (int v = 0; v < NUM_KRYLOV_FIELDS; v++)
        w->work[v] = work + (1 + v) * length;
    w->v.f = s.field[SOLO_F] + l.place;
    w->v.dinv = s.field[SOLO_DINV] + l.place;
    w->v.alpha = s.field[SOLO_ALPHA] + l.place;
    w->v.beta_i = s.field[SOLO_BETA_I] + l.place;
    w->v.beta_j = s.field[SOLO_BETA_J] + l.place;
    w->v.beta_k = s.field[SOLO_BETA_K] + l.place;
}

/* Calls f(element in frames, element in the level's fields) for every cell, and waits. */
template <class F>
static __device__ void each_bottom_cell(const struct bottom_work &given,
                                        const struct bottom_work &w, F f)
{
    const int n = given.side.n;
    for (int x = threadIdx.x; x < n * n * n; x += 32) {
        int i, j, k;
        cube_cell(x, given.side, &i, &j, &k);
        f(i + j * (int)w.c.sj + k * (int)w.c.sk, i + j * (int)given.c.sj + k * (int)given.c.sk);
    }
    __syncwarp();
}

/* `given` has the level's fields, t.bottom what enter_frames has made of it. */
template <class Op>
static __device__ __forceinline__ void solo_bottom(const struct bottom_work &given,
                                                   const struct tail &t,
                                                   const struct tail_step &step, solo<Op> &s)
{
    const struct warp_bottom_work &w = t.bottom;
    each_bottom_cell(given, w, [&](int at, int from) {
        if (step.fetches_u)
            w.u[at] = given.u[from];
        if (step.fetches_f)
            s.field[SOLO_F][t.levels[step.level].place + at] = given.v.f[from];
    });
    solve_bottom<Op>(w, NULL);
    each_bottom_cell(given, w, [&](int at, int to) { given.u[to] = w.u[at]; });
}

#endif
