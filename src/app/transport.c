#include "app/transport.h"
#include <stdio.h>
#include "comm/comm.h"
#include "cuda/cuda.h"

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

enum status transport_choose(const struct options *o, bool on_gpu, char *message, int size)
{
    const char *why_not = "messages are between CPUs";
    const struct transport *peer = NULL;
    chosen = (struct transport_chosen){.name = NULL};
    if (comm_size() == 1)
        return STATUS_VALID;
    if (!on_gpu)
        return o->transport == TRANSPORT_PEER || o->transport == TRANSPORT_CUDA_AWARE
                   ? refuse(o->transport == TRANSPORT_PEER ? "peer" : "cuda-aware", why_not,
                            message, size)
                   : STATUS_VALID;
    if (o->transport == TRANSPORT_AUTO || o->transport == TRANSPORT_PEER)
        peer = cuda_peer_transport(&why_not);
    if (o->transport == TRANSPORT_PEER && !peer)
        return refuse("peer", why_not, message, size);
    if (o->transport == TRANSPORT_CUDA_AWARE && !comm_takes_device_memory())
        return refuse("cuda-aware", "the MPI library does not take pointers to GPU memory", message,
                      size);
    if (peer)
        chosen = (struct transport_chosen){.name = "peer", .transport = peer};
    else if (o->transport != TRANSPORT_STAGED && comm_takes_device_memory())
        chosen = (struct transport_chosen){.name = "cuda-aware", .device_messages = true};
    else
        chosen = (struct transport_chosen){.name = "staged"};
    if (o->transport == TRANSPORT_AUTO && !peer)
        chosen.not_peer = why_not;
    return STATUS_VALID;
}
