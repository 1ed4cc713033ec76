#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# run/report-machine: the page of this machine's CPU in tiny sizes, what it does with runs that failed or were INVALID,
# how it resumes, what it would run on a GPU, and what it refuses.

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    export PATH=/usr/bin:$PATH # the system's python3, which has the system's packages
    export HPGMG=${HPGMG:-$PWD/hpgmg-gpu} HPGMG_LAB=${HPGMG_LAB:-$PWD/hpgmg-lab}
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
    export made=$BATS_FILE_TMPDIR/made
    command -v python3 >/dev/null || return 0
    report_machine --output "$made" >"$BATS_FILE_TMPDIR/stdout" 2>"$BATS_FILE_TMPDIR/stderr"
    echo $? >"$BATS_FILE_TMPDIR/status"
}

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    output_folder=$BATS_TEST_TMPDIR/machine
    page=$output_folder/page.html
    command -v python3 >/dev/null || skip "no python3"
}

report_machine() { # OPTION...
    run/report-machine --small --backend cpu --program "$HPGMG" --lab "$HPGMG_LAB" "$@"
}

copy() { # a folder whose runs are those of setup_file; the paths in commands are those of `made`
    cp -r "$made" "$BATS_TEST_TMPDIR/saved"
    output_folder=$made page=$made/page.html
}

teardown() {
    [ ! -d "$BATS_TEST_TMPDIR/saved" ] || { rm -rf "$made" && cp -r "$BATS_TEST_TMPDIR/saved" "$made"; }
}

without_matplotlib() { # for pages whose figures do not matter: they take seconds
    mkdir -p "$BATS_TEST_TMPDIR/no" && echo 'raise ImportError("gone")' >"$BATS_TEST_TMPDIR/no/matplotlib.py"
    export PYTHONPATH=$BATS_TEST_TMPDIR/no
}

section_of() { # NAME: a section of the page
    sed -n "/<section id=\"$1\">/,/<\/section>/p" "$page"
}

@test "the page is whole, has every experiment, and needs nothing from outside" {
    cat "$BATS_FILE_TMPDIR/stdout" "$BATS_FILE_TMPDIR/stderr"
    [ "$(cat "$BATS_FILE_TMPDIR/status")" -eq 0 ]
    page=$made/page.html
    figures=$(tests/cli/validate_page.py "$page")
    python3 -c 'import matplotlib' 2>/dev/null && [ "$figures" -eq 13 ]
    [ "$(wc -c <"$page")" -lt 3000000 ]
    for name in machine kernels ladder sizes levels memory methods; do
        section_of $name | grep -q 'Expected'
        section_of $name | grep -q '<td>'
    done
    [ "$(grep -c 'No result' "$page")" -eq 0 ]
    grep -q 'sizes are tiny' "$page"
    grep -q "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["revision"])' "$made/machine.json")" "$page"
}

@test "the rates are on top" {
    local rate
    rate=$(python3 -c 'import json, sys
print("%.3g" % (1e-9 * json.load(open(sys.argv[1]))["solves"][0]["dof_per_second"]))' "$made/size-order4-4x1.json")
    sed '/<h2/,$d' "$made/page.html" | grep -qF "<td>$rate</td>"
}

@test "tables have the reports' numbers" {
    page=$made/page.html
    python3 - "$made" >"$BATS_TEST_TMPDIR/cells" <<'END'
import json, sys
read = lambda name: json.load(open(f"{sys.argv[1]}/{name}.json"))
print("%.4g" % (1e-9 * read("machine")["figures"][0]["bytes_per_second"]))
print("%.4g" % (1e3 * read("kernel-order4-smooth")["runs"][1]["seconds"]["median"]))
print("%.2f" % read("ladder-order2")["rungs"][-1]["speed_up"])
print("%.4g" % (1e-9 * read("size-order4-4x1")["solves"][0]["dof_per_second"]))
print("%.4g" % (1e-9 * read("memory")["figures"][3]["elements_per_second"]))
print("%.4g" % (1e3 * read("methods")["figures"][-1]["seconds"]["median"]))
END
    while read -r number name; do
        section_of "$name" | grep -qF "<td>$number</td>"
    done < <(printf '%s\n' machine kernels ladder sizes memory methods | paste -d ' ' "$BATS_TEST_TMPDIR/cells" -)
}

@test "the same command resumes; what is missing is run again, and no minutes run nothing" {
    copy
    without_matplotlib
    run report_machine --output "$made"
    [ "$status" -eq 0 ]
    [ "$(grep -c ': is there$' <<<"$output")" -eq 17 ]
    rm "$made/levels-order2-unfused.trace.json"
    run report_machine --output "$made" --minutes 0
    [ "$status" -eq 1 ]
    [[ $output == *"17 runs, 1 without a result"* ]]
    section_of levels | grep -q 'No result.*levels-order2-unfused: not run, since the time was up'
    run report_machine --output "$made" --only levels
    [ "$status" -eq 0 ]
    [ "$(grep -c ': is there$' <<<"$output")" -eq 3 ]
    [ "$(grep -c 'No result' "$page")" -eq 0 ]
}

@test "a run that is INVALID or has wrong results is named, and shows no number" {
    copy
    without_matplotlib
    rm "$made/size-order4-4x1.json" "$made/ladder-order2.json"
    cat >"$BATS_TEST_TMPDIR/gpu" <<END
#!/bin/sh
HPGMG_FAULT=f:0:nan exec "$HPGMG-disturbed" "\$@"
END
    cat >"$BATS_TEST_TMPDIR/lab" <<END
#!/bin/sh
echo "hpgmg-lab: error: 1 rung gave wrong results" >&2
exit 1
END
    chmod +x "$BATS_TEST_TMPDIR/gpu" "$BATS_TEST_TMPDIR/lab"
    run run/report-machine --small --backend cpu --output "$made" --program "$BATS_TEST_TMPDIR/gpu" \
        --lab "$BATS_TEST_TMPDIR/lab" --only sizes,ladder
    [ "$status" -eq 1 ]
    tests/cli/validate_page.py "$page"
    section_of sizes | grep -q 'No result.*VERDICT: INVALID'
    section_of ladder | grep -q 'No result.*1 rung gave wrong results'
    [ "$(section_of sizes | grep -c '<td>')" -eq 0 ]
    [ "$(section_of ladder | grep -c '<td>')" -eq 0 ]
    # Nothing was compared.
    grep -q '0 runs of hpgmg-gpu are VALID' "$page"
    [ "$(grep -c 'are bitwise identical' "$page")" -eq 0 ]
}

@test "a run that takes longer than there is time is stopped, and the page is made" {
    without_matplotlib
    printf '#!/bin/sh\nexec sleep 600\n' >"$BATS_TEST_TMPDIR/lab"
    chmod +x "$BATS_TEST_TMPDIR/lab"
    SECONDS=0
    run report_machine --output "$output_folder" --lab "$BATS_TEST_TMPDIR/lab" --only machine,ladder --minutes 0.02
    [ "$status" -eq 1 ]
    [ "$SECONDS" -lt 300 ]
    tests/cli/validate_page.py "$page"
    section_of machine | grep -q 'No result.*machine: stopped, since the time was up'
    section_of ladder | grep -q 'No result.*ladder-order4: not run, since the time was up'
}

@test "notes stand in their sections, and others are refused; without matplotlib there are tables" {
    copy
    without_matplotlib
    printf 'ladder: Later rungs\nare < faster.\n\nladder: And more.\n' >"$made/notes.txt"
    run report_machine --output "$made" --minutes 0
    [ "$status" -eq 0 ]
    [ "$(tests/cli/validate_page.py "$page")" -eq 0 ]
    grep -q 'no figures: matplotlib was missing' "$page"
    section_of ladder | grep -q '<p>Later rungs are &lt; faster.</p>'
    section_of ladder | grep -q '<p>And more.</p>'
    echo 'circles: round' >"$made/notes.txt"
    run report_machine --output "$made" --minutes 0
    [ "$status" -eq 2 ]
    [[ $output == *"report-machine: error: $made/notes.txt: 'circles: round' does not begin with "* ]]
}

@test "each experiment of the lab has an expectation" {
    for name in $(sed -nE 's/^ *\{"(memory|methods)", "([a-z]+)",.*/\2/p' lab/experiments.c); do
        grep -q "^    \"$name\": \"" run/machine_page.py || { echo "no words on $name"; false; }
    done
}

# A program that does on the CPU what it is asked to do on a GPU.
gpu_that_is_none() { # PROGRAM
    cat <<END
#!/bin/bash
words=()
while [ \$# -gt 0 ]; do
    case \$1 in
    gpu) words+=(cpu) ;;
    host) ;;
    --cpu-below) shift ;;
    *) words+=("\$1") ;;
    esac
    shift
done
exec "$1" "\${words[@]}"
END
}

@test "on a GPU also the threshold, hybrid runs and transfers" {
    run run/report-machine --backend gpu --dry-run --output "$output_folder"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -ge 40 ]
    [ ! -e "$output_folder" ]
    [ "$(grep -c -- '--cpu-below 32769 --fuse off' <<<"$output")" -eq 2 ]
    [ "$(grep -c -- ' 8 8$' <<<"$output")" -eq 2 ]
    gpu_that_is_none "$HPGMG" >"$BATS_TEST_TMPDIR/gpu"
    gpu_that_is_none "$HPGMG_LAB" >"$BATS_TEST_TMPDIR/lab"
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\nexit 0\n' >"$BATS_TEST_TMPDIR/bin/nvidia-smi" # it says nothing
    chmod +x "$BATS_TEST_TMPDIR/gpu" "$BATS_TEST_TMPDIR/lab" "$BATS_TEST_TMPDIR/bin/nvidia-smi"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH run run/report-machine --small --program "$BATS_TEST_TMPDIR/gpu" \
        --lab "$BATS_TEST_TMPDIR/lab" --output "$output_folder" --only levels,threshold
    [ "$status" -eq 0 ]
    tests/cli/validate_page.py "$page"
    section_of threshold | grep -q '<td>'
    section_of levels | grep -q '<td>'
    section_of sizes | grep -q 'No result.*not run'
}

@test "wrong options, and nothing to run" {
    local wrong
    for wrong in "--minutes -1" "--only circles" "--colour"; do
        # shellcheck disable=SC2086
        run run/report-machine $wrong
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == "report-machine: error: "* ]]
    done
    run run/report-machine --output "$output_folder" --program "$BATS_TEST_TMPDIR/nothing"
    [ "$status" -eq 3 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == "report-machine: error: $BATS_TEST_TMPDIR/nothing: "* ]]
}
