/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/score.h"
#include <math.h>
#include <string.h>
#include "app/rules.h"
#include "base/check.h"

static void add_option(void *data, const char *name, const char *value)
{
    if (!rules_allow(name, value))
        fprintf(data, "; --%s %s", name, value);
}

/* Each rank counts as a GPU. Where ranks share a GPU, the rule is stricter than necessary. Numbers
 * are rounded down, so that they look smaller than the bounds that they miss. Of the times, the
 * first size with too few or too short solves is told, and all sizes that are noisy. */
void score_judge(struct record *r, const struct options *options)
{
    char text[DEVIATIONS_SIZE] = "";
    const bool on_gpu = record_on_gpu(r);
    const double share =
        floor(r->unknowns / (on_gpu ? r->environment.ranks : r->environment.nodes));
    bool told = false;
    FILE *out = fmemopen(text, DEVIATIONS_SIZE - 1, "w");
    CHECK(out);
    options_visit(options, add_option, out);
    if (share < exp2(MIN_LOG2_UNKNOWNS))
        fprintf(out, "; %.0f unknowns per %s < 2^%d", share, on_gpu ? "GPU" : "node",
                MIN_LOG2_UNKNOWNS);
    if (r->nsizes < SOLVED_LEVELS)
        fprintf(out, "; %d of %d sizes", r->nsizes, SOLVED_LEVELS);
    for (int s = 0; s < r->nsizes; s++) {
        const struct size_record *size = &r->sizes[s];
        if (!told && size->solves < MIN_SOLVES)
            fprintf(out, "; %ld of %d solves at %s", size->solves, MIN_SOLVES, size->name);
        else if (!told && size->total < MIN_SECONDS)
            fprintf(out, "; %ld solves in %.1f s < %d s at %s", size->solves,
                    floor(10.0 * size->total) / 10.0, MIN_SECONDS, size->name);
        told = told || size->solves < MIN_SOLVES || size->total < MIN_SECONDS;
        if (size_is_noisy(size))
            fprintf(out, "; noisy at %s", size->name);
    }
    if (!r->verdict.accuracy_checked)
        fprintf(out, "; accuracy not checked");
    fclose(out);
    snprintf(r->score.deviations, DEVIATIONS_SIZE, "%s", text[0] ? text + strlen("; ") : "");
    r->score.official = r->verdict.valid && !text[0];
    r->score.division = options->solver.precision == PRECISION_MIXED ? "mixed" : "double";
}

void score_print(FILE *out, const struct record *r)
{
    char text[NOISE_TEXT_SIZE];
    const double joules = r->sizes[0].meters.joules;
    if (!r->verdict.valid) {
        fprintf(out, "SCORE: none (INVALID)\n");
        return;
    }
    fprintf(out, "SCORE:");
    for (int s = 0; s < r->nsizes; s++) {
        const struct size_record *size = &r->sizes[s];
        fprintf(out, "%s %.3e%s at %s (%s%s)", s > 0 ? "," : "", size->dof_per_second,
                s > 0 ? "" : " DOF/s", size->name, size_is_noisy(size) ? "noisy: " : "",
                size_noise_text(size, text));
    }
    if (joules > 0.0)
        fprintf(out, "; %.4g J per solve, %.3e DOF/J at h", joules, r->sizes[0].unknowns / joules);
    if (r->score.official)
        fprintf(out, " (official%s)\n",
                strcmp(r->score.division, "mixed") == 0 ? ", mixed precision" : "");
    else
        fprintf(out, " (custom: %s)\n", r->score.deviations);
}
