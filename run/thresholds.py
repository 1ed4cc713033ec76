# SPDX-License-Identifier: BSD-3-Clause
"""Runs over values of --cpu-below: their rows, table and the data of their figures. For run/threshold and run/report-machine."""
import os

import drawing
from reports import grouped, markdown, plural, solve_seconds, write_csv
from study import Case

COLUMNS = ("size", "n", "order", "ranks", "threads", "cpu_below", "agglomerate_below", "median_seconds",
           "spread", "min_seconds", "checksum", "hand_over", "level", "level_n", "gpu_seconds", "hand_over_seconds",
           "cpu_seconds", "file")
PARTS = ("gpu", "hand_over", "cpu")
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
    """A caption, headings and rows: the optimum of each size and order and the fastest run without the CPU."""
    rows = []
    for group in problems(cases):
        best, gpu = fastest(group), without_cpu(group)
        compared = (f"{1e3 * gpu.seconds():.3f}", f"{best.seconds() / gpu.seconds():.2f}") if gpu else ("not run", "")
        row = next(rows_of(best))
        rows.append((f"{row['n']}^3", str(best.order), str(row["ranks"]), best.below, str(best.threads),
                     row["agglomerate_below"], f"{1e3 * best.seconds():.3f}", *compared))
    return ("Optimum", ("size", "order", "ranks", "optimum of --cpu-below", "threads", "--agglomerate-below",
                        "median ms per solve", "GPU only, ms", "ratio"), rows)


def title_of(case):
    ranks = case.report["ranks"]
    return f"{case.solve()['n']}³, order {case.order}" + (f", {ranks} ranks" if ranks > 1 else "")


def label_of(case):
    agglomerate = f", agglomerate below {case.agglomerate}" if case.agglomerate else ""
    return plural(case.threads, "thread") + agglomerate


def threshold_data(group):
    """For draw_thresholds: bars of the fastest run of each threshold, lines by threads and agglomeration."""
    by_below = dict(sorted(grouped(group, lambda case: case.below).items(), key=lambda item: cells(item[0])))
    best = fastest(group)
    lines = {label: {case.below: case.seconds() for case in own} for label, own in grouped(group, label_of).items()}
    return {"title": f"{title_of(best)}: optimum {best.below}, {1e3 * best.seconds():.3f} ms", "names": list(by_below),
            "columns": [fastest(own).parts() for own in by_below.values()], "lines": lines, "best": (best.below, best.seconds())}


def processors_data(group):
    """For draw_processors: the levels of the fastest run on the GPU alone, and of the fastest hybrid run."""
    runs, title = [], [title_of(group[0])]
    for run, name in ((without_cpu(group), "GPU only"), (hybrid(group), "hybrid")):
        if run:
            levels = run.levels()
            hand_over = {"hand_over": sum(level.pop("hand_over") for level in levels)}
            runs.append(([f"{n}³" for n in run.level_sizes()] + ["hand-\nover"], [*levels, hand_over]))
            stages = sum(sum(level.values()) for level in run.levels())
            title.append(f"{'right' if name == 'hybrid' else 'left'}: {name}" + (f" below {run.below}" if name == "hybrid" else "")
                         + f", stages {1e3 * stages:.3f} ms, the solve {1e3 * run.seconds():.3f} ms")
    return {"title": "\n".join(title + ([] if runs else ["no run with levels on the GPU"])), "runs": runs}


def draw_thresholds(plt, cases, path):
    gpus = sorted({case.report["environment"]["gpu"] or "no GPU" for case in cases})
    drawing.draw_thresholds(plt, list(map(threshold_data, problems(cases))),
                            "Time of a solve against the threshold below which levels are on the CPU\n"
                            f"medians; bars: the fastest run's, split; {' and '.join(gpus)}", path)


def present(cases, arguments):
    rows = [row for case in cases for row in rows_of(case)]
    write_csv(rows, COLUMNS, os.path.join(arguments.output, "results.csv"))
    print("", *markdown(*summary_table(cases)[1:]), sep="\n")
    plt = drawing.pyplot("threshold")
    if plt:
        draw_thresholds(plt, cases, os.path.join(arguments.output, "threshold.png"))
        drawing.draw_processors(plt, list(map(processors_data, problems(cases))), os.path.join(arguments.output, "levels.png"))
