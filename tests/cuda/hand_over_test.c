/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorded cycles with levels on the CPU: every replay has the checksum of the CPU alone, also when
 * the CPU or the GPU is late by random times. `hand_over_test SOLVES` solves so often without
 * delays. `hand_over_test late` keeps the GPU waiting for three seconds, and `hand_over_test dies`
 * ends the program while the GPU waits. `hand_over_test times` times hand-overs alone. Exit status:
 * 0 if all agree, 1 if not, 77 without a GPU. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "cuda/cuda.h"
#include "support/solve_case.h"
#include "operators/vectors.h"

enum { NO_GPU = 77, DELAYED_SOLVES = 30, MAX_MICROSECONDS = 300, MAX_COPIES = 30 };

static struct passes host_passes, device_passes;
static struct backend host, device;
static bool host_is_late, device_is_late;
static unsigned seed;
static int replays;                /* begun; the first solve is none */
static bool host_dies, host_waits; /* in the first replay */

static void run_on_host(const struct pass *pass)
{
    if (host_is_late)
        usleep((useconds_t)(rand_r(&seed) % MAX_MICROSECONDS));
    if (host_dies && replays > 0)
        die(STATUS_MEMORY, "the host's work fails");
    if (host_waits && replays > 0) {
        host_waits = false;
        usleep(3000000);
    }
    cpu_passes.run(pass);
}

/* Copies of f to itself take time and change nothing. */
static void run_on_device(const struct pass *pass)
{
    for (int n = device_is_late ? rand_r(&seed) % MAX_COPIES : 0; n > 0; n--)
        vector_combine(pass->level, pass->f, 1.0, pass->f, 0.0, pass->f);
    backend_cuda.passes->run(pass);
}

/* A backend like `actual`, whose passes are run by `run`. */
static struct backend instead_of(const struct backend *actual, struct passes *passes,
                                 void (*run)(const struct pass *pass))
{
    struct backend b = *actual;
    *passes = *actual->passes;
    passes->run = run;
    b.passes = passes;
    return b;
}

static bool agrees(struct solver *s, uint64_t expected)
{
    struct solve_result result;
    const struct level *l = s->hierarchy->levels[0];
    vector_add_constant(s->hierarchy->levels[0], FIELD_U, 1.0);
    solver_run(s, &result);
    const uint64_t checksum = reduce_checksum(l, FIELD_U);
    if (checksum != expected)
        printf("checksum %016" PRIx64 ", on the CPU %016" PRIx64 "\n", checksum, expected);
    return checksum == expected;
}

/* Solves 32³ with levels below so many cells on the CPU; returns how many solves differ. */
static int count_differences(struct operator_choice op, double cpu_below, int solves)
{
    struct hierarchy_choice choice = case_choice(2, false, false, SMOOTHER_GSRB, 5, 1);
    choice.op = op;
    const uint64_t expected = case_f_cycle(&choice, NULL);
    choice.placement.backend = &device;
    choice.placement.coarse_backend = &host;
    choice.placement.cpu_below = cpu_below;
    struct hierarchy *h = hierarchy_create(&choice);
    struct solver *s = solver_create(h, 0, (struct solver_choice){.f_cycle = true});
    int differences = 0;
    for (replays = 0; replays < solves; replays++)
        differences += !agrees(s, expected);
    if (program_hand_over(s->first) != HAND_OVER_GRAPH) {
        printf("a cycle with levels below %.0f cells was not recorded\n", cpu_below);
        differences++;
    }
    solver_destroy(s);
    hierarchy_destroy(h);
    return differences;
}

static const struct operator_choice operators[] = {
    {.order = 2, .variable = true},
    {.order = 4, .variable = true},
    {.order = 2, .variable = true, .sides = SIDES_ALL(BOUNDARY_PERIODIC)},
    {.order = 4,
     .variable = true,
     .sides = SIDES_ALL(BOUNDARY_PERIODIC),
     .equation = EQUATION_HELMHOLTZ},
    {.order = 4, .variable = true, .smoother = SMOOTHER_CHEBYSHEV},
};
enum { NUM_OPERATORS = sizeof operators / sizeof operators[0] };
static const double thresholds[] = {9, 65, 513, 4097};
enum { NUM_THRESHOLDS = sizeof thresholds / sizeof thresholds[0] };

static int run_all(void)
{
    int differences = 0;
    for (int late = 0; late < 4; late++)
        for (int op = 0; op < NUM_OPERATORS; op++)
            for (int t = 0; t < NUM_THRESHOLDS; t++) {
                host_is_late = late & 1;
                device_is_late = late & 2;
                differences += count_differences(operators[op], thresholds[t], DELAYED_SOLVES);
            }
    return differences;
}

enum { TIMED_HAND_OVERS = 100, TIMED_REPLAYS = 50 };

static void do_nothing(void *data, int first)
{
    (void)data;
    (void)first;
}

/* u = f on the host's level, so that the host reads and writes every cell. */
static void copy_level(void *data, int first)
{
    const struct level *l = data;
    (void)first;
    memcpy(l->fields[FIELD_U], l->fields[FIELD_F], level_field_bytes(l));
}

/* Seconds of a recording with so many of the same hand-over. */
static double seconds_of(const struct hand_over *one, int count)
{
    static double samples[TIMED_REPLAYS];
    struct hand_over all[TIMED_HAND_OVERS];
    uint64_t norm = 0;
    for (int i = 0; i < count; i++)
        all[i] = *one;
    backend_cuda.recorder->begin(all, count);
    for (int i = 0; i < count; i++)
        backend_cuda.recorder->hand_over(i);
    struct recording *recording = backend_cuda.recorder->end();
    for (int i = 0; i < TIMED_REPLAYS; i++) {
        const double start = timer_seconds();
        backend_cuda.recorder->replay(recording, &norm);
        samples[i] = timer_seconds() - start;
    }
    backend_cuda.recorder->destroy(recording);
    return timer_median(samples, TIMED_REPLAYS);
}

static double microseconds(struct transfer *t, struct level *l, void (*work)(void *data, int first))
{
    struct hand_over h = {.work = work, .data = l, .longest = l->n[0]};
    plan_on_device(t->down, t->coarse->fields[FIELD_F], l->fields[FIELD_F], h.down);
    plan_on_device(t->up, l->fields[FIELD_U], t->coarse->fields[FIELD_U], h.up);
    return 1e6 * (seconds_of(&h, TIMED_HAND_OVERS) - seconds_of(&h, 1)) / (TIMED_HAND_OVERS - 1);
}

/* Down and up together, without work and with a copy of the level. */
static void print_times(bool periodic)
{
    struct hierarchy_choice choice = case_choice(2, false, periodic, SMOOTHER_GSRB, 6, 1);
    for (int dim = 2; dim <= 32; dim *= 2) {
        choice.placement.backend = &backend_cuda;
        choice.placement.coarse_backend = &backend_cuda_host;
        choice.placement.cpu_below = dim * dim * dim + 1;
        struct hierarchy *h = hierarchy_create(&choice);
        for (int l = 0; l + 1 < h->nlevels; l++)
            if (h->levels[l + 1]->n[0] == dim) {
                struct transfer *t = &h->transfers[l];
                double idle = microseconds(t, h->levels[l + 1], do_nothing),
                       busy = microseconds(t, h->levels[l + 1], copy_level),
                       start = timer_seconds();
                for (int n = 0; n < 1000; n++)
                    copy_level(h->levels[l + 1], 0);
                printf("%s %2d^3: %6.2f us, with a copy %6.2f us, which takes %.2f us\n",
                       periodic ? "periodic " : "dirichlet", dim, idle, busy,
                       1e3 * (timer_seconds() - start));
            }
        hierarchy_destroy(h);
    }
}

static int run(const char *what)
{
    const long solves = strtol(what, NULL, 10);
    host = instead_of(&backend_cuda_host, &host_passes, run_on_host);
    device = instead_of(&backend_cuda, &device_passes, run_on_device);
    if (!*what)
        return run_all();
    if (strcmp(what, "times") == 0) {
        print_times(false);
        print_times(true);
        return 0;
    }
    host_dies = strcmp(what, "dies") == 0;
    host_waits = strcmp(what, "late") == 0;
    return count_differences(operators[0], 513, solves > 0 ? (int)solves : 2);
}

int main(int argc, char **argv)
{
    char message[256];
    int status = NO_GPU;
    comm_start(&argc, &argv);
    if (cuda_open(0, message, sizeof message)) {
        const int differences = run(argc > 1 ? argv[1] : "");
        cuda_close();
        printf("%d solves differ\n", differences);
        status = differences > 0 || memory_live_blocks() > 0;
    } else {
        printf("%s\n", message);
    }
    comm_finish();
    return status;
}
