#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The worked example of docs/ARCHITECTURE.md, as it stands there: the patch applies to these sources, and the
# smoother that it adds gives one answer, whatever loops, boxes and ranks compute it.
set -u
: "${MPIRUN:=mpirun --oversubscribe}"
cd "$(dirname "$0")/../.." || exit 1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
bad=0 compared=0

cp -r Makefile src tests "$copy" || exit 1
sed -n '/^```diff$/,/^```$/{/^```/d;p}' docs/ARCHITECTURE.md >"$copy/patch"
patch --quiet --fuzz=0 -d "$copy" -p1 <"$copy/patch" || exit 1
# Optimised little, since that changes no bit and compiles sooner.
make -C "$copy" -j2 CUDA=0 CFLAGS=-O1 DEPS="$([ -d .deps ] && echo "$PWD/.deps")" hpgmg-gpu >"$copy/log" 2>&1 || {
    cat "$copy/log"
    exit 1
}

# checksum RANKS ARGUMENTS...
checksum() {
    local ranks=$1
    shift
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    $MPIRUN -n "$ranks" "$copy/hpgmg-gpu" --backend cpu --quiet --checksum --solves 1 "$@" 2>&1 | sed -n 's/^checksum: //p'
}

# expect WANTED RANKS ARGUMENTS...
expect() {
    local got
    got=$(checksum "${@:2}")
    compared=$((compared + 1))
    if [ -z "$got" ] || [ "$got" != "$1" ]; then
        bad=$((bad + 1))
        echo "ranks, options: ${*:2}: checksum ${got:-missing}, not $1"
    fi
}

for order in 2 4; do
    for boundary in dirichlet periodic; do
        options="--order $order --boundary $boundary"
        # shellcheck disable=SC2086
        {
            wanted=$(checksum 1 --smoother sor $options 5 1)
            expect "$wanted" 1 --smoother sor $options --loops plain 5 1
            expect "$wanted" 2 --smoother sor $options 4 4
            expect "$wanted" 3 --smoother sor $options 3 22
            expect "$wanted" 3 --smoother sor $options --loops plain 3 22
            [ "$wanted" != "$(checksum 1 --smoother gsrb $options 5 1)" ] || {
                bad=$((bad + 1))
                echo "$options: sor is no other smoother than gsrb"
            }
        }
    done
done

# It smooths well, and its accuracy is not on record.
verdict=$("$copy/hpgmg-gpu" --backend cpu --solves 1 --smoother sor 4 1 2>&1 | grep VALID)
case $verdict in
*"VALID (accuracy not checked"*) ;;
*)
    bad=$((bad + 1))
    echo "verdict: ${verdict:-none}"
    ;;
esac

echo "$compared compared, $bad differ"
[ "$bad" -eq 0 ] && [ "$compared" -eq 16 ]
