#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# CUDA kernels do not spill registers to memory, except as tests/cli/spills.txt allows. Reads what ptxas printed
# when the objects were built; skipped if nothing was built with CUDA.
set -u
: "${BUILD:?is set by tests/run-all}"
cd "$(dirname "$0")" || exit 1

check() { # LOG...
    cat "$@" | c++filt | awk -v tuned=sm_90 -f spills.awk spills.txt -
}

# The check itself: what it must find, note and let pass.
said() { # ARCHITECTURE BYTES NAME
    echo "ptxas info    : Compiling entry function '$3' for '$1'"
    echo "ptxas info    : Function properties for $3"
    echo "    0 bytes stack frame, $2 bytes spill stores, $2 bytes spill loads"
}
expect() { # STATUS ARCHITECTURE BYTES NAME...
    local status=$1 arch=$2 bytes=$3 name
    shift 3
    for name in "$@"; do said "$arch" "$bytes" "$name"; done | check - >/dev/null
    [ "${PIPESTATUS[1]}" -eq "$status" ] || { echo "the check is wrong about $bytes bytes of $* on $arch"; exit 1; }
}
tails=('void tail_kernel<op_1>(tail)' 'void tail_kernel<op_2>(tail)' 'void tail_kernel<op_3>(tail)'
    'void tail_kernel<op_4>(tail)' 'void tail_kernel<op_5>(tail)' 'void tail_kernel<op_6>(tail)'
    'void tail_kernel<op_7>(tail)' 'void tail_kernel<op_8>(tail)')
expect 0 sm_90 0 'void some_kernel(int)'
expect 1 sm_90 4 'void some_kernel(int)'
expect 1 sm_90a 4 'void some_kernel(int)'
expect 1 sm_90 4 'void other::tail_kernel<int>(int)' 'void some_kernel<tail_kernel>(int)'
expect 0 sm_80 4 'void some_kernel(int)'
expect 0 sm_90 4 "${tails[@]}"
expect 1 sm_90 4 "${tails[@]}" 'void tail_kernel<op_9>(tail)'
expect 0 sm_90 0 "${tails[@]}" 'void tail_kernel<op_9>(tail)'
expect 1 sm_90 400 'void tail_kernel<op_1>(tail)'
expect 0 sm_90 8 'void fv2::sweeps_kernel<fv2::sweep_tile<true, 2>, tiles>(fv2_sweeps, tiles, int)'
check /dev/null >/dev/null && { echo "the check passes without any kernel"; exit 1; }

shopt -s globstar nullglob
logs=("$BUILD"/{src,lab}/**/*.cu.o.log)
[ ${#logs[@]} -gt 0 ] || { echo "no kernels were built"; exit 77; }
check "${logs[@]}"
