#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One answer: the program prints the same checksum for any number of ranks and threads and any boxes.
# one_answer_test.c compares many more cases, but within one number of ranks.
set -u
: "${HPGMG:?is set by tests/run-all}"
. tests/support/ranks.bash
bad=0 compared=0

# checksum RANKS THREADS ARGUMENTS...: of a run that is VALID and ends with status 0; else nothing
checksum() {
    local ranks=$1 threads=$2 output
    shift 2
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    output=$(OMP_NUM_THREADS=$threads $MPIRUN -n "$ranks" "$HPGMG" --backend cpu --quiet --checksum --solves 1 "$@" 2>&1) &&
        grep -q '^VERDICT: VALID' <<<"$output" && sed -n 's/^checksum: //p' <<<"$output"
}

# expect WANTED RANKS THREADS ARGUMENTS...
expect() {
    local wanted=$1 got
    shift
    got=$(checksum "$@")
    [ -n "$got" ] && [ -n "$wanted" ] && compared=$((compared + 1))
    if [ -z "$got" ] || [ "$got" != "$wanted" ]; then
        bad=$((bad + 1))
        echo "ranks, threads, options: $*: checksum ${got:-missing}, not ${wanted:-known}"
    fi
}

# 64³ in one box, and in up to 512 of them on 2 to 8 ranks.
for options in "--order 2 --rtol 1e-9" "--order 4" "--order 4 --boundary periodic --smoother chebyshev" \
    "--order 4 --boundary neumann" "--order 2 --boundary periodic,dirichlet/neumann,neumann --smoother chebyshev" \
    "--order 2 --equation helmholtz --smoother jacobi --solver idr" \
    "--order 4 --precision mixed --single-above 3000 --rtol 1e-9" \
    "--order 2 --precision mixed --single-above 500 --boundary periodic,dirichlet/neumann,neumann"; do
    # shellcheck disable=SC2086
    {
        wanted=$(checksum 1 1 $options 6 1)
        expect "$wanted" 1 4 $options --loops plain 4 64
        expect "$wanted" 3 1 $options --fuse off 4 22
        expect "$wanted" 1 2 $options --fuse off --loops plain 6 1
        expect "$wanted" 2 2 $options 4 32
        expect "$wanted" 3 1 $options 4 22
        expect "$wanted" 5 1 $options 4 13
        expect "$wanted" 8 1 $options 5 1
        expect "$wanted" 8 2 $options --loops plain 3 64
        expect "$wanted" 12 1 $options --agglomerate-below 5000 4 6 # 32³ on 8 ranks, 16³ on one
    }
done

# 48³: an odd number of boxes per side, distributed unevenly, and ranks without boxes on coarse levels.
for options in "--order 2 --smoother l1jacobi" "--order 4 --boundary periodic"; do
    # shellcheck disable=SC2086
    {
        wanted=$(checksum 1 2 $options 4 27)
        expect "$wanted" 4 1 $options 4 7
        expect "$wanted" 7 1 $options 3 31
        expect "$wanted" 7 1 $options --agglomerate-below 15000 3 31 # 24³ and below on one rank
        expect "$wanted" 4 1 $options --agglomerate-below 1000000 4 7 # all but the finest
    }
done

# Rows of 512 cells: passes restrict rows in pieces of at most 256 cells.
for order in 2 4; do
    wanted=$(checksum 1 2 --order $order --domain 16x2x2 --loops plain 5 64)
    expect "$wanted" 1 2 --order $order --domain 16x2x2 5 64
done

echo "$compared compared, $bad differ"
[ "$bad" -eq 0 ] && [ "$compared" -eq 82 ]
