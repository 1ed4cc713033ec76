/* SPDX-License-Identifier: BSD-3-Clause */
/* hpgmg-gpu-disturbed: the program with this function, which environment variables tell to disturb
 * the run. Without them the run is the product's.
 *
 * HPGMG_FAULT=WHAT:RANK:VALUE puts one wrong value into a run, to show that no check loses it. WHAT
 * is f, beta, ghost or message, VALUE nan or inf. f and beta are spoilt in a cell of the
 * rank's first patch on the finest level before the first solve; a ghost cell, or a cell received
 * in a message, after the first halo exchange of u there.
 *
 * HPGMG_DELAY=SEED:MICROSECONDS makes every rank sleep after every stage for a random time of at
 * most MICROSECONDS, to show that the answer does not depend on which rank comes first. With
 * :recorded behind that, cycles are recorded as without delays, and every rank sleeps before each
 * cycle and after each stage that the host executes itself.
 *
 * HPGMG_SLOW=RANK:MICROSECONDS makes that rank sleep in every pass on the finest level, as a slow
 * processor would.
 *
 * HPGMG_CLOCK=RANK:MICROSECONDS[:PPM] sets that rank's clock ahead, as on a node of its own. With
 * PPM it also gains so many microseconds per second.
 *
 * HPGMG_NODES=COUNT tells the ranks to act as COUNT nodes. */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "app/disturb.h"
#include "backend/backend.h"
#include "base/check.h"
#include "base/timer.h"
#include "comm/comm.h"
#include "operators/hash.h"
#include "solvers/program.h"

struct fault {
    char what[8];
    int rank;
    double value;
    long element; /* index into the field to spoil, on the finest level */
    bool done;
};

/* True if the copy writes the element. */
static bool writes(const struct copy *c, long element)
{
    for (int k = 0; k < c->n[2]; k++)
        for (int j = 0; j < c->n[1]; j++) {
            const long row = c->to + j * c->to_sj + k * c->to_sk;
            if (element >= row && element < row + c->n[0])
                return true;
        }
    return false;
}

static bool arrives(const struct plan *halo, long element)
{
    for (int c = 0; c < halo->copies.count; c++)
        if (halo->copies.copies[c].direction == COPY_IN && writes(&halo->copies.copies[c], element))
            return true;
    return false;
}

/* A ghost cell beside the patch's first corner cell, across a side with a neighbour; in_message:
 * one that is received in a message. -1 if there is none. */
static long open_ghost(const struct level *l, const struct patch *p, bool in_message)
{
    const long stride[3] = {1, p->sj, p->sk};
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            const long ghost = p->offset + (side == 0 ? -1 : p->n[d]) * stride[d];
            if (!p->wall[d][side] && !p->wrap[d] && (!in_message || arrives(l->halo, ghost)))
                return ghost;
        }
    return -1;
}

/* IDR preconditions a vector of its own. */
static bool is_right_hand_side(enum field field)
{
    return field == FIELD_F || field == FIELD_OUTER + 1;
}

static void spoil_halo(void *data, const struct program *p, const struct stage *stage)
{
    struct fault *fault = data;
    const struct level *l = p->hierarchy->levels[stage->level];
    if (fault->done || stage->kind != STAGE_HALO || stage->level != 0 ||
        is_right_hand_side(stage->whole.field))
        return;
    fault->done = true;
    l->backend->memory->upload(level_natural(l, stage->whole.field) + fault->element, &fault->value,
                               1);
}

/* The patch's second cell, and the face between it and the first. */
static void spoil_field(const struct level *l, enum field field, double value)
{
    if (l->npatches > 0 && l->fields[field])
        l->backend->memory->upload(level_natural(l, field) + l->patches[0].offset + 1, &value, 1);
    else
        die(STATUS_USAGE, "HPGMG_FAULT: that rank has no such value");
}

/* A level's backend, replaced by one that differs in a function. */
static struct {
    const struct backend *own;
    struct backend backend;
    struct passes passes;
    unsigned long microseconds; /* of sleep */
} other;

static void replace_backend(struct level *l)
{
    if (!other.own) {
        other.own = l->backend;
        other.backend = *l->backend;
        other.passes = *l->backend->passes;
        other.backend.passes = &other.passes;
    }
    l->backend = &other.backend;
}

static void install_fault(struct level *l, const char *text)
{
    static struct fault fault;
    char value[4];
    if (sscanf(text, "%7[a-z]:%d:%3s", fault.what, &fault.rank, value) != 3)
        die(STATUS_USAGE, "HPGMG_FAULT=%s is not f|beta|ghost|message:RANK:nan|inf", text);
    fault.value = strtod(value, NULL);
    fault.element = -1;
    if (fault.rank != comm_rank())
        return;
    if (strcmp(fault.what, "f") == 0 || strcmp(fault.what, "beta") == 0) {
        spoil_field(l, strcmp(fault.what, "f") == 0 ? FIELD_F : FIELD_BETA_I, fault.value);
        return;
    }
    for (int q = 0; q < l->npatches && fault.element < 0 && l->connected; q++)
        fault.element = open_ghost(l, &l->patches[q], strcmp(fault.what, "message") == 0);
    if (fault.element < 0)
        die(STATUS_USAGE, "HPGMG_FAULT=%s: that rank has no such value", text);
    program_observe(spoil_halo, &fault);
}

struct delay {
    uint64_t state; /* differs between ranks */
    unsigned most;  /* microseconds */
};

/* A system may sleep 0.1 ms longer than it is told to, so a short time is waited for awake. */
static void sleep_for(uint64_t nanoseconds)
{
    const double end = timer_seconds() + 1e-9 * (double)nanoseconds;
    const struct timespec time = {(long)(nanoseconds / 1000000000),
                                  (long)(nanoseconds % 1000000000)};
    if (nanoseconds > 100000)
        nanosleep(&time, NULL);
    while (timer_seconds() < end)
        sched_yield();
}

static void sleep_at_stage(void *data, const struct program *p, const struct stage *stage)
{
    struct delay *delay = data;
    (void)p;
    (void)stage;
    delay->state = hash_mix(delay->state + 1);
    sleep_for(delay->state % (1000ull * delay->most + 1));
}

static void install_delay(const char *text)
{
    static struct delay delay;
    unsigned seed;
    if (sscanf(text, "%u:%u", &seed, &delay.most) != 2)
        die(STATUS_USAGE, "HPGMG_DELAY=%s is not SEED:MICROSECONDS[:recorded]", text);
    delay.state = hash_mix(seed * 1000003ull + (uint64_t)comm_rank());
    (strstr(text, ":recorded") ? program_watch : program_observe)(sleep_at_stage, &delay);
}

static void run_slowly(const struct pass *pass)
{
    other.own->passes->run(pass);
    sleep_for(1000 * other.microseconds);
}

static void install_slow(struct level *l, const char *text)
{
    int rank;
    if (sscanf(text, "%d:%lu", &rank, &other.microseconds) != 2)
        die(STATUS_USAGE, "HPGMG_SLOW=%s is not RANK:MICROSECONDS", text);
    if (rank != comm_rank())
        return;
    replace_backend(l);
    other.passes.run = run_slowly;
}

static void set_clock(const char *text)
{
    int rank;
    double microseconds, ppm = 0.0;
    if (sscanf(text, "%d:%lf:%lf", &rank, &microseconds, &ppm) < 2)
        die(STATUS_USAGE, "HPGMG_CLOCK=%s is not RANK:MICROSECONDS[:PPM]", text);
    if (rank == comm_rank())
        timer_pretend(1e-6 * microseconds, 1e-6 * ppm);
}

void disturb(struct hierarchy *h)
{
    const char *fault = getenv("HPGMG_FAULT"), *delay = getenv("HPGMG_DELAY"),
               *nodes = getenv("HPGMG_NODES"), *slow_rank = getenv("HPGMG_SLOW"),
               *clock_text = getenv("HPGMG_CLOCK");
    if (!h && nodes)
        comm_mock_nodes(atoi(nodes));
    if (!h && clock_text)
        set_clock(clock_text);
    if (h && delay)
        install_delay(delay);
    if (h && slow_rank)
        install_slow(h->levels[0], slow_rank);
    if (h && fault)
        install_fault(h->levels[0], fault);
}
