#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Recipes of packaging/ fit the program: make knows their settings and targets, and what they look for in the output is
# there. Spack and Ramble are stubs (recipes.py); packaging/README.md says what was run with the tools themselves.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
    export PATH=/usr/bin:$PATH # the system's python3
    work=$BATS_TEST_TMPDIR
    command -v python3 >/dev/null || skip "no python3"
}

# Variables that make knows: those of `make help`, and standard folders.
known() { # NAME
    make --no-print-directory help | grep -qwF -- "$1"
}

# The settings of a line of make's words are known, and make finds its targets.
makes() { # WORD...
    local word
    for word; do
        if [[ $word == *=* ]]; then
            known "${word%%=*}" || { echo "make does not know $word" && return 1; }
        fi
    done
    env -u MAKEFLAGS -u MAKELEVEL -u MODE make --no-print-directory -n "$@" >"$work/commands" 2>&1 || { cat "$work/commands" && return 1; }
}

@test "Spack: every variant's settings and targets are make's" {
    local line lines=0
    tests/cli/recipes.py spack >"$work/lines"
    while read -r line; do
        eval "makes $line"
        lines=$((lines + 1))
    done <"$work/lines"
    [ "$lines" -eq 6 ]
    grep -qF "ARCH=sm_80 sm_90" "$work/lines"
}

@test "Ramble: the command runs, and the figures of merit are in its output" {
    local command
    command=$(tests/cli/recipes.py ramble)
    [[ $command == "hpgmg-gpu --backend cpu --order 4 --json ./report.json 4 8" ]]
    recipes=$PWD/tests/cli/recipes.py root=$PWD
    cd "$work"
    # shellcheck disable=SC2086  # words
    "$HPGMG" ${command#hpgmg-gpu } --solves 1 >log
    [ -s report.json ]
    cd "$root"
    run "$recipes" ramble "$work/log"
    echo "$output"
    [ "$status" -eq 0 ] && [ "${#lines[@]}" -eq 6 ]
    rate=$(sed -n 's/^SCORE: \([^ ]*\) DOF.s at h ([^)]*), \([^ ]*\) at 2h ([^)]*), \([^ ]*\) at 4h ([^)]*).*/Rate at h \1:Rate at 2h \2:Rate at 4h \3/p' "$work/log")
    [ "${lines[0]}:${lines[1]}:${lines[2]}" = "$rate" ]
    [[ ${lines[3]} =~ ^"Error of h "[0-9.]+e-[0-9]+$ && ${lines[4]} =~ ^"Order "[0-9.-]+$ ]]
    [ "${lines[5]}" = "success True" ]
}

@test "Debian and EasyBuild have the version of VERSION" {
    local version
    version=$(cat VERSION)
    head -n 1 packaging/debian/changelog | grep -qF "($version-1)"
    grep -qx "version = '$version'" "packaging/easybuild/hpgmg-gpu-$version-gompi-2024a.eb"
}
