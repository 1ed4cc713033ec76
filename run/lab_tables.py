# SPDX-License-Identifier: BSD-3-Clause
"""Rows of hpgmg-lab's reports (lab/README.md, section JSON), for figures and tables."""

# What `points` transfers, by its parameter.
POINTS = ("kernel alone", "field to the device", "to the device and back", "both ways, overlapped")
BASELINES = ("generic", "plain")


def on_gpu(report):
    return report["backend"] != "cpu" and report["gpu"]


def where(report):
    return report["gpu"] if on_gpu(report) else f"{report['cpu']}, {threads(report)}"


def threads(report):
    return f"{report['threads']} thread{'s' if report['threads'] != 1 else ''}"


def binary_size(count):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:g} {unit}"
        count /= 1024
    raise AssertionError


def prefixed(value, unit):
    """3.3e13 as 33 T."""
    power, prefix = (1e12, "T") if value >= 1e12 else (1e9, "G")
    return f"{value / power:.3g} {prefix}{unit}"


def rates_of(report, section, name, key):
    """Of the rows of a section of `machine` whose names begin so."""
    return [row[key] for row in report["figures"] if row["section"] == section and row["name"].startswith(name)]


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
    rows = []
    for report in reports:
        for run in report["runs"]:
            kind = ("default" if run["list"] == "default" else
                    "baseline" if run["list"] in BASELINES else "other")
            rows.append({"number": len(rows) + 1, "order": int(report["options"]["order"]), "stage": report["stage"],
                         "n": int(report["options"]["n"]), "kind": kind, "list": run["list"],
                         "kernels": run["kernels"] or run["list"], "median": run["seconds"]["median"],
                         **{key: run.get(key) for key in ("fraction_of_cache", "fraction_of_shared",
                                                          "fraction_of_issue", "most_used", "limiter_is_near")},
                         "intensity": run["flops"] / run["bytes"],
                         **{key: run[key] for key in ("bytes_per_cell", "bytes_per_second", "fraction_of_copy",
                                                      "flops_per_second", "fraction_of_fp64", "limiter")}})
    return rows


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
    """What a report says of rungs beside their times: a heading, and a word for each rung; only what is known."""
    def of_launches(find, form):
        return lambda rung: form(find(rung["launches"])) if rung.get("launches") else ""

    columns = (
        ("block", lambda rung: "×".join(f"{threads:g}" for threads in rung.get("block") or ())),
        ("sectors/\nrequest", lambda rung: number(rung.get("sectors_per_request"), digits=3)),
        ("registers", of_launches(lambda launches: max(launch["registers"] for launch in launches), str)),
        ("occupancy", of_launches(lambda launches: min(launch["occupancy"] for launch in launches),
                                  lambda share: f"{percent(share)} %")),
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


# Tables: a caption, headings and rows of text.

def number(value, unit=1.0, digits=4):
    if value is None:
        return ""
    return f"{value / unit:.0f}" if 1e4 <= value / unit < 1e7 else f"{value / unit:.{digits}g}"


def percent(share):
    return f"{100 * share:.0f}" if share is not None else ""


def machine_table(report):
    rows = [(row["section"], row["name"], number(row["seconds"]["median"], 1e-6), number(row["bytes_per_second"], 1e9),
             number(row["flops_per_second"], 1e9), number(row["seconds_per_event"], 1e-6)) for row in report["figures"]]
    return (f"{where(report)}, arrays of {report['array_bytes'] / 1e6:.4g} MB",
            ("section", "", "µs per run", "GB/s", "GFLOP/s", "µs per event"), rows)


def kernel_table(rows):
    found = [(str(row["number"]), str(row["order"]), row["stage"], row["list"],
              row["kernels"] if row["kernels"] != row["list"] else "",
              number(row["median"], 1e-3), number(row["bytes_per_cell"]), number(row["bytes_per_second"], 1e9),
              number(row["flops_per_second"], 1e9),
              *(percent(row[f"fraction_of_{part}"]) for part in ("copy", "cache", "shared", "fp64", "issue")),
              limiter(row)) for row in rows]
    return (f"Kernels on {sizes_of(rows)} cells; numbers as in the figure",
            ("", "order", "stage", "kernels", "ran", "ms", "B/cell", "GB/s", "GFLOP/s", "% of memory", "% of cache",
             "% of shared", "% of FP64", "% of issue", "limiter"),
            found)


def ladder_table(report):
    columns = [(heading.replace("\n", ""), words) for heading, words in rung_columns(report["rungs"])]
    rows = [(rung["rung"], rung["summary"], number(rung["seconds"]["median"], 1e-3),
             number(rung["cells_per_second"], 1e9), f"{rung['speed_up']:.2f}",
             *(words[place].replace("\n", " ") for _, words in columns)) for place, rung in enumerate(report["rungs"])]
    return (f"Ladder of order {report['options']['order']}, {report['options']['n']}³ cells",
            ("rung", "", "ms", "Gcell/s", "speed-up", *(heading for heading, _ in columns)), rows)


def pivot(caption, rows, down, across, value):
    """down and across are pairs of a key of the rows and a function that words its values."""
    (row_key, row_words), (column_key, column_words) = down, across
    columns = sorted({row[column_key] for row in rows})
    cells = {(row[row_key], row[column_key]): value(row) for row in rows}
    return (caption, ("", *map(column_words, columns)),
            [(row_words(key), *(cells.get((key, column), "") for column in columns))
             for key in dict.fromkeys(row[row_key] for row in rows)])


def strides_table(report, name, size):
    return pivot(f"Strides, {name}: billions of elements per second",
                 [row for row in experiment(report, "strides") if row["element_bytes"] == size],
                 ("fmas", lambda fmas: f"{fmas:g} FMA{'s' if fmas > 1 else ''}"),
                 ("stride", lambda stride: f"stride {stride:g}"), lambda row: number(row["elements_per_second"], 1e9))


def access_table(report):
    return pivot("Access: billions of doubles per second (GB/s that memory moves, by the model)",
                 experiment(report, "access"), ("read_stride", lambda apart: f"reads {apart:g} apart"),
                 ("write_stride", lambda apart: f"writes {apart:g} apart"),
                 lambda row: " (".join((number(row["elements_per_second"], 1e9),
                                        number(row["moved_bytes_per_second"], 1e9))) + ")")


def host_table(report):
    return pivot("Host memory: GB/s", host_rows(report), ("kind", str), ("transfer_bytes", binary_size),
                 lambda row: number(row["bytes_per_second"], 1e9))


def title_of(name):
    """Of an experiment."""
    return "LU" if name == "lu" else name.capitalize()


def cases_table(report, name):
    """Any experiment, case by case; the error is shown where one is."""
    rows = experiment(report, name)
    inexact = any(row["error"] for row in rows)
    cells = [(row["name"], number(row["seconds"]["median"], 1e-3), number(row["elements_per_second"], 1e9),
              number(row["bytes_per_second"], 1e9), number(row["moved_bytes_per_second"], 1e9),
              number(row["flops_per_second"], 1e9), *((f"{row['error']:.1e}",) if inexact else ())) for row in rows]
    headings = ("", "ms", "Gelem/s", "GB/s", "GB/s moved", "GFLOP/s", *(("error",) if inexact else ()))
    return "", headings, cells


def experiment_tables(report, name):
    if name == "strides":
        return [strides_table(report, "doubles", 8), strides_table(report, "floats", 4)]
    own = {"access": access_table, "host": host_table}
    return [own[name](report) if name in own else cases_table(report, name)]
