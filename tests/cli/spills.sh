#!/usr/bin/env bash
# No CUDA kernel spills registers into memory, but for those that tests/cli/spills.txt allows. Reads what
# the assembler said when the objects were built; passes where nothing was built with CUDA.
set -u
: "${BUILD:?is set by tests/run-all}"
cd "$(dirname "$0")" || exit 1

shopt -s globstar nullglob
logs=("$BUILD"/src/**/*.cu.o.log)
[ ${#logs[@]} -gt 0 ] || { echo "no kernels were built"; exit 0; }

# "BYTES NAME" for every kernel: the bytes of its spill stores.
report() {
    cat "${logs[@]}" | c++filt | sed -n "s/.*Compiling entry function '\(.*\)' for.*/\1/p; s/.* \([0-9]*\) bytes spill stores.*/\1/p" |
        paste - - | awk -F '\t' '{ print $2, $1 }'
}

kernels=$(report | wc -l)
bad=0
while read -r bytes name; do
    allowed=$(awk -v name="$name" '!/^#/ && index(name, substr($0, index($0, " ") + 1)) { print $1 }' spills.txt)
    if [ "$bytes" -gt "${allowed:-0}" ]; then
        echo "$bytes bytes spilled, ${allowed:-0} allowed: $name"
        bad=$((bad + 1))
    fi
done < <(report)
echo "$kernels kernels, $bad spill more than is allowed"
[ "$kernels" -gt 0 ] && [ "$bad" -eq 0 ]
