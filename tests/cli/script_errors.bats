#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# How the Python scripts of run/ end where something is missing, full, closed, interrupted or wrong: with one line and a
# status of its own, never with a traceback.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    export PATH=/usr/bin:$PATH # the system's python3
    unset PYTHONUNBUFFERED # which makes every print write at once
    work=$BATS_TEST_TMPDIR
    command -v python3 >/dev/null || skip "no python3"
    ulimit -v 4000000
    scripts=$(grep -lsE '^#!.*python3' -d skip run/*)
    [ "$(wc -w <<<"$scripts")" -ge 10 ]
}

# ends STATUS TEXT COMMAND...: the command's status, and its one line on stderr, which begins with TEXT; none if TEXT is empty
ends() {
    local found=0
    timeout 60 "${@:3}" 2>"$work/stderr" || found=$?
    [ "$found" -eq "$1" ] && [[ $(cat "$work/stderr") == "$2"* ]] && [ "$(wc -l <"$work/stderr")" -eq "$((${#2} > 0))" ] ||
        { echo "${*:3}: status $found:" && cat "$work/stderr" && return 1; }
}

@test "standard output that is full, closed, or a pipe that nobody reads" {
    local script name
    cat >"$work/no-reader" <<'END'
import os, subprocess, sys
reader, writer = os.pipe()
os.close(reader)
sys.exit(subprocess.run(sys.argv[1:], stdout=writer).returncode)
END
    for script in $scripts; do
        name=$(basename "$script")
        ends 5 "$name: error: No space left on device" "$script" --help >/dev/full
        ends 5 "$name: error: standard output is closed" "$script" --help >&-
        ends 141 "" python3 "$work/no-reader" "$script" --help
    done
    # The same behind the parser's back.
    ends 5 "scaling: error: No space left on device" run/scaling --dry-run --weak 3:1 >/dev/full
    ends 141 "" python3 "$work/no-reader" run/scaling --dry-run --weak 3:1
}

@test "without packages: --help works, and one line names what is missing and for which python" {
    local script
    mkdir "$work/no"
    for script in numpy scipy cupy matplotlib hpgmg; do
        echo "raise ModuleNotFoundError(\"No module named '$script'\", name='$script')" >"$work/no/$script.py"
    done
    export PYTHONPATH=$work/no
    for script in $scripts; do
        ends 0 "" "$script" --help >/dev/null
    done
    ends 3 "library-speed: error: numpy is missing: No module named 'numpy' (in /usr/bin/python3; Debian: python3-numpy)" \
        run/library-speed --backend cpu
    cp docs/scaling-h100/results.csv "$work"
    ends 3 "figures: no figures: matplotlib is missing: No module named 'matplotlib' (in /usr/bin/python3; Debian: python3-matplotlib)" \
        run/figures scaling "$work"
    # matplotlib that is there and lacks a package of its own
    echo "import numpy" >"$work/no/matplotlib.py"
    ends 3 "figures: no figures: numpy is missing: " run/figures scaling "$work"
}

@test "options with a quotation mark that nothing closes" {
    ends 2 "scaling: error: argument --options: '\"x': No closing quotation" run/scaling --weak 3:1 --options '"x'
    ends 2 "scaling: error: argument --launcher: " run/scaling --weak 3:1 --launcher "mpirun '{ranks}"
    ends 2 "threshold: error: argument --options: " run/threshold --options '"x'
    ends 2 "threshold: error: argument --launcher: " run/threshold --launcher '"x'
    ends 2 "operators: error: argument --options: " run/operators --options '"x'
    ends 2 "profile: error: argument --options: " run/profile kernel --options '"x' 32
    ends 2 "profile: error: argument --launcher: " run/profile solve --launcher '"x' 3 1
    # What is quoted stays together.
    run run/scaling --dry-run --ranks 2 --weak 3:1 --launcher "'my mpirun' -n {ranks}" --options "--json 'a b'"
    [[ $output == "'my mpirun' -n 2 "*" --json 'a b' "* ]]
}

@test "files that are something else" {
    local wrong report=docs/scaling-h100/one-gpu/order2-8x8.json
    printf 'order,log2_box_dim,ranks,level,n,seconds_per_solve\n2,3,\0,h,16,1\n' >"$work/nul.csv"
    printf 'order,log2_box_dim,ranks,level,n,seconds_per_solve\n2,3,2,h,16,1,7,8\n' >"$work/long.csv"
    python3 -c 'print("[" * 100000)' >"$work/deep.json"
    echo '{"program": "hpgmg-gpu", "verdict": "VALID", "complete": true, "ranks": 1, "solves": 5}' >"$work/odd.json"
    for wrong in README.md /usr/bin/env "$work/deep.json" "$work/odd.json" "$work" "$work/none" /dev/null; do
        ends 2 "compare: error: $wrong" run/compare "$wrong" "$report"
        ends 2 "compare: error: $report and $wrong: they lack" run/compare "$report" "$wrong" ||
            ends 2 "compare: error: $wrong" run/compare "$report" "$wrong"
        ends 2 "check-result: error: $wrong" run/check-result "$wrong"
        ends 2 "predict: error: $wrong" run/predict "$wrong" --weak 3:1
        ends 2 "figures: error: " run/figures levels "$wrong"
        ends 2 "figures: error: " run/figures sizes "$wrong"
        ends 2 "figures: error: " run/figures timeline "$wrong"
        ends 2 "figures: error: " run/figures slice "$wrong" || ends 5 "figures: error: $wrong: " run/figures slice "$wrong"
        ends 2 "rates: error: " run/rates --root "$BATS_TEST_DIRNAME/../.." "$wrong"
    done
    for wrong in README.md /usr/bin/env "$work/nul.csv" "$work/long.csv" "$work/odd.json" "$work" "$work/none"; do
        ends 2 "predict: error: --measured: $wrong: " run/predict "$report" --measured "$wrong"
        ends 2 "predict: error: --cycles: $wrong: " run/predict "$report" --weak 8:8 --cycles "$wrong"
    done
}

@test "an interrupt: one line, status 130, and the run that was under way has ended" {
    printf '#!/bin/sh\necho $$ >"%s/pid"\nexec sleep 50\n' "$work" >"$work/launcher"
    chmod +x "$work/launcher"
    # Shells start background commands with SIGINT ignored.
    timeout 60 env --default-signal=INT run/scaling --launcher "$work/launcher {ranks}" --weak 3:1 --output "$work/study" \
        >"$work/stdout" 2>"$work/stderr" &
    local study=$! status=0
    while [ ! -s "$work/pid" ]; do sleep 0.1; done
    kill -INT "$study" # timeout hands it on
    wait "$study" || status=$?
    [ "$status" -eq 130 ]
    [ "$(cat "$work/stderr")" = "scaling: error: interrupted" ]
    local tries
    for tries in {1..100}; do
        [[ $(ps -o stat= -p "$(cat "$work/pid")") == [A-Y]* ]] || return 0 # gone, or a zombie that nobody waits for
        sleep 0.1
    done
    return 1
}

@test "letters that the user's encoding lacks" {
    local report=docs/scaling-h100/one-gpu/order2-8x8.json script
    export PYTHONIOENCODING=ascii
    ends 2 "compare: error: whether times differ is unknown" run/compare "$report" "$report" >"$work/stdout"
    grep -q '^stages of 512?, ' "$work/stdout"
    for script in $scripts; do
        ends 0 "" "$script" --help >/dev/null
    done
    ends 2 "predict: error: " run/predict ./²³.json --weak 3:1
}
