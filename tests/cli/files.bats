#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The files that a run reads and writes: neither is lost, and nothing else is left behind.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    HPGMG_LAB=${HPGMG_LAB:-$PWD/hpgmg-lab}
    . tests/support/ranks.bash
    export CUDA_VISIBLE_DEVICES=
    work=$BATS_TEST_TMPDIR/work
    mkdir "$work"
}

solve() { # OPTION...: sets status and output
    run timeout 100 "$HPGMG" --backend cpu --quiet --solves 1 "$@"
}

refused() { # STATUS MESSAGE: what the last command did
    echo "status $status: $output"
    [ "$status" -eq "$1" ]
    [ "$output" = "hpgmg-gpu: error: $2" ]
}

@test "a report over a link to nothing" {
    ln -s "$work/none" "$work/link"
    solve --json "$work/link" 3 1
    refused 5 "--json: cannot write '$work/link': No such file or directory"
    [ -L "$work/link" ]
    [ ! -e "$work/none" ]
}

@test "a report over a link to itself" {
    ln -s link "$work/link"
    solve --json "$work/link" 3 1
    refused 5 "--json: cannot write '$work/link': Too many levels of symbolic links"
    [ -L "$work/link" ]
}

@test "a report through a link" {
    echo old >"$work/target"
    ln -s target "$work/link"
    solve --json "$work/link" 3 1
    [ "$status" -eq 0 ]
    [ -L "$work/link" ]
    tests/cli/validate_json.py "$work/target"
}

@test "a report over its own input" {
    echo "order = 4" >"$work/run.ini"
    ln -s run.ini "$work/link"
    ln "$work/run.ini" "$work/same"
    local name
    for name in run.ini link same ../work/run.ini; do
        solve --input "$work/run.ini" --json "$work/$name" 3 1
        refused 2 "--json and --input are the same file, '$work/run.ini'"
    done
    echo "json = $work/run.ini" >>"$work/run.ini"
    solve --input "$work/link" 3 1
    refused 2 "--json and --input are the same file, '$work/link'"
    [ "$(head -n 1 "$work/run.ini")" = "order = 4" ]
}

@test "a file name of two lines in a message" {
    solve --json $'/none/a\nb' 3 1
    refused 5 "--json: cannot write '/none/a?b': No such file or directory"
}

# ended_by SIGNAL RANKS: the signal ends a run that is computing, and the folder of its report is empty. UCX, by which MPICH
# sends, keeps SIGHUP for its own use unless told otherwise.
ended_by() {
    local launcher="" job
    [ "$2" -eq 1 ] || launcher="$MPIRUN -n $2"
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    UCX_DEBUG_SIGNO=0 $launcher "$HPGMG" --backend cpu --min-time 100 --json "$work/report.json" 4 8 >"$BATS_TEST_TMPDIR/output" 2>&1 3>&- &
    job=$!
    timeout 60 sh -c 'until grep -q "= Hierarchy: " "$1"; do sleep 0.1; done' sh "$BATS_TEST_TMPDIR/output"
    kill -s "$1" $job
    wait $job && status=0 || status=$?
    [ "$status" -ne 0 ]
    [ -z "$(ls -A "$work")" ]
}

@test "signals leave nothing" {
    local signal
    for signal in TERM HUP PIPE KILL; do # a shell's background jobs ignore INT
        ended_by $signal 1
    done
}

@test "a job that is ended leaves nothing" {
    ended_by TERM 3
}
