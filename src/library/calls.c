/* SPDX-License-Identifier: BSD-3-Clause */
/* What every call begins and ends with: live solvers, the selected world, and agreement of ranks.
 */
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include "base/check.h"
#include "cli/command_line.h"
#include "cli/option_check.h"
#include "cuda/cuda.h"
#include "library/solver_handle.h"

enum { MESSAGE_SIZE = 512 };
static char message[MESSAGE_SIZE];
static struct hpgmg *live;

const char *hpgmg_message(void)
{
    return message;
}

void hpgmg_check(enum hpgmg_status status)
{
    if (status == HPGMG_OK)
        return;
    check_program = "hpgmg";
    comm_prepare_to_die();
    die((enum status)status, "%s", message);
}

enum hpgmg_status fail(enum hpgmg_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    message_make_one_line(message);
    return status;
}

void solver_enlist(struct hpgmg *solver)
{
    solver->next = live;
    live = solver;
}

void solver_delist(struct hpgmg *solver)
{
    struct hpgmg **at = &live;
    while (*at != solver)
        at = &(*at)->next;
    *at = solver->next;
    if (!live)
        cuda_close();
}

static bool is_live(const struct hpgmg *solver)
{
    const struct hpgmg *s = live;
    while (s && s != solver)
        s = s->next;
    return s != NULL;
}

enum hpgmg_status check_process(void)
{
    return comm_is_forked()
               ? fail(HPGMG_ENVIRONMENT, "this process was forked after the library was used: MPI "
                                         "and OpenMP's threads are those of its parent")
               : HPGMG_OK;
}

enum hpgmg_status check_solver(const struct hpgmg *solver)
{
    const enum hpgmg_status status = check_process();
    if (status != HPGMG_OK)
        return status;
    if (!solver)
        return fail(HPGMG_ARGUMENT, "the solver is NULL");
    if (!is_live(solver))
        return fail(HPGMG_ARGUMENT, "the solver was destroyed, or never created");
    return comm_is_running() ? HPGMG_OK : fail(HPGMG_ORDER, "MPI was finalised");
}

/* What was selected before the call. Calls do not nest: they end before they call functions of the
 * user. */
static struct {
    struct world *world;
    struct context *context;
    int device; /* −1: there was no GPU */
    locale_t locale;
} before;

void call_select(const struct hpgmg *solver)
{
    static locale_t point;
    const struct cuda_device *gpu = cuda_device();
    if (!point)
        point = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    before.world = comm_world_select(solver->world);
    before.context = context_select(solver->context);
    before.device = gpu ? cuda_use_device(gpu->number) : -1;
    before.locale = uselocale(point);
}

enum hpgmg_status call_begin(const struct hpgmg *solver)
{
    const enum hpgmg_status status = check_solver(solver);
    if (status == HPGMG_OK)
        call_select(solver);
    return status;
}

enum hpgmg_status call_end(enum hpgmg_status status)
{
    if (before.device >= 0)
        cuda_use_device(before.device);
    comm_world_select(before.world);
    context_select(before.context);
    uselocale(before.locale);
    return status;
}

enum hpgmg_status call_agree(enum call call, int detail, enum hpgmg_status status)
{
    double values[] = {call, detail, -(double)call, -(double)detail};
    comm_max_f64(comm_world(), values, 4);
    if (values[0] != -values[2])
        return fail(HPGMG_MISMATCH, "the ranks called different functions");
    if (values[1] != -values[3])
        return fail(HPGMG_MISMATCH, "the ranks named different fields, walls or ways to start");
    return (enum hpgmg_status)check_statuses_agree((int)status, message, sizeof message);
}

enum hpgmg_status call_same(const char *what, const double *values, int count)
{
    enum { MOST = 8 };
    double highest[MOST], lowest[MOST];
    CHECK(count <= MOST);
    for (int i = 0; i < count; i++)
        highest[i] = lowest[i] = values[i];
    comm_max_f64(comm_world(), highest, count);
    comm_min_f64(comm_world(), lowest, count);
    for (int i = 0; i < count; i++)
        if (highest[i] != lowest[i])
            return fail(HPGMG_MISMATCH, "%s[%d] is from %.17g to %.17g; all ranks need the same",
                        what, i, lowest[i], highest[i]);
    return HPGMG_OK;
}
