/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/report_tables.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *table_bytes_text(double bytes, char text[BYTES_TEXT_SIZE])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    while (bytes >= 1000.0 && unit < 5) {
        bytes /= 1000.0;
        unit++;
    }
    snprintf(text, BYTES_TEXT_SIZE, "%.*f %s", unit == 0 ? 0 : 2, bytes, units[unit]);
    return text;
}

const char *table_boxes_text(long boxes, const int cells[3], char text[BOXES_TEXT_SIZE])
{
    if (extent_is_cube(cells))
        snprintf(text, BOXES_TEXT_SIZE, "%ldx%3d^3", boxes, cells[0]);
    else
        snprintf(text, BOXES_TEXT_SIZE, "%ldx(%s)", boxes, extent_format(cells).of);
    return text;
}

void table_hierarchy(const struct run_info *f)
{
    char bytes[BYTES_TEXT_SIZE], boxes[BOXES_TEXT_SIZE];
    printf("  level           cells             boxes    merged     ranks  backend        bytes\n");
    for (int l = 0; l < f->nlevels; l++) {
        const struct level_info *v = &f->levels[l];
        printf("  %5d  %14s  %16s  %8d  %8d  %-7s  %11s\n", l, extent_format(v->n).of,
               table_boxes_text(v->boxes, v->box_cells, boxes), v->cuboids, v->ranks, v->backend,
               table_bytes_text(v->bytes, bytes));
    }
}

enum { SHOWN_FIRST = 3, SHOWN_LAST = 3 };

static void print_history(const struct solve_result *s)
{
    for (int c = 0; c < s->cycles; c++) {
        if (c == SHOWN_FIRST && s->cycles > SHOWN_FIRST + SHOWN_LAST) {
            printf(" ...");
            c = s->cycles - SHOWN_LAST;
        }
        printf("  %.3e", s->history[c]);
    }
}

static void print_outer(const struct size_record *r)
{
    if (r->solve.outer_cycles > 0)
        printf("  %s: IDR(3) around the last %d of %d cycles\n", r->name, r->solve.outer_cycles,
               r->solve.cycles);
    if (r->solve.lacks_room)
        printf("  %s: converges slowly, and memory for the vectors of IDR(3) is lacking\n",
               r->name);
}

void table_residuals(const struct benchmark *b)
{
    printf("  size         cells  cycles  ||f - Au|| / ||f|| after each\n");
    for (int s = 0; s < b->nsizes; s++) {
        const struct size_record *r = &b->sizes[s];
        printf("  %-4s  %12s  %6d", r->name, extent_format(r->n).of, r->solve.cycles);
        print_history(&r->solve);
        printf("\n");
    }
    for (int s = 0; s < b->nsizes; s++)
        print_outer(&b->sizes[s]);
}

static void print_bound(double bound)
{
    if (isnan(bound))
        printf("  %9s", "");
    else
        printf("  %9.3g", bound);
}

void table_checks(const struct verdict *v)
{
    printf("  check       size  result           value   at least    at most  grounds\n");
    for (int i = 0; i < v->nchecks; i++) {
        const struct check *c = &v->checks[i];
        printf("  %-10s  %-4s  %-11s", c->name, c->size, check_state_text(c->state));
        print_bound(c->value);
        print_bound(c->lowest);
        print_bound(c->highest);
        printf("  %s\n", c->grounds);
    }
}

void table_times(const struct benchmark *b)
{
    printf(
        "  size         cells  solves       ms: min    median      mean       max  spread   drift"
        "       DOF/s\n");
    for (int s = 0; s < b->nsizes; s++) {
        const struct size_record *r = &b->sizes[s];
        printf("  %-4s  %12s  %6ld  %12.4f %9.4f %9.4f %9.4f %6.1f%% %6.1f%%  %10.3e\n", r->name,
               extent_format(r->n).of, r->solves, 1e3 * r->min, 1e3 * r->median, 1e3 * r->mean,
               1e3 * r->max, 100.0 * r->spread, 100.0 * r->drift, r->dof_per_second);
    }
}

/* Rows below the first share of a solve are summed, and so are coarsest levels below the second. */
#define NEGLIGIBLE_ROW 0.005
#define NEGLIGIBLE_LEVELS 0.02

struct stage_table {
    const struct size_record *size;
    double copy; /* bytes per second */
    double total;
    bool all;
};

struct row_sum {
    int count;
    struct stage_record row;
};

/* Sums the rows of levels first to last that take fewer seconds than `below`. */
static struct row_sum sum_rows(const struct size_record *r, int first, int last, double below)
{
    struct row_sum sum = {.count = 0};
    for (int i = 0; i < r->nstages; i++) {
        const struct stage_record *row = &r->stages[i];
        if (row->level < first || row->level > last || row->seconds >= below)
            continue;
        sum.count++;
        sum.row.calls += row->calls;
        sum.row.seconds += row->seconds;
        sum.row.bytes += row->bytes;
    }
    return sum;
}

/* "  level 0, 64^3   1.2345  85.3" */
static void print_share(const struct stage_table *t, const char *name, double seconds)
{
    printf("  %-42s %7s %11.4f %7.1f\n", name, "", 1e3 * seconds, 100.0 * seconds / t->total);
}

static void print_row(const struct stage_table *t, const char *name, const struct stage_record *row)
{
    const double rate = row->seconds > 0.0 ? row->bytes / row->seconds : 0.0;
    printf("    %-40s %7g %11.4f %7.1f", name, row->calls, 1e3 * row->seconds,
           100.0 * row->seconds / t->total);
    if (rate > 0.0)
        printf(" %9.2f", 1e-9 * rate);
    if (rate > t->copy && t->copy > 0.0)
        printf(" %9s", "cached");
    else if (rate > 0.0 && t->copy > 0.0)
        printf(" %9.1f", 100.0 * rate / t->copy);
    printf("\n");
}

static void print_level(const struct stage_table *t, int level)
{
    const struct size_record *r = t->size;
    const struct row_sum sum = sum_rows(r, level, level, INFINITY);
    const double least = t->all ? 0.0 : NEGLIGIBLE_ROW * t->total;
    const struct row_sum rest = sum_rows(r, level, level, least);
    char name[64];
    if (sum.count == 0)
        return;
    int n[3];
    for (int d = 0; d < 3; d++)
        n[d] = r->n[d] >> (level - r->level);
    snprintf(name, sizeof name, "level %d, %s", level, extent_format(n).of);
    print_share(t, name, sum.row.seconds);
    for (int i = 0; i < r->nstages; i++)
        if (r->stages[i].level == level && (r->stages[i].seconds >= least || rest.count == 1))
            print_row(t, r->stages[i].name, &r->stages[i]);
    snprintf(name, sizeof name, "%d other stages", rest.count);
    if (rest.count > 1)
        print_row(t, name, &rest.row);
}

static int deepest_level(const struct size_record *r)
{
    int level = r->level;
    for (int i = 0; i < r->nstages; i++)
        level = r->stages[i].level > level ? r->stages[i].level : level;
    return level;
}

/* The finest level such that it and all coarser ones are negligible together; last + 1 if fewer
 * than two are. */
static int first_negligible(const struct stage_table *t, int last)
{
    int level = last + 1;
    while (!t->all && level > t->size->level + 1 &&
           sum_rows(t->size, level - 1, last, INFINITY).row.seconds < NEGLIGIBLE_LEVELS * t->total)
        level--;
    return level < last ? level : last + 1;
}

static bool same_kernels(const struct stage_record *a, const struct stage_record *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->kernels, b->kernels) == 0;
}

void table_kernels(const struct size_record *r)
{
    printf("  levels   %-38s  kernels\n", "stage");
    for (int i = 0; i < r->nstages; i++) {
        const struct stage_record *row = &r->stages[i];
        int first = row->level, last = row->level;
        bool printed = !row->kernels[0];
        for (int other = 0; other < r->nstages; other++) {
            if (!same_kernels(row, &r->stages[other]))
                continue;
            printed = printed || other < i;
            first = r->stages[other].level < first ? r->stages[other].level : first;
            last = r->stages[other].level > last ? r->stages[other].level : last;
        }
        if (!printed)
            printf("  %2d to %-2d %-38s  %s\n", first, last, row->name, row->kernels);
    }
}

void table_stages(const struct size_record *r, double copy_bytes_per_second, bool all)
{
    const int last = deepest_level(r);
    const double total = sum_rows(r, r->level, last, INFINITY).row.seconds;
    const struct stage_table t = {r, copy_bytes_per_second, total, all};
    const int end = first_negligible(&t, last);
    char name[40];
    printf("  %-42s %7s %11s %7s %9s %9s\n", "stage", "calls", "ms", "%", "GB/s", "% of copy");
    for (int level = r->level; level < end; level++)
        print_level(&t, level);
    snprintf(name, sizeof name, "levels %d to %d", end, last);
    if (end <= last)
        print_share(&t, name, sum_rows(r, end, last, INFINITY).row.seconds);
    print_share(&t, "total", total);
    printf("  %-42s %7s %11.4f\n", "median of the timed solves, stages untimed", "",
           1e3 * r->median);
}

void table_movement(const struct size_record *r)
{
    bool any = false;
    for (int i = 0; i < r->nstages; i++) {
        const struct stage_record *row = &r->stages[i];
        if (row->pack + row->local + row->wait + row->unpack == 0.0)
            continue;
        if (!any)
            printf("\n  %-5s  %-20s %12s %11s %11s %11s\n", "level", "moving data, ms", "pack",
                   "local", "wait", "unpack");
        printf("  %5d  %-20s %12.4f %11.4f %11.4f %11.4f\n", row->level, row->name, 1e3 * row->pack,
               1e3 * row->local, 1e3 * row->wait, 1e3 * row->unpack);
        any = true;
    }
}
