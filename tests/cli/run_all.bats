#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tests/run-all itself: what passes, fails and is skipped is told apart, and CI can forbid to skip.

setup() {
    project=$BATS_TEST_TMPDIR/project
    mkdir -p "$project/tests/module" "$project/build"
    cp "$BATS_TEST_DIRNAME/../run-all" "$project/tests/"
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

run_all() {
    printf '#!/bin/sh\nshift 2\nexec "$@"\n' >"$project/mpirun" # drops -n COUNT
    chmod +x "$project/mpirun"
    MPIRUN=$project/mpirun run "$project/tests/run-all" build
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
    export HPGMG_MAY_SKIP=
    run_all
    [ "$status" -eq 1 ]
    last "0 passed, 2 failed, 0 skipped"
    HPGMG_MAY_SKIP="module/some.bats module/other.sh"
    run_all
    [ "$status" -eq 1 ]
    last "0 passed, 1 failed, 1 skipped"
    HPGMG_MAY_SKIP="module/some.bats module/away.sh"
    run_all
    [ "$status" -eq 0 ]
    last "0 passed, 0 failed, 2 skipped"
}
