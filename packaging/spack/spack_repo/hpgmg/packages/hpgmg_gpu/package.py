# SPDX-License-Identifier: BSD-3-Clause
import os

from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class HpgmgGpu(MakefilePackage, CudaPackage):
    """Geometric multigrid benchmark and solver for GPUs and CPUs: full multigrid of second and
    fourth order for elliptic equations in a box, with MPI and OpenMP."""

    # The git clone that this recipe lies in.
    git = "file://" + os.path.realpath(os.path.join(os.path.dirname(__file__), *[".."] * 6))

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("mpi", default=True, description="Several ranks; without it programs of one rank")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.3:", when="+cuda")

    conflicts("cuda_arch=none", when="+cuda", msg="name the GPUs: +cuda cuda_arch=90")
    for arch in CudaPackage.cuda_arch_values:
        if int(arch.rstrip("af")) < 80:
            conflicts(f"cuda_arch={arch}", when="+cuda", msg="needs compute capability 8.0")

    @property
    def settings(self):
        """Of make. Spack's compiler wrapper adds the processor's flags."""
        spec = self.spec
        words = ["ARCHFLAGS=", "WERROR=", f"PREFIX={self.prefix}",
                 "MPI=1" if spec.satisfies("+mpi") else "MPI=0",
                 "CUDA=1" if spec.satisfies("+cuda") else "CUDA=0"]
        if spec.satisfies("+mpi"):
            words.append(f"MPICC={spec['mpi'].mpicc}")
        if spec.satisfies("+cuda"):
            archs = " ".join(f"sm_{arch}" for arch in spec.variants["cuda_arch"].value)
            words += [f"ARCH={archs}", f"CUDA_HOME={spec['cuda'].prefix}",
                      f"NVCC={spec['cuda'].prefix.bin.nvcc}"]
        return words

    @property
    def build_targets(self):
        return [*self.settings, "all", "library"]

    @property
    def install_targets(self):
        return [*self.settings, "install"]

    def solve(self, program):
        """A small problem on the CPU, on one rank; an INVALID run exits with 1."""
        out = Executable(program)("--backend", "cpu", "--solves", "1", "5", "8", output=str)
        assert "VERDICT: VALID" in out

    def check(self):
        """With --test=root. All tests, `make test`, need 20 minutes and more packages."""
        self.solve("./hpgmg-gpu")

    def test_solve(self):
        """a solve of the installed program is VALID"""
        self.solve(self.prefix.bin.join("hpgmg-gpu"))
