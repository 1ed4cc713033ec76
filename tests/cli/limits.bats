#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What a run needs and may not have: time for large dry runs, memory, stack, threads; and ranks that are late.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    HPGMG_LAB=${HPGMG_LAB:-$PWD/hpgmg-lab}
    . tests/support/ranks.bash
    export CUDA_VISIBLE_DEVICES=
    work=$BATS_TEST_TMPDIR
}

# limited LIMIT RANKS ARGUMENT...: a run within that `ulimit`; sets status and output
limited() {
    local limit=$1 ranks=$2
    shift 2
    # shellcheck disable=SC2086,SC2016  # MPIRUN is a command with options; the inner shell expands
    run $MPIRUN -n "$ranks" bash -c "ulimit $limit"' && exec "$@"' bash "$HPGMG" --backend cpu "$@"
    echo "status $status: $output"
}

# Code that sanitizers instrument needs more time, stack and address space.
skip_if_instrumented() {
    ! "$HPGMG" --version | grep -q -- -fsanitize || skip "instrumented code needs more"
}

one_error() { # STATUS MESSAGE: what the last command did
    [ "$status" -eq "$1" ]
    [ "$(grep -c 'hpgmg-gpu: error: ' <<<"$output")" -eq 1 ]
    [[ $output == *"hpgmg-gpu: error: $2"* ]]
}

# --- sizes ---------------------------------------------------------------------------------------

@test "a dry run of millions of boxes on several ranks takes seconds" {
    skip_if_instrumented
    limited "-t 20" 2 --dry-run 4 1000000 # of each rank's processor time
    [ "$status" -eq 0 ] || one_error 4 "this size needs " # as far as memory goes
    [[ $output == *"1792^3 cells in 1404928 boxes of 16^3"* ]]
}

levels() { # FILE: the rows of the table of levels
    sed -n '/= Hierarchy/,/^$/p' "$1" | grep -E '^ +[0-9]+ +[0-9]+\^3 '
}

@test "a dry run and a run on three ranks agree on bytes" {
    local options="--backend cpu --agglomerate-below 5000 --boundary periodic 3 9"
    # shellcheck disable=SC2086
    $MPIRUN -n 3 "$HPGMG" --dry-run $options >"$work/dry"
    # shellcheck disable=SC2086
    $MPIRUN -n 3 "$HPGMG" --solves 1 $options >"$work/wet"
    [ "$(levels "$work/dry" | wc -l)" -gt 2 ]
    diff <(levels "$work/dry") <(levels "$work/wet")
}

# --- memory --------------------------------------------------------------------------------------

@test "memory that fails on all ranks is told in one line" {
    skip_if_instrumented
    limited "-v 250000" 4 --quiet --solves 1 6 16
    one_error 4 "no memory for "
}

# --- threads -------------------------------------------------------------------------------------

@test "more threads than any machine has" {
    OMP_NUM_THREADS=100000 run "$HPGMG" --backend cpu --solves 1 3 1
    one_error 3 "OpenMP has 100000 threads per rank; OMP_NUM_THREADS legal: 1 to 8192"
    OMP_NUM_THREADS=8193 run "$HPGMG_LAB" kernel --backend cpu 16
    [ "$status" -eq 3 ]
    [[ $output == "hpgmg-lab: error: OpenMP has 8193 threads "* ]]
}

@test "too little stack for threads" {
    local size
    for size in 16k 32 16384B 100; do # kilobytes without a unit
        OMP_NUM_THREADS=2 OMP_STACKSIZE=$size run "$HPGMG" --backend cpu --order 4 --solves 1 5 1
        one_error 3 "OpenMP's threads have "
        [[ $output == *" bytes of stack and need 131072; raise OMP_STACKSIZE" ]]
    done
    OMP_NUM_THREADS=2 OMP_STACKSIZE=16384 run "$HPGMG" --backend cpu --order 4 --quiet --solves 1 3 1
    [ "$status" -eq 0 ]
    OMP_NUM_THREADS=2 OMP_STACKSIZE=16k run "$HPGMG_LAB" kernel --backend cpu 16
    [ "$status" -eq 3 ]
    [[ $output == "hpgmg-lab: error: OpenMP's threads have "* ]]
}

@test "as much stack as threads need" {
    local options
    skip_if_instrumented
    for options in "--order 4 --equation helmholtz --smoother chebyshev --problem p6" \
        "--boundary periodic --bottom cg --problem sine"; do
        # shellcheck disable=SC2086  # several options
        OMP_NUM_THREADS=4 OMP_STACKSIZE=128k run "$HPGMG" --backend cpu --quiet --solves 1 $options 4 27
        [ "$status" -eq 0 ]
    done
}

# --- input files ---------------------------------------------------------------------------------

@test "a pipe as input file" {
    run "$HPGMG" --backend cpu --dry-run --input /dev/stdin 3 1 <<<"order = 4"
    [ "$status" -eq 0 ]
    run "$HPGMG" --backend cpu --dry-run --input <(echo "order = 4") 3 1
    [ "$status" -eq 0 ]
    [[ $output =~ order\ +4 ]]
    mkfifo "$work/pipe"
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    run timeout 60 $MPIRUN -n 3 "$HPGMG" --backend cpu --input "$work/pipe" 3 1
    one_error 2 "--input: '$work/pipe' is no regular file, and 3 ranks read it"
}

# --- delays --------------------------------------------------------------------------------------

@test "delays change no answer" {
    local delay expected
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    expected=$($MPIRUN -n 2 "$HPGMG" --backend cpu --quiet --checksum --solves 1 3 4 | grep '^checksum: ')
    for delay in 1:200 2:200:recorded; do
        # shellcheck disable=SC2086
        HPGMG_DELAY=$delay run $MPIRUN -n 2 "$HPGMG-disturbed" --backend cpu --quiet --checksum --solves 1 3 4
        [ "$status" -eq 0 ]
        [ "$(grep '^checksum: ' <<<"$output")" = "$expected" ]
    done
}
