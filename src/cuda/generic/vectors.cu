/* SPDX-License-Identifier: BSD-3-Clause */
/* Work-vector operations. */
#include "cuda/backend.cuh"
#include "cuda/device.cuh"

struct cells cells_of(const struct patch *p)
{
    struct cells c;
    for (int d = 0; d < 3; d++) {
        c.n[d] = p->n[d];
        c.lo[d] = p->box.lo[d];
        c.wall[d][0] = p->wall[d][0];
        c.wall[d][1] = p->wall[d][1];
        c.wrap[d] = p->wrap[d];
    }
    c.offset = p->offset;
    c.sj = p->sj;
    c.sk = p->sk;
    return c;
}

bool cuda_even_patches(const struct level *level)
{
    bool even = true;
    for (int q = 0; q < level->npatches; q++)
        for (int d = 0; d < 3; d++)
            even = even && level->patches[q].n[d] % 2 == 0;
    return even;
}

/* Calls f(element of a field) for every cell of every patch. */
template <class F>
static void for_level(const struct level *l, F f)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct cells c = cells_of(&l->patches[q]);
        for_cells(c.n[0], c.n[1], c.n[2],
                  [=] __device__(int i, int j, int k) { f(c.offset + i + j * c.sj + k * c.sk); });
    }
}

void cuda_combine(struct level *level, enum field z, double a, enum field x, double b, enum field y)
{
    double *to = level->fields[z];
    const double *from = level->fields[x], *other = level->fields[y];
    for_level(level, [=] __device__(long c) { to[c] = fma(a, from[c], b * other[c]); });
}

void cuda_multiply(struct level *level, enum field z, enum field x, enum field y)
{
    double *to = level->fields[z];
    const double *from = level->fields[x], *other = level->fields[y];
    for_level(level, [=] __device__(long c) { to[c] = from[c] * other[c]; });
}

void cuda_add_constant(struct level *level, enum field x, double c)
{
    double *to = level->fields[x];
    for_level(level, [=] __device__(long cell) { to[cell] += c; });
}
