#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The scaling tool: it runs what it says, takes up where it stopped, and draws. tests/cli/threshold.bats has the rest of
# what studies have in common.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    MPIRUN=${MPIRUN:-mpirun --oversubscribe --timeout 60}
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
    export PATH=/usr/bin:$PATH # the system's python3, which has the system's packages
    study=$BATS_TEST_TMPDIR/study
    command -v python3 >/dev/null || skip "no python3"
}

scaling() { # OPTION...: a small study; sets status and output
    run run/scaling --launcher "$MPIRUN -n {ranks}" --program "$HPGMG" --output "$study" --solves 1 \
        --options "--backend cpu" --ranks 1,2 "$@"
}

rows() { # KIND RANKS LEVEL: n and DOF of such rows
    awk -F , -v k="$1" -v r="$2" -v l="$3" '$1 == k && $5 == r && $6 == l { print $7, $8 }' "$study/results.csv"
}

@test "a dry run prints the commands and leaves nothing" {
    run run/scaling --dry-run --ranks 2,1 --weak 3:8 --strong 4:2 --order 2,4 --output "$study" --launcher "go {ranks}"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 8 ]
    [ "${lines[0]}" = "go 1 ./hpgmg-gpu --order 2 --json $study/weak-order2-3x8-ranks1.json --quiet 3 8" ]
    [ "${lines[7]}" = "go 2 ./hpgmg-gpu --order 4 --json $study/strong-order4-4x2-ranks2.json --quiet 4 4" ]
    [ ! -e "$study" ]
}

@test "a study, and the same again" {
    scaling --weak 3:1,3:8 --strong 3:2
    [ "$status" -eq 0 ]
    [ "$(wc -l <"$study/results.csv")" -eq 19 ] # 3 series, 2 numbers of ranks, 3 levels
    [ "$(rows weak 1 h)" = "8 512"$'\n'"16 4096" ]
    [ "$(rows weak 2 h)" = "12 1728"$'\n'"20 8000" ]
    [ "$(rows strong 1 2h)" = "8 512" ]
    [ "$(rows strong 2 h)" = "16 4096" ]
    : >"$study/strong-order2-3x2-ranks1.json" # is run again
    scaling --weak 3:1,3:8 --strong 3:2
    [ "$status" -eq 0 ]
    [ "$(grep -c ': is there$' <<<"$output")" -eq 5 ]
}

@test "weak series have the same unknowns per rank within 2 %, and what has not is not compared" {
    scaling --ranks 1,2,4,8 --weak 3:8
    [ "$status" -eq 0 ]
    python3 - "$study/results.csv" <<'END'
import csv, sys
rows = [row for row in csv.DictReader(open(sys.argv[1])) if row["level"] == "h"]
share = {int(row["ranks"]): float(row["dof_per_rank"]) for row in rows}
assert share == {1: 4096, 2: 4000, 4: 3456, 8: 4096}, share
for row in rows:
    compared = row["ranks"] != "4"
    assert (row["efficiency"] != "") == compared and (row["compared_dof_per_rank"] == "4096.0") == compared, row
END
    grep -q 'Not compared: 4 ranks with 3456\.$' <<<"$output"
    grep -qE '^weak, order 2, 8 × 8³ per rank +4 +24 +3456 +[0-9.e+]+ +-$' <<<"$output"
    [ "$(grep -v '^\[' <<<"$output" | LC_ALL=C.UTF-8 grep -cE '.{81}')" -eq 0 ]
}

@test "domains of large studies" {
    PYTHONPATH=run python3 - <<'END'
from weak import TOLERANCE, weak_domains
for ranks, size, able in (((1, 2, 8, 16, 64), (8, 8), 5), ((1, 4, 8, 32, 64), (7, 125), 5), ((6, 12, 48, 96), (8, 11), 4),
                          ((1, 2, 4, 8), (8, 8), 3), ((3,), (4, 5), 1)):
    share, domains = weak_domains(ranks, *size)
    agreeing = [domain for domain in domains if domain.agrees(share)]
    assert len(agreeing) == able, (ranks, size, domains)
    assert all(abs(domain.dof() / domain.ranks / share - 1) <= TOLERANCE and domain.is_even() for domain in agreeing)
END
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
