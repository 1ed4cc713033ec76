/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Matrix entries by probing: the operator's own gather is applied to unit vectors. Around a cell, a
 * unit vector is a 5×5×5 array of values. Beyond a wall it has the ghosts' values, beyond a
 * periodic boundary the image's. Every ghost rule is a tensor product, so the array is one too:
 * three lists of weights, one per direction. */
#include <stdbool.h>
#include "operators/boundary.h"
#include "operators/formula.h"
#include "operators/stencil.h"

enum {
    PROBE_REACH = 2,
    PROBE_SJ = 5,
    PROBE_SK = 25,
    PROBE_LENGTH = 125,
    PROBE_CENTRE = 2 * (1 + PROBE_SJ + PROBE_SK),
    PROBE_FAR = 3, /* a ghost next to a cell may depend on a cell this far away */
};

/* The neighbourhood of one cell. */
struct probe {
    int cell[3]; /* global index */
    int n[3];    /* cells of the level by direction */
    const struct stencil *s;
    int colours;   /* 2 where HPGMG takes all cells of a colour for one unknown, see probe_create;
                      else 0 */
    bool interior; /* no wall and no second image within the stencil's radius */
    int low[3], high[3]; /* offsets of the cells that its stencil may depend on */
};

FORMULA struct probe probe_create(const struct stencil *s, const int n[3], const int cell[3])
{
    struct probe p;
    p.s = s;
    /* HPGMG finds the order-2 diagonal with two colours per direction. Around an odd number of
     * periodic cells two neighbours get the same colour, and its diagonal includes their coupling.
     * Only for BiCGStab's preconditioner this project does the same, or the digits would not agree.
     */
    p.colours = s->hpgmg_diagonal ? 2 : 0;
    p.interior = true;
    for (int d = 0; d < 3; d++) {
        const bool periodic = stencil_walls(s)->side[d][0].cells == 0;
        const int reach = periodic ? PROBE_REACH : PROBE_FAR;
        const int below = periodic ? (n[d] - 1) / 2 : cell[d],
                  above = periodic ? n[d] / 2 : n[d] - 1 - cell[d];
        p.n[d] = n[d];
        p.cell[d] = cell[d];
        p.low[d] = -(below < reach ? below : reach);
        p.high[d] = above < reach ? above : reach;
        p.interior = p.interior && below >= s->radius && above >= s->radius &&
                     (!periodic || n[d] > 2 * PROBE_REACH);
    }
    p.interior = p.interior && !p.colours; /* two equal colours meet at some cells only */
    return p;
}

/* The weight of the index-th cell inward from the wall in the ghost of `layer` (0 or 1). */
FORMULA real probe_wall_weight(const struct side_weights *side, int layer, int index)
{
    real unit[MAX_WALL_CELLS];
    for (int m = 0; m < MAX_WALL_CELLS; m++)
        unit[m] = m == index;
    return side_ghost(side, side->cells, layer, unit);
}

/* The value at offset `o` from the cell in direction d of the function that is 1 at offset `e`. */
FORMULA real probe_weight(const struct probe *p, int d, int o, int e)
{
    const int at = p->cell[d] + o, source = p->cell[d] + e, n = p->n[d];
    if (stencil_walls(p->s)->side[d][0].cells == 0) {
        const int image = (at + 4 * n) % n, unit = (source + 4 * n) % n;
        return p->colours ? image % p->colours == unit % p->colours : image == unit;
    }
    if (at >= 0 && at < n)
        return at == source;
    const bool high = at >= n;
    return probe_wall_weight(&stencil_walls(p->s)->side[d][high], high ? at - n : -at - 1,
                             high ? n - 1 - source : source);
}

/* The unit vector of the cell at offset e, as the array of values around the probe's cell. */
FORMULA void probe_unit(const struct probe *p, const int e[3], real u[PROBE_LENGTH])
{
    real w[3][2 * PROBE_REACH + 1];
    for (int d = 0; d < 3; d++)
        for (int o = -PROBE_REACH; o <= PROBE_REACH; o++)
            w[d][o + PROBE_REACH] = probe_weight(p, d, o, e[d]);
    for (int k = 0; k < 5; k++)
        for (int j = 0; j < 5; j++)
            for (int i = 0; i < 5; i++)
                u[i + PROBE_SJ * j + PROBE_SK * k] = w[0][i] * w[1][j] * w[2][k];
}

/* Whether the stencil reads offset e, as far as its shape says: the axes up to the radius and
 * perhaps the edges at distance 1. */
FORMULA bool probe_reads(const struct probe *p, const int e[3])
{
    const int a = abs(e[0]), b = abs(e[1]), c = abs(e[2]);
    const int nonzero = (a > 0) + (b > 0) + (c > 0), sum = a + b + c;
    return nonzero <= 1 ? sum <= p->s->radius : p->s->reads_edges && nonzero == 2 && sum == 2;
}

/* False only if no point of the stencil reads offset e. */
FORMULA bool probe_matters(const struct probe *p, const int e[3])
{
    return !p->interior || probe_reads(p, e);
}
