/* SPDX-License-Identifier: BSD-3-Clause */
/* What is made of a GPU's meters, here a library of the test's own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <unistd.h>
#include "base/timer.h"
#include "cuda/power.h"

static struct {
    double now;
    int open, samples, fails_from;
    unsigned long long millijoules;
} fake;

double timer_seconds(void)
{
    return fake.now;
}

static int init(void)
{
    fake.open++;
    return 0;
}

static int shutdown_library(void)
{
    fake.open--;
    return 0;
}

static int by_bus_id(const char *bus_id, void **device)
{
    *device = &fake;
    return strcmp(bus_id, "0000:01:00.0") != 0;
}

/* 1980, 1700, then 1800 MHz, in turns of the multiprocessors' domain only. */
static int clock_of(void *device, int domain, unsigned *mhz)
{
    const int sample = __atomic_fetch_add(&fake.samples, 1, __ATOMIC_SEQ_CST);
    *mhz = sample == 0 ? 1980 : sample == 1 ? 1700 : 1800;
    return device != &fake || domain != 1;
}

static int reasons(void *device, unsigned long long *bits)
{
    (void)device;
    *bits = fake.samples == 2 ? 0x4 : 0x1; /* power cap; idle */
    return 0;
}

static int energy(void *device, unsigned long long *millijoules)
{
    (void)device;
    *millijoules = fake.millijoules;
    return 0;
}

static const struct power_library library = {init,     shutdown_library, by_bus_id,
                                             clock_of, reasons,          energy};

/* A span of so many seconds and joules, by the fake clock, with three samples. */
static struct power_record span(double seconds, unsigned long long millijoules)
{
    fake.samples = 0;
    assert_true(power_begin(&library, "0000:01:00.0"));
    for (int i = 0; i < 10000 && __atomic_load_n(&fake.samples, __ATOMIC_SEQ_CST) < 3; i++)
        usleep(1000);
    fake.now += seconds;
    fake.millijoules += millijoules;
    const struct power_record record = power_end();
    assert_int_equal(fake.open, 0);
    assert_true(record.samples >= 3);
    return record;
}

static void clock_and_reasons_are_of_all_samples(void **state)
{
    (void)state;
    const struct power_record r = span(1.0, 2500);
    char text[POWER_TEXT_SIZE];
    assert_int_equal(r.slowest, 1700);
    assert_int_equal(r.fastest, 1980);
    assert_string_equal(power_reasons_text(r.reasons, text), "power cap");
    assert_string_equal(power_reasons_text(0x1, text), "none");
    assert_string_equal(power_reasons_text(0x22, text), "clocks set by the user, temperature");
    assert_true(r.joules == 2.5);
}

static void short_spans_have_no_energy(void **state)
{
    (void)state;
    assert_true(isnan(span(0.9, 2500).joules));
}

static void unknown_gpus_are_not_watched(void **state)
{
    (void)state;
    assert_false(power_begin(&library, "0000:02:00.0"));
    assert_int_equal(fake.open, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_and_reasons_are_of_all_samples),
        cmocka_unit_test(short_spans_have_no_energy),
        cmocka_unit_test(unknown_gpus_are_not_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
