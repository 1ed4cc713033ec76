/* SPDX-License-Identifier: BSD-3-Clause */
/* Every row of the sizes `4 1` and `4 8`, and the F-cycles of `5 8` and `4 27`. */
#include "reference/compare.h"

static bool wanted(const struct reference_row *r)
{
    return size_of(r) < 2 || strcmp(r->cycle, "F") == 0;
}

/* That the file is read whole: as many rows as it has. */
static bool complete(const struct comparison *c)
{
    return c->compared[0] == 919 && c->compared[1] == 1051 && c->compared[2] == 120 &&
           c->compared[3] + c->left_out[3] == 120;
}

int main(int argc, char **argv)
{
    comm_start(&argc, &argv);
    const struct comparison c = compare_all(wanted);
    const bool good = c.failed == 0 && complete(&c) && memory_live_blocks() == 0;
    comm_finish();
    return good ? 0 : 1;
}
