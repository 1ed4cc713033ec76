/* The tail of the V-cycle: consecutive steps on levels so small that a launch takes longer than
 * what is done in it, all in one launch. Between steps everything is in the levels' fields. A level
 * is cut into bricks, one a block, which wait for each other after every operation that others read
 * from; the smallest levels are one brick, and nobody waits. So all blocks must run at once: the
 * launch is a cooperative one. */
#include "cuda/tail_bottom.cuh"
#include "cuda/tail_pass.cuh"

/* True if a thread has at most FEWEST_CELLS cells of a brick. */
static __device__ bool few_cells(const struct tail_level &l)
{
    return l.half.n * l.side.n * l.depth <= FEWEST_CELLS / 2 * TAIL_THREADS;
}

/* Copies the parameters to shared memory. Levels and steps are found by an index, and to read a
 * parameter by an index takes three times as long as to read shared memory. */
template <class Op>
static __device__ void take_parameters(const struct tail &t, frames<Op> &s)
{
    static_assert(sizeof t % sizeof(double) == 0 && alignof(struct tail) == alignof(double), "");
    const double *from = (const double *)&t;
    double *to = (double *)&s.tail;
    asm volatile("" : "+l"(from)); /* as an array in memory, each thread its part */
    for (int x = threadIdx.x; x < (int)(sizeof t / sizeof *to); x += TAIL_THREADS)
        to[x] = from[x];
    __syncthreads();
    if (threadIdx.x == 0 && t.bottom.u)
        enter_frames(&s.tail.bottom, s.u_frame, frames<Op>::LENGTH);
}

/* What a block that has a brick of the step's level does. */
template <class Op>
static __device__ __forceinline__ void run_step(const struct tail &t, const struct tail_step &step,
                                                frames<Op> &s)
{
    const struct tail_level &l = s.tail.levels[step.level];
    if (step.kind == STEP_PASS && few_cells(l)) {
        run_pass<Op, FEWEST_CELLS>(step, s);
    } else if (step.kind == STEP_PASS) {
        run_pass<Op, MOST_CELLS>(step, s);
    } else if (step.kind == STEP_RESTRICT) {
        const struct brick b = brick_of(l);
        restrict_to(l, b, step, step.f + b.at, l.sj, l.sk);
    } else if (blockIdx.x == 0) {
        run_bottom<Op>(t.bottom, s.tail.bottom, s.u_frame, frames<Op>::LENGTH);
    }
}

template <class Op>
static __global__ void __launch_bounds__(TAIL_THREADS, 1)
    tail_kernel(const __grid_constant__ struct tail t)
{
    extern __shared__ double store[];
    frames<Op> &s = *reinterpret_cast<frames<Op> *>(store);
    bool shared = false; /* the step before was the work of several blocks */
    take_parameters<Op>(t, s);
#pragma unroll 1
    for (int x = 0; x < t.count; x++) {
        const struct tail_step &step = s.tail.steps[x];
        const struct tail_level &l = s.tail.levels[step.level];
        if (shared || l.nbricks > 1)
            wait_for_all_blocks();
        else
            __syncthreads();
        shared = l.nbricks > 1;
        if (blockIdx.x < l.nbricks)
            run_step<Op>(t, step, s);
        else if (shared && step.kind == STEP_PASS)
            for (int barriers = barriers_of(step); barriers > 0; barriers--)
                wait_for_all_blocks();
    }
}

/* The list that is being made; levels[x] is of[x]. */
struct launch {
    struct tail tail;
    int nlevels, blocks;
    const struct level *of[MAX_TAIL_LEVELS];
};

template <class Op>
static void launch_kernel(const struct tail &tail, int blocks)
{
    constexpr size_t BYTES = sizeof(frames<Op>);
    static const cudaError_t prepared = cudaFuncSetAttribute(
        tail_kernel<Op>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)BYTES);
    CUDA_CALL(prepared);
    void *arguments[] = {(void *)&tail};
    CUDA_CALL(cudaLaunchCooperativeKernel((const void *)tail_kernel<Op>, blocks, TAIL_THREADS,
                                          arguments, BYTES, cuda_stream()));
}

/* Launches the list and begins a new one. */
static void flush(struct launch *x)
{
    if (x->tail.count > 0)
        with_operator(x->of[0]->stencil->choice,
                      [&](auto op) { launch_kernel<decltype(op)>(x->tail, x->blocks); });
    *x = {};
}

static const double *field_of(const struct level *l, enum field field)
{
    return l->fields[field] ? l->fields[field] + l->patches[0].offset : NULL;
}

/* Not more bricks than can be worked on at once. */
static struct bricks cut_bricks(int n)
{
    return bricks_cut(n, min(cuda_multiprocessors(), (int)TAIL_BLOCKS));
}

static struct tail_level describe(const struct level *l)
{
    const struct stencil *s = l->stencil;
    const struct bricks cut = cut_bricks(l->dim);
    struct tail_level t = {};
    t.n = l->dim;
    t.nbricks = cut.count;
    t.depth = cut.depth;
    t.sj = (int)l->patches[0].sj;
    t.sk = (int)l->patches[0].sk;
    t.wall_rule = s->wall_rule;
    t.bricks = divider_of(l->dim / cut.side);
    t.side = divider_of(cut.side);
    t.half = divider_of((cut.side + 1) / 2);
    t.framed = divider_of(cut.side + 2 * s->radius);
    t.beta = divider_of(cut.side + (s->choice.order == 4 ? 2 : 1));
    t.scale = s->scale;
    t.dinv = field_of(l, FIELD_DINV);
    t.alpha = field_of(l, FIELD_ALPHA);
    t.beta_i = field_of(l, FIELD_BETA_I);
    t.beta_j = field_of(l, FIELD_BETA_J);
    t.beta_k = field_of(l, FIELD_BETA_K);
    t.tmp = l->fields[FIELD_TMP] + l->patches[0].offset;
    for (int n = 0; n < SMOOTHER_SWEEPS; n++) {
        t.c1[n] = s->chebyshev_c1[n];
        t.c2[n] = s->chebyshev_c2[n];
    }
    return t;
}

/* The place of a level in the list, MAX_TAIL_LEVELS if it is not there and all places are taken. */
static int place_in(struct launch *x, const struct level *l)
{
    int place = 0;
    while (place < x->nlevels && x->of[place] != l)
        place++;
    if (place < x->nlevels || place == MAX_TAIL_LEVELS)
        return place;
    x->of[place] = l;
    x->tail.levels[place] = describe(l);
    x->tail.smoother = l->stencil->choice.smoother;
    x->blocks = max(x->blocks, x->tail.levels[place].nbricks);
    x->nlevels++;
    return place;
}

static void add_coarse_side(struct tail_level *level, struct tail_step *step, const struct pass *p)
{
    const struct level *coarse = p->coarse;
    const long offset = coarse->patches[0].offset;
    level->coarse_sj = (int)coarse->patches[0].sj;
    level->coarse_sk = (int)coarse->patches[0].sk;
    step->coarse_rule = stencil_wall_rule(p->prolongation, coarse->dim);
    step->coarse_framed = divider_of(level->half.n + p->prolongation / 2 * 2);
    step->coarse_u = coarse->fields[p->coarse_u] + offset;
    step->coarse_f = coarse->fields[p->coarse_f] + offset;
}

static void add_bottom(struct tail *tail, const struct step *step)
{
    const struct pass *p = &step->pass;
    const struct bottom_work w =
        bottom_open(p->level, p->u, p->f, step->reduction, step->max_iterations, step->singular);
    CHECK(!tail->bottom.u || (tail->bottom.u == w.u && tail->bottom.v.f == w.v.f));
    tail->bottom = w;
}

static void add(struct launch *x, const struct step *step)
{
    const struct pass *p = &step->pass;
    const long offset = p->level->patches[0].offset;
    if (x->tail.count == MAX_TAIL_STEPS || place_in(x, p->level) == MAX_TAIL_LEVELS)
        flush(x);
    const int level = place_in(x, p->level);
    struct tail_step *t = &x->tail.steps[x->tail.count++];
    t->kind = step->kind;
    t->level = level;
    t->start = p->start;
    t->prolongation = p->prolongation;
    t->nsweeps = p->nsweeps;
    t->finish = p->finish;
    t->operations = pass_operations(p);
    t->u = p->level->fields[p->u] + offset;
    t->f = p->level->fields[p->f] + offset;
    if (p->coarse)
        add_coarse_side(&x->tail.levels[level], t, p);
    if (step->kind == STEP_BOTTOM)
        add_bottom(&x->tail, step);
}

/* The list ends with a step that leaves a norm. */
static void flush_with_norm(struct launch *x, uint64_t *target)
{
    x->tail.norm = cuda_norm_word(target);
    flush(x);
    cuda_fetch_norm(target);
}

bool cuda_tail_level(const struct level *level)
{
    const size_t frame =
        level->stencil->choice.order == 4 ? sizeof(frames<op_fv4>) : sizeof(frames<op_fv2>);
    return frame + sizeof(struct block_shared) <= cuda_shared_bytes() && !level->connected &&
           level->npatches == 1 && level->dim <= TAIL_DIM && cut_bricks(level->dim).count > 0;
}

bool cuda_step_fits(const struct step *step)
{
    const struct pass *p = &step->pass;
    if (!cuda_tail_level(p->level))
        return false;
    return step->kind != STEP_PASS ||
           ((p->nsweeps == 0 || (p->first_sweep == 0 && p->nsweeps % 2 == 0)) &&
            p->finish != FINISH_STORE);
}

void cuda_run_steps(const struct step *steps, int count)
{
    struct launch x = {};
    for (int s = 0; s < count; s++) {
        add(&x, &steps[s]);
        if (steps[s].kind == STEP_PASS && steps[s].pass.finish == FINISH_NORM)
            flush_with_norm(&x, steps[s].pass.norm);
    }
    flush(&x);
}
