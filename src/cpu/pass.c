/* SPDX-License-Identifier: BSD-3-Clause */
/* A pass as a list of operations, and the steps that sweep a row. */
#include <string.h>
#include "base/check.h"
#include "operators/boundary.h"
#include "cpu/operations.h"
#include "cpu/halves.h"
#include "operators/halo.h"
#include "operators/sum.h"
#include "operators/vectors.h"

/* The rows from (i,j,k) to the end of the box in i, as sweep number `sweep` reads them. The caller
 * sets `out` and the members of struct relaxation. */
static inline void open_rows(struct row *row, const struct patch_pass *p, int sweep, int i, int j,
                             int k)
{
    const long sj = p->patch->sj, sk = p->patch->sk, at = (p->halves ? 0 : i) + j * sj + k * sk;
    row->n = p->patch->n[0] - i;
    row->i = i;
    row->u = p->buffer[sweep & 1] + at;
    row_set_operands(row, &p->operands, at);
    row->sj = sj;
    row->sk = sk;
    row->colour = 0;
    row->weight = row->c1 = 0.0;
    row->k_flux = NULL;
    row->k_known = false;
    row->radius = p->stencil->radius;
    row->reader = row->readers = 0;
}

void step_keep(const struct patch_pass *p, const struct operation *op, struct range rows,
               struct range planes, struct thread_state *state)
{
    (void)p, (void)op, (void)rows, (void)planes, (void)state;
}

static void zero(real *x, int low, int high)
{
    memset(x + low, 0, (size_t)(high - low) * sizeof *x);
}

void step_zero(const struct patch_pass *p, const struct operation *op, struct range rows,
               struct range planes, struct thread_state *state)
{
    (void)state;
    const struct patch *q = p->patch;
    const struct range i = with_ghosts(q, 0, 0, op->extent);
    for (int k = planes.low; k < planes.high; k++)
        for (int j = rows.low; j < rows.high; j++) {
            real *row = p->buffer[0] + j * q->sj + k * q->sk;
            for (int odd = 0; p->halves && odd < 2; odd++)
                zero(row + odd * (q->sj / 2), half_index(i.low, odd), half_index(i.high, odd));
            if (!p->halves)
                zero(row, i.low, i.high);
        }
}

void step_sweep(const struct patch_pass *p, const struct operation *op, struct range rows,
                struct range planes, struct thread_state *state)
{
    const struct patch *q = p->patch;
    const struct relaxation *r = &op->relaxation;
    const struct range i = with_ghosts(q, 0, 0, op->extent);
    struct row row;
    open_rows(&row, p, op->sweep, i.low, rows.low, planes.low);
    row.n = i.high - i.low;
    row.rows = rows.high - rows.low;
    row.planes = planes.high - planes.low;
    row.out = p->buffer[(op->sweep + 1) & 1] + (row.u - p->buffer[op->sweep & 1]);
    row.out_sj = row.sj;
    row.out_sk = row.sk;
    row.colour = (p->parity + (p->halves ? 0 : i.low) + rows.low + planes.low + r->colour) & 1;
    row.weight = (real)r->weight;
    row.c1 = (real)r->c1;
    row.k_flux = state->k_flux;
    row.k_known = state->k_known;
    row.reader = state->reader;
    row.readers = state->readers;
    op->row(&row);
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

void for_residual_blocks(const struct patch_pass *p, const struct operation *op, struct range rows,
                         struct range planes, const struct thread_state *state,
                         residual_block_fn *use, void *data)
{
    enum { CELLS = 2048, LONGEST = 256 };
    real residual[CELLS] __attribute__((aligned(64)));
    const int n = min_int(p->patch->n[0], LONGEST), length = p->halves ? (n + 15) & -16 : n;
    const int max_rows = CELLS / (length * op->grain) & -op->grain,
              nrows = min_int(rows.high - rows.low, max_rows),
              max_planes = CELLS / (length * nrows) & -op->grain;
    for (int k = planes.low; k < planes.high; k += max_planes)
        for (int j = rows.low; j < rows.high; j += nrows)
            for (int start = 0; start < p->patch->n[0]; start += n) {
                struct row row;
                open_rows(&row, p, op->sweep, start, j, k);
                row.n = min_int(row.n, n);
                row.rows = min_int(rows.high - j, nrows);
                row.planes = min_int(planes.high - k, max_planes);
                row.out = residual;
                row.out_sj = p->halves ? length : row.n;
                row.out_sk = row.out_sj * row.rows;
                row.reader = state->reader;
                row.readers = state->readers;
                op->row(&row);
                use(p, &row, start, j, k, data);
            }
}

/* Rows in halves are stored as the field has them. */
static void store_block(const struct patch_pass *p, const struct row *block, int i, int j, int k,
                        void *unused)
{
    (void)unused;
    for (int plane = 0; plane < block->planes; plane++)
        for (int r = 0; r < block->rows; r++)
            row_join(p->residual + i + (j + r) * p->patch->sj + (k + plane) * p->patch->sk,
                     block->out + r * block->out_sj + plane * block->out_sk, block->out_sj, 0,
                     block->n);
}

void step_residual_store(const struct patch_pass *p, const struct operation *op, struct range rows,
                         struct range planes, struct thread_state *state)
{
    if (p->halves) {
        for_residual_blocks(p, op, rows, planes, state, store_block, NULL);
        return;
    }
    struct row row;
    open_rows(&row, p, op->sweep, 0, rows.low, planes.low);
    row.rows = rows.high - rows.low;
    row.planes = planes.high - planes.low;
    row.out = p->residual + rows.low * row.sj + planes.low * row.sk;
    row.out_sj = row.sj;
    row.out_sk = row.sk;
    row.reader = state->reader;
    row.readers = state->readers;
    op->row(&row);
}

/* The largest magnitude among `count` values, as a bit pattern. */
static uint64_t largest_bits(const real *x, int count, uint64_t largest)
{
#pragma omp simd reduction(max : largest)
    for (int i = 0; i < count; i++) {
        const uint64_t bits = magnitude_bits((double)x[i]);
        largest = bits > largest ? bits : largest;
    }
    return largest;
}

void raise_block_norm(const struct patch_pass *p, const struct row *block, int i, int j, int k,
                      void *norm)
{
    (void)p, (void)i, (void)j, (void)k;
    uint64_t *largest = norm;
    const int rows = block->rows * block->planes, n = block->n;
    const long length = block->out_sj;
    if (length == n)
        *largest = largest_bits(block->out, n * rows, *largest);
    for (int r = 0; length > n && r < rows; r++) {
        *largest = largest_bits(block->out + r * length, half_index(n, 0), *largest);
        *largest = largest_bits(block->out + r * length + length / 2, half_index(n, 1), *largest);
    }
}

void step_residual_norm(const struct patch_pass *p, const struct operation *op, struct range rows,
                        struct range planes, struct thread_state *state)
{
    for_residual_blocks(p, op, rows, planes, state, raise_block_norm, &state->norm);
}

/* Member by member, like open_rows. */
static void set_operation(struct operation *op, step_fn *step, row_fn *row, int sweep, int grain)
{
    op->step = step;
    op->row = row;
    op->sweep = sweep;
    op->grain = grain;
    op->wall = NULL;
}

static void set_sweep(struct operation *op, const struct stencil *s, int sweep,
                      row_fn *const *kinds)
{
    const struct relaxation r = stencil_relaxation(s, sweep);
    op->relaxation = r;
    set_operation(op, step_sweep, kinds[r.coloured ? ROW_COLOURED : ROW_UPDATE + r.update], sweep,
                  1);
}

/* How far beyond the box each operation works: the start as far as others depend on it. */
static void set_extents(const struct pass *pass, const struct stencil *s, struct operation *ops,
                        int count)
{
    const bool connected = pass->level->connected, finishes = pass->finish != FINISH_NONE;
    for (int op = 0; op < count; op++)
        ops[op].extent = 0;
    for (int op = 1; connected && op <= pass->nsweeps; op++)
        ops[op].extent = sweep_layers(s, pass->nsweeps + 1 - op, finishes);
    if (connected && count > 1)
        ops[0].extent = halo_layers(pass->level, pass->nsweeps, finishes);
    if (pass_prolongs(pass))
        ops[0].extent = even_layers(ops[0].extent);
}

static const struct row_functions *rows_of(const struct patch_pass *p)
{
    const struct operator_choice *choice = &p->stencil->choice;
    return p->halves ? operator_half_rows(choice) : operator_rows(choice);
}

/* The operations of the pass. Sets for each the field whose walls follow from it, and how far
 * beyond the box it must reach. */
static int list_operations(const struct pass *pass, const struct patch_pass *p,
                           struct operation *ops)
{
    static step_fn *const starts[] = {step_keep, step_zero, step_prolong_set, step_prolong_add,
                                      step_correct};
    static step_fn *const finishes[] = {NULL, step_residual_restrict, step_residual_norm,
                                        step_residual_store, step_defect};
    const struct stencil *s = p->stencil;
    row_fn *const *kinds = rows_of(p)->update;
    int count = 0;
    set_operation(&ops[count++], starts[pass->start], NULL, pass->prolongation, 1);
    ops[0].wall = pass->ghosts_filled ? NULL : p->buffer[pass->first_sweep & 1];
    for (int sweep = pass->first_sweep; sweep < pass->first_sweep + pass->nsweeps; sweep++) {
        set_sweep(&ops[count], s, sweep, kinds);
        ops[count++].wall = p->buffer[(sweep + 1) & 1];
    }
    if (pass->finish == FINISH_NONE)
        ops[count - 1].wall = NULL; /* no operation reads these ghosts */
    else
        set_operation(&ops[count++],
                      pass->finish == FINISH_DEFECT && pass->norm ? step_defect_norm
                                                                  : finishes[pass->finish],
                      kinds[ROW_RESIDUAL], pass->first_sweep + pass->nsweeps,
                      pass->finish == FINISH_RESTRICT ? 2 : 1);
    set_extents(pass, s, ops, count);
    return count;
}

/* Stores what the pass reads and writes as it wants it. */
static void order_fields(const struct pass *pass, bool halves)
{
    const struct level *l = pass->level, *c = pass->coarse;
    halves_order_coefficients(l, halves);
    halves_order(l, pass->f, halves);
    if (pass->start != START_ZERO && pass->start != START_PROLONG_SET)
        halves_order(l, pass_reads(pass), halves);
    else
        l->own_order[pass->u] = halves;
    if (pass->nsweeps > 0 && !l->stencil->in_place)
        l->own_order[pass_reads(pass) == pass->u ? FIELD_TMP : pass->u] = halves;
    if (pass->finish == FINISH_RESTRICT)
        c->own_order[pass->coarse_f] = halves && halves_used(c);
    if (pass->start == START_CORRECT)
        halves_order_single(l->correction, FIELD_U, halves);
    if (pass->finish == FINISH_DEFECT)
        l->correction->own_order[FIELD_F] = halves;
}

/* Residuals are stored as fields have them. */
static struct patch_pass open_patch(const struct pass *pass, int q, bool halves)
{
    const struct level *l = pass->level;
    const struct patch *patch = &l->patches[q];
    const struct box *b = &patch->box;
    struct patch_pass p = {.stencil = l->stencil, .patch = patch, .halves = halves};
    p.buffer[0] = cpu_cells(l, patch, pass->u);
    p.buffer[1] = l->stencil->in_place ? p.buffer[0] : cpu_cells(l, patch, FIELD_TMP);
    p.operands = operands_in(l, patch, pass->f);
    p.parity = (b->lo[0] + b->lo[1] + b->lo[2]) & 1;
    if (pass->finish == FINISH_STORE)
        p.residual = cpu_cells(l, patch, pass->residual);
    if (l->correction)
        corrections_open(&p, l, q);
    if (pass->coarse) {
        const struct patch *c = &pass->coarse->patches[q];
        p.coarse_sj = c->sj;
        p.coarse_sk = c->sk;
        p.coarse_u = cpu_cells(pass->coarse, c, pass->coarse_u);
        p.coarse_f = cpu_cells(pass->coarse, c, pass->coarse_f);
        p.coarse_u_halves = pass->coarse->own_order[pass->coarse_u];
        p.coarse_f_halves = pass->coarse->own_order[pass->coarse_f];
    }
    return p;
}

/* The ghosts that the prolongation reads behind walls. */
static void fill_coarse_walls(const struct pass *pass)
{
    if (pass_prolongs(pass))
        walls_fill(pass->coarse, pass->coarse_u,
                   walls_of_order(pass->coarse->stencil, pass->prolongation),
                   pass->prolongation / 2);
}

void cpu_run_small(const struct pass *pass)
{
    order_fields(pass, false);
    const struct patch_pass p = open_patch(pass, 0, false);
    fill_coarse_walls(pass);
    if (pass_prolongs(pass)) {
        const struct operation op = {.sweep = pass->prolongation};
        const struct range all = {0, pass->level->n[2]};
        (pass->start == START_PROLONG_SET ? step_prolong_set : step_prolong_add)(&p, &op, all, all,
                                                                                 NULL);
    }
    colours_run(pass, &p);
    if (pass->finish == FINISH_STORE)
        pass->level->own_order[pass->residual] = false;
}

/* A pass of its own: see continues() in solvers/schedule.c. */
static void prolong_partly(const struct pass *pass)
{
    level_natural(pass->coarse, pass->coarse_u);
    fill_coarse_walls(pass);
    for (int q = 0; q < pass->level->npatches; q++)
        vector_prolong(pass, q);
}

void cpu_run(const struct pass *pass, void (*traverse)(const struct traversal *), bool halves)
{
    const struct level *l = pass->level;
    const struct stencil *s = l->stencil;
    static struct thread_state states[1024];
    const bool prolongs = pass_prolongs(pass);
    CHECK(pass->nsweeps >= 0 && pass->first_sweep + pass->nsweeps <= SMOOTHER_SWEEPS);
    CHECK(!pass->coarse || pass->coarse->npatches == l->npatches);

    if (prolongs && !pass_halves(pass)) {
        CHECK(pass_length(pass) == 1);
        prolong_partly(pass);
        return;
    }
    order_fields(pass, halves);
    fill_coarse_walls(pass);
    for (int q = 0; q < l->npatches; q++) {
        const struct patch_pass p = open_patch(pass, q, halves);
        struct traversal t;
        t.pass = &p;
        t.states = states;
        t.nops = list_operations(pass, &p, t.ops);
        CHECK(!l->connected || t.ops[0].extent <= l->ghosts);
        CHECK(!l->connected || pass->start != START_PROLONG_ADD || t.nops == 1);
        CHECK(!prolongs || t.ops[0].extent % 2 == 0);
        t.keeps_fluxes = rows_of(&p)->keeps_fluxes;
        t.lag = s->radius;
        t.wall_cells = stencil_walls(s)->cells;
        const int threads = pass_reduces(pass) ? cpu_max_threads() : 0;
        for (int thread = 0; thread < threads; thread++)
            states[thread].norm = 0;
        traverse(&t);
        for (int thread = 0; thread < threads; thread++)
            *pass->norm = states[thread].norm > *pass->norm ? states[thread].norm : *pass->norm;
    }
    if (pass->finish == FINISH_STORE)
        l->own_order[pass->residual] = false;
}
