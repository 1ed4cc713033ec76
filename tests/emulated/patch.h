#ifndef EMULATED_PATCH_H
#define EMULATED_PATCH_H
/* A patch, and random fields on it. */
#include <cstring>
#include <random>
#include <vector>
#include "cuda/cells.cuh"

namespace emulated
{
enum { MARGIN = 4 }; /* around the patch in all fields, more than what is read */

struct box {
    struct cells c;
    long size, origin; /* of a field, and of its cell (0,0,0) */
};

inline struct box make_box(int n0, int n1, int n2)
{
    struct box b = {};
    b.c.n[0] = n0;
    b.c.n[1] = n1;
    b.c.n[2] = n2;
    b.c.sj = n0 + 2 * MARGIN;
    b.c.sk = b.c.sj * (n1 + 2 * MARGIN);
    b.size = b.c.sk * (n2 + 2 * MARGIN);
    b.origin = MARGIN * (1 + b.c.sj + b.c.sk);
    return b;
}

typedef std::vector<double> field;

inline field random_field(const struct box &b, std::mt19937 &random, double least, double most)
{
    std::uniform_real_distribution<double> values(least, most);
    field x(b.size);
    for (double &value : x)
        value = values(random);
    return x;
}
} // namespace emulated

#endif
