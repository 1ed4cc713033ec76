/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/reduce.h"
#include "backend/backend.h"
#include "comm/comm.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "operators/sum.h"

static uint64_t max_over_ranks(const struct level *level, uint64_t value)
{
    return level->nranks > 1 ? comm_max_u64(level->comm, value) : value;
}

double reduce_product_norm(const struct level *level, enum field x, enum field y)
{
    if (!level->active)
        return 0.0;
    return bits_to_double(max_over_ranks(level, vector_product_norm(level, x, y)));
}

double reduce_norm(const struct level *level, enum field x)
{
    return reduce_product_norm(level, x, NUM_FIELDS);
}

double reduce_dot(const struct level *level, enum field x, enum field y)
{
    if (!level->active)
        return 0.0;
    const uint64_t largest = max_over_ranks(level, vector_product_norm(level, x, y));
    int64_t digits[SUM_DIGITS] = {0};
    if (sum_has_digits(largest)) {
        vector_product_digits(level, x, y, sum_exponent(largest), digits);
        if (level->nranks > 1)
            comm_sum_i64(level->comm, digits, SUM_DIGITS);
    }
    return sum_result(largest, digits);
}

double reduce_mean(const struct level *level, enum field x)
{
    const double cells = extent_cells(level->n);
    return reduce_dot(level, x, NUM_FIELDS) / cells;
}

void reduce_subtract_mean(struct level *level, enum field x)
{
    if (level->nranks == 1 && level->backend->passes->subtract_mean) {
        if (level->active)
            level->backend->passes->subtract_mean(level, x);
        return;
    }
    const double mean = reduce_mean(level, x);
    if (level->active)
        vector_add_constant(level, x, -mean);
}

uint64_t reduce_checksum(const struct level *level, enum field x)
{
    if (!level->active)
        return 0;
    int64_t sum = (int64_t)vector_checksum(level, x);
    if (level->nranks > 1)
        comm_sum_i64(level->comm, &sum, 1);
    return (uint64_t)sum;
}
