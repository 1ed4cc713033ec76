/* SPDX-License-Identifier: BSD-3-Clause */
/* The ledger of host memory against a model, and failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "support/child.h"
#include "support/random.h"
#include "base/memory.h"
#include "base/timer.h"

/* The test requests impossible sizes; the address sanitizer must return NULL as malloc does. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

enum { SLOTS = 16, CASES = 1000, STEPS = 60 };

struct slot {
    unsigned char *block;
    size_t bytes;
    unsigned char mark; /* every byte of the block */
};

static struct {
    struct slot slots[SLOTS];
    size_t blocks, bytes, peak;
} model;

static void model_add(size_t bytes)
{
    model.blocks++;
    model.bytes += bytes;
    model.peak = model.bytes > model.peak ? model.bytes : model.peak;
}

static void model_remove(size_t bytes)
{
    model.blocks--;
    model.bytes -= bytes;
}

static size_t random_size(void)
{
    return (size_t)random_int(0, random_bool() ? 5 : 3000);
}

static void expect_filled(const struct slot *s, size_t from, size_t to, unsigned char mark)
{
    for (size_t at = from; at < to; at++)
        EXPECT(s->block[at] == mark);
}

static void fill(struct slot *s)
{
    EXPECT(s->block != NULL && (uintptr_t)s->block % 128 == 0);
    s->mark = (unsigned char)random_int(1, 255);
    memset(s->block, s->mark, s->bytes);
}

static void step_allocate(struct slot *s)
{
    s->bytes = random_size();
    if (random_bool()) {
        s->block = memory_alloc_zero(s->bytes, "zeros");
        expect_filled(s, 0, s->bytes, 0);
    } else {
        s->block = memory_alloc(s->bytes, "a block");
    }
    model_add(s->bytes);
    fill(s);
}

static void step_grow(struct slot *s)
{
    const size_t old = s->block ? s->bytes : 0, bytes = random_size();
    const int had = s->block != NULL;
    s->block = memory_grow(s->block, old, bytes, "a grown block");
    expect_filled(s, 0, old < bytes ? old : bytes, s->mark);
    s->bytes = bytes;
    model_add(bytes);
    if (had)
        model_remove(old);
    fill(s);
}

static void step_free(struct slot *s)
{
    if (s->block) {
        expect_filled(s, 0, s->bytes, s->mark);
        model_remove(s->bytes);
    }
    memory_free(s->block);
    s->block = NULL;
}

static void random_step(void)
{
    struct slot *s = &model.slots[random_int(0, SLOTS - 1)];
    const int what = random_int(0, 3);
    if (what == 0)
        step_free(s);
    else if (what == 1 || s->block)
        step_grow(s);
    else
        step_allocate(s);
    EXPECT(memory_live_blocks() == model.blocks);
    EXPECT(memory_live_bytes() == model.bytes);
    EXPECT(memory_peak_bytes() == model.peak);
}

static void ledger_counts_every_block(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        for (int step = 0; step < STEPS; step++)
            random_step();
    }
    for (int s = 0; s < SLOTS; s++)
        step_free(&model.slots[s]);
    assert_int_equal(memory_live_blocks(), 0);
    assert_int_equal(memory_live_bytes(), 0);
    assert_true(memory_peak_bytes() == model.peak);
}

/* The old and the new block exist while a block grows; the peak must count both. */
static void growth_counts_in_the_peak(void **state)
{
    (void)state;
    const size_t large = memory_peak_bytes() + 1000;
    void *block = memory_alloc(large, "a block");
    block = memory_grow(block, large, 2 * large, "a grown block");
    assert_true(memory_live_bytes() == 2 * large);
    assert_true(memory_peak_bytes() == 3 * large);
    memory_free(block);
    assert_true(memory_peak_bytes() == 3 * large);
    assert_int_equal(memory_live_blocks(), 0);
}

/* Elements stay what they were; memory is at most twice what they need, or room for 64. */
static void an_array_grows_element_by_element(void **state)
{
    (void)state;
    enum { ELEMENTS = 1000 };
    int *array = NULL;
    for (int count = 0; count < ELEMENTS; count++) {
        array = memory_room(array, count, sizeof *array, "an array");
        array[count] = count;
        const size_t room = memory_live_bytes() / sizeof *array;
        assert_true(room > (size_t)count && room <= (count < 64 ? 64 : 2 * (size_t)count));
    }
    for (int x = 0; x < ELEMENTS; x++)
        assert_int_equal(array[x], x);
    memory_free(array);
}

static void allocate(const void *bytes)
{
    memory_alloc(*(const size_t *)bytes, "the moon");
}

/* Also where the rounded size, or the size with the header, would wrap. */
static void too_much_is_refused(void **state)
{
    (void)state;
    char expected[200];
    for (size_t below = 0; below < 600; below += 25) {
        const size_t bytes = SIZE_MAX - below;
        const struct child c = child_run(allocate, &bytes);
        snprintf(expected, sizeof expected,
                 "hpgmg-gpu: error: no memory for %zu bytes of the moon\n", bytes);
        assert_int_equal(c.status, STATUS_MEMORY);
        assert_non_null(strstr(c.text, expected)); /* a sanitizer adds its warning */
    }
    const size_t half = SIZE_MAX / 2;
    assert_int_equal(child_run(allocate, &half).status, STATUS_MEMORY);
}

struct overrun {
    size_t bytes, beyond;
};

static void write_beyond(const void *overrun)
{
    const struct overrun *o = overrun;
    volatile unsigned char *block = memory_alloc(o->bytes, "a block");
    block[o->bytes + o->beyond] = 0;
    memory_free((void *)block);
}

/* One byte, anywhere up to the next multiple of the alignment. Sanitizers end at the write. */
static void a_write_beyond_the_end_is_found(void **state)
{
    (void)state;
    static const struct overrun cases[] = {
        {4, 0}, {4, 1}, {4, 123}, {127, 0}, {1, 0}, {1, 126}, {129, 0}, {1000, 23},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct child child = child_run(write_beyond, &cases[c]);
        assert_true(child.status != CHILD_RETURNED && child.status > 0);
        assert_true(strstr(child.text, "internal check failed") ||
                    strstr(child.text, "AddressSanitizer"));
    }
}

static void available_memory_is_plausible(void **state)
{
    (void)state;
    const size_t machine = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    const size_t available = memory_available_bytes();
    assert_true(available > 0);
    assert_true(available <= machine);
}

static void clock_goes_forward(void **state)
{
    (void)state;
    const double start = timer_seconds();
    double last = start;
    for (int n = 0; n < 1000; n++) {
        const double now = timer_seconds();
        assert_true(now >= last);
        last = now;
    }
    usleep(20000);
    assert_true(timer_seconds() - start >= 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ledger_counts_every_block),
        cmocka_unit_test(growth_counts_in_the_peak),
        cmocka_unit_test(an_array_grows_element_by_element),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(a_write_beyond_the_end_is_found),
        cmocka_unit_test(available_memory_is_plausible),
        cmocka_unit_test(clock_goes_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
