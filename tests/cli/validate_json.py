#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks JSON reports against docs/json-report.schema.json, and that every key in them is documented there.

Usage: validate_json.py REPORT... Prints what is wrong; the exit status is the number of wrong reports.
"""
import json
import math
import pathlib
import sys

import jsonschema

NOISE = 0.1
SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs" / "json-report.schema.json"


def close(schema):
    """The definitions of a schema, without room for keys that it does not name."""
    for name, part in schema.items():
        if name in ("if", "then", "else"):
            continue
        if isinstance(part, dict):
            close(part)
    if schema.get("type") == "object" and "properties" in schema:
        schema.setdefault("additionalProperties", False)


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON")


def inconsistencies(report):
    """What a schema cannot say."""
    for solve in report["solves"]:
        where = "size " + solve["level"]
        history, samples = solve["history"], solve["samples"]
        if len(history) != solve["cycles"] or len(samples) != solve["timed_solves"]:
            yield where + ": lists do not have the length that is said"
        if history and history[-1] != solve["rel_residual"]:
            yield where + ": rel_residual is not the last of history"
        if samples and not math.isclose(sum(samples) / len(samples), solve["seconds_per_solve"], rel_tol=1e-12):
            yield where + ": seconds_per_solve is not the mean of samples"
        if solve["dof_per_second"] and not math.isclose(
            solve["dof"] / solve["seconds"]["median"], solve["dof_per_second"], rel_tol=1e-12
        ):
            yield where + ": dof_per_second is not dof / seconds.median"
        spread, drift = solve["seconds"]["spread"], solve["seconds"]["drift"]
        if solve["noisy"] != (spread is None or max(spread, abs(drift)) > NOISE):
            yield where + ": noisy does not follow from spread and drift"
        if solve["dof"] != solve["n"] ** 3 or solve["h"] * solve["n"] != 1:
            yield where + ": n, h and dof do not agree"
    if report["checksum"] != report["solves"][0]["checksum"]:
        yield "checksum is not that of size h"
    field_bytes = sum(level["field_bytes"] for level in report["hierarchy"]["levels"])
    if field_bytes != report["memory"]["field_bytes"]:
        yield "memory.field_bytes is not the sum over the levels"
    if len(report["hierarchy"]["levels"]) != report["problem"]["levels"]:
        yield "problem.levels is not the number of levels"


def problems(path, validator):
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file, parse_constant=refuse_constant)
    except (OSError, ValueError) as error:
        return [str(error)]
    wrong = [f"{'/'.join(map(str, e.absolute_path)) or 'report'}: {e.message}" for e in validator.iter_errors(report)]
    return wrong or list(inconsistencies(report))


def main():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    close(schema)
    validator = jsonschema.Draft7Validator(schema)
    bad = 0
    for path in sys.argv[1:]:
        wrong = problems(path, validator)
        bad += bool(wrong)
        for line in wrong:
            print(f"{path}: {line}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
