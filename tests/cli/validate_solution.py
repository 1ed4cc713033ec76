#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""validate_solution.py FILE.vti CHECKSUM: the hash of u in the file, by the definition of
src/operators/hash.h, is CHECKSUM, and f is not u. Reads the format by itself."""
import re
import struct
import sys
import xml.parsers.expat

MASK = 2**64 - 1


def mix(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def checksum(words):
    return sum(mix(bits + mix(index + 0x9E3779B97F4A7C15 & MASK) & MASK) for index, bits in enumerate(words)) & MASK


def vtk_finds_values(content):
    """As VTK does, gives expat blocks of a file up to the tag before the values, and then this tag byte by byte as an
    empty element: expat must tell the element's end before a value follows. Releases that put off looking at half a tag
    until it has doubled do so only if a block ends in the middle."""
    found = []
    parser = xml.parsers.expat.ParserCreate()
    parser.EndElementHandler = found.append
    opening = content.index(b"<AppendedData") + len(b"<AppendedData")
    closing = content.index(b">", opening)
    block_end = min(closing, -(-opening // 4096) * 4096)
    half = block_end - content.index(b"<AppendedData")
    assert closing + len("/>") - block_end == half, "the block does not end in the middle of the tag"
    for first, last in [(start, min(start + 4096, opening)) for start in range(0, opening, 4096)] + [(opening, block_end)]:
        parser.Parse(content[first:last])
    for byte in [*content[block_end:closing], *b"/>"]:
        parser.Parse(bytes([byte]))
    parser.Parse(b"\n</VTKFile>\n")
    assert "AppendedData" in found, "VTK would take values for XML"


def main():
    with open(sys.argv[1], "rb") as file:
        content = file.read()
    head, _, data = content.partition(b'<AppendedData encoding="raw">\n_')
    vtk_finds_values(content)
    head = head.decode("ascii")
    for word in ('type="ImageData"', 'header_type="UInt64"', 'byte_order="LittleEndian"', 'type="Float64"'):
        assert word in head, word
    n = [int(word) for word in re.search(r'WholeExtent="0 (\d+) 0 (\d+) 0 (\d+)"', head).groups()]
    cells = n[0] * n[1] * n[2]
    assert re.search(r'Spacing="(\S+) \1 \1"', head).group(1) == f"{1 / max(n):.17g}"
    arrays = {}
    for name, offset in re.findall(r'Name="(\w)" format="appended" offset="(\d+)"', head):
        assert struct.unpack_from("<Q", data, int(offset))[0] == 8 * cells, name
        arrays[name] = struct.unpack_from(f"<{cells}Q", data, int(offset) + 8)
    assert data[2 * (8 + 8 * cells):] == b"\n  </AppendedData>\n</VTKFile>\n"
    assert checksum(arrays["u"]) == int(sys.argv[2], 16), f"{checksum(arrays['u']):016x}"
    assert checksum(arrays["f"]) != checksum(arrays["u"]) and any(arrays["f"])


main()
