/* SPDX-License-Identifier: BSD-3-Clause */
/* What all subcommands use. */
#include "lab/lab.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include "base/check.h"
#include "comm/comm.h"
#include "cuda/tuning.h"

char refusal[512];

enum status refuse(enum status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal, sizeof refusal, format, arguments);
    va_end(arguments);
    return status;
}

enum status all_right(int wrong, const char *what)
{
    return wrong == 0 ? STATUS_VALID
                      : refuse(STATUS_INVALID, "%d %s gave wrong results", wrong, what);
}

enum status bytes_fit(double needed, double available, const char *where)
{
    if (available == 0.0 || needed <= available)
        return STATUS_VALID;
    return refuse(STATUS_MEMORY,
                  "this size needs %.0f bytes of memory on the %s, %.0f are available; choose a "
                  "smaller N",
                  needed, where, available);
}

void print_machine(const struct lab *lab)
{
    const struct environment *e = &lab->environment;
    if (lab->note[0] && comm_rank() == 0)
        warn("%s", lab->note);
    if (lab->backend->on_device)
        printf("GPU: %s, driver %d.%d\n", e->gpu, e->cuda_driver / 1000,
               e->cuda_driver % 1000 / 10);
    else
        printf("CPU: %s, %d threads\n", e->cpu, e->threads);
    if (cuda_tuning_source())
        printf("tuning: %s\n", cuda_tuning_source());
}

void spread_add_json(struct json *object, const struct spread *s)
{
    struct json *seconds = json_add_object(object, "seconds");
    JSON_NUMBERS(seconds, {"median", s->median}, {"min", s->min}, {"max", s->max},
                 {"samples", s->samples});
}

double per_second(double quantity, double seconds)
{
    return quantity > 0.0 ? quantity / seconds : NAN;
}
