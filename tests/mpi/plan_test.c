/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans between levels whose boxes lie on several ranks, some of which have none. Every rank makes
 * the same random cases; mistakes are added up, so that all ranks fail together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>
#include "cpu/cpu.h"
#include "level/build.h"
#include "support/sides.h"
#include "support/death.h"
#include "support/decompositions.h"
#include "support/plan_oracle.h"
#include "support/run.h"

enum { CASES = 250, PLANS = 4, ROUNDS = 200, LARGEST_DIM = 12, LARGEST_GHOSTS = 3 };

static int64_t on_all_ranks(int64_t value)
{
    comm_sum_i64(MPI_COMM_WORLD, &value, 1);
    return value;
}

/* A random decomposition, or one as the program makes it. */
static struct decomposition any_decomposition(const int n[3])
{
    if (random_bool())
        return random_decomposition(n, random_int(0, 12), comm_size());
    struct decomposition_spec spec;
    for (int d = 0; d < 3; d++) {
        spec.boxes[d] = random_int(1, n[d] < 4 ? n[d] : 4);
        while (n[d] % spec.boxes[d] != 0)
            spec.boxes[d]--;
        spec.box_cells[d] = n[d] / spec.boxes[d];
    }
    const int boxes = (int)spec_boxes(&spec);
    spec.ranks = random_int(1, boxes < comm_size() ? boxes : comm_size());
    return decomposition_create(spec, comm_size());
}

/* Whose passes wrap around boxes. */
static struct backend wrapping;

static struct level *random_level(struct extent extent, struct sides sides, int ghosts)
{
    wrapping = backend_cpu;
    wrapping.wraps = true;
    return level_create(0, any_decomposition(extent.n), sides, ghosts,
                        random_bool() ? &wrapping : &backend_cpu, 1 << random_int(0, 4));
}

static void halos_fill_every_ghost_once(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct extent extent = random_extent(1, LARGEST_DIM);
        struct level *l = random_level(extent, random_sides(), random_int(0, LARGEST_GHOSTS));
        for (int n = 0; n < PLANS; n++)
            EXPECT(on_all_ranks(plan_mistakes(random_plan(l, l))) == 0);
        level_destroy(l);
    }
}

/* Agglomeration and distribution. */
static void cells_move_to_other_ranks(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct extent extent = random_extent(1, LARGEST_DIM);
        const struct sides sides = random_sides();
        struct level *a = random_level(extent, sides, random_int(0, LARGEST_GHOSTS)),
                     *b = random_level(extent, sides, random_int(0, LARGEST_GHOSTS));
        for (int n = 0; n < PLANS / 2; n++) {
            EXPECT(on_all_ranks(plan_mistakes(random_plan(a, b))) == 0);
            EXPECT(on_all_ranks(plan_mistakes(random_plan(b, a))) == 0);
        }
        level_destroy(a);
        level_destroy(b);
    }
}

/* Plans that are connected share memory among the ranks of a node, here of one or two nodes; others
 * leave their messages to MPI. */
static void connect_by_number(struct plan *plan, long number)
{
    comm_mock_nodes((int)(number % 3));
    if (number % 3 > 0)
        plan_connect(plan, NULL, false);
    comm_mock_nodes(0);
}

/* Ranks run ahead of each other, and messages of different rounds must not be confused. */
static void plans_are_used_again_and_again(void **state)
{
    (void)state;
    for (long number = 0; number < 5; number++) {
        random_begin(number);
        struct level *a = random_level((struct extent){{8, 4, 6}}, sides_if(number % 2 == 0), 2),
                     *b = random_level((struct extent){{8, 4, 6}}, sides_if(number % 2 == 0), 2);
        struct plan_case there = {a, b, TARGET_GROWN, 2, CENTRE_CELL, NULL},
                         halo = {b, b, TARGET_GHOSTS, 2, CENTRE_CELL, NULL};
        struct plan_times times = {0};
        int64_t mistakes = 0;
        there.plan = plan_create(a, b, there.what, there.grow, there.centre);
        halo.plan = plan_create(b, b, halo.what, halo.grow, halo.centre);
        connect_by_number(there.plan, number);
        connect_by_number(halo.plan, number);
        double *to = field_of_nan(b), *expected = field_of_nan(b);
        for (int round = 0; round < ROUNDS; round++) {
            double *from = source_field(&there, round);
            plan_execute(there.plan, from, to, &times);
            plan_execute(halo.plan, to, to, &times);
            add_filled(&there, expected, round);
            mistakes += count_differences(to, expected, b->field_length);
            memory_free(from);
        }
        EXPECT(on_all_ranks(mistakes) == 0);
        EXPECT(times.pack >= 0 && times.local >= 0 && times.wait >= 0 && times.unpack >= 0);
        memory_free(to);
        memory_free(expected);
        plan_destroy(there.plan);
        plan_destroy(halo.plan);
        level_destroy(a);
        level_destroy(b);
    }
}

static void late_copy(const struct copy_list *list, const void *from, void *to)
{
    const struct timespec time = {0, 2000000};
    if (list->count > 0)
        nanosleep(&time, NULL);
    backend_cpu.memory->copy(list, from, to);
}

/* All ranks send to one, which unpacks late and sends nothing. They must not overwrite what it has
 * still to read. */
static void a_late_rank_reads_what_was_sent(void **state)
{
    (void)state;
    struct backend late = backend_cpu;
    struct backend_memory slow = *backend_cpu.memory;
    slow.copy = late_copy;
    late.memory = &slow;
    for (long number = 0; number < 3; number++) {
        struct level *from = level_create(
                         0, decomposition_create(spec_cube(2, 4, comm_size()), comm_size()),
                         sides_if(false), 1, &backend_cpu, 1),
                     *to = level_create(0, decomposition_create(spec_cube(2, 4, 1), comm_size()),
                                        sides_if(false), 1, &late, 1);
        struct plan_case at = {from, to, TARGET_GROWN, 0, CENTRE_CELL, NULL};
        at.plan = plan_create(from, to, at.what, at.grow, at.centre);
        connect_by_number(at.plan, number);
        EXPECT(on_all_ranks(mistakes_in_rounds(&at, 20)) == 0);
        plan_destroy(at.plan);
        level_destroy(from);
        level_destroy(to);
    }
}

/* A transport that reaches at most one other rank, and uses MPI itself. */
static bool is_partner(int rank)
{
    return rank / 2 == comm_rank() / 2;
}

static void carry(struct route *route, const double *from, double *to)
{
    for (int phase = 0; phase < NUM_PHASES; phase++)
        transport_mpi.phases[phase](route, from, to);
    transport_local.phases[PHASE_MOVE](route, from, to);
}

static void drop(struct route *route)
{
    transport_mpi.disconnect(route);
}

static const struct transport to_partners = {
    .reaches = is_partner, .disconnect = drop, .phases = {[PHASE_MOVE] = carry}};

static int64_t mistaken_peers(const struct copy_list *list, bool partners)
{
    int64_t mistakes = 0;
    for (int c = 0; c < list->count; c++)
        mistakes += is_partner(list->copies[c].peer) != partners;
    return mistakes;
}

/* Mistakes of a plan between levels on "devices". */
static int64_t mistakes_by_several_routes(struct plan_case at, int nodes)
{
    int64_t mistakes = 0;
    at.plan = plan_create(at.source, at.target, at.what, at.grow, at.centre);
    comm_mock_nodes(nodes);
    plan_connect(at.plan, &to_partners, false);
    comm_mock_nodes(0);
    for (int r = 0; r < at.plan->nroutes; r++)
        for (int d = 0; d < NUM_DIRECTIONS; d++)
            mistakes += mistaken_peers(&at.plan->routes[r].lists[d], r == at.plan->nroutes - 1);
    mistakes += mistakes_in_rounds(&at, 3);
    plan_destroy(at.plan);
    return mistakes;
}

/* As between GPUs of several nodes: the transport carries some messages, shared memory others
 * within the node, and MPI the rest. */
static void messages_go_several_ways_in_one_exchange(void **state)
{
    (void)state;
    struct backend device = backend_cpu;
    device.on_device = true;
    device.staging = &backend_cpu;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct extent extent = random_extent(1, LARGEST_DIM);
        const struct sides sides = random_sides();
        struct level *a = random_level(extent, sides, random_int(0, LARGEST_GHOSTS)),
                     *b = random_level(extent, sides, random_int(0, LARGEST_GHOSTS));
        a->backend = b->backend = &device;
        EXPECT(on_all_ranks(mistakes_by_several_routes(random_plan(a, b), 1)) == 0);
        EXPECT(on_all_ranks(mistakes_by_several_routes(random_plan(b, b), 2)) == 0);
        level_destroy(a);
        level_destroy(b);
    }
}

static struct backend_memory memory;
static struct backend device, host;

static const struct backend *buffers_of(struct level *from, struct level *to, bool device_messages,
                                        bool *shared)
{
    struct plan *plan = plan_create(from, to, TARGET_GROWN, 0, CENTRE_CELL);
    plan_connect(plan, NULL, device_messages);
    plan_execute(plan, level_natural(from, FIELD_U), level_natural(to, FIELD_U), NULL);
    const struct backend *buffers = plan->routes[0].buffers;
    *shared = plan->nroutes > 2 && plan->routes[1].transport == &transport_node;
    plan_destroy(plan);
    return buffers;
}

/* MPI's buffers lie where both MPI and the device can access them: on the host, unless both ends
 * are on devices and MPI takes pointers to them. Where all ranks are on one node and both ends on
 * devices that reach host memory, the ranks share it. */
static void buffers_are_where_mpi_reaches_them(void **state)
{
    (void)state;
    device = host = backend_cpu;
    device.on_device = true;
    struct level *l[2];
    for (int x = 0; x < 2; x++) {
        const struct decomposition_spec spec = spec_cube(2, 4, x ? 1 : comm_size());
        l[x] = level_create(0, decomposition_create(spec, comm_size()), sides_if(false), 1, &device,
                            1);
        level_allocate(l[x], FIELD_U);
    }
    for (int number = 0; number < 8; number++) {
        const bool staged = number & 1, to_host = number & 2, messages = number & 4;
        device.staging = staged ? &host : NULL;
        l[1]->backend = to_host ? &host : &device;
        bool shared;
        const struct backend *buffers = buffers_of(l[0], l[1], messages, &shared);
        const bool on_host = staged && (to_host || !messages);
        EXPECT(shared == (comm_size() > 1 && on_host && !to_host));
        EXPECT(buffers == (comm_size() == 1 || shared ? NULL : on_host ? &host : &device));
    }
    level_destroy(l[0]);
    level_destroy(l[1]);
}

static struct plan_case tried;

static void execute_halo(void)
{
    double *field = level_natural(tried.source, FIELD_U);
    plan_execute(tried.plan, field, field, NULL);
}

/* As if one value of each message had not arrived. */
static void lose_first(const double *field, double *values, long count)
{
    backend_cpu.memory->download(field, values, count);
    values[0] = 0.0;
}

/* Before they are used, messages from device memory are tried, by every rank that receives some. */
static void lost_messages_from_devices_end_the_job(void **state)
{
    (void)state;
    device = backend_cpu;
    device.on_device = true;
    memory = *backend_cpu.memory;
    device.memory = &memory;
    struct level *l =
        level_create(0, decomposition_create(spec_cube(2, 4, comm_size()), comm_size()),
                     sides_if(true), 1, &device, 1);
    level_allocate(l, FIELD_U);
    tried = (struct plan_case){l, l, TARGET_GHOSTS, 1, CENTRE_CELL, NULL};
    for (int number = 0; number < 4; number++) {
        const bool messages = number & 1, lost = number & 2;
        memory.download = lost ? lose_first : backend_cpu.memory->download;
        tried.plan = plan_create(l, l, tried.what, tried.grow, tried.centre);
        plan_connect(tried.plan, NULL, messages);
        const bool ends = messages && lost && tried.plan->routes[0].exchange.receives.count > 0;
        EXPECT(death_of(execute_halo) == (ends ? STATUS_SYSTEM : 0));
        plan_destroy(tried.plan);
    }
    level_destroy(l);
}

/* Mistakes in a level's data about ranks. */
static int64_t level_mistakes(const struct level *l)
{
    const struct decomposition *d = &l->decomposition;
    int64_t patches = 0, mistakes = 0;
    for (int b = 0; b < d->nboxes; b++)
        if (d->owner[b] == comm_rank()) {
            mistakes += patches >= l->npatches || l->patches[patches].index != b ||
                        !box_equal(l->patches[patches].box, d->boxes[b]);
            patches++;
        }
    mistakes += l->npatches != patches || l->active != (patches > 0);
    mistakes += on_all_ranks(l->active) != l->nranks;
    mistakes += (l->comm != MPI_COMM_NULL) != l->active;
    if (l->active) {
        int64_t members = 1;
        comm_sum_i64(l->comm, &members, 1);
        mistakes += members != l->nranks;
    }
    return mistakes;
}

static void levels_know_their_ranks(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int row_align = 1 << random_int(0, 4), ghosts = random_int(0, LARGEST_GHOSTS);
        struct level *l = level_create(0, any_decomposition(random_extent(1, LARGEST_DIM).n),
                                       random_sides(), ghosts, &backend_cpu, row_align);
        EXPECT(on_all_ranks(level_mistakes(l)) == 0);
        const size_t bytes =
            decomposition_field_bytes(&l->decomposition, comm_rank(), ghosts, row_align);
        EXPECT(on_all_ranks(bytes != level_field_bytes(l)) == 0);
        level_destroy(l);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halos_fill_every_ghost_once),
        cmocka_unit_test(cells_move_to_other_ranks),
        cmocka_unit_test(plans_are_used_again_and_again),
        cmocka_unit_test(a_late_rank_reads_what_was_sent),
        cmocka_unit_test(messages_go_several_ways_in_one_exchange),
        cmocka_unit_test(buffers_are_where_mpi_reaches_them),
        cmocka_unit_test(lost_messages_from_devices_end_the_job),
        cmocka_unit_test(levels_know_their_ranks),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
