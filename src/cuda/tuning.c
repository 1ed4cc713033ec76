/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda/tuning.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "comm/comm.h"
#include "cuda/cuda.h"

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
    }
    tuned_count = count;
}

const struct cuda_tuning *cuda_tuning_for(int order, enum cuda_tuned_stage stage, bool helmholtz,
                                          double cells)
{
    const struct cuda_tuning *best = NULL;
    double least = log(3.0);
    for (int i = 0; i < tuned_count; i++) {
        const struct cuda_tuning *t = &tuned[i];
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
    const struct cuda_tuning *best =
        cuda_tuning_for(order, stage, helmholtz, (double)n[0] * n[1] * n[2]);
    if (best)
        return *best;
    cuda_tuned_rows(order, stage, rows);
    return (struct cuda_tuning){order, stage, helmholtz, .rows = rows[0]};
}

bool cuda_tuning_read(struct cuda_tuning *t, const char *text)
{
    char stage[32], equation[16], rest;
    int s = 0;
    *t = (struct cuda_tuning){.order = 0};
    if (sscanf(text, "%9d %31s %15s %9d %9d %9d %c", &t->order, stage, equation, &t->n, &t->rows,
               &t->planes, &rest) != 6)
        return false;
    while (s < NUM_TUNED_STAGES && strcmp(cuda_tuned_stage_names[s], stage) != 0)
        s++;
    t->stage = (enum cuda_tuned_stage)s;
    t->helmholtz = strcmp(equation, "helmholtz") == 0;
    return (t->helmholtz || strcmp(equation, "poisson") == 0) && cuda_tuning_is_legal(t);
}

void cuda_tuning_write(const struct cuda_tuning *t, char text[TUNING_TEXT_SIZE])
{
    snprintf(text, TUNING_TEXT_SIZE, "%d %s %s %d %d %d", t->order,
             cuda_tuned_stage_names[t->stage], t->helmholtz ? "helmholtz" : "poisson", t->n,
             t->rows, t->planes);
}

/* The rows of that device, after the first `count` of `chosen`. Returns how many there are then. */
static int add_rows(const char *device, struct cuda_tuning chosen[MAX_TUNINGS], int count)
{
#define ROW(device, text) {device, text},
    static const struct {
        const char *device, *text;
    } rows[] = {
#include "cuda/tuning.def"
    };
#undef ROW
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].device, device) == 0)
            CHECK(count < MAX_TUNINGS && cuda_tuning_read(&chosen[count++], rows[i].text));
    return count;
}

enum { VARIABLE_SIZE = 128 };
static char source[64 + 2 * VARIABLE_SIZE]; /* "": no GPU */

const char *cuda_tuning_source(void)
{
    return source[0] ? source : NULL;
}

enum status cuda_tuning_choose(bool on_gpu, char *message, int size)
{
    struct cuda_tuning chosen[MAX_TUNINGS];
    char variable[VARIABLE_SIZE] = "";
    const char *own = getenv("HPGMG_TUNING");
    snprintf(variable, sizeof variable, "%s", own ? own : "");
    comm_broadcast(comm_world(), variable, sizeof variable);
    const bool none = strcmp(variable, "none") == 0, tries = variable[0] && !none;
    source[0] = '\0';
    if (tries && !cuda_tuning_read(&chosen[0], variable)) {
        snprintf(message, (size_t)size,
                 "HPGMG_TUNING: '%s' is neither none nor ORDER STAGE EQUATION N ROWS PLANES of a "
                 "kernel",
                 variable);
        return STATUS_USAGE;
    }
    if (!on_gpu)
        return STATUS_VALID;
    const char *device = cuda_device()->name;
    const int count = none ? 0 : add_rows(device, chosen, tries);
    cuda_tune(chosen, count);
    snprintf(source, sizeof source, "%s %s%s%s", count > tries ? "rows of" : "no rows for", device,
             variable[0] ? "; not the shipped program: HPGMG_TUNING=" : "", variable);
    return STATUS_VALID;
}
