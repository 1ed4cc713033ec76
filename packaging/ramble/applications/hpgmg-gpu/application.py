# SPDX-License-Identifier: BSD-3-Clause
from ramble.appkit import *

LOG = "{experiment_run_dir}/{experiment_name}.out"
NUMBER = r"[0-9]+\.[0-9]+e[+-][0-9]+"
WORKLOADS = ["official", "order2", "order4"]


class HpgmgGpu(ExecutableApplication):
    """Geometric multigrid benchmark for GPUs and CPUs."""

    name = "hpgmg-gpu"

    tags("benchmark-app", "multigrid", "mini-app")

    with when("package_manager_family=spack"):
        software_spec("hpgmg-gpu", pkg_spec="hpgmg-gpu@main")
        required_package("hpgmg-gpu")

    executable(
        "solve",
        "hpgmg-gpu --backend {backend} {options} --json {experiment_run_dir}/report.json"
        " {log2_box_dim} {boxes_per_rank}",
        use_mpi=True,
    )

    # "official" is the configuration whose rates may be compared (docs/BENCHMARK.md).
    workload("official", executables=["solve"])
    workload("order2", executables=["solve"])
    workload("order4", executables=["solve"])
    workload_variable("options", default="--benchmark", description="options of the program",
                      workloads=["official"])
    workload_variable("options", default="--order 2", description="options of the program",
                      workloads=["order2"])
    workload_variable("options", default="--order 4", description="options of the program",
                      workloads=["order4"])

    workload_variable("backend", default="auto", description="auto, cpu or gpu",
                      values=["auto", "cpu", "gpu"], workloads=WORKLOADS)
    workload_variable("log2_box_dim", default="7", description="boxes of 2^n cells per side",
                      workloads=WORKLOADS)
    workload_variable("boxes_per_rank", default="8", description="at most",
                      workloads=WORKLOADS)

    for size in ("h", "2h", "4h"):
        figure_of_merit(
            "Rate at " + size,
            fom_regex=r"^SCORE:.*? (?P<rate>" + NUMBER + r")(?: DOF/s)? at " + size + r" .*",
            group_name="rate",
            units="DOF/s",
            log_file=LOG,
        )
    figure_of_merit("Error of h", fom_regex=r".*\|\|error\|\|=(?P<error>" + NUMBER + r").*",
                    group_name="error", units="", log_file=LOG)
    figure_of_merit("Order", fom_regex=r"^ *order=(?P<order>-?[0-9.]+)", group_name="order",
                    units="", log_file=LOG)

    success_criteria("valid", mode="string", match=r"^VERDICT: VALID.*", file=LOG)
