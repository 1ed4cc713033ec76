# SPDX-License-Identifier: BSD-3-Clause
"""Reads what the programs and studies write: reports of hpgmg-gpu and hpgmg-lab, timelines, solutions, tables in CSV."""
import array
import csv
import json
import os
import sys
import xml.etree.ElementTree as ElementTree

from errors import Unusable

OPERATIONS = ("smoother", "residual", "restriction", "interpolation", "boundary", "halo", "redistribution", "hand-over",
              "bottom", "other")  # kinds of operations, as the report's stages name them
APPENDED = b'<AppendedData encoding="raw">'
# What `hpgmg-lab memory points` transfers, by its parameter.
POINTS = ("kernel alone", "field to the device", "to the device and back", "both ways, overlapped")
BASELINES = ("generic", "plain")


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_object(path):
    """The JSON object in a file: a report or a trace; an empty one if the file holds something else."""
    try:
        found = read_json(path)
    except (OSError, RecursionError, ValueError) as error:
        raise Unusable(f"{path}: {error}") from error
    return found if isinstance(found, dict) else {}


def read_run(path):
    """A report of a VALID run of hpgmg-gpu."""
    report = read_object(path)
    if report.get("program") != "hpgmg-gpu" or not is_right(report):
        raise Unusable(f"{path}: no VALID report of hpgmg-gpu --json")
    return report


def is_right(report):
    """Whether hpgmg-lab found its results right, or hpgmg-gpu's run is VALID and whole."""
    if report.get("program") == "hpgmg-lab":
        return report.get("valid") is True
    return report.get("verdict") == "VALID" and bool(report.get("complete"))


def write_csv(rows, columns, path):
    with open(path + ".partial", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    os.replace(path + ".partial", path)


def read_csv(path):
    """Rows with numbers where a column has only numbers and empty cells."""
    with open(path, newline="", encoding="utf-8") as file:
        try:
            rows = list(csv.DictReader(file))
        except csv.Error as error:
            raise ValueError(error) from error
    for column in rows[0] if rows else ():
        for kind in (int, float):
            try:
                numbers = [kind(row[column]) if row[column] else "" for row in rows]
            except ValueError:
                continue
            for row, number in zip(rows, numbers):
                row[column] = number
            break
    return rows


def grouped(items, key):
    """Lists of items by key, in the order of the items."""
    groups = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def markdown(headings, rows, numbers=False):
    """A table, line by line; numbers are aligned to the right."""
    yield f"| {' | '.join(headings)} |"
    yield "| --- |" + (" ---: |" if numbers else " --- |") * (len(headings) - 1)
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"


def plural(count, word):
    return f"{count} {word}{'s' if count != 1 else ''}"


# hpgmg-gpu.

def solve_seconds(report, solve):
    """The time that the report's rate rests on: the median; in schema 1 it was the mean."""
    return solve["seconds"]["median"] if report.get("schema", 1) > 1 else solve["seconds_per_solve"]


def cells_of(solve):
    """Cells by direction; reports of before --domain have cubes only."""
    return tuple(solve.get("cells") or 3 * [solve["n"]])


def cells_text(cells):
    """64^3, or 64x48x32, as the program writes them."""
    return "x".join(map(str, cells)) if len(set(cells)) > 1 else f"{cells[0]}^3"


def parse_cells(text):
    """What cells_text() wrote."""
    return 3 * (int(text[:-2]),) if text.endswith("^3") else tuple(map(int, text.split("x")))


def processors(report):
    """What a run of hpgmg-gpu used: the names of its levels' processors."""
    environment = report["environment"]
    kinds = sorted({level["backend"] for level in report["hierarchy"]["levels"]}, reverse=True)
    names = " and ".join(environment[kind] or kind.upper() for kind in kinds)
    return names + (f", {plural(report['threads'], 'thread')}" if "cpu" in kinds else "")


def size_rows(reports):
    """The sizes of hpgmg-gpu's reports as rows for draw_sizes."""
    return [{"order": report["order"], "ranks": report["ranks"], "where": processors(report),
             "noisy": solve.get("noisy"), **{key: solve[key] for key in ("n", "dof", "dof_per_second")}}
            for report in reports for solve in report["solves"] if solve["dof_per_second"]]


def operation_of(name):
    return name if name in OPERATIONS else "other"


def level_seconds(solve):
    """Seconds of the timed stages by level and kind of operation."""
    seconds = {}
    for stage in solve["stages"]:
        key = stage["level"], operation_of(stage.get("work"))
        seconds[key] = seconds.get(key, 0.0) + stage["seconds"]
    return seconds


class Breakdown:
    """Seconds by level and kind of operation of a report's largest size."""

    def __init__(self, report):
        self.solve, levels = report["solves"][0], report["hierarchy"]["levels"]
        self.labels = [(f"{level['n']}³", level["backend"]) for level in levels]
        self.levels = [{} for _ in levels]
        for (level, operation), seconds in level_seconds(self.solve).items():
            self.levels[level][operation] = seconds
        self.totals = [sum(level.values()) for level in self.levels]
        self.total = sum(self.totals)
        self.fused = report["config"].get("fuse", "on") == "on"
        self.operations = [name for name in OPERATIONS if any(name in level for level in self.levels)]
        self.title = (f"{self.solve['n']}³, order {report['order']}, {processors(report)}, {plural(report['ranks'], 'rank')}, "
                      f"{'fused' if self.fused else 'not fused'}: {1e3 * self.total:.3g} ms, stages timed one by one; "
                      f"the solve takes {1e3 * solve_seconds(report, self.solve):.3g} ms")

    def sum_of(self, operation):
        return sum(level.get(operation, 0.0) for level in self.levels)

    def table(self, names):
        """A caption, headings and rows: milliseconds, and in brackets the share of the level. names by operation."""
        rows, totals = [], [*self.totals, self.total]
        for operation in self.operations:
            seconds = [level.get(operation, 0.0) for level in self.levels] + [self.sum_of(operation)]
            rows.append((names[operation], *(f"{1e3 * own:.4f} ({100 * own / whole:.1f})" if own else ""
                                             for own, whole in zip(seconds, totals))))
        rows.append(("level", *(f"{1e3 * seconds:.4f}" for seconds in totals)))
        rows.append(("% of the solve", *(f"{100 * seconds / self.total:.1f}" for seconds in totals)))
        return self.title, ("ms (% of the level)", *map(" ".join, self.labels), "all levels"), rows


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
        self.fused = self.about.get("fuse") == "on"

    def of_rank(self, rank):
        return [stage for stage in self.stages if stage["pid"] == rank]

    def processor(self, stage):
        return self.names[stage["pid"], stage["tid"]]

    def title(self, unit, microseconds):
        about, title = self.about, f"One solve, stages timed one by one: {self.end / microseconds:.3g} {unit}"
        if "n" in about:
            title = (f"{about['n']}³, order {about['order']}, {plural(about['ranks'], 'rank')}, "
                     f"{'fused' if self.fused else 'not fused'}. {title}")
        if about.get("seconds_per_solve"):
            title += f"; the solve takes {1e6 * about['seconds_per_solve'] / microseconds:.4g} {unit}"
        return title

    def clocks(self):
        """The error of the time of a stage against those of other ranks."""
        error = self.about.get("clock_error_seconds")
        if error is None or self.about["ranks"] == 1:
            return ""
        return f"; clocks of ranks within ±{1e6 * error:.3g} µs" if error else "; ranks share a clock"

    def coarse_interval(self):
        """The longest interval, in microseconds, in which rank 0 runs nothing on its two finest levels; None if there is none."""
        fine = sorted((stage["ts"], stage["ts"] + stage["dur"]) for stage in self.of_rank(self.ranks[0])
                      if stage["args"]["level"] < 2)
        gaps = [(after[0] - before[1], before[1], after[0]) for before, after in zip(fine, fine[1:])]
        length, begin, end = max(gaps, default=(0, 0, 0))
        return (begin, end) if length > 0 else None


class Solution:
    """A file of --write-solution. n: cells in i (fastest), j, k; h; arrays["u"], arrays["f"]."""

    def __init__(self, path):
        with open(path, "rb") as file:
            head, found, rest = file.read().partition(APPENDED)
        try:
            # Raw data are no XML, so the parser sees the file without them.
            root = ElementTree.fromstring(head + (APPENDED + b"</AppendedData></VTKFile>" if found else b""))
            image = root.find("ImageData")
            self.n = [int(word) for word in image.get("WholeExtent").split()[1::2]]
            self.h = float(image.get("Spacing").split()[0])
            self.arrays = {each.get("Name"): self.values(rest, root, int(each.get("offset")))
                           for each in root.iter("DataArray")}
        except (ElementTree.ParseError, AttributeError, TypeError, ValueError) as error:
            raise Unusable(f"{path}: no whole file of hpgmg-gpu --write-solution ({error})") from error

    def values(self, rest, root, offset):
        """Data begin after an underscore; each array after its number of bytes, as UInt64."""
        order = "little" if root.get("byte_order") == "LittleEndian" else "big"
        start = rest.index(b"_") + 1 + offset
        length = int.from_bytes(rest[start:start + 8], order)
        values = array.array("d", rest[start + 8:start + 8 + length])
        if len(values) != self.n[0] * self.n[1] * self.n[2]:
            raise ValueError(f"{len(values)} values of {self.n} cells")
        if order != sys.byteorder:
            values.byteswap()
        return values

    def plane(self, name, k):
        """The lines of plane k, each along i."""
        ni, nj = self.n[0], self.n[1]
        return [self.arrays[name][start:start + ni] for start in range(k * nj * ni, (k + 1) * nj * ni, ni)]


# Rows of results.csv of scaling studies.

def is_noisy(row):
    """Its time, or that of the run with which it is compared. Tables of before schema 2 do not tell."""
    return row.get("noisy", "no") != "no"


def seconds_of(row):
    """The median; of older tables the mean."""
    return row.get("median_seconds") or row["seconds_per_solve"]


def is_even(row):
    """Whether the fullest rank has at most 2 % more unknowns than the mean."""
    return row["dof_fullest_rank"] <= 1.02 * row["dof_per_rank"]


def compared_note(rows):
    """What efficiency compares with, what times are, and which ranks do not have the same."""
    words = ["Compared with the series' run on the fewest ranks: speed-up is the ratio of DOF/s, efficiency that of DOF/s per rank."]
    if any("median_seconds" not in row for row in rows):
        words.append("Rates are by mean times, whose spread is not recorded.")
    else:
        words.append("Rates are by median times; spread is the distance between their quartiles over the median.")
    if any(map(is_noisy, rows)):
        words.append("* Noisy, or compared with a noisy run (spread or drift of the times above 10 %): no result.")
    uneven = sorted({(row["ranks"], round(100 * (row["dof_fullest_rank"] / row["dof_per_rank"] - 1)))
                     for row in rows if not is_even(row)})
    if uneven:
        words.append("Uneven: " + ", ".join(f"the fullest of {ranks} ranks has {more} % above the mean"
                                            for ranks, more in uneven) + ".")
    return "\n".join(words)


# hpgmg-lab: lab/README.md, section JSON.

def on_gpu(report):
    return report["backend"] != "cpu" and report["gpu"]


def lab_processor(report):
    return report["gpu"] if on_gpu(report) else f"{report['cpu']}, {plural(report['threads'], 'thread')}"


def lab_report(path, *subcommands):
    """A report of one of the subcommands, with right results."""
    report = read_object(path)
    if report.get("subcommand") not in subcommands:
        raise Unusable(f"{path}: no report of hpgmg-lab {' or '.join(subcommands)} --json")
    if not is_right(report):
        raise Unusable(f"{path}: has wrong results")
    return report


def rates_of(report, experiment, name, key):
    """Rates of an experiment of `machine`, by the beginning of their names."""
    return [row[key] for row in report["figures"] if row["experiment"] == experiment and row["name"].startswith(name)]


def ceilings(report):
    """Bytes per second by label, and FP64 operations per second by label."""
    cache = "L2" if on_gpu(report) else "last-level cache"
    rates = [(label, max(found)) for label, found in (
        ("memory, copy", rates_of(report, "memory", "copy", "bytes_per_second")),
        (f"{cache}, read", rates_of(report, "cache", "read within", "bytes_per_second"))) if found]
    peaks = rates_of(report, "peak", "FP64", "flops_per_second")
    return rates, [("FP64, FMAs only", peaks[0]), ("half of it, without FMAs", 0.5 * peaks[0])] if peaks else []


def kernel_rows(reports):
    """One row per run of every report of `kernel`, numbered through."""
    runs = [(report, run) for report in reports for run in report["runs"]]
    return [{**run, "number": number, "order": int(report["options"]["order"]), "stage": report["stage"],
             "n": int(report["options"]["n"]), "kernels": run["kernels"] or run["list"], "median": run["seconds"]["median"],
             "kind": "default" if run["list"] == "default" else "baseline" if run["list"] in BASELINES else "other",
             "intensity": run["flops"] / run["bytes"]} for number, (report, run) in enumerate(runs, 1)]


def experiment(report, name):
    """The figures of an experiment of `memory` or `methods`, with their parameters as keys."""
    return [{**row, **row["parameters"]} for row in report["figures"] if row["experiment"] == name]


def host_rows(report):
    """Transfers of host memory: the kind is the name without its size."""
    return [{**row, "kind": row["name"].rsplit(", ", 1)[0]} for row in experiment(report, "host")]


def points_rows(report):
    """Fields of points, with the median as seconds."""
    return [{"field": f"{'gradient' if row['gradient'] else 'pass-through'}, {1e-6 * row['points']:.3g} M points",
             "mode": POINTS[int(row["transfers"])], "seconds": row["seconds"]["median"],
             "bytes_per_second": row["bytes_per_second"]} for row in experiment(report, "points")]


def rung_columns(rungs):
    """What a report says of rungs next to their times: a heading, and a word for each rung; only what is known."""
    def of_launches(find, key, form):
        return lambda rung: form(find(launch[key] for launch in rung["launches"])) if rung.get("launches") else ""

    columns = (
        ("block", lambda rung: "×".join(f"{threads:g}" for threads in rung.get("block") or ())),
        ("sectors/\nrequest", lambda rung: number(rung.get("sectors_per_request"), digits=3)),
        ("registers", of_launches(max, "registers", str)),
        ("occupancy", of_launches(min, "occupancy", lambda share: f"{percent(share)} %")),
        ("limiter", lambda rung: limiter(rung).replace(" (", "\n(") if rung.get("limiter") else ""))
    for heading, word in columns:
        words = [word(rung) for rung in rungs]
        if any(words):
            yield heading, words


def limiter(run):
    """With the resource that is used most where one limits or nearly does, and whether the rule's 60 % are near."""
    near = run.get("limiter_is_near")
    named = run.get("most_used") and (near or run["limiter"] not in ("latency", "unknown"))
    return run["limiter"] + (f" ({run['most_used']}{', near 60 %' if near else ''})" if named else "")


def sizes_of(rows):
    """Of the levels that rows of kernels are of: '64³ and 128³'."""
    return " and ".join(f"{n}³" for n in sorted({row["n"] for row in rows}))


def title_of(name):
    """Of an experiment."""
    return "LU" if name == "lu" else name.capitalize()


# Numbers in words.

def number(value, unit=1.0, digits=4):
    if value is None:
        return ""
    return f"{value / unit:.0f}" if 1e4 <= value / unit < 1e7 else f"{value / unit:.{digits}g}"


def percent(share):
    return f"{100 * share:.0f}" if share is not None else ""


def binary_size(count):
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:g} {unit}"
        count /= 1024
    return f"{count:g} GiB"


def prefixed(value, unit):
    """3.3e13 as 33 T."""
    power, prefix = (1e12, "T") if value >= 1e12 else (1e9, "G")
    return f"{value / power:.3g} {prefix}{unit}"
