/* SPDX-License-Identifier: BSD-3-Clause */
#include "backend/context.h"

static struct context own, *current = &own;

struct context *context_current(void)
{
    return current;
}

struct context *context_select(struct context *context)
{
    struct context *before = current;
    current = context ? context : &own;
    return before;
}
