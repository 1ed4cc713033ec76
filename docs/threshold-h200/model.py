#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A model of the hybrid, checked against the study: README.md beside this file explains it.

cycles.csv has times of F-cycles on one backend, results.csv the study. Prints the tables of README.md
and draws model.png."""
import csv
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LAUNCH = 8e-6  # launching a CUDA graph and waiting for its end
# By cells per side: one hand-over down and up together (hand_over_test times), and a launch more of the tail.
HAND_OVER = {2: 6e-6, 4: 6e-6, 8: 6e-6, 16: 7e-6, 32: 12e-6}
RESTART = 4e-6
LEVELS = sorted(HAND_OVER)


def read(name):
    with open(os.path.join(HERE, name), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Machine:
    """Times of cycles by cells per side."""

    def __init__(self, backend, order, overhead):
        self.cycles = {int(row["n"]): float(row["seconds"]) - overhead for row in read("cycles.csv")
                       if row["backend"] == backend and int(row["order"]) == order}

    def f_cycle(self, n):
        return self.cycles[n]

    def v_cycle(self, n):
        """An F-cycle is that of the next level, and a V-cycle."""
        return self.cycles[n] - self.cycles.get(n // 2, 0.0)


def gpu_part(gpu, n, dim):
    """The GPU's time if levels of at most dim cells per side are on the CPU; dim = 0: none."""
    if not dim:
        return gpu.f_cycle(n) + LAUNCH
    visits = round(math.log2(n / dim))
    return gpu.f_cycle(n) + LAUNCH - gpu.f_cycle(dim) - visits * gpu.v_cycle(dim) + (visits + 1) * RESTART


def cpu_part(cpu, n, dim):
    return cpu.f_cycle(dim) + round(math.log2(n / dim)) * cpu.v_cycle(dim) if dim else 0.0


def hand_over_part(n, dim):
    return (round(math.log2(n / dim)) + 1) * HAND_OVER[dim] if dim else 0.0


def solve(gpu, cpu, n, dim):
    return gpu_part(gpu, n, dim) + cpu_part(cpu, n, dim) + hand_over_part(n, dim)


def dim_of(below):
    return 0 if below == "never" else round((int(below) - 1) ** (1 / 3))


def measured(order, backend):
    """Rows of the study with one thread; backend 'tail' or 'kernels'."""
    rows = read("results.csv" if backend == "tail" else "results-kernels.csv")
    return [row for row in rows if row["level"] == "all" and int(row["order"]) == order and row["threads"] == "1"]


def print_check(order, backend):
    gpu, cpu = Machine(backend, order, LAUNCH), Machine("cpu", order, 0.0)
    for row in measured(order, backend):
        n, dim, seconds = int(row["n"]), dim_of(row["cpu_below"]), float(row["seconds_per_solve"])
        told = solve(gpu, cpu, n, dim)
        parts = (gpu_part(gpu, n, dim), hand_over_part(n, dim), cpu_part(cpu, n, dim))
        shown = " | ".join(f"{1e3 * part:.3f} / {1e3 * float(row[key]):.3f}" for part, key in
                           zip(parts, ("gpu_seconds", "hand_over_seconds", "cpu_seconds")))
        print(f"| {backend} | {n}^3 | {order} | {row['cpu_below']} | {1e3 * told:.3f} | {1e3 * seconds:.3f} |"
              f" {100 * (told / seconds - 1):+.1f} % | {shown} |")


def print_visits(order):
    machines = [Machine(name, order, overhead) for name, overhead in
                (("tail", LAUNCH), ("kernels", LAUNCH), ("cpu", 0.0))]
    for n in LEVELS:
        print(f"| {order} | {n}^3 | " + " | ".join(f"{1e6 * m.v_cycle(n):.1f}" for m in machines) +
              f" | {1e6 * (machines[2].v_cycle(n) + HAND_OVER[n] + RESTART):.1f} |")


def main():
    print("| GPU | size | order | below | model, ms | measured, ms | difference | GPU | hand-over | CPU |")
    print("|" + " --- |" * 10)
    for backend in ("tail", "kernels"):
        for order in (2, 4):
            print_check(order, backend)
    print("\n| order | level | tail, us | kernel by kernel, us | CPU, us | CPU with hand-over, us |")
    print("|" + " --- |" * 6)
    for order in (2, 4):
        print_visits(order)
    draw()


def draw():
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        sys.exit("no figure: matplotlib is missing")
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.6))
    styles = {"tail": ("black", "o-", "GPU, the tail"), "kernels": ("#5b8fc7", "s-", "GPU, kernel by kernel"),
              "cpu": ("#d08a10", "^-", "CPU, one thread")}
    for axes, order in zip(panels, (2, 4)):
        for name, (colour, style, label) in styles.items():
            machine = Machine(name, order, 0.0 if name == "cpu" else LAUNCH)
            axes.plot(LEVELS, [1e6 * machine.v_cycle(n) for n in LEVELS], style, color=colour, label=label)
        cpu = Machine("cpu", order, 0.0)
        axes.plot(LEVELS, [1e6 * (cpu.v_cycle(n) + HAND_OVER[n] + RESTART) for n in LEVELS], "v--", color="#d08a10",
                  markerfacecolor="white", label="CPU with hand-over")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(LEVELS, [f"{n}³" for n in LEVELS])
        axes.set_xlabel("level on which the V-cycle begins")
        axes.set_ylabel("µs per V-cycle")
        axes.set_title(f"order {order}", fontsize="medium")
        axes.grid(True, alpha=0.3)
    figure.suptitle("A visit to the coarse levels: on the GPU, or handed over to the CPU")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=4)
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(os.path.join(HERE, "model.png"), dpi=150)


if __name__ == "__main__":
    main()
