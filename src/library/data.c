/* SPDX-License-Identifier: BSD-3-Clause */
/* Data between the caller's blocks and the finest level. The blocks of all ranks are copied to a
 * level of their own, the staging level, and a plan moves them from there; out of the solver the
 * other way round. Level and plans are kept for calls with the same blocks. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "backend/backend.h"
#include "config/memory_need.h"
#include "base/memory.h"
#include "cuda/cuda.h"
#include "level/build.h"
#include "level/plan.h"
#include "library/solver_handle.h"
#include "operators/bodies.h"
#include "operators/pass.h"
#include "operators/vectors.h"

static const struct user_field {
    const char *name;
    enum field field;
    int centre;
} user_fields[NUM_USER_FIELDS] = {
    [HPGMG_U] = {"u", FIELD_U, CENTRE_CELL},
    [HPGMG_F] = {"f", FIELD_F, CENTRE_CELL},
    [HPGMG_ALPHA] = {"alpha", FIELD_ALPHA, CENTRE_CELL},
    [HPGMG_BETA_I] = {"beta i", FIELD_BETA_I, CENTRE_FACE_I},
    [HPGMG_BETA_J] = {"beta j", FIELD_BETA_J, CENTRE_FACE_J},
    [HPGMG_BETA_K] = {"beta k", FIELD_BETA_K, CENTRE_FACE_K},
};

const char *field_name(enum hpgmg_field field)
{
    return user_fields[field].name;
}

bool has_field(const struct hpgmg *s, enum hpgmg_field field)
{
    const struct level *finest = s->hierarchy->levels[0];
    const bool is_own = field == HPGMG_U || field == HPGMG_F || !finest->stencil->choice.unit_beta;
    return is_own && finest->fields[user_fields[field].field];
}

/* --- what a caller can do wrong ------------------------------------------------------------------
 */

static enum hpgmg_status check_field(const struct hpgmg *s, enum hpgmg_field field)
{
    if ((int)field < 0 || (int)field >= NUM_USER_FIELDS)
        return fail(HPGMG_ARGUMENT, "there is no field %d", (int)field);
    if (!has_field(s, field))
        return fail(HPGMG_ARGUMENT, "the solver has no %s with this equation and coefficients",
                    user_fields[field].name);
    return HPGMG_OK;
}

/* A block that is packed has strides of 0. */
static bool is_packed(const struct hpgmg_block *b)
{
    return b->stride[0] == 0 && b->stride[1] == 0 && b->stride[2] == 0;
}

static enum hpgmg_status check_block(const struct hpgmg *s, int number, const struct hpgmg_block *b)
{
    for (int d = 0; d < 3; d++) {
        const int lo = b->box.lo[d], n = b->box.n[d];
        if (n <= 0 || lo < 0 || n > s->cells[d] || lo > s->cells[d] - n)
            return fail(HPGMG_ARGUMENT,
                        "block %d: %d cells from cell %d on in direction %d, of 0 to %d", number, n,
                        lo, d, s->cells[d] - 1);
        if (b->stride[d] == 0 && n > 1 && !is_packed(b))
            return fail(HPGMG_ARGUMENT, "block %d: stride[%d] is 0", number, d);
    }
    return b->data ? HPGMG_OK : fail(HPGMG_ARGUMENT, "block %d: data is NULL", number);
}

/* Sets *device to the GPU that has the data, or −1. */
static enum hpgmg_status find_device(const struct hpgmg *s, int count,
                                     const struct hpgmg_block *blocks, int *device)
{
    const bool on_gpu = s->hierarchy->choice.placement.backend->on_device;
    *device = -1;
    for (int b = 0; b < count; b++) {
        const int own = cuda_device_of(blocks[b].data);
        if (own >= 0 && !on_gpu)
            return fail(HPGMG_ARGUMENT,
                        "block %d: data is in GPU memory, and the solver runs on the CPU", b);
        if (own >= 0 && own != cuda_device()->number)
            return fail(HPGMG_ARGUMENT, "block %d: data is on GPU %d, and the solver on GPU %d", b,
                        own, cuda_device()->number);
        if (b > 0 && own != *device)
            return fail(HPGMG_ARGUMENT, "block %d: data of a rank is in one kind of memory", b);
        *device = own;
    }
    return HPGMG_OK;
}

static enum hpgmg_status check_blocks(const struct hpgmg *s, enum hpgmg_field field, int count,
                                      const struct hpgmg_block *blocks, int *device)
{
    enum hpgmg_status status = check_field(s, field);
    double cells = 0.0;
    *device = -1;
    if (status == HPGMG_OK && count < 0)
        status = fail(HPGMG_ARGUMENT, "the number of blocks is %d", count);
    if (status == HPGMG_OK && count > 0 && !blocks)
        status = fail(HPGMG_ARGUMENT, "blocks is NULL");
    for (int b = 0; status == HPGMG_OK && b < count; b++) {
        status = check_block(s, b, &blocks[b]);
        cells += extent_cells(blocks[b].box.n);
    }
    if (status == HPGMG_OK && comm_size() > 1 && cells > INT_MAX)
        status = fail(HPGMG_ARGUMENT, "the blocks of a rank have more than %d cells", INT_MAX);
    return status == HPGMG_OK ? find_device(s, count, blocks, device) : status;
}

/* --- the boxes of all ranks ----------------------------------------------------------------------
 */

enum { NUMBERS = 7 }; /* of a block: its owner, the low corner and the cells of its box */

/* Every rank adds the numbers of its blocks to a list of zeros, from number `first` on. */
static int64_t *gather_numbers(int total, int first, int count, const struct hpgmg_block *blocks)
{
    int64_t *numbers =
        memory_alloc_zero((size_t)total * NUMBERS * sizeof *numbers, "boxes of blocks");
    for (int b = 0; b < count; b++) {
        int64_t *own = numbers + (first + b) * NUMBERS;
        own[0] = comm_rank();
        for (int d = 0; d < 3; d++) {
            own[1 + d] = blocks[b].box.lo[d];
            own[4 + d] = blocks[b].box.n[d];
        }
    }
    comm_sum_i64(comm_world(), numbers, total * NUMBERS);
    return numbers;
}

/* The blocks of all ranks as a decomposition, in the order of ranks. */
static enum hpgmg_status gather_blocks(const struct hpgmg *s, int count,
                                       const struct hpgmg_block *blocks, struct decomposition *d)
{
    int64_t *counts = memory_alloc_zero((size_t)comm_size() * sizeof *counts, "numbers of blocks");
    int64_t first = 0, total = 0;
    counts[comm_rank()] = count;
    comm_sum_i64(comm_world(), counts, comm_size());
    for (int rank = 0; rank < comm_size(); rank++) {
        first += rank < comm_rank() ? counts[rank] : 0;
        total += counts[rank];
    }
    memory_free(counts);
    if (total > INT_MAX / NUMBERS)
        return fail(HPGMG_ARGUMENT, "more than %d blocks", INT_MAX / NUMBERS);
    int64_t *numbers = gather_numbers((int)total, (int)first, count, blocks);
    *d = (struct decomposition){.nboxes = (int)total};
    memcpy(d->n, s->cells, sizeof d->n);
    d->boxes = memory_alloc((size_t)total * sizeof *d->boxes, "boxes");
    d->owner = memory_alloc((size_t)total * sizeof *d->owner, "owners");
    for (int b = 0; b < total; b++) {
        const int64_t *of = numbers + b * NUMBERS;
        d->owner[b] = (int)of[0];
        for (int e = 0; e < 3; e++) {
            d->boxes[b].lo[e] = (int)of[1 + e];
            d->boxes[b].hi[e] = (int)(of[1 + e] + of[4 + e]);
        }
    }
    memory_free(numbers);
    return HPGMG_OK;
}

static void count_box(void *count, int box)
{
    (void)box;
    ++*(int *)count;
}

/* All cells, each once. */
static enum hpgmg_status check_cover(const struct decomposition *d)
{
    double cells = 0.0;
    for (int b = 0; b < d->nboxes; b++)
        cells += (double)box_cells(d->boxes[b]);
    if (cells != extent_cells(d->n))
        return fail(HPGMG_ARGUMENT, "the blocks of all ranks have %.0f cells, the domain has %.0f",
                    cells, extent_cells(d->n));
    struct box_index index = box_index_create(d->boxes, d->nboxes);
    int overlap = -1;
    for (int b = 0; overlap < 0 && b < d->nboxes; b++) {
        int found = 0;
        box_index_search(&index, d->boxes[b], count_box, &found);
        if (found > 1)
            overlap = b;
    }
    box_index_destroy(&index);
    return overlap < 0 ? HPGMG_OK
                       : fail(HPGMG_ARGUMENT, "a block of rank %d overlaps with another one",
                              d->owner[overlap]);
}

/* --- the staging level ---------------------------------------------------------------------------
 */

static void release_staging(struct staging *staging)
{
    if (staging->plan)
        plan_destroy(staging->plan);
    if (staging->level)
        level_destroy(staging->level);
    *staging = (struct staging){.level = NULL};
}

void staging_release(struct hpgmg *s)
{
    release_staging(&s->set);
    release_staging(&s->get);
}

enum hpgmg_status check_room(struct hpgmg *s, double bytes, bool on_device)
{
    comm_max_f64(comm_world(), &bytes, 1);
    struct memory_need need = memory_need_of((size_t)bytes, on_device);
    if (!memory_need_fits(&need)) {
        staging_release(s);
        need = memory_need_of((size_t)bytes, on_device);
    }
    if (memory_need_fits(&need))
        return HPGMG_OK;
    return fail(HPGMG_MEMORY, "moving the data needs %.0f bytes, %.0f are available", need.needed,
                need.available);
}

static const struct backend *staging_backend(const struct hpgmg *s, bool on_device)
{
    const struct backend *own = s->hierarchy->levels[0]->backend;
    return on_device ? &backend_cuda : own->staging ? own->staging : own;
}

/* A level of the callers' boxes with one field. Faces on high walls are in its first ghost layer,
 * and count as cells of its patches. Takes over the decomposition. */
static enum hpgmg_status create_staging(struct hpgmg *s, struct staging *staging, int centre,
                                        const struct backend *backend, struct decomposition d)
{
    const struct level *finest = s->hierarchy->levels[0];
    const int ghosts = centre == CENTRE_CELL ? 0 : 1;
    const double bytes =
        (double)decomposition_field_bytes(&d, comm_rank(), ghosts, backend->row_align);
    /* on several ranks, messages too, both ways */
    const enum hpgmg_status status =
        check_room(s, comm_size() > 1 ? 2.0 * bytes + (double)level_field_bytes(finest) : bytes,
                   backend->on_device);
    if (status != HPGMG_OK) {
        decomposition_destroy(&d);
        return status;
    }
    struct level *l = level_create(0, d, finest->sides, ghosts, backend, backend->row_align);
    for (int q = 0; q < l->npatches && centre != CENTRE_CELL; q++)
        l->patches[q].n[centre] += l->patches[q].wall[centre][1] != NO_WALL;
    level_allocate(l, FIELD_U);
    *staging = (struct staging){.level = l, .centre = centre};
    return HPGMG_OK;
}

/* True if the staging level has these blocks of this rank. */
static bool is_staged(const struct staging *staging, int centre, const struct backend *backend,
                      int count, const struct hpgmg_block *blocks)
{
    const struct level *l = staging->level;
    bool same = l && staging->centre == centre && l->backend == backend && l->npatches == count;
    for (int q = 0; same && q < count; q++)
        for (int d = 0; d < 3; d++)
            same = same && l->patches[q].box.lo[d] == blocks[q].box.lo[d] &&
                   l->patches[q].box.hi[d] == blocks[q].box.lo[d] + blocks[q].box.n[d];
    return same;
}

/* Keeps the staging level if it has these blocks on all ranks; else makes another one. Blocks to
 * set from must cover the domain. */
static enum hpgmg_status renew_staging(struct hpgmg *s, struct staging *staging, int centre,
                                       const struct backend *backend, int count,
                                       const struct hpgmg_block *blocks)
{
    struct decomposition d;
    if (comm_min_i64(comm_world(), is_staged(staging, centre, backend, count, blocks)))
        return HPGMG_OK;
    release_staging(staging);
    enum hpgmg_status status = gather_blocks(s, count, blocks, &d);
    if (status != HPGMG_OK)
        return status;
    if (staging == &s->set)
        status = check_cover(&d);
    if (status == HPGMG_OK)
        return create_staging(s, staging, centre, backend, d);
    decomposition_destroy(&d);
    return status;
}

/* Between the caller's blocks and the staging level's patches, which are in the same order. */
static void copy_blocks(const struct level *l, int centre, const struct hpgmg_block *blocks,
                        bool into_level, double factor)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        const struct hpgmg_block *b = &blocks[q];
        const long ni = b->box.n[0] + (centre == 0), nj = b->box.n[1] + (centre == 1);
        const long packed[3] = {1, ni, ni * nj}, inner[3] = {1, p->sj, p->sk};
        double *cells = patch_cells(l, p, FIELD_U);
        struct strided_arguments x = {.to = into_level ? cells : b->data,
                                      .from = into_level ? b->data : cells,
                                      .factor = factor};
        for (int d = 0; d < 3; d++) {
            const long outer = is_packed(b) ? packed[d] : (long)b->stride[d];
            x.to_stride[d] = into_level ? inner[d] : outer;
            x.from_stride[d] = into_level ? outer : inner[d];
        }
        l->backend->passes->visit(BODY_copy_strided, &x, p->n);
    }
    l->backend->memory->synchronise();
}

/* All ranks get the same. *norm: the largest magnitude. */
static enum hpgmg_status check_values(const struct level *l, enum hpgmg_field field, double *norm)
{
    const double most = bits_to_double(comm_max_u64(comm_world(), vector_norm(l, FIELD_U))),
                 least = -bits_to_double(comm_max_u64(comm_world(), vector_negative(l, FIELD_U)));
    *norm = most;
    if (!isfinite(most))
        return fail(HPGMG_ARGUMENT, "%s has a value that is not finite", user_fields[field].name);
    if (field != HPGMG_U && field != HPGMG_F && least < 0.0)
        return fail(HPGMG_ARGUMENT, "%s has the negative value %g", user_fields[field].name, least);
    return HPGMG_OK;
}

/* Makes the plan at its first use. */
static void transfer(struct staging *staging, const struct level *source, enum field from,
                     const struct level *target, enum field to)
{
    if (!staging->plan)
        staging->plan = plan_create(source, target, TARGET_GROWN, 0, staging->centre);
    plan_move(staging->plan, source, from, target, to, NULL);
}

/* --- calls ---------------------------------------------------------------------------------------
 */

/* After the field has new values, or has lost its old ones. */
static void note_change(struct hpgmg *s, enum hpgmg_field field, bool is_set, double norm)
{
    s->is_set[field] = is_set;
    if (field == HPGMG_F) {
        s->rhs_is_old = true;
        s->f_norm = norm;
    } else if (field != HPGMG_U) {
        s->operator_is_old = true;
    }
}

/* By which the finest level's values are larger than the caller's: that of β in a direction, where
 * cells are no cubes (operators/spacing.h). */
static double weight_of(const struct hpgmg *s, int centre)
{
    return centre == CENTRE_CELL ? 1.0 : s->hierarchy->levels[0]->stencil->spacing.weight[centre];
}

static enum hpgmg_status set_from(struct hpgmg *s, enum hpgmg_field field,
                                  const struct hpgmg_block *blocks)
{
    const struct level *finest = s->hierarchy->levels[0], *staging = s->set.level;
    const struct user_field *own = &user_fields[field];
    double norm;
    copy_blocks(staging, own->centre, blocks, true, weight_of(s, own->centre));
    if (field != HPGMG_U)
        stretch_field(s, staging, FIELD_U, own->centre, false);
    const enum hpgmg_status status = check_values(staging, field, &norm);
    if (status == HPGMG_OK)
        transfer(&s->set, staging, FIELD_U, finest, own->field);
    note_change(s, field, status == HPGMG_OK, norm);
    return status;
}

static enum hpgmg_status get_into(struct hpgmg *s, enum hpgmg_field field,
                                  const struct hpgmg_block *blocks)
{
    const struct level *finest = s->hierarchy->levels[0], *staging = s->get.level;
    const struct user_field *own = &user_fields[field];
    transfer(&s->get, finest, own->field, staging, FIELD_U);
    if (field != HPGMG_U)
        stretch_field(s, staging, FIELD_U, own->centre, true);
    copy_blocks(staging, own->centre, blocks, false, 1.0 / weight_of(s, own->centre));
    return HPGMG_OK;
}

/* hpgmg_set and hpgmg_get, on all ranks of the selected world. */
static enum hpgmg_status move(struct hpgmg *s, enum call call, enum hpgmg_field field, int count,
                              const struct hpgmg_block *blocks)
{
    int device;
    enum hpgmg_status status = check_blocks(s, field, count, blocks, &device);
    if (status == HPGMG_OK && call == CALL_GET && !s->is_set[field])
        status = fail(HPGMG_ORDER, "%s was neither set nor solved for", field_name(field));
    status = call_agree(call, (int)field, status);
    if (status == HPGMG_OK)
        status = renew_staging(s, call == CALL_GET ? &s->get : &s->set, user_fields[field].centre,
                               staging_backend(s, device >= 0), count, blocks);
    if (status != HPGMG_OK)
        return status;
    status = call == CALL_GET ? get_into(s, field, blocks) : set_from(s, field, blocks);
    if (status == HPGMG_OK && call != CALL_GET && user_fields[field].centre != CENTRE_CELL)
        walls_keep_beta(s, user_fields[field].centre);
    return status;
}

enum hpgmg_status hpgmg_set(struct hpgmg *solver, enum hpgmg_field field, int count,
                            const struct hpgmg_block *blocks)
{
    const enum hpgmg_status status = call_begin(solver);
    return status == HPGMG_OK ? call_end(move(solver, CALL_SET, field, count, blocks)) : status;
}

enum hpgmg_status hpgmg_get(struct hpgmg *solver, enum hpgmg_field field, int count,
                            const struct hpgmg_block *blocks)
{
    const enum hpgmg_status status = call_begin(solver);
    return status == HPGMG_OK ? call_end(move(solver, CALL_GET, field, count, blocks)) : status;
}

/* --- functions of the position -------------------------------------------------------------------
 */

/* A function, and where it is asked for the mean over a cell or face. */
struct sampling {
    hpgmg_function *function;
    void *data;
    const struct hpgmg *solver;
    double side[3];   /* of a cell */
    double shift[3];  /* of the middle from the low corner of cell (0,0,0), in cells */
    double spread[3]; /* of the two points of Gauss's rule from the middle; 0: one point */
};

static struct sampling sampling_of(const struct hpgmg *s, int centre, hpgmg_function *function,
                                   void *data)
{
    struct sampling x = {.function = function, .data = data, .solver = s, .shift = {0.5, 0.5, 0.5}};
    const double spread = s->options.order > 2 ? 0.5 / sqrt(3.0) : 0.0;
    memcpy(x.side, s->hierarchy->levels[0]->stencil->spacing.side, sizeof x.side);
    for (int d = 0; d < 3; d++)
        x.spread[d] = d == centre ? 0.0 : spread;
    if (centre != CENTRE_CELL)
        x.shift[centre] = 0.0;
    return x;
}

static double sample(const struct sampling *x, const int cell[3])
{
    double sum = 0.0;
    int points = 0;
    for (int corner = 0; corner < 8; corner++) {
        double at[3];
        bool again = false; /* the two points of some direction are one */
        for (int d = 0; d < 3; d++) {
            const int high = corner >> d & 1;
            again = again || (high && x->spread[d] == 0.0);
            const double shift = x->shift[d] + (high ? x->spread[d] : -x->spread[d]);
            at[d] = x->solver->widths[d] ? stretch_position(x->solver, d, cell[d], shift)
                                         : x->side[d] * (cell[d] + shift);
        }
        if (again)
            continue;
        sum += x->function(at[0], at[1], at[2], x->data);
        points++;
    }
    return sum / points;
}

static double *sample_box(const struct sampling *x, struct hpgmg_box box)
{
    const size_t count = (size_t)box.n[0] * (size_t)box.n[1] * (size_t)box.n[2];
    double *values = memory_alloc(count * sizeof *values, "values of a function"), *next = values;
    for (int k = 0; k < box.n[2]; k++)
        for (int j = 0; j < box.n[1]; j++)
            for (int i = 0; i < box.n[0]; i++)
                *next++ = sample(x, (const int[3]){box.lo[0] + i, box.lo[1] + j, box.lo[2] + k});
    return values;
}

enum hpgmg_status sample_function(const struct hpgmg *s, int centre, hpgmg_function *function,
                                  void *data, int count, struct hpgmg_block *blocks)
{
    const struct sampling x = sampling_of(s, centre, function, data);
    call_end(HPGMG_OK);
    for (int b = 0; b < count; b++)
        blocks[b].data = sample_box(&x, blocks[b].box);
    return call_begin(s);
}

void release_blocks(int count, struct hpgmg_block *blocks)
{
    for (int b = 0; b < count; b++)
        memory_free(blocks[b].data);
    memory_free(blocks);
}

static enum hpgmg_status set_function(struct hpgmg *s, enum hpgmg_field field,
                                      hpgmg_function *function, void *data)
{
    const struct level *finest = s->hierarchy->levels[0];
    const int count = finest->npatches;
    enum hpgmg_status status = check_field(s, field);
    if (status == HPGMG_OK && !function)
        status = fail(HPGMG_ARGUMENT, "the function is NULL");
    status = call_agree(CALL_SET_FUNCTION, (int)field, status);
    if (status == HPGMG_OK)
        status = check_room(s, 2.0 * (double)level_field_bytes(finest), false);
    if (status != HPGMG_OK)
        return status;
    const int centre = user_fields[field].centre;
    struct hpgmg_block *blocks =
        memory_alloc_zero((size_t)count * sizeof *blocks, "blocks of a function");
    for (int b = 0; b < count; b++) {
        blocks[b].box = s->boxes[b];
        if (centre != CENTRE_CELL)
            blocks[b].box.n[centre]++;
    }
    status = sample_function(s, centre, function, data, count, blocks);
    for (int b = 0; status == HPGMG_OK && b < count; b++)
        blocks[b].box = s->boxes[b];
    if (status == HPGMG_OK)
        status = move(s, CALL_SET, field, count, blocks);
    release_blocks(count, blocks);
    return status;
}

enum hpgmg_status hpgmg_set_function(struct hpgmg *solver, enum hpgmg_field field,
                                     hpgmg_function *function, void *data)
{
    const enum hpgmg_status status = call_begin(solver);
    return status == HPGMG_OK ? call_end(set_function(solver, field, function, data)) : status;
}
