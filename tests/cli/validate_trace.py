#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks a file of --timeline against the Trace Event Format, and against what a solve can do.

Usage: validate_trace.py TRACE RANKS. Prints the first thing that is wrong; the exit status is then 1.
Clocks of two ranks may differ by what the trace states.
"""
import json
import numbers
import sys

WORKS = {"smoother", "residual", "interpolation", "zero", "restriction", "halo", "boundary", "hand-over",
         "redistribution", "bottom", "mean"}
ROUNDING = 0.002  # microseconds: times are written in nanoseconds


def check(condition, *words):
    if not condition:
        raise SystemExit(" ".join(map(str, words)))


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON")


def check_event(event):
    check(event["ph"] in ("X", "M"), "phase", event["ph"])
    check(isinstance(event["name"], str) and event["name"], "no name", event)
    check(all(isinstance(event[key], int) for key in ("pid", "tid")), "pid and tid are integers", event)
    if event["ph"] == "M":
        check(event["name"] in ("process_name", "thread_name") and event["args"]["name"], "metadata", event)
        return
    check(all(isinstance(event[key], numbers.Real) and event[key] >= 0 for key in ("ts", "dur")), "ts and dur", event)
    check(event["cat"] in WORKS, "kind of work", event)
    check(event["args"]["n"] >= 1 and event["args"]["level"] >= 0 and event["args"]["cycle"], "arguments", event)


def check_ranks(events, ranks):
    """Every rank has a name, and so has every thread with stages."""
    named = {(event["name"], event["pid"], event["tid"] if event["name"] == "thread_name" else 0)
             for event in events if event["ph"] == "M"}
    check({pid for name, pid, _ in named if name == "process_name"} == set(range(ranks)), "names of ranks", named)
    for event in events:
        check(event["ph"] == "M" or ("thread_name", event["pid"], event["tid"]) in named, "no name of a thread", event)


def check_order(stages):
    """A thread does one thing after the other, in the order of the list."""
    end = {}
    for stage in stages:
        thread = stage["pid"], stage["tid"]
        check(stage["ts"] + ROUNDING >= end.get(thread, 0.0), "begins before the stage before it ends:", stage)
        end[thread] = stage["ts"] + stage["dur"]
    check(min(stage["ts"] for stage in stages) == 0, "the first stage does not begin at 0")


def check_clocks(stages, tolerance):
    """No rank ends an exchange of the finest level before each of two ranks has begun it."""
    exchanges = {}
    for stage in stages:
        if stage["cat"] == "halo" and stage["args"]["level"] == 0:
            exchanges.setdefault(stage["pid"], []).append(stage)
    check(len({len(own) for own in exchanges.values()}) <= 1, "ranks have different numbers of exchanges")
    for together in zip(*exchanges.values()):
        begun = max(stage["ts"] for stage in together)
        ended = min(stage["ts"] + stage["dur"] for stage in together)
        check(len(together) != 2 or ended + tolerance >= begun, "an exchange ended before its partner began:", together)


def main():
    path, ranks = sys.argv[1], int(sys.argv[2])
    with open(path, encoding="utf-8") as file:
        trace = json.load(file, parse_constant=refuse_constant)
    events = trace["traceEvents"]
    check(trace["displayTimeUnit"] in ("ms", "ns"), "displayTimeUnit")
    for event in events:
        check_event(event)
    check_ranks(events, ranks)
    stages = [event for event in events if event["ph"] == "X"]
    check(stages, "no stages")
    check_order(stages)
    other = trace["otherData"]
    check(other["ranks"] == ranks, "otherData")
    check(0 <= other["clock_error_seconds"] < 10, "clock_error_seconds", other)
    check(ranks > 1 or other["clock_error_seconds"] == 0, "one rank has one clock")
    check_clocks(stages, 1e6 * other["clock_error_seconds"] + ROUNDING)


if __name__ == "__main__":
    main()
