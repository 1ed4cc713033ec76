# shellcheck shell=bash disable=SC2154
# What tests/gpu-check and tests/gpu-check-ranks have in common. $hpgmg is the program, $scratch a folder.

# Sets json if the program can write reports.
find_json() {
    json=
    if OMP_NUM_THREADS=1 "$hpgmg" --quiet --backend cpu --solves 1 --json "$scratch/report" 2 8 >/dev/null 2>&1; then
        json=yes
    else
        echo "residuals are not compared: $hpgmg was built without libcjson"
    fi
}

# answer_of NAME COMMAND...: the checksum that a run prints and, if it can write a report, the residuals of the sizes
# h, 2h and 4h with all digits, in one line; nothing if there is no checksum. NAME is the run's own among those at the
# same time.
answer_of() {
    local report=$scratch/report.$1 checksum
    shift
    rm -f "$report"
    checksum=$("$@" --checksum ${json:+--json "$report"} 2>&1 | sed -n 's/^checksum: //p')
    [ -n "$checksum" ] || return
    echo "$checksum" ${json:+$(sed -nE 's/^\s*"rel_residual":\s*([^",]*),?$/\1/p' "$report")}
}
