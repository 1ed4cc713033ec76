# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame tests of hpgmg-gpu: its verdict, and its rates against references.

    reframe -C packaging/reframe/settings.py -c packaging/reframe/hpgmg_gpu.py -n HpgmgBuilt -r

HpgmgBuilt builds this source tree in ReFrame's stage folder. HpgmgInstalled runs a program that is
there: hpgmg-gpu of PATH, or -S HpgmgInstalled.program=PATH. -S sets any other variable, too.
"""
import json
import os

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as typ
from reframe.core.builtins import fixture, parameter, performance_function, run_after, run_before
from reframe.core.builtins import sanity_function, variable

SOURCES = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
REPORT = "report.json"


class HpgmgBuild(rfm.CompileOnlyRegressionTest):
    """Builds outside of the source tree."""

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    build_system = "Make"
    sourcesdir = None
    cuda = variable(int, value=0)

    @run_before("compile")
    def set_target(self):
        self.build_system.makefile = os.path.join(SOURCES, "Makefile")
        self.build_system.options = ["-C", SOURCES, f"CUDA={self.cuda}", f"BUILD={self.stagedir}",
                                     self.program()]
        self.build_system.flags_from_environ = False
        self.build_system.max_concurrency = 8

    def program(self):
        return os.path.join(self.stagedir, "hpgmg-gpu")

    @sanity_function
    def is_built(self):
        return sn.path_exists(self.program())


class HpgmgRun(rfm.RunOnlyRegressionTest):
    """One run. It is right if it is VALID and exits with 0; its rates come from the JSON report."""

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    order = parameter([2, 4])
    ranks = variable(int, value=2)
    threads = variable(int, value=1)
    backend = variable(str, value="cpu")
    size = variable(typ.List[int], value=[5, 8])  # LOG2_BOX_DIM BOXES_PER_RANK

    # GDOF/s of a system and partition, and the limits as parts of it. Those of "workstation" are
    # so wide that they only notice a program that hardly moves: add a row per machine of yours.
    references = variable(dict, value={
        2: {"workstation:cpu": {"rate_h": (0.05, -0.99, None, "GDOF/s")}},
        4: {"workstation:cpu": {"rate_h": (0.03, -0.99, None, "GDOF/s")}},
    })

    @run_after("init")
    def set_run(self):
        self.num_tasks = self.ranks
        self.num_cpus_per_task = self.threads
        self.env_vars["OMP_NUM_THREADS"] = self.threads
        self.executable_opts = ["--backend", self.backend, "--order", str(self.order), "--json",
                                REPORT, *map(str, self.size)]
        self.postrun_cmds = ["echo exit status: $?"]  # not every scheduler tells it
        self.keep_files = [REPORT]
        self.reference = self.references[self.order]

    @sanity_function
    def is_valid(self):
        return sn.all([
            sn.assert_found(r"^VERDICT: VALID$", self.stdout, "the run is not VALID"),
            sn.assert_found(r"^exit status: 0$", self.stdout, "the exit status is not 0"),
        ])

    def rate(self, size):
        with open(os.path.join(self.stagedir, REPORT), encoding="utf-8") as file:
            solves = json.load(file)["solves"]
        return next(s["dof_per_second"] for s in solves if s["level"] == size) / 1e9

    @performance_function("GDOF/s")
    def rate_h(self):
        return self.rate("h")

    @performance_function("GDOF/s")
    def rate_2h(self):
        return self.rate("2h")

    @performance_function("GDOF/s")
    def rate_4h(self):
        return self.rate("4h")


@rfm.simple_test
class HpgmgInstalled(HpgmgRun):
    """The program of PATH, or another one."""

    program = variable(str, value="hpgmg-gpu")

    @run_before("run")
    def set_executable(self):
        self.executable = self.program


@rfm.simple_test
class HpgmgBuilt(HpgmgRun):
    """The program of this source tree."""

    build = fixture(HpgmgBuild, scope="environment")

    @run_before("run")
    def set_executable(self):
        self.executable = self.build.program()
