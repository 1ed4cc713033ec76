#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# An installation works wherever its prefix is moved to, has man pages with every option, and goes away
# without a trace. A tarball builds, and knows its revision.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    BUILD=${BUILD:-$PWD/build/gcc-release}
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
    export PATH=/usr/bin:$PATH # the system's python3
    export LC_ALL=C.UTF-8
    stage="$BATS_TEST_TMPDIR/a stage"
    moved="$BATS_TEST_TMPDIR/it's moved"
}

# The tests' own settings, such as MODE=asan, would reach make through the environment.
makes() { # WORD...
    env -u MAKEFLAGS -u MAKELEVEL -u MODE make --no-print-directory BUILD="$BUILD" "$@"
}

installs() { # WORD...: into $stage, and what lies below /opt/x there is moved to $moved
    makes install-built PREFIX=/opt/x DESTDIR="$stage" "$@" >"$BATS_TEST_TMPDIR/log"
    mv "$stage/opt/x" "$moved"
    cd "$BATS_TEST_TMPDIR" || return 1
}

# Options that --help of a program, or of a subcommand, tells of.
options_of() { # PROGRAM WORD...
    "$@" --help | grep -oE '^  --[a-z0-9-]+' | sort
}

@test "a moved installation solves" {
    installs
    "$moved/bin/hpgmg-gpu" --input "$moved/share/doc/hpgmg-gpu/inputs/smoke.ini"
    run "$moved/bin/hpgmg-lab" kernel --backend cpu --samples 0 8
    [ "$status" -eq 0 ]
}

@test "installed scripts start the installed program" {
    command -v python3 >/dev/null || skip "no python3"
    installs
    local script
    for script in "$moved"/share/hpgmg-gpu/run/*; do
        [ -f "$script" ] && [ -x "$script" ] || continue
        run "$script" --help
        echo "$script: $output"
        [ "$status" -eq 0 ]
        [[ $output != *"./hpgmg-"* ]]
    done
    [ ! -e "$moved/share/hpgmg-gpu/run/quickstart" ]
    run "$moved/share/hpgmg-gpu/run/scaling" --launcher 'env -u RANKS{ranks}' --ranks 1 --strong 3:1 --solves 1 --options '--backend cpu'
    [ "$status" -eq 0 ]
    [[ $output == *"moved/bin/hpgmg-gpu"* ]]
    [ -e scaling/results.csv ]
    RUN=$moved/share/hpgmg-gpu/run run bash -e <(sed 's/ --launcher/ --dry-run&/' "$moved/share/hpgmg-gpu/run/jobs/slurm.sh")
    [ "$status" -eq 0 ]
    [[ $output == *"moved/bin/hpgmg-gpu"* ]]
}

@test "man pages have every option, and are right roff" {
    installs
    local program subcommand word page missing=0
    for program in hpgmg-gpu hpgmg-lab; do
        page=$moved/share/man/man1/$program.1
        grep -q '^\.TH HPGMG' "$page"
        run grep -vE '^($|[^.]|\.(TH|SH|nf|fi)( |$))' "$page"
        [ "$output" = "" ]
        for subcommand in "" $([ $program = hpgmg-gpu ] || echo machine memory methods kernel ladder exchange tune); do
            # shellcheck disable=SC2086  # perhaps nothing
            for word in $(options_of "$moved/bin/$program" $subcommand) $subcommand; do
                if ! grep -qF -- "${word//-/\\-} " "$page"; then
                    echo "not in $program.1: $word"
                    missing=1
                fi
            done
        done
    done
    [ "$missing" -eq 0 ]
    if command -v groff >/dev/null; then
        run groff -man -ww -Tutf8 "$moved"/share/man/man1/*.1
        [ "$status" -eq 0 ]
        [[ $output != *warning:* && $output != *error:* ]]
        [[ $output == *"2^LOG2_BOX_DIM"* ]]
    fi
}

@test "uninstall leaves what others put there, and nothing else" {
    local words=(PREFIX=/opt/x DESTDIR="$stage")
    makes install-built "${words[@]}" >/dev/null
    mkdir "$stage/opt/x/share/hpgmg-gpu/run/__pycache__" "$stage/opt/x/share/hpgmg-gpu/mine"
    touch "$stage/opt/x/share/hpgmg-gpu/run/__pycache__/study.pyc" "$stage/opt/x/share/hpgmg-gpu/mine/Mine.txt"
    makes uninstall "${words[@]}"
    [ "$(find "$stage" ! -type d)" = "$stage/opt/x/share/hpgmg-gpu/mine/Mine.txt" ]
    [ ! -d "$stage/opt/x/share/doc/hpgmg-gpu" ]
    rm "$stage/opt/x/share/hpgmg-gpu/mine/Mine.txt"
    makes uninstall "${words[@]}"
    [ ! -d "$stage/opt/x/share/hpgmg-gpu" ]
    [ -d "$stage/opt/x/bin" ]
}

@test "a relative PREFIX is refused in one line" {
    run makes install-built DESTDIR="$stage/" PREFIX=here
    [ "$status" -ne 0 ]
    [ "$(grep -cv '^make: ' <<<"$output")" -eq 1 ]
    [ ! -e "$stage" ]
}

@test "a tarball has the tracked files, builds, and knows its revision" {
    [ -e .git ] || skip "no git repository"
    local revision tree
    revision=$(git --git-dir=.git describe --always)
    makes dist DISTDIR="$BATS_TEST_TMPDIR" 2>/dev/null
    tree=$BATS_TEST_TMPDIR/hpgmg-gpu-$(cat VERSION)
    tar -xzf "$tree.tar.gz" -C "$BATS_TEST_TMPDIR"
    diff <({ git --git-dir=.git ls-tree -r --name-only HEAD && echo REVISION; } | sort) \
        <(cd "$tree" && find . ! -type d | cut -c 3- | sort)
    BUILD=build/one makes -C "$tree" CUDA=0 CFLAGS=-O0 build/one/src/cli/build_info.c.o
    [ "$(grep -oaE "$revision(-dirty)?" "$tree/build/one/src/cli/build_info.c.o" | sort -u)" = "$revision" ]
    run makes -C "$tree" dist
    [ "$status" -ne 0 ]
    [ "$(grep -cv '^make: ' <<<"$output")" -eq 1 ]
}
