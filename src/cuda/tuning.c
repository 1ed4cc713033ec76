/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda/tuning.h"
#include <math.h>
#include <stddef.h>
#include "base/check.h"

const char *const cuda_tuned_stage_names[NUM_TUNED_STAGES] = {
    "smooth", "zero+smooth", "residual+restrict", "residual+norm", "sweep"};

static struct cuda_tuning tuned[MAX_TUNINGS];
static int tuned_count;

int cuda_tuned_rows(int order, enum cuda_tuned_stage stage, int rows[MAX_TUNED_ROWS])
{
    const bool smooths = stage == TUNED_SMOOTH || stage == TUNED_ZERO_SMOOTH;
    if (order == 4) {
        rows[0] = stage == TUNED_SMOOTH ? TUNED_FV4_GSRB_ROWS : TUNED_FV4_SWEEP_ROWS;
        return stage != TUNED_ZERO_SMOOTH;
    }
    if (stage == TUNED_SWEEP)
        return 0;
    rows[0] = smooths ? TUNED_FV2_GSRB_ROWS : TUNED_FV2_RESIDUAL_ROWS;
    rows[1] = smooths ? TUNED_FV2_GSRB_FEW_ROWS : TUNED_FV2_RESIDUAL_FEW_ROWS;
    return 2;
}

bool cuda_tuning_is_for(const struct cuda_tuning *t, int order, enum cuda_tuned_stage stage,
                        bool helmholtz)
{
    return t->order == order && t->stage == stage && t->helmholtz == helmholtz;
}

bool cuda_tuning_is_legal(const struct cuda_tuning *t)
{
    int rows[MAX_TUNED_ROWS];
    bool known = false;
    if ((t->order != 2 && t->order != 4) || (unsigned)t->stage >= NUM_TUNED_STAGES)
        return false;
    for (int r = cuda_tuned_rows(t->order, t->stage, rows); r > 0; r--)
        known = known || t->rows == rows[r - 1];
    return known && t->n >= 4 && t->n <= 1024 && t->planes >= 0 && t->planes <= TUNED_MOST_PLANES &&
           t->planes % 2 == 0;
}

void cuda_tune(const struct cuda_tuning *tunings, int count)
{
    CHECK(count >= 0 && count <= MAX_TUNINGS);
    for (int i = 0; i < count; i++) {
        CHECK(cuda_tuning_is_legal(&tunings[i]));
        tuned[i] = tunings[i];
        tuned[i].launches = 0;
    }
    tuned_count = count;
}

struct cuda_tuning *cuda_tunings(int *count)
{
    *count = tuned_count;
    return tuned;
}

struct cuda_tuning *cuda_tuning_for(int order, enum cuda_tuned_stage stage, bool helmholtz,
                                    double cells)
{
    struct cuda_tuning *best = NULL;
    double least = log(3.0);
    for (int i = 0; i < tuned_count; i++) {
        struct cuda_tuning *t = &tuned[i];
        const double away = fabs(log(cells / pow(t->n, 3)));
        if (cuda_tuning_is_for(t, order, stage, helmholtz) && away < least) {
            least = away;
            best = t;
        }
    }
    return best;
}

struct cuda_tuning cuda_tuned(int order, enum cuda_tuned_stage stage, bool helmholtz,
                              const int n[3])
{
    int rows[MAX_TUNED_ROWS] = {0};
    struct cuda_tuning *best = cuda_tuning_for(order, stage, helmholtz, (double)n[0] * n[1] * n[2]);
    if (best) {
        best->launches++;
        return *best;
    }
    cuda_tuned_rows(order, stage, rows);
    return (struct cuda_tuning){order, stage, helmholtz, .rows = rows[0]};
}
