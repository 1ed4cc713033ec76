#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The installed library is all that a program needs: the recipes of docs/API.md build programs with the sources out of
# sight. The library shows its functions and no other name.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    BUILD=${BUILD:-$PWD/build/gcc-release}
    . tests/support/ranks.bash
    prefix=$BATS_TEST_TMPDIR/moved
    [[ $BUILD != *asan* ]] || skip "an instrumented library needs an instrumented program"
}

# The installation at another place than it was made for; the current folder has copies of the examples only.
installs() { # WORD...
    env -u MAKEFLAGS -u MAKELEVEL -u MODE make --no-print-directory BUILD="$BUILD" install-built PREFIX=/opt/x \
        DESTDIR="$BATS_TEST_TMPDIR/stage" "$@" >"$BATS_TEST_TMPDIR/log"
    mv "$BATS_TEST_TMPDIR/stage/opt/x" "$prefix"
    cp "$prefix/share/doc/hpgmg-gpu/examples/"*.c "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR" || return 1
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
}

# Both orders, on one and two ranks.
example_works() { # PROGRAM
    local order ranks
    for order in 2 4; do
        for ranks in 1 2; do
            # shellcheck disable=SC2086  # a command with options
            run $MPIRUN -n $ranks "$1" $order cpu
            echo "$output"
            [ "$status" -eq 0 ]
            [[ $output == *"observed order $((order - 1))."[789]* || $output == *"observed order $order."* ]]
        done
    done
}

# The lines of one block of docs/API.md, "Build and link".
recipe() { # LANGUAGE NUMBER
    sed -n '/^## Build and link$/,/^## A solve$/p' "$BATS_TEST_DIRNAME/../../docs/API.md" |
        awk -v fence="\`\`\`$1" -v number="$2" '/^```$/ { inside = 0 } inside { print } $0 == fence { inside = ++found == number }'
}

# Runs a block of docs/API.md as it is written there. HOME is the test's; the library was built before. The compilers
# are those of the build, and warn.
runs_recipe() { # LANGUAGE NUMBER
    make() {
        env -u MAKEFLAGS -u MAKELEVEL -u MODE make --no-print-directory -C "$BATS_TEST_DIRNAME/../.." BUILD="$BUILD" \
            "${@/%install/install-built}" >log
    }
    cc() { ${CC:-gcc} -std=c11 -Wall -Wextra -Werror "$@"; }
    c++() { ${CXX:-g++} -std=c++11 -Wall -Wextra -Werror "$@"; }
    cmake() { env -u MAKEFLAGS -u MAKELEVEL cmake "$@" >log 2>&1 || { cat log; false; }; }
    recipe "$@" >recipe
    [ -s recipe ]
    . ./recipe
    unset -f make cc c++ cmake
}

# A program in C++ that includes MPI's header first, and whose callback throws.
write_flow() {
    cat >flow.cc <<'END'
#include <mpi.h>
#include <hpgmg.h>
#include <cmath>
#include <cstdio>
#include <stdexcept>

static double thrower(double x, double, double, void *count)
{
    if (++*static_cast<int *>(count) == 100)
        throw std::runtime_error("no value here");
    return x;
}

int main(int argc, char **argv)
{
    hpgmg *s = nullptr;
    const int cells[3] = {16, 16, 16};
    const double lengths[3] = {1, 1, 1};
    const char *options[] = {"coefficients", "constant", "backend", "cpu", nullptr};
    hpgmg_result before, after;
    auto f = [](double x, double y, double z, void *) { return std::sin(3 * x) * y + z; };
    int count = 0, caught = 0;
    MPI_Init(&argc, &argv);
    hpgmg_check(hpgmg_create(&s, HPGMG_COMM_WORLD, cells, lengths, options));
    hpgmg_check(hpgmg_set_function(s, HPGMG_F, f, nullptr));
    hpgmg_check(hpgmg_solve(s, HPGMG_FROM_ZERO, &before));
    for (int wall = 0; wall < 2; wall++) {
        count = 0;
        try {
            wall ? hpgmg_set_wall_function(s, 0, 0, thrower, &count) : hpgmg_set_function(s, HPGMG_F, thrower, &count);
        } catch (const std::runtime_error &) {
            caught++;
        }
    }
    hpgmg_check(hpgmg_set_function(s, HPGMG_F, f, nullptr));
    hpgmg_check(hpgmg_solve(s, HPGMG_FROM_ZERO, &after));
    hpgmg_check(hpgmg_destroy(&s));
    MPI_Finalize();
    std::printf("caught %d, %s\n", caught, before.residual == after.residual ? "as before" : "different");
}
END
    [ "${MPI:-1}" -ne 0 ] || sed -i '/mpi\.h/d; /MPI_/d' flow.cc
}

@test "programs in C and C++ build by pkg-config as docs/API.md says, with both libraries installed" {
    command -v pkg-config >/dev/null || skip "no pkg-config"
    export HOME=$BATS_TEST_TMPDIR
    cd "$HOME" || return 1
    cp "$BATS_TEST_DIRNAME/../../examples/poisson.c" .
    write_flow
    runs_recipe sh 1
    ldd poisson | grep -qF "libhpgmg.so.1 => $HOME/.local/lib/"
    example_works ./poisson
    # shellcheck disable=SC2086  # a command with options
    run $MPIRUN -n 1 ./flow
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$output" = "caught 2, as before" ]
    run ldd poisson-static
    [[ $output != *libhpgmg* ]]
    rm "$HOME"/.local/lib/libhpgmg.so*
    example_works ./poisson-static
    # Where C++'s library is static, too.
    # shellcheck disable=SC2046
    ${CC:-cc} -std=c11 poisson.c -o poisson $(pkg-config --cflags --libs hpgmg-static | sed 's/-lstdc++/-l:libstdc++.a/')
    run ldd poisson
    [[ $output != *libstdc++* ]]
    ./poisson 2 cpu
}

@test "programs in C and C++ build by CMake as docs/API.md says" {
    command -v cmake >/dev/null || skip "no cmake"
    export HOME=$BATS_TEST_TMPDIR
    installs
    ln -s "$prefix" .local
    recipe cmake 1 >CMakeLists.txt
    runs_recipe sh 2
    example_works build/poisson
    # A project in C++ alone, where CMake would find the wrappers of another MPI library first.
    write_flow
    recipe cmake 1 | sed 's/poisson\.c/flow.cc/; s/(poisson C)/(poisson CXX)/; s/hpgmg REQ/hpgmg 0.1 REQ/' >CMakeLists.txt
    rm -r build
    mkdir other
    printf '#!/bin/sh\nexit 1\n' | tee other/mpicc other/mpicxx other/mpic++ >/dev/null
    chmod +x other/*
    PATH=$PWD/other:$PATH runs_recipe sh 2
    # shellcheck disable=SC2086
    run $MPIRUN -n 1 build/poisson
    [ "$output" = "caught 2, as before" ]
    sed -i 's/hpgmg 0.1/hpgmg 1.0/' CMakeLists.txt
    run env -u MAKEFLAGS -u MAKELEVEL cmake -S . -B other -DCMAKE_PREFIX_PATH="$prefix"
    [ "$status" -ne 0 ]
}

@test "hpgmg_check ends the job with the status and one line" {
    command -v pkg-config >/dev/null || skip "no pkg-config"
    installs
    export LD_LIBRARY_PATH=$prefix/lib
    # shellcheck disable=SC2046  # words
    ${CC:-cc} -std=c11 poisson.c -o poisson $(pkg-config --cflags --libs hpgmg) -lm
    printf '#include <hpgmg.h>\nint main(void) { hpgmg_check(hpgmg_destroy(NULL)); }\n' >early.c
    # shellcheck disable=SC2046
    ${CC:-cc} -std=c11 early.c -o early $(pkg-config --cflags --libs hpgmg)
    local ranks
    for ranks in 1 2 3; do
        # shellcheck disable=SC2086  # a command with options
        run $MPIRUN -n $ranks ./poisson 3 cpu
        echo "$output"
        [ "$status" -eq 2 ]
        [ "$(grep -c '^hpgmg: error: .*order.*legal: 2, 4' <<<"$output")" -eq 1 ]
    done
    run ./early # without MPI
    [ "$status" -eq 2 ]
    [ "$output" = "hpgmg: error: the pointer to the solver is NULL" ]
}

# example NAME RANKS ARGUMENT...
example() {
    # shellcheck disable=SC2046  # words
    [ -x "$1" ] || ${CC:-cc} -std=c11 -Wall -Wextra -Werror "$1.c" -o "$1" $(pkg-config --cflags --libs hpgmg) -lm
    # shellcheck disable=SC2086  # a command with options
    run $MPIRUN -n "$2" "./$1" cpu "${@:3}"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "the example of heat conduction keeps the heat, and writes slices" {
    command -v pkg-config >/dev/null || skip "no pkg-config"
    installs
    export LD_LIBRARY_PATH=$prefix/lib
    example heat 2 16 two
    example heat 1 16 one
    [ "$(grep -c '^step [1-5]0: heat ' <<<"$output")" -eq 5 ]
    # One answer, and as many numbers as VTK's extent says.
    local step
    for step in 10 20 30 40 50; do cmp one-$step.vti two-$step.vti; done
    python3 - one-50.vti <<'END'
import sys
import xml.etree.ElementTree as tree

image = tree.parse(sys.argv[1]).getroot().find("ImageData")
extent = [int(x) for x in image.get("WholeExtent").split()]
cells = 1
for low, high in zip(extent[::2], extent[1::2]):
    cells *= high - low
array = image.find("Piece/CellData/DataArray")
assert image.find("Piece").get("Extent") == image.get("WholeExtent") and array.get("type") == "Float64"
assert cells == 16 * 16 == len([float(x) for x in array.text.split()])
END
}

@test "the example of a projection removes the divergence" {
    command -v pkg-config >/dev/null || skip "no pkg-config"
    installs
    export LD_LIBRARY_PATH=$prefix/lib
    local ranks
    for ranks in 1 2 3; do
        example projection $ranks 16
        [ "$(grep -cE '^step [0-4]: max.div v. [0-9.e+-]+ before, [0-9.]+e-(09|1[0-9]) after' <<<"$output")" -eq 5 ]
    done
}

@test "packages find headers in folders of any name" {
    command -v pkg-config >/dev/null || skip "no pkg-config"
    installs libdir=/opt/x/lib/some-machine includedir=/opt/x/include/numerics
    export PKG_CONFIG_PATH=$prefix/lib/some-machine/pkgconfig
    # shellcheck disable=SC2046  # words
    ${CC:-cc} -std=c11 poisson.c -o poisson $(pkg-config --cflags --libs hpgmg) -lm
    [ "$(pkg-config --modversion hpgmg)" = "$(cat "$BATS_TEST_DIRNAME/../../VERSION")" ]
}

# The functions that the header declares.
declared_functions() {
    sed -nE 's/^HPGMG_API .*[ *](hpgmg_[a-z_]+)\(.*/\1/p' include/hpgmg.h | sort
}

@test "libraries show the functions of the header, and no other name" {
    local declared
    declared=$(declared_functions)
    [ "$(wc -l <<<"$declared")" -ge 9 ]
    [ "$(nm -D --defined-only "$BUILD/libhpgmg.so.1" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort)" = "$declared" ]
    [ "$(nm -g --defined-only "$BUILD/libhpgmg.a" | awk 'NF == 3 { print $3 }' | sort)" = "$declared" ]
    objdump -p "$BUILD/libhpgmg.so.1" | grep -qE 'SONAME +libhpgmg\.so\.1$'
    # Nor does it ask a program for functions, which the program may have by accident.
    run nm -D --undefined-only "$BUILD/libhpgmg.so.1"
    [ -z "$(awk '$1 == "w" { print $2 }' <<<"$output" | grep -vE '^(_ITM_|__gmon_start__|__cxa_finalize|_Jv_|pthread_|__pthread)')" ]
}

@test "the calls of docs/API.md compile" {
    installs
    {
        printf '#include <hpgmg.h>\n'
        printf 'hpgmg_function f, beta, g;\nvoid calls(int count, struct hpgmg_block *blocks, double *u, const double *const *values)\n{\n'
        awk '/^```$/ { inside = 0 } inside { print } /^```c$/ { inside = 1 }' "$BATS_TEST_DIRNAME/../../docs/API.md"
        printf '(void)block;\n}\n'
    } >use.c
    grep -q hpgmg_set_wall_function use.c
    # shellcheck disable=SC2046  # words
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -fsyntax-only use.c $(pkg-config --cflags hpgmg)
}

@test "every function of the header is in docs/API.md" {
    local name
    for name in $(declared_functions); do
        grep -q "$name" docs/API.md || { echo "$name"; false; }
    done
}
