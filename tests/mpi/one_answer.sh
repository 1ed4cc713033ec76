#!/usr/bin/env bash
# One answer: the checksum of the finest solution is the same for every number of ranks and threads, for one box and for many, for
# tiled and for plain loops, over all operators, boundaries and smoothers.
set -u
: "${HPGMG:?is set by tests/run-all}" "${MPIRUN:=mpirun --oversubscribe}"
bad=0 compared=0

# checksum RANKS THREADS ARGUMENTS...
checksum() {
    local ranks=$1 threads=$2
    shift 2
    OMP_NUM_THREADS=$threads $MPIRUN -n "$ranks" "$HPGMG" --backend cpu --quiet --checksum --solves 1 "$@" 2>&1 |
        sed -n 's/^checksum: //p'
}

# expect WANTED RANKS THREADS ARGUMENTS...
expect() {
    local wanted=$1 got
    shift
    got=$(checksum "$@")
    compared=$((compared + 1))
    if [ -z "$got" ] || [ "$got" != "$wanted" ]; then
        bad=$((bad + 1))
        echo "ranks, threads, options: $*: checksum ${got:-missing}, not $wanted"
    fi
}

# Everything that there is, on 16³ in one box, against 8 boxes on ranks and plain loops.
for order in 2 4; do
    for boundary in dirichlet periodic; do
        for smoother in gsrb chebyshev jacobi l1jacobi; do
            for operator in "poisson variable" "helmholtz variable" "poisson constant" "helmholtz constant"; do
                # shellcheck disable=SC2086
                set -- $operator
                options="--order $order --boundary $boundary --smoother $smoother --equation $1 --coefficients $2"
                # shellcheck disable=SC2086
                {
                    wanted=$(checksum 1 1 $options 4 1)
                    expect "$wanted" 3 1 $options 3 3
                    expect "$wanted" 1 2 $options --loops plain 2 64
                }
            done
        done
    done
done

# 64³: one box of 64³, 64 boxes of 16³, ranks 1 to 8, threads 1, 2 and 4, and 48³ with its odd part.
for options in "--order 2" "--order 4" "--order 4 --boundary periodic --smoother chebyshev" "--order 2 --rtol 1e-9"; do
    # shellcheck disable=SC2086
    {
        wanted=$(checksum 1 1 $options 6 1)
        for threads in 2 4; do
            expect "$wanted" 1 $threads $options 6 1
        done
        expect "$wanted" 1 2 $options --loops plain 6 1
        expect "$wanted" 1 1 $options 4 64
        expect "$wanted" 2 2 $options 4 32
        expect "$wanted" 3 1 $options 4 22
        expect "$wanted" 4 1 $options 5 2
        expect "$wanted" 5 1 $options 4 13
        expect "$wanted" 8 1 $options 5 1
        expect "$wanted" 8 1 $options 3 64
        wanted=$(checksum 1 2 $options 4 27)
        expect "$wanted" 5 1 $options 4 6
        expect "$wanted" 7 1 $options 3 31
    }
done

echo "$compared compared, $bad differ"
[ "$bad" -eq 0 ]
