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
    grep -qE '^weak 3:8, order 2 +5 +40x32x16 +4096 +[0-9.e+]+ +[0-9.]+ % +[0-9.]+$' <<<"$output"
    [ "$(grep -v '^\[' <<<"$output" | LC_ALL=C.UTF-8 grep -cE '.{81}')" -eq 0 ]
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
    [ "$(awk -F , '$6 == "h" { print $5, $(NF - 3) }' "$study/results.csv")" = $'1 staged\n2 staged\n1 peer' ]
}

@test "a failure is named, and the others count" {
    scaling --ranks 1 --weak 3:1,2:1 --order 4 --options "--backend cpu --rtol 1e-15 --max-cycles 1"
    [ "$status" -eq 1 ]
    [ "$(grep -c 'VERDICT: INVALID' <<<"$output")" -eq 2 ]
    scaling --weak 3:1 --program "$BATS_TEST_TMPDIR/nothing"
    [ "$status" -eq 1 ]
    [[ $output == *"weak-order2-3x1-ranks1: "* ]]
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
        "--transport pigeon --weak 3:1" \
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
