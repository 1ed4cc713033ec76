/* SPDX-License-Identifier: BSD-3-Clause */
#include "operators/pass.h"
#include "base/check.h"

struct pass pass_split_front(struct pass *rest, int count)
{
    struct pass first = *rest;
    const int sweeps = count - (rest->start != START_KEEP);
    CHECK(0 < count && count <= pass_length(rest));
    first.nsweeps = sweeps < rest->nsweeps ? sweeps : rest->nsweeps;
    if (sweeps <= rest->nsweeps)
        first.finish = FINISH_NONE;
    else
        rest->finish = FINISH_NONE;
    rest->start = START_KEEP;
    rest->first_sweep += first.nsweeps;
    rest->nsweeps -= first.nsweeps;
    return first;
}
