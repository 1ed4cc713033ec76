/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The kernel by which a recording hands over to the host (backend/backend.h), and the host's side.
 */
#include <vector>
#include "cuda/backend.cuh"

/* Words in pinned memory by which the two wait for each other: numbers of replays. */
struct hand_over_words;
/* Numbers of replays, and times, in the device's memory. */
struct hand_over_counts;

/* One hand-over of a recording. */
struct cuda_hand_over : hand_over {
    unsigned blocks;     /* of the kernel */
    struct move *moves;  /* on the device: first those to the host, then those back */
    unsigned ndown, nup; /* of them */
    struct hand_over_counts *counts;
    struct hand_over_words *words;
    double host_seconds; /* that its work has taken */
};

/* True if these hand-overs are small enough for one kernel each. */
bool cuda_hand_overs_fit(const struct hand_over *hand_overs, int count);
struct cuda_hand_over cuda_hand_over_create(const struct hand_over *h);
void cuda_hand_over_destroy(struct cuda_hand_over *h);
/* Begins the kernel. */
void cuda_hand_over_launch(const struct cuda_hand_over &h);
/* The host's side in the replay with this number, from 1: waits for the kernel, does the work, and
 * answers. */
void cuda_hand_over_answer(struct cuda_hand_over &h, unsigned replay);
/* True if a kernel can wait for the host. */
bool cuda_can_wait_for_host();
/* Seconds that its kernel has taken, in all replays that are done. */
double cuda_hand_over_seconds(const struct cuda_hand_over &h);
