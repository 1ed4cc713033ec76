# SPDX-License-Identifier: BSD-3-Clause
"""Runs over values of --cpu-below: their rows, table and figures. For run/threshold and run/report-machine."""
import functools
import os

from drawing import plain_numbers
from study import Case, grouped, pyplot, save_figure, solve_seconds, write_csv

COLUMNS = ("size", "n", "order", "ranks", "threads", "cpu_below", "agglomerate_below", "median_seconds",
           "spread", "min_seconds", "checksum", "hand_over", "level", "level_n", "gpu_seconds", "hand_over_seconds",
           "cpu_seconds", "file")
# Label, colour and hatch: dark, light and middle without colours too.
PARTS = {"gpu": ("GPU", "#5b8fc7", ""), "hand_over": ("hand-over", "#a01818", "xxx"), "cpu": ("CPU", "#f5c878", "//")}
LINES = (("black", "o-"), ("black", "s--"), ("dimgrey", "^:"), ("dimgrey", "v-."), ("black", "D:"), ("dimgrey", "P--"))
MOVES = ("agglomerate", "distribute")  # stages that move data to the next level and back


def cells(threshold):
    """A sort key: no level has fewer cells than never."""
    return 0 if threshold == "never" else int(threshold)


class Run(Case):
    """One run of the study."""

    def __init__(self, size, order, threads, below, agglomerate):
        super().__init__(order=order, threads=threads)
        self.size, self.order, self.threads = size, order, threads
        self.below, self.agglomerate = below, agglomerate

    def name(self):
        agglomerate = f"-agglomerate{self.agglomerate}" if self.agglomerate else ""
        return f"order{self.order}-{self.size[0]}x{self.size[1]}-threads{self.threads}-below{self.below}{agglomerate}"

    def command(self, arguments):
        # env behind the launcher: not every launcher hands variables on to ranks of other nodes.
        words = arguments.launcher + ["env", f"OMP_NUM_THREADS={self.threads}", arguments.program]
        words += ["--order", str(self.order), "--cpu-below", self.below]
        words += ["--agglomerate-below", self.agglomerate] if self.agglomerate else []
        # Stages are only timed for a report that is printed.
        words += ["--solves", str(arguments.solves), "--json", self.path(arguments, "json"), "--breakdown"]
        return words + arguments.options + [str(number) for number in self.size]

    def seconds(self):
        return solve_seconds(self.report, self.solve())

    def levels(self):
        """One dictionary of seconds by part for each level, the finest first, from the solves with timed stages."""
        backends = [level["backend"] for level in self.report["hierarchy"]["levels"]]
        levels = [dict.fromkeys(PARTS, 0.0) for _ in backends]
        for stage in self.solve()["stages"]:
            level, part = stage["level"], backends[stage["level"]]
            if stage["stage"] in MOVES and backends[level] != backends[level + 1]:
                part = "hand_over"
            levels[level][part] += stage["seconds"]
        return levels

    def parts(self):
        """The seconds of all levels by part: the median divided as the timed solves together if their recording tells,
        else as levels()."""
        solve, mean = self.solve(), self.solve()["seconds_per_solve"]
        if "cpu_seconds" in solve:
            cpu, hand_over = solve["cpu_seconds"], solve["hand_over_seconds"]
            parts = {"gpu": mean - cpu - hand_over, "hand_over": hand_over, "cpu": cpu}
            return {part: seconds * self.seconds() / mean for part, seconds in parts.items()}
        if len(self.backends()) == 1:
            return {part: self.seconds() if part in self.backends() else 0.0 for part in PARTS}
        levels = self.levels()
        return {part: sum(level[part] for level in levels) for part in PARTS}

    def level_sizes(self):
        return [level["n"] for level in self.report["hierarchy"]["levels"]]

    def backends(self):
        return {level["backend"] for level in self.report["hierarchy"]["levels"]}


def rows_of(case):
    """A row for all levels together, and one for each."""
    solve, n = case.solve(), case.solve()["n"]
    run = {"size": f"{case.size[0]}:{case.size[1]}", "n": n, "order": case.order, "ranks": case.report["ranks"],
           "threads": case.threads, "cpu_below": case.below,
           "agglomerate_below": case.agglomerate or case.report["config"]["agglomerate-below"],
           "median_seconds": case.seconds(), "spread": solve["seconds"].get("spread"),
           "min_seconds": solve["seconds"]["min"],
           "checksum": solve["checksum"], "hand_over": solve.get("hand_over") or "", "file": f"{case.name()}.json"}
    levels = [("all", n, case.parts()), *zip(range(len(case.levels())), case.level_sizes(), case.levels())]
    for level, level_n, parts in levels:
        yield {**run, "level": level, "level_n": level_n, **{f"{part}_seconds": parts[part] for part in PARTS}}


def fastest(cases):
    return min(cases, key=Run.seconds, default=None)


def problems(cases):
    """Lists of cases with the same size and order."""
    return list(grouped(cases, lambda case: (case.size, case.order)).values())


def without_cpu(cases):
    """The fastest run with all levels on the GPU."""
    return fastest([case for case in cases if case.backends() == {"gpu"}])


def hybrid(cases):
    """The fastest run with levels on both."""
    return fastest([case for case in cases if case.backends() == {"cpu", "gpu"}])


def summary_table(cases):
    """A caption, headings and rows: the optimum of each size and order beside the fastest run without the CPU."""
    rows = []
    for group in problems(cases):
        best, gpu = fastest(group), without_cpu(group)
        compared = (f"{1e3 * gpu.seconds():.3f}", f"{best.seconds() / gpu.seconds():.2f}") if gpu else ("not run", "")
        row = next(rows_of(best))
        rows.append((f"{row['n']}^3", str(best.order), str(row["ranks"]), best.below, str(best.threads),
                     row["agglomerate_below"], f"{1e3 * best.seconds():.3f}", *compared))
    return ("Optimum", ("size", "order", "ranks", "optimum of --cpu-below", "threads", "--agglomerate-below",
                        "median ms per solve", "GPU only, ms", "ratio"), rows)


def print_table(cases):
    _, headings, rows = summary_table(cases)
    print(f"\n| {' | '.join(headings)} |")
    print("| --- |" + " --- |" * (len(headings) - 1))
    for row in rows:
        print(f"| {' | '.join(row)} |")


def bars(axes, places, columns, width, labels):
    """Stacked bars; each column is a dictionary of seconds by part."""
    bottom = [0.0] * len(columns)
    for part, (label, colour, hatch) in PARTS.items():
        heights = [1e3 * column[part] for column in columns]
        axes.bar(places, heights, width, bottom=bottom, color=colour, hatch=hatch, edgecolor="black", linewidth=0.5,
                 label=label if labels else None)
        bottom = [below + height for below, height in zip(bottom, heights)]


def draw_panels(plt, groups, panel, title, path):
    """One panel for each size and order, two in a row."""
    figure, panels = plt.subplots(-(-len(groups) // 2), min(2, len(groups)), squeeze=False,
                                  figsize=(5.5 * min(2, len(groups)), 3.9 * -(-len(groups) // 2) + 0.6))
    for axes, group in zip(panels.flat, groups):
        axes.set_ylabel("ms per solve")
        axes.grid(True, axis="y", alpha=0.3)
        axes.set_axisbelow(True)
        panel(axes, group)
    for axes in list(panels.flat)[len(groups):]:
        axes.set_visible(False)
    figure.suptitle(title)
    handles = {}  # by label: the panels share one legend
    for axes in panels.flat:
        handles.update({label: handle for handle, label in zip(*axes.get_legend_handles_labels())})
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncol=min(6, max(1, len(handles))))
    save_figure(plt, figure, path, 0.35 * -(-len(handles) // 6) / figure.get_figheight())


def title_of(case):
    ranks = case.report["ranks"]
    return f"{case.solve()['n']}³, order {case.order}" + (f", {ranks} ranks" if ranks > 1 else "")


def series_of(case):
    return case.threads, case.agglomerate or ""


def threshold_panel(series, axes, group):
    """series: all that the figure has lines for; each has its style in all panels."""
    by_below = grouped(group, lambda case: case.below)
    places = {below: place for place, below in enumerate(sorted(by_below, key=cells))}
    parts = [fastest(cases).parts() for cases in by_below.values()]
    bars(axes, [places[below] for below in by_below], parts, 0.7, True)
    for key, line in grouped(group, series_of).items():
        threads, agglomerate = key
        label = "1 thread" if threads == 1 else f"{threads} threads"
        label += f", agglomerate below {agglomerate}" if agglomerate else ""
        colour, style = LINES[series.index(key) % len(LINES)]
        axes.plot([places[case.below] for case in line], [1e3 * case.seconds() for case in line], style, markersize=4,
                  color=colour, markerfacecolor="white", label=label)
    best = fastest(group)
    axes.plot(places[best.below], 1e3 * best.seconds(), "*", color="gold", markeredgecolor="black", markersize=15,
              label="optimum")
    axes.set_xticks(list(places.values()), list(places))
    axes.set_xlabel("--cpu-below, cells")
    axes.set_title(f"{title_of(best)}: optimum {best.below}, {1e3 * best.seconds():.3f} ms", fontsize="medium")


def work_and_moves(case):
    """A column for each level, and one for all hand-overs: a logarithmic scale does not stack."""
    levels = case.levels()
    return [{**level, "hand_over": 0.0} for level in levels] + [
        {**dict.fromkeys(PARTS, 0.0), "hand_over": sum(level["hand_over"] for level in levels)}]


def staged(run):
    """The sum of the stages' times beside the solve's."""
    stages = sum(sum(level.values()) for level in run.levels())
    return f"stages {1e3 * stages:.3f} ms, the solve {1e3 * run.seconds():.3f} ms"


def levels_panel(axes, group):
    runs = [(without_cpu(group), "GPU only", -0.21), (hybrid(group), "hybrid", 0.21)]
    title = []
    for run, name, offset in runs:
        if run:
            places = [f"{n}³" for n in run.level_sizes()] + ["hand-\nover"]
            bars(axes, [place + offset for place in range(len(places))], work_and_moves(run), 0.4, not title)
            side = "left" if offset < 0 else "right"
            title.append(f"{side}: {name}" + (f" below {run.below}" if name == "hybrid" else "") + f", {staged(run)}")
            axes.set_xticks(range(len(places)), places)
    axes.set_xlabel("level")
    axes.set_title("\n".join([title_of(group[0]), *(title or ["no run with levels on the GPU"])]), fontsize="small")
    if title:
        axes.set_yscale("log")
        axes.set_ylim(top=2 * axes.dataLim.ymax)
        plain_numbers(axes.yaxis)


def draw_thresholds(plt, cases, path):
    series = sorted({series_of(case) for case in cases})
    gpus = sorted({case.report["environment"]["gpu"] or "no GPU" for case in cases})
    draw_panels(plt, problems(cases), functools.partial(threshold_panel, series),
                "Time of a solve against the threshold below which levels are on the CPU\n"
                f"medians; bars: the fastest run's, split; {' and '.join(gpus)}", path)


def present(cases, arguments):
    rows = [row for case in cases for row in rows_of(case)]
    write_csv(rows, COLUMNS, os.path.join(arguments.output, "results.csv"))
    print_table(cases)
    plt = pyplot("threshold")
    if plt:
        draw_thresholds(plt, cases, os.path.join(arguments.output, "threshold.png"))
        draw_panels(plt, problems(cases), levels_panel, "Stages timed one by one, by level: together they take longer than the solve",
                    os.path.join(arguments.output, "levels.png"))
