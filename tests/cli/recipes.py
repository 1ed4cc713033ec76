#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""recipes.py spack | ramble: loads a recipe of packaging/ with stubs in place of Spack's and Ramble's directives, and
prints what the test needs from it. A stub takes whatever is given, so this shows that the recipe says to the program
and to make what these understand, not that Spack or Ramble accept it."""
import contextlib
import importlib.util
import re
import sys
import types

calls = []  # (directive, arguments, keywords)


def directive(name):
    def record(*arguments, **keywords):
        calls.append((name, arguments, keywords))
        return contextlib.nullcontext()
    return record


def stub(name, **contents):
    module = sys.modules[name] = types.ModuleType(name)
    module.__dict__.update(contents)
    module.__path__ = []


def load(path, directives, **stubs):
    """The classes of the file, after `from stub import *`."""
    for name, contents in stubs.items():
        parts = name.split("__")
        for length in range(1, len(parts)):
            sys.modules.setdefault(".".join(parts[:length]), types.ModuleType(parts[0]))
        stub(".".join(parts), **{each: directive(each) for each in directives}, **contents)
    found = importlib.util.spec_from_file_location("recipe", path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


class Spec(dict):
    """spec["mpi"], spec.satisfies("+mpi"), spec.variants["cuda_arch"].value"""

    def __init__(self, *variants):
        super().__init__(mpi=types.SimpleNamespace(mpicc="mpicc"),
                         cuda=types.SimpleNamespace(prefix=Prefix("/usr/local/cuda")))
        self.chosen = variants
        self.variants = {"cuda_arch": types.SimpleNamespace(value=("80", "90"))}

    def satisfies(self, variant):
        return variant in self.chosen


class Prefix(str):
    def __getattr__(self, name):
        return Prefix(f"{self}/{name}")


def spack():
    """A line of make's words per variant and target, with quotes."""
    import shlex
    cuda = type("CudaPackage", (), {"cuda_arch_values": ("70", "75", "80", "90a")})
    recipe = load("packaging/spack/spack_repo/hpgmg/packages/hpgmg_gpu/package.py",
                  ("license", "version", "variant", "depends_on", "conflicts"), spack__package={},
                  spack_repo__builtin__build_systems__cuda={"CudaPackage": cuda},
                  spack_repo__builtin__build_systems__makefile={"MakefilePackage": type("MakefilePackage", (), {})})
    refused = [arguments[0] for name, arguments, _ in calls if name == "conflicts"]
    assert refused == ["cuda_arch=none", "cuda_arch=70", "cuda_arch=75"], refused
    assert [arguments[0] for name, arguments, _ in calls if name == "variant"] == ["mpi"]
    for variants in (("+mpi",), (), ("+mpi", "+cuda")):
        package = recipe.HpgmgGpu()
        package.spec, package.prefix = Spec(*variants), Prefix("/opt/x")
        print(shlex.join(package.build_targets))
        print(shlex.join(package.install_targets))


def ramble():
    """The command of a workload with small sizes, or --judge FILE: figures of merit of the run's output."""
    load("packaging/ramble/applications/hpgmg-gpu/application.py",
         ("tags", "when", "software_spec", "required_package", "executable", "workload", "workload_variable",
          "figure_of_merit", "success_criteria"), ramble__appkit={"ExecutableApplication": type("Application", (), {})})
    if len(sys.argv) > 2:
        return judge(open(sys.argv[2], encoding="utf-8").read().splitlines())
    workload = "order4"
    values = {arguments[0]: keywords["default"] for name, arguments, keywords in calls
              if name == "workload_variable" and workload in keywords["workloads"]}
    values |= {"backend": "cpu", "log2_box_dim": "4", "experiment_run_dir": "."}
    command = next(arguments[1] for name, arguments, _ in calls if name == "executable")
    print(command.format(**values))


def judge(lines):
    """Ramble matches each line of the log against the expressions."""
    for name, arguments, keywords in calls:
        if name == "figure_of_merit":
            found = [match for line in lines if (match := re.match(keywords["fom_regex"], line))]
            print(arguments[0], found[-1][keywords["group_name"]] if found else "is missing")
        if name == "success_criteria":
            print("success", any(re.match(keywords["match"], line) for line in lines))


{"spack": spack, "ramble": ramble}[sys.argv[1]]()
