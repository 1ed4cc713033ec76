# SPDX-License-Identifier: BSD-3-Clause
"""What the studies in run/ share: options, domains, runs that resume.

A study has one case per run of the program. Its folder has each run's JSON report and its log,
whose first line is the command."""
import argparse
import contextlib
import dataclasses
import itertools
import math
import os
import re
import shlex
import subprocess
import sys
import textwrap
import time

from errors import SYSTEM, USAGE, Unusable, complain
from reports import cells_of, is_right, read_json

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


def between(kind, low, high=math.inf):
    """Parses a number above `low` and below `high`."""
    def parse(text):
        with contextlib.suppress(ValueError):
            if low < kind(text) < high:
                return kind(text)
        raise argparse.ArgumentTypeError(f"'{text}' is no number above {low}" + (f" and below {high}" if high < math.inf else ""))
    return parse


def words_of(legal):
    """Parses words with commas between them."""
    def parse(text):
        words = text.split(",")
        if not set(words) <= set(legal):
            raise argparse.ArgumentTypeError(f"'{text}': legal are {','.join(legal)}")
        return words
    return parse


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


@dataclasses.dataclass(frozen=True)
class Domain:
    """`boxes` boxes of 2^log2_box_dim cells per side in all, on `ranks` ranks. `shape` is the value of --domain."""
    ranks: int
    log2_box_dim: int
    boxes: int
    shape: str = "cube"

    def dof(self):
        return self.boxes * 8**self.log2_box_dim

    def boxes_per_rank(self):
        """Of the fullest rank."""
        return -(-self.boxes // self.ranks)

    def fullest(self):
        """Unknowns of the fullest rank over the mean."""
        return self.boxes_per_rank() * self.ranks / self.boxes

    def words(self):
        """The program's arguments."""
        shape = [] if self.shape == "cube" else ["--domain", self.shape]
        return [*shape, str(self.log2_box_dim), str(self.boxes_per_rank())]


def weak_domain(ranks, log2_box_dim, boxes):
    """With exactly `boxes` boxes on each rank."""
    return Domain(ranks, log2_box_dim, ranks * boxes, "exact")


def strong_domain(ranks, log2_box_dim, side):
    """A cube with `side` boxes along each edge."""
    return Domain(ranks, log2_box_dim, side**3)


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
    """Runs the case; what it prints stays next to its report. None, or why it failed."""
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
    """Runs what has no result yet, for `seconds` at most; returns the number of failures."""
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


def output_of(command):
    """What a program prints that ends with status 0."""
    try:
        done = subprocess.run(command, capture_output=True, check=False, text=True)
    except OSError as error:
        raise Unusable(f"--program: {error}") from error
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()
        raise Unusable(f"{command[0]}: status {done.returncode}: {words[-1] if words else 'no message'}")
    return done.stdout


def different_answers(cases):
    """The same grid and order must have the same bits, whatever else differs."""
    seen, different = {}, []
    for case in cases:
        other = seen.setdefault((case.report["order"], cells_of(case.solve())), case)
        if case.solve()["checksum"] != other.solve()["checksum"]:
            different.append(f"{case.name()}.json and {other.name()}.json")
    return different


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
