#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# --help of every script in run/ prints help and does nothing else.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    export PATH=/usr/bin:$PATH # the system's python3
    command -v python3 >/dev/null || skip "no python3"
}

# A stand-in that leaves a trace: what a script would call to build, install or measure.
forbid() { # COMMAND...
    local command
    mkdir -p "$BATS_TEST_TMPDIR/bin"
    for command; do
        printf '#!/bin/sh\necho "$0 $*" >>%s\nexit 1\n' "$BATS_TEST_TMPDIR/called" >"$BATS_TEST_TMPDIR/bin/$command"
        chmod +x "$BATS_TEST_TMPDIR/bin/$command"
    done
}

@test "--help prints help in 80 columns and does nothing else" {
    local script
    forbid make apt-get sudo mpirun nvidia-smi git curl
    for script in run/*; do
        [ -f "$script" ] && [ -x "$script" ] || continue
        PATH=$BATS_TEST_TMPDIR/bin:$PATH COLUMNS=80 run "$script" --help
        echo "$script: $output"
        [ "$status" -eq 0 ]
        [ "${#lines[@]}" -ge 4 ]
        [[ ${lines[0]} == "usage: run/$(basename "$script")"* ]]
        [ "$(LC_ALL=C.UTF-8 grep -cE '.{81}' <<<"$output")" -eq 0 ]
    done
    [ ! -e "$BATS_TEST_TMPDIR/called" ]
    for script in scaling threshold profile machine; do
        [ ! -e "$BATS_TEST_TMPDIR/$script" ]
    done
}

@test "other arguments of scripts that have none are refused" {
    forbid make apt-get sudo mpirun
    for script in run/quickstart run/test; do
        PATH=$BATS_TEST_TMPDIR/bin:$PATH run "$script" --hlep
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
    done
    [ ! -e "$BATS_TEST_TMPDIR/called" ]
}
