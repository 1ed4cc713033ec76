/* SPDX-License-Identifier: BSD-3-Clause */
/* What the rows of the table of kernels have in common. */
#include "cuda/core/red_black.cuh"
#include "cuda/pass.cuh"

struct view cuda_view(const struct level *l, int q, enum field f)
{
    const struct patch *p = &l->patches[q];
    return {operands_of(l, p, f), NULL, p->sj, p->sk};
}

struct patch_launch cuda_open_work(const struct pass *pass, int q)
{
    const struct level *l = pass->level;
    struct patch_launch w = {pass, l->stencil, q, cells_of(&l->patches[q]),
                             cuda_view(l, q, pass->f)};
    w.buffer[0] = l->fields[pass->u] + w.c.offset;
    w.buffer[1] = l->stencil->in_place ? w.buffer[0] : l->fields[FIELD_TMP] + w.c.offset;
    w.parity = (w.c.lo[0] + w.c.lo[1] + w.c.lo[2]) & 1;
    return w;
}

void cuda_fill_walls(struct patch_launch &w, int sweep)
{
    cuda_store_ghosts(w.c, w.buffer[sweep & 1],
                      *level_ghost_list(w.pass->level, w.q, ghosts_star(w.s->radius)),
                      *stencil_walls(w.s), w.pass->region);
    w.v.u = w.buffer[sweep & 1];
}

void cuda_fill_ghosts(const struct pass *pass)
{
    for (int q = 0; q < pass->level->npatches; q++) {
        struct patch_launch w = cuda_open_work(pass, q);
        cuda_fill_walls(w, pass->first_sweep);
    }
}

bool alternates_colours(const struct pass *pass)
{
    return pass->nsweeps > 0 && is_red_black(stencil_relaxation(pass->level->stencil, 0)) &&
           !cuda_tail_level(pass->level);
}

bool fuses_red_black(const struct pass *pass)
{
    return pass->nsweeps % 2 == 0 && pass->first_sweep % 2 == 0 && alternates_colours(pass);
}
