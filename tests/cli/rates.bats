#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# run/rates: the tables of docs/PERFORMANCE.md are those of docs/machines/rates.csv; those of README.md and
# docs/notes/hpgmg-cuda.md, and how many times faster hpgmg-gpu is, those of docs/machines/peers.csv.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    export PATH=/usr/bin:$PATH # the system's python3
    command -v python3 >/dev/null || skip "no python3"
    root=$BATS_TEST_TMPDIR/root
    mkdir -p "$root/docs/machines" "$root/docs/notes"
    cp README.md "$root" && cp docs/PERFORMANCE.md "$root/docs" && cp docs/notes/hpgmg-cuda.md "$root/docs/notes"
    cp docs/machines/{rates,peers}.csv "$root/docs/machines"
}

report() { # NAME DOF/S [KEY=VALUE]...: of order 2 and 256^3
    python3 - "$root/$1.json" "${@:2}" <<'END'
import json, sys
path, rate, *other = sys.argv[1:]
config = {"equation": "poisson", "boundary": "dirichlet", "coefficients": "variable", "problem": "fv", "smoother": "gsrb",
          "cycle": "f"}
environment = {"gpu": "A GPU", "revision": "abc", "date": "2026-11-30T10:00:00Z"}
for pair in other:
    key, value = pair.split("=")
    (config if key in config else environment)[key] = value
json.dump({"program": "hpgmg-gpu", "verdict": "VALID", "complete": True, "order": 2, "ranks": 1, "config": config,
           "environment": environment, "solves": [{"n": 256, "dof_per_second": float(rate)}]}, open(path, "w"))
END
}

@test "the tables are those of their CSV files" {
    run run/rates --check
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a table that was changed by hand is named, and made anew" {
    sed -i 's/^\(| 256³ (`7 8`) | \)[0-9.]*/\19.99/' "$root/docs/PERFORMANCE.md"
    run run/rates --check --root "$root"
    [ "$status" -eq 1 ]
    [[ $output == "rates: error: docs/PERFORMANCE.md: the table is not that of its CSV file"* ]]
    run run/rates --root "$root"
    [ "$status" -eq 0 ]
    cmp docs/PERFORMANCE.md "$root/docs/PERFORMANCE.md"
}

@test "README.md's table and its factors follow from peers.csv" {
    sed -i 's/^hpgmg-cuda,4,512,\(.*\),1.482,1.482,/hpgmg-cuda,4,512,\1,0.070,1.520,/' "$root/docs/machines/peers.csv"
    run run/rates --check --root "$root"
    [ "$status" -eq 1 ]
    [[ $output == *"README.md: the table is not"*"docs/notes/hpgmg-cuda.md: the table is not"* ]]
    run/rates --root "$root"
    grep -q '^| hpgmg-cuda, order 4 |.* 0.070 to 1.520 |$' "$root/README.md"
    grep -q '^| hpgmg-cuda, order 4 |.* 0.070 to 1.520 |$' "$root/docs/notes/hpgmg-cuda.md"
    grep -q '^hpgmg-gpu has 3.4 to 73 times the rate of hpgmg-cuda' "$root/README.md" # 5.142 / 1.520, 5.142 / 0.070
}

@test "every row of peers.csv has its commit, date and conditions" {
    awk -F, 'NF < 12 || !$10 || !$11 || !$12 { print; wrong = 1 } END { exit wrong || NR < 20 }' docs/machines/peers.csv
}

@test "reports give a range in the table" {
    report a 7.004e9
    report b 6.5e9
    run run/rates --root "$root" "$root/a.json" "$root/b.json"
    [ "$status" -eq 0 ]
    grep -q '^| 256³ (`7 8`) | 6.50 to 7.00 |' "$root/docs/PERFORMANCE.md"
    cmp README.md "$root/README.md"
    grep -q '^hpgmg-gpu,2,256,6.50,7.00,2,A GPU,abc,2026-11-30' "$root/docs/machines/rates.csv"
    [ "$(wc -l <"$root/docs/machines/rates.csv")" -eq "$(wc -l <docs/machines/rates.csv)" ]
}

@test "other problems and uncommitted trees are refused" {
    report other 7e9 smoother=jacobi revision=abc-dirty
    run run/rates --root "$root" "$root/other.json"
    [ "$status" -eq 2 ]
    [[ $output == *"not for this table: smoother jacobi, changes that are not committed" ]]
    cmp README.md "$root/README.md"
    sed -i '/rates -->/d' "$root/README.md"
    run run/rates --root "$root"
    [ "$status" -eq 2 ]
    [ "${#lines[@]}" -eq 1 ]
}
