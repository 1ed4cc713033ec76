/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/memory_need.h"
#include <math.h>
#include "base/memory.h"
#include "comm/comm.h"
#include "config/environment.h"
#include "cuda/cuda.h"
#include "solvers/size.h"

/* Ranks that share this rank's memory, and what is free in it. */
static double sharers_of(bool on_device)
{
    return on_device ? gpu_sharers().count : comm_node_size();
}

static double available_to(bool on_device)
{
    return on_device ? (double)cuda_free_bytes() : (double)memory_available_bytes();
}

struct memory_need memory_need_of(size_t bytes, bool on_device)
{
    double sharing = sharers_of(on_device), available = available_to(on_device);
    comm_max_f64(comm_world(), &sharing, 1);
    comm_min_f64(comm_world(), &available, 1);
    return (struct memory_need){(double)bytes * sharing, available};
}

bool memory_has_room(const struct level *level, size_t bytes)
{
    const bool on_device = level->backend->on_device;
    const struct memory_need need = {sharers_of(on_device) * (double)bytes,
                                     available_to(on_device)};
    return comm_min_i64(level->comm, memory_need_fits(&need));
}

struct memory_need memory_need_of_levels(const struct hierarchy_choice *choice, bool on_device)
{
    const struct hierarchy_shape shape = hierarchy_shape(choice, comm_size());
    return memory_need_of(hierarchy_bytes(choice, &shape, comm_size(), on_device), on_device);
}

const char *memory_shortage(const struct hierarchy_choice *choice, struct memory_need *need)
{
    *need = memory_need_of_levels(choice, false);
    if (!memory_need_fits(need))
        return "node";
    if (!choice->placement.backend->on_device)
        return NULL;
    *need = memory_need_of_levels(choice, true);
    return memory_need_fits(need) ? NULL : "GPU";
}

static bool fits(const struct hierarchy_choice *choice)
{
    struct memory_need need;
    char ignored[512];
    return size_check(choice, comm_size(), ignored, sizeof ignored) == STATUS_VALID &&
           !memory_shortage(choice, &need);
}

/* The most boxes per rank that fit, up to those of the choice; 0: none. */
static long max_boxes(struct hierarchy_choice choice)
{
    const long given = choice.boxes_per_rank;
    long fitting = 0;
    if (fits(&choice))
        return given;
    for (long step = given / 2 + 1; step > 0; step = step > 1 ? (step + 1) / 2 : 0) {
        choice.boxes_per_rank = fitting + step;
        if (choice.boxes_per_rank < given && fits(&choice))
            fitting += step;
    }
    return fitting;
}

struct hierarchy_choice memory_largest(struct hierarchy_choice choice)
{
    struct hierarchy_choice largest = choice;
    const long given = choice.boxes_per_rank, ranks = comm_size();
    double most = 0.0;
    largest.boxes_per_rank = 0;
    for (long fitting = 0; fitting < given && choice.log2_box_dim > 1; choice.log2_box_dim--) {
        choice.boxes_per_rank = given;
        fitting = max_boxes(choice);
        const long boxes = fitting > 0 ? domain_count(&choice.domain, fitting * ranks) : 0;
        if (ldexp((double)boxes, 3 * choice.log2_box_dim) > most) {
            most = ldexp((double)boxes, 3 * choice.log2_box_dim);
            choice.boxes_per_rank = (boxes + ranks - 1) / ranks;
            largest = choice;
        }
    }
    return largest;
}

bool memory_need_fits(const struct memory_need *need)
{
    return need->available == 0.0 || need->needed <= need->available;
}
