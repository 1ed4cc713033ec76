#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds circles of #include lines: of headers, of stems, and of modules.

Usage: tests/cli/includes.py FOLDER...

FOLDERs are modules: src/level, lab. A stem is a header with the source file of its name: level/plan.h and
level/plan.c are level/plan. Prints one line for each circle.

Exit status: 0 if there is no circle, else 1.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
HEADERS = {".h", ".cuh", ".def"}
SUFFIXES = HEADERS | {".c", ".cc", ".cu"}


def read(folders):
    """The includes of each file, by the name by which others include it."""
    files = {}
    for folder in folders:
        root = "src" if folder.startswith("src/") else "."
        for path in pathlib.Path(folder).rglob("*"):
            if path.suffix in SUFFIXES:
                files[str(path.relative_to(root))] = INCLUDE.findall(path.read_text(encoding="utf-8"))
    return files


def circles(files, group_of):
    """Sets of groups of files that reach each other."""
    graph = {group_of(name): set() for name in files}
    for name, includes in files.items():
        graph[group_of(name)] |= {group_of(i) for i in includes if i in files} - {group_of(name)}
    reached = {}
    for group in graph:
        found, left = set(), [group]
        while left:
            new = graph[left.pop()] - found
            found |= new
            left += new
        reached[group] = found
    found = {frozenset(b for b in reached[a] if a in reached[b]) for a in graph if a in reached[a]}
    return sorted(sorted(circle) for circle in found)


def main(folders):
    if not folders:
        print(__doc__.split("\n")[2], file=sys.stderr)
        return 2
    files = read(folders)
    headers = {name: includes for name, includes in files.items() if pathlib.Path(name).suffix in HEADERS}
    found = [("headers", circle) for circle in circles(headers, str)]
    found += [("stems", circle) for circle in circles(files, lambda name: str(pathlib.Path(name).with_suffix("")))]
    found += [("modules", circle) for circle in circles(files, lambda name: name.split("/", maxsplit=1)[0])]
    for kind, circle in found:
        print(f"circle of {kind}: {' '.join(circle)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
