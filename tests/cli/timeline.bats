#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# --fuse off has every operation as a stage of its own, --timeline writes a trace that viewers accept,
# and run/figures draws both.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
    export PATH=/usr/bin:$PATH # the system's python3, which has the system's packages
    work=$BATS_TEST_TMPDIR
    trace=$work/trace.json report=$work/report.json
}

need() { # what a test needs
    command -v python3 >/dev/null || skip "no python3"
}

need_matplotlib() {
    python3 -c 'import matplotlib' 2>/dev/null || skip "no matplotlib"
}

traced() { # RANKS OPTION...: a solve of 16^3 (one rank: 4 boxes per side)
    local ranks=$1
    shift
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    $MPIRUN -n "$ranks" "$HPGMG" --backend cpu --solves 1 --timeline "$trace" "$@" 2 64 >"$work/stdout"
}

about() { # KEY: of the trace
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["otherData"][sys.argv[2]])' "$trace" "$1"
}

@test "every operation is a stage of its own" {
    run "$HPGMG" --backend cpu --solves 1 --show-cycle --fuse off 3 1
    [ "$status" -eq 0 ]
    stages=$(sed -n '/F-cycle/,/^$/s/^ *[0-9]*  level.*cpu *//p' <<<"$output")
    [ "$(sed 's/  sweeps.*//' <<<"$stages" | sort -u | tr '\n' ' ')" = \
        "bottom boundary interpolate prolong residual residual+norm restrict smooth zero " ]
    [ "$(sed -n 's/.*sweeps //p' <<<"$stages" | sort -u | tr '\n' ' ')" = "0-0 1-1 2-2 3-3 4-4 5-5 " ]
}

@test "the solution has the same bits, and the report says which way it was" {
    need
    for options in "" "--order 4" "--smoother chebyshev --solver idr"; do
        # shellcheck disable=SC2086
        on=$("$HPGMG" --backend cpu --solves 1 --quiet --checksum $options 4 1 | grep checksum)
        # shellcheck disable=SC2086
        off=$("$HPGMG" --backend cpu --solves 1 --quiet --checksum --fuse off --json "$report" $options 4 1 | grep checksum)
        [ "$on" = "$off" ]
    done
    grep -q '"fuse":[[:space:]]*"off"' "$report"
}

@test "a trace has the format that viewers read" {
    need
    traced 1 --quiet --fuse on
    tests/cli/validate_trace.py "$trace" 1
    traced 3 --quiet --fuse off
    tests/cli/validate_trace.py "$trace" 3
    [ "$(about clock_error_seconds)" = 0 ] # a node has one clock
}

@test "ranks with clocks of their own are merged within the stated error" {
    need
    # Two nodes with the same time; a rank far ahead, or behind; rank 0 ahead; a clock that also gains 2 %.
    for clock in 1:0 1:3e6 1:-3e6 0:3e6 1:3e6:20000; do
        HPGMG_CLOCK=$clock HPGMG_NODES=2 HPGMG=$HPGMG-disturbed traced 2 --quiet --fuse off
        tests/cli/validate_trace.py "$trace" 2
        python3 -c 'import sys; assert 0 < float(sys.argv[1]) < 1' "$(about clock_error_seconds)"
    done
    # Ranks of a node are asked too: a container may have a clock of its own.
    HPGMG_CLOCK=1:3e6 HPGMG=$HPGMG-disturbed traced 2 --quiet
    tests/cli/validate_trace.py "$trace" 2
    python3 -c 'import sys; assert 0 < float(sys.argv[1]) < 1' "$(about clock_error_seconds)"
    HPGMG_CLOCK=1 run "$HPGMG-disturbed" --backend cpu 2 1
    [ "$status" -eq 2 ]
}

@test "a late rank is late in the trace, whatever its clock says" {
    need
    for clock in 1:0 1:-3e6; do
        # Rank 1 sleeps for 20 ms in every pass of the finest level, so it comes later to the halo after it.
        HPGMG_SLOW=1:20000 HPGMG_CLOCK=$clock HPGMG=$HPGMG-disturbed traced 2 --quiet --fuse off
        tests/cli/validate_trace.py "$trace" 2
        python3 -c 'import json, statistics, sys
begins = [[], []]
for e in json.load(open(sys.argv[1]))["traceEvents"]:
    if e["ph"] == "X" and e["cat"] == "halo" and e["args"]["level"] == 0: begins[e["pid"]].append(e["ts"])
late = statistics.median(second - first for first, second in zip(*begins))
assert 10e3 < late < 200e3, late' "$trace" # a loaded machine adds to it
    done
}

@test "a trace has every stage once" {
    need
    traced 1 --show-cycle --fuse off
    sed -n '/F-cycle/,/^$/s/^ *[0-9]*  level *\([0-9]*\).*cpu *\([^ ]*\).*/\1 \2/p' "$work/stdout" >"$work/cycle"
    [ -s "$work/cycle" ]
    python3 -c 'import json, sys
for e in json.load(open(sys.argv[1]))["traceEvents"]:
    if e["ph"] == "X": print(e["args"]["level"], e["name"])' "$trace" >"$work/stages"
    diff "$work/cycle" "$work/stages"
    traced 1 --rtol 1e-8
    python3 -c 'import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
print(*sorted({e["args"]["cycle"] for e in events if e["ph"] == "X"}))' "$trace" >"$work/cycles"
    [ "$(cat "$work/cycles")" = "F-cycle V-cycle" ]
}

@test "ranks that are idle on a level have no stages there" {
    need
    traced 3 --quiet
    python3 -c 'import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
ranks = [{e["args"]["level"] for e in events if e["ph"] == "X" and e["pid"] == rank} for rank in range(3)]
assert all(0 in levels for levels in ranks) and max(ranks[0]) > max(ranks[1]), ranks' "$trace"
}

@test "what a trace cannot be written to, and what contradicts it" {
    need
    run "$HPGMG" --backend cpu --timeline "$work/no/trace.json" 2 1
    [ "$status" -eq 5 ]
    [[ $output == *"--timeline: cannot write '$work/no/trace.json'"* ]]
    run "$HPGMG" --backend cpu --timeline "$work/no/trace.json" --json "$report" 2 1
    [ "$status" -eq 5 ]
    [ ! -e "$report" ]
    run "$HPGMG" --backend cpu --timeline "$trace" --json "$trace" 2 1
    [ "$status" -eq 2 ]
    run "$HPGMG" --backend cpu --timeline "$trace" --dry-run 2 1
    [ "$status" -eq 2 ]
    [[ $output == *"--timeline contradict each other"* ]] || [[ $output == *"and --timeline"* ]]
    [ ! -e "$trace" ]
}

@test "figures of a trace and of reports" {
    need
    need_matplotlib
    traced 2 --fuse off --json "$report" --quiet
    run run/figures levels "$report" --output "$work/levels.png"
    [ "$status" -eq 2 ] # --quiet times no stages
    [ "${#lines[@]}" -eq 1 ]
    for fuse in on off; do
        traced 2 --fuse $fuse --json "$work/$fuse.json"
    done
    run run/figures levels "$work/on.json" "$work/off.json" --output "$work/levels.png"
    [ "$status" -eq 0 ]
    [ "$(grep -c '^| smoother' <<<"$output")" -eq 2 ]
    [ "$(grep -c '^| boundary' <<<"$output")" -eq 1 ]
    run/figures timeline "$trace" --output "$work/timeline.png"
    run/figures timeline "$trace" --output "$work/timeline.svg"
    for figure in levels timeline; do
        [ "$(head -c 4 "$work/$figure.png" | tail -c 3)" = PNG ]
    done
    grep -q '<svg' "$work/timeline.svg"
    PYTHONPATH=run python3 -c 'from reports import Trace
def clocks(**about):
    return Trace({"otherData": about, "traceEvents": [{"ph": "X", "pid": 0, "ts": 0, "dur": 1}]}).clocks()
assert clocks(ranks=2, clock_error_seconds=1.25e-6) == "; clocks of ranks within ±1.25 µs"
assert clocks(ranks=2, clock_error_seconds=0) == "; ranks share a clock"
assert clocks(ranks=1, clock_error_seconds=0) == clocks(ranks=2) == ""'
}

@test "the table of levels sums to the report's seconds" {
    need
    traced 1 --fuse off --json "$report"
    PYTHONPATH=run python3 -c 'import json, math, sys
from reports import Breakdown
report = json.load(open(sys.argv[1]))
breakdown = Breakdown(report)
stages = report["solves"][0]["stages"]
assert math.isclose(breakdown.total, sum(stage["seconds"] for stage in stages))
assert math.isclose(sum(map(breakdown.sum_of, breakdown.operations)), breakdown.total)
assert {"smoother", "residual", "restriction", "interpolation", "boundary", "bottom"} <= set(breakdown.operations)' "$report"
}

@test "figures of a scaling study are redrawn from its tables" {
    need_matplotlib
    cp docs/scaling-h100/*.csv "$work"
    run run/figures scaling "$work"
    [ "$status" -eq 0 ]
    for figure in weak strong sizes; do
        [ "$(head -c 4 "$work/$figure.png" | tail -c 3)" = PNG ]
    done
}

@test "wrong files and options of run/figures" {
    command -v python3 >/dev/null || skip "no python3"
    echo '{}' >"$work/empty.json"
    for wrong in "" "circle" "timeline" "timeline $work/empty.json" "timeline $work/missing.json" "levels $work/empty.json" \
        "scaling $work"; do
        # shellcheck disable=SC2086
        run run/figures $wrong
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == *"error: "* ]]
    done
}

# A stand-in for Caliper, which writes its calls to the file CALLS.
caliper() {
    cat >"$BATS_TEST_TMPDIR/caliper.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
static void note(const char *what, const char *name)
{
    FILE *f = fopen(getenv("CALLS"), "a");
    fprintf(f, "%s %s\n", what, name);
    fclose(f);
}
void cali_begin_region(const char *name);
void cali_end_region(const char *name);
void cali_begin_region(const char *name) { note("begin", name); }
void cali_end_region(const char *name) { note("end", name); }
END
    ${CC:-cc} -shared -fPIC -o "$BATS_TEST_TMPDIR/libcaliper.so" "$BATS_TEST_TMPDIR/caliper.c"
}

@test "ranges are regions of Caliper where CALI_CONFIG asks for it" {
    local calls=$BATS_TEST_TMPDIR/calls
    caliper
    CALLS=$calls LD_LIBRARY_PATH=$BATS_TEST_TMPDIR "$HPGMG" --backend cpu --quiet --solves 1 4 1
    [ ! -e "$calls" ]
    CALI_CONFIG=runtime-report CALLS=$calls LD_LIBRARY_PATH=$BATS_TEST_TMPDIR "$HPGMG" --backend cpu --quiet --solves 1 4 1
    grep -q '^begin .*16^3$' "$calls"
    # every region ends within the one that it began in
    awk '{ name = substr($0, index($0, " ") + 1) }
         $1 == "begin" { open[++depth] = name; deepest = depth > deepest ? depth : deepest }
         $1 == "end" && open[depth--] != name { exit 1 }
         END { exit depth != 0 || deepest < 2 }' "$calls"
}

@test "CALI_CONFIG without Caliper is one warning" {
    CALI_CONFIG=runtime-report run $MPIRUN -n 2 "$HPGMG" --backend cpu --quiet --solves 1 4 1
    [ "$status" -eq 0 ]
    [ "$(grep -c 'warning: CALI_CONFIG is set, but no libcaliper.so is found' <<<"$output")" -eq 1 ]
}
