#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# run/compare: what it marks in reports whose samples are given, its exit status, and a real pair's form.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    export PATH=/usr/bin:$PATH # the system's python3
    work=$BATS_TEST_TMPDIR
    command -v python3 >/dev/null || skip "no python3"
}

# report NAME FACTOR [KEY VALUE]: samples around FACTOR · 1 s with 4 % spread; KEY of the configuration or the checksum
report() {
    python3 - "$work/$1.json" "${@:2}" <<'END'
import json, random, sys
path, factor, *other = sys.argv[1:]
random.seed(path.rsplit("/", 1)[-1])  # the same samples in every folder
samples = [float(factor) * random.uniform(0.96, 1.04) for _ in range(60)]
config = {"order": "2", "loops": "tiled"}
solve = {"level": "h", "n": 16, "samples": samples, "checksum": "abc",
         "stages": [{"level": 0, "stage": "smooth", "seconds": 0.75 * float(factor)}]}
if other[:1] == ["checksum"]:
    solve["checksum"] = other[1]
elif other:
    config[other[0]] = other[1]
json.dump({"program": "hpgmg-gpu", "verdict": "VALID", "complete": True, "order": 2, "ranks": 1, "threads": 1,
           "config": config, "environment": {"cpu": "A CPU", "date": path}, "solves": [solve]}, open(path, "w"))
END
}

compare() {
    run run/compare "$@"
    echo "$output"
}

@test "two runs of one binary: no difference" {
    report a 1
    report b 1.005
    compare "$work/a.json" "$work/b.json"
    [ "$status" -eq 0 ]
    grep -qx 'options: all equal' <<<"$output"
    grep -qx 'environment: all equal' <<<"$output"
    grep -qx 'solutions: bitwise identical' <<<"$output"
    [ "$(grep -c ' \*$' <<<"$output")" -eq 0 ]
}

@test "plain loops against tiled ones: marked, and the option that differs is named" {
    report a 1
    report b 1.5 loops plain
    compare "$work/a.json" "$work/b.json"
    [ "$status" -eq 1 ]
    grep -qE '^h +16 .* \+[45][0-9]\.[0-9]+ % +60, 60 +[0-9.e-]+ \*$' <<<"$output"
    grep -qE '^  loops +tiled +plain$' <<<"$output"
    grep -qE '^  level 0  smooth +750 +1125 +\+50.0 %$' <<<"$output"
    [ "$(LC_ALL=C.UTF-8 grep -v '^[AB]: ' <<<"$output" | grep -cE '.{81}')" -eq 0 ]
}

@test "the test's p" {
    # Worked out by hand: z = 12/√(25·11/12) with U = 0, and z = 6.5/√20 with ties.
    cp run/compare "$work/compare.py"
    PYTHONPATH=run:$work python3 - <<'END'
import math
from compare import mann_whitney
for first, second, p in (([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 0.012185780355344818), ([1, 1, 2, 2, 3], [2, 2, 3, 3, 3], 0.14610),
                         ([1, 1, 1], [1, 1, 1], 1.0), ([1, 4, 5, 8], [2, 3, 6, 7], 1.0)):
    assert math.isclose(mann_whitney(first, second), p, rel_tol=1e-3), (first, second, mann_whitney(first, second), p)
END
}

@test "a faster time within the spread is not marked, and few samples say nothing" {
    report a 1
    report b 1.015
    compare --least 0.001 "$work/a.json" "$work/b.json"
    [ "$status" -eq 0 ]
    report c 2
    sed -i -E 's/"samples": \[([0-9.]+), [^]]*\]/"samples": [\1, \1]/' "$work/c.json"
    compare "$work/a.json" "$work/c.json"
    [ "$status" -eq 2 ]
    grep -q 'too few$' <<<"$output"
    [ "${lines[-1]}" = "compare: error: whether times differ is unknown: no size has 5 samples in both reports" ]
}

@test "old reports without samples and checksums: medians and stages, and status 2, which is not that of a difference" {
    jq '.solves[0].seconds.median *= 1.5 | .solves[0].stages[0].seconds *= 2' docs/scaling-h100/one-gpu/order2-8x8.json >"$work/slower.json"
    compare docs/scaling-h100/one-gpu/order2-8x8.json "$work/slower.json"
    [ "$status" -eq 2 ]
    grep -qE '^h +512 +25\.1431 +37\.7147 +\+50\.00 % +0, 0 +too few$' <<<"$output"
    grep -qE '^  level 0  restrict +0\.4282 +0\.8563 ' <<<"$output"
    grep -qx 'solutions: not compared, since a report has no checksums' <<<"$output"
    [ "$(grep -c '^compare: error: ' <<<"$output")" -eq 1 ]
    [[ $output != *Traceback* ]]
    report a 1
    python3 - "$work" <<'END'
import json, sys
report = json.load(open(f"{sys.argv[1]}/a.json"))
del report["solves"][0]["samples"]
json.dump(report, open(f"{sys.argv[1]}/none.json", "w"))
report["solves"][0].update(seconds={"median": 1.0}, checksum="def")
json.dump(report, open(f"{sys.argv[1]}/other.json", "w"))
END
    compare "$work/a.json" "$work/none.json" # neither samples nor a median
    [ "$status" -eq 2 ]
    [[ ${lines[-1]} == "compare: error: "*"they lack what hpgmg-gpu writes: KeyError: 'seconds'" ]]
    compare "$work/a.json" "$work/other.json" # other bits are a difference
    [ "$status" -eq 1 ]
}

@test "other bits are a difference only where the problem is the same" {
    report a 1
    report b 1 checksum def
    compare "$work/a.json" "$work/b.json"
    [ "$status" -eq 1 ]
    grep -qx 'solutions: other bits at 16³' <<<"$output"
    report c 1 order 4
    compare "$work/a.json" "$work/c.json"
    [ "$status" -eq 0 ]
    grep -q 'not compared, since the problems differ' <<<"$output"
}

@test "reports of the program" {
    for name in a b; do
        "${HPGMG:-$PWD/hpgmg-gpu}" --backend cpu --solves 6 --breakdown --json "$work/$name.json" 3 1 >/dev/null
    done
    compare "$work/a.json" "$work/b.json"
    [ "$status" -le 1 ] # times are what they are
    grep -qE '^h +8 ' <<<"$output"
    grep -qE '^  level [0-9]+ ' <<<"$output" # not always level 0: another process may delay any stage
    grep -qx 'solutions: bitwise identical' <<<"$output"
}

@test "what cannot be compared gives one line and status 2" {
    report a 1
    echo '{}' >"$work/empty.json"
    sed 's/"n": 16/"n": 32/' "$work/a.json" >"$work/other.json"
    sed 's/"VALID"/"INVALID"/' "$work/a.json" >"$work/invalid.json"
    for wrong in "" "$work/a.json" "$work/a.json $work/none.json" "$work/a.json $work/empty.json" "$work/a.json $work/other.json" \
        "$work/a.json $work/invalid.json" "--level 2 $work/a.json $work/a.json"; do
        # shellcheck disable=SC2086
        compare $wrong
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == "compare: error: "* ]]
    done
}
