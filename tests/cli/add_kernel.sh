#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The kernel that CONTRIBUTING.md adds: the patch applies to these sources, both programs list the kernel, and where there
# is a GPU its results are bitwise identical to the CPU's. Builds on a copy of $BUILD, so only two files are compiled.
set -u
: "${BUILD:?is set by tests/run-all}"
cd "$(dirname "$0")/../.." || exit 1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
name=fv2/half-sweep
build=build/$(basename "$BUILD")
settings=${build##*/} bad=0 compared=0

sed -n '/^## Adding a kernel$/,/^## /p' CONTRIBUTING.md | sed -n '/^```diff$/,/^```$/{/^```/d;p}' >"$copy/patch"
patch --dry-run --quiet --fuzz=0 -p1 <"$copy/patch" || exit 1
[ "$(wc -l <"$copy/patch")" -le 70 ] || { echo "the example is long"; exit 1; }
"$BUILD/hpgmg-gpu" --list-kernels | grep -q '^generic ' || { echo "no kernels were built"; exit 77; }

cp -r Makefile VERSION mk src lab "$copy" && mkdir "$copy/build" && cp -r "$BUILD" "$copy/$build" || exit 1
# What $BUILD has is taken as it is, with whatever flags it was built.
makes() { make -C "$copy" CC="${settings%-*}" MODE="${settings##*-}" CUDA=1 V=0 "$@" >>"$copy/log" 2>&1; }
makes "$build/compile-settings" && makes --touch "$build/hpgmg-gpu" "$build/hpgmg-lab" &&
    patch --quiet -d "$copy" -p1 <"$copy/patch" && makes "$build/hpgmg-gpu" "$build/hpgmg-lab" || {
    cat "$copy/log"
    exit 1
}
[ "$(grep -cE '^  (NVCC|CXX) ' "$copy/log")" -eq 4 ] || { cat "$copy/log"; echo "more than the new file, the table's names and both tables was compiled"; exit 1; }
hpgmg=$copy/$build/hpgmg-gpu lab=$copy/$build/hpgmg-lab
for program in "$hpgmg" "$lab"; do
    "$program" --list-kernels | grep -q "^$name " || { echo "${program##*/} --list-kernels: no $name"; exit 1; }
done

"$hpgmg" --backend gpu --quiet --solves 1 3 1 >"$copy/log" 2>&1
case $? in
0 | 1) ;;
3) echo "no GPU: built, not run" && exit 0 ;;
*) cat "$copy/log" && exit 1 ;;
esac

# expect WHAT COMMAND...: the command succeeds
expect() {
    compared=$((compared + 1))
    "${@:2}" || {
        bad=$((bad + 1))
        echo "not so: $1"
    }
}

# report_of ARGUMENTS...: to the file `report`, with the checksum
report_of() {
    "$hpgmg" --checksum --solves 1 "$@" >"$copy/report" 2>&1
    sed -n 's/^checksum: //p' "$copy/report"
}

for size in "5 27" "6 8"; do
    # shellcheck disable=SC2086  # two sizes
    {
        cpu=$(report_of --backend cpu $size)
        gpu=$(report_of --backend gpu --cpu-below never --kernels $name,default $size)
    }
    expect "$size: the CPU's checksum, $cpu, is the GPU's, $gpu" [ -n "$cpu" -a "$cpu" = "$gpu" ]
    expect "$size: the report says that $name ran" grep -q ", $name x6" <<<"$(tr -s ' \n' ' ' <"$copy/report")"
done
"$lab" kernel --backend gpu --samples 1 --array-mib 1 --kernels $name 64 >"$copy/report" 2>&1
expect "hpgmg-lab times $name" [ $? -eq 0 ]
expect "hpgmg-lab says that $name ran" grep -q "ran: $name x2" "$copy/report"
echo "$compared comparisons, $bad wrong"
[ "$bad" -eq 0 ]
