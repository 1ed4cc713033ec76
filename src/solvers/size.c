/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/size.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>

enum { FIELDS_PER_LEVEL = NUM_FIELDS + 2 }; /* with u and f of a redistribution buffer */
#define MAX_BYTES 0x1p63

/* An upper bound for one level: boxes are not merged, all fields are allocated, and every box is
 * padded by twice the backend's row_align per direction. */
static double level_bytes(const struct hierarchy_choice *choice, struct decomposition_spec spec)
{
    const struct backend *backend = hierarchy_level_backend(choice, spec_cells(&spec));
    double bytes = (double)spec_boxes(&spec) * sizeof(double) * FIELDS_PER_LEVEL;
    for (int d = 0; d < 3; d++)
        bytes *= spec.box_cells[d] + 2 * (SMOOTHER_SWEEPS + 1) + 2 * backend->row_align;
    return bytes;
}

double size_bytes(const struct hierarchy_choice *choice, int ranks)
{
    const struct hierarchy_shape shape = hierarchy_shape(choice, ranks);
    double bytes = 0.0;
    for (int level = 0; level < shape.nlevels; level++)
        bytes += level_bytes(choice, shape.specs[level]);
    return bytes;
}

/* Names the number that is too large; "" if there is none. */
static void find_excess(const struct hierarchy_choice *choice, int ranks, char *text, size_t size)
{
    const long allowed = choice->boxes_per_rank * ranks,
               boxes = domain_count(&choice->domain, allowed);
    text[0] = '\0';
    if (boxes > INT_MAX) {
        snprintf(text, size, "%ld boxes, more than %d", boxes, INT_MAX);
        return;
    }
    int shape[3];
    domain_shape(&choice->domain, allowed, shape);
    const long side = (long)extent_longest(shape) << choice->log2_box_dim;
    if (side > MAX_DIM)
        snprintf(text, size, "%ld cells per side, more than %d", side, MAX_DIM);
    else if (size_bytes(choice, ranks) >= MAX_BYTES)
        snprintf(text, size, "%.2e bytes of fields, more than %.2e", size_bytes(choice, ranks),
                 MAX_BYTES);
}

/* Boxes that are given by direction must have room on the ranks, and every rank gets one. */
static enum status check_given_boxes(const struct hierarchy_choice *choice, int ranks,
                                     char *message, size_t size)
{
    const int *n = choice->domain.boxes;
    const double boxes = extent_cells(n), most = (double)choice->boxes_per_rank * ranks;
    if (boxes > most)
        snprintf(message, size, "--domain %dx%dx%d has %.0f boxes, more than %.0f", n[0], n[1],
                 n[2], boxes, most);
    else if (boxes < ranks)
        snprintf(message, size, "--domain %dx%dx%d has %.0f boxes, fewer than %d ranks", n[0], n[1],
                 n[2], boxes, ranks);
    else
        return STATUS_VALID;
    return STATUS_USAGE;
}

enum status size_check(const struct hierarchy_choice *choice, int ranks, char *message,
                       int message_size)
{
    char excess[96];
    if (choice->domain.boxes[0] > 0) {
        const enum status status = check_given_boxes(choice, ranks, message, (size_t)message_size);
        if (status != STATUS_VALID)
            return status;
    }
    find_excess(choice, ranks, excess, sizeof excess);
    if (!excess[0])
        return STATUS_VALID;
    snprintf(
        message, (size_t)message_size,
        "%ld boxes per rank of 2^%d cells per side on %d ranks are %s; choose fewer boxes or a "
        "smaller LOG2_BOX_DIM",
        choice->boxes_per_rank, choice->log2_box_dim, ranks, excess);
    return STATUS_USAGE;
}

bool size_coarsest_is_large(const struct hierarchy_choice *choice, const int n[3])
{
    return choice->max_levels == 0 && extent_cells(n) > MANY_COARSEST_CELLS;
}
