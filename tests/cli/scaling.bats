#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The scaling tool: it runs what it says, takes up where it stopped, and draws. tests/cli/threshold.bats has the rest of
# what studies have in common.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
    export PATH=/usr/bin:$PATH # the system's python3, which has the system's packages
    study=$BATS_TEST_TMPDIR/study
    command -v python3 >/dev/null || skip "no python3"
}

scaling() { # OPTION...: a small study; sets status and output
    run run/scaling --launcher "$MPIRUN -n {ranks}" --program "$HPGMG" --output "$study" --solves 1 \
        --options "--backend cpu" --ranks 1,2 "$@"
}

rows() { # KIND RANKS LEVEL: cells and DOF of such rows
    awk -F , -v k="$1" -v r="$2" -v l="$3" '$1 == k && $5 == r && $6 == l { print $8, $9 }' "$study/results.csv"
}

@test "a dry run prints the commands and leaves nothing" {
    run run/scaling --dry-run --ranks 2,1 --weak 3:8 --strong 4:2 --order 2,4 --output "$study" --launcher "go {ranks}"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 8 ]
    [ "${lines[0]}" = "go 1 ./hpgmg-gpu --order 2 --json $study/weak-order2-3x8-ranks1.json --quiet --domain exact 3 8" ]
    [ "${lines[7]}" = "go 2 ./hpgmg-gpu --order 4 --json $study/strong-order4-4x2-ranks2.json --quiet 4 4" ]
    [ ! -e "$study" ]
}

@test "nodes of a launcher: the fewest that have room for the ranks" {
    run run/scaling --dry-run --ranks 1,4,5,9 --weak 3:1 --launcher "go {nodes}x {ranks}" --ranks-per-node 4
    [ "$status" -eq 0 ]
    [ "$(cut -d ' ' -f 1-3 <<<"$output")" = $'go 1x 1\ngo 1x 4\ngo 2x 5\ngo 3x 9' ]
}

@test "a study, and the same again" {
    scaling --weak 3:1,3:8 --strong 3:2
    [ "$status" -eq 0 ]
    [ "$(wc -l <"$study/results.csv")" -eq 19 ] # 3 series, 2 numbers of ranks, 3 levels
    [ "$(rows weak 1 h)" = "8^3 512"$'\n'"16^3 4096" ]
    [ "$(rows weak 2 h)" = "16x8x8 1024"$'\n'"32x16x16 8192" ]
    [ "$(rows strong 1 2h)" = "8^3 512" ]
    [ "$(rows strong 2 h)" = "16^3 4096" ]
    : >"$study/strong-order2-3x2-ranks1.json" # is run again
    scaling --weak 3:1,3:8 --strong 3:2
    [ "$status" -eq 0 ]
    [ "$(grep -c ': is there$' <<<"$output")" -eq 5 ]
}

@test "weak series have the same unknowns on every rank, whatever their number, and one answer" {
    # 3:8 on three ranks and 3:24 on one have the same domain, and so have other runs of these series.
    scaling --ranks 1,2,3,5 --weak 3:8,3:16,3:24,3:40
    echo "$output"
    [ "$status" -eq 0 ]
    python3 - "$study" <<'END'
import csv, json, sys
rows = list(csv.DictReader(open(f"{sys.argv[1]}/results.csv")))
fractions = {"h": 1, "2h": 8, "4h": 64}
assert len(rows) == 4 * 4 * 3
answers = {}
for row in rows:
    share = int(row["boxes"]) * 8**3 / fractions[row["level"]]
    assert float(row["dof_per_rank"]) == float(row["dof_fullest_rank"]) == share, row
    assert row["compared_ranks"] == "1" and float(row["efficiency"]) > 0, row
    report = json.load(open(f"{sys.argv[1]}/{row['file']}"))
    assert report["ranks"] == report["hierarchy"]["levels"][0]["ranks"] == int(row["ranks"]), row
    cells = report["solves"][list(fractions).index(row["level"])]["cells"]
    assert row["cells"] == (f"{cells[0]}^3" if len(set(cells)) == 1 else "{}x{}x{}".format(*cells)), row
    answers.setdefault(tuple(cells), []).append((row["ranks"], row["checksum"]))
several = {cells for cells, found in answers.items() if len({ranks for ranks, _ in found}) > 1}
assert {(32, 16, 16), (32, 24, 16), (40, 32, 16)} <= several, answers
assert all(len({checksum for _, checksum in found}) == 1 for found in answers.values()), answers
END
    grep -qE '^weak 3:8, order 2 +5 +40x32x16 +[0-9.]+ unknown +[0-9.]+ +[0-9.]+ %\* +[0-9.]+$' <<<"$output" # one solve has no spread
    [ "$(grep -v '^\[\|^scaling: ' <<<"$output" | LC_ALL=C.UTF-8 grep -cE '.{81}')" -eq 0 ]
}

# A program whose report has the times of FAKE_RANKS: "median mean spread noisy" for each number of ranks, as JSON.
fake_program() {
    cat >"$BATS_TEST_TMPDIR/program" <<'END'
#!/usr/bin/env python3
import json, os, sys
ranks, options = int(os.environ["RANKS"]), dict(zip(sys.argv[1:], sys.argv[2:]))
median, mean, spread, noisy = json.loads(os.environ["FAKE_TIMES"])[str(ranks)]
dof = 512 * ranks if "--domain" in options else 4096
solve = {"level": "h", "n": 8 * ranks, "cells": [8 * ranks, 8, 8], "dof": dof, "seconds_per_solve": mean,
         "seconds": {"median": median, "spread": spread, "drift": 0.0}, "noisy": noisy, "dof_per_second": dof / median,
         "rel_residual": 1e-9, "checksum": str(ranks), "stages": []}
json.dump({"schema": int(os.environ.get("FAKE_SCHEMA", 3)), "verdict": "VALID", "complete": True, "ranks": ranks, "order": 2,
           "total_problem_size": dof, "environment": {"gpu": None, "date": "2026-11-28T01:02:03Z"}, "solves": [solve]}, open(options["--json"], "w"))
END
    chmod +x "$BATS_TEST_TMPDIR/program"
}

fake_scaling() { # TIMES OPTION...
    FAKE_TIMES=$1 run run/scaling --launcher "env RANKS={ranks}" --program "$BATS_TEST_TMPDIR/program" --output "$study" "${@:2}"
    echo "$output"
}

column() { # NAME: the values of a column, run by run
    python3 -c 'import csv, sys
print(" ".join(row[sys.argv[2]] for row in csv.DictReader(open(sys.argv[1]))))' "$study/results.csv" "$1"
}

@test "efficiency is by medians; a noisy run is named on stderr, and marked in table, CSV and figure" {
    fake_program
    fake_scaling '{"1": [1.0, 8.0, 0.02, false], "2": [1.25, 1.25, 0.01, false], "4": [1.6, 1.0, 0.5, true]}' --ranks 1,2,4 --weak 3:1
    [ "$status" -eq 0 ]
    [ "$(column median_seconds)" = "1.0 1.25 1.6" ]
    [ "$(column spread)" = "0.02 0.01 0.5" ]
    [ "$(column noisy)" = "no no run" ]
    [ "$(column efficiency)" = "1.0 0.8 0.625" ]
    grep -qxE 'weak 3:1, order 2 +2 +16x8x8 +1250 +1.0 % +0.0008192 +80.0 % +1.60' <<<"$output"
    grep -qxE 'weak 3:1, order 2 +4 +32x8x8 +1600 +50.0 % +0.00128 +62.5 %\* +2.50' <<<"$output"
    [ "$(grep -c '^scaling: warning: ' <<<"$output")" -eq 1 ]
    grep -qx 'scaling: warning: 1 of 3 runs have noisy times: weak-order2-3x1-ranks4' <<<"$output"
    grep -q '^\* Noisy, ' < <(tr '\n' ' ' <<<"$output" | grep -o '\* Noisy, .*')
    # Where the run with the fewest ranks is noisy, so is all that is compared with it.
    rm -r "$study"
    fake_scaling '{"1": [1.0, 1.0, 0.3, true], "2": [1.25, 1.25, 0.01, false]}' --weak 3:1
    [ "$(column noisy)" = "run compared run" ]
    [ "$(grep -cE '[0-9] %\* +[0-9.]+$' <<<"$output")" -eq 2 ]
    # Without noise nothing is marked, and of one solve the spread is unknown.
    rm -r "$study"
    fake_scaling '{"1": [1.0, 1.0, null, false], "2": [1.25, 1.25, 0.01, false]}' --strong 3:2
    [ "$(column spread)" = " 0.01" ]
    [[ $output != *[Nn]oisy* ]]
    grep -qE ' +1000 unknown +[0-9.]+ +100.0 % +1.00$' <<<"$output"
    # Rates of schema 1 were by the mean: such a report is no result of this study.
    rm -r "$study"
    FAKE_SCHEMA=1 fake_scaling '{"1": [1.0, 1.0, 0.01, false]}' --ranks 1 --weak 3:1
    [ "$status" -eq 1 ]
}

@test "noisy points are hollow and the spread has bars; tables of before have means, and say so" {
    python3 -c 'import matplotlib' 2>/dev/null || skip "no matplotlib"
    PYTHONPATH=run python3 - docs/scaling-h100/results.csv <<'END'
import sys
import drawing
import reports
plt = drawing.pyplot("test")


def drawn(rows):
    """(ranks, whether the marker is hollow, bars of the spread) of a line."""
    axes = plt.figure().add_subplot()
    drawing.draw_line(axes, rows, [1.0] * len(rows), drawing.LINES[0])
    points = [line for line in axes.lines if line.get_marker() == drawing.LINES[0][1]]
    bars = [path.vertices[:, 1].tolist() for each in axes.collections for path in each.get_paths()]
    return [(point.get_xdata()[0], point.get_markerfacecolor() == "white") for point in points], bars


rows = [{"ranks": ranks, "efficiency": 1.0, "dof_per_rank": 8, "dof_fullest_rank": 8, "spread": spread, "noisy": noisy,
         "median_seconds": 2.0, "seconds_per_solve": 9.0} for ranks, spread, noisy in
        ((1, 0.02, "no"), (2, 0.4, "run"), (4, "", "compared run"))]
points, bars = drawn(rows)
assert points == [(1, False), (2, True), (4, True)], points
assert bars == [[0.99, 1.01], [0.8, 1.2]], bars
assert reports.seconds_of(rows[0]) == 2.0
old = [row for row in reports.read_csv(sys.argv[1]) if row["level"] == "h"]
points, bars = drawn(old[:3])
assert not bars and not any(hollow for _, hollow in points)
assert reports.seconds_of(old[0]) == old[0]["seconds_per_solve"]
assert "mean" in reports.compared_note(old) and "median" in reports.compared_note(rows)
END
    cp docs/scaling-h100/results.csv "$BATS_TEST_TMPDIR"
    run/figures scaling "$BATS_TEST_TMPDIR"
    [ -s "$BATS_TEST_TMPDIR/strong.png" ]
}

@test "another answer on the same cells is an error; cells with the same longest side are another problem" {
    scaling --weak 3:8,3:16
    [ "$status" -eq 0 ]
    sed -i 's/"checksum": *"[0-9a-f]*"/"checksum": "0123456789abcdef"/' "$study/weak-order2-3x16-ranks1.json"
    scaling --weak 3:8,3:16
    echo "$output"
    [ "$status" -eq 1 ]
    grep -q 'different answers to the same problem: weak-order2-3x16-ranks1.json and weak-order2-3x8-ranks2.json' <<<"$output"
    PYTHONPATH=run python3 - <<'END'
from study import Case, different_answers


def case(name, **solve):
    found = Case()
    found.name, found.report = (lambda: name), {"order": 2, "solves": [{"checksum": name, **solve}]}
    return found


flat, tall, cube = case("a", n=8, cells=[8, 8, 4]), case("b", n=8, cells=[8, 4, 4]), case("c", n=8, cells=[8, 8, 8])
assert different_answers([flat, tall, cube]) == []
before = case("d", n=8)  # a report of before --domain
assert different_answers([flat, tall, cube, before]) == ["d.json and c.json"]
END
}

@test "a series by each transport, which share the run of one rank" {
    run run/scaling --dry-run --ranks 1,2 --strong 4:2 --output "$study" --transport peer,staged
    [ "${#lines[@]}" -eq 4 ]
    [ "${lines[0]}" = "${lines[2]}" ]
    [[ ${lines[0]} != *--transport* && ${lines[1]} == *-peer.json\ --transport\ peer\ * && ${lines[3]} == *-staged.json\ --transport\ staged\ * ]]
    scaling --strong 3:2 --transport staged,peer # CPUs have no peers
    [ "$status" -eq 1 ]
    grep -q 'ranks2-peer: status 3: .*this run uses no GPUs' <<<"$output"
    grep -qE '^strong 3:2, order 2, staged +2 +16\^3 ' <<<"$output"
    [ "$(awk -F , '$6 == "h" { print $5, $(NF - 4) }' "$study/results.csv")" = $'1 staged\n2 staged\n1 peer' ]
}

@test "a failure is named, and the others count" {
    scaling --ranks 1 --weak 3:1,2:1 --order 4 --options "--backend cpu --rtol 1e-15 --max-cycles 1"
    [ "$status" -eq 1 ]
    [ "$(grep -c 'VERDICT: INVALID' <<<"$output")" -eq 2 ]
    scaling --weak 3:1 --program "$BATS_TEST_TMPDIR/nothing"
    [ "$status" -eq 1 ]
    [[ $output == *"weak-order2-3x1-ranks1: "* ]]
}

# reason TEXT STATUS: what the study says of a launcher that prints TEXT and ends with STATUS
reason() {
    printf '%s\n' "$1" >"$BATS_TEST_TMPDIR/text"
    printf '#!/bin/sh\ncat "%s" >&2\nexit %s\n' "$BATS_TEST_TMPDIR/text" "$2" >"$BATS_TEST_TMPDIR/launcher"
    chmod +x "$BATS_TEST_TMPDIR/launcher"
    run run/scaling --launcher "$BATS_TEST_TMPDIR/launcher {ranks}" --output "$study" --ranks 1 --weak 3:1
    [ "$status" -eq 1 ]
    sed -nE 's/^scaling: error: weak-order2-3x1-ranks1: (.*) \(all of it in .*\)$/\1/p' <<<"$output"
}

@test "why a run failed: the program's line, or the first error of MPI or the launcher, never a ruled line" {
    local rule=--------------------------------------------------------------------------
    [ "$(reason "$rule
There are not enough slots available in the system to satisfy the 4
slots that were requested by the application:

  ./hpgmg-gpu

Either request fewer slots for your application, or make more slots
available for use.
$rule" 1)" = "status 1: There are not enough slots available in the system to satisfy the 4 slots that were requested by the application:" ]
    [ "$(reason $'Loading the default modules\n\nsrun: error: Unable to create step for job 5: More processors requested than permitted\n' 1)" = \
        "status 1: srun: error: Unable to create step for job 5: More processors requested than permitted" ]
    [ "$(reason "$rule"$'\nMPI_ABORT was invoked\n'"$rule"$'\nhpgmg-gpu: error: no GPU' 3)" = "status 3: hpgmg-gpu: error: no GPU" ]
    [ "$(reason $'one\n\ntwo\n'"$rule" 7)" = "status 7: two" ]
    [ "$(reason "$(seq -f 'error %g' 1 100)" 1 | wc -c)" -le 230 ]
    # The reason may be at either end of a log that is too long to be read.
    [ "$(reason "$(seq 1 200000)"$'\n\nhpgmg-gpu: error: the last line' 1)" = "status 1: hpgmg-gpu: error: the last line" ]
}

@test "a launcher that starts nothing, and a log that does not fit in memory" {
    run timeout 60 bash -c 'ulimit -v 1000000; run/scaling --launcher "true {ranks}" --output '"$study"' --weak 3:1'
    [ "$status" -eq 1 ]
    [ "$(grep -c "^scaling: error: weak-order2-3x1-ranks[12]: status 0 and no weak-order2-3x1-ranks[12].json: it printed nothing" <<<"$output")" -eq 2 ]
    [ "$(wc -l <<<"$output")" -eq 5 ]
    # 600 MB, most of them a hole
    printf '#!/bin/sh\ntruncate -s 600M "%s"/weak-order2-3x1-ranks1.log\necho "error: so it was" >&2\nexit 1\n' "$study" >"$BATS_TEST_TMPDIR/long"
    chmod +x "$BATS_TEST_TMPDIR/long"
    run timeout 60 bash -c 'ulimit -v 400000; run/scaling --launcher "'"$BATS_TEST_TMPDIR"'/long {ranks}" --output '"$study"' --ranks 1 --weak 3:1'
    [ "$status" -eq 1 ]
    [[ $output == *": status 1: "* && $output != *Traceback* && $output != *MemoryError* ]]
}

@test "figures" {
    python3 -c 'import matplotlib' 2>/dev/null || skip "no matplotlib"
    scaling --weak 3:1 --strong 3:2 --breakdown
    [ "$status" -eq 0 ]
    for figure in weak strong sizes levels; do
        [ "$(head -c 4 "$study/$figure.png" | tail -c 3)" = PNG ]
    done
}

@test "wrong options" {
    local wrong
    for wrong in "--weak 7" "--weak 7:x" "--ranks 0 --weak 3:1" "--order 3 --weak 3:1" "--launcher mpirun --weak 3:1" "" \
        "--transport pigeon --weak 3:1" "--launcher {nodes}{ranks} --weak 3:1" \
        "--launcher {nodes}{ranks} --ranks-per-node 0 --weak 3:1" "--ranks-per-node x --weak 3:1" \
        "--colour"; do
        # shellcheck disable=SC2086
        run run/scaling --output "$study" $wrong
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == "scaling: error: "* ]]
    done
    [ ! -e "$study" ]
}

@test "job templates are shell, and what they start is a study" {
    local job
    for job in run/jobs/*.sh; do
        bash -n "$job"
        sed 's/^"${RUN:-run}\/scaling"/& --dry-run/' "$job" >"$BATS_TEST_TMPDIR/job.sh"
        run bash "$BATS_TEST_TMPDIR/job.sh"
        [ "$status" -eq 0 ]
        [ "${#lines[@]}" -ge 6 ]
    done
}
