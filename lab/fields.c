/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/fields.h"
#include <math.h>
#include <string.h>
#include "base/check.h"
#include "base/memory.h"
#include "cuda/cuda.h"
#include "lab/lab.h"
#include "level/build.h"
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
    return choice->log2_box_dim >= 2 && domain_cube_side(choice->boxes_per_rank) == boxes_per_side;
}

bool level_exists(int n)
{
    struct hierarchy_choice choice;
    return cut_into_boxes(n, &choice);
}

enum status level_choice(const struct lab_options *o, const struct backend *backend,
                         struct hierarchy_choice *choice)
{
    *choice = (struct hierarchy_choice){
        .op = {.order = o->order,
               .equation = (enum equation)o->equation,
               .variable = o->coefficients == COEFFICIENTS_VARIABLE,
               .sides = boundary_sides(o->boundary),
               .smoother = (enum smoother)o->smoother},
        .bottom = BOTTOM_METHOD_BICGSTAB,
        .backend = backend,
    };
    CHECK(cut_into_boxes(o->n, choice));
    const struct hierarchy_shape shape = hierarchy_shape(choice, 1);
    const double on_host = (double)hierarchy_bytes(choice, &shape, 1, false);
    const double on_device = (double)hierarchy_bytes(choice, &shape, 1, true);
    const enum status status = bytes_fit(on_host, (double)memory_available_bytes(), "host");
    if (status != STATUS_VALID || !backend->on_device)
        return status;
    return bytes_fit(on_device, (double)cuda_device()->free_bytes, "GPU");
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
    const uint64_t sj = (uint64_t)l->n[0], sk = sj * (uint64_t)l->n[1];
    return random_value((uint64_t)i + sj * (uint64_t)j + sk * (uint64_t)k, seed);
}

/* The whole field in host memory; memory_free() it. */
static double *copy_of(const struct level *l, enum field field)
{
    double *values = memory_alloc((size_t)l->field_length * sizeof *values, "a copy of a field");
    l->backend->memory->download(l->fields[field], values, l->field_length);
    return values;
}

static bool is_inside(const struct patch *p, int i, int j, int k)
{
    return i >= 0 && i < p->n[0] && j >= 0 && j < p->n[1] && k >= 0 && k < p->n[2];
}

/* NaN everywhere, ghosts included; if `random`, only in the ghosts. */
static void fill(struct level *l, enum field field, bool random, int seed)
{
    double *values = copy_of(l, field);
    const int g = l->ghosts;
    for (const struct patch *p = l->patches; p < l->patches + l->npatches; p++)
#pragma omp parallel for schedule(static)
        for (int k = -g; k < p->n[2] + g; k++)
            for (int j = -g; j < p->n[1] + g; j++)
                for (int i = -g; i < p->n[0] + g; i++)
                    values[p->offset + i + j * p->sj + k * p->sk] =
                        random && is_inside(p, i, j, k)
                            ? cell_value(l, p->box.lo[0] + i, p->box.lo[1] + j, p->box.lo[2] + k,
                                         seed)
                            : NAN;
    l->backend->memory->upload(l->fields[field], values, l->field_length);
    memory_free(values);
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

/* The value that the patch's ghost or cell (i,j,k) must have; NaN where no halo exchange fills it.
 */
static double expected_value(const struct level *l, const struct patch *p, int i, int j, int k,
                             int seed)
{
    const int at[3] = {p->box.lo[0] + i, p->box.lo[1] + j, p->box.lo[2] + k};
    int cell[3];
    for (int d = 0; d < 3; d++) {
        cell[d] = (at[d] + l->n[d]) % l->n[d];
        if ((!sides_wrap(&l->sides, d) || p->wrap[d]) && cell[d] != at[d])
            return NAN;
    }
    return cell_value(l, cell[0], cell[1], cell[2], seed);
}

static bool same_or_both_nan(double a, double b)
{
    return isnan(b) ? isnan(a) != 0 : memcmp(&a, &b, sizeof a) == 0;
}

long count_wrong_ghosts(const struct level *l, enum field field, int seed)
{
    CHECK(l->ghosts <= extent_shortest(l->n));
    double *values = copy_of(l, field);
    const int g = l->ghosts;
    long wrong = 0;
    for (const struct patch *p = l->patches; p < l->patches + l->npatches; p++)
#pragma omp parallel for schedule(static) reduction(+ : wrong)
        for (int k = -g; k < p->n[2] + g; k++)
            for (int j = -g; j < p->n[1] + g; j++)
                for (int i = -g; i < p->n[0] + g; i++)
                    wrong += !is_inside(p, i, j, k) &&
                             !same_or_both_nan(values[p->offset + i + j * p->sj + k * p->sk],
                                               expected_value(l, p, i, j, k, seed));
    memory_free(values);
    return wrong;
}

long count_differences(const struct level *a, enum field of_a, const struct level *b,
                       enum field of_b)
{
    CHECK(a->npatches == b->npatches);
    double *x = copy_of(a, of_a), *y = copy_of(b, of_b);
    long differences = 0;
    for (int box = 0; box < a->npatches; box++) {
        const struct patch *p = &a->patches[box], *q = &b->patches[box];
#pragma omp parallel for schedule(static) reduction(+ : differences)
        for (int k = 0; k < p->n[2]; k++)
            for (int j = 0; j < p->n[1]; j++)
                for (int i = 0; i < p->n[0]; i++)
                    differences +=
                        memcmp(&x[p->offset + i + j * p->sj + k * p->sk],
                               &y[q->offset + i + j * q->sj + k * q->sk], sizeof *x) != 0;
    }
    memory_free(x);
    memory_free(y);
    return differences;
}
