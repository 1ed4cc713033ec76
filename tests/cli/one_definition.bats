#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# No two files of src/ define different types or functions of one name. C++ merges such definitions without a
# word (kernels, templates, inline functions), and a reader takes one for the other.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
}

# "NAME FILE" for every type and every function with external linkage that the files given define outside an
# anonymous namespace. Relies on clang-format: definitions begin in the first column.
definitions() {
    local macros # that make a function internal: "static" in another word
    macros=$(sed -nE 's/^# *define ([A-Z_]+) (.* )?static\b.*/\1/p' "$@" | sort -u | paste -sd '|')
    awk -v internal="(^|[ >])(static|${macros:-static})[ \t]" '
    function scope(   s, i) { s = ""; for (i = 1; i <= depth; i++) s = s stack[i]; return s }
    FNR == 1 { depth = 0; text = "" }
    /^[ \t]*\/[\/*]/ || /^ \*/ || /^#/ || /^[ \t]*$/ { if (!/^ /) text = ""; next }
    /^}/ { if (depth > 0) depth--; text = ""; next }
    /^ / { if (text != "") text = text $0; next }
    /^namespace/ { space = NF > 1 && $2 != "{" ? $2 "::" : "(own)" }
    /^namespace.*\{$/ || (/^\{/ && space != "") { stack[++depth] = space; space = ""; next }
    /^namespace/ { next }
    /^extern "C" \{$/ { stack[++depth] = ""; next }
    /^\{/ {
        gsub(/__launch_bounds__ *\([^)]*\)|__attribute__ *\(\([^)]*\)\)|alignas *\([^)]*\)/, "", text)
        if (scope() !~ /\(own\)/ && text !~ internal && match(text, /[A-Za-z_][A-Za-z_0-9:]*\(/))
            print scope() substr(text, RSTART, RLENGTH) ")", FILENAME
        stack[++depth] = ""; text = ""; next
    }
    {
        if (match($0, /^((static|const|constexpr|extern|typedef) )*(struct|union|class|enum|enum class) [A-Za-z_][A-Za-z_0-9]*( final)?( : [^{]*)? \{/)) {
            type = substr($0, RSTART, RLENGTH)
            sub(/( final)?( : [^{]*)? \{$/, "", type)
            sub(/.* /, "", type)
            if (scope() !~ /\(own\)/)
                print scope() type, FILENAME
        }
        if (/\{$/) { stack[++depth] = ""; text = ""; next }
        text = /;$/ ? "" : text " " $0
    }' "$@" | sort -u
}

# Names that more than one of the files defines.
defined_twice() {
    definitions "$@" | awk '{ files[$1] = files[$1] " " $2; count[$1]++ }
                            END { for (name in count) if (count[name] > 1) print name ":" files[name] }' | sort
}

@test "every type and function is defined in one file" {
    local sources names
    # NAME_absent.c takes the place of NAME.c or of CUDA files; two programs have a main()
    mapfile -t sources < <(find src lab -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' | grep -v 'absent\.c$')
    names=$(definitions "${sources[@]}" | wc -l)
    echo "$names names"
    [ "$names" -ge 600 ]
    run defined_twice "${sources[@]}"
    [ "$(grep -v '^main():' <<<"$output")" = "" ]
}

@test "a second definition is found, and an internal one is left alone" {
    local folder=$BATS_TEST_TMPDIR file
    for file in a b; do
        cat >"$folder/$file.cu" <<'END'
/* struct comment { */
struct twice {
    int x;
};

template <int N>
__global__ void __launch_bounds__(64)
    kernel_twice(int n)
{
    struct local {
        int x;
    };
}

extern "C" {
inline int in_c(void)
{
    return 1;
}
}

namespace {
struct own {
    int x;
};
} // namespace

#define INTERNAL static inline
INTERNAL int hidden()
{
}

namespace FILE
{
void in_space()
{
}
} // namespace FILE
END
        sed -i "s/FILE/$file/" "$folder/$file.cu"
    done
    run defined_twice "$folder"/*.cu
    echo "$output"
    [ "$(cut -d: -f1 <<<"$output" | tr '\n' ' ')" = "in_c() kernel_twice() twice " ]
}
