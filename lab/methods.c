/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of `hpgmg-lab methods`. Each experiment puts its own input into in[4] of the pool. */
#include <math.h>
#include "base/check.h"
#include "base/memory.h"
#include "lab/experiments.h"
#include "lab/bodies.h"

/* --- interpolation ---------------------------------------------------------------------------- */

/* What interpolation is compared with: the definition in double precision. */
static double weight_at(bool cubic, int cell, double t)
{
    const double s = 1.0 - t;
    if (!cubic)
        return cell == 0 ? s : t;
    switch (cell) {
    case -1:
        return s * s * s / 6.0;
    case 0:
        return (4.0 - 6.0 * t * t + 3.0 * t * t * t) / 6.0;
    case 1:
        return (4.0 - 6.0 * s * s + 3.0 * s * s * s) / 6.0;
    default:
        return t * t * t / 6.0;
    }
}

/* in[1]: the field, in host memory. c: cubic or not. */
static double expected_interpolation(const struct bench_operands *o, long x)
{
    const struct point p = point_of(o, x);
    const int low = o->c ? -1 : 0, high = o->c ? 2 : 1;
    const float *field = o->in[1];
    int cell[3];
    double weight[3][4], sum = 0.0;
    for (int d = 0; d < 3; d++) {
        cell[d] = (int)floorf(p.coordinate[d]);
        for (int q = low; q <= high; q++)
            weight[d][q - low] = weight_at(o->c, q, (double)p.coordinate[d] - cell[d]);
    }
    for (int r = low; r <= high; r++)
        for (int q = low; q <= high; q++)
            for (int i = low; i <= high; i++)
                sum +=
                    weight[0][i - low] * weight[1][q - low] * weight[2][r - low] *
                    (double)field[cell[0] + i + o->a * (cell[1] + q + o->a * (long)(cell[2] + r))];
    return sum;
}

/* Waves about sixteen cells long, between 0 and 1. */
static void fill_field(float *field, long side)
{
#pragma omp parallel for schedule(static)
    for (long k = 0; k < side; k++)
        for (long j = 0; j < side; j++)
            for (long i = 0; i < side; i++)
                field[i + side * (j + side * k)] =
                    (float)(0.5 + 0.5 * sin(0.40 * (double)i) * sin(0.37 * (double)j + 1.0) *
                                      sin(0.43 * (double)k + 2.0));
}

void methods_interpolation(struct bench *bench)
{
    enum { MOST = 256, NO_TEXTURE = -1, CELLS_OF_TEXTURE, FILTERED };
    static const struct {
        const char *name;
        enum bench_kernel kernels[2]; /* trilinear, tricubic */
        int texture;
    } list[] = {
        {"arrays", {KERNEL_trilinear, KERNEL_tricubic}, NO_TEXTURE},
        {"read-only loads", {KERNEL_trilinear_read_only, KERNEL_tricubic_read_only}, NO_TEXTURE},
        {"texture cells",
         {KERNEL_trilinear_texture_cells, KERNEL_tricubic_texture_cells},
         CELLS_OF_TEXTURE},
        {"texture filter", {KERNEL_trilinear_filter, KERNEL_tricubic_filter}, FILTERED},
    };
    /* The hardware's weights have 8 bits, so each is off by up to 2^-9; neighbouring cells differ
     * by up to 0.2, in three directions. */
    const double filter_tolerance = 4e-3, float_tolerance = 2e-6;
    const struct pool *p = &bench->pool;
    const bool gpu = bench_on_gpu(bench);
    const long fits = (long)floor(cbrt(2.0 * (double)p->n)) / 8 * 8,
               side = fits < MOST ? fits : MOST, cells = side * side * side;
    float *field = memory_alloc((size_t)p->n * sizeof(double), "a field of floats");
    fill_field(field, side);
    p->backend->memory->upload(p->in[4], (const double *)(const void *)field,
                               cells / 2); /* side is even */
    struct gpu_textures *textures = gpu ? gpu_textures_create(p->in[4], (int)side) : NULL;
    for (int way = 0; way < 4; way++)
        for (int row = 0; row < (gpu ? BENCH_COUNT(list) : 1); row++) {
            const int cubic = way / 2, across = way % 2, texture = list[row].texture;
            struct bench_case c = bench_case_of(bench, list[row].kernels[cubic], cells, "%s, %s%s",
                                                cubic ? "tricubic" : "trilinear", list[row].name,
                                                across ? ", across rows" : "");
            struct bench_operands *o = &c.steps[0].o;
            BENCH_PARAMETERS(c, {"cubic", cubic}, {"across", across}, {"texture", texture + 1});
            o->a = side;
            o->b = across;
            o->c = cubic;
            o->in[1] = field;
            if (texture != NO_TEXTURE)
                o->texture = gpu_texture(textures, texture == FILTERED);
            c.bytes = 8.0 * c.elements; /* every cell about once, every result */
            c.flops = (cubic ? 200.0 : 21.0) * c.elements;
            c.single = true;
            c.expected = expected_interpolation;
            c.tolerance = texture == FILTERED ? filter_tolerance : float_tolerance;
            bench_measure(bench, &c);
        }
    if (textures)
        gpu_textures_destroy(textures);
    memory_free(field);
}

/* --- convolution ------------------------------------------------------------------------------ */

/* From the definition: both sums at once, of integers. */
static double expected_convolution(const struct bench_operands *o, long x)
{
    static const int weights[TAPS] = {1, 6, 15, 20, 15, 6, 1};
    long sum = 0;
    if (!is_inner(o, x, 1))
        return NAN;
    for (int q = 0; q < TAPS; q++)
        for (int t = 0; t < TAPS; t++)
            sum +=
                weights[q] * weights[t] * ((x + (q - RADIUS) * o->a + t - RADIUS + 7 * 3) % PERIOD);
    return (double)sum / 4096.0;
}

/* Images of 8 channels and up to 16 of a batch; kernels see one list of images. */
void methods_convolution(struct bench *bench)
{
    enum { WIDTH = MAX_WIDTH, HEIGHT = 512, CHANNELS = 8, BATCH = 16 };
    static const struct {
        const char *name;
        enum bench_kernel first, second;
        int arrays; /* read and written */
        double flops;
    } list[] = {
        {"49 taps at once", KERNEL_convolve_at_once, KERNEL_none, 2, 2.0 * (TAPS * TAPS + TAPS)},
        {"rows, then columns", KERNEL_convolve_rows, KERNEL_convolve_columns, 4, 4.0 * TAPS},
        {"rolling buffer", KERNEL_convolve_rolling, KERNEL_none, 2, 4.0 * TAPS},
    };
    const struct pool *p = &bench->pool;
    const long fit = 2 * p->n / (WIDTH * HEIGHT); /* at least one: an array has a MiB */
    const long channels = fit < CHANNELS ? fit : CHANNELS;
    const long batch = fit / channels < BATCH ? fit / channels : BATCH;
    for (int row = 0; row < BENCH_COUNT(list); row++) {
        const long images = channels * batch;
        struct bench_case c =
            bench_case_of(bench, list[row].first, images * WIDTH * HEIGHT, "%s, %ld channels x %ld",
                          list[row].name, channels, batch);
        BENCH_PARAMETERS(c, {"images", (double)images});
        c.steps[0].o.a = WIDTH;
        c.steps[0].o.b = HEIGHT;
        c.steps[0].o.c = images;
        if (list[row].second != KERNEL_none) {
            c.steps[1] = c.steps[0];
            c.steps[1].kernel = list[row].second;
            c.steps[0].o.out = p->in[4];
        }
        c.bytes = 4.0 * list[row].arrays * c.elements;
        c.flops = list[row].flops * c.elements;
        c.single = true;
        c.expected = expected_convolution;
        bench_measure(bench, &c);
    }
}

/* --- batches of LU ---------------------------------------------------------------------------- */

/* Matrix and element of x; a: size, b: interleaved. */
static double lu_value(const struct bench_operands *o, long x,
                       double (*value)(long m, int i, int j))
{
    const long elements = o->a * o->a, m = o->b ? x % o->n : x / elements;
    const int e = (int)(o->b ? x / o->n : x % elements);
    return value(m, e % (int)o->a, e / (int)o->a);
}

EXPECTED(lu, lu_value(o, x, factor_value))

static void fill_matrices(const struct bench *bench, const struct bench_operands *o)
{
    const struct pool *p = &bench->pool;
    const long doubles = o->n * o->a * o->a;
#pragma omp parallel for schedule(static)
    for (long x = 0; x < doubles; x++)
        p->copy[x] = lu_value(o, x, product_value);
    p->backend->memory->upload(p->in[4], p->copy, doubles);
}

struct lu_row {
    const char *name;
    bool interleaved, on_gpu_only;
    enum bench_kernel kernels[3]; /* of 4 x 4, 8 x 8 and 16 x 16 */
};

static void one_batch(struct bench *bench, const struct lu_row *row, int which, long n)
{
    const int size = 4 << which;
    const bool library = row->kernels[which] == KERNEL_lu_cublas;
    struct bench_case c =
        bench_case_of(bench, row->kernels[which], n, "%d x %d, %s", size, size, row->name);
    BENCH_PARAMETERS(c, {"size", size});
    c.steps[0].o.a = size;
    c.steps[0].o.b = row->interleaved;
    c.results = n * size * size;
    c.bytes = 16.0 * (double)c.results;
    for (int k = 0; k < size; k++) /* divisions; multiplications and subtractions */
        c.flops += (double)n * (size - 1 - k) * (1.0 + 2.0 * (size - 1 - k));
    c.expected = expected_lu;
    c.by = library ? TIMED_BY_HOST : TIMED_BY_BACKEND; /* what it launches is not ours to record */
    fill_matrices(bench, &c.steps[0].o);
    if (library && !gpu_cublas_open(bench->pool.out, n, size)) {
        bench_skip(c.name, "no cuBLAS was found");
        return;
    }
    bench_measure(bench, &c);
    if (library)
        gpu_cublas_close();
}

void methods_lu(struct bench *bench)
{
    static const struct lu_row list[] = {
        {"per thread", false, false, {KERNEL_lu_4_thread, KERNEL_lu_8_thread, KERNEL_lu_16_thread}},
        {"per thread, interleaved",
         true,
         false,
         {KERNEL_lu_4_interleaved, KERNEL_lu_8_interleaved, KERNEL_lu_16_interleaved}},
        {"per warp", false, true, {KERNEL_lu_4_warp, KERNEL_lu_8_warp, KERNEL_lu_16_warp}},
        {"a lane per row", false, true, {KERNEL_lu_4_lanes, KERNEL_lu_8_lanes, KERNEL_lu_16_lanes}},
        {"cuBLAS, with a copy",
         false,
         true,
         {KERNEL_lu_cublas, KERNEL_lu_cublas, KERNEL_lu_cublas}},
    };
    const long doubles = bench->pool.n < 1 << 24 ? bench->pool.n : 1 << 24;
    for (int which = 0; which < 3; which++)
        for (int row = 0; row < BENCH_COUNT(list); row++)
            if (bench_on_gpu(bench) || !list[row].on_gpu_only)
                one_batch(bench, &list[row], which, doubles / (16 << 2 * which));
}

/* --- masked loops ----------------------------------------------------------------------------- */

/* One of every 2^a elements, in groups of 2^b neighbours: chosen at random by groups, or in turn.
 */
static bool is_active(long x, long a, long b)
{
    return hash_mix((uint64_t)(x >> b) + 1) % (1ull << a) == 0;
}

/* table: what becomes of each value. a, b: as for is_active; c: all are active that are even. */
static bool is_selected(const struct bench_operands *o, long x)
{
    return o->c ? x % 2 == 0 : is_active(x, o->a, o->b);
}

EXPECTED(masked, is_selected(o, x) ? o->table[x % PERIOD] : NAN)

/* A byte for each element; returns how many are selected. */
static long fill_mask(const struct pool *p, const struct bench_operands *o, long n)
{
    unsigned char *mask = (unsigned char *)(void *)p->copy;
    long count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (long x = 0; x < n; x++)
        count += mask[x] = is_selected(o, x);
    p->backend->memory->upload(p->in[4], p->copy, n / 8);
    return count;
}

/* The numbers of those that are selected; returns how many. */
static long fill_list(const struct pool *p, const struct bench_operands *o, long n)
{
    int *list = (int *)(void *)p->copy;
    long count = 0;
    for (long x = 0; x < n; x++)
        if (is_selected(o, x))
            list[count++] = (int)x;
    p->backend->memory->upload(p->in[4], p->copy, (count + 1) / 2);
    return count;
}

void methods_masks(struct bench *bench)
{
    static const struct {
        const char *name;
        int a, b;
        bool alternate;
    } patterns[] = {{"every second", 1, 0, true},
                    {"half, at random", 1, 0, false},
                    {"half, in groups of 64", 1, 6, false},
                    {"an eighth, at random", 3, 0, false},
                    {"an eighth, in groups of 64", 3, 6, false}};
    static const struct {
        const char *name;
        enum bench_kernel kernel;
        bool by_list, computes_all;
        int bytes_each, bytes_selected; /* of every element; of a selected one */
    } list[] = {
        {"branch", KERNEL_masked_branch, false, false, 1, 16},
        {"blend", KERNEL_masked_blend, false, true, 25, 0},
        {"list", KERNEL_masked_list, true, false, 0, 20},
    };
    const long most = 1 << 24, n = bench->pool.n < most ? bench->pool.n : most;
    double table[PERIOD];
    for (int value = 0; value < PERIOD; value++)
        table[value] = masked_work(value);
    for (int p = 0; p < BENCH_COUNT(patterns); p++)
        for (int row = 0; row < BENCH_COUNT(list); row++) {
            struct bench_case c = bench_case_of(bench, list[row].kernel, n, "%s, %s",
                                                patterns[p].name, list[row].name);
            struct bench_operands *o = &c.steps[0].o;
            o->a = patterns[p].a;
            o->b = patterns[p].b;
            o->c = patterns[p].alternate;
            o->table = table;
            const long count =
                list[row].by_list ? fill_list(&bench->pool, o, n) : fill_mask(&bench->pool, o, n);
            o->n = list[row].by_list ? count : n;
            BENCH_PARAMETERS(c, {"selected", (double)count},
                             {"group", o->c ? 1.0 : (double)(1 << o->b)});
            c.bytes = (double)list[row].bytes_each * (double)n +
                      (double)list[row].bytes_selected * (double)count;
            c.flops = 2.0 * 64 * (list[row].computes_all ? (double)n : (double)count);
            c.expected = expected_masked;
            bench_measure(bench, &c);
        }
}

/* --- gradients -------------------------------------------------------------------------------- */

/* u = f(x) f(y + 5h) f(z + 11h) with f = exp(sin - 1): u is at most 1, its slopes 0.53, and it has
 * waves of every length, of which 32 points resolve all within rounding. Its slope in direction d,
 * where d is 0, 1 or 2; else u. table: 32 values of f, 32 slopes. */
static double wave_at(const double *table, long side, long x, int d)
{
    static const int shifts[3] = {0, 5, 11};
    const long place[3] = {x % side, x / side % side, x / side / side};
    double product = 1.0;
    for (int q = 0; q < 3; q++)
        product *= table[(q == d) * WAVE_POINTS + (place[q] + shifts[q]) % WAVE_POINTS];
    return product;
}

#define CUBE(a) ((a) * (a) * (a))
EXPECTED(component, wave_at(o->table, o->a, x % CUBE(o->a), (int)(x / CUBE(o->a))))
EXPECTED(square, pow(wave_at(o->table, o->a, x, 0), 2) + pow(wave_at(o->table, o->a, x, 1), 2) +
                     pow(wave_at(o->table, o->a, x, 2), 2))

/* side^3 = count points, `waves` complex numbers of their transform. Arrays are on the backend but
 * for the last two, which are pinned and for transfers. The gradient has three components. */
struct gradient_arrays {
    double wave[2 * WAVE_POINTS]; /* the table */
    long side, count, waves;
    double *field, *square, *gradient, *transform, *slope_transform;
    double *host_field, *host_result;
};

struct gradient_row {
    const char *name;
    int order;                         /* 0: spectral */
    enum bench_kernel stored, squared; /* in one kernel; spectral takes several */
    double flops;                      /* of a point, for a gradient */
    double errors[2];                  /* truncation, 32 points per wave: gradient, its square */
};

/* Adds a step with its doubles read and written per point. */
static struct bench_operands *add_step(struct bench_case *c, const struct gradient_arrays *g,
                                       enum bench_kernel kernel, const double *in, double *out,
                                       int doubles)
{
    int s = 0;
    while (c->steps[s].kernel != KERNEL_none)
        CHECK(++s < MAX_STEPS);
    c->bytes += 8.0 * doubles * (double)g->count;
    c->steps[s].kernel = kernel;
    c->steps[s].o = (struct bench_operands){
        .n = g->count, .in = {in}, .out = out, .a = g->side, .table = g->wave};
    return &c->steps[s].o;
}

enum { STORED, STORED_SQUARED, SQUARED, GRADIENT_USES };

/* Forward once; for each direction the slope's transform, and back. On the fly, each component
 * takes the place of the one before. */
static void add_spectral_steps(struct bench_case *c, const struct gradient_arrays *g, int use)
{
    add_step(c, g, KERNEL_fft, g->field, g->transform, 2);
    for (int d = 0; d < 3; d++) {
        double *component = g->gradient + (use == SQUARED ? 0 : d * g->count);
        struct bench_operands *o =
            add_step(c, g, KERNEL_wave_slope, g->transform, g->slope_transform, 2);
        o->n = g->waves;
        o->b = d;
        add_step(c, g, KERNEL_inverse_fft, g->slope_transform, component, 2);
        if (use != SQUARED)
            continue;
        o = add_step(c, g, KERNEL_square_added, component, g->square, d == 0 ? 2 : 3);
        o->in[1] = g->square;
        o->b = d;
    }
}

static void one_gradient(struct bench *bench, const struct gradient_arrays *g,
                         const struct gradient_row *row, int use, bool transfers)
{
    static const char *const names[] = {"stored", "stored, then squared", "squared on the fly"};
    const bool square = use != STORED;
    double *const result = square ? g->square : g->gradient;
    struct bench_case c = {.elements = (double)g->count, .results = g->count * (square ? 1 : 3)};
    snprintf(c.name, sizeof c.name, "%s, %s%s", row->name, names[use],
             transfers ? ", transfers" : "");
    BENCH_PARAMETERS(c, {"order", row->order}, {"squared", square}, {"on_the_fly", use == SQUARED},
                     {"transfers", transfers});
    if (transfers)
        add_step(&c, g, KERNEL_transfer, g->host_field, g->field, 0);
    if (row->order == 0)
        add_spectral_steps(&c, g, use);
    else if (use == SQUARED)
        add_step(&c, g, row->squared, g->field, g->square, 2);
    else
        add_step(&c, g, row->stored, g->field, g->gradient, 4);
    if (use == STORED_SQUARED)
        add_step(&c, g, KERNEL_square, g->gradient, g->square, 4);
    if (transfers) {
        add_step(&c, g, KERNEL_transfer, result, g->host_result, 0)->n = c.results;
        c.bytes = 8.0 * (double)(g->count + c.results); /* as in `points` */
    }
    c.flops = c.elements * (row->flops + (square ? 5 : 0));
    c.results_at = transfers ? g->host_result : result;
    c.on_host = transfers;
    c.expected = square ? expected_square : expected_component;
    c.tolerance = row->errors[square];
    /* What a library launches is not ours to record. */
    c.by = transfers || row->order == 0 ? TIMED_BY_HOST : TIMED_BY_BACKEND;
    bench_measure(bench, &c);
}

static void all_gradients(struct bench *bench, const struct gradient_arrays *g)
{
    const double rounding = 1e-12, transform = 2.5 * log2((double)g->count); /* real numbers */
    const struct gradient_row list[] = {
        {"order 2", 2, KERNEL_gradient_2, KERNEL_square_2, 6, {9.51e-3, 1.38e-2}},
        {"order 4", 4, KERNEL_gradient_4, KERNEL_square_4, 15, {4.17e-4, 6.54e-4}},
        {"spectral", 0, KERNEL_none, KERNEL_none, 4 * transform + 4.5, {rounding, rounding}},
    };
    const bool gpu = bench_on_gpu(bench);
    const char *missing = (gpu ? gpu_fft_open : cpu_fft_open)(g->field, g->transform, (int)g->side);
    for (int row = 0; row < BENCH_COUNT(list); row++)
        if (missing && list[row].order == 0)
            bench_skip(list[row].name, missing);
        else
            for (int use = 0; use < GRADIENT_USES; use++)
                for (int transfers = 0; transfers <= gpu; transfers++)
                    one_gradient(bench, g, &list[row], use, transfers);
    if (!missing)
        (gpu ? gpu_fft_close : cpu_fft_close)();
}

void methods_gradients(struct bench *bench)
{
    enum { MOST = 256 };
    const struct pool *p = &bench->pool;
    const struct backend *backend = p->backend, *host = backend->staging;
    const long fits = (long)floor(cbrt((double)p->n)) / WAVE_POINTS * WAVE_POINTS,
               side = fits < MOST ? fits : MOST, count = side * side * side;
    struct gradient_arrays g = {.side = side,
                                .count = count,
                                .waves = side * side * (side / 2 + 1),
                                .field = p->in[4],
                                .square = p->out};
    const long on_backend = 3 * count + 4 * g.waves, on_host = host ? 4 * count : 0;
    if (!bench_has_room(bench, "all", (double)on_backend, (double)on_host))
        return;
    for (int i = 0; i < WAVE_POINTS; i++) {
        g.wave[i] = exp(sin(i * WAVE_SPACING) - 1.0);
        g.wave[WAVE_POINTS + i] = cos(i * WAVE_SPACING) * g.wave[i];
    }
    g.gradient = backend->memory->allocate(on_backend, "gradients and transforms");
    g.transform = g.gradient + 3 * count;
    g.slope_transform = g.transform + 2 * g.waves;
    g.host_field = host ? host->memory->allocate(on_host, "a field and its gradient") : p->copy;
    g.host_result = g.host_field + count;
#pragma omp parallel for schedule(static)
    for (long x = 0; x < count; x++)
        g.host_field[x] = wave_at(g.wave, side, x, -1);
    backend->memory->upload(g.field, g.host_field, count);
    all_gradients(bench, &g);
    if (host)
        host->memory->release(g.host_field);
    backend->memory->release(g.gradient);
}
