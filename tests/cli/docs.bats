#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# README.md, CONTRIBUTING.md and docs/ say what is there: every option with its values, no file that does not exist, and
# the include rule as the sources keep it. The worked examples of CONTRIBUTING.md are examples.sh's.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    architecture=docs/ARCHITECTURE.md
}

# The words in backticks of the files given.
words() {
    grep -ohE '`[^`]+`' "$@" | tr -d '`'
}

@test "every option of --help, with its values, has a row in docs/USAGE.md" {
    local options option values value row missing=0
    options=$("$HPGMG" --help 2>/dev/null | awk '/^  --/ { print substr($1, 3), $2 ~ /\|/ ? $2 : "" }')
    [ "$(wc -l <<<"$options")" -ge 20 ]
    while read -r option values; do
        row=$(grep -E -- "^\|.*\`--$option\`.*\|.*\|" docs/USAGE.md || true)
        for value in $(tr '|' ' ' <<<"${values#N|}"); do
            [[ $row == *"\`$value\`"* ]] || row=
        done
        if [ -z "$row" ]; then
            echo "no such row: --$option $values"
            missing=1
        fi
    done <<<"$options"
    [ "$missing" -eq 0 ]
}

@test "every option in README.md and docs/USAGE.md is in --help" {
    local help option wrong=0
    help=$("$HPGMG" --help 2>/dev/null)
    for option in $(words README.md docs/USAGE.md | grep -oE '^--[a-z0-9-]+' | sort -u); do
        case $option in
        --bind-to | --map-by | --oversubscribe | --fmad | --cpus-per-task | --gpu-bind) continue ;; # of mpirun, nvcc, srun
        esac
        if ! grep -qE -- "^  $option( |\$)" <<<"$help"; then
            echo "no such option: $option"
            wrong=1
        fi
    done
    [ "$wrong" -eq 0 ]
}

@test "README.md has at most 180 lines" {
    [ "$(wc -l <README.md)" -le 180 ]
}

@test "every kernel has a row in docs/ARCHITECTURE.md" {
    local kernel found=0 missing=0
    for kernel in $(grep -rhoE '"(tail|interpolation|generic|fv[24]/[a-z-]+)"' src/cuda | tr -d '"' | sort -u); do
        found=$((found + 1))
        if ! grep -qE "^\|.*\`$kernel\`.*\|.*\|" "$architecture"; then
            echo "no row of $kernel"
            missing=1
        fi
    done
    [ "$found" -ge 9 ]
    [ "$missing" -eq 0 ]
}

@test "files that the documentation names exist" {
    local path found=0 wrong=0
    while read -r path; do
        found=$((found + 1))
        if [ ! -e "$path" ]; then
            echo "does not exist: $path"
            wrong=1
        fi
    done < <(words README.md CONTRIBUTING.md tests/README.md packaging/README.md docs/*.md docs/notes/*.md | grep -E '^(src|include|examples|tests|inputs|run|docs|packaging)/[A-Za-z0-9_./-]*$' | sort -u)
    [ "$found" -ge 80 ]
    [ "$wrong" -eq 0 ]
}

@test "links between documents lead to files and headings, and links that do not are found" {
    local tree=$BATS_TEST_TMPDIR/tree
    run tests/cli/links.py .
    echo "$output"
    [ "$status" -eq 0 ]
    [[ ${lines[-1]} =~ ^0\ of\ ([0-9]+)\ links ]] && [ "${BASH_REMATCH[1]}" -ge 80 ]
    mkdir -p "$tree/docs"
    printf '# One page\n\n## The `f` (x/y.c)\n\n## Twice\n\n## Twice\n' >"$tree/docs/page.md"
    printf '%s\n' '[a](docs/page.md#the-f-xyc), [b](docs/page.md#twice-1), [c](#there),' '`[d](code)`, [e](https://a.site/x)' \
        '' '# There' '```' '[f](fenced.md)' '```' >"$tree/README.md"
    run tests/cli/links.py "$tree"
    [ "$status" -eq 0 ]
    [ "$output" = "0 of 3 links lead nowhere" ]
    printf '%s\n' '![g](docs/none.png) [h](docs/page.md#twice-2)' '[i](#here)' >>"$tree/README.md"
    run tests/cli/links.py "$tree"
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "$tree/README.md: docs/none.png" ]
    [ "${lines[1]}" = "$tree/README.md: docs/page.md#twice-2" ]
    [ "${lines[2]}" = "$tree/README.md: #here" ]
    [ "${lines[3]}" = "3 of 6 links lead nowhere" ]
}

# Rows "| module | a, b, c/d.h |" of the table that follows the words "| from | may include |".
include_rule() {
    awk -F '|' '/^\| from \| may include \|$/ { inside = 1; next }
                inside && !/^\|/ { exit }
                inside && !/---/ { gsub(/[ ,]+/, " ", $3); print $2, $3 }' "$architecture"
}

@test "one F-cycle: each function of docs/ARCHITECTURE.md is in its file and called in the one before" {
    local number name file before= rows=0 wrong=0
    while IFS='|' read -r _ number name file _; do
        name=$(tr -d '` ' <<<"$name") file=$(tr -d '` ' <<<"$file") rows=$((rows + 1))
        # The backend's and the row's run are called by pointer.
        case $name in cuda_run | run) call='run(' ;; gsrb_kernel) call=gsrb_kernel\< ;; *) call="$name(" ;; esac
        if [ "$number" -ne "$rows" ] || ! grep -qw "$name" "$file" || { [ "$before" ] && ! grep -qF "$call" "$before"; }; then
            echo "step $number: $name, $file"
            wrong=1
        fi
        before=$file
    done < <(sed -n '/^## One F-cycle/,/^## One halo/p' "$architecture" | grep -E '^\| [0-9]+ \|')
    [ "$rows" -gt 5 ] && [ "$rows" -le 12 ] && [ "$wrong" -eq 0 ]
}

# folder_of MODULE: the lab lies beside src/
folder_of() {
    [ "$1" = lab ] && echo lab || echo "src/$1"
}

@test "modules include only what the architecture lets them" {
    local module allowed include modules=0 wrong=0
    while read -r module allowed; do
        modules=$((modules + 1))
        [ "$module" = lab ] || [[ $allowed != *[/.]* ]] # no exceptions by file; the lab may include these headers alone
        while read -r include; do
            case " $module $allowed " in
            *" ${include%%/*} "* | *" $include "*) ;;
            *)
                echo "$module includes $include"
                wrong=1
                ;;
            esac
        done < <(grep -rhoE '^ *# *include +"[^"]+/[^"]+"' "$(folder_of "$module")" | cut -d '"' -f 2 | sort -u)
    done < <(include_rule)
    [ "$modules" -ge 7 ]
    [ "$wrong" -eq 0 ]
    for module in src/*/*; do # a module with files must be in the table
        module=$(basename "$(dirname "$module")")
        include_rule | grep -q "^ *$module " || [ "$(find "src/$module" -type f | wc -l)" -eq 0 ]
    done
}

@test "includes have no circles, and circles are found" {
    local tree=$BATS_TEST_TMPDIR/tree
    run tests/cli/includes.py src/{backend,base,comm,config,cli,cpu,cuda,level,operators,solvers,app,library,pages}
    echo "$output"
    [ "$status" -eq 0 ]
    mkdir -p "$tree/src/a" "$tree/src/b"
    cd "$tree"
    printf '#include "a/y.h"\n' >src/a/x.c
    printf '#include "a/x.h"\n#include "b/z.h"\n' >src/a/y.h
    printf '#include "a/x.h"\n' >src/b/z.h
    touch src/a/x.h
    run "$OLDPWD/tests/cli/includes.py" src/a src/b
    [ "$status" -eq 1 ]
    [ "$output" = "circle of stems: a/x a/y b/z
circle of modules: a b" ]
    printf '#include "a/y.h"\n' >src/a/x.h
    run "$OLDPWD/tests/cli/includes.py" src/a src/b
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "circle of headers: a/x.h a/y.h b/z.h" ]
}

@test "MPI is called in src/comm only" { # and defined in src/serial for builds without it
    run grep -rnE '\bMPI_[A-Z][a-z][A-Za-z_]* *\(' src --include='*.[ch]' --include='*.cu' --include='*.cuh'
    ! grep -vE '^src/(comm|serial)/' <<<"$output"
}

@test "program, changelog and citation have the version of VERSION" {
    local version
    version=$(cat VERSION)
    [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
    "$HPGMG" --version | head -n 1 | grep -qxF "hpgmg-gpu $version"
    grep -qxF "## $version" CHANGELOG.md
    grep -qxF "version: $version" CITATION.cff
}

@test "every source file names its licence" {
    local unlicensed
    unlicensed=$(if [ -e .git ]; then git ls-files src lab include examples tests run packaging .ci mk Makefile; else find src lab include examples tests run packaging .ci mk Makefile -type f; fi |
        grep -vE '\.(csv|tsv|txt|md|ini)$|^packaging/debian/(changelog|source/format)$' | xargs grep -L 'SPDX-License-Identifier: BSD-3-Clause' || true)
    echo "$unlicensed"
    [ -z "$unlicensed" ]
}

@test "code lines are within tests/size.tsv, and lines above a budget are noticed" {
    tests/size
    mkdir -p "$BATS_TEST_TMPDIR/tests" "$BATS_TEST_TMPDIR/src/a"
    cp tests/size "$BATS_TEST_TMPDIR/tests"
    printf '/* one\n * comment */\n\nint x; // two\nchar *y = "/*";\n' >"$BATS_TEST_TMPDIR/src/a/x.c"
    printf 'src/a\t2\t\n' >"$BATS_TEST_TMPDIR/tests/size.tsv"
    "$BATS_TEST_TMPDIR/tests/size"
    echo 'int z;' >>"$BATS_TEST_TMPDIR/src/a/x.c"
    run "$BATS_TEST_TMPDIR/tests/size"
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = "size: error: src/a has 3 code lines; raise its budget in tests/size.tsv and say why" ]
}
