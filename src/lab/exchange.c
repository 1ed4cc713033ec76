/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab exchange`: one halo exchange of a level between ranks, by every transport that works,
 * checked cell by cell and timed. */
#include <math.h>
#include <stdio.h>
#include "base/memory.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "lab/fields.h"
#include "lab/lab.h"
#include "level/plan.h"

/* Rounds that are checked: more than a transport has buffers in turn. */
enum { ROUNDS = 3, MIN_BOX_DIM = 4 };

/* A transport, and why it does not work here, or NULL. */
struct way {
    const char *name;
    const struct transport *transport;
    bool device_messages;
    const char *why_not;
};

/* The transports of this run: more than one only between GPUs. Returns their number. */
static int list_ways(bool on_device, struct way ways[3])
{
    if (comm_size() == 1) {
        ways[0] = (struct way){.name = "local"};
        return 1;
    }
    if (!on_device) {
        ways[0] = (struct way){.name = "mpi"};
        return 1;
    }
    ways[0] = (struct way){.name = "peer"};
    ways[0].transport = cuda_peer_transport(&ways[0].why_not);
    if (ways[0].transport)
        ways[0].why_not = NULL;
    ways[1] = (struct way){.name = "cuda-aware", .device_messages = true};
    if (!comm_takes_device_memory())
        ways[1].why_not = "the MPI library does not take pointers to GPU memory";
    ways[2] = (struct way){.name = "staged"};
    return 3;
}

/* N³ cells in at least as many boxes as ranks. False if boxes would be too small. */
static bool choose_boxes(int n, struct decomposition_spec *spec)
{
    const int ranks = comm_size();
    *spec = (struct decomposition_spec){.boxes_per_side = n, .ranks = ranks};
    while (spec->boxes_per_side % 2 == 0)
        spec->boxes_per_side /= 2;
    while ((long)spec->boxes_per_side * spec->boxes_per_side * spec->boxes_per_side < ranks)
        spec->boxes_per_side *= 2;
    spec->box_dim = n / spec->boxes_per_side;
    return spec_dim(*spec) == n && spec->box_dim >= MIN_BOX_DIM;
}

static int ghosts_of(const struct lab *lab)
{
    return stencil_ghosts(lab->options.order);
}

static struct level *create_level(const struct lab *lab, struct decomposition_spec spec,
                                  const struct way *way)
{
    struct level *l = level_create(0, decomposition_create(spec, comm_size()),
                                   lab->options.boundary == BOUNDARY_PERIODIC, ghosts_of(lab),
                                   lab->backend, lab->backend->row_align);
    level_allocate(l, FIELD_U);
    if (l->connected)
        plan_connect(l->halo, way->transport, way->device_messages);
    return l;
}

static void exchange_once(void *level)
{
    const struct level *l = level;
    plan_execute(l->halo, l->fields[FIELD_U], l->fields[FIELD_U], NULL);
}

/* Every round has other values: ghosts that an earlier round has left are wrong. Returns the wrong
 * ghosts of all ranks. */
static long check(struct level *l)
{
    int64_t wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        fill_random(l, FIELD_U, round);
        l->backend->synchronise();
        wrong += count_wrong_ghosts(l, FIELD_U, round);
    }
    comm_sum_i64(MPI_COMM_WORLD, &wrong, 1);
    return (long)wrong;
}

/* Exchanges back to back: as CUDA graphs where the device needs no host, as in the solver's
 * programs, else by the host's clock. */
static struct spread time_exchange(struct level *l, int samples)
{
    const enum timed_by by = plan_is_recordable(l->halo) ? TIMED_BY_BACKEND : TIMED_BY_HOST;
    return time_work(l->backend, by, exchange_once, l, samples);
}

/* The most that a rank sends to others in one exchange. */
static double bytes_sent(const struct level *l)
{
    double bytes = (double)l->halo->cells_sent * sizeof(double);
    comm_max_f64(MPI_COMM_WORLD, &bytes, 1);
    return bytes;
}

static void report_way(struct json *rows, const struct way *way, double bytes, long wrong,
                       const struct spread *s)
{
    struct json *row = json_add_object(rows, NULL);
    json_add_text(row, "transport", way->name);
    json_add_flag(row, "right", wrong == 0);
    json_add_number(row, "bytes_sent", bytes);
    if (wrong > 0) {
        printf("  %-12s %ld wrong ghosts, not timed\n", way->name, wrong);
        return;
    }
    printf("  %-12s %10.2f %10.2f %10.2f %12.4f", way->name, 1e6 * s->median, 1e6 * s->min,
           1e6 * s->max, 1e-6 * bytes);
    if (bytes > 0.0)
        printf(" %10.2f", 1e-9 * bytes / s->median);
    printf("\n");
    fflush(stdout);
    spread_add_json(row, s);
    json_add_number(row, "bytes_per_second", bytes > 0.0 ? bytes / s->median : NAN);
}

/* Returns whether the ghosts were right. */
static bool measure_way(const struct lab *lab, struct decomposition_spec spec,
                        const struct way *way, struct json *rows)
{
    struct level *l = create_level(lab, spec, way);
    const long wrong = check(l);
    struct spread s = {0};
    if (wrong == 0)
        s = time_exchange(l, (int)lab->options.samples);
    report_way(rows, way, bytes_sent(l), wrong, &s);
    level_destroy(l);
    return wrong == 0;
}

/* The field, with as much again for messages, of all ranks of a node. All ranks agree. */
static bool fits(const struct lab *lab, struct decomposition_spec spec, char *message, int size)
{
    const bool on_device = lab->backend->on_device;
    struct decomposition d = decomposition_create(spec, comm_size());
    double needed =
        2.0 * comm_node_size() *
        (double)decomposition_field_bytes(&d, comm_rank(), ghosts_of(lab), lab->backend->row_align);
    double available =
        on_device ? (double)cuda_device()->free_bytes : (double)memory_available_bytes();
    decomposition_destroy(&d);
    comm_max_f64(MPI_COMM_WORLD, &needed, 1);
    comm_min_f64(MPI_COMM_WORLD, &available, 1);
    return bytes_fit(needed, available, on_device ? "GPU" : "host", message, size);
}

static int measure_all(struct lab *lab, struct decomposition_spec spec)
{
    struct way ways[3];
    const int count = list_ways(lab->backend->on_device, ways);
    struct json *rows = json_add_array(lab->json, "transports");
    int wrong = 0;
    print_machine(lab);
    print_heading("halo of %d^3 cells, %d deep, %d ranks", lab->options.n, ghosts_of(lab),
                  comm_size());
    printf("  %-12s %10s %10s %10s %12s %10s\n", "transport", "us", "min", "max", "MB per rank",
           "GB/s");
    for (int w = 0; w < count; w++)
        if (ways[w].why_not)
            printf("  %-12s %s\n", ways[w].name, ways[w].why_not);
        else
            wrong += !measure_way(lab, spec, &ways[w], rows);
    return wrong;
}

enum status exchange_command(struct lab *lab, char *message, int message_size)
{
    struct decomposition_spec spec;
    const bool own_neighbour = lab->options.boundary == BOUNDARY_PERIODIC && !lab->backend->wraps;
    if (comm_size() == 1 && !own_neighbour) {
        snprintf(message, (size_t)message_size,
                 "one rank has no neighbours; use mpirun with several, or on the CPU --boundary "
                 "periodic");
        return STATUS_USAGE;
    }
    if (!choose_boxes(lab->options.n, &spec)) {
        snprintf(message, (size_t)message_size,
                 "N: %d^3 cells have no box of %d^3 for each of %d ranks", lab->options.n,
                 (int)MIN_BOX_DIM, comm_size());
        return STATUS_USAGE;
    }
    if (!fits(lab, spec, message, message_size))
        return STATUS_MEMORY;
    json_add_number(lab->json, "ranks", comm_size());
    const int wrong = measure_all(lab, spec);
    if (wrong == 0)
        return STATUS_VALID;
    snprintf(message, (size_t)message_size, "%d transports gave wrong results", wrong);
    return STATUS_INVALID;
}
