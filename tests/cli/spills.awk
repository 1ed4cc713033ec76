# SPDX-License-Identifier: BSD-3-Clause
# Reads tests/cli/spills.txt, then what ptxas -v said of CUDA objects, by way of c++filt. Names every function
# that spills more registers than it may; fails if one does on the architecture that the kernels are tuned for.
# On others, which `make ARCH=...` may add, it is only told.

function allowed(name, part, most) {
    for (part in allowance)
        if (index(name, part) && allowance[part] > most)
            most = allowance[part]
    return most + 0
}

FILENAME ~ /spills\.txt$/ {
    if ($0 !~ /^#/ && match($0, /^[0-9]+ /))
        allowance[substr($0, RLENGTH + 1)] = $1 + 0
    next
}

/Compiling entry function / {
    match($0, / for 'sm_[0-9a-z]+'$/)
    arch = substr($0, RSTART + 6, RLENGTH - 7)
}

# Also of functions that are not inlined, which have no line of the kind above.
/Function properties for / { sub(/.*Function properties for /, ""); name = $0 }

/ bytes spill stores/ {
    match($0, /[0-9]+ bytes spill stores/)
    bytes = substr($0, RSTART, RLENGTH) + 0
    functions++
    if (bytes <= allowed(name))
        next
    counts = arch ~ "^" tuned
    bad += counts
    printf "%s %d bytes spilled, %d allowed on %s: %s\n", counts ? "wrong:" : "note:", bytes, allowed(name), arch, name
}

END {
    printf "%d functions, %d spill more than is allowed on %s\n", functions, bad, tuned
    exit functions == 0 || bad > 0
}
