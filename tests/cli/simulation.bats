#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# --dry-run --ranks: what ranks of a job would set up, against runs of that job and known numbers.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
    export CUDA_VISIBLE_DEVICES=
    work=$BATS_TEST_TMPDIR
}

simulated() { # ARGUMENT...: its output is in $work/stdout
    "$HPGMG" --backend cpu --dry-run "$@" >"$work/stdout"
}

# row TITLE KEY: the rows of the table whose line begins with the words KEY
row() {
    sed -n "/= $1/,/^$/p" "$work/stdout" | tr -s ' ' | grep -E "^ $2 "
}

@test "ranks of a cube of 2x2x2 have 7 neighbours, 4 of them on the other node" {
    simulated --ranks 8 --ranks-per-node 4 5 1
    [[ "$(row Levels 0)" == " 0 64^3 8x 32^3 8 8 "* ]]
    [[ "$(row Messages '0 halo')" == " 0 halo 8 7.0 7 4.0 4 "* ]]
    [ "$(row Set-up '[0-7] 1 7 4' | wc -l)" -eq 8 ]
}

@test "without --ranks-per-node every neighbour is on another node" {
    simulated --ranks 8 5 1
    [[ "$(row Messages '0 halo')" == " 0 halo 8 7.0 7 7.0 7 "* ]]
}

@test "bytes of fields are those of a dry run of as many ranks" {
    simulated --ranks 2 4 8
    $MPIRUN -n 2 "$HPGMG" --backend cpu --dry-run 4 8 >"$work/real"
    # Of every level: all bytes of the real run, the mean of the simulated one, and in both the unit.
    join <(sed -n '/= Hierarchy/,/^$/p' "$work/real" | sed -nE 's/^ +([0-9]+) .* cpu +([0-9.]+) (.*)$/\1 \2 \3/p') \
        <(sed -nE '/= Levels/,/^$/s/^ +([0-9]+) .* ([0-9.]+) ([kMG]?B) +[0-9.]+ [kMG]?B$/\1 \2 \3/p' "$work/stdout") |
        awk '{ all = $2 * 1000 ^ index("kMG", substr($3, 1, 1)); mean = $4 * 1000 ^ index("kMG", substr($5, 1, 1)) }
            !(all > 1.99 * mean && all < 2.01 * mean) { exit 1 } END { exit NR != 6 }'
}

@test "boxes, cells and bytes above 2^31" {
    simulated --ranks 100000 --ranks-per-node 8 9 8 # 45056^3 cells
    [[ "$(row Levels 0)" == " 0 45056^3 681472x512^3 295328 100000 "*" GB "* ]]
    [[ "$(row Set-up 0)" == " 0 3 7 0 "*" GB "* ]]
    # Every rank holds the list of all boxes, which is most of what it sets up.
    row Set-up '([0-9]+|of these,)' | awk '$1 == "of" { list = $8 * ($9 == "MB,") } $1 != "of" && (NR == 1 || $7 < least) { least = $7 }
        $1 != "of" && $8 != "MB" { exit 1 } END { exit !(list > 10 && least > list && least < 2 * list) }'
    run "$HPGMG" --backend cpu --dry-run --ranks 10000000 4 1000
    [ "$status" -eq 2 ]
    [[ $output == *"boxes, more than 2147483647"* ]]
}

@test "refusals in one line" {
    run "$HPGMG" --backend cpu --ranks 8 5 1
    [ "$status" -eq 2 ]
    [[ $output == *"--ranks: needs --dry-run"* ]]
    run "$HPGMG" --backend cpu --dry-run --ranks-per-node 8 5 1
    [ "$status" -eq 2 ]
    [[ $output == *"--ranks-per-node: needs --ranks"* ]]
    run $MPIRUN -n 2 "$HPGMG" --backend cpu --dry-run --ranks 8 5 1
    [ "$status" -ne 0 ]
    [ "$(grep -c "hpgmg-gpu: error: --ranks: one process simulates all ranks" <<<"$output")" -eq 1 ]
    local ranks
    for ranks in 0 -1 1.5 10000001 4294967297; do
        run "$HPGMG" --backend cpu --dry-run --ranks $ranks 5 1
        [ "$status" -eq 2 ]
        [[ $output == *"--ranks: wrong value '$ranks'"* ]]
    done
}
