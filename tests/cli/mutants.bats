#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tests/mutants: its table fits the sources, and it tells mutants that are killed from those that survive.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    table=$BATS_TEST_TMPDIR/table.tsv
}

# row COLUMN...: adds a row to the table
row() {
    local IFS=$'\t'
    echo "$*" >>"$table"
}

refused() { # PART: of the one line that says what is wrong with the table
    run tests/mutants --check --table "$table"
    [ "$status" -eq 2 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == "mutants: error: "*"$1"* ]]
}

@test "every original text occurs exactly once in its file" {
    run tests/mutants --check
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "rows that are wrong" {
    row gone src/base/timer.c "no such text" "another" base/check_test
    refused "gone: 'no such text' occurs 0 times in src/base/timer.c"
    echo >"$table"
    row often src/base/timer.c "now" "then" base/check_test
    refused "often: 'now' occurs 4 times"
    echo >"$table"
    row test src/base/timer.c "double timer_seconds" "double x" base/no_test
    refused "test: there is no test base/no_test"
}

# A tree of one source file and one test of it.
small_tree() {
    house=$BATS_TEST_TMPDIR/house
    mkdir -p "$house/src/room" "$house/tests/room" "$house/tests/support" "$house/run"
    cp tests/mutants "$house/tests/"
    cp tests/support/ranks.bash "$house/tests/support/"
    cp run/mpi.sh "$house/run/"
    : >"$house/tests/ranks.txt"
    printf '%s\n' 'int twice(int x);' 'int twice(int x)' '{' '    return 2 * x;' '}' 'int four(void);' 'int four(void)' \
        '{' '    return 4;' '}' >"$house/src/room/sum.c"
    printf '%s\n' 'int twice(int x);' 'int main(void)' '{' '    return twice(3) != 6;' '}' >"$house/tests/room/sum_test.c"
    printf '%s\n' 'build/gcc-release/tests/room/sum_test: src/room/sum.c tests/room/sum_test.c' \
        $'\tmkdir -p $(@D) && gcc -Werror -Wall -o $@ $^' >"$house/Makefile"
}

# try ID ORIGINAL REPLACEMENT [EQUIVALENT]: runs that one mutant
try() {
    : >"$table"
    row "$1" src/room/sum.c "$2" "$3" room/sum_test ${4+"$4"}
    run "$house/tests/mutants" --table "$table"
    echo "$output"
}

@test "a mutant is killed, survives, is equivalent, or does not compile" {
    small_tree
    try wrong "2 * x" "3 * x"
    [ "$status" -eq 0 ]
    [[ $output == *"killed   wrong "* && $output == *"1 mutants: 1 killed, 0 survived (0 of them equivalent), 0 did not compile"* ]]
    try unseen "return 4" "return 5"
    [ "$status" -eq 1 ]
    [[ $output == *"survived unseen "* && $output == *"<-- not as the table says"* ]]
    try same "2 * x" "x * 2" "equivalent: products commute"
    [ "$status" -eq 0 ]
    [[ $output == *"1 survived (1 of them equivalent)"* ]]
    try different "2 * x" "x * 3" "equivalent: no"
    [ "$status" -eq 1 ]
    try broken "2 * x" "2 * y"
    [ "$status" -eq 1 ]
    [[ $output == *"1 did not compile"* ]]
    grep -q "2 \* x" "$house/src/room/sum.c" # the tree itself stays as it is
}

@test "a test that fails without any change is an error" {
    small_tree
    sed -i 's/!= 6/== 6/' "$house/tests/room/sum_test.c"
    try wrong "2 * x" "3 * x"
    [ "$status" -eq 2 ]
    [[ $output == *"room/sum_test fails without any change"* ]]
}

@test "a mutant whose test cannot run here is skipped, and counted" {
    small_tree
    sed -i 's/return twice/return 77; twice/' "$house/tests/room/sum_test.c"
    sed -i 's/-Werror -Wall/-w/' "$house/Makefile"
    try wrong "2 * x" "3 * x"
    [ "$status" -eq 0 ]
    [[ $output == *"skipped  wrong "* && $output == *"0 killed, 0 survived"*", 1 skipped"* ]]
}

@test "mutants are chosen by id or file" {
    run tests/mutants --list bottom-mean src/base/check.c
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -ge 2 ]
    [[ $output == *"src/solvers/bottom.c"* ]]
    run tests/mutants --list nothing-like-it
    [ "$status" -eq 2 ]
}
