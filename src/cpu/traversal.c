/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which the rows of a pass are worked on; docs/ARCHITECTURE.md (The CPU backend) draws
 * it. Plain: one operation after the other over the whole patch. Tiled: operations follow each
 * other at a distance of `lag` planes, first in a trapezoid per thread, then in the wedges between
 * them. Operation s covers s·lag planes on either side of a border in the wedge. Several threads
 * may share a slab, where each follows the one before it. No cell is computed twice. An operation
 * overwrites only values that no operation before it has still to read: in-place sweeps write one
 * colour, the others alternate between two buffers. */
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include "backend/context.h"
#include "base/check.h"
#include "base/memory.h"
#include "operators/boundary.h"
#include "cpu/operations.h"

/* A patch of at most CELLS_AT_ONCE cells stays in L2 with all its fields. The
 * least numbers of cells for several threads are such that barriers between operations pay. A trip
 * through memory takes as long as TRIP operations on cached data. A thread that has spun SPINS
 * times lends its core to others. */
enum {
    CELLS_AT_ONCE = 4096,
    CELLS_PER_CALL = 2048,
    MIN_CELLS = 8192,
    MIN_CELLS_PER_THREAD = 512,
    TILE_BYTES = 3 * 1024 * 1024,
    FIELDS_IN_TILE = 6,
    MIN_CELLS_TO_PREFETCH = 1 << 19,
    TRIP = 2,
    SPINS = 1000
};

enum { MAX_THREADS = 1024 };

void cpu_use_threads(int most)
{
    CHECK(most > 0);
    context_current()->threads = most;
}

void cpu_release_threads(void)
{
    if (cpu_max_threads() < omp_get_max_threads())
        omp_pause_resource_all(omp_pause_soft);
}

int cpu_max_threads(void)
{
    const int threads = omp_get_max_threads(), chosen = context_current()->threads,
              most = 0 < chosen && chosen < MAX_THREADS ? chosen : MAX_THREADS;
    return threads < most ? threads : most;
}

/* All teams of several threads have one size: after a smaller team, GCC's OpenMP library ends the
 * other threads and creates them again for the next team. */
int cpu_threads(long cells)
{
    const int threads = cpu_max_threads();
    return cells < MIN_CELLS || cells / threads < MIN_CELLS_PER_THREAD ? 1 : threads;
}

static int round_up(int value, int grain)
{
    return value + (value & (grain - 1));
}

static int round_down(int value, int grain)
{
    return value - (value & (grain - 1));
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

static long max_long(long a, long b)
{
    return a > b ? a : b;
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* All rows (d = 1) or planes (d = 2) that operation `op` works on. */
static struct range operation_range(const struct traversal *t, const struct operation *op, int d)
{
    return with_ghosts(t->pass->patch, d, 0, op->extent);
}

/* The rows, and the ghosts beyond the walls in i and j. */
static void work_rows(const struct traversal *t, const struct operation *op, struct range rows,
                      struct range planes, struct thread_state *state)
{
    op->step(t->pass, op, rows, planes, state);
    if (op->wall) {
        const struct walls w = walls_around(t->pass->stencil, op->extent, t->pass->halves);
        walls_after_rows(t->pass->patch, op->wall, &w, rows, planes);
    }
}

/* These rows of the ghosts beyond the walls in k, where they follow from these planes. */
static void work_walls(const struct traversal *t, const struct operation *op, struct range rows,
                       struct range planes)
{
    if (op->wall) {
        const struct walls w = walls_around(t->pass->stencil, op->extent, t->pass->halves);
        walls_after_planes(t->pass->patch, op->wall, &w, rows, planes);
    }
}

/* The planes of one step. */
static struct range step_planes(const struct operation *op, int k)
{
    return (struct range){k, k + op->grain};
}

static bool has_wall_in_k(const struct traversal *t)
{
    return t->pass->patch->wall[2][0] || t->pass->patch->wall[2][1];
}

/* One operation over the patch. All threads of the enclosing parallel region share the work. */
static void operation_everywhere(const struct traversal *t, const struct operation *op,
                                 struct thread_state *state)
{
    const struct range rows = operation_range(t, op, 1), planes = operation_range(t, op, 2);
#pragma omp for schedule(static)
    for (int k = planes.low; k < planes.high; k += op->grain)
        work_rows(t, op, rows, step_planes(op, k), state);
    if (!op->wall || !has_wall_in_k(t))
        return;
#pragma omp for schedule(static)
    for (int j = rows.low; j < rows.high; j++)
        work_walls(t, op, (struct range){j, j + 1}, planes);
}

/* The same by one thread, in few calls. Walls find the planes of a call in the innermost cache. */
static void operation_at_once(const struct traversal *t, const struct operation *op)
{
    const struct range rows = operation_range(t, op, 1), planes = operation_range(t, op, 2);
    const int count = CELLS_PER_CALL / (t->pass->patch->n[0] * t->pass->patch->n[1]),
              step = count > op->grain ? round_down(count, op->grain) : op->grain;
    for (int k = planes.low; k < planes.high; k += step) {
        const struct range some = {k, min_int(k + step, planes.high)};
        work_rows(t, op, rows, some, &t->states[0]);
        work_walls(t, op, rows, some);
    }
}

void traverse_plain(const struct traversal *t)
{
    const long cells = patch_cells_count(t->pass->patch);
    const int threads = cpu_threads(cells);
    if (cells <= CELLS_AT_ONCE) {
        for (int op = 0; op < t->nops; op++)
            operation_at_once(t, &t->ops[op]);
        return;
    }
#pragma omp parallel num_threads(threads)
    for (int op = 0; op < t->nops; op++)
        operation_everywhere(t, &t->ops[op], &t->states[omp_get_thread_num()]);
}

/* The number of fronts (see work_strip) that a strip has done. One cache line pair per strip. */
struct progress {
    atomic_int fronts;
    char padding[124];
};

/* Operations [first, last) of a traversal that share one trip through memory, cut into slabs and
 * strips. */
struct tiling {
    const struct traversal *t;
    int first, last;
    int slabs;
    int sharers;           /* threads per slab, which take its strips in turn */
    int strips;            /* per slab, a multiple of sharers */
    struct progress *done; /* by slab and strip */
    real *fluxes;     /* per thread and operation, of the rows of a strip; NULL: none are kept */
    long flux_length; /* of an operation */
    int wedge_blocks; /* blocks of rows per wedge, so that all threads have work */
};

static int slab_border(const struct tiling *g, int slab)
{
    return (int)((long)g->t->pass->patch->n[2] * slab / g->slabs);
}

/* Planes that operation `op` works on in slab `slab`'s trapezoid. */
static struct range trapezoid_planes(const struct tiling *g, int op, int slab)
{
    const struct operation *o = &g->t->ops[op];
    const int inset = (op - g->first) * g->t->lag;
    struct range r = operation_range(g->t, o, 2);
    if (slab > 0)
        r.low = round_up(slab_border(g, slab) + inset, o->grain);
    if (slab < g->slabs - 1)
        r.high = round_down(slab_border(g, slab + 1) - inset, o->grain);
    return r;
}

/* Planes that operation `op` works on in the wedge at the low border of slab `slab`, between the
 * trapezoids. */
static struct range wedge_planes(const struct tiling *g, int op, int slab)
{
    return (struct range){trapezoid_planes(g, op, slab - 1).high,
                          trapezoid_planes(g, op, slab).low};
}

/* The skew's mean is added, so that the first strip has as many rows as the last, all operations
 * together. */
static int strip_border(const struct tiling *g, int strip)
{
    const int mean_skew = (g->last - g->first - 1) * g->t->lag / 2;
    return (int)((long)g->t->pass->patch->n[1] * strip / g->strips) + mean_skew;
}

/* Rows of operation `op` in strip `strip`, skewed towards low rows by lag rows per operation. */
static struct range strip_rows(const struct tiling *g, int op, int strip)
{
    const struct operation *o = &g->t->ops[op];
    const int skew = (op - g->first) * g->t->lag;
    const struct range all = operation_range(g->t, o, 1);
    struct range r = all;
    if (strip > 0)
        r.low = max_int(all.low, round_down(strip_border(g, strip) - skew, o->grain));
    if (strip < g->strips - 1)
        r.high = max_int(all.low, round_down(strip_border(g, strip + 1) - skew, o->grain));
    r.high = min_int(r.high, all.high);
    return r;
}

static void work_plane(const struct traversal *t, const struct operation *op, struct range rows,
                       int k, struct thread_state *state)
{
    if (rows.low >= rows.high)
        return;
    work_rows(t, op, rows, step_planes(op, k), state);
    work_walls(t, op, rows, step_planes(op, k));
}

/* The number in a strip of the first operation that reads rows. Its rows come from memory, those of
 * the others from cache. */
static int first_reader(const struct tiling *g)
{
    return g->t->ops[g->first].row ? 0 : 1;
}

/* Sets where operation number s of a strip keeps its fluxes, and its number among the readers. */
static void set_state(const struct tiling *g, int s, bool known, struct thread_state *state)
{
    const long index = (long)omp_get_thread_num() * MAX_OPERATIONS + s;
    state->k_flux = g->fluxes ? g->fluxes + index * g->flux_length : NULL;
    state->k_known = known;
    state->reader = s - first_reader(g);
    state->readers = patch_cells_count(g->t->pass->patch) < MIN_CELLS_TO_PREFETCH
                         ? 0
                         : g->last - g->first - first_reader(g);
}

/* The first planes that wait for the next one: the ghosts below them follow from planes that are
 * farther away than the lag. (Rows need not wait: strips have none or enough of them.) */
static int waiting_planes(const struct traversal *t, const struct operation *op)
{
    const int distance = t->pass->patch->wall[2][0] ? t->wall_cells - 1 : 0;
    return max_int(0, distance - t->lag - (op->grain - 1));
}

/* The planes and rows of a strip, by operation. */
struct strip {
    struct range planes[MAX_OPERATIONS], rows[MAX_OPERATIONS];
};

/* The operations of a strip at a front: operation s works on the plane s·lag below it. */
static void work_front(const struct tiling *g, const struct strip *strip, int front,
                       struct thread_state *state)
{
    for (int s = 0; s < g->last - g->first; s++) {
        const struct operation *op = &g->t->ops[g->first + s];
        const struct range planes = strip->planes[s];
        const int k = front - s * g->t->lag - (op->grain - 1);
        const bool starts_step = op->grain == 1 || !(k & 1);
        const int first = planes.low + waiting_planes(g->t, op);
        if (!starts_step || k < first || k >= planes.high)
            continue;
        for (int plane = k == first ? planes.low : k; plane <= k; plane++) {
            set_state(g, s, plane > planes.low, state);
            work_plane(g->t, op, strip->rows[s], plane, state);
        }
    }
}

static void pause_for_a_moment(int spins)
{
    if (spins > SPINS)
        sched_yield();
#if defined(__x86_64__)
    else
        __builtin_ia32_pause();
#endif
}

/* Returns when the strip has done `fronts` fronts. */
static void await_fronts(struct progress *done, int fronts)
{
    for (int spins = 0; atomic_load_explicit(&done->fronts, memory_order_acquire) < fronts;)
        pause_for_a_moment(spins++);
}

/* The operations of one strip follow each other through the planes of the slab. At each front the
 * strip before it has written all that this strip reads, and read all that this one overwrites. */
static void work_strip(const struct tiling *g, int slab, int number, struct thread_state *state)
{
    const int count = g->last - g->first;
    struct progress *own = &g->done[slab * g->strips + number];
    struct strip strip;
    for (int s = 0; s < count; s++) {
        strip.planes[s] = trapezoid_planes(g, g->first + s, slab);
        strip.rows[s] = strip_rows(g, g->first + s, number);
    }
    const struct range first = strip.planes[0];
    const int fronts = first.high + (count - 1) * g->t->lag + 2 - first.low;
    for (int front = 0; front < fronts; front++) {
        if (number > 0)
            await_fronts(own - 1, front + 1);
        work_front(g, &strip, first.low + front, state);
        atomic_store_explicit(&own->fronts, front + 1, memory_order_release);
    }
    state->k_flux = NULL;
    state->k_known = false;
    state->reader = state->readers = 0;
}

/* Rows of block `block` of `blocks`. A block contains all rows that a wall's ghosts follow from. */
static struct range wedge_rows(const struct tiling *g, int op, int block, int blocks)
{
    const struct operation *o = &g->t->ops[op];
    struct range r = operation_range(g->t, o, 1);
    const int n = g->t->pass->patch->n[1];
    if (block > 0)
        r.low = round_down(n * block / blocks, o->grain);
    if (block < blocks - 1)
        r.high = round_down(n * (block + 1) / blocks, o->grain);
    return r;
}

static void work_wedge(const struct tiling *g, int op, int slab, int block,
                       struct thread_state *state)
{
    const struct operation *o = &g->t->ops[op];
    const struct range planes = wedge_planes(g, op, slab),
                       rows = wedge_rows(g, op, block, g->wedge_blocks);
    for (int k = planes.low; k < planes.high; k += o->grain)
        work_plane(g->t, o, rows, k, state);
}

/* Thread i has the items i, i + threads, …: strips of one slab. A strip waits for the one before it
 * only, which is an item of a lower number. Each thread works in increasing order. So even a team
 * of fewer threads than asked for has no circle of threads that wait. */
static void work_item(const struct tiling *g, int item, struct thread_state *state)
{
    const int threads = g->slabs * g->sharers, thread = item % threads;
    work_strip(g, thread / g->sharers, item / threads * g->sharers + thread % g->sharers, state);
}

static void work_slabs(const struct tiling *g)
{
    const int threads = g->slabs * g->sharers;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        struct thread_state *state = &g->t->states[omp_get_thread_num()];
#pragma omp for schedule(static, 1)
        for (int item = 0; item < g->slabs * g->strips; item++)
            work_item(g, item, state);
        for (int op = g->first; op < g->last && g->slabs > 1; op++) {
#pragma omp for collapse(2) schedule(static)
            for (int slab = 1; slab < g->slabs; slab++)
                for (int block = 0; block < g->wedge_blocks; block++)
                    work_wedge(g, op, slab, block, state);
        }
    }
}

/* The most operations that one trip can fuse: wedges of neighbouring borders must not meet. */
static int fusable(const struct traversal *t, int slabs)
{
    const int planes = t->pass->patch->n[2] / slabs;
    const int count = slabs == 1 ? MAX_OPERATIONS : (planes - t->lag - 4) / (2 * t->lag) + 1;
    return min_int(count, t->nops);
}

/* The least rows per strip on average. The skew takes up to half of its whole from the first strip
 * and from the last. Both keep the rows that a wall's ghosts follow from. */
static int min_rows(const struct traversal *t, int count)
{
    return ((count - 1) * t->lag + 1) / 2 + MAX_WALL_CELLS;
}

/* Trips of each field through memory, if the patch is cut into `slabs` slabs. Each operation reads
 * its planes of the wedges from memory. */
static double memory_trips(const struct traversal *t, int slabs)
{
    const int most = fusable(t, slabs);
    double trips = 0.0;
    for (int first = 0; first < t->nops; first += max_int(most, 1)) {
        const int count = min_int(max_int(most, 1), t->nops - first);
        const double planes_in_wedges = (double)(slabs - 1) * t->lag * count * (count - 1);
        trips += 1.0 + planes_in_wedges / t->pass->patch->n[2];
    }
    return trips;
}

/* Time of a pass, in operations on cached data. The last of the threads that share a slab begins
 * sharers - 1 fronts after the first. */
static double estimated_time(const struct traversal *t, int slabs, int sharers)
{
    const double fronts = (double)t->pass->patch->n[2] / slabs;
    return (t->nops + TRIP * memory_trips(t, slabs)) * (1.0 + (sharers - 1) / fronts);
}

/* How many threads share a slab: more of them make slabs thicker, so that more operations fit into
 * one trip, and wedges fewer. */
static int choose_sharers(const struct traversal *t, int threads)
{
    int best = 1;
    for (int sharers = 2; sharers <= threads; sharers++) {
        const int slabs = threads / sharers, rows = min_rows(t, fusable(t, slabs));
        if (threads % sharers == 0 && t->pass->patch->n[1] / sharers >= rows &&
            estimated_time(t, slabs, sharers) < estimated_time(t, threads / best, best))
            best = sharers;
    }
    return best;
}

/* Rows per strip: few enough that the planes between first and last operation stay in a core's
 * share of the last-level cache, and enough that the skew does not dominate. Threads that share a
 * slab have equal numbers of strips. */
static void cut_strips(struct tiling *g)
{
    const struct patch *p = g->t->pass->patch;
    const int count = g->last - g->first, depth = (count + 1) * g->t->lag;
    const long row_bytes = FIELDS_IN_TILE * (long)sizeof(real) * p->sj;
    const int rows = max_int((int)(TILE_BYTES / (row_bytes * depth)), 2 * depth),
              most = max_int(1, p->n[1] / min_rows(g->t, count) / g->sharers),
              rounds = min_int(most, (max_int(1, p->n[1] / rows) - 1) / g->sharers + 1);
    g->strips = rounds * g->sharers;
    g->wedge_blocks = max_int(1, min_int(g->slabs * g->sharers, p->n[1] / (2 * MAX_WALL_CELLS)));
}

/* Makes room for the fluxes through a plane of the widest strip, per thread and operation. */
static void allocate_fluxes(struct tiling *g)
{
    const struct patch *p = g->t->pass->patch;
    for (int op = g->first; op < g->last; op++)
        for (int strip = 0; strip < g->strips; strip++) {
            const struct range rows = strip_rows(g, op, strip);
            const long width = p->n[0] + 2 * g->t->ops[op].extent;
            g->flux_length = max_long(g->flux_length, (rows.high - rows.low) * width);
        }
    const size_t length = (size_t)(g->slabs * g->sharers * MAX_OPERATIONS * g->flux_length);
    g->fluxes = memory_alloc(length * sizeof *g->fluxes, "fluxes of the tiled loops");
}

static void run_blocked_passes(struct tiling g)
{
    cut_strips(&g);
    g.done = memory_alloc_zero((size_t)(g.slabs * g.strips) * sizeof *g.done, "finished fronts");
    if (g.t->keeps_fluxes)
        allocate_fluxes(&g);
    work_slabs(&g);
    memory_free(g.fluxes);
    memory_free(g.done);
}

void traverse_tiled(const struct traversal *t)
{
    const long cells = patch_cells_count(t->pass->patch);
    const int threads = cpu_threads(cells), sharers = choose_sharers(t, threads),
              slabs = threads / sharers, most = fusable(t, slabs);
    if (cells <= CELLS_AT_ONCE || most < 2 || t->nops < 2) {
        traverse_plain(t);
        return;
    }
    for (int first = 0; first < t->nops; first += most)
        run_blocked_passes((struct tiling){.t = t,
                                           .first = first,
                                           .last = min_int(first + most, t->nops),
                                           .slabs = slabs,
                                           .sharers = sharers});
}
