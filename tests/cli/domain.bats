#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# --domain: shapes, what is refused, and long domains, whose coarsest level is large.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} CUDA_VISIBLE_DEVICES=
}

solve() { # ARGUMENT...: output and stderr
    run -0 --separate-stderr "$HPGMG" --backend cpu --solves 1 "$@"
}

refused() { # TEXT ARGUMENT...
    run -2 --separate-stderr "$HPGMG" --backend cpu --solves 1 "${@:2}"
    [ -z "$output" ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ $stderr == *"$1"* ]]
}

@test "shapes that are none are refused" {
    for shape in 0x1x1 3x 3x1 3x1x1x1 axbxc 1x1x-1 1x1x1048577 99999999999x1x1 cubes; do
        refused "--domain: wrong value '$shape'; legal: cube, exact, or 3 integers from 1 to 1048576" --domain $shape 3 8
    done
    refused "--domain: missing value" --domain "" 3 8
    refused "--domain 3x3x3 has 27 boxes, more than 8" --domain 3x3x3 3 8
    refused "boxes per rank of 2^10 cells per side on 1 ranks are" --domain 1000000x1x1 10 1000000
    refused "--benchmark: runs with --domain cube only" --benchmark --domain 2x1x1 3 8
}

@test "more ranks than boxes are refused" {
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    run -2 $MPIRUN -n 3 "$HPGMG" --backend cpu --domain 2x1x1 3 8
    [[ $output == *"--domain 2x1x1 has 2 boxes, fewer than 3 ranks"* ]]
}

@test "exact takes all boxes of all ranks" {
    for ranks in 1 2 3 5; do
        # shellcheck disable=SC2086
        run -0 $MPIRUN -n $ranks "$HPGMG" --backend cpu --solves 1 --domain exact 3 7
        grep -qE "cells in $((7 * ranks)) boxes of 8\^3 " <<<"$output"
        grep -qx "  process_problem_size: 3584" <<<"$output"
    done
}

@test "a line of 1009 boxes converges, and a domain that ends early is named" {
    for order in 2 4; do
        solve --order $order --rtol 1e-8 --domain 1009x1x1 2 1009
        grep -qE '^VERDICT: VALID' <<<"$output"
        grep -qE '^ +[0-9] +1009x(1x1|2x2) +1x\(1009x(1x1|2x2)\) +1 +1 ' <<<"$output"
    done
    ! grep -qF "the coarsest level" <<<"$stderr"
    solve --dry-run --domain 17x17x17 2 4913
    grep -qF "hpgmg-gpu: warning: the coarsest level has 17^3 = 4913 cells; --domain 20x20x12 coarsens further" <<<"$stderr"
    solve --dry-run --domain 20x20x12 2 4800
    ! grep -qF "the coarsest level" <<<"$stderr"
}

@test "the order is judged on shapes without a record, the error is not" {
    solve --quiet --domain 1x1x2 7 2
    grep -qxF "VERDICT: VALID (error not checked: no error on record for domains that are no cubes)" <<<"$output"
}
