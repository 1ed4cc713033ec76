# SPDX-License-Identifier: BSD-3-Clause
"""Figures of hpgmg-gpu's reports: time by level, timeline, speed by size. scaling_drawing.py draws studies.

Colours differ in lightness and bars in hatching too, so that figures can be read in black and white."""
import itertools
import math
import os

import study

# Kinds of work, as the report's stages name them, from the bottom of a bar to its top: label, colour, hatch.
WORKS = {
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
PROCESSORS = {"GPU": ("#1f4e79", ""), "CPU": ("#f4b183", "////")}
LINES = [("black", "o", "-"), ("#c55a11", "s", "--"), ("#2e75b6", "^", "-."), ("#548235", "D", ":")]
OUTSIDE = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0.0, "fontsize": "small"}
FUSED = "smoother, with what\nis fused to it"


def pyplot(tool):
    """matplotlib's pyplot, or None and a word that it is missing."""
    plt = study.pyplot(tool)
    if plt:
        plt.rcParams.update({"hatch.linewidth": 0.6, "svg.hashsalt": "hpgmg-gpu", "axes.axisbelow": True})
    return plt


def save_figure(plt, figure, path):
    """With room for legends and notes outside of the axes."""
    figure.tight_layout()
    figure.savefig(path, dpi=150, bbox_inches="tight")
    plt.close(figure)


def work_of(stage):
    work = stage.get("work", "other")
    return work if work in WORKS else "other"


def plain_numbers(axis):
    """A logarithmic axis with 1, 2, 5, 10 and not powers of ten; with more numbers where it is short."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(type(axis.get_major_locator())(subs=(1, 2, 5) if high > 40 * low else (1, 1.5, 2, 3, 4, 5, 7)))
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_formatter(lambda value, _: "")


def write_above(axes, places, tops, size):
    """The heights of bars."""
    for place, top in zip(places, tops):
        axes.annotate(f"{top:.3g}", (place, top), (0, 2), textcoords="offset points", ha="center", fontsize=size)


def stack(axes, places, columns, styles, width=0.8, labels=True):
    """Stacked bars; each column is a dictionary of heights by key, styles has label, colour and hatch by key."""
    bottom = [0.0] * len(columns)
    for key, (label, colour, hatch) in styles.items():
        heights = [column.get(key, 0.0) for column in columns]
        if any(heights):
            axes.bar(places, heights, width, bottom=bottom, color=colour, hatch=hatch, edgecolor="white", linewidth=0.3,
                     label=label if labels else None)
            bottom = [low + height for low, height in zip(bottom, heights)]
    return bottom


# Time by level and kind of work.

class Breakdown:
    """Seconds by level and kind of work of a report's largest size."""

    def __init__(self, report):
        self.report, self.solve = report, report["solves"][0]
        self.sizes = [level["n"] for level in report["hierarchy"]["levels"]]
        self.backends = [level["backend"] for level in report["hierarchy"]["levels"]]
        self.levels = [{} for _ in self.sizes]
        for stage in self.solve["stages"]:
            seconds = self.levels[stage["level"]]
            seconds[work_of(stage)] = seconds.get(work_of(stage), 0.0) + stage["seconds"]
        self.totals = [sum(level.values()) for level in self.levels]
        self.total = sum(self.totals)

    def fused(self):
        return self.report["config"].get("fuse", "on") == "on"

    def works(self):
        return [work for work in WORKS if any(work in level for level in self.levels)]

    def sum_of(self, work):
        return sum(level.get(work, 0.0) for level in self.levels)

    def title(self):
        ranks = self.report["ranks"]
        return (f"{self.solve['n']}³, order {self.report['order']}, {machine_of(self.report)}, {ranks} rank{'s' if ranks > 1 else ''}, "
                f"{'fused' if self.fused() else 'not fused'}: {1e3 * self.total:.3g} ms, stages timed one by one; "
                f"the solve takes {1e3 * study.solve_seconds(self.report, self.solve):.3g} ms")


def breakdown_table(breakdown):
    """A caption, headings and rows: milliseconds, and in brackets the share of the level."""
    rows = []
    for work in breakdown.works():
        seconds = [level.get(work, 0.0) for level in breakdown.levels] + [breakdown.sum_of(work)]
        cells = [f"{1e3 * part:.4f} ({100 * part / whole:.1f})" if part else ""
                 for part, whole in zip(seconds, breakdown.totals + [breakdown.total])]
        rows.append((FUSED.replace("\n", " ") if work == "smoother" and breakdown.fused() else WORKS[work][0], *cells))
    totals = breakdown.totals + [breakdown.total]
    rows.append(("level", *(f"{1e3 * part:.4f}" for part in totals)))
    rows.append(("% of the solve", *(f"{100 * part / breakdown.total:.1f}" for part in totals)))
    labels = [f"{size}³ {backend}" for size, backend in zip(breakdown.sizes, breakdown.backends)]
    return breakdown.title(), ("ms (% of the level)", *labels, "all levels"), rows


def print_breakdown(breakdown):
    """The table in Markdown."""
    title, headings, rows = breakdown_table(breakdown)
    print(f"\n{title}\n")
    print(f"| {' | '.join(headings)} |")
    print("| --- |" + " ---: |" * (len(headings) - 1))
    for row in rows:
        print(f"| {' | '.join(row)} |")


def draw_breakdowns(plt, breakdowns, path):
    """A row of two panels per report: milliseconds, and shares of each level's time."""
    figure, panels = plt.subplots(len(breakdowns), 2, figsize=(13, 0.4 + 3.4 * len(breakdowns)), squeeze=False,
                                  sharey="col")
    for (left, right), breakdown in zip(panels, breakdowns):
        places = range(len(breakdown.levels))
        styles = {work: WORKS[work] for work in breakdown.works()}
        if breakdown.fused() and "smoother" in styles:
            styles["smoother"] = (FUSED, *WORKS["smoother"][1:])
        tops = stack(left, places, [{work: 1e3 * part for work, part in level.items()} for level in breakdown.levels],
                     styles)
        write_above(left, places, tops, "x-small")
        stack(right, places, [{work: 100 * part / (whole or 1.0) for work, part in level.items()}
                              for level, whole in zip(breakdown.levels, breakdown.totals)], styles)
        ticks = [f"{size}³\n{backend}" for size, backend in zip(breakdown.sizes, breakdown.backends)]
        for axes, label in ((left, "ms per solve"), (right, "% of the level")):
            axes.set_xticks(list(places), ticks, fontsize="small")
            axes.set_ylabel(label)
            axes.grid(True, axis="y", alpha=0.3)
            axes.tick_params(labelleft=True)
        left.set_title(breakdown.title(), fontsize="medium", loc="left")
        handles, labels = right.get_legend_handles_labels()
        right.legend(handles[::-1], labels[::-1], **OUTSIDE)
    left.set_ylim(top=1.1e3 * max(max(breakdown.totals) for breakdown in breakdowns))
    save_figure(plt, figure, path)


# One solve along the time.

class Trace:
    """The stages of a file of --timeline."""

    def __init__(self, trace):
        self.about = trace.get("otherData", {})
        events = trace["traceEvents"]
        self.names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
                      if event["ph"] == "M" and event["name"] == "thread_name"}
        self.stages = [event for event in events if event["ph"] == "X"]
        self.ranks = sorted({event["pid"] for event in self.stages})
        self.end = max(event["ts"] + event["dur"] for event in self.stages)

    def unit(self):
        """Name of the unit of time, and its microseconds."""
        return ("ms", 1e3) if self.end >= 2e3 else ("µs", 1.0)

    def tracks(self, ranks):
        return [track for track in sorted(self.names) if track[0] in ranks]

    def processor(self, stage):
        return self.names[stage["pid"], stage["tid"]]

    def title(self):
        unit, size = self.unit()
        title = f"One solve, stages timed one by one: {self.end / size:.3g} {unit}"
        if "n" in self.about:
            ranks = f"{self.about['ranks']} rank{'s' if self.about['ranks'] > 1 else ''}"
            title = (f"{self.about['n']}³, order {self.about['order']}, {ranks}, "
                     f"{'fused' if self.about['fuse'] == 'on' else 'not fused'}. {title}")
        if self.about.get("seconds_per_solve"):
            title += f"; the solve takes {1e6 * self.about['seconds_per_solve'] / size:.4g} {unit}"
        return title

    def clocks(self):
        """By how much the begin of a stage may be wrong against that of another rank."""
        error = self.about.get("clock_error_seconds")
        if error is None or self.about["ranks"] == 1:
            return ""
        return f"; clocks of ranks within ±{1e6 * error:.3g} µs" if error else "; ranks share a clock"


def draw_bars(axes, stages, row, height, unit, style):
    """Bars of one style; row(stage) is the middle of the stage's bar."""
    colour, hatch = style
    for place, group in itertools.groupby(sorted(stages, key=row), key=row):
        bars = [(stage["ts"] / unit, stage["dur"] / unit) for stage in group]
        axes.broken_barh(bars, (place - height / 2, height), facecolor=colour, hatch=hatch, edgecolor="white",
                         linewidth=0)


def legend(plt, axes, entries):
    """entries: label, colour, hatch."""
    patches = [plt.Rectangle((0, 0), 1, 1, facecolor=colour, hatch=hatch, edgecolor="white", label=label)
               for label, colour, hatch in entries]
    axes.legend(handles=patches, **OUTSIDE)


def level_panel(plt, axes, trace, unit):
    """Which processor works on which level, on rank 0."""
    stages = [stage for stage in trace.stages if stage["pid"] == trace.ranks[0]]
    sizes = {stage["args"]["level"]: stage["args"]["n"] for stage in stages}
    for name, style in PROCESSORS.items():
        own = [stage for stage in stages if trace.processor(stage) == name]
        draw_bars(axes, own, lambda stage: stage["args"]["level"], 0.8, unit, style)
    levels = sorted(sizes)
    axes.set_yticks(levels, [f"{sizes[level]}³" for level in levels])
    axes.set_ylim(levels[-1] + 0.6, levels[0] - 0.6)
    axes.set_ylabel(f"level of rank {trace.ranks[0]}")
    used = {trace.processor(stage) for stage in stages}
    legend(plt, axes, [(name, *style) for name, style in PROCESSORS.items() if name in used])


def track_panel(plt, axes, trace, unit, ranks):
    """What each processor does."""
    tracks = trace.tracks(ranks)
    rows = {track: row for row, track in enumerate(tracks)}
    stages = [stage for stage in trace.stages if stage["pid"] in ranks]
    found = {stage["cat"] if stage["cat"] in WORKS else "other" for stage in stages}
    for work in WORKS:
        own = [stage for stage in stages if (stage["cat"] if stage["cat"] in WORKS else "other") == work]
        draw_bars(axes, own, lambda stage: rows[stage["pid"], stage["tid"]], 0.8, unit, WORKS[work][1:])
    axes.set_yticks(range(len(tracks)), [f"rank {pid}: {trace.names[pid, tid]}" for pid, tid in tracks])
    axes.set_ylim(len(tracks) - 0.4, -0.6)
    fused = trace.about.get("fuse") == "on"
    legend(plt, axes, [(FUSED if fused and work == "smoother" else WORKS[work][0], *WORKS[work][1:])
                       for work in WORKS if work in found])


def coarse_stretch(trace):
    """The longest time for which rank 0 works on none of the two finest levels, in microseconds; None if there is none."""
    fine = sorted((stage["ts"], stage["ts"] + stage["dur"]) for stage in trace.stages
                  if stage["pid"] == trace.ranks[0] and stage["args"]["level"] < 2)
    gaps = [(after[0] - before[1], before[1], after[0]) for before, after in zip(fine, fine[1:])]
    length, begin, end = max(gaps, default=(0, 0, 0))
    return (begin, end) if length > 0 else None


def zoom_panel(plt, axes, trace, stretch):
    unit, size = ("ms", 1e3) if stretch[1] >= 1e5 else ("µs", 1.0)
    level_panel(plt, axes, trace, size)
    axes.set_xlim(stretch[0] / size, stretch[1] / size)
    axes.set_ylim(top=1.4)
    axes.set_xlabel(f"{unit}: the longest time on coarse levels, enlarged")
    axes.grid(True, axis="x", alpha=0.3)


def draw_timeline(plt, trace, most_ranks, path):
    ranks = trace.ranks[:most_ranks]
    unit, size = trace.unit()
    stretch = coarse_stretch(trace)
    levels = len({stage["args"]["level"] for stage in trace.stages})
    heights = [0.8 + 0.3 * levels, max(2.4, 0.8 + 0.5 * len(trace.tracks(ranks)))]
    heights += [0.8 + 0.3 * levels] if stretch else []
    figure, panels = plt.subplots(len(heights), 1, figsize=(13, 0.9 + sum(heights)), height_ratios=heights)
    level_panel(plt, panels[0], trace, size)
    track_panel(plt, panels[1], trace, size, ranks)
    for axes in panels[:2]:
        axes.grid(True, axis="x", alpha=0.3)
        axes.set_xlim(0, trace.end / size)
    panels[0].set_title(trace.title(), fontsize="medium", loc="left")
    panels[1].set_xlabel(f"{unit} since the first stage began{trace.clocks()}")
    if stretch:
        zoom_panel(plt, panels[2], trace, stretch)
    save_figure(plt, figure, path)


# Speed by size.

def finish_axes(axes, x, y, title):
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title)
    axes.grid(True, which="major", alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(**OUTSIDE)


def machine_of(report):
    """What a run of hpgmg-gpu was done on: the names of its levels' processors."""
    environment, threads = report["environment"], report["threads"]
    kinds = sorted({level["backend"] for level in report["hierarchy"]["levels"]}, reverse=True)
    names = " and ".join(environment[kind] or kind.upper() for kind in kinds)
    return names + (f", {threads} thread{'s' if threads != 1 else ''}" if "cpu" in kinds else "")


def size_rows(reports):
    """The sizes of hpgmg-gpu's reports as rows for draw_sizes."""
    return [{"order": report["order"], "ranks": report["ranks"], "where": machine_of(report),
             "noisy": solve.get("noisy"), **{key: solve[key] for key in ("n", "dof", "dof_per_second")}}
            for report in reports for solve in report["solves"] if solve["dof_per_second"]]


def best_by_size(rows):
    """Unknowns, and the fastest GDOF/s of each."""
    sizes = sorted({row["dof"] for row in rows})
    return sizes, [max(row["dof_per_second"] for row in rows if row["dof"] == size) / 1e9 for size in sizes]


def is_noisy_size(row):
    """By a report, or by the table of a scaling study."""
    return row.get("noisy") in (True, "run")


def size_panel(axes, rows, places):
    """A marker per run, hollow if its times are noisy, a line through the fastest of each size, and its values above or below."""
    series = sorted({(row.get("where", ""), row["ranks"]) for row in rows})
    for index, ((place, ranks), (colour, marker, dashes)) in enumerate(zip(series, itertools.cycle(LINES))):
        own = [row for row in rows if (row.get("where", ""), row["ranks"]) == (place, ranks)]
        axes.plot([row["dof"] for row in own], [row["dof_per_second"] / 1e9 for row in own], marker, color=colour, markersize=5)
        sizes, best = best_by_size(own)
        axes.plot(sizes, best, dashes, marker=marker, color=colour, markersize=5,
                  label=f"{ranks} rank{'s' if ranks > 1 else ''}" + (f"\n{place}" if place and places[1:] else ""))
        noisy = list(filter(is_noisy_size, own))
        axes.plot([row["dof"] for row in noisy], [row["dof_per_second"] / 1e9 for row in noisy], marker, color="white", markersize=2.5)
        below = index == 0 and len(series) > 1  # the first line has the fewest ranks
        for size, rate in zip(sizes, best):
            axes.annotate(f"{rate:.3g}", (size, rate), (0, -8 if below else 6), textcoords="offset points", ha="center",
                          va="top" if below else "bottom", fontsize="x-small", color=colour)


def draw_sizes(plt, rows, path):
    """A panel per order. h, 2h and 4h of a run are sizes of their own. Each machine has its own lines."""
    orders = sorted({row["order"] for row in rows})
    places = sorted({row.get("where", "") for row in rows})  # the tables of a scaling study do not have them
    figure, panels = plt.subplots(1, len(orders), figsize=(1.8 + 5.2 * len(orders), 4.4), squeeze=False, sharey=True)
    sides = sorted({2 ** round(math.log2(row["dof"]) / 3) for row in rows})
    for axes, order in zip(panels[0], orders):
        size_panel(axes, [row for row in rows if row["order"] == order], places)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.margins(0.08)
        axes.set_xticks([side**3 for side in sides], [f"{side}³" for side in sides])
        axes.set_xticks([], minor=True)
        plain_numbers(axes.yaxis)
        finish_axes(axes, "unknowns", "GDOF/s" if order == orders[0] else "", f"order {order}")
        axes.legend(fontsize="small")
    figure.suptitle("Speed by size" + (f", {places[0]}" if len(places) == 1 and places[0] else "")
                    + ("; hollow: noisy times" if any(map(is_noisy_size, rows)) else ""), x=0.02, ha="left")
    save_figure(plt, figure, path)
