/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/check.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void exit_alone(int status)
{
    _Exit(status);
}

static void do_nothing(void)
{
}

void (*check_abort)(int status) = exit_alone;
void (*check_wait)(void) = do_nothing;
bool check_warns = true;
const char *check_program = "hpgmg-gpu";

/* One write, so that lines of several ranks do not mix. */
static void print_line(const char *kind, const char *format, va_list arguments)
{
    char message[1024];
    vsnprintf(message, sizeof message, format, arguments);
    fprintf(stderr, "%s: %s: %s\n", check_program, kind, message);
}

void die(enum status status, const char *format, ...)
{
    va_list arguments;
    check_wait();
    va_start(arguments, format);
    print_line("error", format, arguments);
    va_end(arguments);
    check_abort(status);
    _Exit(status);
}

void warn(const char *format, ...)
{
    va_list arguments;
    if (!check_warns)
        return;
    va_start(arguments, format);
    print_line("warning", format, arguments);
    va_end(arguments);
}
