/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/rung_shape.h"

enum { LANES = 32, SECTOR = 4, LINE = 16 }; /* lanes of a warp; doubles */
enum { MAX_READS = 32, U = 0, BETA = 1, F = 4, FIELDS = 6 };

/* The offset from a cell of a value that its update reads. */
struct read {
    int field, at[3];
};

/* All that a cell reads of u, of β, of f and of D⁻¹. */
struct reads {
    struct read list[2 * MAX_READS];
    int count;
};

static void add(struct reads *r, int field, int i, int j, int k)
{
    const struct read read = {field, {i, j, k}};
    r->list[r->count++] = read;
}

/* Values of u within the operator's reach: on the axes, and for order 4 on diagonals of planes. */
static void add_u(struct reads *r, int radius)
{
    for (int k = -radius; k <= radius; k++)
        for (int j = -radius; j <= radius; j++)
            for (int i = -radius; i <= radius; i++) {
                const int axes = (i != 0) + (j != 0) + (k != 0), norm = i * i + j * j + k * k;
                if (axes <= 1 || (radius == 2 && axes == 2 && norm == 2))
                    add(r, U, i, j, k);
            }
}

/* β on the faces in direction d; for order 4 beside them too. */
static void add_beta(struct reads *r, int d, int radius)
{
    for (int high = 0; high < 2; high++)
        for (int t = 0; t < 3; t++)
            for (int beside = -1; beside <= 1; beside++) {
                int at[3] = {0, 0, 0};
                at[d] = high;
                at[t] += beside;
                if (t == d ? beside == 0 : radius == 2 && beside != 0)
                    add(r, BETA + d, at[0], at[1], at[2]);
            }
}

static struct reads reads_of(int order)
{
    struct reads r;
    r.count = 0;
    add_u(&r, order / 2);
    for (int d = 0; d < 3; d++)
        add_beta(&r, d, order / 2);
    add(&r, F, 0, 0, 0);
    add(&r, F + 1, 0, 0, 0);
    return r;
}

static int is_of_column(const struct read *r)
{
    return (r->field == U || r->field == BETA + 2) && r->at[0] == 0 && r->at[1] == 0;
}

/* How often per plane a cell loads this value from memory, if `planes` of a block share what is
 * loaded before the first of them. */
static double loads_from_memory(const struct rung_shape *s, const struct read *r)
{
    const int highest = r->at[2] == (r->field == U ? s->order / 2 : 1);
    if (s->keeps == KEEPS_PLANES && r->field == U)
        return 0.0;
    if (s->keeps == KEEPS_NOTHING || !is_of_column(r))
        return 1.0;
    return highest ? 1.0 : 1.0 / s->planes;
}

/* Division rounded down. */
static int quotient(int a, int b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* Adds up a load by the threads (0,0) … (width−1, height−1), from column `first` on, rows `stride`
 * apart, by warps of a block whose rows have `block` threads: `times` of it. */
static void add_load(struct rung_counts *c, double times, int width, int height, int block,
                     int first)
{
    int warp = -1, sector = 0, line = 0, row = -1;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int of_warp = (x + y * block) / LANES, at = first + x;
            const int same = of_warp == warp && y == row;
            c->requests += of_warp == warp ? 0.0 : times;
            c->sectors += same && sector == quotient(at, SECTOR) ? 0.0 : times;
            c->lines += same && line == quotient(at, LINE) ? 0.0 : times;
            warp = of_warp;
            row = y;
            sector = quotient(at, SECTOR);
            line = quotient(at, LINE);
        }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* A block's loads of one plane of its tile with the halo: rows of the tile by rows of threads. */
static void add_tile(struct rung_counts *c, const struct rung_shape *s, int first, double times)
{
    const int radius = s->order / 2, x = s->block[0], y = s->block[1];
    const int width = x + 2 * radius, height = y * s->rows + 2 * radius;
    for (int j = 0; j < height; j += y)
        for (int i = 0; i < width; i += x)
            add_load(c, times * (s->planes + 2.0 * radius) / s->planes, least(x, width - i),
                     least(y, height - j), x, first - radius + i);
}

/* Columns, from `low` to `high` beside a block, that it reads in a row; none if low > high. */
struct column_span {
    int low, high;
};

/* Of `field` in row j of plane k. What a cell reads in a row is contiguous, and so is all of it. */
static struct column_span span_of_row(const struct rung_shape *s, const struct reads *r, int field,
                                      int j, int k)
{
    const int radius = s->order / 2;
    struct column_span span = {MAX_READS, -MAX_READS};
    if (s->keeps == KEEPS_PLANES && field == U) {
        span.low = -radius;
        span.high = radius;
        return span;
    }
    for (int x = 0; x < r->count; x++) {
        const int *at = r->list[x].at, row = j - at[1], plane = k - at[2];
        if (r->list[x].field != field || row < 0 || row >= s->block[1] * s->rows || plane < 0 ||
            plane >= s->planes)
            continue;
        span.low = at[0] < span.low ? at[0] : span.low;
        span.high = at[0] > span.high ? at[0] : span.high;
    }
    return span;
}

/* Sectors of plane k that a block reads whose first column is `first`. */
static double sectors_of_plane(const struct rung_shape *s, const struct reads *r, int first, int k)
{
    const int radius = s->order / 2;
    double sectors = 0.0;
    for (int field = 0; field < FIELDS; field++)
        for (int j = -radius; j < s->block[1] * s->rows + radius; j++) {
            const struct column_span span = span_of_row(s, r, field, j, k);
            if (span.low <= span.high)
                sectors += quotient(first + s->block[0] - 1 + span.high, SECTOR) -
                           quotient(first + span.low, SECTOR) + 1;
        }
    return sectors;
}

/* Planes that all of the operator's planes lie in are alike. */
static double sectors_of_block(const struct rung_shape *s, const struct reads *r, int first)
{
    const int radius = s->order / 2, inner = s->planes - 2 * radius;
    double sectors = inner > 1 ? (inner - 1) * sectors_of_plane(s, r, first, radius) : 0.0;
    for (int k = -radius; k < s->planes + radius; k++)
        if (k <= radius || k >= radius + inner)
            sectors += sectors_of_plane(s, r, first, k);
    return sectors;
}

/* Bytes per cell: u beside the column and its newest value are loaded, tiles are stored. */
static double shared_bytes_of(const struct rung_shape *s, const struct reads *r)
{
    const int radius = s->order / 2, x = s->block[0], y = s->block[1] * s->rows;
    const double planes = (s->planes + 2.0 * radius) / s->planes;
    const double stores = planes * (x + 2.0 * radius) * (y + 2.0 * radius) / ((double)x * y);
    double loads = planes;
    for (int l = 0; l < r->count; l++)
        loads += r->list[l].field == U && !is_of_column(&r->list[l]);
    return s->keeps == KEEPS_PLANES ? (loads + stores) * sizeof(double) : 0.0;
}

struct rung_counts rung_count(const struct rung_shape *s)
{
    const struct reads r = reads_of(s->order);
    const double cells = (double)s->block[0] * s->block[1] * s->rows;
    struct rung_counts c = {0, 0, 0, 0, 0};
    /* Blocks side by side begin at LINE places of a line at most. */
    for (int block = 0; block < LINE; block++) {
        const int first = block * s->block[0];
        for (int l = 0; l < r.count; l++)
            add_load(&c, s->rows * loads_from_memory(s, &r.list[l]) / LINE, s->block[0],
                     s->block[1], s->block[0], first + r.list[l].at[0]);
        if (s->keeps == KEEPS_PLANES)
            add_tile(&c, s, first, 1.0 / LINE);
        c.read_bytes +=
            sectors_of_block(s, &r, first) * SECTOR * sizeof(double) / (LINE * cells * s->planes);
    }
    c.sectors /= c.requests;
    c.lines /= c.requests;
    c.requests /= cells;
    c.shared_bytes = shared_bytes_of(s, &r);
    return c;
}

int rung_shared_bytes(const struct rung_shape *s)
{
    const int radius = s->order / 2, rows = s->block[1] * s->rows + 2 * radius;
    return s->keeps == KEEPS_PLANES ? rows * ring_planes(radius, s->ahead) *
                                          (RING_WIDTH + 2 * radius) * (int)sizeof(double)
                                    : 0;
}
