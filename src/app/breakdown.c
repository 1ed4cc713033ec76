/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/breakdown.h"
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "base/timer.h"
#include "comm/comm.h"

enum { TIMED_SOLVES = 5, COPY_REPEATS = 5 };
static const long COPY_BYTES_PER_RANK = 64L * 1024 * 1024;

/* Sums the stages of several programs by level and name. */
struct table {
    int count;
    struct stage_record *rows;
    long solves;
};

static struct stage_record *table_row(struct table *t, int level, const char *name)
{
    for (int i = 0; i < t->count; i++)
        if (t->rows[i].level == level && strcmp(t->rows[i].name, name) == 0)
            return &t->rows[i];
    t->rows = memory_room(t->rows, t->count, sizeof *t->rows, "time table");
    struct stage_record *row = &t->rows[t->count++];
    *row = (struct stage_record){.level = level};
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

static void set_timing(void *data, struct program *p)
{
    program_time(p, *(const bool *)data);
}

static void collect(void *data, struct program *p)
{
    struct table *t = data;
    char name[38], all[48];
    const double solves = (double)t->solves, runs = (double)p->executions / solves;
    for (int i = 0; i < p->count; i++) {
        const struct stage *s = &p->stages[i];
        snprintf(all, sizeof all, "%s%s", stage_name(s, name, sizeof name), stage_precision(p, s));
        struct stage_record *row = table_row(t, p->hierarchy->levels[s->level]->depth, all);
        stage_kernels(s, row->kernels, sizeof row->kernels);
        row->work = stage_work(p, s);
        row->calls += runs;
        row->bytes += runs * stage_bytes(p, s);
        row->seconds += p->times[i].total / solves;
        row->pack += p->times[i].halo.pack / solves;
        row->local += p->times[i].halo.local / solves;
        row->wait += p->times[i].halo.wait / solves;
        row->unpack += p->times[i].halo.unpack / solves;
    }
}

/* Seconds of the slowest rank, bytes of all. All ranks have the same rows in the same order. */
static void reduce_row(MPI_Comm comm, struct stage_record *row)
{
    double seconds[5] = {row->seconds, row->pack, row->local, row->wait, row->unpack};
    comm_max_f64(comm, seconds, 5);
    comm_sum_f64(comm, &row->bytes, 1);
    row->seconds = seconds[0];
    row->pack = seconds[1];
    row->local = seconds[2];
    row->wait = seconds[3];
    row->unpack = seconds[4];
}

void breakdown_measure(struct solver *s, struct size_record *r)
{
    const struct level *l = s->hierarchy->levels[s->top];
    struct solve_result ignored;
    struct table t = {.solves = TIMED_SOLVES};
    solver_programs(s, set_timing, &(bool){true});
    for (long i = 0; i < t.solves; i++) {
        comm_barrier(l->comm);
        solver_run(s, &ignored);
    }
    solver_programs(s, collect, &t);
    solver_programs(s, set_timing, &(bool){false});
    for (int i = 0; i < t.count; i++)
        reduce_row(l->comm, &t.rows[i]);
    r->stages = t.rows;
    r->nstages = t.count;
}

static double copy_seconds(double *restrict to, const double *restrict from, long n)
{
    const double start = timer_seconds();
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < n; i++)
        to[i] = from[i];
    return timer_seconds() - start;
}

/* All ranks begin each repetition together, so that they share memory as in a solve. */
double breakdown_copy_rate(void)
{
    const long n = COPY_BYTES_PER_RANK / (long)sizeof(double);
    double *from = memory_alloc((size_t)COPY_BYTES_PER_RANK, "copy test");
    double *to = memory_alloc((size_t)COPY_BYTES_PER_RANK, "copy test");
    double best = 1e30;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        from[i] = to[i] = (double)i;
    for (int r = 0; r < COPY_REPEATS; r++) {
        comm_barrier(comm_world());
        const double seconds = copy_seconds(to, from, n);
        best = seconds < best ? seconds : best;
    }
    memory_free(from);
    memory_free(to);
    return 2.0 * (double)COPY_BYTES_PER_RANK / best;
}
