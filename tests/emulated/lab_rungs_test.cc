/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of `hpgmg-lab ladder`: every rung of both orders, in blocks of several shapes, gives
 * bitwise what the formulas give, stores nothing else, reads nothing beyond the ghosts that the
 * operator reads, and has no races. What rung_count() says of a shape is what its kernel loads. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
extern "C" {
#include <cmocka.h>
}
#include "lab/rung_shape.c"
#include "lab/rungs_kernel.cuh"

namespace rungs
{
static std::mt19937 random_order(1);

/* --- a level ---------------------------------------------------------------------------------- */

enum { NUM_FIELDS = 6, ALIGNED = LINE, GHOSTS = 4 };

/* Fields as the lab's levels have them: cell 0 of every row at a line's beginning. */
struct level {
    int n[3];
    long sj, sk, origin, size;
    std::vector<double> fields[NUM_FIELDS], out; /* u, β, f, D⁻¹ */
};

static long rounded_up(long x)
{
    return (x + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static struct level make_level(int n0, int n1, int n2)
{
    std::uniform_real_distribution<double> values(0.5, 1.5);
    struct level l = {{n0, n1, n2}, rounded_up(n0 + 2 * GHOSTS), 0, 0, 0, {}, {}};
    l.sk = l.sj * (n1 + 2 * GHOSTS);
    l.origin = rounded_up(GHOSTS * (1 + l.sj + l.sk));
    l.size = l.origin + l.sk * (n2 + GHOSTS);
    for (std::vector<double> &field : l.fields) {
        field.resize(l.size);
        for (double &value : field)
            value = values(random_order);
    }
    l.out.assign(l.size, NAN);
    return l;
}

static half_sweep sweep_of(struct level &l, int colour, int planes)
{
    const auto first = [&](std::vector<double> &field) { return field.data() + l.origin; };
    half_sweep s = {};
    s.v.u = first(l.fields[U]);
    s.v.beta_i = first(l.fields[BETA]);
    s.v.beta_j = first(l.fields[BETA + 1]);
    s.v.beta_k = first(l.fields[BETA + 2]);
    s.v.f = first(l.fields[F]);
    s.v.dinv = first(l.fields[F + 1]);
    s.v.sj = l.sj;
    s.v.sk = l.sk;
    s.v.scale = 0.37;
    s.out = first(l.out);
    for (int d = 0; d < 3; d++)
        s.n[d] = l.n[d];
    s.colour = colour;
    s.weight = 0.9;
    s.planes = planes;
    return s;
}

static double expected(const half_sweep &s, int order, int i, int j, int k)
{
    const long at = i + j * s.v.sj + k * s.v.sk;
    const double *u = s.v.u + at,
                 sum = order == 2 ? sum_fv2(near_of(s.v, at)) : sum_fv4(near_of(s.v, at));
    return (i + j + k + s.colour) % 2 != 0
               ? u[0]
               : update_weighted(u[0], s.v.dinv[at], residual_value(s.v.f[at], s.v.scale, sum),
                                 s.weight);
}

/* How many values of `out` are not what they must be: NaN outside the level. */
static long differences(const struct level &l, const half_sweep &s, int order)
{
    long wrong = 0;
    std::vector<double> want(l.size, NAN);
    for (int k = 0; k < l.n[2]; k++)
        for (int j = 0; j < l.n[1]; j++)
            for (int i = 0; i < l.n[0]; i++)
                want[l.origin + i + j * l.sj + k * l.sk] = expected(s, order, i, j, k);
    for (long x = 0; x < l.size; x++)
        wrong += memcmp(&want[x], &l.out[x], sizeof want[x]) != 0;
    return wrong;
}

static const struct level *recording; /* the level whose loads are recorded */

/* --- results ---------------------------------------------------------------------------------- */

template <class Near>
static void run_block(const half_sweep &s, const struct rung_shape &shape, unsigned i, unsigned j,
                      unsigned k)
{
    assert_true(emulated::run(
        {i, j, k}, random_order, [&] { sweep<Near>(s); }, {0, 0, 0},
        shape.block[0] * shape.block[1], shape.block[0]));
}

static unsigned blocks_of(int cells, int block)
{
    return (unsigned)((cells + block - 1) / block);
}

template <class Near>
static void check_result(const struct rung_shape &shape)
{
    /* Two by two blocks in i and j. */
    struct level l = make_level(shape.block[0] + 4, (shape.block[1] * shape.rows + 7) / 4 * 4, 5);
    const half_sweep s = sweep_of(l, shape.planes % 2, shape.planes);
    recording = &l;
    emulated::races = 0;
    for (unsigned k = 0; k < blocks_of(l.n[2], shape.planes); k++)
        for (unsigned j = 0; j < blocks_of(l.n[1], shape.block[1] * shape.rows); j++)
            for (unsigned i = 0; i < blocks_of(l.n[0], shape.block[0]); i++)
                run_block<Near>(s, shape, i, j, k);
    assert_int_equal(emulated::races, 0);
    assert_int_equal(differences(l, s, Near::ORDER), 0);
}

/* Blocks as the rung has them, and others; one and several blocks in k. */
template <class Near>
static void check_rung(struct rung_shape shape)
{
    static const int blocks[][2] = {{0, 0}, {8, 4}, {5, 3}};
    static_assert(Near::ROWS <= 4, "levels have multiples of four rows");
    assert_int_equal(shape.rows, Near::ROWS);
    shape.order = Near::ORDER;
    for (const int *block : blocks) {
        if (block[0] > 0)
            shape.block[0] = block[0], shape.block[1] = block[1];
        shape.planes = block[0] == 8 ? 2 : 5;
        check_result<Near>(shape);
    }
}

template <int ORDER>
static void rungs_are_right(void **)
{
#define RUNG(name, summary, i, j, rows, keeps, ahead, ...)                                         \
    check_rung<__VA_ARGS__>({ORDER, {i, j}, rows, 1, ahead, 0, keeps});
#include "lab/rungs.def"
}

/* --- loads ------------------------------------------------------------------------------------ */

/* What one request of a warp touches, by where its values lie relative to the lanes' cells. */
struct request {
    std::set<long> sectors, lines;
};
static std::map<std::array<long, 5>, struct request> requests;
static std::set<std::array<long, 2>> sectors_read; /* by field */

/* Loads that are counted, and are within the ghosts that the operator reads. */
template <int RADIUS>
struct recorded {
    static double load(const double *x)
    {
        const struct level &l = *recording;
        long field = 0;
        while (x < l.fields[field].data() || x >= l.fields[field].data() + l.size)
            field++;
        const long offset = x - l.fields[field].data(); /* the origin is at a line's beginning */
        const emulated::index3 &thread = emulated::self().index, &block = emulated::now->index,
                               &extent = emulated::now->extent;
        const long k = (offset - l.origin + GHOSTS * (1 + l.sj + l.sk)) / l.sk - GHOSTS,
                   in_plane = offset - l.origin - k * l.sk,
                   j = (in_plane + GHOSTS * (1 + l.sj)) / l.sj - GHOSTS, i = in_plane - j * l.sj;
        const long at[3] = {i, j, k};
        for (int d = 0; d < 3; d++)
            assert_true(at[d] >= -RADIUS && at[d] < l.n[d] + RADIUS);
        struct request &request =
            requests[{emulated::now->running / emulated::WARP, field,
                      i - (long)(block.x * extent.x + thread.x),
                      j - (long)(block.y * extent.y + thread.y), k - (long)block.z}];
        request.sectors.insert(offset / SECTOR);
        request.lines.insert(offset / LINE);
        sectors_read.insert({field, offset / SECTOR});
        return *x;
    }
};

static void assert_near(double a, double b)
{
    assert_true(std::fabs(a - b) <= 1e-12 * std::fabs(b));
}

/* Requests are known by their offsets where a thread has one cell. */
template <class Near>
static void check_counts(struct rung_shape shape)
{
    enum { BLOCKS = 4 }; /* side by side: their columns begin at all places of a line */
    const int planes = shape.planes, x = shape.block[0], y = shape.block[1] * shape.rows;
    struct level l = make_level(2 * BLOCKS * x, 3 * y, 3 * planes);
    const half_sweep s = sweep_of(l, 0, planes);
    const struct rung_counts c = rung_count(&shape);
    double count = 0.0, sectors = 0.0, lines = 0.0, bytes = 0.0;
    recording = &l;
    for (unsigned i = 2; i < 2 + BLOCKS; i++) {
        requests.clear();
        sectors_read.clear();
        run_block<Near>(s, shape, i, 1, 1);
        for (const auto &[key, request] : requests) {
            count += 1.0;
            sectors += (double)request.sectors.size();
            lines += (double)request.lines.size();
        }
        bytes += (double)sectors_read.size() * SECTOR * sizeof(double);
    }
    const double cells = BLOCKS * (double)x * y * planes;
    assert_near(c.read_bytes, bytes / cells);
    if (planes > 1 || shape.rows > 1)
        return;
    assert_near(c.requests, count / cells);
    assert_near(c.sectors, sectors / count);
    assert_near(c.lines, lines / count);
}

template <int ORDER>
static void loads_are_counted(void **)
{
    using loads = recorded<ORDER / 2>;
    using memory = from_memory<ORDER, loads, 1>;
    /* Blocks beyond the level's end. */
    check_result<in_registers<memory>>({ORDER, {8, 4}, 1, 2, 0, 0, KEEPS_COLUMN});
    check_result<in_registers<in_shared<ORDER, loads, 2, false, 0>>>(
        {ORDER, {8, 4}, 2, 2, 0, 0, KEEPS_PLANES});
    for (const auto &[i, j] : {std::array<int, 2>{4, 64}, {8, 8}, {32, 8}, {64, 4}, {16, 3}}) {
        check_counts<memory>({ORDER, {i, j}, 1, 1, 0, 0, KEEPS_NOTHING});
        for (const int planes : {1, 6}) {
            check_counts<in_registers<memory>>({ORDER, {i, j}, 1, planes, 0, 0, KEEPS_COLUMN});
            if (i <= RING_WIDTH) {
                check_counts<in_registers<in_shared<ORDER, loads, 1, false, 0>>>(
                    {ORDER, {i, j}, 1, planes, 0, 0, KEEPS_PLANES});
                check_counts<in_registers<in_shared<ORDER, loads, 2, true, 0>>>(
                    {ORDER, {i, j}, 2, planes, 0, 0, KEEPS_PLANES});
            }
        }
    }
}

/* By hand: a warp of 32 doubles in a row is 8 sectors in 2 lines, one more of each where it begins
 * beside a line; in four rows of 8 it is 8 sectors in 4 lines, and 12 where it begins beside. */
static void sectors_by_hand(void **)
{
    /* Of the 15 loads of order 2, two of u are beside in i, and one of β. */
    const struct rung_shape tiles = {2, {32, 8}, 1, 1, 0, 0, KEEPS_NOTHING},
                            narrow = {2, {4, 64}, 1, 1, 0, 0, KEEPS_NOTHING},
                            eight = {2, {8, 32}, 1, 1, 0, 0, KEEPS_NOTHING};
    assert_near(rung_count(&tiles).sectors, 8.0 + 3.0 / 15.0);
    assert_near(rung_count(&tiles).lines, 2.0 + 3.0 / 15.0);
    assert_near(rung_count(&eight).sectors, (12.0 * 8.0 + 3.0 * 12.0) / 15.0);
    /* Eight rows of 4: one sector in each, or two; every fourth block begins or ends a line. */
    assert_near(rung_count(&narrow).sectors, (12.0 * 8.0 + 3.0 * 16.0) / 15.0);
    assert_near(rung_count(&narrow).lines, (12.0 * 8.0 + 3.0 * 8.0 * 1.25) / 15.0);
    /* u: 10 rows of 34 cells or less; β in i: 9 sectors a row; β in j: 9 rows; β in k: two planes;
     * f and D⁻¹: one. u has two more planes. */
    const double sectors = 8 * 10 + 2 * 8 + 2 * 8 * 8 + 9 * 8 + 8 * 9 + 2 * 8 * 8 + 2 * 8 * 8;
    assert_near(rung_count(&tiles).read_bytes, sectors * 32 / 256);
    assert_near(rung_count(&tiles).requests, 15.0 / 32.0);
    assert_true(rung_count(&tiles).shared_bytes == 0.0);
}

/* Per cell 4 values beside the column and the newest of it, and a tile of 34 × 10 stored. */
static void shared_memory_by_hand(void **)
{
    const struct rung_shape shape = {2, {32, 8}, 1, 4, 0, 0, KEEPS_PLANES},
                            large = {4, {32, 8}, 2, 16, 2, 0, KEEPS_PLANES};
    assert_near(rung_count(&shape).shared_bytes, 8 * (4 + 1.5 + 1.5 * 340 / 256));
    assert_int_equal(rung_shared_bytes(&shape), 10 * 4 * 34 * 8);
    assert_int_equal(rung_shared_bytes(&large), 20 * 8 * 36 * 8);
}
} // namespace rungs

int main()
{
    using namespace rungs;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rungs_are_right<2>),   cmocka_unit_test(rungs_are_right<4>),
        cmocka_unit_test(loads_are_counted<2>), cmocka_unit_test(loads_are_counted<4>),
        cmocka_unit_test(sectors_by_hand),      cmocka_unit_test(shared_memory_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
