# SPDX-License-Identifier: BSD-3-Clause
"""Figures of the lab's experiments case by case: access as a grid of strides, others as bars."""
import lab_tables
from drawing import save_figure

# Experiments that a figure of their own says more of than their table.
DRAWN = ("access", "records", "interpolation", "lu", "gradients")


def title_of(report, name):
    return f"{lab_tables.title_of(name)}, {lab_tables.where(report)}"


def draw_access(plt, report, path):
    """Doubles per second, by the strides of reads and writes; darker is faster."""
    rows = lab_tables.experiment(report, "access")
    strides = sorted({row["read_stride"] for row in rows})
    rates = {(row["read_stride"], row["write_stride"]): row["elements_per_second"] / 1e9 for row in rows}
    grid = [[rates[read, write] for write in strides] for read in strides]
    fastest = max(map(max, grid))
    figure, axes = plt.subplots(figsize=(7.5, 4.6))
    axes.imshow(grid, cmap="Blues", vmin=0, vmax=1.2 * fastest, aspect="auto")
    for place, line in enumerate(grid):
        for column, rate in enumerate(line):
            axes.text(column, place, f"{rate:.3g}", ha="center", va="center", color="white" if rate > 0.7 * fastest else "black")
    axes.set_xticks(range(len(strides)), [f"{stride:g}" for stride in strides])
    axes.set_yticks(range(len(strides)), [f"{stride:g}" for stride in strides])
    axes.set_xlabel("stride of writes, doubles")
    axes.set_ylabel("stride of reads, doubles")
    axes.set_title(f"{title_of(report, 'access')}: billions of doubles per second", loc="left", fontsize="medium")
    save_figure(plt, figure, path)


def draw_bars(plt, report, name, path):
    """A bar per case with its rate; the error too, where there is one."""
    rows = lab_tables.experiment(report, name)
    arithmetic = name == "lu"
    rates = [row["flops_per_second" if arithmetic else "elements_per_second"] / 1e9 for row in rows]
    figure, axes = plt.subplots(figsize=(9.5, 1.1 + 0.28 * len(rows)))
    axes.barh(range(len(rows)), rates, 0.7, color="#9dc3e6", edgecolor="black", linewidth=0.6)
    for place, (row, rate) in enumerate(zip(rows, rates)):
        error = f", error {row['error']:.1e}" if row["error"] else ""
        axes.annotate(f"{rate:.3g}{error}", (rate, place), (4, 0), textcoords="offset points", va="center", fontsize="small")
    axes.set_yticks(range(len(rows)), [row["name"] for row in rows], fontsize="small")
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(0, 1.25 * max(rates))
    axes.grid(True, axis="x", alpha=0.3)
    axes.set_xlabel("GFLOP/s" if arithmetic else "billions of elements per second")
    axes.set_title(title_of(report, name), loc="left", fontsize="medium")
    save_figure(plt, figure, path)


def draw_cases(plt, report, name, path):
    if name == "access":
        draw_access(plt, report, path)
    else:
        draw_bars(plt, report, name, path)
