#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# run/operators: the table has the rows and columns asked for, and only VALID runs have numbers.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit 1
    export OMP_NUM_THREADS=1
}

study() {
    run/operators --program "${HPGMG:?}" --options "--backend cpu ${1:-}" --sizes 3:8 --orders 2 --solves 1 \
        --smoothers gsrb,jacobi --boundaries dirichlet
}

@test "a table has a row for each operator, a column for each smoother, and ratios to the first cell" {
    run study
    [ "$status" -eq 0 ]
    grep -qx '| order 2, 16^3 | gsrb | jacobi |' <<<"$output"
    grep -qE '^\| dirichlet, poisson, variable \| [0-9.]+ \(1\.00\) [0-9]+ % \| [0-9.]+ \([0-9.]+\) [0-9]+ % \|$' <<<"$output"
    [ "$(grep -c '^| dirichlet, ' <<<"$output")" -eq 4 ]
}

@test "without the cell that ratios are to there are none" {
    run run/operators --program "${HPGMG:?}" --options "--backend cpu" --sizes 3:8 --orders 2 --solves 1 \
        --smoothers jacobi --boundaries dirichlet
    [ "$status" -eq 0 ]
    grep -qE '^\| dirichlet, poisson, variable \| [0-9.]+ [0-9]+ % \|$' <<<"$output"
    [[ $output != *"("* ]]
    run study --quiet # no table of stages
    [ "$status" -eq 1 ]
    grep -q 'error: the report has no table of stages' <<<"$output"
    [[ $output != *Traceback* ]]
}

@test "runs that fail have no numbers, and the status says so" {
    run study "--rtol 1e-15 --max-cycles 1"
    [ "$status" -eq 1 ]
    [ "$(grep -c 'error: status 1: VERDICT: INVALID' <<<"$output")" -eq 8 ]
    ! grep -qE '\([0-9]' <<<"$output"
}

@test "what no run can do is said once" {
    printf '#!/bin/sh\necho "hpgmg-gpu: error: no GPU" >&2\nexit 3\n' >"$BATS_TEST_TMPDIR/program"
    chmod +x "$BATS_TEST_TMPDIR/program"
    run run/operators --program "$BATS_TEST_TMPDIR/program"
    [ "$status" -eq 3 ]
    [ "$output" = "operators: error: no GPU" ]
    run study --no-such-option
    [ "$status" -eq 2 ]
    [ "${#lines[@]}" -eq 1 ]
    run run/operators --program "$BATS_TEST_TMPDIR/nothing"
    [ "$status" -eq 3 ]
    [ "${#lines[@]}" -eq 1 ]
}

@test "wrong sizes and names are refused" {
    run run/operators --sizes 7x8
    [ "$status" -eq 2 ]
    run run/operators --smoothers sor
    [ "$status" -eq 2 ]
}
