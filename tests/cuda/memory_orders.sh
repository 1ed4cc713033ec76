#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The memory orders and scopes by which blocks, GPUs and the host wait for each other, as the compiler's PTX has
# them. A weaker order gives wrong results on few GPUs, and there rarely; emulated kernels have none.
set -u
cd "$(dirname "$0")/../.." || exit 1
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || { echo "no nvcc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# orders SOURCE KERNEL: a line for each barrier of a block and each access with an order, in the order of the PTX,
# with its scope and, if it is not that of a word, its type
orders() {
    # shellcheck disable=SC2046  # options for the compiler
    "$nvcc" -ptx -std=c++17 -arch=sm_90 --fmad=false --extended-lambda -DOMPI_SKIP_MPICXX -Isrc \
        $(mpicc -show | tr ' ' '\n' | grep '^-I') -o "$work/ptx" "$1" || return
    sed -n "/[.]entry .*$2/,/^}/p" "$work/ptx" |
        grep -oE '\bbar[.]sync|\b(ld|st|atom|red|fence)[.]([a-z0-9_]+[.])*(relaxed|acquire|release|acq_rel|sc)\b[a-z0-9.]*' |
        sed -E 's/[.]global//; s/[.][bu](32|64)$//'
}

# same WHAT WANTED GOT
same() {
    [ "$2" = "$3" ] && return
    bad=1
    printf '%s, wanted:\n%s\nin the PTX:\n%s\n' "$1" "$2" "$3"
}

cat >"$work/barrier.cu" <<'CODE'
#include "cuda/coarse/barrier.cuh"
__global__ void barrier_kernel(struct sync_context *sync)
{
    open_barrier(sync);
    wait_for_all_blocks(sync);
}
CODE
# All threads' writes, then thread 0's arrival; all blocks' arrivals, then all threads' reads.
same "the barrier of all blocks" "ld.relaxed.gpu
bar.sync
atom.add.release.gpu
ld.acquire.gpu
bar.sync" "$(orders "$work/barrier.cu" barrier_kernel)"

# The compiler may put loops elsewhere and repeat them.
same "the hand-over" "bar.sync
ld.acquire.gpu
ld.acquire.sys
st.release.gpu
st.release.sys" "$(orders src/cuda/hand_over.cu hand_over_kernel | sort -u)"
same "waiting for the host" "ld.acquire.sys" "$(orders src/cuda/hand_over.cu try_kernel)"
# The exchange's number is in the packet.
same "the exchange between GPUs" "bar.sync
ld.relaxed.sys.b128
st.relaxed.sys.b128" "$(orders src/cuda/peer/exchange.cu exchange_kernel | sort -u)"
exit $bad
