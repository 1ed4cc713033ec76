/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda/coarse/subdomains.h"
#include <stdbool.h>
#include "level/extent.h"

/* Divides a level into subdomains of i×j×k cells. False if they do not tile it. */
static bool cut_into(const int n[3], int i, int j, int k, struct subdomains *s)
{
    *s = (struct subdomains){{i, j, k}, {n[0] / i, n[1] / j, n[2] / k}, 0};
    s->count = s->along[0] * s->along[1] * s->along[2];
    return n[0] % i == 0 && n[1] % j == 0 && n[2] % k == 0;
}

static int surface_of(const struct subdomains *s)
{
    const int *n = s->cells;
    return n[0] * n[1] + n[1] * n[2] + n[2] * n[0];
}

static bool cuts_better(const struct subdomains *a, const struct subdomains *b)
{
    return a->count != b->count ? a->count > b->count : surface_of(a) < surface_of(b);
}

static bool may_have(const struct subdomains *s, const struct subdomain_limits *limits)
{
    const struct subdomain_ghosts g = subdomains_ghosts(s);
    return s->count > 1 && s->count <= limits->count && g.sides + g.edges <= MAX_WALLS;
}

struct subdomains subdomains_of(const int n[3], const struct subdomain_limits *limits)
{
    struct subdomains best = {{0, 0, 0}, {0, 0, 0}, 0}, s;
    if (extent_longest(n) <= limits->single_block_dim)
        return (struct subdomains){{n[0], n[1], n[2]}, {1, 1, 1}, 1};
    for (int k = MIN_SIDE; k <= SUBDOMAIN_DEPTH; k += 2)
        for (int j = MIN_SIDE; j <= limits->side; j += 2)
            for (int i = MIN_SIDE; i <= limits->side; i += 2)
                if ((i == j || n[0] != n[1]) && cut_into(n, i, j, k, &s) && may_have(&s, limits) &&
                    cuts_better(&s, &best))
                    best = s;
    return best;
}

/* Sides that are walls, at most: both where a subdomain is alone in its direction, else one. */
static int max_walls(const struct subdomains *s, int d)
{
    return s->along[d] == 1 ? 2 : 1;
}

/* A wall's list has one more row next to each open side. The halo, which is largest around a
 * subdomain without walls, is two layers deep on sides and one on edges. */
struct subdomain_ghosts subdomains_ghosts(const struct subdomains *s)
{
    struct subdomain_ghosts g = {0, 0, 0};
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3, ne = s->cells[e], nf = s->cells[f],
                  walls = max_walls(s, d), in_e = max_walls(s, e), in_f = max_walls(s, f);
        g.sides += walls * (ne * nf + (2 - in_e) * nf + (2 - in_f) * ne);
        g.edges += in_e * in_f * s->cells[d];
        g.halo += 4 * ne * nf + 4 * s->cells[d];
    }
    return g;
}
