#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A model of the hybrid, checked against the study: README.md beside this file explains it.

cycles.csv has times of F-cycles on one backend, results.csv the study. Prints the tables of README.md
and draws model.png and model-levels.png."""
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
NAMES = {"tail": "GPU, tail", "kernels": "GPU, kernel by kernel", "cpu": "CPU, one thread"}


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


def dim_of(below):
    return 0 if below == "never" else round((int(below) - 1) ** (1 / 3))


def study():
    """Rows of the runs with one thread on the CPU's levels, by GPU."""
    for backend, name in (("tail", "results.csv"), ("kernels", "results-kernels.csv")):
        for row in read(name):
            if row["level"] == "all" and (row["threads"] == "1" or dim_of(row["cpu_below"]) < 16):
                yield backend, row


def print_check():
    seen = set()
    for backend, row in study():
        n, order, dim = int(row["n"]), int(row["order"]), dim_of(row["cpu_below"])
        if (backend, n, order, dim) in seen:
            continue
        seen.add((backend, n, order, dim))
        gpu, cpu = Machine(backend, order, LAUNCH), Machine("cpu", order, 0.0)
        parts = gpu_part(gpu, n, dim), hand_over_part(n, dim), cpu_part(cpu, n, dim)
        seconds = float(row["seconds_per_solve"])
        shown = " | ".join(f"{1e3 * part:.3f} / {1e3 * float(row[key]):.3f}" for part, key in
                           zip(parts, ("gpu_seconds", "hand_over_seconds", "cpu_seconds")))
        print(f"| {NAMES[backend]} | {n}³ | {order} | {row['cpu_below']} | {1e3 * sum(parts):.3f} /"
              f" {1e3 * seconds:.3f} | {100 * (sum(parts) / seconds - 1):+.0f} % | {shown} |")


def print_visits(order):
    machines = [Machine(name, order, overhead) for name, overhead in
                (("tail", LAUNCH), ("kernels", LAUNCH), ("cpu", 0.0))]
    for n in LEVELS:
        print(f"| {order} | {n}³ | " + " | ".join(f"{1e6 * m.v_cycle(n):.1f}" for m in machines) +
              f" | {1e6 * (machines[2].v_cycle(n) + HAND_OVER[n] + RESTART):.1f} |")


def main():
    print("Model / measured, ms:\n")
    print("| GPU | size | order | below | solve | model off by | GPU | hand-over | CPU |")
    print("|" + " --- |" * 9)
    print_check()
    print("\n| order | level | GPU, tail, µs | GPU, kernel by kernel, µs | CPU, µs | CPU with hand-over, µs |")
    print("|" + " --- |" * 6)
    for order in (2, 4):
        print_visits(order)
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        sys.exit("no figures: matplotlib is missing")
    draw_visits(plt)
    draw_levels(plt)


def save(plt, figure, handles, name):
    figure.legend(*handles, loc="lower center", ncol=4)
    figure.tight_layout(rect=(0, 0.5 / figure.get_figheight(), 1, 1))
    figure.savefig(os.path.join(HERE, name), dpi=150)
    plt.close(figure)


def draw_visits(plt):
    """What a V-cycle costs from each level down."""
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.6))
    styles = {"tail": ("black", "o-"), "kernels": ("#5b8fc7", "s-"), "cpu": ("#c07800", "^-")}
    for axes, order in zip(panels, (2, 4)):
        for name, (colour, style) in styles.items():
            machine = Machine(name, order, 0.0 if name == "cpu" else LAUNCH)
            axes.plot(LEVELS, [1e6 * machine.v_cycle(n) for n in LEVELS], style, color=colour, label=NAMES[name])
        cpu = Machine("cpu", order, 0.0)
        axes.plot(LEVELS, [1e6 * (cpu.v_cycle(n) + HAND_OVER[n] + RESTART) for n in LEVELS], "v--", color="#c07800",
                  markerfacecolor="white", label="CPU with hand-over")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(LEVELS, [f"{n}³" for n in LEVELS])
        axes.yaxis.set_major_locator(type(axes.yaxis.get_major_locator())(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlabel("level on which the V-cycle begins")
        axes.set_ylabel("µs per V-cycle")
        axes.set_title(f"order {order}", fontsize="medium")
        axes.grid(True, alpha=0.3)
    figure.suptitle("A V-cycle on coarse levels, from measured F-cycles: on the GPU, or handed over to the CPU")
    save(plt, figure, panels[0].get_legend_handles_labels(), "model.png")


def level_seconds(machine, n, level):
    """Of a level in an F-cycle of n³: its visits times what it adds to a V-cycle. All levels sum to the F-cycle."""
    coarser = machine.v_cycle(level // 2) if level > 2 else 0.0
    return (math.log2(n / level) + 1) * (machine.v_cycle(level) - coarser)


def draw_levels(plt, n=128, dim=8):
    figure, panels = plt.subplots(2, 2, figsize=(11, 7.6))
    for axes, (order, name) in zip(panels.flat, ((2, "tail"), (4, "tail"), (2, "kernels"), (4, "kernels"))):
        levels = [n >> down for down in range(int(math.log2(n)))]
        gpu = {level: level_seconds(Machine(name, order, LAUNCH), n, level) for level in levels}
        moves = hand_over_part(n, dim) + (round(math.log2(n / dim)) + 1) * RESTART
        places, labels = range(len(gpu) + 1), [f"{level}³" for level in gpu] + ["hand-\nover"]
        left = [1e6 * seconds for seconds in gpu.values()]
        axes.bar([place - 0.2 for place in places[:-1]], left, 0.4, color="#5b8fc7", edgecolor="black", linewidth=0.5,
                 label="GPU only")
        right = {level: gpu[level] if level > dim else level_seconds(Machine("cpu", order, 0.0), n, level)
                 for level in levels}
        axes.bar([place + 0.2 for place, level in zip(places, gpu) if level > dim],
                 [1e6 * right[level] for level in gpu if level > dim], 0.4, color="#c6daf0", edgecolor="black",
                 linewidth=0.5, label="hybrid: GPU")
        axes.bar([place + 0.2 for place, level in zip(places, gpu) if level <= dim],
                 [1e6 * right[level] for level in gpu if level <= dim], 0.4, color="#f5c878", edgecolor="black",
                 linewidth=0.5, hatch="//", label="hybrid: CPU")
        axes.bar([places[-1] + 0.2], [1e6 * moves], 0.4, color="#a01818", edgecolor="black", linewidth=0.5,
                 hatch="xxx", label="hybrid: hand-over")
        axes.set_xticks(places, labels)
        axes.set_ylabel("µs per solve")
        axes.set_title(f"order {order}, {NAMES[name]}: {sum(left) / 1e3:.2f} ms alone,"
                       f" {sum(right.values()) * 1e3 + 1e3 * moves:.2f} ms hybrid", fontsize="medium")
        axes.grid(True, axis="y", alpha=0.3)
        axes.set_axisbelow(True)
    figure.suptitle(f"Model, not measured: time by level in an F-cycle of {n}³, levels of {dim}³ and less on the CPU")
    save(plt, figure, panels[0][0].get_legend_handles_labels(), "model-levels.png")


if __name__ == "__main__":
    main()
