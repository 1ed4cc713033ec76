/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Finds the boxes of a list that meet a region. The index is a tree of bounding boxes: a leaf
 * bounds FAN_OUT consecutive boxes of the list, a node above it FAN_OUT consecutive nodes. Any list
 * gives the right answer. The search is fast where consecutive boxes lie near each other, as on the
 * Morton curve. */
#include "base/linkage.h"
#include "level/box.h"

C_BEGIN

enum { MAX_INDEX_LAYERS = 11 }; /* of as many boxes as an int counts */

struct box_index {
    const struct box *boxes; /* the caller's; must live as long as the index */
    int nboxes;
    int layers;                      /* of nodes, from the leaves to the root */
    int first[MAX_INDEX_LAYERS + 1]; /* number of a layer's first node; the end of the last */
    struct box *bounds;              /* of all nodes */
};

/* Takes time and memory in proportion to nboxes: 24/7 bytes per box. */
struct box_index box_index_create(const struct box *boxes, int nboxes);
void box_index_destroy(struct box_index *index);

/* Calls found for every box that has a cell in the region, in the order of the list. */
void box_index_search(const struct box_index *index, struct box region,
                      void (*found)(void *data, int box), void *data);

C_END
