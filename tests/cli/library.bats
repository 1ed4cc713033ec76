#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The installed library is all that a program needs: pkg-config or CMake build the examples with the sources out of
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

@test "the example builds by pkg-config alone, with the shared library" {
    command -v pkg-config >/dev/null || skip "no pkg-config"
    installs
    # shellcheck disable=SC2046  # words
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror poisson.c -o poisson $(pkg-config --cflags --libs hpgmg) -lm
    export LD_LIBRARY_PATH=$prefix/lib
    ldd poisson | grep -qF "libhpgmg.so.1 => $prefix/lib/"
    example_works ./poisson
}

@test "the example builds with the static library" {
    command -v pkg-config >/dev/null || skip "no pkg-config"
    installs
    rm "$prefix"/lib/libhpgmg.so*
    # shellcheck disable=SC2046  # words
    ${CC:-cc} -std=c11 poisson.c -o poisson $(pkg-config --static --cflags --libs hpgmg)
    run ldd poisson
    [[ $output != *libhpgmg* ]]
    example_works ./poisson
    # Where C++'s library is static, too.
    # shellcheck disable=SC2046
    ${CC:-cc} -std=c11 poisson.c -o poisson $(pkg-config --static --cflags --libs hpgmg | sed 's/-lstdc++/-l:libstdc++.a/')
    run ldd poisson
    [[ $output != *libstdc++* ]]
    ./poisson 2 cpu
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

# No public function tells the folder. The library's own one is not exported, but its list of symbols has it.
@test "the installed library finds the tuning files of its installation, whatever program it is in" {
    installs
    cat >asks.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    struct link_map *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    const char *(*folder)(void);
    if (!library)
        return 1;
    *(ElfW(Addr) *)&folder = library->l_addr + strtoul(argv[2], NULL, 16);
    puts(folder() ? folder() : "none");
}
END
    mkdir elsewhere
    ${CC:-cc} -fno-strict-aliasing asks.c -o elsewhere/asks -ldl
    local offset
    offset=$(nm "$prefix/lib/libhpgmg.so.1" | awk '$3 == "tuning_folder" { print $1 }')
    [ "$(elsewhere/asks "$prefix/lib/libhpgmg.so.1" "$offset")" = "$prefix/share/hpgmg-gpu/tuning" ]
    [ "$(elsewhere/asks moved/lib/libhpgmg.so "$offset")" = "$prefix/share/hpgmg-gpu/tuning" ]
    rm -r "$prefix/share/hpgmg-gpu/tuning"
    [ "$(elsewhere/asks "$prefix/lib/libhpgmg.so.1" "$offset")" = none ]
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

@test "the example builds by CMake alone" {
    command -v cmake >/dev/null || skip "no cmake"
    installs
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(poisson C)
find_package(hpgmg 0.1 REQUIRED)
add_executable(poisson poisson.c)
target_link_libraries(poisson hpgmg::hpgmg m)
END
    env -u MAKEFLAGS -u MAKELEVEL cmake -S . -B made -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 || { cat log; false; }
    env -u MAKEFLAGS -u MAKELEVEL cmake --build made >log 2>&1 || { cat log; false; }
    example_works made/poisson
    sed -i 's/hpgmg 0.1/hpgmg 1.0/' CMakeLists.txt
    run env -u MAKEFLAGS -u MAKELEVEL cmake -S . -B other -DCMAKE_PREFIX_PATH="$prefix"
    [ "$status" -ne 0 ]
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

@test "the header is C++ too" {
    installs
    printf '#include <hpgmg.h>\nint main() { return hpgmg_message()[0]; }\n' >use.cc
    # shellcheck disable=SC2046  # words
    ${CXX:-c++} -std=c++11 -Wall -Wextra -Werror -DOMPI_SKIP_MPICXX -fsyntax-only use.cc $(pkg-config --cflags hpgmg)
}

@test "every function of the header is in docs/API.md" {
    local name
    for name in $(declared_functions); do
        grep -q "$name" docs/API.md || { echo "$name"; false; }
    done
}
