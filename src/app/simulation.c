/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/simulation.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "app/values.h"
#include "base/memory.h"
#include "base/timer.h"
#include "cli/command_line.h"
#include "comm/comm.h"
#include "solvers/size.h"

enum { RANDOM_RANKS = 8, MAX_SAMPLES = RANDOM_RANKS + 4 };

/* What a quantity is over ranks. */
struct tally {
    double sum, most;
};

enum exchange_kind { EXCHANGE_HALO, EXCHANGE_DOWN, EXCHANGE_UP, NUM_EXCHANGES };

/* What sampled ranks send in one exchange. */
struct traffic {
    int ranks; /* that have boxes on either side */
    struct tally messages, elsewhere, bytes;
};

/* One level. */
struct load {
    int merged;         /* boxes after every rank has merged its own */
    struct tally bytes; /* of fields, over all ranks */
    struct traffic traffic[NUM_EXCHANGES];
};

/* One rank of the job. */
struct sample {
    int rank, boxes, neighbours, elsewhere; /* of the finest level */
    size_t field_bytes, set_up_bytes;
    double seconds;
};

struct simulation {
    struct hierarchy_choice choice;
    struct hierarchy_shape shape;
    int ranks, ranks_per_node;
    struct decomposition boxes[MAX_LEVELS]; /* which all ranks share here, and each has in a job */
    size_t boxes_bytes;
    double boxes_seconds;
    struct load loads[MAX_LEVELS];
    int nsamples;
    struct sample samples[MAX_SAMPLES];
};

static void add(struct tally *s, double value)
{
    s->sum += value;
    s->most = value > s->most ? value : s->most;
}

/* --- the ranks --- */

static int compare_samples(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int fullest_rank(const struct decomposition *d)
{
    int fullest = 0, most = 0;
    for (int b = 0, first = 0; b < d->nboxes; b++) {
        first = d->owner[b] == d->owner[first] ? first : b;
        if (b - first + 1 > most) {
            most = b - first + 1;
            fullest = d->owner[b];
        }
    }
    return fullest;
}

/* The first, the last, the middle one, the one with most boxes, and some that are the same in every
 * run (Lehmer's generator); all of a small job. */
static void choose_ranks(struct simulation *s)
{
    const int last = s->ranks - 1, chosen[] = {0, last / 2, last, fullest_rank(&s->boxes[0])};
    uint64_t state = 1;
    for (int n = 0; n < MAX_SAMPLES; n++) {
        state = state * 48271 % 2147483647;
        s->samples[n].rank = s->ranks <= MAX_SAMPLES          ? n % s->ranks
                             : n < MAX_SAMPLES - RANDOM_RANKS ? chosen[n]
                                                              : (int)(state % (uint64_t)s->ranks);
    }
    qsort(s->samples, MAX_SAMPLES, sizeof *s->samples, compare_samples);
    for (int n = 0; n < MAX_SAMPLES; n++)
        if (n == 0 || s->samples[n].rank != s->samples[s->nsamples - 1].rank)
            s->samples[s->nsamples++] = s->samples[n];
}

/* --- what they set up --- */

/* Messages to ranks on other nodes; neighbouring ranks share a node. */
static int count_elsewhere(const struct messages *m, int rank, int ranks_per_node)
{
    int count = 0;
    for (int i = 0; i < m->count; i++)
        count += m->list[i].peer / ranks_per_node != rank / ranks_per_node;
    return count;
}

static void add_traffic(const struct simulation *s, const struct sample *sample,
                        struct traffic *traffic, const struct plan *plan)
{
    const struct messages *sends = &plan->routes[0].exchange.sends;
    traffic->ranks++;
    add(&traffic->messages, sends->count);
    add(&traffic->elsewhere, count_elsewhere(sends, sample->rank, s->ranks_per_node));
    add(&traffic->bytes, (double)sends->length * sizeof(double));
}

/* Counts what the rank sends, on levels where it has boxes. */
static void count_messages(struct simulation *s, const struct sample *sample,
                           const struct hierarchy *h)
{
    for (int l = 0; l < h->nlevels; l++) {
        struct traffic *traffic = s->loads[l].traffic;
        const struct transfer *t = &h->transfers[l];
        if (h->levels[l]->active && h->levels[l]->halo)
            add_traffic(s, sample, &traffic[EXCHANGE_HALO], h->levels[l]->halo);
        if (!t->separate || !(t->coarse->active || h->levels[l + 1]->active))
            continue;
        add_traffic(s, sample, &traffic[EXCHANGE_DOWN], t->down);
        add_traffic(s, sample, &traffic[EXCHANGE_UP], t->up);
    }
}

static void set_up_rank(struct simulation *s, struct sample *sample)
{
    struct decomposition boxes[MAX_LEVELS];
    for (int l = 0; l < s->shape.nlevels; l++)
        boxes[l] = decomposition_share(&s->boxes[l]);
    comm_mock_world(sample->rank, s->ranks);
    const size_t before = memory_live_bytes();
    const double start = timer_seconds();
    struct hierarchy *h = hierarchy_lay_out(&s->choice, s->shape.nlevels, boxes);
    sample->set_up_bytes = s->boxes_bytes + memory_live_bytes() - before;
    hierarchy_dry_run_coefficients(h);
    sample->seconds = s->boxes_seconds + timer_seconds() - start;
    comm_mock_world(0, 0);
    sample->boxes = h->levels[0]->npatches;
    if (h->levels[0]->halo) {
        const struct messages *sends = &h->levels[0]->halo->routes[0].exchange.sends;
        sample->neighbours = sends->count;
        sample->elsewhere = count_elsewhere(sends, sample->rank, s->ranks_per_node);
    }
    count_messages(s, sample, h);
    hierarchy_destroy(h);
}

static void count_fields(void *data, int level, const struct decomposition *d, const size_t *bytes)
{
    struct simulation *s = data;
    s->loads[level].merged = d->nboxes;
    for (int rank = 0; rank < s->ranks; rank++)
        add(&s->loads[level].bytes, (double)bytes[rank]);
    for (int n = 0; n < s->nsamples; n++)
        s->samples[n].field_bytes += bytes[s->samples[n].rank];
}

/* --- the report --- */

static void print_levels(const struct simulation *s)
{
    char mean[BYTES_TEXT_SIZE], most[BYTES_TEXT_SIZE], boxes[BOXES_TEXT_SIZE];
    print_heading("Levels (fields per rank: mean and most of all ranks)");
    printf("  level           cells               boxes      merged     ranks        mean"
           "        most\n");
    for (int l = 0; l < s->shape.nlevels; l++) {
        const struct decomposition_spec *spec = &s->shape.specs[l];
        int n[3];
        spec_extent(spec, n);
        const struct load *load = &s->loads[l];
        printf("  %5d  %14s  %18s  %10d  %8d  %10s  %10s\n", l, extent_format(n).of,
               boxes_text(spec_boxes(spec), spec->box_cells, boxes), load->merged, spec->ranks,
               bytes_text(load->bytes.sum / s->ranks, mean), bytes_text(load->bytes.most, most));
    }
}

static void print_traffic(int level, const char *name, const struct traffic *t)
{
    char mean[BYTES_TEXT_SIZE], most[BYTES_TEXT_SIZE];
    if (t->ranks == 0)
        return;
    printf("  %5d  %-11s  %5d  %10.1f  %5.0f  %14.1f  %5.0f  %10s  %10s\n", level, name, t->ranks,
           t->messages.sum / t->ranks, t->messages.most, t->elsewhere.sum / t->ranks,
           t->elsewhere.most, bytes_text(t->bytes.sum / t->ranks, mean),
           bytes_text(t->bytes.most, most));
}

static void print_messages(const struct simulation *s)
{
    static const char *const names[] = {"halo", "agglomerate", "distribute"};
    print_heading("Messages that a rank sends in one exchange (sampled ranks with boxes)");
    printf("  level  exchange     ranks    messages   most  on other nodes   most       bytes"
           "        most\n");
    for (int l = 0; l < s->shape.nlevels; l++)
        for (int kind = 0; kind < NUM_EXCHANGES; kind++)
            print_traffic(l, names[kind], &s->loads[l].traffic[kind]);
}

static void print_ranks(const struct simulation *s)
{
    char fields[BYTES_TEXT_SIZE], set_up[BYTES_TEXT_SIZE];
    print_heading("Set-up of sampled ranks (host, without values of fields)");
    printf("     rank  boxes  neighbours  on other nodes      fields      set-up    seconds\n");
    for (int n = 0; n < s->nsamples; n++) {
        const struct sample *x = &s->samples[n];
        printf("  %7d  %5d  %10d  %14d  %10s  %10s  %9.3f\n", x->rank, x->boxes, x->neighbours,
               x->elsewhere, bytes_text((double)x->field_bytes, fields),
               bytes_text((double)x->set_up_bytes, set_up), x->seconds);
    }
    printf("  of these, the list of all boxes: %s, %.3f seconds\n",
           bytes_text((double)s->boxes_bytes, set_up), s->boxes_seconds);
}

static void print_simulation(const struct simulation *s)
{
    printf("hpgmg-gpu: simulation of %d ranks, %d per node; nothing is sent or solved\n", s->ranks,
           s->ranks_per_node);
    print_levels(s);
    print_messages(s);
    print_ranks(s);
}

enum status simulation_run(const struct hierarchy_choice *choice, const struct options *options,
                           char *message, int message_size)
{
    struct simulation s = {
        .choice = *choice, .ranks = options->ranks, .ranks_per_node = options->ranks_per_node};
    if (comm_size() > 1) {
        snprintf(message, (size_t)message_size,
                 "--ranks: one process simulates all ranks; start one instead of %d", comm_size());
        return STATUS_USAGE;
    }
    const enum status status = size_check(choice, s.ranks, message, message_size);
    if (status != STATUS_VALID)
        return status;
    const size_t before = memory_live_bytes();
    const double start = timer_seconds();
    s.shape = hierarchy_shape(choice, s.ranks);
    s.choice.op = s.shape.op;
    hierarchy_boxes(&s.shape, s.ranks, s.boxes);
    s.boxes_seconds = timer_seconds() - start;
    s.boxes_bytes = memory_live_bytes() - before;
    choose_ranks(&s);
    for (int n = 0; n < s.nsamples; n++)
        set_up_rank(&s, &s.samples[n]);
    for (int l = 0; l < s.shape.nlevels; l++)
        decomposition_destroy(&s.boxes[l]);
    hierarchy_estimate(choice, &s.shape, s.ranks, count_fields, &s);
    print_simulation(&s);
    return STATUS_VALID;
}
