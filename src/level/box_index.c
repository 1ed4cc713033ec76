/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/box_index.h"
#include "base/memory.h"

enum { FAN_OUT = 8 };

/* Parent nodes of `count` boxes or nodes. */
static int parents(int count)
{
    return count / FAN_OUT + (count % FAN_OUT != 0);
}

/* The smallest box around both. */
static struct box box_hull(struct box a, struct box b)
{
    for (int d = 0; d < 3; d++) {
        a.lo[d] = b.lo[d] < a.lo[d] ? b.lo[d] : a.lo[d];
        a.hi[d] = b.hi[d] > a.hi[d] ? b.hi[d] : a.hi[d];
    }
    return a;
}

/* Bounds every FAN_OUT of `count` boxes. */
static void bound(const struct box *boxes, int count, struct box *bounds)
{
    for (int b = 0; b < count; b++)
        bounds[b / FAN_OUT] = b % FAN_OUT ? box_hull(bounds[b / FAN_OUT], boxes[b]) : boxes[b];
}

struct box_index box_index_create(const struct box *boxes, int nboxes)
{
    struct box_index index = {.boxes = boxes, .nboxes = nboxes};
    int nodes = 0;
    for (int count = nboxes; index.layers == 0 || count > 1; index.layers++) {
        index.first[index.layers] = nodes;
        nodes += count = parents(count);
    }
    index.first[index.layers] = nodes;
    index.bounds = memory_alloc((size_t)nodes * sizeof *index.bounds, "index of boxes");
    for (int layer = 0; layer < index.layers; layer++)
        bound(layer ? &index.bounds[index.first[layer - 1]] : boxes,
              layer ? index.first[layer] - index.first[layer - 1] : nboxes,
              &index.bounds[index.first[layer]]);
    return index;
}

void box_index_destroy(struct box_index *index)
{
    memory_free(index->bounds);
}

/* One search. */
struct box_search {
    const struct box_index *index;
    struct box region;
    void (*found)(void *data, int box);
    void *data;
};

/* Searches the node, or the box if layer is -1. */
static void search_below(const struct box_search *s, int layer, int number)
{
    const struct box_index *x = s->index;
    const struct box *box = layer < 0 ? &x->boxes[number] : &x->bounds[x->first[layer] + number];
    if (box_is_empty(box_intersect(s->region, *box)))
        return;
    if (layer < 0) {
        s->found(s->data, number);
        return;
    }
    const int below = layer ? x->first[layer] - x->first[layer - 1] : x->nboxes;
    const int first = number * FAN_OUT;
    for (int child = first; child - first < FAN_OUT && child < below; child++)
        search_below(s, layer - 1, child);
}

void box_index_search(const struct box_index *index, struct box region,
                      void (*found)(void *data, int box), void *data)
{
    const struct box_search s = {index, region, found, data};
    if (index->nboxes > 0)
        search_below(&s, index->layers - 1, 0);
}
