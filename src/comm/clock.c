/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm/clock.h"
#include <math.h>
#include "base/timer.h"
#include "comm/call.h"
#include "comm/comm.h"

/* The fastest of the round trips counts: many are cheap, and one is undisturbed. */
enum { ROUND_TRIPS = 32, CLOCK_TAG = 3 };

static void send_time(int rank, double seconds)
{
    MPI_CALL(MPI_Send(&seconds, 1, MPI_DOUBLE, rank, CLOCK_TAG, comm_world()));
}

static double receive_time(int rank)
{
    double seconds;
    MPI_CALL(MPI_Recv(&seconds, 1, MPI_DOUBLE, rank, CLOCK_TAG, comm_world(), MPI_STATUS_IGNORE));
    return seconds;
}

/* Rank 0's part: one rank after the other, so that no answer waits for another rank's question. */
static void answer_all(void)
{
    for (int rank = 1; rank < comm_size(); rank++)
        for (int i = 0; i < ROUND_TRIPS; i++) {
            receive_time(rank);
            send_time(rank, timer_seconds());
        }
}

/* Rank 0 read its clock at some time of the round trip: at its middle, to within its half. */
static struct clock_offset round_trip(void)
{
    const double sent = timer_seconds();
    send_time(0, sent);
    const double answer = receive_time(0), received = timer_seconds(),
                 middle = 0.5 * (sent + received);
    return (struct clock_offset){middle, answer - middle, 0.5 * (received - sent)};
}

static struct clock_offset fastest_round_trip(void)
{
    struct clock_offset best = round_trip();
    for (int i = 1; i < ROUND_TRIPS; i++) {
        const struct clock_offset next = round_trip();
        if (next.error < best.error)
            best = next;
    }
    return best;
}

struct clock_offset clock_measure(void)
{
    struct clock_offset c = {timer_seconds(), 0.0, 0.0};
    if (comm_rank() == 0)
        answer_all();
    else
        c = fastest_round_trip();
    if (comm_on_node(0) && fabs(c.seconds) <= c.error)
        c.seconds = c.error = 0.0;
    return c;
}

struct clock_offset clock_between(const struct clock_offset *before,
                                  const struct clock_offset *after, double at)
{
    const double drift = after->seconds - before->seconds;
    struct clock_offset c = before->error <= after->error ? *before : *after;
    if (fabs(drift) > before->error + after->error) {
        c.seconds = before->seconds + drift * ((at - before->at) / (after->at - before->at));
        c.error = fmax(before->error, after->error);
    }
    c.at = at;
    return c;
}
