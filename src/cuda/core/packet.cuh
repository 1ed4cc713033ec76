/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Packets of 128 bits: a value and the number of the exchange that it belongs to. Between blocks of
 * a GPU (coarse/packets.cuh) and between GPUs (peer/exchange.cu).
 *
 * A receiver polls the packet itself and needs no flag and no fence. A strong (relaxed) access of
 * type .b128 is one operation of PTX's memory model: who reads the number has the value, too. The
 * scope must include both ends. */
#include "cuda/core/launch.cuh"

#if CUDART_VERSION < 12030
#error "this needs CUDA 12.3 or newer, for accesses of 128 bits; make CUDA=0 builds without CUDA"
#endif

struct alignas(16) packet {
    double value;
    unsigned long long number;
};

#ifdef __CUDACC__
#include <cuda/atomic>

template <cuda::thread_scope SCOPE>
DEVICE void store_packet(struct packet *at, struct packet p)
{
    const long long value = __double_as_longlong(p.value);
    if constexpr (SCOPE == cuda::thread_scope_system)
        asm volatile("{ .reg .b128 p; mov.b128 p, {%1, %2}; st.relaxed.sys.global.b128 [%0], p; }"
                     :
                     : "l"(at), "l"(value), "l"(p.number)
                     : "memory");
    else
        asm volatile("{ .reg .b128 p; mov.b128 p, {%1, %2}; st.relaxed.gpu.global.b128 [%0], p; }"
                     :
                     : "l"(at), "l"(value), "l"(p.number)
                     : "memory");
}

template <cuda::thread_scope SCOPE>
DEVICE struct packet load_packet(const struct packet *at)
{
    long long value;
    unsigned long long number;
    if constexpr (SCOPE == cuda::thread_scope_system)
        asm volatile("{ .reg .b128 p; ld.relaxed.sys.global.b128 p, [%2]; mov.b128 {%0, %1}, p; }"
                     : "=l"(value), "=l"(number)
                     : "l"(at)
                     : "memory");
    else
        asm volatile("{ .reg .b128 p; ld.relaxed.gpu.global.b128 p, [%2]; mov.b128 {%0, %1}, p; }"
                     : "=l"(value), "=l"(number)
                     : "l"(at)
                     : "memory");
    return {__longlong_as_double(value), number};
}
#endif
