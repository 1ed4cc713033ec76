#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks a page of run/report-machine: elements nest and end, ids are unique, links lead to them, nothing comes from
outside, tables have rows of equal length, images are whole.

Usage: validate_page.py PAGE.html. Prints the number of figures, or the first thing that is wrong with status 1.
"""
import base64
import html.parser
import sys
import xml.dom.minidom

EMPTY = {"meta", "img"}
KNOWN = {"html", "head", "title", "style", "body", "h1", "h2", "h3", "p", "nav", "ul", "li", "a", "section", "div",
         "table", "caption", "thead", "tbody", "tr", "th", "td", "code", "strong", "figure"} | EMPTY


def check(condition, *words):
    if not condition:
        raise SystemExit(" ".join(map(str, words)))


def check_image(address):
    """SVG that is XML, or a PNG, within the page."""
    kind, _, data = address.partition(";base64,")
    check(kind in ("data:image/svg+xml", "data:image/png"), "not within the page:", address[:60])
    content = base64.b64decode(data, validate=True)
    if kind == "data:image/png":
        check(content.startswith(b"\x89PNG\r\n") and content.endswith(b"IEND\xaeB`\x82"), "not a whole PNG")
    else:
        check(xml.dom.minidom.parseString(content).documentElement.tagName == "svg", "no SVG")


class Page(html.parser.HTMLParser):
    """The page's elements; open ones are a stack."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.rows = [], [], [], []
        self.figures = 0

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        check(tag in KNOWN, "unknown element", tag)
        check(tag != "p" or "p" not in self.open, "a paragraph within a paragraph")
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if "href" in attributes else []
        if tag == "img":
            self.figures += 1
            check(attributes.get("alt"), "an image without words")
            check_image(attributes["src"])
        if tag == "table":
            self.rows = []
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        check(self.open and self.open[-1] == tag, f"</{tag}> ends", self.open)
        self.open.pop()
        check(tag != "table" or len(set(self.rows)) == 1, "rows of different lengths", self.rows)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        content = file.read()
    check(content.startswith("<!DOCTYPE html>\n"), "no doctype")
    for word in ("<script", "http:", "https:", "@import", "url("):
        check(word not in content, "has", word)
    page = Page()
    page.feed(content)
    page.close()
    check(not page.open, "not ended:", page.open)
    check(len(set(page.ids)) == len(page.ids), "an id twice", page.ids)
    check(page.links and all(link[:1] == "#" and link[1:] in page.ids for link in page.links), "links", page.links)
    print(page.figures)


if __name__ == "__main__":
    main()
