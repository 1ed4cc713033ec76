/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/fault.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "comm/comm.h"
#include "level/backend.h"
#include "operators/hash.h"
#include "solvers/program.h"

enum place { PLACE_F, PLACE_BETA, PLACE_GHOST, PLACE_MESSAGE, NUM_PLACES };

struct fault {
    enum place place;
    int rank;
    double value;
    long element; /* index into the field to spoil, on the finest level */
    bool done;
};
static struct fault armed;

static int word_index(const char *const *words, int count, const char *word, size_t length)
{
    int i = 0;
    while (i < count && (strlen(words[i]) != length || strncmp(words[i], word, length) != 0))
        i++;
    return i;
}

/* WHAT:RANK:VALUE, without blanks and signs. */
static bool parse(const char *text, struct fault *fault)
{
    static const char *const places[NUM_PLACES] = {"f", "beta", "ghost", "message"};
    static const char *const values[2] = {"nan", "inf"};
    const size_t what = strcspn(text, ":");
    const char *rank = text + what + (text[what] == ':');
    const size_t digits = strspn(rank, "0123456789");
    if (digits == 0 || digits > 6 || rank[digits] != ':')
        return false;
    const char *value = rank + digits + 1;
    const int place = word_index(places, NUM_PLACES, text, what);
    const int number = word_index(values, 2, value, strlen(value));
    *fault = (struct fault){
        .place = (enum place)place, .rank = atoi(rank), .value = number == 0 ? NAN : INFINITY};
    return place < NUM_PLACES && number < 2 && fault->rank < comm_size();
}

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
    for (int c = 0; c < halo->unpack.count; c++)
        if (writes(&halo->unpack.copies[c], element))
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

/* The element to spoil; -1 if this rank has none. */
static long find_element(const struct level *l, enum place place)
{
    long element = -1;
    if (place == PLACE_F || (place == PLACE_BETA && l->fields[FIELD_BETA_I]))
        return l->npatches > 0 ? l->patches[0].offset : -1;
    for (int q = 0; q < l->npatches && element < 0 && place != PLACE_BETA && l->connected; q++)
        element = open_ghost(l, &l->patches[q], place == PLACE_MESSAGE);
    return element;
}

/* MG-PCG preconditions its own residual. */
static bool is_right_hand_side(enum field field)
{
    return field == FIELD_F || field == FIELD_PCG;
}

static void spoil_halo(void *data, const struct program *p, const struct stage *stage)
{
    struct fault *fault = data;
    const struct level *l = p->hierarchy->levels[stage->level];
    if (fault->done || stage->kind != STAGE_HALO || stage->level != 0 ||
        is_right_hand_side(stage->field))
        return;
    fault->done = true;
    l->backend->upload(l->fields[stage->field] + fault->element, &fault->value, 1);
}

static enum status install_fault(struct hierarchy *h, char *message, int message_size)
{
    const char *text = getenv("HPGMG_FAULT");
    const struct level *l = h->levels[0];
    if (!text)
        return STATUS_VALID;
    if (!parse(text, &armed)) {
        snprintf(message, (size_t)message_size,
                 "HPGMG_FAULT=%s is not f|beta|ghost|message:RANK:nan|inf", text);
        return STATUS_USAGE;
    }
    const bool here = armed.rank == comm_rank();
    armed.element = here ? find_element(l, armed.place) : -1;
    if (comm_max_u64(MPI_COMM_WORLD, armed.element >= 0) == 0) {
        snprintf(message, (size_t)message_size, "HPGMG_FAULT=%s: that rank has no such value",
                 text);
        return STATUS_USAGE;
    }
    if (here && armed.place == PLACE_F)
        l->backend->upload(l->fields[FIELD_F] + armed.element, &armed.value, 1);
    else if (here && armed.place == PLACE_BETA)
        l->backend->upload(l->fields[FIELD_BETA_I] + armed.element, &armed.value, 1);
    else if (here)
        program_observe(spoil_halo, &armed);
    return STATUS_VALID;
}

static struct {
    uint64_t state; /* differs between ranks */
    unsigned most;  /* microseconds */
} delay;

static void sleep_at_stage(void *data, const struct program *p, const struct stage *stage)
{
    (void)data;
    (void)p;
    (void)stage;
    delay.state = hash_mix(delay.state + 1);
    const long nanoseconds = (long)(delay.state % (1000ull * delay.most + 1));
    const struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    nanosleep(&time, NULL);
}

static enum status install_delay(char *message, int message_size)
{
    const char *text = getenv("HPGMG_DELAY");
    unsigned seed;
    int end = 0;
    if (!text)
        return STATUS_VALID;
    const bool numbers = sscanf(text, "%9u:%7u%n", &seed, &delay.most, &end) == 2 &&
                         (int)strspn(text, "0123456789:") >= end; /* %u takes signs */
    const bool recorded = numbers && strcmp(text + end, ":recorded") == 0;
    if (!numbers || (text[end] && !recorded)) {
        snprintf(message, (size_t)message_size,
                 "HPGMG_DELAY=%s is not SEED:MICROSECONDS or SEED:MICROSECONDS:recorded", text);
        return STATUS_USAGE;
    }
    delay.state = hash_mix(seed * 1000003ull + (uint64_t)comm_rank());
    if (recorded)
        program_watch(sleep_at_stage, NULL);
    else
        program_observe(sleep_at_stage, NULL);
    return STATUS_VALID;
}

enum status fault_install(struct hierarchy *h, char *message, int message_size)
{
    const enum status status = install_delay(message, message_size);
    return status == STATUS_VALID ? install_fault(h, message, message_size) : status;
}
