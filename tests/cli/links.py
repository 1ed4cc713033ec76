#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""links.py DIRECTORY: every relative link and image in a *.md file leads to a file, and every #anchor to a heading, by
GitHub's rule. Prints the wrong ones, then how many links there are. Links to other sites are not followed."""
import os
import re
import sys

LINK = re.compile(r"\]\(\s*([^)\s]+)(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)


def read(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"^ *```.*?^ *```", "", file.read(), flags=re.MULTILINE | re.DOTALL)


def anchors(path):
    """Of the headings; a second heading of the same words gets -1, and so on."""
    found = {}
    for heading in re.findall(r"^#+ +(.*?) *$", read(path), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.setdefault(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"), []).append(heading)
    return {slug + (f"-{i}" if i else "") for slug, headings in found.items() for i in range(len(headings))}


def leads_somewhere(document, target):
    name, _, anchor = target.partition("#")
    path = os.path.join(os.path.dirname(document), name) if name else document
    return os.path.exists(path) and (not anchor or not path.endswith(".md") or anchor in anchors(path))


tree = sys.argv[1] if len(sys.argv) == 2 else sys.exit("usage: links.py DIRECTORY")
documents = [os.path.join(folder, name) for folder, _, names in os.walk(tree) for name in names
             if name.endswith(".md") and not re.search(r"/(\.git|build)(/|$)", folder)]
texts = [(document, re.sub("`[^`\n]*`", "", read(document))) for document in sorted(documents)]
links = [(document, first or second) for document, text in texts for first, second in LINK.findall(text)
         if not re.match("[a-z]+:", first or second)]
wrong = [f"{document}: {target}" for document, target in links if not leads_somewhere(document, target)]
print(*wrong, f"{len(wrong)} of {len(links)} links lead nowhere", sep="\n")
sys.exit(bool(wrong))
