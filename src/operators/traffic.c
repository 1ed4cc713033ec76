/* SPDX-License-Identifier: BSD-3-Clause */
#include "operators/traffic.h"

double pass_bytes_once(const struct pass *p)
{
    const struct operator_choice *op = &p->level->stencil->choice;
    const bool works = pass_operations(p) > 0;
    const bool writes_u = p->start != START_KEEP || p->nsweeps > 0;
    const bool reads_u = p->start == START_PROLONG_ADD || p->start == START_CORRECT ||
                         (p->start == START_KEEP && works);
    const int singles = (p->start == START_CORRECT) + (p->finish == FINISH_DEFECT);
    double values = reads_u + writes_u + works;
    if (works && op->variable)
        values += 3 + p->level->stencil->reads_alpha;
    values += p->nsweeps > 0;
    values +=
        pass_prolongs(p) / 8.0 + (p->finish == FINISH_RESTRICT) / 8.0 + (p->finish == FINISH_STORE);
    return values * p->level->backend->real_bytes + singles * (double)sizeof(float);
}

double pass_bytes_one_by_one(const struct pass *p)
{
    struct pass rest = *p;
    double bytes = 0.0;
    while (pass_length(&rest) > 0) {
        const struct pass one = pass_split_front(&rest, 1);
        bytes += pass_bytes_once(&one);
    }
    return bytes;
}
