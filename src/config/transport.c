/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/transport.h"
#include <math.h>
#include <stdio.h>
#include "comm/comm.h"
#include "config/solver_options.h"
#include "cuda/cuda.h"
#include "level/message_trial.h"

/* Through the host a halo exchange takes as long as a pass, so overlap pays. By peer it takes less
 * than splitting the pass costs (docs/notes/several-gpus.md). */
#define OVERLAP_MESSAGES_ABOVE 400000.0
#define OVERLAP_PEER_ABOVE INFINITY

static struct transport_chosen chosen;

const struct transport_chosen *transport_chosen(void)
{
    return &chosen;
}

static enum status refuse(const char *name, const char *why, char *message, int size)
{
    snprintf(message, (size_t)size, "--transport %s: %s", name, why);
    return STATUS_ENVIRONMENT;
}

static bool reaches_all(const struct transport *transport)
{
    bool all = true;
    for (int rank = 0; rank < comm_size(); rank++)
        all = all && transport->reaches(rank);
    return all;
}

enum status transport_choose(int wanted, bool on_gpu, char *message, int size)
{
    const char *why_not = "this run uses no GPUs", *why_staged = NULL;
    const struct transport *peer = NULL;
    chosen = (struct transport_chosen){.overlap_above = INFINITY};
    if (comm_size() == 1)
        return STATUS_VALID;
    if (!on_gpu)
        return wanted == TRANSPORT_PEER || wanted == TRANSPORT_CUDA_AWARE
                   ? refuse(wanted == TRANSPORT_PEER ? "peer" : "cuda-aware", why_not, message,
                            size)
                   : STATUS_VALID;
    if (wanted == TRANSPORT_AUTO || wanted == TRANSPORT_PEER)
        peer = cuda_peer_transport(&why_not);
    if (wanted == TRANSPORT_PEER && !peer)
        return refuse("peer", why_not, message, size);
    const bool by_mpi = !peer || !reaches_all(peer);
    const bool wants_device = by_mpi && wanted != TRANSPORT_STAGED;
    if (wants_device)
        why_staged = gpu_aware_mpi_error(&backend_cuda);
    if (wanted == TRANSPORT_CUDA_AWARE && why_staged)
        return refuse("cuda-aware", why_staged, message, size);
    chosen.device_messages = wants_device && !why_staged;
    chosen.name = chosen.device_messages ? "cuda-aware" : "staged";
    if (peer) {
        chosen.elsewhere = by_mpi ? chosen.name : NULL;
        chosen.name = "peer";
        chosen.transport = peer;
    }
    chosen.overlap_above = peer && !chosen.elsewhere ? OVERLAP_PEER_ABOVE : OVERLAP_MESSAGES_ABOVE;
    if (wanted == TRANSPORT_AUTO && !peer)
        chosen.not_peer = why_not;
    return STATUS_VALID;
}
