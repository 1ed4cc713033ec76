# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034  # the scripts that source it use the lists
# Common to the scripts in run/: what is needed, how to get it, how to build. Changes to the project's
# folder.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

BUILD_PACKAGES="build-essential openmpi-bin libopenmpi-dev"
TEST_PACKAGES="libcmocka-dev bats git jq procps iproute2 clang libomp-dev clang-format valgrind python3 python3-jsonschema python3-matplotlib python3-pip pkg-config cmake gfortran"

# Prints the comment at the beginning of the script and ends it if --help asks for that. There are no other arguments.
help_only() { # "$@"
    [ $# -eq 0 ] && return
    if [ "$1" != --help ] && [ "$1" != -h ]; then
        echo "$(basename "$0"): error: unrecognized arguments: $* (only --help)" >&2
        exit 2
    fi
    echo "usage: run/$(basename "$0")"
    echo
    sed -n '3,/^[^#]/s/^# \{0,1\}//p' "run/$(basename "$0")"
    exit 0
}

say() {
    echo "== $*" >&2
}

have() { # COMMAND...: all of them are there
    command -v "$@" >/dev/null && [ "$(command -v "$@" | wc -l)" -eq $# ]
}

have_gpu() {
    compgen -G '/dev/nvidia[0-9]*' >/dev/null || nvidia-smi -L 2>/dev/null | grep -q '^GPU '
}

# Whether a package, or what it is needed for, is there: it may have come another way.
have_package() { # PACKAGE
    dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed && return
    case $1 in
    build-essential) have gcc make ;;
    openmpi-bin) have mpirun ;;
    libopenmpi-dev) have mpicc ;;
    libcmocka-dev) echo '#include <cmocka.h>' | gcc -E -x c - >/dev/null 2>&1 ;;
    procps) have pgrep ;;
    iproute2) have ip ;;
    libomp-dev) false ;;
    python3-jsonschema) python3 -c 'import jsonschema' 2>/dev/null ;;
    python3-pip) python3 -c 'import pip' 2>/dev/null ;;
    python3-matplotlib) python3 -c 'import matplotlib' 2>/dev/null ;;
    *) have "$1" ;;
    esac
}

# Installs those of the packages that are missing; exits with 3 where that cannot be done.
install_missing() { # PACKAGE...
    local missing=() package root=()
    for package; do
        have_package "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    [ "$(id -u)" -eq 0 ] || root=(sudo)
    if ! have apt-get || { [ ${#root[@]} -gt 0 ] && ! have sudo; }; then
        cannot_install "${missing[@]}"
    fi
    say "installing ${missing[*]}"
    "${root[@]}" apt-get update -q >&2 || say "the list of packages could not be updated"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "${missing[@]}" >&2 ||
        cannot_install "${missing[@]}"
}

cannot_install() { # PACKAGE...
    echo "missing, and cannot be installed from here: $*" >&2
    echo "As root: apt-get install $*" >&2
    exit 3
}

build() { # TARGET...
    say "building (make $*)"
    make -j "$(nproc)" "$@" || exit
}
