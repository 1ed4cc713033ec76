/* SPDX-License-Identifier: BSD-3-Clause */
/* The exchange between two blocks of the deep kernel (src/cuda/fv2/deep_kernel.cuh), as a model:
 * all orders in which the blocks act and in which the cells that they send arrive are tried. In
 * every one each block reads what the other computed in the step before, nothing deadlocks, and no
 * barrier's phase is taken for another's, and nothing arrives at a block that has ended. The same
 * search finds the fault if a block sends before it has waited, or reads after it has sent, or has
 * one buffer instead of two, or does not wait before it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

/* In step m a block lets the other one send the cells of step m (expect), waits for those of step
 * m − 1, reads them, and sends its own of step m, which go to buffer m & 1. After the last step it
 * waits once more, and ends. */
enum { BLOCKS = 2, STEPS = 5, CELLS = 2, NOTHING = -1 };
enum action { EXPECT, WAIT, READ, SEND, NUM_ACTIONS };

/* A barrier: its phase ends after the arrival that EXPECT is, and as many cells as it expects. */
struct barrier {
    int8_t phase, arrivals, cells; /* cells: expected less those that have arrived */
};

struct block {
    int8_t step, action; /* the next one */
    int8_t ended;
    int8_t buffer[2][CELLS];             /* the step whose cells are there */
    struct barrier barrier[2];           /* of even and of odd steps */
    int8_t on_the_way[2][STEPS * CELLS]; /* to this block: step and cell; NOTHING */
};

struct state {
    struct block block[BLOCKS];
};

struct model {
    enum action order[NUM_ACTIONS];
    int buffers;
    bool ends_at_once;
    long states, faults;
};

enum { MAX_STATES = 1 << 20 };
static struct state seen[MAX_STATES];
static int table[2 * MAX_STATES];

static bool is_new(struct model *m, const struct state *s)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t x = 0; x < sizeof *s; x++)
        hash = (hash ^ ((const unsigned char *)s)[x]) * 1099511628211u;
    size_t at = hash % (2 * MAX_STATES);
    for (; table[at]; at = (at + 1) % (2 * MAX_STATES))
        if (memcmp(&seen[table[at] - 1], s, sizeof *s) == 0)
            return false;
    assert_true(m->states < MAX_STATES);
    seen[m->states++] = *s;
    table[at] = (int)m->states;
    return true;
}

static void end_phase(struct barrier *b)
{
    if (b->arrivals == 0 || b->cells != 0)
        return;
    b->phase++;
    b->arrivals = 0;
}

/* Whether the cells of the step before have not all arrived, as far as the parity of the phase
 * tells: the hardware knows no more of it. */
static bool must_wait(const struct block *b)
{
    return b->step > 0 && b->barrier[(b->step - 1) & 1].phase % 2 == (b->step - 1) / 2 % 2;
}

/* The action of a block; false if it must wait. */
static bool act(struct model *m, struct state *s, int which)
{
    struct block *own = &s->block[which], *other = &s->block[1 - which];
    const int step = own->step, parity = step & 1, buffer = parity % m->buffers,
              last = (1 - parity) % m->buffers;
    if (step == STEPS) {
        own->ended = m->ends_at_once || !must_wait(own);
        return own->ended;
    }
    switch (m->order[own->action]) {
    case EXPECT:
        own->barrier[parity].arrivals++;
        own->barrier[parity].cells += CELLS;
        end_phase(&own->barrier[parity]);
        break;
    case WAIT:
        if (must_wait(own))
            return false;
        break;
    case READ:
        for (int c = 0; step > 0 && c < CELLS; c++)
            m->faults += own->buffer[last][c] != step - 1;
        break;
    default:
        for (int c = 0, x = 0; c < CELLS; x++)
            if (other->on_the_way[0][x] == NOTHING) {
                other->on_the_way[0][x] = (int8_t)step;
                other->on_the_way[1][x] = (int8_t)(2 * c + buffer);
                c++;
            }
    }
    if (++own->action == NUM_ACTIONS) {
        own->action = 0;
        own->step++;
    }
    return true;
}

/* Cell number x on the way to a block arrives. */
static void arrive(struct model *m, struct block *b, int x)
{
    m->faults += b->ended;
    const int step = b->on_the_way[0][x], place = b->on_the_way[1][x];
    b->buffer[place & 1][place >> 1] = (int8_t)step;
    b->barrier[step & 1].cells--;
    end_phase(&b->barrier[step & 1]);
    b->on_the_way[0][x] = b->on_the_way[1][x] = NOTHING;
}

/* Tries all that can come next. */
static void explore(struct model *m, const struct state *s)
{
    bool stuck = true, done = true;
    if (!is_new(m, s) || m->faults > 0)
        return;
    for (int which = 0; which < BLOCKS; which++) {
        struct state next = *s;
        done = done && s->block[which].ended;
        if (!s->block[which].ended && act(m, &next, which)) {
            stuck = false;
            explore(m, &next);
        }
        for (int x = 0; x < STEPS * CELLS; x++)
            if (s->block[which].on_the_way[0][x] != NOTHING) {
                stuck = false;
                next = *s;
                arrive(m, &next.block[which], x);
                explore(m, &next);
            }
    }
    m->faults += stuck && !done;
}

static long faults(enum action a, enum action b, enum action c, enum action d, int buffers,
                   bool ends_at_once)
{
    struct model m = {{a, b, c, d}, buffers, ends_at_once, 0, 0};
    struct state s;
    memset(&s, 0, sizeof s);
    for (int which = 0; which < BLOCKS; which++)
        memset(s.block[which].on_the_way, NOTHING, sizeof s.block[which].on_the_way);
    memset(table, 0, sizeof table);
    explore(&m, &s);
    return m.faults;
}

static void test_exchange(void **unused)
{
    (void)unused;
    assert_int_equal(faults(EXPECT, WAIT, READ, SEND, 2, false), 0);
}

static void test_faults(void **unused)
{
    (void)unused;
    assert_true(faults(EXPECT, SEND, WAIT, READ, 2, false) > 0);
    assert_true(faults(EXPECT, WAIT, SEND, READ, 2, false) > 0);
    assert_true(faults(EXPECT, WAIT, READ, SEND, 1, false) > 0);
    assert_true(faults(EXPECT, WAIT, READ, SEND, 2, true) > 0);
    assert_true(faults(WAIT, READ, EXPECT, SEND, 2, false) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
