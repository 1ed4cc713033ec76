# SPDX-License-Identifier: BSD-3-Clause
"""All figures of run/, with one look. A figure is a list of panels: functions that draw into axes.

Colours differ in lightness and bars in hatching too, so that figures can be read in black and white."""
import functools
import itertools
import math
import os
import sys

import reports
from errors import no_package
from reports import grouped, is_even, is_noisy, plural, seconds_of

# Label, colour and hatch of bars, from the bottom of a bar to its top.
OPERATIONS = {
    "smoother": ("smoother", "#1f4e79", ""),
    "residual": ("residual", "#9dc3e6", ""),
    "restriction": ("restriction", "#c55a11", "////"),
    "interpolation": ("interpolation", "#e0976a", "\\\\\\\\"),
    "boundary": ("boundary", "#f0bf3a", "...."),
    "halo": ("halo exchange", "#8a0000", "----"),
    "redistribution": ("redistribution", "#a9d18e", "xxxx"),
    "hand-over": ("hand-over", "#548235", "++++"),
    "bottom": ("bottom solver", "#404040", "||||"),
    "other": ("zero, mean", "#d9d9d9", ""),
}
FUSED = "smoother, with what\nis fused to it"
PROCESSORS = {"GPU": ("GPU", "#1f4e79", ""), "CPU": ("CPU", "#f4b183", "////")}
HYBRID = {"gpu": ("GPU", "#5b8fc7", ""), "hand_over": ("hand-over", "#a01818", "xxx"), "cpu": ("CPU", "#f5c878", "//")}
PREDICTED = {"compute_seconds": ("computation", "#1f4e79", ""), "latency_seconds": ("latency of messages", "#8a0000", "----"),
             "transfer_seconds": ("bytes of messages", "#e08080", "\\\\\\\\")}
LEVELS = {
    "0": ("finest level", "#1f4e79", ""),
    "1": ("second level", "#2e75b6", "////"),
    "2": ("third level", "#9dc3e6", ""),
    "rest": ("coarser levels", "#deebf7", "...."),
    "halo 0": ("halo, finest level", "#8a0000", "----"),
    "halo": ("halo, other levels", "#e08080", "\\\\\\\\"),
    "moves": ("redistribution,\nhand-over", "#a9d18e", "xxxx"),
}
# Fills of a kernel's marker: what hpgmg-gpu runs, the baseline, and others.
KERNELS = {"default": ("what hpgmg-gpu runs", "black", ""), "baseline": ("baseline", "white", ""),
           "other": ("another kernel", "#a6a6a6", "")}
MODES = {mode: (mode, *style) for mode, style in zip(reports.POINTS, (
    ("#1f4e79", ""), ("#9dc3e6", "...."), ("#c55a11", "////"), ("#f4d0b0", "\\\\\\\\")))}
# Colour, marker and dashes of lines; further lines begin again.
LINES = [("black", "o", "-"), ("#c55a11", "s", "--"), ("#2e75b6", "^", "-."), ("#548235", "D", ":")]
MARKERS = "osD^vPX<>hp8"
OUTSIDE = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0.0, "fontsize": "small"}
WHITE = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8}


def pyplot(tool):
    """matplotlib's pyplot, or None and a word that it is missing."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as error:
        print(f"{tool}: no figures: {no_package(error, 'matplotlib')}", file=sys.stderr)
        return None
    plt.rcParams.update({"hatch.linewidth": 0.6, "svg.hashsalt": "hpgmg-gpu", "axes.axisbelow": True})
    return plt


def draw(plt, panels, path, columns=1, size=(9.5, 4.4), title="", notes="", heights=None, colour="black", **options):
    """Writes the figure. A panel that returns a function has it called once places on paper are final."""
    heights = heights or [size[1]] * -(-len(panels) // columns)
    figure, places = plt.subplots(len(heights), columns, figsize=(size[0] * columns, sum(heights)), squeeze=False,
                                  height_ratios=heights, **options)
    later = [panel(axes) if panel else axes.axis("off") for axes, panel in itertools.zip_longest(places.flat, panels)]
    if title:
        figure.suptitle(title, x=0.02, ha="left", color=colour, fontsize="medium")
    figure.text(0.02, -0.01, notes, va="top", fontsize="small")
    figure.tight_layout()
    for label in filter(callable, later):
        label()
    figure.savefig(path, dpi=150, bbox_inches="tight")
    plt.close(figure)


def plain_numbers(axis):
    """A logarithmic axis with 1, 2, 5, 10 and not powers of ten; with more numbers where it is short."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(type(axis.get_major_locator())(subs=(1, 2, 5) if high > 40 * low else (1, 1.5, 2, 3, 4, 5, 7)))
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_formatter(lambda value, _: "")


def frame(axes, title="", x="", y="", grid="both", logarithmic="", legend=None):
    """Title, labels, grid, and logarithmic axes ("x", "y", "xy"); `legend` are its options."""
    axes.set_title(title, loc="left", fontsize="medium")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(True, axis=grid, alpha=0.3)
    for name in logarithmic:
        getattr(axes, f"set_{name}scale")("log")
        plain_numbers(getattr(axes, f"{name}axis"))
    if legend:
        axes.legend(**legend)


def power_axis(axes, values, words=str):
    """A horizontal axis by powers of two with a tick at each value."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(values, list(map(words, values)))
    axes.minorticks_off()


def ticks(axes, words, **options):
    axes.set_xticks(range(len(words)), words, **{"fontsize": "small", **options})


def note(axes, words, x, y, offset, **options):
    """Words next to a point."""
    axes.annotate(words, (x, y), offset, textcoords="offset points",
                  **{"ha": "center", "va": "center", "fontsize": "x-small", "bbox": WHITE, **options})


def note_tops(axes, places, tops):
    """The heights of bars."""
    for place, top in zip(places, tops):
        note(axes, f"{top:.3g}", place, top, (0, 5), bbox=None)
    axes.set_ylim(top=max(1.1 * max(tops), axes.get_ylim()[1]))


def line(axes, x, y, style, label=None, **options):
    colour, marker, dashes = style
    axes.plot(x, y, dashes, marker=marker, color=colour, markersize=5, label=label, **options)


def legend(axes, styles, **options):
    """Entries for bars of the styles: label, colour, hatch."""
    from matplotlib.patches import Rectangle
    handles = axes.get_legend_handles_labels()[0] + [
        Rectangle((0, 0), 1, 1, facecolor=colour, hatch=hatch, edgecolor="black", linewidth=0.4, label=label)
        for label, colour, hatch in styles]
    axes.legend(handles=handles, **{**OUTSIDE, **options})


def stack(axes, columns, styles, places=None, width=0.8):
    """Stacked bars; each column is a dictionary of heights by key of the styles. Returns the places and the tops."""
    bottom, places = [0.0] * len(columns), places or range(len(columns))
    for key, (_, colour, hatch) in styles.items():
        heights = [column.get(key, 0.0) for column in columns]
        if any(heights):
            axes.bar(places, heights, width, bottom=bottom, color=colour, hatch=hatch, edgecolor="white", linewidth=0.3)
            bottom = [low + height for low, height in zip(bottom, heights)]
    return places, bottom


def bars_across(axes, names, values, words):
    """A horizontal bar per name, with words at its end."""
    axes.barh(range(len(values)), values, 0.7, color="#9dc3e6", edgecolor="black", linewidth=0.6)
    for place, (value, word) in enumerate(zip(values, words)):
        note(axes, word, value, place, (4, 0), ha="left", fontsize="small")
    axes.set_yticks(range(len(names)), names, fontsize="small")
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, 1.25 * max(values))


def scaled(seconds, factor=1e3):
    return {key: factor * value for key, value in seconds.items()}


# Time by level and kind of operation, and one solve along the time.

def operation_styles(found, fused):
    """Styles of the operations that are found."""
    styles = {name: style for name, style in OPERATIONS.items() if name in found}
    if fused and "smoother" in styles:
        styles["smoother"] = (FUSED, *OPERATIONS["smoother"][1:])
    return styles


def breakdown_table(breakdown):
    styles = operation_styles(breakdown.operations, breakdown.fused)
    return breakdown.table({name: style[0].replace("\n", " ") for name, style in styles.items()})


def breakdown_panel(axes, breakdown, shares):
    styles = operation_styles(breakdown.operations, breakdown.fused)
    factors = [100 / (whole or 1.0) if shares else 1e3 for whole in breakdown.totals]
    places, tops = stack(axes, [scaled(level, factor) for level, factor in zip(breakdown.levels, factors)], styles)
    ticks(axes, list(map("\n".join, breakdown.labels)))
    axes.tick_params(labelleft=True)
    if shares:
        frame(axes, y="% of the level", grid="y")
        legend(axes, list(styles.values())[::-1])
    else:
        frame(axes, breakdown.title, y="ms per solve", grid="y")
        note_tops(axes, places, tops)


def draw_breakdowns(plt, breakdowns, path):
    """Two panels per report: milliseconds, and shares of each level's time."""
    draw(plt, [functools.partial(breakdown_panel, breakdown=breakdown, shares=shares)
               for breakdown in breakdowns for shares in (False, True)], path, 2, (6.5, 3.6), sharey="col")


def gantt(axes, bars, lanes, styles):
    """bars: lane, key of the style, begin and length. lanes: labels by lane, from top to bottom."""
    places = {lane: place for place, lane in enumerate(lanes)}
    for (lane, key), group in grouped(bars, lambda bar: bar[:2]).items():
        axes.broken_barh([bar[2:] for bar in group], (places[lane] - 0.4, 0.8), facecolor=styles[key][1], hatch=styles[key][2],
                         edgecolor="white", linewidth=0)
    axes.set_yticks(range(len(lanes)), lanes.values())
    axes.set_ylim(len(lanes) - 0.4, -0.6)
    legend(axes, [style for key, style in styles.items() if any(bar[1] == key for bar in bars)])


def level_lanes(axes, trace, unit, interval, title="", x=""):
    """Which processor works on which level, on rank 0."""
    stages = trace.of_rank(trace.ranks[0])
    sizes = {stage["args"]["level"]: f"{stage['args']['n']}³" for stage in stages}
    gantt(axes, [(stage["args"]["level"], trace.processor(stage), stage["ts"] / unit, stage["dur"] / unit) for stage in stages],
          dict(sorted(sizes.items())), PROCESSORS)
    axes.set_xlim(*(time / unit for time in interval))
    frame(axes, title, x, f"level of rank {trace.ranks[0]}", "x")


def rank_lanes(axes, trace, unit, ranks, x):
    """What each processor does."""
    stages = [(stage, reports.operation_of(stage["cat"])) for rank in ranks for stage in trace.of_rank(rank)]
    lanes = {(pid, tid): f"rank {pid}: {name}" for (pid, tid), name in sorted(trace.names.items()) if pid in ranks}
    gantt(axes, [((stage["pid"], stage["tid"]), operation, stage["ts"] / unit, stage["dur"] / unit) for stage, operation in stages],
          lanes, operation_styles({operation for _, operation in stages}, trace.fused))
    axes.set_xlim(0, trace.end / unit)
    frame(axes, x=x, grid="x")


def unit_of(time):
    """A unit for times in microseconds, and how many of them it has."""
    return ("ms", 1e3) if time >= 2e3 else ("µs", 1.0)


def draw_timeline(plt, trace, max_ranks, path):
    ranks, (unit, size), coarse = trace.ranks[:max_ranks], unit_of(trace.end), trace.coarse_interval()
    panels = [functools.partial(level_lanes, trace=trace, unit=size, interval=(0, trace.end), title=trace.title(unit, size)),
              functools.partial(rank_lanes, trace=trace, unit=size, ranks=ranks,
                                x=f"{unit} since the first stage began{trace.clocks()}")]
    heights = [1.1 + 0.3 * len({stage["args"]["level"] for stage in trace.stages}),
               max(2.4, 0.8 + 0.5 * sum(1 for pid, _ in trace.names if pid in ranks))]
    if coarse:
        unit, size = unit_of(0.02 * coarse[1])
        panels.append(functools.partial(level_lanes, trace=trace, unit=size, interval=coarse,
                                        x=f"{unit}: the longest time on coarse levels, enlarged"))
        heights.append(heights[0])
    draw(plt, panels, path, size=(13, 0), heights=heights)


# Speed by size, residual by cycle, a slice of a solution.

def size_panel(axes, rows, several, sides, y):
    """A marker per run, hollow if its times are noisy, a line through the fastest of each size, and its values."""
    series = sorted(grouped(rows, lambda row: (row.get("where", ""), row["ranks"])).items())
    for index, (((place, ranks), own), style) in enumerate(zip(series, itertools.cycle(LINES))):
        for row in own:
            axes.plot(row["dof"], row["dof_per_second"] / 1e9, style[1], color=style[0], markersize=5,
                      markerfacecolor="white" if row.get("noisy") in (True, "run") else style[0])
        best = {dof: max(row["dof_per_second"] for row in runs) / 1e9
                for dof, runs in sorted(grouped(own, lambda row: row["dof"]).items())}
        axes.plot(*zip(*best.items()), style[2], color=style[0])
        line(axes, [], [], style, plural(ranks, "rank") + (f"\n{place}" if place and several else ""))
        below = index == 0 and len(series) > 1  # the first line has the fewest ranks
        for dof, rate in best.items():
            note(axes, f"{rate:.3g}", dof, rate, (0, -10 if below else 10), color=style[0])
    axes.margins(0.08)
    axes.set_xscale("log")
    frame(axes, f"order {rows[0]['order']}", "unknowns", y, logarithmic="y", legend={"fontsize": "small", "loc": "lower right"})
    axes.set_xticks([side**3 for side in sides], [f"{side}³" for side in sides])
    axes.set_xticks([], minor=True)


def draw_sizes(plt, rows, path):
    """A panel per order. h, 2h and 4h of a run are sizes of their own. Each machine has its own lines."""
    places = sorted({row.get("where", "") for row in rows})  # the tables of a scaling study do not have them
    sides = sorted({2 ** round(math.log2(row["dof"]) / 3) for row in rows})
    orders = sorted(grouped(rows, lambda row: row["order"]).items())
    noisy = any(row.get("noisy") in (True, "run") for row in rows)
    draw(plt, [functools.partial(size_panel, rows=own, several=places[1:], sides=sides, y="GDOF/s") for _, own in orders], path,
         len(orders), (6.2, 4.4), sharey=True,
         title="Speed by size" + (f", {places[0]}" if len(places) == 1 and places[0] else "")
         + ("; hollow: noisy times" if noisy else ""))


def draw_convergence(plt, paths, found, path):
    """The relative residual after each cycle; before the first cycle it is 1. Reports are named by the options that differ."""
    keys = dict.fromkeys(key for report in found for key in report["config"])
    differing = [key for key in keys if len({report["config"].get(key) for report in found}) > 1]

    def panel(axes):
        for name, report, style in zip(paths, found, itertools.cycle(LINES)):
            history = report["solves"][0]["history"]
            label = ", ".join(f"{key} {report['config'].get(key, '-')}" for key in differing)
            label = label or os.path.basename(name).removesuffix(".json")
            rate = (f"{(history[-1] / history[0]) ** (1 / (len(history) - 1)):.3g} per cycle"
                    if len(history) > 1 and history[0] > 0 else f"{history[-1]:.2g} after the first")
            line(axes, range(len(history) + 1), [1.0, *history], style, f"{label}\n{rate}")
            note(axes, f"{history[-1]:.1e}", len(history), history[-1], (7, 0), ha="left", color=style[0])
        cycles = max(len(report["solves"][0]["history"]) for report in found)
        axes.set_yscale("log")
        axes.set_xticks(range(0, cycles + 1, max(1, cycles // 12)))
        axes.margins(y=0.1)
        axes.set_xlim(-0.2, cycles + 0.8)
        sizes = " and ".join(f"{n}³" for n in sorted({report["solves"][0]["n"] for report in found}))
        frame(axes, f"Residual by cycle, {sizes}", "cycles", "‖f − Au‖ / ‖f‖, max norm", legend=OUTSIDE)

    draw(plt, [panel], path, size=(8.5, 4.6))


def draw_slice(plt, solution, names, k, path):
    """Plane k, in i and j, of each array that is named."""
    def panel(axes, name):
        values = solution.plane(name, k)
        limit = max(max(map(abs, line)) for line in values) or 1.0
        image = axes.imshow(values, origin="lower", cmap="RdBu_r", vmin=-limit, vmax=limit,
                            extent=[0, solution.n[0] * solution.h, 0, solution.n[1] * solution.h])
        axes.figure.colorbar(image, ax=axes, shrink=0.8)
        frame(axes, f"{name}, z = {(k + 0.5) * solution.h:.4g}, {'×'.join(map(str, solution.n))} cells", "x", "y")
        axes.grid(False)

    draw(plt, [functools.partial(panel, name=name) for name in names], path, len(names), (4.6, 4))
    print(f"{os.path.basename(path)}: plane {k} of {solution.n[2]}")


# Scaling studies, from the rows of results.csv and levels.csv.

def size_label(row):
    """As it was asked for."""
    size = f"{row['boxes']} × {2 ** row['log2_box_dim']}³ per rank" if row["kind"] == "weak" else \
        f"{row['boxes']}³ × {2 ** row['log2_box_dim']}³"
    return f"order {row['order']}, {size}"


def transport_of(row):
    """As it was asked for; "" is the program's choice."""
    return row.get("asked") or ""


def series_label(row):
    return ", ".join(filter(None, (size_label(row), transport_of(row))))


def draw_line(axes, own, values, style):
    """Hollow markers have noisy times or uneven ranks. Vertical bars are as long as the spread of the times."""
    colour, marker, dash = style
    axes.plot([row["ranks"] for row in own], values, dash, color=colour, linewidth=1.2)
    for row, value in zip(own, values):
        full = is_even(row) and not is_noisy(row)
        if row.get("spread"):
            axes.errorbar(row["ranks"], value, 0.5 * value * row["spread"], color=colour, linewidth=1.0, capsize=3)
        axes.plot(row["ranks"], value, marker, color=colour, markerfacecolor=colour if full else "white", markersize=6)


class Weak:
    title, axis, notes = "Weak scaling", "DOF/s per rank, % of the first run", ("At the points: efficiency, below it unknowns per rank.", "")

    @staticmethod
    def values(own):
        first = own[0]["dof_per_second"] / own[0]["ranks"]
        return [100 * row["dof_per_second"] / row["ranks"] / first for row in own]

    @staticmethod
    def words(row, value):
        dof = row["dof_per_rank"]
        return f"{value:.1f} %{'*' if is_noisy(row) else ''}", f"{dof / 1e6:.4g} M" if dof >= 1e6 else f"{dof:.0f}"

    @staticmethod
    def ideal(axes, _, values):
        """Draws it. Returns the limits of the axis."""
        axes.axhline(100, color="grey", linewidth=0.8)
        return 0, max(115, 1.1 * max(values))


class Strong:
    title, axis, notes = "Strong scaling", "speed-up", ("At the points: speed-up and efficiency.", "Grey: ideal.")

    @staticmethod
    def values(own):
        return [row["speedup"] for row in own]

    @staticmethod
    def words(row, value):
        return f"{value:.2f}{'*' if is_noisy(row) else ''}", f"{100 * row['efficiency']:.1f} %"

    @staticmethod
    def ideal(axes, ranks, values):
        """Draws it. Returns the limits of the axis."""
        axes.plot(ranks, [number / ranks[0] for number in ranks], color="grey", linewidth=0.8)
        axes.set_yscale("log", base=2)
        marks = [step * 2.0**power for power in range(-1, 12) for step in (1, 1.5)]
        axes.set_yticks(marks, [f"{mark:g}" for mark in marks])
        return 0.9 * min(values), 1.2 * max(*values, ranks[-1] / ranks[0])


def scaling_panel(axes, rows, scaling, styles, all_values):
    """A line per transport. If there is only one, words at the points, else those of its last point in the title."""
    ends, longest = [], []
    for transport, own in grouped(rows, transport_of).items():
        values = scaling.values(own)
        draw_line(axes, own, values, styles[transport])
        longest = max(longest, own, key=len)
        if len(styles) > 1:
            line(axes, [], [], styles[transport], transport or "auto")
            ends.append(f"{transport or 'auto'} {scaling.words(own[-1], values[-1])[0]}")
            continue
        for row, value in zip(own, values):
            above = value < 0.4 * max(values)  # where there is room
            note(axes, "\n".join(scaling.words(row, value)), row["ranks"], value, (0, 9 if above else -9),
                 va="bottom" if above else "top")
    power_axis(axes, [row["ranks"] for row in longest])
    axes.margins(x=0.2)
    frame(axes, x="ranks", y=scaling.axis, legend={"fontsize": "x-small"} if ends else None)
    axes.set_title(size_label(rows[0]) + (f"\n{longest[-1]['ranks']} ranks: {', '.join(ends)}" if ends else ""), fontsize="x-small")
    axes.set_ylim(*scaling.ideal(axes, [row["ranks"] for row in longest], all_values))


def draw_series(plt, rows, path, scaling):
    """A panel per order and size."""
    sizes = grouped(rows, size_label).values()
    styles = dict(zip(grouped(rows, transport_of), LINES))
    columns = -(-len(sizes) // -(-len(sizes) // 4))
    values = [value for size in sizes for own in grouped(size, transport_of).values() for value in scaling.values(own)]
    # Words at neighbouring points, or titles, must not meet.
    width = 0.4 + max(2.7 if len(styles) == 1 else 3.2, 0.8 * len({row["ranks"] for row in rows}))
    machine = [", ".join(sorted({row[key] for row in rows if row.get(key)})) for key in ("gpu", "date")]
    notes = [scaling.notes[0] if len(styles) == 1 else "", scaling.notes[1],
             "Vertical bars: spread." if any(row.get("spread") for row in rows) else ""]
    words = reports.compared_note(rows).replace("* Noisy", "* or hollow: noisy")
    draw(plt, [functools.partial(scaling_panel, rows=size, scaling=scaling, styles=styles, all_values=values) for size in sizes],
         path, columns, (width, 3.3), ", ".join(filter(None, (scaling.title, *machine))),
         f"{' '.join(filter(None, notes))}\n{words}".lstrip())


def level_key(row):
    if row["work"] in ("halo", "redistribution", "hand-over"):
        return "moves" if row["work"] != "halo" else "halo" if row["level"] else "halo 0"
    return str(row["level"]) if row["level"] < 3 else "rest"


def levels_panel(axes, title, levels, solves):
    """Rank-nanoseconds per unknown by level, which are constant if scaling is ideal; black lines: the untimed solves."""
    columns = []
    for ranks, own in sorted(grouped(levels, lambda row: row["ranks"]).items()):
        column = {key: sum(1e9 * row["seconds"] * ranks / row["dof"] for row in rows) for key, rows in grouped(own, level_key).items()}
        solve = next(1e9 * seconds_of(row) * ranks / row["dof"] for row in solves if row["ranks"] == ranks)
        columns.append((column, solve, f"{plural(ranks, 'rank')}\nsolve {solve:.3g}\nstages {sum(column.values()):.3g}"))
    stack(axes, [column for column, _, _ in columns], LEVELS, width=0.6)
    for place, (_, solve, _) in enumerate(columns):
        axes.plot([place - 0.38, place + 0.38], [solve] * 2, color="black", linewidth=2.5)
    ticks(axes, [words for _, _, words in columns])
    frame(axes, title, y="rank-ns per unknown", grid="y")
    used = {level_key(row) for row in levels}
    legend(axes, [*(style for key, style in reversed(LEVELS.items()) if key in used),
                  ("the solve, whose stages\nare not timed", "black", "")], fontsize="x-small")


def draw_scaling(plt, rows, levels, directory):
    """All figures of a study."""
    finest = [row for row in rows if row["level"] == "h"]
    for kind, scaling in (("weak", Weak), ("strong", Strong)):
        own = [row for row in finest if row["kind"] == kind]
        if own:
            draw_series(plt, own, os.path.join(directory, f"{kind}.png"), scaling)
    draw_sizes(plt, [{**row, "where": transport_of(row) if row["ranks"] > 1 else ""} for row in rows],
               os.path.join(directory, "sizes.png"))
    if levels:
        series = grouped(levels, lambda row: (row["kind"], series_label(row)))
        solves = grouped(finest, lambda row: (row["kind"], series_label(row)))
        draw(plt, [functools.partial(levels_panel, title=": ".join(key), levels=own, solves=solves[key])
                   for key, own in series.items()], os.path.join(directory, "levels.png"), min(2, len(series)), (6, 3.6),
             "Stages timed one by one (bars), and the solve itself (black lines)")


# Predictions, from the rows of predict.csv and levels.csv.

def predicted_size(row):
    side = 2 ** row["log2_box_dim"]
    return f"{row['boxes']} × {side}³ cells per rank" if row["kind"] == "weak" else f"{row['boxes'] * side}³ cells in all"


def shape_of(row):
    return row["kind"], row["log2_box_dim"], row["boxes"]


def efficiency_panel(axes, rows):
    """Efficiency against ranks, a line per order and way between nodes."""
    lines = grouped(rows, lambda row: f"order {row['order']}, {row['between']}")
    for (label, own), style in zip(sorted(lines.items()), itertools.cycle(LINES)):
        line(axes, [row["ranks"] for row in own], [100 * row["efficiency"] for row in own], style, label)
    power_axis(axes, sorted({row["ranks"] for row in rows}))
    axes.set_ylim(0, 105)
    frame(axes, f"{rows[0]['kind']}: {predicted_size(rows[0])}", "ranks", "% of the rate per rank of the fewest ranks",
          legend={"fontsize": "small"})


def predicted_levels_panel(axes, levels):
    """Time by level of one prediction."""
    _, tops = stack(axes, [scaled({key: level[key] for key in PREDICTED}) for level in levels], PREDICTED)
    ticks(axes, [f"{level['level_cells'].replace('^3', '³').replace('x', '×')}\non {level['level_ranks']}" for level in levels],
          fontsize="x-small", rotation=90)
    axes.set_ylim(0, 1.05 * max(tops))
    first = levels[0]
    frame(axes, f"{predicted_size(first)}, {first['ranks']} ranks, order {first['order']}, {first['between']}", y="ms per F-cycle",
          grid="y")
    legend(axes, PREDICTED.values(), loc="best", bbox_to_anchor=None)


def draw_prediction(plt, rows, levels, assumed, path):
    """Efficiencies by series above; below, time by level of each way on the most ranks of the first series, first order."""
    first, shapes = rows[0], list(grouped(rows, shape_of).values())
    top = max(row["ranks"] for row in shapes[0] if row["order"] == first["order"])
    bars = grouped((level for level in levels if shape_of(level) == shape_of(first) and level["order"] == first["order"]
                    and level["ranks"] == top), lambda row: row["between"])
    columns = max(len(shapes), len(bars))
    panels = [functools.partial(efficiency_panel, rows=own) for own in shapes] + [None] * (columns - len(shapes))
    panels += [functools.partial(predicted_levels_panel, levels=own) for own in bars.values()]
    draw(plt, panels, path, columns, (5.8, 4.3), f"PREDICTION by run/predict: none of this was run. Assumed: {assumed}",
         colour="#8a0000")


# Studies of --cpu-below; run/thresholds.py has the panels' data.

def threshold_panel(axes, data, styles):
    """data: title; names of the thresholds; columns, seconds by processor; lines, seconds by threshold and label; best."""
    places = {name: place for place, name in enumerate(data["names"])}
    stack(axes, list(map(scaled, data["columns"])), HYBRID, width=0.7)
    for label, seconds in data["lines"].items():
        line(axes, [places[name] for name in seconds], [1e3 * value for value in seconds.values()], styles[label], label,
             markerfacecolor="white")
    axes.plot(places[data["best"][0]], 1e3 * data["best"][1], "*", color="gold", markeredgecolor="black", markersize=15,
              linestyle="none", label="optimum")
    ticks(axes, data["names"])
    frame(axes, data["title"], "--cpu-below, cells", "ms per solve", "y")
    legend(axes, HYBRID.values())


def draw_thresholds(plt, panels, title, path):
    labels = dict.fromkeys(label for data in panels for label in data["lines"])
    styles = dict(zip(labels, itertools.cycle(LINES)))
    draw(plt, [functools.partial(threshold_panel, data=data, styles=styles) for data in panels], path, min(2, len(panels)), (6.5, 4),
         title)


def processors_panel(axes, data):
    """data: title; runs, each with columns of seconds by processor and the names of its levels. A logarithmic scale does not
    stack, so hand-overs have a column of their own."""
    for (names, columns), place in zip(data["runs"], (-0.21, 0.21)):
        stack(axes, list(map(scaled, columns)), HYBRID, [place + number for number in range(len(columns))], 0.4)
        ticks(axes, names)
    frame(axes, data["title"], "level", "ms per solve", "y", "y" if data["runs"] else "")
    legend(axes, HYBRID.values())


def draw_processors(plt, panels, path):
    draw(plt, [functools.partial(processors_panel, data=data) for data in panels], path, min(2, len(panels)), (6.5, 4.2),
         "Stages timed one by one, by level: together they take longer than the solve")


# hpgmg-lab.

def label_points(axes, points):
    """points: x, y, text. Each text goes where most room is, near its point."""
    scale = axes.figure.dpi / 72
    places = [axes.transData.transform(point[:2]) for point in points]
    taken = list(places)
    for place, (x, y, text) in zip(places, points):
        best = None
        for radius, angle in itertools.product((10, 17, 25, 35, 46), range(0, 360, 30)):
            offset = (radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle)))
            at = (place[0] + scale * offset[0], place[1] + scale * offset[1])
            room = min((math.dist(at, other) for other in taken if other is not place), default=math.inf)
            room = min(room, 13 * scale) - 0.02 * radius  # near where there is room enough
            if best is None or room > best[0]:
                best = (room, offset, at)
        taken.append(best[2])
        arrow = {"arrowstyle": "-", "linewidth": 0.5, "color": "grey", "shrinkA": 4, "shrinkB": 5}
        note(axes, text, x, y, best[1], fontsize=8, bbox=None, arrowprops=arrow if math.hypot(*best[1]) > 11 else None)


def ceiling_lines(axes, rates, peaks, limits):
    """Slanted lines for bytes, horizontal ones for arithmetic."""
    top = max(peak for _, peak in peaks)
    for (label, rate), dashes in zip(rates, ("-", "--")):
        ridge = min(limits[1], top / rate)
        axes.plot([limits[0], ridge], [limits[0] * rate / 1e9, ridge * rate / 1e9], dashes, color="black", linewidth=1,
                  label=f"{label}: {reports.prefixed(rate, 'B/s')}")
    for (label, peak), dashes in zip(peaks, ("-", ":")):
        axes.plot(limits, [peak / 1e9] * 2, dashes, color="#7f7f7f", linewidth=2.2,
                  label=f"{label}: {reports.prefixed(peak, 'FLOP/s')}")


def roofline_panel(axes, machine, rows, markers):
    rates, peaks = reports.ceilings(machine)
    points = [(row["intensity"], row["flops_per_second"] / 1e9, str(row["number"])) for row in rows]
    limits = 0.6 * min(point[0] for point in points), 1.3 * max([point[0] for point in points] + [peaks[0][1] / rates[0][1]])
    ceiling_lines(axes, rates, peaks, limits)
    for row, (x, y, _) in zip(rows, points):
        axes.plot(x, y, markers[row["stage"]], color="black", markersize=7, markerfacecolor=KERNELS[row["kind"]][1],
                  markeredgewidth=0.8)
    for stage in dict.fromkeys(row["stage"] for row in rows):
        axes.plot([], [], markers[stage], color="black", markerfacecolor="white", label=stage)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(limits)
    axes.set_ylim(0.5 * min(point[1] for point in points), 1.5 * max([point[1] for point in points] + [peaks[0][1] / 1e9]))
    frame(axes, f"Roofline of order {rows[0]['order']}, {reports.sizes_of(rows)} cells, {reports.lab_processor(machine)}",
          "FP64 operations per byte that the kernels must move (numbers: rows of the table)", "GFLOP/s (FP64)", logarithmic="xy")
    legend(axes, KERNELS.values())
    return functools.partial(label_points, axes, points)


def draw_roofline(plt, machine, kernels, path):
    """A panel per order; kernels are rows of reports.kernel_rows."""
    markers = dict(zip(dict.fromkeys(row["stage"] for row in kernels), itertools.cycle(MARKERS)))
    draw(plt, [functools.partial(roofline_panel, machine=machine, rows=rows, markers=markers)
               for _, rows in sorted(grouped(kernels, lambda row: row["order"]).items())], path, size=(9.5, 4.9))


def ladder_panel(axes, report):
    rungs, kepler = report["rungs"], report.get("kepler_speed_ups", ())[1:] if reports.on_gpu(report) else ()
    speeds = [rung["cells_per_second"] / 1e9 for rung in rungs]
    for factor in kepler:
        axes.axvline(factor * speeds[0] / rungs[0]["speed_up"], color="#c55a11", linestyle="--", linewidth=1.2)
    bars_across(axes, [rung["rung"] for rung in rungs], speeds, [f"{rung['speed_up']:.2f}" for rung in rungs])
    slides = f"\ndashed: {' and '.join(map('{:.2f}'.format, kepler))} times the first rung (NVIDIA's slides, Kepler)"
    frame(axes, f"Ladder of order {report['options']['order']}, {report['options']['n']}³ cells, {reports.lab_processor(report)}",
          "Gcell/s, red and black; at the bars: speed-up" + (slides if kepler else ""), grid="x")


def rung_panel(axes, report):
    """What is known of the rungs."""
    columns = list(reports.rung_columns(report["rungs"]))
    for column, (heading, words) in enumerate(columns):
        for place, word in [(-0.7, heading), *enumerate(words)]:
            axes.text(column + (0.9 if heading == "limiter" else 0.5), place, word, ha="center",
                      va="bottom" if place < 0 else "center", fontsize=8.5)
    axes.set_xlim(0, len(columns) + 0.8)
    axes.axis("off")


def draw_ladder(plt, found, path):
    draw(plt, [functools.partial(panel, report=report) for report in found for panel in (ladder_panel, rung_panel)], path, 2,
         (4.8, 0), heights=[1.3 + 0.34 * len(report["rungs"]) for report in found], sharey="row", width_ratios=(5, 4))


def draw_strides(plt, report, path):
    """A panel per type; a line per number of FMAs."""
    def panel(axes, size, rows):
        strides = sorted({row["stride"] for row in rows})
        for (fmas, own), style in zip(sorted(grouped(rows, lambda row: row["fmas"]).items()), itertools.cycle(LINES)):
            points = sorted((strides.index(row["stride"]), row["elements_per_second"] / 1e9) for row in own)
            line(axes, *zip(*points), style, plural(fmas, "FMA"))
        ticks(axes, [f"{stride:g}" for stride in strides])
        frame(axes, "doubles" if size == 8 else "floats", f"stride, {'doubles' if size == 8 else 'floats'}",
              "billions of elements per second", logarithmic="y", legend={"title": "per element", "fontsize": "small"})

    sizes = sorted(grouped(reports.experiment(report, "strides"), lambda row: row["element_bytes"]).items(), reverse=True)
    draw(plt, [functools.partial(panel, size=size, rows=rows) for size, rows in sizes], path, len(sizes), (5, 4), sharey=True,
         title=f"Strides and arithmetic, arrays of {report['array_bytes'] / 1e6:.3g} MB, {reports.lab_processor(report)}")


def host_panel(axes, rows):
    """GB/s against size by kind; hollow to the host; a kind of one size is a marker."""
    for (kind, own), style in zip(grouped(rows, lambda row: row["kind"]).items(), itertools.cycle(LINES)):
        line(axes, [row["transfer_bytes"] for row in own], [row["bytes_per_second"] / 1e9 for row in own], style, kind,
             markerfacecolor="white" if own[0]["to_host"] else style[0])
    power_axis(axes, sorted({row["transfer_bytes"] for row in rows}), reports.binary_size)
    frame(axes, "Transfers between host and device", "size of one transfer", "GB/s", "y", "y", OUTSIDE)


def points_panel(axes, rows):
    """Milliseconds of a field by what is transferred."""
    fields = list(dict.fromkeys(row["field"] for row in rows))
    modes = {mode: style for mode, style in MODES.items() if any(row["mode"] == mode for row in rows)}
    for index, mode in enumerate(modes):
        own = [row for row in rows if row["mode"] == mode]
        places = [fields.index(row["field"]) + 0.2 * (index - 0.5 * (len(modes) - 1)) for row in own]
        note_tops(axes, *stack(axes, [{mode: 1e3 * row["seconds"]} for row in own], modes, places, 0.2))
    ticks(axes, [field.replace(", ", "\n") for field in fields])
    axes.margins(y=0.12)
    frame(axes, "A field of points, alone and with its transfers", y="ms", grid="y", logarithmic="y")
    legend(axes, modes.values())


def draw_transfers(plt, report, path):
    """Host memory, and fields of points with their transfers; whichever the report has."""
    draw(plt, [functools.partial(panel, rows=rows) for panel, rows in (
        (host_panel, reports.host_rows(report)), (points_panel, reports.points_rows(report))) if rows], path, size=(9.5, 4),
         title=reports.lab_processor(report))


def access_panel(axes, rows, title):
    """Doubles per second, by the strides of reads and writes; darker is faster."""
    strides = sorted({row["read_stride"] for row in rows})
    rates = {(row["read_stride"], row["write_stride"]): row["elements_per_second"] / 1e9 for row in rows}
    grid, limit = [[rates[read, write] for write in strides] for read in strides], max(rates.values())
    axes.imshow(grid, cmap="Blues", vmin=0, vmax=1.2 * limit, aspect="auto")
    for (place, read), (column, write) in itertools.product(enumerate(strides), repeat=2):
        rate = rates[read, write]
        axes.text(column, place, f"{rate:.3g}", ha="center", va="center", color="white" if rate > 0.7 * limit else "black")
    words = [f"{stride:g}" for stride in strides]
    ticks(axes, words)
    axes.set_yticks(range(len(words)), words, fontsize="small")
    frame(axes, f"{title}: billions of doubles per second", "stride of writes, doubles", "stride of reads, doubles")
    axes.grid(False)


def cases_panel(axes, rows, title):
    """A bar per case with its rate; the error too, where there is one. LU counts arithmetic."""
    arithmetic = rows[0]["experiment"] == "lu"
    rates = [row["flops_per_second" if arithmetic else "elements_per_second"] / 1e9 for row in rows]
    bars_across(axes, [row["name"] for row in rows], rates,
                [f"{rate:.3g}" + (f", error {row['error']:.1e}" if row["error"] else "") for row, rate in zip(rows, rates)])
    frame(axes, title, "GFLOP/s" if arithmetic else "billions of elements per second", grid="x")


def draw_cases(plt, report, name, path):
    rows, title = reports.experiment(report, name), f"{reports.title_of(name)}, {reports.lab_processor(report)}"
    panel, size = (access_panel, (7.5, 4.6)) if name == "access" else (cases_panel, (9.5, 1.1 + 0.28 * len(rows)))
    draw(plt, [functools.partial(panel, rows=rows, title=title)], path, size=size)
