#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes docs/json-report.schema.json from the rows of src/app/report_values.c.

Usage: json_schema.py [--write]. Without --write it compares: the file must be what the rows make, and
docs/json-report.md must name every key. Prints what differs; exit status 1 if something does.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS, SCHEMA, PAGE = (ROOT / name for name in
                      ("src/app/report_values.c", "docs/json-report.schema.json", "docs/json-report.md"))

WORDS = {
    "flag": {"type": "boolean"}, "text": {"type": "string"}, "name": {"type": "string", "minLength": 1},
    "count": {"type": "integer", "minimum": 0}, "positive": {"type": "integer", "minimum": 1},
    "number": {"type": "number"}, "amount": {"type": "number", "minimum": 0}, "above": {"type": "number", "exclusiveMinimum": 0},
    "hash": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
    "uuid": {"type": "string", "pattern": "^GPU(-[0-9a-f]{4,12}){5}$"},
    "date": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"},
    "extent": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 3, "maxItems": 3},
    "texts": {"type": "array", "items": {"type": "string", "minLength": 1}},
    "amounts": {"type": "array", "items": {"type": "number", "minimum": 0}},
    "amounts or null": {"type": "array", "items": {"type": ["number", "null"], "minimum": 0}},
    "config": {"type": "object", "required": ["log2-box-dim", "boxes-per-rank", "order", "cycle", "solver"],
               "additionalProperties": {"type": "string"}},
    "breakdowns": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
}
POSITIVE, EXTENT = WORDS["positive"], WORDS["extent"]
TRIALS = {"type": "object", "required": ["n", "cells", "chosen", "trials"], "properties": {
    "n": POSITIVE, "cells": EXTENT, "chosen": POSITIVE,
    "trials": {"type": "array", "minItems": 1, "items": {
        "type": "object", "required": ["seconds_per_solve"], "minProperties": 2, "properties": {
            "cpu_below": POSITIVE, "agglomerate_below": POSITIVE, "threads": POSITIVE,
            "seconds_per_solve": WORDS["amount"]}}}}}
# What one row does not say.
LIMITS = {"checks": {"minItems": 4}, "solves": {"minItems": 1, "maxItems": 3}, "levels": {"minItems": 1},
          "drift": {"exclusiveMinimum": -1}}
VALID = {"if": {"properties": {"verdict": {"const": "VALID"}}},
         "then": {"properties": {
             "reasons": {"maxItems": 0}, "complete": {"const": True},
             "checks": {"items": {"properties": {"state": {"enum": ["passed", "not checked"]}}}},
             "solves": {"items": {"properties": {
                 "rel_residual": {"type": "number"}, "dof_per_second": {"type": "number"},
                 "seconds_per_solve": {"type": "number"}, "reproducible": {"const": True}}}}}},
         "else": {"properties": {
             "reasons": {"minItems": 1}, "solves": {"items": {"properties": {"dof_per_second": {"type": "null"}}}}}}}


def or_null(schema):
    if "enum" in schema:
        return {**schema, "enum": schema["enum"] + [None]}
    return {**schema, "type": [schema["type"], "null"]}


def member(key, words, row):
    """The schema of one row's value."""
    named = re.search(r"(SAME|OBJECT|LIST)\((\w+)_values", row)
    if named:
        schema = {"$ref": f"#/definitions/{named[2]}"}
        if named[1] == "LIST":
            schema = {"type": "array", "items": schema}
        elif ".there_is" in row and ".optional" not in row:
            schema = {"oneOf": [schema, {"type": "null"}]}
    elif "|" in words:
        schema = {"enum": words.rstrip("?").split("|")}
    else:
        schema = WORDS[words.rstrip("?")]
    if words.endswith("?"):
        schema = or_null(schema)
    return {**schema, **LIMITS.get(key, {})}


def table(rows):
    """The schema of a struct: every key, and those that may be missing."""
    words = r'"([a-z0-9_]+)",\s+(?:"([^"]*)"|NULL),'
    found = [next(filter(any, (match[:3], match[3:]))) for match in
             re.findall(rf"\{{{words}(.*?)\}}[,)]|JSON\({words}(.*?)\)[,)]", rows, re.DOTALL)]
    return {"type": "object", "required": [key for key, _, row in found if ".optional" not in row and key[0] != "_"],
            "properties": {key: member(key, words, row) for key, words, row in found if key[0] != "_"}}


def schema():
    text = ROWS.read_text(encoding="utf-8")
    tables = {name: table(rows) for name, rows in
              re.findall(r"TABLE\((\w+),\n(.*?\))\n(?=#|LOCAL_TABLE|TABLE)", text, re.DOTALL)}
    version = int(re.search(r"REPORT_SCHEMA = (\d+)", ROWS.with_suffix(".h").read_text(encoding="utf-8"))[1])
    root = tables.pop("record")
    root["required"] = ["program", "schema"] + root["required"]
    root["properties"] = {"program": {"const": "hpgmg-gpu"}, "schema": {"const": version}, **root["properties"],
                          "order": {"enum": [2, 4]},
                          "cpu_below_trials": TRIALS, "agglomerate_below_trials": TRIALS}
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": f"Report of hpgmg-gpu, version {version}",
            **root, **VALID, "definitions": tables}


def main(arguments):
    if arguments not in ([], ["--write"]):
        print(__doc__.split("\n")[2], file=sys.stderr)
        return 2
    made = schema()
    text = json.dumps(made, indent=1) + "\n"
    if arguments:
        SCHEMA.write_text(text, encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    keys = set().union(*(part["properties"] for part in [made, *made["definitions"].values()]))
    missing = sorted(key for key in keys if f"`{key}`" not in page)
    if missing:
        print(f"{PAGE.name} does not name: {', '.join(missing)}")
    if SCHEMA.read_text(encoding="utf-8") != text:
        print(f"{SCHEMA.name} is not what the rows make; run tests/cli/json_schema.py --write")
        missing.append(SCHEMA.name)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
