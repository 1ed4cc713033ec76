/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/stage_table.h"
#include <stdio.h>
#include <string.h>
#include "app/report_values.h"
#include "base/memory.h"
#include "cli/option.h"

/* Unless all rows are asked for, those below this share of a solve are in their level's sum alone,
 * and levels from the third on are one row. */
#define NEGLIGIBLE_ROW 0.02
enum { SHOWN_LEVELS = 2 };

/* Lines of the table, which are stages, and sums of levels. */
struct lines {
    int count;
    struct stage_record *list;
};

static struct stage_record *add_line(struct lines *lines, const struct stage_record *line)
{
    lines->list = memory_room(lines->list, lines->count, sizeof *lines->list, "time table");
    lines->list[lines->count] = *line;
    return &lines->list[lines->count++];
}

/* The sum of levels first to last, unless they have no stages. */
static void add_sum(struct lines *lines, const struct size_record *size, int first, int last,
                    const char *name)
{
    struct stage_record sum = {.calls = NAN, .bytes_per_second = NAN, .fraction_of_copy = NAN};
    for (int i = 0; i < size->nstages; i++)
        if (size->stages[i].level >= first && size->stages[i].level <= last) {
            sum.seconds += size->stages[i].seconds;
            sum.share += size->stages[i].share;
        }
    snprintf(sum.name, sizeof sum.name, "%s", name);
    if (sum.seconds > 0.0)
        add_line(lines, &sum);
}

static void add_level(struct lines *lines, const struct record *r, const struct size_record *size,
                      int level, double least)
{
    char name[64];
    snprintf(name, sizeof name, "level %d, %s", level, extent_format(r->levels[level].n).of);
    add_sum(lines, size, level, level, name);
    for (int i = 0; i < size->nstages; i++)
        if (size->stages[i].level == level && size->stages[i].share >= least)
            snprintf(add_line(lines, &size->stages[i])->name, sizeof size->stages->name, "  %.40s",
                     size->stages[i].name);
}

void stage_table_times(const struct record *r, const struct size_record *size, bool all)
{
    struct lines lines = {0};
    int last = size->level;
    for (int i = 0; i < size->nstages; i++)
        last = size->stages[i].level > last ? size->stages[i].level : last;
    const int end = all ? last + 1 : size->level + SHOWN_LEVELS;
    char name[40];
    for (int level = size->level; level <= last && level < end; level++)
        add_level(&lines, r, size, level, all ? 0.0 : NEGLIGIBLE_ROW);
    snprintf(name, sizeof name, "levels %d to %d", end, last);
    add_sum(&lines, size, end, last, name);
    add_sum(&lines, size, size->level, last, "total");
    values_print_table(&stage_time_values, lines.list, lines.count);
    memory_free(lines.list);
    if (r->copy_bytes_per_second > 0.0)
        printf("  A copy between arrays larger than the caches runs at %.2f GB/s.\n",
               1e-9 * r->copy_bytes_per_second);
    if (size->solve.outer_cycles > 0)
        printf("  Operations of IDR(3) on vectors of the finest level are in no stage.\n");
}

static bool same_kernels(const struct stage_record *a, const struct stage_record *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->kernels, b->kernels) == 0;
}

void stage_table_kernels(const struct size_record *size)
{
    printf("  levels   %-36s  kernels\n", "stage");
    for (int i = 0; i < size->nstages; i++) {
        const struct stage_record *row = &size->stages[i];
        int first = row->level, last = row->level;
        bool printed = !row->kernels[0];
        for (int other = 0; other < size->nstages; other++) {
            if (!same_kernels(row, &size->stages[other]))
                continue;
            printed = printed || other < i;
            first = size->stages[other].level < first ? size->stages[other].level : first;
            last = size->stages[other].level > last ? size->stages[other].level : last;
        }
        if (printed)
            continue;
        const int column = printf("  %2d to %-2d %-36s ", first, last, row->name);
        print_words(stdout, row->kernels, column, column + 1, REPORT_WIDTH);
        printf("\n");
    }
}

void stage_table_movement(const struct size_record *size)
{
    struct lines moving = {0};
    for (int i = 0; i < size->nstages; i++) {
        const struct stage_record *row = &size->stages[i];
        if (row->pack + row->local + row->wait + row->unpack > 0.0)
            add_line(&moving, row);
    }
    if (moving.count > 0) {
        printf("\n");
        values_print_table(&stage_values, moving.list, moving.count);
    }
    memory_free(moving.list);
}
