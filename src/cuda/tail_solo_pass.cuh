#ifndef CUDA_TAIL_SOLO_PASS_CUH
#define CUDA_TAIL_SOLO_PASS_CUH
/* Steps of the tail kernel on solo levels, by a team of the block that has them: one warp on the
 * smallest, which needs no barrier. */
#include "cuda/maximum.cuh"
#include "cuda/tail_parts.cuh"
#include "cuda/tail_solo.cuh"

/* Teams, and up to which level the small one works. Order 4 has more ghosts than pairs. */
template <class Op>
struct solo_teams {
    enum {
        SMALL = 32,
        SMALL_DIM = Op::ORDER == 4 ? 3 : 4,
        LARGE = Op::ORDER == 4 ? TAIL_THREADS : SOLO_PAIRS,
    };
};

/* What a thread holds of its pair during a pass. */
struct solo_cells {
    unsigned cell[2]; /* as in struct solo_pair */
    double u[2], before[2], f[2], dinv[2], alpha[2];
    double beta[2][6]; /* order 2: low and high in i, j, k */
};

/* What all sweeps of a pass need of its level. */
struct solo_sweeping {
    int smoother, wall_rule, sj, sk;
    double scale;
    int nsides, nedges;
    const int *sides, *edges;
    bool works; /* some thread of this warp has a pair */
};

template <class Op>
static __device__ __forceinline__ struct solo_sweeping
solo_sweeping_of(const struct tail &t, const struct tail_level &l, const solo<Op> &s)
{
    struct solo_sweeping w;
    w.smoother = t.smoother;
    w.wall_rule = l.wall_rule;
    w.sj = solo_width(l.n);
    w.sk = solo_plane(l.n, solo<Op>::GHOSTS);
    w.scale = l.scale;
    w.nsides = 6 * l.n * l.n;
    w.nedges = 12 * l.n;
    w.sides = s.sides + l.sides;
    w.edges = s.edges + l.edges;
    w.works = (int)(threadIdx.x & ~31u) < l.half.n * l.n * l.n;
    keep(w.smoother);
    keep(w.wall_rule);
    keep(w.sj);
    keep(w.sk);
    keep(w.scale);
    return w;
}

/* Order 4: ghosts of u behind walls. The last threads take those on edges. */
template <class Op, int TEAM>
static __device__ __forceinline__ void fill_solo_walls(const struct solo_sweeping &w, solo<Op> &s)
{
    double *u = s.field[SOLO_U];
    for (int x = threadIdx.x; x < w.nsides; x += TEAM) {
        const int side = w.sides[x];
        fill_line(u + element(side), step_inward(side >> ELEMENT_BITS, w.sj, w.sk), w.wall_rule, 2);
    }
    for (int x = TEAM - 1 - threadIdx.x; x < w.nedges; x += TEAM) {
        const int edge = w.edges[x], sides = edge >> ELEMENT_BITS;
        fill_edge(u + element(edge), step_inward(sides & 7, w.sj, w.sk),
                  step_inward(sides >> 3, w.sj, w.sk), w.wall_rule);
    }
    meet<TEAM>();
}

/* f − A u at one of the thread's cells. */
template <class Op>
static __device__ __forceinline__ double
solo_residual(const struct solo_sweeping &w, const struct solo_cells &own, int x, const solo<Op> &s)
{
    const double *u = s.field[SOLO_U] + element(own.cell[x]);
    if constexpr (Op::ORDER == 2) {
        const unsigned walls = own.cell[x] >> ELEMENT_BITS;
        double seven[7] = {u[-w.sk], u[-w.sj], u[-1], own.u[x], u[1], u[w.sj], u[w.sk]};
        fold_walls(walls, seven);
        const double *beta = own.beta[x];
        return Op::residual_at(seven + 3, 2, 3, beta, beta + 2, beta + 4, 1, 1, own.f[x],
                               own.alpha[x], w.scale);
    } else {
        enum { LENGTH = solo<Op>::LENGTH };
        const double *bi = u + (SOLO_BETA_I - SOLO_U) * LENGTH, *bj = bi + LENGTH,
                     *bk = bj + LENGTH;
        return Op::residual_at(u, w.sj, w.sk, bi, bj, bk, w.sj, w.sk, own.f[x], own.alpha[x],
                               w.scale);
    }
}

template <class Op>
static __device__ __forceinline__ void store_solo(const struct solo_cells &own, int x, solo<Op> &s)
{
    if (is_own(own.cell[x]))
        s.field[SOLO_U][element(own.cell[x])] = own.u[x];
}

/* A half-sweep of Gauss-Seidel: the thread's cell of one colour. Colours are coupled to themselves
 * in order 4, so all must have read before one writes. */
template <class Op, int TEAM>
static __device__ __forceinline__ void
solo_half_sweep(const struct solo_sweeping &w, struct solo_cells &own, int colour, solo<Op> &s)
{
    if (Op::ORDER == 4)
        fill_solo_walls<Op, TEAM>(w, s);
    if (w.works)
        own.u[colour] = update_gauss_seidel(own.u[colour], own.dinv[colour],
                                            solo_residual<Op>(w, own, colour, s));
    if (Op::ORDER == 4)
        meet<TEAM>();
    store_solo<Op>(own, colour, s);
    meet<TEAM>();
}

/* A sweep of the other smoothers. */
template <class Op, int TEAM>
static __device__ __forceinline__ void solo_sweep(const struct solo_sweeping &w,
                                                  const struct tail_level &l, int sweep,
                                                  struct solo_cells &own, solo<Op> &s)
{
    if (Op::ORDER == 4)
        fill_solo_walls<Op, TEAM>(w, s);
    if (w.works)
#pragma unroll
        for (int x = 0; x < 2; x++) {
            const double now = update(w.smoother, l, sweep, own.u[x], own.before[x], own.dinv[x],
                                      solo_residual<Op>(w, own, x, s));
            own.before[x] = own.u[x];
            own.u[x] = now;
        }
    meet<TEAM>();
    store_solo<Op>(own, 0, s);
    store_solo<Op>(own, 1, s);
    meet<TEAM>();
}

template <class Op, int TEAM>
static __device__ __forceinline__ void solo_sweeps(const struct solo_sweeping &w,
                                                   const struct tail_level &l, int nsweeps,
                                                   struct solo_cells &own, solo<Op> &s)
{
    if (w.smoother != SMOOTHER_GSRB) {
#pragma unroll 1
        for (int sweep = 0; sweep < nsweeps; sweep++)
            solo_sweep<Op, TEAM>(w, l, sweep, own, s);
        return;
    }
#pragma unroll 1
    for (int sweep = 0; sweep < nsweeps; sweep += 2) {
        solo_half_sweep<Op, TEAM>(w, own, 0, s);
        solo_half_sweep<Op, TEAM>(w, own, 1, s);
    }
}

/* The pair's f, from the level's field where no step has left it here. */
template <class Op>
static __device__ __forceinline__ void take_f(const struct tail_step &step,
                                              const struct solo_pair &p, double f[2], solo<Op> &s)
{
#pragma unroll
    for (int x = 0; x < 2; x++) {
        f[x] = 0.0;
        if (!is_own(p.cell[x]))
            continue;
        double *here = &s.field[SOLO_F][element(p.cell[x])];
        if (step.fetches_f)
            *here = step.f[p.at + ((p.odd + x) & 1)];
        f[x] = *here;
    }
}

template <class Op>
static __device__ __forceinline__ void
take_u(const struct tail_step &step, const struct solo_pair &p, double u[2], const solo<Op> &s)
{
    const bool wanted = step.start == START_KEEP || step.start == START_PROLONG_ADD;
#pragma unroll
    for (int x = 0; x < 2; x++)
        u[x] = !wanted || !is_own(p.cell[x]) ? 0.0
               : step.fetches_u              ? step.u[p.at + ((p.odd + x) & 1)]
                                             : s.field[SOLO_U][element(p.cell[x])];
}

template <class Op>
static __device__ __forceinline__ void take_coefficients(const struct solo_sweeping &w,
                                                         struct solo_cells &own, const solo<Op> &s)
{
#pragma unroll
    for (int x = 0; x < 2; x++) {
        const int c = element(own.cell[x]);
        own.dinv[x] = s.field[SOLO_DINV][c];
        own.alpha[x] = s.field[SOLO_ALPHA][c];
        if (Op::ORDER == 2)
#pragma unroll
            for (int side = 0; side < 6; side++)
                own.beta[x][side] =
                    s.field[SOLO_BETA_I + side / 2][c + (side & 1) * (side < 2   ? 1
                                                                      : side < 4 ? w.sj
                                                                                 : w.sk)];
    }
}

/* Ghosts of the coarse u for the quadratic prolongation: from the cells in i, from those and what
 * is there then in j, and so in k. */
template <class Op, int TEAM>
static __device__ __forceinline__ void extend_solo(const struct tail_level &l,
                                                   const struct tail_step &step, solo<Op> &s)
{
    const int n = l.half.n, sj = solo_width(n), sk = solo_plane(n, solo<Op>::GHOSTS);
    const int *ghosts = s.ghosts + l.coarse_ghosts;
    for (int d = 0; d < 3; d++) {
        const int count = solo_ghosts(n, d);
        for (int x = threadIdx.x; x < count; x += TEAM) {
            const int inward = step_inward(ghosts[x] >> ELEMENT_BITS, sj, sk);
            double *ghost = s.field[SOLO_U] + element(ghosts[x]);
            *ghost = step.coarse_rule == 2 ? wall_quadratic(ghost[inward], ghost[2 * inward])
                                           : wall_linear(ghost[inward]);
        }
        ghosts += count;
        meet<TEAM>();
    }
}

/* The coarse u with its ghosts, in its frame. */
template <class Op, int TEAM>
static __device__ __forceinline__ void
prepare_solo_coarse(const struct tail_level &l, const struct tail_step &step, solo<Op> &s)
{
    const int n = l.half.n;
    struct wall_view coarse = {
        {{n, n, n}, {0, 0, 0}, 0, solo_width(n), solo_plane(n, solo<Op>::GHOSTS)},
        s.field[SOLO_U] + l.coarse_place};
    for (int d = 0; d < 3; d++)
        coarse.c.wall[d][0] = coarse.c.wall[d][1] = true;
    if (step.fetches_coarse) {
        each_coarse<TEAM>(step.coarse_framed, coarse.c, [&](int i, int j, int k) {
            if (!behind_wall(coarse.c, i, j, k))
                coarse.x[i + j * coarse.c.sj + k * coarse.c.sk] =
                    step.coarse_u[i + j * l.coarse_sj + k * l.coarse_sk];
        });
        meet<TEAM>();
    }
    if (Op::ORDER == 4 && step.prolongation == 4)
        extend_coarse<Op, TEAM>(step.coarse_rule, step.coarse_framed, coarse);
    else
        extend_solo<Op, TEAM>(l, step, s);
}

/* u (+)= P coarse for the thread's pair. */
template <class Op>
static __device__ __forceinline__ void
prolong_solo(const struct tail_level &l, const struct tail_step &step, const struct solo_pair &p,
             double u[2], const solo<Op> &s)
{
    const int n = l.half.n, sj = solo_width(n), sk = solo_plane(n, solo<Op>::GHOSTS);
    const double *coarse = s.field[SOLO_U] + p.coarse;
    double child[2];
    if (Op::ORDER == 4 && step.prolongation == 4)
        prolonged_pair<2>(coarse, sj, sk, p.odd & 2, p.odd & 4, child);
    else
        prolonged_pair<1>(coarse, sj, sk, p.odd & 2, p.odd & 4, child);
    const bool add = step.start == START_PROLONG_ADD;
#pragma unroll
    for (int x = 0; x < 2; x++) {
        const double value = (p.odd + x) & 1 ? child[1] : child[0];
        u[x] = add ? u[x] + value : value;
    }
}

/* coarse f = R of a value in every pair's cells, of which `sum` is the pair's; by all of the team,
 * which must not have read s.sum since it met. */
template <class Op, int TEAM>
static __device__ __forceinline__ void
restrict_solo(const struct tail_level &l, const struct tail_step &step, const struct solo_pair &p,
              bool has, double sum, solo<Op> &s)
{
    const int half = l.half.n, plane = half * l.n;
    double *here = s.sum + threadIdx.x;
    if (has)
        *here = sum;
    meet<TEAM>();
    if (!has || p.odd & 6)
        return;
    const double f = restrict_cell(sum, here[half], here[plane], here[plane + half]);
    s.field[SOLO_F][p.coarse] = f;
    step.coarse_f[p.coarse_at] = f;
}

template <class Op, int TEAM>
static __device__ __forceinline__ void
solo_finish(const struct solo_sweeping &w, const struct tail &t, const struct tail_step &step,
            const struct solo_cells &own, const struct solo_pair &p, bool has, solo<Op> &s)
{
    double r[2] = {0.0, 0.0};
    if (Op::ORDER == 4)
        fill_solo_walls<Op, TEAM>(w, s);
    if (w.works)
#pragma unroll
        for (int x = 0; x < 2; x++)
            r[x] = solo_residual<Op>(w, own, x, s);
    if (step.finish == FINISH_RESTRICT) {
        restrict_solo<Op, TEAM>(t.levels[step.level], step, p, has, r[0] + r[1], s);
        return;
    }
    unsigned long long largest = 0;
#pragma unroll
    for (int x = 0; x < 2; x++)
        if (is_own(own.cell[x]))
            largest = larger(largest, magnitude_bits(r[x]));
    raise(t.norm, largest);
}

template <class Op, int TEAM>
static __device__ __forceinline__ void solo_pass(const struct tail &t, const struct tail_step &step,
                                                 const struct solo_pair &p, bool has, solo<Op> &s)
{
    const struct tail_level &l = t.levels[step.level];
    struct solo_cells own;
    own.cell[0] = p.cell[0];
    own.cell[1] = p.cell[1];
    take_u<Op>(step, p, own.u, s);
    if (prolongs(step)) {
        prepare_solo_coarse<Op, TEAM>(l, step, s);
        if (has)
            prolong_solo<Op>(l, step, p, own.u, s);
    }
    store_solo<Op>(own, 0, s);
    store_solo<Op>(own, 1, s);
    if (step.operations > 0) {
        const struct solo_sweeping w = solo_sweeping_of<Op>(t, l, s);
        take_f<Op>(step, p, own.f, s);
        take_coefficients<Op>(w, own, s);
        meet<TEAM>();
        solo_sweeps<Op, TEAM>(w, l, step.nsweeps, own, s);
        if (step.finish != FINISH_NONE)
            solo_finish<Op, TEAM>(w, t, step, own, p, has, s);
    }
#pragma unroll
    for (int x = 0; x < 2; x++)
        if (is_own(p.cell[x]))
            step.u[p.at + ((p.odd + x) & 1)] = own.u[x];
}

/* One step, by a team. */
template <class Op, int TEAM>
static __device__ __forceinline__ void solo_step(const struct tail &t, const struct tail_step &step,
                                                 solo<Op> &s)
{
    const struct tail_level &l = t.levels[step.level];
    const bool has = (int)threadIdx.x < l.half.n * l.n * l.n;
    struct solo_pair p = s.pairs[l.pairs + (has ? threadIdx.x : 0)];
    for (int x = 0; x < 2 && !has; x++)
        p.cell[x] |= NOT_OWN;
    if (step.kind == STEP_PASS) {
        solo_pass<Op, TEAM>(t, step, p, has, s);
    } else {
        double f[2];
        take_f<Op>(step, p, f, s);
        restrict_solo<Op, TEAM>(l, step, p, has, f[0] + f[1], s);
    }
    meet<TEAM>();
}

#endif
