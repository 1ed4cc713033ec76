# SPDX-License-Identifier: BSD-3-Clause
"""What pip calls to build the package (PEP 517): a wheel with the library inside, which make builds, and an sdist with
the library's sources.

    pip install ./python                                        # one rank; with CUDA where nvcc is found
    HPGMG_MPI=1 pip install ./python                            # with MPI, by mpicc
    HPGMG_CUDA=0 pip install ./python                           # without CUDA
    pip install ./python --config-settings ARCH=sm_90           # any other variable of make (make help)

The project is built by make. scikit-build-core and meson-python would need a second description of the build, in CMake
or Meson, and a network to get them from. This hook needs Python's standard library, make and a C compiler.

The library is in the wheel as make links it: for this machine's processor and GPUs. ARCHFLAGS=-march=x86-64-v3 and ARCH
make a wheel for others. Repairing a wheel for PyPI (auditwheel) is left to whoever publishes one.
"""
import ast
import base64
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sysconfig
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = "libhpgmg.so.1"
# In an sdist the sources of the library are in this folder, else around the package.
IN_SDIST = "library"
SOURCES = ("Makefile", "VERSION", "LICENSE", "mk", "include", "src")


def _sources():
    """The folder of the Makefile."""
    for folder in HERE / IN_SDIST, HERE.parent:
        if (folder / "Makefile").is_file():
            return folder
    raise SystemExit("hpgmg: the library's sources are neither in the package's folder nor around it; pip before 21.3 "
                     "copies the package away from them: upgrade pip, or install an sdist")


def _files(folder, names):
    """The files with these names, and those in folders with these names, without what compilers leave."""
    for name in names:
        path = folder / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and file.suffix != ".pyc":
                yield file


# --- metadata --------------------------------------------------------------------------------------------------------

def _project():
    """[project] of pyproject.toml, with the program's version. Python before 3.11 has no reader of TOML; these lines
    are literals of Python too."""
    section, project = None, {}
    for line in (HERE / "pyproject.toml").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line
        elif section == "[project]" and "=" in line:
            key, value = line.split("=", 1)
            project[key.strip()] = ast.literal_eval(value.strip())
    project["version"] = (_sources() / "VERSION").read_text(encoding="utf-8").strip()
    return project


def _stem():
    project = _project()
    return f"{project['name']}-{project['version']}"


def _metadata():
    """METADATA of a wheel, PKG-INFO of an sdist."""
    project = _project()
    rows = [("Metadata-Version", "2.1"), ("Name", project["name"]), ("Version", project["version"]),
            ("Summary", project["description"]), ("License", project["license"]),
            ("Requires-Python", project["requires-python"])]
    rows += [("Requires-Dist", package) for package in project["dependencies"]]
    return "".join(f"{key}: {value}\n" for key, value in rows)


def _tag():
    """Any Python 3 on this platform: ctypes loads the library, which knows nothing of Python."""
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: hpgmg_build\nRoot-Is-Purelib: false\nTag: {_tag()}\n"


# --- the library -----------------------------------------------------------------------------------------------------

def _variables(config_settings):
    """Variables of make. Names in the environment have a prefix, since clusters set CUDA and MPI to paths."""
    variables = {"BUILD": "build/python", "MPI": os.environ.get("HPGMG_MPI") or "0"}
    if os.environ.get("HPGMG_CUDA"):
        variables["CUDA"] = os.environ["HPGMG_CUDA"]
    return {**variables, **(config_settings or {})}


def _build_library(config_settings):
    """The path of the library, after make."""
    if not shutil.which("make"):
        raise SystemExit("hpgmg: building the library needs GNU make and a C compiler; make was not found")
    variables, folder = _variables(config_settings), _sources()
    target = os.path.join(variables["BUILD"], LIBRARY)
    jobs = [] if "MAKEFLAGS" in os.environ else [f"-j{len(os.sched_getaffinity(0))}"]
    settings = [f"{key}={value}" for key, value in variables.items()]
    subprocess.run(["make", *jobs, *settings, target], cwd=folder, check=True)
    return folder / target


# --- wheels ----------------------------------------------------------------------------------------------------------

class _Wheel:
    """A wheel that is being written. It lists what is in it with its hashes."""

    def __init__(self, path):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record = []

    def add(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name) # of 1980: the same files make the same wheel
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self._zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self, info):
        self._zip.writestr(f"{info}/RECORD", "".join(self._record) + f"{info}/RECORD,,\n")
        self._zip.close()


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Without this hook pip would build the library to learn the package's name."""
    info = pathlib.Path(metadata_directory) / f"{_stem()}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(_metadata(), encoding="utf-8")
    (info / "WHEEL").write_text(_wheel_text(), encoding="utf-8")
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    library = _build_library(config_settings)
    name, info = f"{_stem()}-{_tag()}.whl", f"{_stem()}.dist-info"
    wheel = _Wheel(os.path.join(wheel_directory, name))
    for file in _files(HERE, ["hpgmg"]):
        wheel.add(file.relative_to(HERE).as_posix(), file.read_bytes())
    wheel.add(f"hpgmg/{LIBRARY}", library.read_bytes(), 0o755)
    wheel.add(f"{info}/METADATA", _metadata().encode())
    wheel.add(f"{info}/WHEEL", _wheel_text().encode())
    wheel.add(f"{info}/LICENSE", (_sources() / "LICENSE").read_bytes())
    wheel.close(info)
    return name


# --- sdists ----------------------------------------------------------------------------------------------------------

def _revision():
    """The git revision, which a build without git reads from the file REVISION, as in a tarball of `make dist`."""
    try:
        return (_sources() / "REVISION").read_bytes()
    except FileNotFoundError:
        done = subprocess.run(["git", "--git-dir=.git", "describe", "--always", "--dirty"], cwd=_sources(), check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return done.stdout or b"unknown\n"


def _anonymous(entry):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def build_sdist(sdist_directory, config_settings=None):
    stem, folder = _stem(), _sources()
    with tarfile.open(os.path.join(sdist_directory, f"{stem}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        def add(name, data):
            entry = tarfile.TarInfo(f"{stem}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))

        for file in _files(HERE, ["pyproject.toml", "hpgmg_build.py", "hpgmg"]):
            archive.add(file, f"{stem}/{file.relative_to(HERE).as_posix()}", filter=_anonymous)
        for file in _files(folder, SOURCES):
            archive.add(file, f"{stem}/{IN_SDIST}/{file.relative_to(folder).as_posix()}", filter=_anonymous)
        add("PKG-INFO", _metadata().encode())
        add(f"{IN_SDIST}/REVISION", _revision())
    return f"{stem}.tar.gz"
