/* Which kernels do the operations of a pass: fused ones where one fits, else the baseline. */
#include "cuda/pass.cuh"
#include "cuda/march_fv4.cuh"
#include "cuda/pair_fv2.cuh"
#include "cuda/pair_fv4.cuh"
#include "cuda/residual_fv2.cuh"

struct work cuda_open_work(const struct pass *pass, int q)
{
    const struct level *l = pass->level;
    struct work w = {pass, l->stencil, cells_of(&l->patches[q])};
    const long o = w.c.offset;
    w.buffer[0] = l->fields[pass->u] + o;
    w.buffer[1] = l->stencil->in_place ? w.buffer[0] : l->fields[FIELD_TMP] + o;
    w.v.f = w.v.alpha = w.v.beta_i = w.v.beta_j = w.v.beta_k = l->fields[pass->f] + o;
    w.v.dinv = l->fields[FIELD_DINV] + o;
    if (l->fields[FIELD_ALPHA])
        w.v.alpha = l->fields[FIELD_ALPHA] + o;
    if (l->fields[FIELD_BETA_I]) {
        w.v.beta_i = l->fields[FIELD_BETA_I] + o;
        w.v.beta_j = l->fields[FIELD_BETA_J] + o;
        w.v.beta_k = l->fields[FIELD_BETA_K] + o;
    }
    w.v.sj = w.c.sj;
    w.v.sk = w.c.sk;
    w.v.scale = l->stencil->scale;
    w.parity = (w.c.lo[0] + w.c.lo[1] + w.c.lo[2]) & 1;
    return w;
}

void cuda_fill_walls(struct work &w, int sweep)
{
    if (w.pass->level->connected)
        cuda_walls(w.c, w.buffer[sweep & 1], w.s->wall_rule, w.s->radius, w.pass->level->ghosts,
                   w.pass->part);
    else
        cuda_walls_star(w.c, w.buffer[sweep & 1], w.s->wall_rule, w.s->radius);
    w.v.u = w.buffer[sweep & 1];
}

/* Gives a kernel what all fused ones have of the operator and the right-hand side. */
template <class Kernel>
static void set_operator(Kernel &kernel, const struct work &w)
{
    kernel.f = w.v.f;
    kernel.alpha = w.pass->level->fields[FIELD_ALPHA] ? w.v.alpha : NULL;
    kernel.beta_i = w.v.beta_i;
    kernel.beta_j = w.v.beta_j;
    kernel.beta_k = w.v.beta_k;
    kernel.scale = w.v.scale;
}

static struct pair_fv2 open_pair(const struct work &w)
{
    struct pair_fv2 pair = {w.c};
    set_operator(pair, w);
    pair.in = w.buffer[0];
    pair.out = w.pass->level->fields[FIELD_TMP] + w.c.offset;
    pair.parity = w.parity;
    pair.part = w.pass->part;
    return pair;
}

/* Launches a kernel with what it needs for the finish of the pass on patch q, the residual
 * restricted or reduced to its norm. */
template <class Kernel>
static void launch_finish(const struct pass *pass, int q, Kernel work,
                          void (*launch)(const Kernel &))
{
    if (pass->finish == FINISH_NORM) {
        work.norm = cuda_norm_word(pass->norm);
        launch(work);
        return;
    }
    const struct patch *coarse = &pass->coarse->patches[q];
    work.coarse = pass->coarse->fields[pass->coarse_f] + coarse->offset;
    work.coarse_sj = coarse->sj;
    work.coarse_sk = coarse->sk;
    launch(work);
}

static void exchange_buffers(const struct pass *pass)
{
    double **fields = pass->level->fields, *swapped = fields[pass->u];
    fields[pass->u] = fields[FIELD_TMP];
    fields[FIELD_TMP] = swapped;
}

/* All sweeps of the pass by fused red-black kernels, and its finish if it `finishes` so. They work
 * out of place: u and FIELD_TMP change places after each. */
static void sweep_by_pairs(const struct pass *pass, bool finishes)
{
    struct level *l = pass->level;
    for (int sweep = 0; sweep < pass->nsweeps; sweep += 2) {
        for (int q = 0; q < l->npatches; q++) {
            struct pair_fv2 pair = open_pair(cuda_open_work(pass, q));
            pair.zero_guess = sweep == 0 && pass->start == START_ZERO;
            if (finishes && sweep + 2 == pass->nsweeps)
                launch_finish(pass, q, pair, cuda_pair_fv2);
            else
                cuda_pair_fv2(pair);
        }
        if (pass->part == PART_INNER)
            continue; /* the outer part follows */
        exchange_buffers(pass);
    }
}

static struct pair_fv4 open_pair_fv4(const struct work &w)
{
    struct pair_fv4 pair = {w.c};
    set_operator(pair, w);
    pair.in = w.buffer[0];
    pair.out = w.buffer[1];
    pair.dinv = w.v.dinv;
    pair.colour = w.parity;
    return pair;
}

/* All sweeps of the pass by those of order 4, on its only patch. They want ghosts, and leave them
 * if something follows. */
static void sweep_by_pairs_fv4(const struct pass *pass)
{
    for (int sweep = 0; sweep < pass->nsweeps; sweep += 2) {
        struct pair_fv4 pair = open_pair_fv4(cuda_open_work(pass, 0));
        if (sweep == 0 && pass->start == START_ZERO)
            pair.in = NULL;
        pair.ghosts = sweep + 2 < pass->nsweeps || pass->finish != FINISH_NONE;
        cuda_pair_fv4(pair);
        exchange_buffers(pass);
    }
}

static bool residual_fits(const struct pass *pass)
{
    const struct operator_choice *choice = &pass->level->stencil->choice;
    return cuda_even_patches(pass->level) && choice->order == 2 && choice->variable &&
           pass->level->dim >= 4 &&
           (pass->finish == FINISH_RESTRICT || pass->finish == FINISH_NORM);
}

/* The finish of the pass on patch q by the fused residual kernel. */
static void finish_fused(const struct pass *pass, int q)
{
    const struct work w = cuda_open_work(pass, q);
    struct residual_fv2 r = {w.c};
    set_operator(r, w);
    r.u = w.buffer[(pass->first_sweep + pass->nsweeps) & 1];
    launch_finish(pass, q, r, cuda_residual_fv2);
}

/* What every operation by the order-4 kernel has in common. */
static struct march_fv4 open_march(const struct work &w, enum march_kind kind, double *out)
{
    struct march_fv4 m = {w.c, kind, w.pass->part};
    set_operator(m, w);
    m.u = w.v.u;
    m.dinv = w.v.dinv;
    m.out = out;
    m.out_sj = w.c.sj;
    m.out_sk = w.c.sk;
    return m;
}

/* Where D⁻¹ follows from the nearest faces alone; see probe_create. */
static void find_inner(const struct work &w, struct march_fv4 &m)
{
    const int reach = w.s->radius, dim = w.pass->level->dim;
    for (int d = 0; d < 3; d++) {
        m.inner_lo[d] = w.c.wall[d][0] ? reach : 0;
        m.inner_hi[d] = dim > 2 * reach ? w.c.n[d] - (w.c.wall[d][1] ? reach : 0) : 0;
    }
}

static void sweep_by_march(const struct work &w, int sweep)
{
    const struct relaxation r = stencil_relaxation(w.s, sweep);
    const enum march_kind kind = r.coloured   ? MARCH_COLOURED
                                 : r.two_step ? MARCH_TWO_STEP
                                              : MARCH_WEIGHTED;
    struct march_fv4 m = open_march(w, kind, w.buffer[(sweep + 1) & 1]);
    m.colour = (w.parity + r.colour) & 1;
    m.weight = r.weight;
    m.c1 = r.c1;
    find_inner(w, m);
    cuda_march_fv4(m);
}

static void finish_by_march(const struct work &w, int q)
{
    const struct pass *p = w.pass;
    struct march_fv4 m = open_march(w, MARCH_STORE, NULL);
    if (p->finish == FINISH_NORM) {
        m.kind = MARCH_NORM;
        m.norm = cuda_norm_word(p->norm);
    } else if (p->finish == FINISH_RESTRICT) {
        const struct patch *coarse = &p->coarse->patches[q];
        m.kind = MARCH_RESTRICT;
        m.out = p->coarse->fields[p->coarse_f] + coarse->offset;
        m.out_sj = coarse->sj;
        m.out_sk = coarse->sk;
    } else {
        m.out = p->level->fields[p->residual] + w.c.offset;
    }
    cuda_march_fv4(m);
}

/* Layers of ghosts that the pass's start must leave for its operations. */
static int extent_of(const struct pass *pass)
{
    return pass->level->connected ? pass_operations(pass) * pass->level->stencil->radius : 0;
}

/* The pass on patch q, operation by operation; `filled`: u has its ghosts behind walls already. */
static void run_operations(const struct pass *pass, int q, bool tuned, bool filled)
{
    const struct level *l = pass->level;
    struct work w = cuda_open_work(pass, q);
    const int operations = pass_operations(pass);
    const int radius = l->connected ? l->stencil->radius : 0;
    const bool march = tuned && cuda_march_fv4_fits(l);
    baseline_start(w, q, extent_of(pass));
    for (int sweep = 0; sweep < pass->nsweeps; sweep++) {
        const int number = pass->first_sweep + sweep, extent = (operations - 1 - sweep) * radius;
        cuda_fill_walls(w, number);
        if (march && extent == 0)
            sweep_by_march(w, number);
        else
            baseline_sweep(w, number, extent);
    }
    if (pass->finish == FINISH_NONE)
        return;
    const int number = pass->first_sweep + pass->nsweeps;
    w.v.u = w.buffer[number & 1];
    if (!filled)
        cuda_fill_walls(w, number);
    if (march)
        finish_by_march(w, q);
    else
        baseline_finish(w, q);
}

/* One part of a pass of one operation by the order-4 kernel. The inner part, which comes first,
 * does not depend on the walls around halos, but the outer one on all. */
static void run_march_part(const struct pass *pass)
{
    const int patches = pass->level->npatches, sweep = pass->first_sweep;
    if (pass->part == PART_OUTER)
        cuda_await_inner_prepared();
    for (int q = 0; q < patches; q++) {
        struct work w = cuda_open_work(pass, q);
        cuda_fill_walls(w, sweep);
    }
    if (pass->part == PART_INNER)
        cuda_inner_prepared();
    for (int q = 0; q < patches; q++) {
        struct work w = cuda_open_work(pass, q);
        w.v.u = w.buffer[sweep & 1];
        if (pass->nsweeps > 0)
            sweep_by_march(w, sweep);
        else
            finish_by_march(w, q);
    }
}

static void fill_coarse_walls(const struct pass *pass)
{
    if (pass_prolongs(pass))
        cuda_walls_fill(pass->coarse, pass->coarse->fields[pass->coarse_u],
                        stencil_wall_rule(pass->prolongation, pass->coarse->dim),
                        pass->prolongation / 2);
}

/* True if the sweeps of the pass are red and black in turns as fused kernels do them, on a level
 * where these may: on those of the tail they must not, since they exchange u and FIELD_TMP, which
 * the tail does not. */
static bool sweeps_in_pairs(const struct pass *pass)
{
    return pass->nsweeps > 0 && pass->nsweeps % 2 == 0 && pass->first_sweep % 2 == 0 &&
           !cuda_tail_level(pass->level);
}

static bool pairs_fit(const struct pass *pass)
{
    return sweeps_in_pairs(pass) && cuda_pair_fv2_fits(pass->level);
}

static bool pairs_fv4_fit(const struct pass *pass)
{
    return sweeps_in_pairs(pass) && cuda_pair_fv4_fits(pass->level);
}

/* True if the last of these kernels can do the finish of the pass too. */
static bool pairs_finish(const struct pass *pass)
{
    return (pass->finish == FINISH_RESTRICT || pass->finish == FINISH_NORM) &&
           (pass->nsweeps > 2 || pass->start != START_ZERO) && cuda_pair_fv2_finishes(pass->level);
}

/* True if one fused kernel can do all of the pass, without a norm to be brought home. */
static bool pairs_split(const struct pass *pass)
{
    const bool starts = pass->start == START_KEEP || pass->start == START_ZERO;
    return pass->nsweeps == 2 && starts && pairs_fit(pass) &&
           (pass->finish == FINISH_NONE || (pass->finish == FINISH_RESTRICT && pairs_finish(pass)));
}

static bool march_splits(const struct pass *pass)
{
    return pass->start == START_KEEP && pass_operations(pass) == 1 && pass->finish != FINISH_NORM &&
           cuda_march_fv4_fits(pass->level);
}

bool cuda_splits(const struct pass *pass)
{
    return pairs_split(pass) || march_splits(pass);
}

static void start_alone(const struct pass *pass)
{
    for (int q = 0; q < pass->level->npatches; q++)
        baseline_start(cuda_open_work(pass, q), q, extent_of(pass));
}

/* The same with the ghosts of u, of a level that is one patch with walls on all sides. Where u is
 * 0 the first sweeps know it. */
static void start_with_ghosts(const struct pass *pass)
{
    if (pass->start == START_ZERO)
        return;
    struct work w = cuda_open_work(pass, 0);
    start_alone(pass);
    cuda_fill_walls(w, 0);
}

/* What is left of the pass once its start and its sweeps are done. */
static struct pass after_sweeps(const struct pass *pass)
{
    struct pass rest = *pass;
    rest.start = START_KEEP;
    rest.first_sweep += rest.nsweeps;
    rest.nsweeps = 0;
    return rest;
}

static void run_kernels(const struct pass *pass)
{
    fill_coarse_walls(pass);
    struct pass rest = *pass;
    bool filled = false;
    if (pairs_fit(pass)) {
        const bool finishes = pairs_finish(pass);
        if (pass_prolongs(pass))
            start_alone(pass);
        sweep_by_pairs(pass, finishes);
        if (finishes)
            return;
        rest = after_sweeps(pass);
    } else if (pairs_fv4_fit(pass)) {
        start_with_ghosts(pass);
        sweep_by_pairs_fv4(pass);
        rest = after_sweeps(pass);
        filled = true;
    }
    const bool fused = rest.nsweeps == 0 && rest.start == START_KEEP && residual_fits(pass);
    for (int q = 0; q < pass->level->npatches; q++)
        if (fused)
            finish_fused(pass, q);
        else
            run_operations(&rest, q, true, filled);
}

void cuda_run(const struct pass *pass)
{
    const struct step step = {STEP_PASS, *pass};
    if (pass->level->npatches == 0)
        return;
    if (cuda_step_fits(&step)) {
        cuda_run_steps(&step, 1);
        return;
    }
    if (pass->part != PART_ALL && march_splits(pass))
        run_march_part(pass);
    else
        run_kernels(pass);
    if (pass->finish == FINISH_NORM)
        cuda_fetch_norm(pass->norm);
}

void cuda_run_baseline(const struct pass *pass)
{
    fill_coarse_walls(pass);
    for (int q = 0; q < pass->level->npatches; q++)
        run_operations(pass, q, false, false);
    if (pass->finish == FINISH_NORM)
        cuda_fetch_norm(pass->norm);
}
