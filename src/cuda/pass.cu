/* SPDX-License-Identifier: BSD-3-Clause */
/* What the rows of the table of kernels have in common. */
#include "cuda/core/red_black.cuh"
#include "cuda/pass.cuh"

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

void cuda_fill_ghosts(const struct pass *pass)
{
    for (int q = 0; q < pass->level->npatches; q++) {
        struct work w = cuda_open_work(pass, q);
        cuda_fill_walls(w, pass->first_sweep);
    }
}

bool fuses_red_black(const struct pass *pass, int order)
{
    const struct stencil *s = pass->level->stencil;
    return pass->nsweeps > 0 && pass->nsweeps % 2 == 0 && pass->first_sweep % 2 == 0 &&
           is_red_black(stencil_relaxation(s, 0)) && s->choice.order == order &&
           !cuda_tail_level(pass->level);
}
