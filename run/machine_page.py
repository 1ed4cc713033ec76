# SPDX-License-Identifier: BSD-3-Clause
"""The page of run/report-machine: what each experiment would be expected to show, its figure and its tables."""
import functools
import os
import shlex

import drawing
import page
import reports
from reports import number, plural, read_json, solve_seconds
from thresholds import draw_thresholds, summary_table

# Heading, and what one would expect, by section. Nothing here may depend on what was measured. Blank lines separate
# paragraphs.
TEXTS = {
    "machine": ("What the machine can do", """
        Expected: copies at 80 to 95 % of the data sheet's rate, and the cache several times as fast. With more FMAs per
        double the rate of memory holds until arithmetic takes longer than the bytes. Times are medians. GB/s are the
        bytes that the algorithm names, over the time."""),
    "kernels": ("The solver's kernels under the machine's ceilings", """
        Expected: kernels of order 2 lie on the slope of the memory's copy rate, better ones of a stage further right: the
        same arithmetic with fewer bytes. Order 4 has five to six times the arithmetic for about the same bytes, so its
        fused kernels come near the ridge. A kernel far below all ceilings waits, or is bound by something that has no
        ceiling here.

        Each result was compared bit for bit with that of the CPU's plain loops, or by checksum with the baseline's,
        before it was timed. Bytes are those that the kernels must move, each array once per pass."""),
    "ladder": ("From the simplest kernel to the solver's own", """
        Expected: each rung needs fewer accesses to memory or caches than the rung before, or has more of them in flight.
        On NVIDIA's Kepler the slides' rungs had speed-ups of 1.00, 1.44 and 1.68; today's caches serve much of what the
        better rungs avoid. The last rung is the solver's own. Every result is checked before it is timed."""),
    "sizes": ("Speed by size", """
        Expected: speed grows with size until the finest level takes most of the time; order 4 is slower where
        arithmetic, caches or latency bind. A run solves on the three finest grids, so sizes appear more than once. A size
        that does not fit into memory has no result."""),
    "levels": ("Where the time goes: levels, operations, one solve along the time", """
        Expected: a GPU's time falls about eightfold from level to level while levels fill it; below, it is latency.
        Fusion saves passes over memory on fine levels, and launches on coarse ones. A CPU can be faster on levels of a
        few thousand cells, if the hand-over costs less than it gains. Stages are timed one by one, which takes longer
        than a solve whose stages are not timed."""),
    "threshold": ("Levels on the CPU: the threshold", """
        Expected: a minimum between levels too small for the GPU and levels too large for the CPU. Where one kernel (the
        tail) runs all coarse levels of the GPU, it may lie at `never`: no level on the CPU."""),
    "memory": ("Memory", """
        GB/s are the bytes that the algorithm names; GB/s moved are those that memory moves by a model, which counts whole
        fetches and sectors. Times are medians."""),
    "methods": ("Small kernels, each in several ways", "Rates as under memory. Errors are the largest; none: exact."),
}

# Experiments that have a figure: its name and description, what draws it, and with which words.
FIGURES = {"strides": ("strides", "Elements per second by stride and arithmetic", drawing.draw_strides),
           "points": ("transfers", "Transfers, alone and with kernels", drawing.draw_transfers),
           **{name: (name, "Rates case by case", drawing.draw_cases, name)
              for name in ("access", "records", "interpolation", "lu", "gradients")}}

# The same for the experiments of `memory` and `methods`.
EXPECTED = {
    "strides": """the time per element is the larger of two: the bytes that memory moves for it, over the copy rate, and its
        FMAs, over the rate of issue. Skipped bytes move too, up to a fetch of the cache.""",
    "access": """reads pay for fetches, writes for sectors. Uncoalesced writes cost most, since memory reads a sector before
        it can write a part of it.""",
    "alignment": "little. A request that begins within a line touches one sector more, which its neighbour finds in the cache.",
    "records": """an array of structures costs no bytes where all fields are used, and the whole record where one field
        is.""",
    "copy": "equal bytes take equal time, once each thread has enough of them in flight.",
    "host": """pinned memory reaches the rate of the link from a few MB on. Pageable memory is slower, since the driver
        copies it once more. Mapped memory is as fast as a copy.""",
    "points": """transfers dominate; kernel time is negligible. Overlapped, both ways take as long as the longer one. A gradient
        sends back three values for each that came.""",
    "switch": "a warp takes every case that one of its threads needs, so the time grows with the cases per warp.",
    "index": "nothing, since compilers remove what is computed twice.",
    "unroll": "unrolling exposes more loads in flight and drops loop overhead.",
    "fusion": "bytes decide. Two kernels move 7 arrays, one moves 4.",
    "interpolation": """along rows caches serve all loads. Across rows, texture tiling should help column access. The
        weights of the texture unit have 8 bits, which the error shows.""",
    "convolution": """49 taps at once need most operations. Two passes need fewer operations and more bytes, a rolling buffer
        needs fewest of both.""",
    "lu": """one thread per matrix reads with the stride of a matrix, so interleaved matrices help. So does one lane per
        row, which shares the work of a matrix and reads neighbouring values.""",
    "masks": """a branch saves work only where neighbours agree, a blend never. A list always does, but its accesses are as
        scattered as the mask.""",
    "gradients": """differences take as long as their bytes, so order 4 costs no more than order 2 and errs less; used on the
        fly a gradient moves a quarter of the bytes. A transform takes several passes over memory, and is exact up to
        rounding. With transfers, these decide.""",
}


# Tables: a caption, headings and rows of text.

def columns_of(row, *columns):
    """Values of a row in a unit, as words. The median stands for all times."""
    values = {**row, "seconds": row["seconds"]["median"]}
    return [number(values.get(key), unit) for key, unit in columns]


RATES = (("bytes_per_second", 1e9), ("flops_per_second", 1e9))


def machine_table(report):
    rows = [(row["experiment"], row["name"], *columns_of(row, ("seconds", 1e-6), *RATES, ("seconds_per_event", 1e-6)))
            for row in report["figures"]]
    return (f"{reports.lab_processor(report)}, arrays of {report['array_bytes'] / 1e6:.4g} MB",
            ("experiment", "", "µs per run", "GB/s", "GFLOP/s", "µs per event"), rows)


def kernel_table(rows):
    found = [(str(row["number"]), str(row["order"]), row["stage"], row["list"],
              row["kernels"] if row["kernels"] != row["list"] else "",
              *columns_of(row, ("seconds", 1e-3), ("bytes_per_cell", 1), *RATES),
              *(reports.percent(row.get(f"fraction_of_{what}")) for what in ("copy", "cache", "shared", "fp64", "issue")),
              reports.limiter(row)) for row in rows]
    return (f"Kernels on {reports.sizes_of(rows)} cells; numbers as in the figure",
            ("", "order", "stage", "kernels", "ran", "ms", "B/cell", "GB/s", "GFLOP/s", "% of memory", "% of cache",
             "% of shared", "% of FP64", "% of issue", "limiter"), found)


def ladder_table(report):
    columns = [(heading.replace("\n", ""), words) for heading, words in reports.rung_columns(report["rungs"])]
    rows = [(rung["rung"], rung["summary"], *columns_of(rung, ("seconds", 1e-3), ("cells_per_second", 1e9)),
             f"{rung['speed_up']:.2f}", *(words[place].replace("\n", " ") for _, words in columns))
            for place, rung in enumerate(report["rungs"])]
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


def cases_table(rows):
    """Any experiment, case by case; the error is shown where one is."""
    inexact = any(row["error"] for row in rows)
    cells = [(row["name"], *columns_of(row, ("seconds", 1e-3), ("elements_per_second", 1e9), RATES[0],
                                       ("moved_bytes_per_second", 1e9), RATES[1]),
              *((f"{row['error']:.1e}",) if inexact else ())) for row in rows]
    return "", ("", "ms", "Gelem/s", "GB/s", "GB/s moved", "GFLOP/s", *(("error",) if inexact else ())), cells


def experiment_tables(report, name):
    rows = reports.experiment(report, name)
    if name == "strides":
        return [pivot(f"Strides, {words}: billions of elements per second", [row for row in rows if row["element_bytes"] == size],
                      ("fmas", lambda fmas: plural(fmas, "FMA")), ("stride", "stride {:g}".format),
                      lambda row: number(row["elements_per_second"], 1e9)) for words, size in (("doubles", 8), ("floats", 4))]
    if name == "access":
        return [pivot("Access: billions of doubles per second (GB/s that memory moves, by the model)", rows,
                      ("read_stride", "reads {:g} apart".format), ("write_stride", "writes {:g} apart".format),
                      lambda row: f"{number(row['elements_per_second'], 1e9)} ({number(row['moved_bytes_per_second'], 1e9)})")]
    if name == "host":
        return [pivot("Host memory: GB/s", reports.host_rows(report), ("kind", str), ("transfer_bytes", reports.binary_size),
                      lambda row: number(row["bytes_per_second"], 1e9))]
    return [cases_table(rows)]


# Sections.

def command_line(case, arguments):
    return shlex.join(case.command(arguments))


def draw(plt, name, description, arguments, function, *data, ending="svg"):
    """The figure as HTML, or nothing without matplotlib."""
    if not plt:
        return ""
    path = os.path.join(arguments.output, f"{name}.{ending}")
    function(plt, *data, path)
    return page.figure(path, description)


def machine(plt, arguments, cases):
    return page.table(*machine_table(cases[0].report))


def kernels(plt, arguments, cases, ceilings):
    rows = reports.kernel_rows([case.report for case in cases])
    found = draw(plt, "roofline", "Roofline: kernels by operations per byte and by speed", arguments, drawing.draw_roofline,
                 ceilings, rows) if ceilings else ""
    return found + page.table(*kernel_table(rows))


def ladder(plt, arguments, cases):
    found = [case.report for case in cases]
    return draw(plt, "ladder", "Speed of each rung", arguments, drawing.draw_ladder, found) + "".join(
        page.table(*ladder_table(report)) for report in found)


def sizes(plt, arguments, cases):
    rows = []
    for report in (case.report for case in cases):
        states = [check["state"] for check in report["checks"]]
        rows += [(f"{solve['n']}³", str(report["order"]), f"{1e3 * solve_seconds(report, solve):.4g}",
                  f"{1e3 * solve['seconds']['min']:.4g}", f"{solve['dof_per_second'] / 1e9:.4g}", f"{solve['rel_residual']:.2e}",
                  report["verdict"], f"{states.count('passed')} of {len(states)}") for solve in report["solves"]]
    return draw(plt, "sizes", "Speed against size, both orders", arguments, drawing.draw_sizes,
                reports.size_rows([case.report for case in cases])) + page.table(
        "Solves", ("size", "order", "ms", "min ms", "GDOF/s", "‖f − Au‖ / ‖f‖", "run", "checks passed"), rows)


def levels(plt, arguments, cases):
    found = ""
    for order, own in reports.grouped(cases, lambda case: case.order).items():
        breakdowns = [reports.Breakdown(case.report) for case in own]
        found += page.heading(f"Order {order}") + draw(plt, f"levels-order{order}", "Time by level and kind of operation",
                                                       arguments, drawing.draw_breakdowns, breakdowns, ending="png")
        found += "".join(page.table(*drawing.breakdown_table(breakdown)) for breakdown in breakdowns)
        for case in own:
            if "trace.json" in case.endings:
                trace = reports.Trace(read_json(case.path(arguments, "trace.json")))
                found += draw(plt, f"timeline-order{order}", "One solve along the time", arguments,
                              drawing.draw_timeline, trace, 8, ending="png")
    return found


def threshold(plt, arguments, cases):
    found = draw(plt, "threshold", "Time of a solve against the threshold", arguments, draw_thresholds, cases)
    return found + page.table(*summary_table(cases))


def read_notes(arguments):
    """What somebody wrote of the results, by section or experiment: paragraphs that begin with its name and a colon."""
    path, found = os.path.join(arguments.output, "notes.txt"), {}
    if not os.path.exists(path):
        return found
    with open(path, encoding="utf-8") as file:
        paragraphs = [words.strip() for words in file.read().split("\n\n") if words.strip()]
    for words in paragraphs:
        name, colon, text = words.partition(":")
        if not colon or name not in TEXTS and name not in EXPECTED:
            raise ValueError(f"{path}: '{words.splitlines()[0][:40]}' does not begin with the name of a section and a colon")
        found[name] = found.get(name, "") + page.paragraph(text)
    return found


def experiments(plt, arguments, cases, notes):
    """The experiments of `memory` or `methods`, each with what is expected, its figure and its tables."""
    report, found = cases[0].report, ""
    for name in dict.fromkeys(row["experiment"] for row in report["figures"]):
        found += page.heading(reports.title_of(name))
        found += page.paragraph(f"Expected: {EXPECTED[name]}") if name in EXPECTED else ""
        figure = FIGURES.get(name)
        if figure:
            found += draw(plt, figure[0], figure[1], arguments, figure[2], report, *figure[3:])
        found += "".join(page.table(*table) for table in experiment_tables(report, name))
        found += notes.get(name, "")
    return found


def section(name, build, plt, arguments, cases, notes):
    """What is expected, what has no result, what came out, and what is noted of it."""
    heading, texts = TEXTS[name]
    content = "".join(page.paragraph(text) for text in texts.split("\n\n"))
    content += "".join(page.failed(f"{case.name()}: {case.failure}") for case in cases if not case.report)
    done = [case for case in cases if case.report]
    return name, heading, content + (build(plt, arguments, done) if done else "") + notes.get(name, "")


def values(cases, *keys):
    """What the reports say, each once: of hpgmg-lab at the top, of hpgmg-gpu in `environment`."""
    found = {}
    for case in cases:
        report = case.report.get("environment", case.report)
        for key in keys:
            if report.get(key):
                found[str(report[key])] = None
    return ", ".join(found) or "none"


def cuda_version(number):
    return f"{int(number) // 1000}.{int(number) % 1000 // 10}" if number.isdigit() else number


def checks(cases, different):
    solves = [case.report for case in cases if case.report.get("program") == "hpgmg-gpu"]
    states = [check["state"] for report in solves for check in report["checks"]]
    words = [f"{len(solves)} runs of hpgmg-gpu are VALID: {states.count('passed')} checks passed"]
    if states.count("not checked"):
        words.append(f"{states.count('not checked')} could not be made (sizes too coarse, or not on record)")
    words.append(f"{len(cases) - len(solves)} reports of hpgmg-lab: all results correct")
    problems = [(report["order"], report["solves"][0]["n"]) for report in solves]
    if different:
        words.append("different answers to the same problem: " + "; ".join(different))
    elif len(set(problems)) < len(problems):
        words.append("solutions of the same size and order are bitwise identical")
    return "; ".join(words)


def facts(done, different, arguments):
    """Of the machine and the programs."""
    driver = os.path.join(arguments.output, "driver.json")
    dates = sorted({(case.report.get("environment") or case.report)["date"] for case in done})
    return page.table("Machine and programs", (), [
        ("GPU", values(done, "gpu")),
        ("NVIDIA driver", read_json(driver)["driver"] if os.path.exists(driver) else "not known"),
        ("CUDA driver, runtime", ", ".join(cuda_version(values(done, key)) for key in ("cuda_driver", "cuda_runtime"))),
        ("CPU", values(done, "cpu")),
        ("measured", f"{'GPU' if arguments.backend == 'gpu' else 'CPU'}, one rank"),
        ("dates (UTC)", f"{dates[0]} to {dates[-1]}" if dates else "none"),
        ("version", values(done, "version")), ("commit", values(done, "revision")),
        ("tuning", values(done, "tuning")), ("checks", checks(done, different))])


def runs(cases, arguments):
    rows = [(case.name(), "right" if case.report else case.failure, f"`{command_line(case, arguments)}`")
            for case in cases]
    words = "Each is a command that can be repeated alone. `run/report-machine` repeats those without a result."
    return "runs", "Every run", page.paragraph(words) + page.table("Runs", ("run", "result", "command"), rows)


def headline(cases):
    """The rate of each order at each run's largest size; run/rates makes the documents' tables of the same reports."""
    rates = {(report["order"], report["solves"][0]["n"]): report["solves"][0]["dof_per_second"]
             for report in (case.report for case in cases if case.report)}
    sizes = sorted({n for _, n in rates})
    rows = [(f"order {order}", *(number(rates.get((order, n)), 1e9, digits=3) for n in sizes))
            for order in sorted({order for order, _ in rates})]
    return page.table("Speed, GDOF/s", ("", *(f"{n}³" for n in sizes)), rows) if rows else ""


def write_page(cases, different, arguments):
    """cases: lists by experiment. Returns the page's path."""
    plt = drawing.pyplot("report-machine")
    wanted = [case for own in cases.values() for case in own]
    done = [case for case in wanted if case.report]
    ceilings, notes = cases["machine"][0].report, read_notes(arguments)
    noted = functools.partial(experiments, notes=notes)
    builders = {"machine": machine, "kernels": functools.partial(kernels, ceilings=ceilings), "ladder": ladder,
                "sizes": sizes, "levels": levels, "threshold": threshold, "memory": noted,
                "methods": noted}
    sections = [section(name, build, plt, arguments, cases[name], notes) for name, build in builders.items() if cases[name]]
    name = values(done, "gpu" if arguments.backend == "gpu" else "cpu")
    introduction = headline(cases["sizes"]) + facts(done, different, arguments) + page.paragraph(
        "hpgmg-gpu is a geometric multigrid benchmark; hpgmg-lab measures its machine and its kernels. Each section says "
        "what one would expect. Its figures and tables show what came out. `lab/README.md` explains the experiments.")
    if arguments.small:
        introduction += page.paragraph("Made with --small: sizes are tiny. The page tests the tools; its numbers say "
                                       "nothing of the machine.")
    if not plt:
        introduction += page.paragraph("There are no figures: matplotlib was missing where this page was made.")
    if len(done) < len(wanted):
        introduction += page.failed(f"{len(wanted) - len(done)} of {len(wanted)} runs; the sections name them.")
    path = os.path.join(arguments.output, "page.html")
    with open(path + ".partial", "w", encoding="utf-8") as file:
        file.write(page.page(f"hpgmg-gpu on {name}", introduction, [*sections, runs(wanted, arguments)]))
    os.replace(path + ".partial", path)
    return path
