# SPDX-License-Identifier: BSD-3-Clause
# Reads tests/cli/spills.txt, then the output of ptxas -v for CUDA objects through c++filt. Prints every kernel that
# spills more registers than its entry allows, and fails if one does on the architecture that the kernels are tuned
# for. On other architectures, which `make ARCH=...` may add, it only prints a note.

FILENAME ~ /spills\.txt$/ {
    if (!/^#/) {
        max_bytes[$1] = $2
        most_count[$1] = $3
    }
    next
}

/Compiling entry function / {
    match($0, / for 'sm_[0-9a-z]+'$/)
    arch = substr($0, RSTART + 6, RLENGTH - 7)
}

# Also printed for functions that are not inlined, which have no line of the kind above.
/Function properties for / {
    sub(/.*Function properties for /, "")
    name = kernel = $0
    gsub(/\(anonymous namespace\)/, "anonymous", kernel)
    sub(/[<(].*/, "", kernel)
    sub(/.* /, "", kernel)
}

/ bytes spill stores/ {
    match($0, /[0-9]+ bytes spill stores/)
    bytes = substr($0, RSTART, RLENGTH) + 0
    functions++
    if (bytes == 0 || (bytes <= max_bytes[kernel] && ++count[arch, kernel] <= most_count[kernel]))
        next
    counts = arch ~ "^" tuned
    bad += counts
    printf "%s %d bytes spilled on %s, allowed are %d in %d instantiations: %s\n", counts ? "wrong:" : "note:", bytes, \
        arch, max_bytes[kernel], most_count[kernel], name
}

END {
    printf "%d functions, %d spill more than is allowed on %s\n", functions, bad, tuned
    exit functions == 0 || bad > 0
}
