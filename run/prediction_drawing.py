# SPDX-License-Identifier: BSD-3-Clause
"""The figure of run/predict, from the rows of its predict.csv and levels.csv."""
import itertools

from domain import cells_label
from drawing import LINES, save_figure, stack

PARTS = {
    "compute_seconds": ("computation", "#1f4e79", ""),
    "latency_seconds": ("latency of messages", "#8a0000", "----"),
    "transfer_seconds": ("bytes of messages", "#e08080", "\\\\\\\\"),
}
BY = "order", "between"
SHAPE = "kind", "log2_box_dim", "boxes"
SERIES = *BY, *SHAPE


def key_of(row, columns):
    return tuple(row[column] for column in columns)


def name_of(row):
    side = 2 ** row["log2_box_dim"]
    return f"{row['boxes']} × {side}³ cells per rank" if row["kind"] == "weak" else f"{row['boxes'] * side}³ cells in all"


def efficiency_panel(axes, rows, with_legend):
    """Efficiency against ranks, a line per order and way between nodes."""
    for key, (colour, marker, dashes) in zip(sorted({key_of(row, BY) for row in rows}), itertools.cycle(LINES)):
        own = [row for row in rows if key_of(row, BY) == key]
        values = [100 * row["efficiency"] for row in own]
        axes.plot([row["ranks"] for row in own], values, dashes, marker=marker, color=colour, markersize=5,
                  label=f"order {key[0]}, {key[1]}")
    ranks = sorted({row["ranks"] for row in rows})
    axes.set_xscale("log", base=2)
    axes.set_xticks(ranks, [str(number) for number in ranks])
    axes.minorticks_off()
    axes.set_ylim(0, 105)
    axes.set_xlabel("ranks")
    axes.set_ylabel("% of the rate per rank of the fewest ranks")
    axes.set_title(f"{rows[0]['kind']}: {name_of(rows[0])}", fontsize="medium")
    axes.grid(True, alpha=0.3)
    if with_legend:
        axes.legend(fontsize="small")


def level_panel(axes, levels, with_legend):
    """Time by level of one prediction."""
    places = range(len(levels))
    stack(axes, places, [{part: 1e3 * level[part] for part in PARTS} for level in levels], PARTS)
    labels = [f"{cells_label(level['level_cells'])}\non {level['level_ranks']}" for level in levels]
    axes.set_xticks(places, labels, fontsize="x-small", rotation=90)
    axes.set_ylabel("ms per F-cycle")
    axes.set_ylim(0, 1.05e3 * max(sum(level[part] for part in PARTS) for level in levels))
    first = levels[0]
    axes.set_title(f"{name_of(first)}, {first['ranks']} ranks, order {first['order']}, {first['between']}", fontsize="medium")
    axes.grid(True, axis="y", alpha=0.3)
    if with_legend:
        axes.legend(fontsize="small")


def draw_prediction(plt, rows, levels, assumed, path):
    """Efficiencies by series above; below, time by level of each way on the most ranks of the first series, first order."""
    shapes = list(dict.fromkeys(key_of(row, SHAPE) for row in rows))
    first = rows[0]
    most = max(row["ranks"] for row in rows if key_of(row, SERIES) == key_of(first, SERIES))
    bars = []
    for between in dict.fromkeys(row["between"] for row in rows):
        wanted = key_of({**first, "between": between}, SERIES)
        bars.append([level for level in levels if key_of(level, SERIES) == wanted and level["ranks"] == most])
    columns = max(len(shapes), len(bars))
    figure, panels = plt.subplots(2, columns, figsize=(1 + 5.4 * columns, 8.6), squeeze=False)
    for index, axes in enumerate(panels[0]):
        if index < len(shapes):
            efficiency_panel(axes, [row for row in rows if key_of(row, SHAPE) == shapes[index]],
                             index == 0)
        else:
            axes.axis("off")
    for index, axes in enumerate(panels[1]):
        if index < len(bars):
            level_panel(axes, bars[index], index == 0)
        else:
            axes.axis("off")
    figure.suptitle(f"PREDICTION by run/predict: none of this was run. Assumed: {assumed}", x=0.02, ha="left", color="#8a0000",
                    fontsize="medium")
    save_figure(plt, figure, path)
