/* Which choice holds for a launch. */
#include "cuda/tuning.cuh"
#include <cmath>

#define LEAST_RATIO (1.0 / 3.0) /* of a patch's cells to the choice's */

struct cuda_tuning cuda_tuned(int order, enum cuda_tuned_stage stage, bool helmholtz,
                              const struct cells &c)
{
    int count, rows[MAX_TUNED_ROWS];
    struct cuda_tuning *tunings = cuda_tunings(&count), *best = NULL;
    const double cells = (double)c.n[0] * c.n[1] * c.n[2];
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        struct cuda_tuning *t = &tunings[i];
        const double ratio = cells / pow(t->n, 3), away = fabs(log(ratio));
        if (cuda_tuning_is_for(t, order, stage, helmholtz) && ratio >= LEAST_RATIO &&
            away < least) {
            least = away;
            best = t;
        }
    }
    if (best) {
        best->launches++;
        return *best;
    }
    cuda_tuned_rows(order, stage, rows);
    return {order, stage, helmholtz, 0, rows[0], 0, 0};
}
