/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds corrections from a correction level in single precision to a level's u, and stores its
 * residuals as the correction level's f. */
#include "cuda/pass.cuh"

static struct correction_cells cells_in(const struct level *l, enum field field, int q,
                                        int exponent)
{
    const struct patch *p = &l->patches[q];
    return {(float *)l->fields[field] + p->offset, p->sj, p->sk, ldexp(1.0, exponent)};
}

struct correction_cells cuda_defect(const struct level *l, int q)
{
    return cells_in(l->correction, FIELD_F, q, -l->correction->rhs_exponent);
}

struct correction_cells cuda_correction(const struct level *l, int q)
{
    return cells_in(l->correction, FIELD_U, q, l->correction->u_exponent);
}

void baseline_correct(const struct patch_launch &w, int q)
{
    const struct correction_cells e = cuda_correction(w.pass->level, q);
    double *u = w.buffer[0];
    const long sj = w.c.sj, sk = w.c.sk;
    for_cells(w.c.n[0], w.c.n[1], w.c.n[2], [=] __device__(int i, int j, int k) {
        double *here = &u[i + j * sj + k * sk];
        *here = fma(e.factor, (double)e.x[i + j * e.sj + k * e.sk], *here);
    });
}

template <class Op>
static void defect(const struct patch_launch &w, int q)
{
    const struct correction_cells r = cuda_defect(w.pass->level, q);
    const struct view v = w.v;
    for_cells(w.c.n[0], w.c.n[1], w.c.n[2], [=] __device__(int i, int j, int k) {
        r.x[i + j * r.sj + k * r.sk] = (float)(r.factor * Op::residual(v, i + j * v.sj + k * v.sk));
    });
}

void baseline_defect(const struct patch_launch &w, int q)
{
    with_operator(w.s->choice, [&](auto op) { defect<decltype(op)>(w, q); });
}
