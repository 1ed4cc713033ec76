/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/expect.h"
#include <math.h>
#include <stdio.h>
#include "cli/command_line.h"
#include "cli/option_check.h"
#include "comm/comm.h"

#define AMOUNT(member, most)                                                                       \
    .kind = OPTION_REAL, .uses = OPTION_FILE, .offset = offsetof(struct expectations, member),     \
    .initial = "none", .unset = "none", .minimum = 0, .maximum = (most)

/* clang-format off */
static const struct option_row rows[] = {
    {.name = "dof-per-second", AMOUNT(dof_per_second[0], 1e30)},
    {.name = "dof-per-second-2h", AMOUNT(dof_per_second[1], 1e30)},
    {.name = "dof-per-second-4h", AMOUNT(dof_per_second[2], 1e30)},
    {.name = "tolerance", .kind = OPTION_REAL, .uses = OPTION_FILE, .initial = "0.05",
     .offset = offsetof(struct expectations, tolerance), .minimum = 0, .maximum = 1},
    {.name = "rank-spread", AMOUNT(rank_spread, 1e30)},
    {.name = "cycles", .kind = OPTION_INT, .uses = OPTION_FILE, .initial = "none", .unset = "none",
     .offset = offsetof(struct expectations, cycles), .minimum = 1, .maximum = MAX_CYCLES + 1},
};
/* clang-format on */
static const struct option_list expect_options = {rows, sizeof rows / sizeof rows[0],
                                                  sizeof(struct expectations)};

static bool expects_nothing(const struct expectations *e)
{
    bool any = e->rank_spread > 0.0 || e->cycles > 0;
    for (int s = 0; s < SOLVED_LEVELS; s++)
        any = any || e->dof_per_second[s] > 0.0;
    return !any;
}

enum status expect_read(const char *path, struct expectations *e, char *message, int size)
{
    struct parser p = {.list = &expect_options,
                       .options = e,
                       .file_option = "expect",
                       .message = message,
                       .message_size = size};
    option_set_defaults(&expect_options, e);
    if (!path)
        return STATUS_VALID;
    enum status status = parser_read_file(&p, path);
    if (status == STATUS_VALID && expects_nothing(e))
        status = parser_fail(&p, "--expect: '%s' expects nothing", path);
    return check_options_agree(&expect_options, e, status, message, size);
}

static void add(struct expected_list *list, const char *name, double value, double lowest,
                double highest)
{
    const bool met = !isnan(value) && !(value < lowest) && !(value > highest);
    list->list[list->count++] = (struct expected){name, value, lowest, highest, met};
    list->missed += !met;
}

void expect_compare(const struct expectations *e, const struct benchmark *b,
                    struct expected_list *list)
{
    *list = (struct expected_list){.count = 0};
    for (int s = 0; s < SOLVED_LEVELS; s++) {
        const bool timed = b->verdict.valid && s < b->nsizes && b->sizes[s].solves > 0;
        if (e->dof_per_second[s] > 0.0)
            add(list, rows[s].name, timed ? b->sizes[s].dof_per_second : (double)NAN,
                e->dof_per_second[s] * (1.0 - e->tolerance), NAN);
    }
    if (e->rank_spread > 0.0)
        add(list, "rank-spread", ranks_spread(&b->ranks), NAN, e->rank_spread);
    if (e->cycles > 0)
        add(list, "cycles", b->sizes[0].solve.cycles, e->cycles, e->cycles);
}

const char *expected_text(const struct expected *x, char text[EXPECTED_TEXT_SIZE])
{
    char value[32] = "not measured", bound[48];
    if (!isnan(x->value))
        snprintf(value, sizeof value, "%.4g", x->value);
    snprintf(bound, sizeof bound, "%s%.4g",
             x->lowest == x->highest ? ""
             : isnan(x->lowest)      ? "at most "
                                     : "at least ",
             isnan(x->lowest) ? x->highest : x->lowest);
    snprintf(text, EXPECTED_TEXT_SIZE, "%s: %s, expected %s", x->name, value, bound);
    return text;
}
