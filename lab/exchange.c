/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab exchange`: one halo exchange of a level between ranks, by every transport that works,
 * checked cell by cell and timed. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "lab/stage_case.h"
#include "lab/lab.h"
#include "lab/experiments.h"
#include "level/build.h"
#include "level/message_trial.h"
#include "level/plan.h"

/* Rounds that are checked: more than a transport has buffers in turn. */
enum { ROUNDS = 3, MIN_BOX_DIM = 4, NAME_WIDTH = 12 };

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
    if (comm_size() == 1 || !on_device) {
        ways[0] = (struct way){.name = comm_size() == 1 ? "local" : "mpi"};
        return 1;
    }
    ways[0] = (struct way){.name = "peer"};
    ways[0].transport = cuda_peer_transport(&ways[0].why_not);
    if (ways[0].transport)
        ways[0].why_not = NULL;
    ways[1] = (struct way){.name = "cuda-aware", .device_messages = true};
    ways[1].why_not = gpu_aware_mpi_error(&backend_cuda);
    ways[2] = (struct way){.name = "staged"};
    return 3;
}

/* N³ cells in at least as many boxes as ranks. False if boxes would be too small. */
static bool choose_boxes(int n, struct decomposition_spec *spec)
{
    const int ranks = comm_size();
    int boxes_per_side = n;
    while (boxes_per_side % 2 == 0)
        boxes_per_side /= 2;
    while ((long)boxes_per_side * boxes_per_side * boxes_per_side < ranks)
        boxes_per_side *= 2;
    *spec = spec_cube(boxes_per_side, n / boxes_per_side, ranks);
    return n % boxes_per_side == 0 && n / boxes_per_side >= MIN_BOX_DIM;
}

static int ghosts_of(const struct lab *lab)
{
    return stencil_ghosts(lab->options.order);
}

static struct level *create_level(const struct lab *lab, struct decomposition_spec spec,
                                  const struct way *way)
{
    struct level *l = level_create(0, decomposition_create(spec, comm_size()),
                                   boundary_sides(lab->options.boundary), ghosts_of(lab),
                                   lab->backend, lab->backend->row_align);
    level_allocate(l, FIELD_U);
    if (l->connected)
        plan_connect(l->halo, way->transport, way->device_messages);
    return l;
}

static void exchange_once(void *level)
{
    level_exchange_halo(level, FIELD_U);
}

/* Every round has other values: ghosts that an earlier round has left are wrong. Returns the wrong
 * ghosts of all ranks. */
static long check(struct level *l)
{
    int64_t wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        fill_random(l, FIELD_U, round);
        l->backend->memory->synchronise();
        wrong += count_wrong_ghosts(l, FIELD_U, round);
    }
    comm_sum_i64(comm_world(), &wrong, 1);
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
    double bytes = (double)l->halo->cells[COPY_OUT] * sizeof(double);
    comm_max_f64(comm_world(), &bytes, 1);
    return bytes;
}

/* Checks and times it. Returns whether it was right; *titled: the table has titles. */
static bool measure_way(const struct lab *lab, struct decomposition_spec spec,
                        const struct way *way, struct json *rows, bool *titled)
{
    struct level *l = create_level(lab, spec, way);
    struct json *row = json_add_object(rows, NULL);
    int wrong = 0;
    const bool timed = is_timed(lab, way->name, NAME_WIDTH, check(l), NULL, &wrong);
    json_add_text(row, "transport", way->name);
    json_add_flag(row, "right", wrong == 0);
    if (timed) {
        const struct spread s = time_exchange(l, (int)lab->options.samples);
        const double bytes = bytes_sent(l);
        const struct column columns[] = {
            {"us", NULL, 10, 2, 1e-6, s.median},
            {"min", NULL, 10, 2, 1e-6, s.min},
            {"max", NULL, 10, 2, 1e-6, s.max},
            {"MB per rank", "bytes_sent", 12, 4, 1e6, bytes},
            {"GB/s", "bytes_per_second", 10, 2, 1e9, per_second(bytes, s.median)},
        };
        *titled = report_row(row, *titled ? NULL : "transport", way->name, NAME_WIDTH, columns, 5);
        printf("\n");
        spread_add_json(row, &s);
    }
    level_destroy(l);
    return wrong == 0;
}

/* The field, with as much again for messages, of all ranks of a node. All ranks agree. */
static enum status check_memory(const struct lab *lab, struct decomposition_spec spec)
{
    struct decomposition d = decomposition_create(spec, comm_size());
    double needed =
        2.0 * comm_node_size() *
        (double)decomposition_field_bytes(&d, comm_rank(), ghosts_of(lab), lab->backend->row_align);
    double available = pool_available_bytes(lab->backend);
    decomposition_destroy(&d);
    comm_max_f64(comm_world(), &needed, 1);
    comm_min_f64(comm_world(), &available, 1);
    return bytes_fit(needed, available, lab->backend->on_device ? "GPU" : "host");
}

static int measure_all(struct lab *lab, struct decomposition_spec spec)
{
    struct way ways[3];
    const int count = list_ways(lab->backend->on_device, ways);
    struct json *rows = json_add_array(lab->json, "transports");
    bool titled = false;
    int wrong = 0;
    print_machine(lab);
    print_heading("halo of %d^3 cells, %d deep, %d ranks", lab->options.n, ghosts_of(lab),
                  comm_size());
    for (int w = 0; w < count; w++)
        if (ways[w].why_not)
            printf("  %-*s %s\n", NAME_WIDTH, ways[w].name, ways[w].why_not);
        else
            wrong += !measure_way(lab, spec, &ways[w], rows, &titled);
    return wrong;
}

enum status exchange_command(struct lab *lab)
{
    struct decomposition_spec spec;
    const struct sides sides = boundary_sides(lab->options.boundary);
    const bool own_neighbour = level_connects(lab->backend, &sides, 1);
    if (comm_size() == 1 && !own_neighbour)
        return refuse(STATUS_USAGE, "one rank has no neighbours; use mpirun with several, or on "
                                    "the CPU --boundary periodic");
    if (!choose_boxes(lab->options.n, &spec))
        return refuse(STATUS_USAGE, "N: %d^3 cells have no box of %d^3 for each of %d ranks",
                      lab->options.n, (int)MIN_BOX_DIM, comm_size());
    const enum status status = check_memory(lab, spec);
    if (status != STATUS_VALID)
        return status;
    json_add_number(lab->json, "ranks", comm_size());
    return all_right(measure_all(lab, spec), "transports");
}
