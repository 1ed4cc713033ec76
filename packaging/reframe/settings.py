# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame's configuration of one machine without a batch system: ranks on its CPU, by mpirun.

On a cluster, use the site's configuration. A partition needs an environment whose C compiler is
that of its MPI library.
"""

site_configuration = {
    "systems": [
        {
            "name": "workstation",
            "descr": "one machine, without a batch system",
            "hostnames": [".*"],
            "partitions": [
                {
                    "name": "cpu",
                    "scheduler": "local",
                    "launcher": "mpirun",
                    "environs": ["default"],
                    "max_jobs": 1,  # jobs side by side would slow each other down
                    # Open MPI: containers have root only, and ranks may share cores.
                    "env_vars": [
                        ["OMPI_ALLOW_RUN_AS_ROOT", "1"],
                        ["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"],
                        ["OMPI_MCA_rmaps_base_oversubscribe", "1"],
                        ["OMPI_MCA_hwloc_base_binding_policy", "none"],
                        ["OMP_WAIT_POLICY", "passive"],
                    ],
                },
            ],
        },
    ],
    "environments": [{"name": "default", "cc": "gcc", "cxx": "g++", "ftn": ""}],
}
