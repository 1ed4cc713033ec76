#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# One NaN or infinity in f, in beta, in a ghost cell or in a message on any rank makes the run
# INVALID: status 1, no speed printed, in the JSON report too. A rank that dies ends the job, so does one that has no
# memory, and one that stops for a while changes nothing.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
    export CUDA_VISIBLE_DEVICES=
    report=$BATS_TEST_TMPDIR/report.json
}

# invalid REASON FAULT COMMAND...: the run with that fault is INVALID for that reason
invalid() {
    HPGMG_FAULT=$2 run "${@:3}" --backend cpu --quiet --solves 2
    echo "$2, ${*:3}: status $status: $output"
    [ "$status" -eq 1 ]
    [[ $output == *"VERDICT: INVALID ("$1")"* ]]
    [[ $output != *DOF/s=* ]]
}

@test "the reason names every size that has a wrong value" {
    local value
    for value in nan inf; do
        invalid "h: residual not finite; 2h: residual not finite; 4h: residual not finite" f:0:$value \
            "$HPGMG-disturbed" 3 8
        invalid "h: residual not finite" beta:0:$value "$HPGMG-disturbed" --rtol 1e-8 4 8 # smaller levels have copies of beta
    done
}

@test "a wrong value on any of several ranks" {
    local ranks="$MPIRUN -n 4 $HPGMG-disturbed"
    # shellcheck disable=SC2086  # a command with options
    {
        invalid "h: *" f:1:nan $ranks --order 4 --boundary periodic 3 8
        invalid "h: *" beta:3:inf $ranks --smoother chebyshev --equation helmholtz --loops plain 3 2
        invalid "h: *" ghost:2:nan $ranks --order 4 --smoother jacobi --rtol 1e-8 3 4
        invalid "h: *" message:0:inf $ranks 4 2
        invalid "h: *" message:1:nan $ranks --solver idr --boundary periodic 3 4
    }
}

@test "the JSON report of a spoilt run is valid JSON and says INVALID" {
    invalid "h: *" beta:0:inf "$HPGMG-disturbed" --json "$report" 4 8
    [ "$(sed 's/"[^"]*"//g' "$report" | grep -ciE 'nan|inf(inity)?[^a-z]')" -eq 0 ]
    grep -q '"verdict":[[:space:]]*"INVALID"' "$report"
    tests/cli/validate_json.py "$report"
}

@test "the product has no faults" {
    HPGMG_FAULT=f:0:nan run "$HPGMG" --backend cpu --quiet --solves 2 3 8
    [ "$status" -eq 0 ]
}

# begun ARGUMENT...: starts a run of three ranks in the background, which is solving when this returns; sets job and rank,
# the process of the last rank
begun() {
    # shellcheck disable=SC2086
    $MPIRUN -n 3 "$HPGMG" --backend cpu "$@" >"$BATS_TEST_TMPDIR/output" 2>&1 3>&- &
    job=$!
    timeout 60 sh -c 'until grep -q "= Hierarchy: " "$1"; do sleep 0.1; done' sh "$BATS_TEST_TMPDIR/output"
    rank=$(pgrep -f -- "^$HPGMG --backend cpu $*" | tail -n 1)
}

@test "a killed rank ends the job" {
    local job rank start=$SECONDS
    begun --min-time 100 4 8
    kill -9 "$rank"
    wait $job && status=0 || status=$?
    [[ $status =~ ^(137|9)$ ]] # SIGKILL, as Open MPI's mpirun and MPICH's report it
    [ $((SECONDS - start)) -lt 40 ]
    ! grep -q 'VERDICT: VALID' "$BATS_TEST_TMPDIR/output"
}

@test "a rank that stops for five seconds changes nothing" {
    local job rank
    wanted=$("$HPGMG" --backend cpu --quiet --checksum --solves 1 4 27 | grep '^checksum')
    begun --checksum --solves 20 4 9
    kill -STOP "$rank"
    sleep 5
    grep '^State:' "/proc/$rank/status" | grep -q stopped
    kill -CONT "$rank"
    wait $job
    [ "$wanted" ]
    [ "$(grep '^checksum' "$BATS_TEST_TMPDIR/output")" = "$wanted" ]
}

@test "a rank without memory ends the job with one line" {
    ! "$HPGMG" --version | grep -q sanitize || skip "AddressSanitizer reserves terabytes"
    local arguments="--backend cpu --quiet --solves 1 7 4"
    # shellcheck disable=SC2016,SC2086
    run $MPIRUN -n 1 "$HPGMG" $arguments : -n 1 sh -c 'ulimit -v 500000 && exec "$0" "$@"' "$HPGMG" $arguments
    echo "$output"
    [ "$status" -eq 4 ]
    [ "$(grep -c '^hpgmg-gpu: error: no memory for [0-9]* bytes of ' <<<"$output")" -eq 1 ]
    [[ $output != *VERDICT* ]]
}
