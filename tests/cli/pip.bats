#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# `pip install` of the sdist and of a wheel, without a network and with nothing else of the project: the package has the
# library inside and solves. make builds without CUDA here, once: both installations share its objects.

setup_file() {
    export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_INDEX=1 OMP_NUM_THREADS=1
    # Those of the test run, which would reach the package's make or its library.
    unset MAKEFLAGS MAKELEVEL MODE PYTHONPATH HPGMG_LIBRARY HPGMG_MPI LD_LIBRARY_PATH
    export python=/usr/bin/python3 # the distribution's, with its NumPy
    export HPGMG_CUDA=0 work=$BATS_FILE_TMPDIR
    project=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export project
    mkdir "$work/empty"
}

setup() {
    cd "$work/empty" || return 1
    for module in numpy venv pip; do
        $python -c "import $module" 2>/dev/null || skip "no $module for $python"
    done
    $python -c 'import pip; raise SystemExit(tuple(map(int, pip.__version__.split(".")[:2])) < (22, 1))' || skip "pip before 22.1"
}

# A new virtual environment that sees the distribution's NumPy and pip.
new_venv() { # NAME
    $python -m venv --system-site-packages --without-pip "$work/$1"
}

# The installed package of the environment NAME, tried in an empty folder. The library is the one in the package.
try_package() { # NAME
    "$work/$1/bin/python" -c 'import hpgmg; print(hpgmg.__version__)' >"$work/version"
    cmp "$work/version" "$project/VERSION"
    cp "$project/tests/python/poisson_test.py" "$work"
    "$work/$1/bin/python" "$work/poisson_test.py"
    "$work/$1/bin/python" - "$work/$1" <<'PYTHON'
import importlib.metadata, pathlib, sys, hpgmg
from hpgmg import _library
library = pathlib.Path(_library.library()._name)
assert library.parent == pathlib.Path(hpgmg.__file__).parent and str(library).startswith(sys.argv[1]), library
assert not hasattr(_library.library(), "MPI_Init")
files = {str(file) for file in importlib.metadata.files("hpgmg")}
assert {"hpgmg/libhpgmg.so.1", "hpgmg/py.typed", "hpgmg/__init__.py"} <= files, files
class Two:
    def Get_size(self):
        return 2
try:
    hpgmg.Solver((8, 8, 8), comm=Two())
except hpgmg.Error as error:
    assert error.status == "ENVIRONMENT" and "HPGMG_MPI=1" in str(error), error
else:
    raise AssertionError("two ranks of a library without MPI")
PYTHON
}

@test "an sdist holds the sources, and pip installs it" {
    (cd "$project/python" && $python -c "import hpgmg_build; print(hpgmg_build.build_sdist('$work'))") >"$work/sdist"
    [ "$(cat "$work/sdist")" = "hpgmg-$(cat "$project/VERSION").tar.gz" ]
    tar -tf "$work/$(cat "$work/sdist")" >"$work/list"
    for file in pyproject.toml PKG-INFO hpgmg_build.py hpgmg/py.typed library/Makefile library/REVISION library/src/cuda/backend.cc; do
        grep -qx "[^/]*/$file" "$work/list"
    done
    new_venv from-sdist
    "$work/from-sdist/bin/python" -m pip install --config-settings "BUILD=$work/build" "$work/$(cat "$work/sdist")"
    try_package from-sdist
}

@test "pip makes a wheel of the folder python/, and installs it" {
    new_venv from-wheel
    "$work/from-wheel/bin/python" -m pip wheel --no-deps --config-settings "BUILD=$work/build" -w "$work" "$project/python"
    wheel=$(ls "$work"/*.whl)
    [[ $wheel == */hpgmg-"$(cat "$project/VERSION")"-py3-none-linux_*.whl ]]
    "$work/from-wheel/bin/python" -m pip install "$wheel"
    try_package from-wheel
    run "$work/from-wheel/bin/python" -m pip check # of the distribution's packages too
    [[ $output != *hpgmg* ]]
    "$work/from-wheel/bin/python" -m pip uninstall -y hpgmg
    [ -z "$(find "$work/from-wheel/lib" -ipath '*hpgmg*')" ]
}

@test "the package's build passes on what was asked for, and says what is missing" {
    cd "$project/python"
    $python - <<'PYTHON'
import os, hpgmg_build
variables = hpgmg_build._variables
assert variables(None) == {"BUILD": "build/python", "MPI": "0", "CUDA": "0"}
os.environ.update(HPGMG_MPI="1", HPGMG_CUDA="")
assert variables({"ARCH": "sm_90"}) == {"BUILD": "build/python", "MPI": "1", "ARCH": "sm_90"}
PYTHON
    PATH=/nowhere run $python -c 'import hpgmg_build; hpgmg_build.build_wheel("/nowhere")'
    [ "$status" -eq 1 ]
    [[ $output == *"make was not found" ]]
    mkdir -p "$work/copied/python"
    cp -r pyproject.toml hpgmg_build.py hpgmg "$work/copied/python"
    cd "$work/copied/python"
    run $python -c "import hpgmg_build; hpgmg_build.build_sdist('$work')"
    [ "$status" -eq 1 ]
    [[ $output == *"the library's sources are neither in"* ]]
}
