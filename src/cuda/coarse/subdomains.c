/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda/coarse/subdomains.h"

struct subdomains subdomains_of(int n, const struct subdomain_limits *limits)
{
    struct subdomains best = {0, 0, 0};
    if (n <= limits->single_block_dim)
        return (struct subdomains){n, n, 1};
    for (int side = LEAST_SIDE; side <= limits->side && side < n; side += 2)
        for (int depth = LEAST_SIDE; depth <= SUBDOMAIN_DEPTH && depth < n; depth += 2) {
            const int count = n / side * (n / side) * (n / depth);
            if (n % side == 0 && n % depth == 0 && count <= limits->count && count > best.count)
                best = (struct subdomains){side, depth, count};
        }
    return best;
}

/* At most three sides are walls. A wall's list has one more row next to each open side, an edge's
 * one more cell. The halo is two layers deep on sides and one on edges. */
struct subdomain_ghosts subdomains_ghosts(const struct subdomains *s)
{
    const int n = s->side, d = s->depth, layer = n * n + 2 * n * d, around = 2 * n + d;
    return (struct subdomain_ghosts){layer + 2 * around, around + 3, 4 * layer + 4 * around};
}
