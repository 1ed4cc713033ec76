/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/strict.h"
#include <math.h>
#include <stdio.h>
#include "app/benchmark.h"
#include "app/transport.h"

static void check_noise(struct verdict *v, const struct size_record *r)
{
    struct check *c = check_add(v, "noise", r->name);
    const double noise = size_noise(r);
    if (r->solves == 0)
        check_set(c, CHECK_NOT_MADE, "not timed");
    else if (isnan(noise))
        check_set(c, CHECK_FAILED, "%s: noise is not known of fewer than two solves", r->name);
    else
        check_compare(c, noise, 0.0, NOISE, "--strict");
}

static void check_options(struct verdict *v, const struct benchmark *b)
{
    struct check *c = check_add(v, "options", "run");
    if (b->idle[0])
        check_set(c, CHECK_FAILED, "without effect: %s", b->idle);
    else
        check_set(c, CHECK_PASSED, "every option had an effect");
}

/* The worst one stands for all. */
static void check_ranks(struct verdict *v, const struct benchmark *b)
{
    struct check *c = check_add(v, "ranks", "run");
    struct rank_outlier worst;
    char text[OUTLIER_TEXT_SIZE];
    const int count = ranks_outliers(&b->ranks, &worst, 1);
    if (count == 0)
        check_set(c, CHECK_PASSED, "no rate is %g %% off those of most ranks",
                  100.0 * RANK_TOLERANCE);
    else
        check_set(c, CHECK_FAILED, "%s%s", ranks_outlier_text(&worst, text),
                  count > 1 ? "; more in the report" : "");
}

/* The transports of this run, or MPI between CPUs, within and between nodes. */
static void check_messages(struct verdict *v, const struct benchmark *b)
{
    struct check *c = check_add(v, "messages", "run");
    const struct transport_chosen *t = transport_chosen();
    const int within = ranks_tried(&b->ranks, true), between = ranks_tried(&b->ranks, false);
    if (t->elsewhere && (within == 0 || between == 0))
        check_set(c, CHECK_FAILED, "transport %s: no message was tried",
                  within == 0 ? t->name : t->elsewhere);
    else if (within + between == 0 && b->ranks.count > 1)
        check_set(c, CHECK_FAILED, "no rank has a neighbour to try messages with");
    else
        check_set(c, CHECK_PASSED, "%d messages arrived as they were sent", within + between);
}

void strict_checks(struct verdict *v, const struct benchmark *b)
{
    for (int s = 0; s < b->nsizes; s++)
        check_noise(v, &b->sizes[s]);
    check_options(v, b);
    check_ranks(v, b);
    check_messages(v, b);
}
