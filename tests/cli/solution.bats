#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# --write-solution: the file has the solution's bits, in the order of VTK's images, and is the same for any number of
# ranks. What cannot be written is known before anything is solved; tests/cli/output_file_test.c has full disks.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
    export PATH=/usr/bin:$PATH # the system's python3
    work=$BATS_TEST_TMPDIR
    file=$work/solution.vti
}

solves() { # RANKS OPTION...
    local ranks=$1
    shift
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    $MPIRUN -n "$ranks" "$HPGMG" --backend cpu --solves 1 --quiet --write-solution "$file" "$@" >"$work/stdout"
}

fails() { # OPTION...: status 5, and one line on stderr
    run -5 --separate-stderr "$HPGMG" --backend cpu --solves 1 --quiet "$@" 3 8
    [[ $stderr == "hpgmg-gpu: error: --write-solution: cannot write "* ]]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "u in the file has the checksum of the report, and f is that of the problem" {
    local options
    # The last one is so long that its planes do not fit into the memory for one write.
    for options in "--domain 3x2x1 3 6" "--order 4 --boundary periodic,neumann,dirichlet 3 8" "--equation helmholtz 2 64" \
        "--domain 1x1x160 4 160"; do
        # shellcheck disable=SC2086
        solves 1 --checksum $options
        tests/cli/validate_solution.py "$file" "$(sed -n 's/.*checksum[^0-9a-f]*\([0-9a-f]\{16\}\).*/\1/p' "$work/stdout")"
    done
}

@test "two and three ranks write the bytes of one, with many boxes" {
    local ranks
    solves 1 --domain 4x4x4 2 64
    mv "$file" "$work/one"
    for ranks in 2 3; do
        solves "$ranks" --domain 4x4x4 2 64
        cmp "$work/one" "$file"
    done
}

@test "what cannot be written is known before anything is solved" {
    fails --write-solution "$work/none/solution.vti"
    [ -z "$output" ]
    fails --write-solution /dev/full
    [ -z "$output" ]
    run "$HPGMG" --backend cpu --dry-run --write-solution "$file" 3 8
    [ "$status" -eq 2 ]
    [ ! -e "$file" ]
}

@test "three ranks: one line" {
    # shellcheck disable=SC2086
    run -5 --separate-stderr $MPIRUN -n 3 "$HPGMG" --backend cpu --write-solution "$work/none/solution.vti" 3 8
    [ "$(grep -c '^hpgmg-gpu: error: --write-solution: cannot write' <<<"$stderr")" -eq 1 ]
}

@test "run/figures slice draws a plane, and refuses other files" {
    python3 -c 'import matplotlib' 2>/dev/null || skip "no matplotlib"
    solves 1 3 8
    run run/figures slice "$file" --plane 3 --output "$work/slice.svg"
    [ "$status" -eq 0 ]
    grep -q '</svg>' "$work/slice.svg"
    [[ $output == *"plane 3 of 16"* ]]
    run run/figures slice "$file" --plane 16
    [ "$status" -eq 2 ]
    head -c 20000 "$file" >"$work/cut.vti"
    for file in "$work/cut.vti" README.md; do
        run run/figures slice "$file"
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
    done
}
