# SPDX-License-Identifier: BSD-3-Clause
"""The relative residual after each cycle, of several reports of hpgmg-gpu in one figure."""
import itertools
import os

from drawing import LINES, OUTSIDE, save_figure


def label_of(path, report, differing):
    """The options that differ between the reports; the file's name where none does."""
    words = [f"{key} {report['config'].get(key, '-')}" for key in differing]
    return ", ".join(words) or os.path.basename(path).removesuffix(".json")


def differing_options(reports):
    keys = dict.fromkeys(key for report in reports for key in report["config"])
    return [key for key in keys if len({report["config"].get(key) for report in reports}) > 1]


def factor(history):
    """The mean factor by which a cycle after the first reduces the residual; None for one cycle."""
    return (history[-1] / history[0]) ** (1 / (len(history) - 1)) if len(history) > 1 and history[0] > 0 else None


def rates(report):
    """The factor per cycle, or the residual of a single cycle."""
    history = report["solves"][0]["history"]
    found = factor(history)
    return f"{found:.3g} per cycle" if found else f"{history[-1]:.2g} after the first"


def draw_convergence(plt, paths, reports, path):
    """history has one entry per cycle; before the first cycle the relative residual is 1."""
    figure, axes = plt.subplots(figsize=(8.5, 4.6))
    differing = differing_options(reports)
    for name, report, (colour, marker, dashes) in zip(paths, reports, itertools.cycle(LINES)):
        history = [1.0, *report["solves"][0]["history"]]
        axes.plot(range(len(history)), history, dashes, marker=marker, color=colour, markersize=5,
                  label=f"{label_of(name, report, differing)}\n{rates(report)}")
        axes.annotate(f"{history[-1]:.1e}", (len(history) - 1, history[-1]), (7, 0), textcoords="offset points", va="center",
                      fontsize="x-small", color=colour, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
    most = max(len(report["solves"][0]["history"]) for report in reports)
    axes.set_yscale("log")
    axes.set_xticks(range(0, most + 1, max(1, most // 12)))
    axes.margins(y=0.1)
    axes.set_xlim(-0.2, most + 0.8)
    axes.grid(True, alpha=0.3)
    axes.set_xlabel("cycles")
    axes.set_ylabel("‖f − Au‖ / ‖f‖, max norm")
    sizes = sorted({report["solves"][0]["n"] for report in reports})
    axes.set_title("Residual by cycle, " + " and ".join(f"{n}³" for n in sizes), loc="left", fontsize="medium")
    axes.legend(**OUTSIDE)
    save_figure(plt, figure, path)
