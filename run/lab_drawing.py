# SPDX-License-Identifier: BSD-3-Clause
"""The figures of hpgmg-lab's reports: roofline, ladder, strides, transfers. Their rows are those of lab_tables.py."""
import itertools
import math

import lab_tables
from drawing import LINES, OUTSIDE, plain_numbers, save_figure

# What a stage is drawn with; further stages begin again.
MARKERS = "osD^vPX<>hp8"
# Label and fill of a kernel: what hpgmg-gpu runs, the baseline, and others.
FILLS = {"default": ("what hpgmg-gpu runs", "black"), "baseline": ("baseline", "white"),
         "other": ("another kernel", "#a6a6a6")}
BARS = [("#1f4e79", ""), ("#9dc3e6", "...."), ("#c55a11", "////"), ("#f4d0b0", "\\\\\\\\")]


def proxy(axes, label, **style):
    """An entry of the legend."""
    axes.plot([], [], label=label, **style)


# Roofline.

def label_points(axes, points):
    """points: x, y, text. Each text goes where most room is, near its point."""
    axes.figure.tight_layout()  # positions on paper are final from here on
    scale = axes.figure.dpi / 72
    places = [axes.transData.transform(point[:2]) for point in points]
    taken = list(places)
    for place, (x, y, text) in zip(places, points):
        best = None
        for radius, angle in itertools.product((10, 17, 25, 35, 46), range(0, 360, 30)):
            offset = (radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle)))
            at = (place[0] + scale * offset[0], place[1] + scale * offset[1])
            room = min(math.dist(at, other) for other in taken if other is not place) if len(taken) > 1 else math.inf
            room = min(room, 13 * scale) - 0.02 * radius  # near where there is room enough
            if best is None or room > best[0]:
                best = (room, offset, at)
        taken.append(best[2])
        line = {"arrowstyle": "-", "linewidth": 0.5, "color": "grey", "shrinkA": 4, "shrinkB": 5}
        axes.annotate(text, (x, y), best[1], textcoords="offset points", ha="center", va="center", fontsize=8,
                      arrowprops=line if math.hypot(*best[1]) > 11 else None)


def ceilings(axes, rates, peaks, limits):
    """Slanted lines for bytes, horizontal ones for arithmetic."""
    top = max(peak for _, peak in peaks)
    for (label, rate), dashes in zip(rates, ("-", "--", "-.", ":")):
        ridge = min(limits[1], top / rate)
        axes.plot([limits[0], ridge], [limits[0] * rate / 1e9, ridge * rate / 1e9], dashes, color="black", linewidth=1,
                  label=f"{label}: {lab_tables.prefixed(rate, 'B/s')}")
    for (label, peak), (dashes, width) in zip(peaks, (("-", 2.2), (":", 2.2))):
        axes.plot([limits[0], limits[1]], [peak / 1e9] * 2, dashes, color="#7f7f7f", linewidth=width,
                  label=f"{label}: {lab_tables.prefixed(peak, 'FLOP/s')}")


def draw_roofline(plt, machine, kernels, path):
    """A panel per order; kernels are rows of lab_tables.kernel_rows."""
    rates, peaks = lab_tables.ceilings(machine)
    orders = sorted({row["order"] for row in kernels})
    stages = list(dict.fromkeys(row["stage"] for row in kernels))
    styles = dict(zip(stages, itertools.cycle(MARKERS)))
    figure, panels = plt.subplots(len(orders), 1, figsize=(9.5, 0.6 + 4.9 * len(orders)), squeeze=False)
    for axes, order in zip(panels[:, 0], orders):
        own = [row for row in kernels if row["order"] == order]
        intensities = [row["intensity"] for row in own]
        limits = 0.6 * min(intensities), 1.3 * max(intensities + [peaks[0][1] / rates[0][1]])
        ceilings(axes, rates, peaks, limits)
        for row in own:
            axes.plot(row["intensity"], row["flops_per_second"] / 1e9, styles[row["stage"]], color="black",
                      markersize=7, markerfacecolor=FILLS[row["kind"]][1], markeredgewidth=0.8)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(limits)
        speeds = [row["flops_per_second"] / 1e9 for row in own]
        axes.set_ylim(0.5 * min(speeds), 1.5 * max(speeds + [peaks[0][1] / 1e9]))
        axes.grid(True, alpha=0.3)
        axes.set_ylabel("GFLOP/s (FP64)")
        axes.set_title(f"Roofline of order {order}, {lab_tables.sizes_of(own)} cells, {lab_tables.where(machine)}", loc="left",
                       fontsize="medium")
        plain_numbers(axes.xaxis)
        plain_numbers(axes.yaxis)
        if axes is panels[0, 0]:
            for stage in stages:
                proxy(axes, stage, marker=styles[stage], linestyle="none", color="black", markerfacecolor="white")
            handles, _ = axes.get_legend_handles_labels()
            handles += [plt.Rectangle((0, 0), 1, 1, facecolor=fill, edgecolor="black", label=label)
                        for label, fill in FILLS.values()]  # no markers: each is a stage
            axes.legend(handles=handles, **OUTSIDE)
    panels[-1, 0].set_xlabel("FP64 operations per byte that the kernels must move (numbers: rows of the table)")
    for axes, order in zip(panels[:, 0], orders):
        label_points(axes, [(row["intensity"], row["flops_per_second"] / 1e9, str(row["number"])) for row in kernels
                            if row["order"] == order])
    save_figure(plt, figure, path)


# Ladder.

def draw_ladder(plt, reports, path):
    """A panel per report: a bar per rung, and what is known of it on the right."""
    heights = [1.1 + 0.34 * len(report["rungs"]) for report in reports]
    figure, panels = plt.subplots(len(reports), 2, figsize=(9.5, 0.5 + sum(heights)), squeeze=False, sharey="row",
                                  height_ratios=heights, width_ratios=(5, 4))
    for (axes, right), report in zip(panels, reports):
        rungs = report["rungs"]
        speeds = [rung["cells_per_second"] / 1e9 for rung in rungs]
        axes.barh(range(len(rungs)), speeds, 0.7, color="#9dc3e6", edgecolor="black", linewidth=0.6)
        kepler = report.get("kepler_speed_ups", ())[1:] if lab_tables.on_gpu(report) else ()
        for factor in kepler:
            axes.axvline(factor * speeds[0] / rungs[0]["speed_up"], color="#c55a11", linestyle="--", linewidth=1.2)
        for place, (rung, speed) in enumerate(zip(rungs, speeds)):
            axes.annotate(f"{rung['speed_up']:.2f}", (speed, place), (4, 0), textcoords="offset points", va="center",
                          fontsize=9, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})
        columns = list(lab_tables.rung_columns(rungs))
        for column, (heading, words) in enumerate(columns):
            for place, word in [(-0.7, heading), *enumerate(words)]:
                right.text(column + (0.9 if heading == "limiter" else 0.5), place, word, ha="center",
                           va="bottom" if place < 0 else "center", fontsize=8.5)
        right.set_xlim(0, len(columns) + 0.8)
        right.axis("off")
        axes.set_yticks(range(len(rungs)), [rung["rung"] for rung in rungs])
        axes.set_ylim(len(rungs) - 0.4, -0.6)
        axes.set_xlim(0, 1.15 * max(speeds))
        axes.grid(True, axis="x", alpha=0.3)
        axes.set_title(f"Ladder of order {report['options']['order']}, {report['options']['n']}³ cells, "
                       f"{lab_tables.where(report)}", loc="left", fontsize="medium")
        slides = f"\ndashed: {' and '.join(map('{:.2f}'.format, kepler))} times the first rung (NVIDIA's slides, Kepler)"
        axes.set_xlabel("Gcell/s, red and black; beside the bars: speed-up" + (slides if kepler else ""))
    save_figure(plt, figure, path)


# Memory.

def draw_strides(plt, report, path):
    """A panel per type; a line per number of FMAs."""
    rows = lab_tables.experiment(report, "strides")
    sizes = sorted({row["element_bytes"] for row in rows}, reverse=True)
    figure, panels = plt.subplots(1, len(sizes), figsize=(1.8 + 4.2 * len(sizes), 4), squeeze=False, sharey=True)
    for axes, size in zip(panels[0], sizes):
        own = [row for row in rows if row["element_bytes"] == size]
        strides = sorted({row["stride"] for row in own})
        for fmas, (colour, marker, dashes) in zip(sorted({row["fmas"] for row in own}), itertools.cycle(LINES)):
            line = sorted((strides.index(row["stride"]), row["elements_per_second"] / 1e9) for row in own
                          if row["fmas"] == fmas)
            axes.plot(*zip(*line), dashes, marker=marker, color=colour, label=f"{fmas} FMA{'s' if fmas > 1 else ''}")
        axes.set_xticks(range(len(strides)), [f"{stride:g}" for stride in strides])
        axes.set_yscale("log")
        axes.grid(True, which="both", alpha=0.3)
        axes.set_xlabel(f"stride, {'doubles' if size == 8 else 'floats'}")
        plain_numbers(axes.yaxis)
    panels[0][0].set_ylabel("billions of elements per second")
    panels[0][-1].legend(title="per element", **OUTSIDE)
    panels[0][0].set_title(f"Strides and arithmetic, arrays of {report['array_bytes'] / 1e6:.3g} MB, "
                           f"{lab_tables.where(report)}", loc="left", fontsize="medium")
    save_figure(plt, figure, path)


def host_panel(axes, rows):
    """GB/s against size by kind; a kind of one size is a marker."""
    for kind, (colour, marker, dashes) in zip(dict.fromkeys(row["kind"] for row in rows), transfer_styles()):
        line = [row for row in rows if row["kind"] == kind]
        axes.plot([row["transfer_bytes"] for row in line], [row["bytes_per_second"] / 1e9 for row in line],
                  linestyle=dashes if len(line) > 1 else "none", marker=marker, color=colour, label=kind,
                  markerfacecolor="white" if line[0]["to_host"] else colour)
    sizes = sorted({row["transfer_bytes"] for row in rows})
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [lab_tables.binary_size(size) for size in sizes])
    axes.minorticks_off()
    axes.set_yscale("log")
    plain_numbers(axes.yaxis)
    axes.set_xlabel("size of one transfer")
    axes.set_ylabel("GB/s")


def transfer_styles():
    return itertools.cycle([("black", "o", "-"), ("#c55a11", "s", "--"), ("black", "o", ":"), ("#c55a11", "s", "-."),
                            ("#2e75b6", "^", "-"), ("#2e75b6", "v", "-"), ("#548235", "D", "-")])


def points_panel(axes, rows):
    """Milliseconds of a field by what is transferred."""
    fields = list(dict.fromkeys(row["field"] for row in rows))
    modes = [mode for mode in lab_tables.POINTS if any(row["mode"] == mode for row in rows)]
    for index, (mode, (colour, hatch)) in enumerate(zip(modes, BARS)):
        own = [row for row in rows if row["mode"] == mode]
        places = [fields.index(row["field"]) + 0.2 * (index - 0.5 * (len(modes) - 1)) for row in own]
        tops = [1e3 * row["seconds"] for row in own]
        axes.bar(places, tops, 0.2, color=colour, hatch=hatch, edgecolor="black", linewidth=0.5,
                 label=mode)
        for place, top in zip(places, tops):
            axes.annotate(f"{top:.3g}", (place, top), (0, 2), textcoords="offset points", ha="center", fontsize=7)
    axes.set_xticks(range(len(fields)), [field.replace(", ", "\n") for field in fields])
    axes.set_yscale("log")
    axes.margins(y=0.12)
    plain_numbers(axes.yaxis)
    axes.set_ylabel("ms")


def draw_transfers(plt, report, path):
    """Host memory, and fields of points with their transfers; whichever the report has."""
    panels = [(panel, rows, title) for panel, rows, title in (
        (host_panel, lab_tables.host_rows(report), "Transfers between host and device"),
        (points_panel, lab_tables.points_rows(report), "A field of points, alone and with its transfers")) if rows]
    figure, found = plt.subplots(len(panels), 1, figsize=(9.5, 4 * len(panels)), squeeze=False)
    for axes, (panel, rows, title) in zip(found[:, 0], panels):
        panel(axes, rows)
        axes.grid(True, axis="y", alpha=0.3)
        axes.set_title(f"{title}, {lab_tables.where(report)}", loc="left", fontsize="medium")
        axes.legend(**OUTSIDE)
    save_figure(plt, figure, path)
