# SPDX-License-Identifier: BSD-3-Clause
"""One HTML page without outside resources: headings, paragraphs, tables and embedded figures."""
import base64
import html

MIME = {".svg": "image/svg+xml", ".png": "image/png"}
STYLE = """
body { max-width: 84rem; margin: 0 auto; padding: 0 1rem 3rem; color: #1a1a1a; background: #fff;
       font: 1rem/1.5 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-top: 1px solid #bbb; padding-top: 1rem; }
nav ul { columns: 16rem; padding-left: 1.2rem; }
p, nav, figure { max-width: 62rem; } figure { margin: 1rem 0; overflow-x: auto; } img { width: 100%; min-width: 34rem; height: auto; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: bold; padding: 0.3rem 0; }
th, td { border: 1px solid #ccc; padding: 0.15rem 0.5rem; text-align: right; } thead th { background: #eee; text-align: center; }
.words, tbody th { text-align: left; font-weight: normal; } td.words { min-width: 6rem; }
code { font-size: 0.9em; overflow-wrap: anywhere; } .failed { border-left: 4px solid #a00; padding-left: 0.7rem; }
@media print { body { max-width: none; font-size: 9pt; } nav { display: none; } .wide, figure { overflow: visible; }
  img { width: auto; min-width: 0; max-width: 100%; max-height: 22cm; }
  table { font-size: 6.5pt; } figure, tr, .failed { break-inside: avoid; } h2, h3, caption { break-after: avoid; } }
"""


def text(words):
    """Words as HTML; `what stands so` is code."""
    parts = html.escape(words).split("`")
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))


def paragraph(words):
    return f"<p>{text(' '.join(words.split()))}</p>\n"


def heading(words):
    return f"<h3>{text(words)}</h3>\n"


def failed(words):
    """What has no result, and why."""
    return f'<p class="failed"><strong>No result.</strong> {text(words)}</p>\n'


def cell(words, may_be_number):
    """Numbers to the right, words to the left."""
    is_number = may_be_number and not any(letter.isalpha() and letter != "e" for letter in words)
    return f"<td>{text(words)}</td>" if is_number else f'<td class="words">{text(words)}</td>'


def table(caption, headings, rows):
    """The first column heads its row; empty columns are left out. Without headings cells hold words."""
    if not rows:
        return ""
    used = [column for column in range(len(rows[0])) if column == 0 or any(row[column] for row in rows)]
    rows = [[row[column] for column in used] for row in rows]
    headings = [headings[column] for column in used] if headings else ()
    head = "".join(f'<th scope="col">{text(heading)}</th>' for heading in headings)
    body = ""
    for first, *others in rows:
        cells = "".join(cell(words, bool(headings)) for words in others)
        body += f'<tr><th scope="row">{text(first)}</th>{cells}</tr>\n'
    return ('<div class="wide"><table>' + (f"<caption>{text(caption)}</caption>\n" if caption else "")
            + (f"<thead><tr>{head}</tr></thead>\n" if headings else "")
            + f"<tbody>\n{body}</tbody></table></div>\n")


def figure(path, description):
    with open(path, "rb") as file:
        data = base64.b64encode(file.read()).decode("ascii")
    return (f'<figure><img alt="{html.escape(description)}" '
            f'src="data:{MIME[path[path.rindex("."):]]};base64,{data}"></figure>\n')


def page(title, introduction, sections):
    """sections: name, heading and HTML of each."""
    links = "".join(f'<li><a href="#{name}">{text(words)}</a></li>\n' for name, words, _ in sections)
    body = "".join(f'<section id="{name}"><h2>{text(words)}</h2>\n{content}</section>\n'
                   for name, words, content in sections)
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{text(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{text(title)}</h1>\n"
            f"{introduction}<nav><ul>\n{links}</ul></nav>\n{body}</body>\n</html>\n")
