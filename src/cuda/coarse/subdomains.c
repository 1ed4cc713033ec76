/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda/coarse/subdomains.h"

struct bricks bricks_cut(int n, int most)
{
    struct bricks best = {0, 0, 0};
    if (n <= TAIL_SOLO_DIM)
        return (struct bricks){n, n, 1};
    for (int side = LEAST_SIDE; side <= BRICK_SIDE && side < n; side += 2)
        for (int depth = LEAST_SIDE; depth <= BRICK_DEPTH && depth < n; depth += 2) {
            const int count = n / side * (n / side) * (n / depth);
            if (n % side == 0 && n % depth == 0 && count <= most && count > best.count)
                best = (struct bricks){side, depth, count};
        }
    return best;
}

/* At most three sides are walls, which have a row more next to the open ones, as their edges have a
 * cell more; other bricks' cells are read two layers on the sides and one on the edges. */
struct brick_ghosts bricks_ghosts(const struct bricks *b)
{
    const int s = b->side, d = b->depth, layer = s * s + 2 * s * d, around = 2 * s + d;
    return (struct brick_ghosts){layer + 2 * around, around + 3, 4 * layer + 4 * around};
}
