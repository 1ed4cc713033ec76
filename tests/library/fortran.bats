#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The installed module of Fortran is all that a program needs: the recipes of docs/API.md build the example with the
# sources out of sight, and it prints what the one in C prints. The module's constants are those of the header.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    BUILD=${BUILD:-$PWD/build/gcc-release}
    . tests/support/ranks.bash
    root=$PWD prefix=$BATS_TEST_TMPDIR/moved
    command -v gfortran >/dev/null || skip "no gfortran"
    [[ $BUILD != *asan* ]] || skip "an instrumented library needs an instrumented program"
    WARN=(-std=f2018 -Wall -Wextra -Werror)
}

# The installation at another place than it was made for; the current folder has copies of the examples only.
installs() {
    env -u MAKEFLAGS -u MAKELEVEL -u MODE make --no-print-directory BUILD="$BUILD" install-built PREFIX=/opt/x \
        DESTDIR="$BATS_TEST_TMPDIR/stage" >"$BATS_TEST_TMPDIR/log"
    mv "$BATS_TEST_TMPDIR/stage/opt/x" "$prefix"
    cp "$prefix/share/doc/hpgmg-gpu/examples/poisson".* "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR" || return 1
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
}

# Sets FORTRAN, gfortran with the MPI library of the build: its wrapper is next to that of C.
finds_mpi() {
    local wrapper
    wrapper=$(sed -nE 's/^set\(hpgmg_MPICC "(.*)"\)$/\1/p' "$prefix/lib/cmake/hpgmg/hpgmg-config.cmake")
    FORTRAN=${wrapper%/*}/$(basename "$wrapper" | sed 's/mpicc/mpifort/')
    export OMPI_FC=gfortran MPICH_FC=gfortran
    printf 'use mpi_f08\nuse mpi, only: MPI_INTEGER\nend\n' >modules.f90
    "$FORTRAN" -fsyntax-only modules.f90 || skip "no MPI modules that gfortran reads"
}

needs_mpi() {
    [ "${MPI:-1}" -ne 0 ] || skip "the example calls MPI"
    command -v pkg-config >/dev/null || skip "no pkg-config"
    installs
    finds_mpi
}

# One block of docs/API.md, "Fortran".
block() { # LANGUAGE
    sed -n '/^## Fortran$/,$p' "$root/docs/API.md" |
        awk -v fence="\`\`\`$1" '/^```$/ { inside = 0 } inside { print } $0 == fence { inside = 1 }'
}

# Both orders, on one and two ranks: as the program in C prints it, but for the E of exponents.
example_agrees() { # PROGRAM
    local order ranks
    # shellcheck disable=SC2046  # words
    ${CC:-cc} -std=c11 poisson.c -o in-c $(pkg-config --cflags --libs hpgmg) -lm
    for order in 2 4; do
        for ranks in 1 2; do
            # shellcheck disable=SC2086  # a command with options
            $MPIRUN -n $ranks ./in-c $order cpu >c.txt
            # shellcheck disable=SC2086
            $MPIRUN -n $ranks "$1" $order cpu >fortran.txt
            tr E e <fortran.txt | diff c.txt -
            [ "$(wc -l <fortran.txt)" -eq 3 ]
        done
    done
}

@test "the example builds by pkg-config as docs/API.md says, and prints what the one in C prints" {
    needs_mpi
    mpifort() { "$FORTRAN" "${WARN[@]}" "$@"; }
    block sh >recipe
    [ -s recipe ]
    . ./recipe
    unset -f mpifort
    example_agrees ./poisson
    local ranks
    for ranks in 1 2; do # a failed call without `status`
        # shellcheck disable=SC2086  # a command with options
        run $MPIRUN -n $ranks ./poisson 3 cpu
        echo "$output"
        [ "$status" -eq 2 ]
        [ "$(grep -c "^hpgmg: error: .*order: wrong value '3'; legal: 2, 4" <<<"$output")" -eq 1 ]
    done
}

@test "the example builds by CMake as docs/API.md says" {
    command -v cmake >/dev/null || skip "no cmake"
    needs_mpi
    block cmake >CMakeLists.txt
    [ -s CMakeLists.txt ]
    env -u MAKEFLAGS -u MAKELEVEL cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_Fortran_COMPILER=gfortran \
        -DMPI_Fortran_COMPILER="$FORTRAN" -DCMAKE_Fortran_FLAGS="${WARN[*]}" >log 2>&1 || { cat log; false; }
    env -u MAKEFLAGS -u MAKELEVEL cmake --build build >log 2>&1 || { cat log; false; }
    example_agrees build/poisson
}

# tests/library/fortran_test.F90
test_passes() { # RANKS...
    local ranks
    command -v pkg-config >/dev/null || skip "no pkg-config"
    installs
    FORTRAN=gfortran
    [ "${MPI:-1}" -eq 0 ] || finds_mpi
    # shellcheck disable=SC2046  # words
    "$FORTRAN" "${WARN[@]}" -fcheck=bounds,pointer -DHPGMG_MPI="${MPI:-1}" "$(pkg-config --variable=fortran hpgmg)" \
        "$root/tests/library/fortran_test.F90" -o all $(pkg-config --libs hpgmg)
    for ranks; do
        # shellcheck disable=SC2086  # a command with options
        $MPIRUN -n "$ranks" ./all
    done
}

@test "arrays of any layout arrive, and what is wrong is refused" {
    test_passes 1
}

@test "the same on two and three ranks" {
    test_passes 2 3
}

@test "the calls of docs/API.md compile" {
    {
        printf 'subroutine calls(comm, lo, f, u, g, beta, boxes, walls, slabs)\n'
        block fortran | grep '^use[ ,]'
        printf 'implicit none\ninteger :: comm, lo(3), status\nreal(c_double) :: f(128, 64, 64), u(128, 64, 64)\n'
        printf 'type(hpgmg_box), allocatable :: boxes(:)\ntype(hpgmg_wall_values) :: walls(:)\n'
        printf 'type(hpgmg_block) :: slabs(:)\nprocedure(hpgmg_function) :: beta, g\n'
        block fortran | grep -v '^use[ ,]'
        printf 'end subroutine\n'
    } >"$BATS_TEST_TMPDIR/use.f90"
    grep -q hpgmg_set_wall "$BATS_TEST_TMPDIR/use.f90"
    gfortran "${WARN[@]}" -fsyntax-only -J "$BATS_TEST_TMPDIR" fortran/hpgmg.f90 "$BATS_TEST_TMPDIR/use.f90"
}

@test "constants are those of the header, and every function has its counterpart" {
    local name
    diff <(sed -nE 's/^ +(HPGMG_[A-Z_]+ = [0-9]+),.*/\1/p' include/hpgmg.h) \
        <(sed -nE 's/^ +enumerator :: (.*)/\1/p' fortran/hpgmg.f90)
    for name in $(sed -nE 's/^HPGMG_API .*[ *](hpgmg_[a-z_]+)\(.*/\1/p' include/hpgmg.h); do
        [[ $name =~ ^hpgmg_create(_stretched)?$ ]] || grep -q "name='$name'" fortran/hpgmg.f90 || { echo "$name"; false; }
    done
}
