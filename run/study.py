# SPDX-License-Identifier: BSD-3-Clause
"""What the studies in run/ share: options, runs that resume, tables and figures.

A study has one case per run of the program. Its folder has each run's JSON report and its log,
whose first line is the command."""
import argparse
import csv
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
import time

from domain import cells_of
from errors import SYSTEM, USAGE, Unusable, complain, no_package

LOG_END = 1 << 18  # bytes at either end of a log that are searched for the reason of a failure
ERROR = re.compile(r"error|\bfault|detected|not enough|unable|cannot|could not|failed|abort|denied|no such|not found|signal|killed", re.I)
INSTALLED = os.path.join("share", "hpgmg-gpu", "run")  # this folder below the prefix of `make install`


def default_program(name):
    """The program that was built here; of installed scripts, the one installed with them, or else in PATH."""
    folder = os.path.dirname(os.path.realpath(__file__))
    if not folder.endswith(os.sep + INSTALLED):
        return f"./{name}"
    program = os.path.join(folder.removesuffix(INSTALLED), "bin", name)
    return program if os.path.exists(program) else name


def add_program(add, option, name):
    """The option with the program's path."""
    add(option, default=default_program(name), metavar="PATH", help="the program (%(default)s)")


class Help(argparse.HelpFormatter):
    """Fills the paragraphs of a description; those with indented lines stay as they are."""

    def _fill_text(self, text, width, indent):
        return "\n\n".join(part if re.search(r"^ ", part, re.M) else textwrap.fill(part, width)
                           for part in text.split("\n\n"))


class Parser(argparse.ArgumentParser):
    """One line for an error, status 2, as the program itself does it."""

    def __init__(self, **options):
        super().__init__(formatter_class=Help, **options)

    def error(self, message):
        complain(os.path.basename(self.prog), message)
        raise SystemExit(USAGE)


def shell_words(text):
    """The words of a command or of options, quoted as for a shell."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}': {error}") from error


def number_list(text):
    numbers = [int(word) for word in text.split(",")]
    if min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"wrong number in '{text}'")
    return sorted(set(numbers))


def order_list(text):
    orders = number_list(text)
    if not set(orders) <= {2, 4}:
        raise argparse.ArgumentTypeError("an order is 2 or 4")
    return orders


def size_list(text):
    """'7:8,8:8' as [(7, 8), (8, 8)]."""
    sizes = []
    for word in text.split(","):
        parts = word.split(":")
        if len(parts) != 2 or not all(part.isdigit() and int(part) > 0 for part in parts):
            raise argparse.ArgumentTypeError(f"'{word}' is not LOG2_BOX_DIM:BOXES")
        sizes.append((int(parts[0]), int(parts[1])))
    return sizes


class Case:
    """One run of a study. A study's own class defines name() and command(arguments)."""

    endings = ("json",)  # of the files that a run leaves; the first is its report

    def __init__(self, **expected):
        self.expected = expected  # values that the report must have
        self.report = None
        self.failure = None  # why there is no report

    def path(self, arguments, ending):
        return os.path.join(arguments.output, f"{self.name()}.{ending}")

    def solve(self):
        """The report's largest size."""
        return self.report["solves"][0]


def first_line(case, arguments):
    """What a run's log begins with."""
    return f"$ {shlex.join(case.command(arguments))}\n"


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


def solve_seconds(report, solve):
    """The time that the report's rate rests on: the median; in schema 1 it was the mean."""
    return solve["seconds"]["median"] if report.get("schema", 1) > 1 else solve["seconds_per_solve"]


def load(case, arguments):
    """The report of this very command if it is there whole, and right; else None."""
    try:
        with open(case.path(arguments, "log"), encoding="utf-8", errors="replace") as file:
            own = file.readline() == first_line(case, arguments)
        report = read_json(case.path(arguments, "json"))
    except (OSError, ValueError):
        return None
    whole = is_right(report) and all(os.path.exists(case.path(arguments, ending)) for ending in case.endings)
    expected = all(report.get(key) == value for key, value in case.expected.items())
    return report if own and whole and expected else None


def log_paragraphs(path):
    """Paragraphs of what a run printed, which blank lines and ruled lines separate; of a long log its two ends."""
    with open(path, "rb") as file:
        file.readline()  # the command
        text = file.read(LOG_END)
        file.seek(max(file.tell(), os.path.getsize(path) - LOG_END))
        text += b"\n" + file.read(LOG_END)
    lines = [line.strip() for line in text.decode("utf-8", "replace").splitlines()]
    for has_words, group in itertools.groupby(lines, lambda line: any(map(str.isalnum, line))):
        if has_words:
            yield list(group)


def reason_in(path):
    """What a log says best of why the run failed: the program's own line, or else the paragraph with the first error."""
    paragraphs = list(log_paragraphs(path))
    for line in itertools.chain(*paragraphs):
        if line.startswith(("hpgmg-gpu: error", "hpgmg-lab: error")) or "VERDICT: INVALID" in line:
            return line
    told = [words for words in (" ".join(lines) for lines in paragraphs) if ERROR.search(words)]
    words = (told or [" ".join(lines) for lines in paragraphs[-1:]] or ["it printed nothing"])[0]
    return textwrap.shorten(words, 200, placeholder=" ...")


def run(case, arguments, timeout=None):
    """Runs the case; what it prints stays beside its report. None, or why it failed."""
    log = case.path(arguments, "log")
    try:
        for path in [case.path(arguments, ending) for ending in case.endings]:
            if os.path.exists(path):  # of another command: it must not pass for this one's
                os.remove(path)
        with open(log, "w", encoding="utf-8") as file:
            file.write(first_line(case, arguments))
            file.flush()
            status = subprocess.run(case.command(arguments), stdout=file, stderr=subprocess.STDOUT,
                                    stdin=subprocess.DEVNULL, check=False, timeout=timeout).returncode
    except OSError as error:
        return str(error)
    except subprocess.TimeoutExpired:
        return "stopped, since the time was up"
    case.report = load(case, arguments) if status == 0 else None
    if case.report:
        return None
    report = case.path(arguments, "json")
    if os.path.exists(report):  # it must not pass for a result when the study resumes
        os.replace(report, case.path(arguments, "failed.json"))
    missing = f" and no {os.path.basename(report)}" if status == 0 else ""
    return f"status {status}{missing}: {reason_in(log)} (all of it in {log})"


def run_all(tool, cases, arguments, seconds=None):
    """Runs what has no result yet, for so many seconds at most; returns the number of failures."""
    end = time.monotonic() + seconds if seconds is not None else None
    for number, case in enumerate(cases, 1):
        case.report, case.failure = load(case, arguments), None
        if case.report:
            print(f"[{number}/{len(cases)}] {case.name()}: is there", flush=True)
            continue
        left = end - time.monotonic() if end is not None else None
        if left is not None and left <= 0:
            case.failure = "not run, since the time was up"
            continue
        print(f"[{number}/{len(cases)}] {shlex.join(case.command(arguments))}", flush=True)
        case.failure = run(case, arguments, left)
        if case.failure:
            complain(tool, f"{case.name()}: {case.failure}")
    return sum(1 for case in cases if case.failure)


def grouped(items, key):
    """Lists of items by key, in the order of the items."""
    groups = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def different_answers(cases):
    """The same grid and order must have the same bits, whatever else differs."""
    seen, different = {}, []
    for case in cases:
        other = seen.setdefault((case.report["order"], cells_of(case.solve())), case)
        if case.solve()["checksum"] != other.solve()["checksum"]:
            different.append(f"{case.name()}.json and {other.name()}.json")
    return different


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


def pyplot(tool):
    """matplotlib's pyplot, or None and a word that it is missing."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as error:
        print(f"{tool}: no figures: {no_package(error, 'matplotlib')}", file=sys.stderr)
        return None
    return plt


def save_figure(plt, figure, path, bottom=0.0):
    """Leaves this fraction free at the bottom."""
    figure.tight_layout(rect=(0, bottom, 1, 1))
    figure.savefig(path, dpi=150)
    plt.close(figure)


def carry_out(tool, cases, arguments, present):
    """Runs the cases and presents those that have a report; returns the exit status."""
    if arguments.dry_run:
        for case in cases:
            print(shlex.join(case.command(arguments)))
        return 0
    try:
        os.makedirs(arguments.output, exist_ok=True)
    except OSError as error:
        raise Unusable(f"--output: {error}", SYSTEM) from error
    failures = run_all(tool, cases, arguments)
    done = [case for case in cases if case.report]
    if done:
        present(done, arguments)
    for pair in different_answers(done):
        failures += 1
        complain(tool, f"different answers to the same problem: {pair}")
    if failures:
        print(f"{tool}: {failures} failed; the same command tries them again", file=sys.stderr)
    return 1 if failures else 0
