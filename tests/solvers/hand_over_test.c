/* SPDX-License-Identifier: BSD-3-Clause */
/* A recorded cycle hands over to the host: its replays give the answer of an execution, and while
 * the device waits for the host nothing waits for the device. The device here is the CPU's backend
 * with a list of what it does, also between ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/memory.h"
#include "comm/comm.h"
#include "operators/bodies.h"
#include "cpu/cpu.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "support/run.h"
#include "support/solve_case.h"

enum { MAX_WORK = 4000, MAX_HAND_OVERS = 64, SOLVES = 4 };

static struct passes passes;
static struct backend device, host;

/* Work that a replay does: a call of one of these functions. */
struct work {
    enum { PASS, GHOSTS, COPY, EXCHANGE, VISIT, MEAN, HAND_OVER } kind;
    struct pass pass; /* of MEAN: level, f */
    enum body body;
    _Alignas(16) char arguments[128]; /* of VISIT */
    int n[3];
    const struct copy_list *list;
    struct route *route;
    const double *from;
    double *to;
    int hand_over;
};

struct recording {
    int count, hand_overs;
    struct work work[MAX_WORK];
    struct hand_over list[MAX_HAND_OVERS];
};

static struct recording *recording; /* that has begun */
static bool host_works;             /* in a replay */

static bool refuses, cannot_wait; /* the device */
static struct {
    int asked, begun, replayed, hand_overs;
} seen;

static void copy(const struct copy_list *list, const void *from, void *to);

/* As the device of all ranks: by MPI, which a recording otherwise excludes. */
static void exchange(struct route *route, const double *from, double *to)
{
    struct exchange *x = &route->exchange;
    backend_cpu.memory->copy(&route->lists[COPY_OUT], from, x->sends.buffer);
    exchange_start(x);
    backend_cpu.memory->copy(&route->lists[COPY_LOCAL], from, to);
    exchange_wait(x);
    backend_cpu.memory->copy(&route->lists[COPY_IN], x->receives.buffer, to);
}

static void subtract_mean(struct level *l, enum field x);

static void hand_over(const struct hand_over *h)
{
    for (int c = 0; c < MAX_PLAN_COPIES; c++)
        backend_cpu.memory->copy(h->down[c].list, h->down[c].from, h->down[c].to);
    host_works = true;
    h->work(h->data, h->first);
    host_works = false;
    for (int c = 0; c < MAX_PLAN_COPIES; c++)
        backend_cpu.memory->copy(h->up[c].list, h->up[c].from, h->up[c].to);
    seen.hand_overs++;
}

/* Outside a recording, r is NULL and nothing is handed over. */
static void do_work(const struct recording *r, const struct work *w)
{
    const struct pass *p = &w->pass;
    switch (w->kind) {
    case PASS:
        backend_cpu_plain.passes->run(p);
        return;
    case GHOSTS:
        backend_cpu_plain.passes->fill_ghosts(p);
        return;
    case COPY:
        backend_cpu.memory->copy(w->list, w->from, w->to);
        return;
    case EXCHANGE:
        exchange(w->route, w->from, w->to);
        return;
    case VISIT:
        backend_cpu_plain.passes->visit(w->body, w->arguments, w->n);
        return;
    case MEAN:
        passes.subtract_mean = NULL;
        reduce_subtract_mean(p->level, p->f);
        passes.subtract_mean = subtract_mean;
        return;
    case HAND_OVER:
        hand_over(&r->list[w->hand_over]);
        return;
    }
}

static void record(struct work work)
{
    assert_false(host_works);
    if (!recording) {
        do_work(NULL, &work);
        return;
    }
    assert_true(recording->count < MAX_WORK);
    recording->work[recording->count++] = work;
}

static void run(const struct pass *pass)
{
    record((struct work){.kind = PASS, .pass = *pass});
}

static void fill_ghosts(const struct pass *pass)
{
    record((struct work){.kind = GHOSTS, .pass = *pass});
}

static void copy(const struct copy_list *list, const void *from, void *to)
{
    record((struct work){.kind = COPY, .list = list, .from = from, .to = to});
}

static void visit(enum body body, const void *arguments, const int n[3])
{
    static const size_t sizes[] = {
#define BODY(name, arguments_type) sizeof(struct arguments_type),
#include "backend/bodies.def"
#undef BODY
    };
    struct work work = {.kind = VISIT, .body = body, .n = {n[0], n[1], n[2]}};
    assert_true(sizes[body] <= sizeof work.arguments);
    memcpy(work.arguments, arguments, sizes[body]);
    record(work);
}

static void subtract_mean(struct level *l, enum field x)
{
    record((struct work){.kind = MEAN, .pass = {.level = l, .f = x}});
}

static void synchronise(void)
{
    assert_false(host_works);
}

static bool record_begin(const struct hand_over *hand_overs, int count)
{
    assert_true(count <= MAX_HAND_OVERS);
    seen.asked++;
    if (refuses)
        return false;
    recording = memory_alloc_zero(sizeof *recording, "recording");
    for (int h = 0; h < count; h++)
        recording->list[h] = hand_overs[h];
    seen.begun++;
    return true;
}

static void record_hand_over(int index)
{
    assert_int_equal(index, recording->hand_overs++);
    record((struct work){.kind = HAND_OVER, .hand_over = index});
}

static struct recording *record_end(void)
{
    struct recording *r = recording;
    recording = NULL;
    return r;
}

static void replay(struct recording *r, uint64_t *norm)
{
    (void)norm;
    for (int w = 0; w < r->count; w++)
        do_work(r, &r->work[w]);
    seen.replayed++;
}

static void record_destroy(struct recording *r)
{
    memory_free(r);
}

static bool can_wait_for_host(void)
{
    return !cannot_wait;
}

static bool reaches(int rank)
{
    (void)rank;
    return true;
}

static bool connect(struct route *route)
{
    struct exchange *x = &route->exchange;
    x->sends.buffer = backend_cpu.memory->allocate(x->sends.length, "sends");
    x->receives.buffer = backend_cpu.memory->allocate(x->receives.length, "receives");
    return true;
}

static void execute(struct route *route, const double *from, double *to)
{
    record((struct work){.kind = EXCHANGE, .route = route, .from = from, .to = to});
}

static void disconnect(struct route *route)
{
    backend_cpu.memory->release(route->exchange.sends.buffer);
    backend_cpu.memory->release(route->exchange.receives.buffer);
}

static const struct transport transport = {.reaches = reaches,
                                           .connect = connect,
                                           .disconnect = disconnect,
                                           .phases = {[PHASE_MOVE] = execute}};

struct variant {
    double cpu_below;
    int order;
    bool helmholtz, periodic;
    enum smoother smoother;
    bool unfused;
};

/* 32³ cells, the fine levels on the device. Those of 8 boxes on the host have halos between ranks.
 */
static struct hierarchy_choice choice_of(const struct variant *v)
{
    struct hierarchy_choice choice =
        case_choice(v->order, v->helmholtz, v->periodic, v->smoother, 4, 8);
    choice.placement.backend = &device;
    choice.placement.coarse_backend = &host;
    choice.placement.cpu_below = v->cpu_below;
    choice.placement.transport = &transport;
    return choice;
}

/* Solves several times, u overwritten before each; all answers must be those of the CPU alone. */
static enum hand_over_way solve(const struct variant *v)
{
    struct hierarchy_choice choice = choice_of(v), all_on_cpu = choice;
    struct solve_result result, expected;
    all_on_cpu.placement.coarse_backend = NULL;
    all_on_cpu.placement.transport = NULL;
    all_on_cpu.placement.backend = &backend_cpu;
    struct hierarchy *h = hierarchy_create(&all_on_cpu);
    struct solver *s = solver_create(h, 0, (struct solver_choice){.f_cycle = true});
    solver_run(s, &expected);
    const uint64_t checksum = reduce_checksum(h->levels[0], FIELD_U);
    solver_destroy(s);
    hierarchy_destroy(h);

    choice.unfused = v->unfused;
    h = hierarchy_create(&choice);
    s = solver_create(h, 0, (struct solver_choice){.f_cycle = true});
    memset(&seen, 0, sizeof seen);
    for (int i = 0; i < SOLVES; i++) {
        for (int l = 0; l < h->nlevels; l++)
            vector_add_constant(h->levels[l], FIELD_U, 1.0 + i);
        solver_run(s, &result);
        assert_true(reduce_checksum(h->levels[0], FIELD_U) == checksum);
        assert_true(result.history[0] == expected.history[0]);
    }
    const enum hand_over_way done = program_hand_over(s->first);
    solver_destroy(s);
    hierarchy_destroy(h);
    return done;
}

static const struct variant variants[] = {
    {4097, 2, false, false, SMOOTHER_GSRB, false},
    {513, 4, false, false, SMOOTHER_GSRB, true},
    {513, 2, false, true, SMOOTHER_GSRB, false},
    {4097, 4, true, true, SMOOTHER_CHEBYSHEV, true},
    {513, 2, true, false, SMOOTHER_CHEBYSHEV, false},
    {513, 2, false, false, SMOOTHER_GSRB, true},
};
enum { NUM_VARIANTS = sizeof variants / sizeof variants[0] };

static bool has_means_between_ranks(const struct variant *v)
{
    return v->periodic && !v->helmholtz && comm_size() > 1;
}

static void a_replay_hands_over(void **state)
{
    (void)state;
    for (int v = 0; v < NUM_VARIANTS; v++) {
        const enum hand_over_way way = solve(&variants[v]);
        const bool recorded = !has_means_between_ranks(&variants[v]);
        assert_int_equal(way, recorded ? HAND_OVER_GRAPH : HAND_OVER_HOST);
        assert_int_equal(seen.begun, recorded);
        assert_int_equal(seen.replayed, recorded ? SOLVES - 1 : 0);
        assert_true(seen.hand_overs > seen.replayed || !recorded);
    }
}

static void a_device_that_cannot_wait(void **state)
{
    (void)state;
    cannot_wait = true;
    assert_int_equal(solve(&variants[0]), HAND_OVER_HOST);
    assert_int_equal(seen.asked, 0);
    cannot_wait = false;
}

/* It is asked once. */
static void a_device_that_refuses(void **state)
{
    (void)state;
    refuses = true;
    assert_int_equal(solve(&variants[0]), HAND_OVER_HOST);
    assert_int_equal(seen.asked, 1);
    refuses = false;
}

static struct backend_memory memory, host_memory;
static const struct backend_recorder recorder = {.begin = record_begin,
                                                 .hand_over = record_hand_over,
                                                 .end = record_end,
                                                 .replay = replay,
                                                 .destroy = record_destroy,
                                                 .can_wait_for_host = can_wait_for_host};

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replay_hands_over),
        cmocka_unit_test(a_device_that_cannot_wait),
        cmocka_unit_test(a_device_that_refuses),
    };
    comm_start(&argc, &argv);
    passes = *backend_cpu_plain.passes; /* a device has fields in no order of the host's */
    passes.run = run;
    passes.fill_ghosts = fill_ghosts;
    passes.visit = visit;
    passes.subtract_mean = subtract_mean;
    device = backend_cpu;
    host = backend_cpu;
    memory = host_memory = *backend_cpu.memory;
    memory.synchronise = host_memory.synchronise = synchronise;
    memory.copy = copy;
    host.memory = &host_memory;
    device.name = "device";
    device.on_device = true;
    device.staging = &host;
    device.passes = &passes;
    device.memory = &memory;
    device.recorder = &recorder;
    return finish_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
