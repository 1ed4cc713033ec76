#include "cuda/bricks.h"

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
