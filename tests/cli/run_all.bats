#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tests/run-all itself: what passes, fails and is skipped is told apart, and CI can forbid to skip.

setup() {
    project=$BATS_TEST_TMPDIR/project
    mkdir -p "$project/tests/module" "$project/tests/support" "$project/run" "$project/build"
    cp "$BATS_TEST_DIRNAME/../run-all" "$project/tests/"
    cp "$BATS_TEST_DIRNAME/../support/ranks.bash" "$project/tests/support/"
    cp "$BATS_TEST_DIRNAME/../../run/mpi.sh" "$project/run/"
    : >"$project/tests/ranks.txt"
    unset HPGMG_MAY_SKIP
}

script() { # NAME LINE...: a test of these lines
    local name=$1
    shift
    printf '%s\n' "$@" >"$project/tests/module/$name"
}

program() { # NAME LINE...: a test program that does as these lines of shell say
    script "$1.c" "not compiled here"
    mkdir -p "$project/build/tests/module"
    printf '%s\n' '#!/bin/sh' "${@:2}" >"$project/build/tests/module/$1"
    chmod +x "$project/build/tests/module/$1"
}

run_all() { # OPTION...
    printf '#!/bin/sh\nshift 2\nexec "$@"\n' >"$project/mpirun" # drops -n COUNT
    chmod +x "$project/mpirun"
    MPIRUN=$project/mpirun run "$project/tests/run-all" "$@" build
    echo "$output"
}

last() { # TEXT: the last line
    [ "${lines[${#lines[@]} - 1]}" = "$1" ]
}

@test "passed and failed" {
    script good.sh "exit 0"
    script bad.sh "echo why" "exit 3"
    program worse "exit 1"
    run_all
    [ "$status" -eq 1 ]
    last "1 passed, 2 failed, 0 skipped"
    [[ $output == *"      why"* ]]
    [[ $output == *"exit status 3"* ]]
}

@test "a test that takes longer than it may fails" {
    script endless.sh "exec sleep 600"
    run_all -t 1
    [ "$status" -eq 1 ]
    last "0 passed, 1 failed, 0 skipped"
}

@test "a skipped test is named and no test that passed" {
    script good.sh "exit 0"
    script away.sh "echo no such compiler" "exit 77"
    program none "echo no device" "exit 77"
    script some.bats '@test "here" { true; }' '@test "there" { skip "not today"; }'
    program part 'echo "[  SKIPPED ] the_second"' 'echo "[  SKIPPED ] 1 test(s), listed below:"' 'echo "[  SKIPPED ] the_second"'
    run_all
    [ "$status" -eq 0 ]
    last "3 passed, 0 failed, 4 skipped"
    [[ $output == *"skip  module/away.sh: no such compiler"* ]]
    [[ $output == *"skip  module/none: no device"* ]]
    [[ $output == *"skip  module/some.bats: there: not today"* ]]
    [[ $output == *"skip  module/part: the_second"* ]]
}

@test "with HPGMG_MAY_SKIP only what it names may be skipped" {
    script away.sh "echo no such compiler" "exit 77"
    script some.bats '@test "there" { skip "not today"; }'
    export HPGMG_MAY_SKIP="module/some.bats module/other.sh"
    run_all
    [ "$status" -eq 1 ]
    last "0 passed, 1 failed, 1 skipped"
}

@test "without MPI, tests that ask for several ranks are skipped" {
    printf '%s\n' '#!/bin/sh' 'echo "  MPI         none (make MPI=0)"' >"$project/build/hpgmg-gpu"
    chmod +x "$project/build/hpgmg-gpu"
    cp "$BATS_TEST_DIRNAME/../one-rank" "$project/tests/"
    script alone.sh '$MPIRUN -n 1 true'
    script some.bats '@test "one" { $MPIRUN -n 1 true; }' '@test "two" { $MPIRUN -n 2 true; }' \
        '@test "fails as it should" { ! $MPIRUN -n 1 false : -n 1 false; }'
    program both "exit 0"
    echo "module/both 1 2" >"$project/tests/ranks.txt"
    run "$project/tests/run-all" build
    echo "$output"
    [ "$status" -eq 0 ]
    last "3 passed, 0 failed, 3 skipped"
    [[ $output == *"skip  module/some.bats: two: no MPI, and ranks wanted: 2"* ]]
    [[ $output == *"skip  module/both: no MPI, and ranks wanted: 2"* ]]
}

@test "with --several-ranks, tests of one rank do not run" {
    script alone.sh "exit 1"
    script some.bats '@test "two" { $MPIRUN -n 2 true; }'
    program one "exit 1"
    program both 'exit 0'
    echo "module/both 1 2" >"$project/tests/ranks.txt"
    run_all --several-ranks
    [ "$status" -eq 0 ]
    last "2 passed, 0 failed, 0 skipped"
    [[ $output == *"ok    module/both, ranks: 2 "* ]]
}

@test "as many tests run at a time as -j says, and wrong options" {
    local meets='for try in $(seq 100); do [ ! -e $other ] || break; sleep 0.1; done; [ -e $other ]'
    script one.sh "touch met.one; other=met.two" "$meets"
    script two.bats '@test "two" {' "touch met.two; other=met.one" "$meets" '}'
    run_all -j 2
    [ "$status" -eq 0 ]
    last "2 passed, 0 failed, 0 skipped"
    rm "$project"/tests/module/*
    for name in one two; do # on several ranks, which run alone
        program $name "mkdir alone || exit 1; sleep 0.1; rmdir alone"
        echo "module/$name 2 3" >>"$project/tests/ranks.txt"
    done
    run_all -j 4
    [ "$status" -eq 0 ]
    last "4 passed, 0 failed, 0 skipped"
    for wrong in "-t 0 build" "-j 0 build" "-j build" "--fast build" ""; do
        run "$project/tests/run-all" $wrong
        [ "$status" -eq 2 ]
        [[ $output == usage:* ]]
    done
}

@test "nothing of an interrupted run goes on" {
    script long.sh 'echo $$ >begun' "sleep 60" # which belongs to the script
    "$project/tests/run-all" build >"$BATS_TEST_TMPDIR/output" 2>&1 3>&- &
    local job=$! try
    for try in $(seq 100); do
        [ ! -s "$project/begun" ] || break
        sleep 0.1
    done
    kill -TERM $job
    wait $job && status=0 || status=$?
    [ "$status" -eq 130 ]
    for try in $(seq 100); do
        kill -0 "$(cat "$project/begun")" 2>/dev/null || break
        sleep 0.1
    done
    ! kill -0 "$(cat "$project/begun")"
}
