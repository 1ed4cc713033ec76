#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The worked examples of CONTRIBUTING.md: each patch applies to these sources as it stands there, and the program with
# all of them does what the example says. They share one build; the example of a kernel is add_kernel.sh's.
# Usage: tests/cli/examples.sh [--gpu]; with --gpu the build has CUDA, and a GPU computes the same answers.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/ranks.bash
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
bad=0 compared=0
runs=("1 cpu --loops plain 5 1" "2 cpu 4 4" "3 cpu 3 22" "3 cpu --loops plain 3 22") cuda=CUDA=0
if [ "${1:-}" = --gpu ]; then
    runs+=("1 gpu --cpu-below never 5 1" "1 gpu --cpu-below 5000 5 1" "2 gpu 4 4") cuda=
fi

# section HEADING: the patches below it, up to the next heading
section() {
    awk -v heading="## $1" '/^## / { inside = $0 == heading }
        inside && /^```$/ { patch = 0 }
        patch { print }
        inside && /^```diff$/ { patch = 1 }' CONTRIBUTING.md
}

cp -r Makefile VERSION include mk src lab tests "$copy" || exit 1
for example in "a smoother" "a model problem" "an option" "an operator"; do
    section "Adding $example" >"$copy/patch"
    if [ ! -s "$copy/patch" ] || ! patch --quiet --fuzz=0 -d "$copy" -p1 <"$copy/patch"; then
        echo "the patch of 'Adding $example' does not apply"
        exit 1
    fi
done
# Optimised little, since that changes no bit and compiles sooner.
# shellcheck disable=SC2086  # perhaps nothing
make -C "$copy" -j "$(nproc)" $cuda CFLAGS=-O1 hpgmg-gpu >"$copy/log" 2>&1 || {
    cat "$copy/log"
    exit 1
}

# hpgmg RANKS BACKEND ARGUMENT...
hpgmg() {
    local ranks=$1 backend=$2 launcher=
    shift 2
    [ "$ranks" -eq 1 ] || launcher="$MPIRUN -n $ranks"
    # shellcheck disable=SC2086  # a command with options
    $launcher "$copy/hpgmg-gpu" --backend "$backend" --solves 1 "$@" 2>&1
}

# prints TEXT ARGUMENT...: TEXT is in the output on one rank
prints() {
    [[ $(hpgmg 1 cpu "${@:2}") == *"$1"* ]] || fail "${*:2}: does not print '$1'"
}

# checksum RANKS BACKEND ARGUMENT...
checksum() {
    hpgmg "$@" --quiet --checksum | sed -n 's/^checksum: //p'
}

fail() {
    bad=$((bad + 1))
    echo "$*"
}

# one_answer OPTION...: the options give one checksum, whatever loops, boxes and ranks compute it
one_answer() {
    local wanted got run ranks backend arguments
    wanted=$(checksum 1 cpu "$@" 5 1)
    for run in "${runs[@]}"; do
        read -r ranks backend arguments <<<"$run"
        # shellcheck disable=SC2086  # several words
        got=$(checksum $ranks $backend "$@" $arguments)
        compared=$((compared + 1))
        [ "${got:-missing}" = "$wanted" ] || fail "$* on $run: checksum ${got:-missing}, not $wanted"
    done
}

# --- a smoother ----------------------------------------------------------------------------------

for order in 2 4; do
    for boundary in dirichlet periodic; do
        one_answer --smoother sor --order $order --boundary $boundary
    done
done
[ "$(checksum 1 cpu --smoother sor 4 1)" != "$(checksum 1 cpu --smoother gsrb 4 1)" ] || fail "sor does what gsrb does"
prints "VERDICT: VALID (accuracy not checked" --smoother sor 4 1

# --- a model problem -----------------------------------------------------------------------------

one_answer --problem wave
# The error falls with h², by about 4 from each size to the next one.
errors=$(for log2 in 4 5 6; do
    hpgmg 1 cpu --problem wave --coefficients constant --rtol 1e-10 $log2 1 | sed -nE '/= Error against/,/= Checks/s/^  h .*\^3 +([^ ]+) .*/\1/p'
done | paste -sd ' ')
awk -v errors="$errors" 'BEGIN {
    split(errors, e)
    exit !(e[3] > 0 && 3.5 < e[1] / e[2] && e[1] / e[2] < 4.2 && 3.7 < e[2] / e[3] && e[2] / e[3] < 4.2)
}' || fail "wave: errors $errors"

# --- an option -----------------------------------------------------------------------------------

# bottom_solves OPTION...: how often the coarsest level was solved
bottom_solves() {
    hpgmg 1 cpu --json "$copy/report.json" "$@" 3 1 >"$copy/log"
    jq .bottom.solves "$copy/report.json"
}
two=$(bottom_solves --warm-up 2) three=$(bottom_solves --warm-up 3) five=$(bottom_solves --warm-up 5)
if [ "$two" -ge "$three" ] || [ $((five - three)) -ne $((2 * (three - two))) ]; then
    fail "warm-up: $two, $three and $five bottom solves"
fi
[ "$(bottom_solves)" = "$two" ] || fail "warm-up: the default is not 2"
prints "  warm-up        5" --warm-up 5 3 1
prints "--warm-up: wrong value '0'; legal: an integer from 1 to 1000" --warm-up 0 3 1
prints "  --warm-up N " --help

# --- an operator ---------------------------------------------------------------------------------

for boundary in dirichlet periodic; do
    one_answer --equation reaction --boundary $boundary
done
[ "$(checksum 1 cpu --equation reaction 4 1)" != "$(checksum 1 cpu 4 1)" ] || fail "reaction does what poisson does"
prints "--equation: there is none like this" --equation reaction --order 4 3 1
# With a known solution, whose right-hand side has the term, the error falls with h²; without the term it would not.
errors=$(for log2 in 5 6; do
    hpgmg 1 cpu --equation reaction --problem p4 --rtol 1e-10 $log2 1 | sed -nE '/= Error against/,/= Checks/s/^  h .*\^3 +([^ ]+) .*/\1/p'
done | paste -sd ' ')
awk -v errors="$errors" 'BEGIN { split(errors, e); exit !(e[2] > 0 && 3.5 < e[1] / e[2] && e[1] / e[2] < 4.5) }' ||
    fail "reaction: errors $errors"

echo "$compared checksums compared, $bad checks failed"
[ "$bad" -eq 0 ] && [ "$compared" -eq $((7 * ${#runs[@]})) ]
