/* SPDX-License-Identifier: BSD-3-Clause */
#include "operators/traffic.h"

double pass_bytes_once(const struct pass *p)
{
    const struct operator_choice *op = &p->level->stencil->choice;
    const bool works = pass_operations(p) > 0;
    const bool writes_u = p->start != START_KEEP || p->nsweeps > 0;
    const bool reads_u = p->start == START_PROLONG_ADD || (p->start == START_KEEP && works);
    double values = reads_u + writes_u + works;
    if (works && op->variable)
        values += 3 + op->helmholtz;
    values += p->nsweeps > 0;
    values +=
        pass_prolongs(p) / 8.0 + (p->finish == FINISH_RESTRICT) / 8.0 + (p->finish == FINISH_STORE);
    return values * sizeof(double);
}

static double bytes_of(const struct pass *whole, enum pass_start start, int nsweeps,
                       enum pass_finish finish)
{
    struct pass part = *whole;
    part.start = start;
    part.nsweeps = nsweeps;
    part.finish = finish;
    return pass_bytes_once(&part);
}

double pass_bytes_one_by_one(const struct pass *p)
{
    double bytes = p->nsweeps * bytes_of(p, START_KEEP, 1, FINISH_NONE);
    if (p->start != START_KEEP)
        bytes += bytes_of(p, p->start, 0, FINISH_NONE);
    if (p->finish != FINISH_NONE)
        bytes += bytes_of(p, START_KEEP, 0, p->finish);
    return bytes;
}
