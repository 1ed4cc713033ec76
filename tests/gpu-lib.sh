# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# What the scripts tests/gpu-check* have in common. $hpgmg is the program, $scratch a folder; passed and failed count.

# answer_of NAME COMMAND...: the checksum that a run prints, and the residuals of the sizes
# h, 2h and 4h with all digits, in one line. If there is no checksum, nothing, and the program's last lines go to stderr.
# NAME is the run's own among those at the same time.
answer_of() {
    local report=$scratch/report.$1 checksum
    shift
    rm -f "$report"
    "$@" --checksum --json "$report" >"$report.printed" 2>&1
    checksum=$(sed -n 's/^checksum: //p' "$report.printed")
    [ -n "$checksum" ] || { tail -n 4 "$report.printed" >&2 && return; }
    echo "$checksum" "$(sed -nE 's/^\s*"rel_residual":\s*([^",]*),?$/\1/p' "$report" | tr '\n' ' ')"
}

# sanitize COMMAND...: none of compute-sanitizer's tools, all at once, finds anything. For several ranks `launcher` starts
# it; `tools` are those that are wanted.
tools="memcheck racecheck initcheck synccheck" launcher=
sanitize() {
    local tool
    for tool in $tools; do
        (
            # shellcheck disable=SC2086  # a command with options
            $launcher compute-sanitizer --tool "$tool" --error-exitcode 9 "$@" >"$scratch/$tool" 2>&1
            echo $? >"$scratch/$tool.status"
        ) &
    done
    wait
    for tool in $tools; do
        if [ "$(cat "$scratch/$tool.status")" = 0 ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            printf '%s: %s: %s\n' "$tool" "$*" "$(grep SUMMARY "$scratch/$tool" || tail -n 1 "$scratch/$tool")"
            grep -A 3 -m 4 Error: "$scratch/$tool"
        fi
        rm -f "$scratch/$tool.status"
    done
}

# beside COMMAND...: runs it in the background, a few at a time since most of a run is its start, with a folder and counts
# of its own, and says so if it takes a minute or more; count_all waits for all of them.
number=0 at_once=$(((4 + $(nproc)) / 4))
beside() {
    [ "$(jobs -rp | wc -l)" -lt "$at_once" ] || wait -n
    number=$((number + 1))
    # shellcheck disable=SC2030,SC2031
    (
        scratch=$scratch/$number passed=0 failed=0 began=$SECONDS
        mkdir "$scratch"
        "$@"
        [ $((SECONDS - began)) -lt 60 ] || echo "took $((SECONDS - began)) s: $*"
        echo $passed $failed >"$scratch/counts"
    ) &
}

counted=0
# shellcheck disable=SC2031
count_all() {
    local well badly
    wait
    while [ $counted -lt $number ]; do
        counted=$((counted + 1))
        read -r well badly <"$scratch/$counted/counts" || well=0 badly=1
        passed=$((passed + well)) failed=$((failed + badly))
    done
}

# choose_parts ALL NAME...: sets `parts` to these names, or to all of them if none is given; ends if there is no such part.
choose_parts() {
    local part
    parts=${*:2}
    for part in ${parts:=$1}; do
        [[ " $1 " = *" $part "* ]] || { echo "${0##*/}: no part '$part': $1" >&2; exit 2; }
    done
}

# run_parts: each part is a function. Says what it counted after each, and when it is told to stop. Non-zero on a failure.
run_parts() {
    local part began
    trap 'echo "CUT in $part: $passed passed and $failed failed before it"; exit 1' TERM
    for part in $parts; do
        began=$SECONDS
        $part
        count_all
        echo "== $part: $((SECONDS - began)) s, $passed passed and $failed failed so far"
    done
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
