#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# One NaN or infinity in f, in beta, in a ghost cell or in a message on any rank makes the run
# INVALID: status 1, no speed printed, in the JSON report too. And a rank that dies ends the job.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    MPIRUN=${MPIRUN:-mpirun --oversubscribe --timeout 60}
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
    report=$BATS_TEST_TMPDIR/report.json
}

# faulty FAULT RANKS OPTION...: a run with that fault; sets status and output
faulty() {
    local fault=$1 ranks=$2
    shift 2
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    HPGMG_FAULT=$fault run $MPIRUN -n "$ranks" "$HPGMG" --backend cpu --quiet --solves 2 "$@"
}

# invalid FAULT RANKS OPTION...: that run is INVALID
invalid() {
    faulty "$@"
    if [ "$status" -ne 1 ] || [[ $output != *"VERDICT: INVALID"* ]] || [[ $output == *DOF/s=* ]]; then
        echo "$*: status $status"
        echo "$output"
        return 1
    fi
}

# spoilt WHAT: on each of 4 ranks, NaN and infinity; the options differ from rank to rank
spoilt() {
    local value
    for value in nan inf; do
        invalid "$1:0:$value" 4 4 2
        invalid "$1:1:$value" 4 --order 4 --boundary periodic 3 8
        invalid "$1:2:$value" 4 --smoother chebyshev --equation helmholtz --loops plain 3 2
        invalid "$1:3:$value" 4 --order 4 --smoother jacobi --rtol 1e-8 3 4
    done
}

@test "a wrong right-hand side" {
    spoilt f
}

@test "a wrong coefficient" {
    spoilt beta
}

@test "a wrong ghost cell" {
    spoilt ghost
}

@test "a wrong message" {
    spoilt message
}

@test "conjugate gradients with a wrong value" {
    for what in f beta ghost message; do
        invalid "$what:1:nan" 2 --solver mgpcg --boundary periodic 3 4
        invalid "$what:0:inf" 2 --solver mgpcg --order 4 3 4
    done
}

@test "a run of its own is valid: no fault without the variable" {
    # shellcheck disable=SC2086
    run $MPIRUN -n 4 "$HPGMG" --backend cpu --quiet --solves 2 4 2
    [ "$status" -eq 0 ]
    [[ $output == *"VERDICT: VALID"* ]]
}

@test "the JSON report of a spoilt run is valid JSON and says INVALID" {
    for fault in f:0:nan f:1:inf beta:1:nan ghost:0:inf message:1:nan; do
        faulty "$fault" 2 --json "$report" 3 4
        [ "$status" -eq 1 ]
        [ "$(sed 's/"[^"]*"//g' "$report" | grep -ciE 'nan|inf(inity)?[^a-z]')" -eq 0 ]
        python3 - "$report" <<'PYTHON'
import json, sys
def refuse(token):
    raise ValueError(token)
report = json.load(open(sys.argv[1]), parse_constant=refuse)
assert report["verdict"] == "INVALID", report["verdict"]
PYTHON
        tests/cli/validate_json.py "$report"
        rm "$report"
    done
}

# refused FAULT RANKS OPTION...: status 2, one line that names the variable, nothing else
refused() {
    faulty "$@"
    [ "$status" -eq 2 ] || { echo "$*: status $status: $output"; return 1; }
    [ "$(grep -c 'hpgmg-gpu: error: HPGMG_FAULT=' <<<"$output")" -eq 1 ]
    [[ $output != *VERDICT* ]]
}

@test "malformed faults are refused" {
    for fault in "" nonsense f f:0 f:0: f::nan :0:nan f:0:nan: f:0:nans f:0:NAN f:+0:nan "f: 0:nan" f:-1:nan f:1:nan \
        f:1000000000000:nan fb:0:nan betas:0:nan ghost:0:1 "f:0:nan "; do
        HPGMG_FAULT=$fault run "$HPGMG" --backend cpu --quiet 3 1
        [ "$status" -eq 2 ] || { echo "$fault: status $status"; return 1; }
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == "hpgmg-gpu: error: HPGMG_FAULT=$fault is not "* ]]
    done
}

@test "faults in values that the rank does not have are refused" {
    refused f:1:nan 2 3 1                             # one box, on rank 0
    refused beta:0:nan 1 --coefficients constant 3 1  # none is stored
    refused ghost:0:nan 1 3 8                         # one cuboid within walls
    refused message:0:nan 1 --boundary periodic 3 8   # its own neighbour
}

@test "a killed rank ends the job" {
    # shellcheck disable=SC2086
    $MPIRUN -n 3 "$HPGMG" --backend cpu --quiet --min-time 100 4 8 >"$BATS_TEST_TMPDIR/output" 2>&1 3>&- &
    local job=$! tries=0 start=$SECONDS
    while [ "$(pgrep -c -P $job)" -lt 3 ] && [ $((tries++)) -lt 100 ]; do
        sleep 0.1
    done
    sleep 1
    kill -9 "$(pgrep -P $job | tail -n 1)"
    wait $job && status=0 || status=$?
    echo "status $status after $((SECONDS - start)) s"
    [ "$status" -eq 137 ]
    [ $((SECONDS - start)) -lt 40 ]
    ! grep -q 'VERDICT: VALID' "$BATS_TEST_TMPDIR/output"
}
