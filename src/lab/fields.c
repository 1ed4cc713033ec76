/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/fields.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "base/memory.h"
#include "cuda/cuda.h"
#include "level/backend.h"
#include "level/plan.h"
#include "operators/hash.h"

/* Cuts N by the size rule: boxes of the largest power of two in it. False if no run has N. */
static bool cut_into_boxes(int n, struct hierarchy_choice *choice)
{
    int boxes_per_side = n;
    choice->log2_box_dim = 0;
    while (boxes_per_side % 2 == 0 && choice->log2_box_dim < 10) {
        boxes_per_side /= 2;
        choice->log2_box_dim++;
    }
    choice->boxes_per_rank = (long)boxes_per_side * boxes_per_side * boxes_per_side;
    return choice->log2_box_dim >= 2 && size_rule(choice->boxes_per_rank, 1) == boxes_per_side;
}

bool level_exists(int n)
{
    struct hierarchy_choice choice;
    return cut_into_boxes(n, &choice);
}

bool bytes_fit(double needed, double available, const char *where, char *message, int size)
{
    if (available == 0.0 || needed <= available)
        return true;
    snprintf(message, (size_t)size,
             "this size needs %.0f bytes of memory on the %s, %.0f are available; choose a "
             "smaller N",
             needed, where, available);
    return false;
}

enum status level_choice(const struct lab_options *o, const struct backend *backend,
                         struct hierarchy_choice *choice, char *message, int message_size)
{
    *choice = (struct hierarchy_choice){
        .op = {.order = o->order,
               .helmholtz = o->equation == EQUATION_HELMHOLTZ,
               .variable = o->coefficients == COEFFICIENTS_VARIABLE,
               .periodic = o->boundary == BOUNDARY_PERIODIC,
               .smoother = (enum smoother)o->smoother},
        .bottom = BOTTOM_METHOD_BICGSTAB,
        .backend = backend,
    };
    CHECK(cut_into_boxes(o->n, choice));
    const struct hierarchy_shape shape = hierarchy_shape(choice, 1);
    const double on_host = (double)hierarchy_bytes(choice, &shape, 1, false);
    const double on_device = (double)hierarchy_bytes(choice, &shape, 1, true);
    const bool good =
        bytes_fit(on_host, (double)memory_available_bytes(), "host", message, message_size) &&
        (!backend->on_device ||
         bytes_fit(on_device, (double)cuda_device()->free_bytes, "GPU", message, message_size));
    return good ? STATUS_VALID : STATUS_MEMORY;
}

/* A number in [−1, 1) from 53 bits of a hash. */
static double random_value(uint64_t index, int seed)
{
    const uint64_t bits = hash_mix(index + hash_mix((uint64_t)seed + 0x9e3779b97f4a7c15ull));
    return (double)(bits >> 11) * 0x1p-52 - 1.0;
}

/* The random value of cell (i,j,k) of a level. */
static double cell_value(const struct level *l, int i, int j, int k, int seed)
{
    const uint64_t dim = (uint64_t)l->dim;
    return random_value((uint64_t)i + dim * ((uint64_t)j + dim * (uint64_t)k), seed);
}

/* Plane k of a patch with its ghosts, as it lies in a field: where it begins, and how much of it
 * there is. */
struct plane {
    long start, length;
};

static struct plane plane_of(const struct level *l, const struct patch *p, int k)
{
    struct plane plane = {.start = p->offset + k * p->sk - l->ghosts * (1 + p->sj)};
    const long left = l->field_length - plane.start;
    plane.length = p->sk < left ? p->sk : left;
    return plane;
}

/* Uploads NaN, and if `inside` the random values of the cells. */
static void upload_plane(struct level *l, const struct patch *p, enum field field, int k,
                         bool inside, int seed)
{
    const struct plane plane = plane_of(l, p, k);
    double *values = memory_alloc((size_t)plane.length * sizeof *values, "a plane");
    for (long x = 0; x < plane.length; x++)
        values[x] = NAN;
    const int rows = inside ? p->n[1] : 0;
#pragma omp parallel for schedule(static)
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < p->n[0]; i++)
            values[l->ghosts * (1 + p->sj) + i + j * p->sj] =
                cell_value(l, p->box.lo[0] + i, p->box.lo[1] + j, p->box.lo[2] + k, seed);
    l->backend->upload(l->fields[field] + plane.start, values, plane.length);
    memory_free(values);
}

static void fill(struct level *l, enum field field, bool random, int seed)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        for (int k = -l->ghosts; k < p->n[2] + l->ghosts; k++)
            upload_plane(l, p, field, k, random && k >= 0 && k < p->n[2], seed);
    }
}

void fill_poison(struct level *level, enum field field)
{
    fill(level, field, false, 0);
}

void fill_random(struct level *level, enum field field, int seed)
{
    fill(level, field, true, seed);
    level_exchange_halo(level, field);
}

/* The value that the patch's ghost or cell `at` must have; NaN where no halo exchange fills it. */
static double expected_value(const struct level *l, const struct patch *p, const int at[3],
                             int seed)
{
    int cell[3];
    for (int d = 0; d < 3; d++) {
        cell[d] = (at[d] + l->dim) % l->dim;
        if ((!l->periodic || p->wrap[d]) && cell[d] != at[d])
            return NAN;
    }
    return cell_value(l, cell[0], cell[1], cell[2], seed);
}

static bool same_or_both_nan(double a, double b)
{
    return isnan(b) ? isnan(a) != 0 : memcmp(&a, &b, sizeof a) == 0;
}

static long wrong_ghosts_in_plane(const struct level *l, const struct patch *p, enum field field,
                                  int k, int seed)
{
    const struct plane plane = plane_of(l, p, k);
    const int g = l->ghosts;
    double *values = memory_alloc((size_t)plane.length * sizeof *values, "a plane");
    l->backend->download(l->fields[field] + plane.start, values, plane.length);
    long wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong)
    for (int j = -g; j < p->n[1] + g; j++)
        for (int i = -g; i < p->n[0] + g; i++) {
            const int at[3] = {p->box.lo[0] + i, p->box.lo[1] + j, p->box.lo[2] + k};
            const bool inside =
                i >= 0 && i < p->n[0] && j >= 0 && j < p->n[1] && k >= 0 && k < p->n[2];
            wrong += !inside && !same_or_both_nan(values[i + g + (j + g) * p->sj],
                                                  expected_value(l, p, at, seed));
        }
    memory_free(values);
    return wrong;
}

long count_wrong_ghosts(const struct level *level, enum field field, int seed)
{
    CHECK(level->ghosts <= level->dim);
    long wrong = 0;
    for (int q = 0; q < level->npatches; q++)
        for (int k = -level->ghosts; k < level->patches[q].n[2] + level->ghosts; k++)
            wrong += wrong_ghosts_in_plane(level, &level->patches[q], field, k, seed);
    return wrong;
}

static long plane_differences(const struct level *a, const double *of_a, const struct patch *p,
                              const struct level *b, const double *of_b, const struct patch *q,
                              int k)
{
    const struct plane plane_a = plane_of(a, p, k), plane_b = plane_of(b, q, k);
    double *x = memory_alloc((size_t)plane_a.length * sizeof *x, "a plane");
    double *y = memory_alloc((size_t)plane_b.length * sizeof *y, "a plane");
    a->backend->download(of_a + plane_a.start, x, plane_a.length);
    b->backend->download(of_b + plane_b.start, y, plane_b.length);
    long differences = 0;
    for (int j = 0; j < p->n[1]; j++)
        for (int i = 0; i < p->n[0]; i++)
            differences += memcmp(&x[a->ghosts * (1 + p->sj) + i + j * p->sj],
                                  &y[b->ghosts * (1 + q->sj) + i + j * q->sj], sizeof *x) != 0;
    memory_free(x);
    memory_free(y);
    return differences;
}

long count_differences(const struct level *a, enum field of_a, const struct level *b,
                       enum field of_b)
{
    CHECK(a->npatches == b->npatches);
    long differences = 0;
    for (int q = 0; q < a->npatches; q++)
        for (int k = 0; k < a->patches[q].n[2]; k++)
            differences += plane_differences(a, a->fields[of_a], &a->patches[q], b, b->fields[of_b],
                                             &b->patches[q], k);
    return differences;
}
