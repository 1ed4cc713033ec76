#!/usr/bin/env bash
# gcc and clang give the same bits. Without clang there is nothing to compare, and the test says so.
set -u
: "${HPGMG:?is set by tests/run-all}" "${MPIRUN:=mpirun --oversubscribe}"
if ! command -v clang >/dev/null; then
    echo "clang is not installed: not compared"
    exit 0
fi
make --no-print-directory CC=clang MODE=release CUDA=0 build/clang-release/hpgmg-gpu >/dev/null || exit 1
bad=0
for options in "--order 2" "--order 4" "--order 4 --smoother chebyshev --boundary periodic" \
    "--order 2 --smoother l1jacobi --equation helmholtz" "--problem p6 --order 4" "--solver mgpcg --boundary periodic" \
    "--coefficients constant --order 4 --smoother jacobi"; do
    # shellcheck disable=SC2086
    {
        ours=$($MPIRUN -n 1 "$HPGMG" --backend cpu --quiet --checksum --solves 1 $options 5 1 | sed -n 's/^checksum: //p')
        theirs=$($MPIRUN -n 1 build/clang-release/hpgmg-gpu --backend cpu --quiet --checksum --solves 1 $options 5 1 |
            sed -n 's/^checksum: //p')
    }
    if [ -z "$ours" ] || [ "$ours" != "$theirs" ]; then
        echo "$options: $ours and $theirs"
        bad=1
    fi
done
exit $bad
