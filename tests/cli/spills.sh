#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# No CUDA kernel spills registers into memory, but for those that tests/cli/spills.txt allows. Reads what
# the assembler said when the objects were built; skipped where nothing was built with CUDA.
set -u
: "${BUILD:?is set by tests/run-all}"
cd "$(dirname "$0")" || exit 1

check() { # LOG...
    cat "$@" | c++filt | awk -v tuned=sm_90 -f spills.awk spills.txt -
}

# The check itself: what it must find, tell and let pass.
said() { # ARCHITECTURE BYTES NAME
    echo "ptxas info    : Compiling entry function '$3' for '$1'"
    echo "ptxas info    : Function properties for $3"
    echo "    0 bytes stack frame, $2 bytes spill stores, $2 bytes spill loads"
}
expect() { # STATUS ARCHITECTURE BYTES NAME
    said "$2" "$3" "$4" | check - >/dev/null
    [ "${PIPESTATUS[1]}" -eq "$1" ] || { echo "the check is wrong about $3 bytes of $4 on $2"; exit 1; }
}
expect 0 sm_90 0 'void some_kernel(int)'
expect 1 sm_90 4 'void some_kernel(int)'
expect 1 sm_90a 4 'void some_kernel(int)'
expect 0 sm_80 4 'void some_kernel(int)'
expect 0 sm_90 4 'void tail_kernel<op_fv4_helmholtz>(tail)'
expect 1 sm_90 400 'void tail_kernel<op_fv4_helmholtz>(tail)'
check /dev/null >/dev/null && { echo "the check passes without any kernel"; exit 1; }

shopt -s globstar nullglob
logs=("$BUILD"/src/**/*.cu.o.log)
[ ${#logs[@]} -gt 0 ] || { echo "no kernels were built"; exit 77; }
check "${logs[@]}"
