# SPDX-License-Identifier: BSD-3-Clause
"""u and f of a file of hpgmg-gpu --write-solution, and a slice through the domain."""
import array
import os
import sys
import xml.etree.ElementTree as ElementTree

from drawing import save_figure
from errors import Unusable

START = b'<AppendedData encoding="raw">'


class Solution:
    """The cells of the file, i fastest: n = [cells in i, j, k], h, and arrays["u"], arrays["f"]."""

    def __init__(self, path):
        with open(path, "rb") as file:
            content = file.read()
        head, found, rest = content.partition(START)
        try:
            # Raw data are no XML, so the parser sees the file without them.
            root = ElementTree.fromstring(head + (START + b"</AppendedData></VTKFile>" if found else b""))
            image = root.find("ImageData")
            self.n = [int(word) for word in image.get("WholeExtent").split()[1::2]]
            self.h = float(image.get("Spacing").split()[0])
            self.arrays = {each.get("Name"): self.values(rest, root, int(each.get("offset")))
                           for each in root.iter("DataArray")}
        except (ElementTree.ParseError, AttributeError, TypeError, ValueError) as error:
            raise Unusable(f"{path}: no whole file of hpgmg-gpu --write-solution ({error})") from error

    def values(self, rest, root, offset):
        """Data begin after an underscore; each array after its number of bytes, as UInt64."""
        order = "little" if root.get("byte_order") == "LittleEndian" else "big"
        start = rest.index(b"_") + 1 + offset
        length = int.from_bytes(rest[start:start + 8], order)
        values = array.array("d", rest[start + 8:start + 8 + length])
        if len(values) != self.n[0] * self.n[1] * self.n[2]:
            raise ValueError(f"{len(values)} values of {self.n} cells")
        if order != sys.byteorder:
            values.byteswap()
        return values

    def plane(self, name, k):
        """The rows of plane k."""
        ni, nj = self.n[0], self.n[1]
        first = [(k * nj + j) * ni for j in range(nj)]
        return [self.arrays[name][start:start + ni] for start in first]


def draw_slice(plt, solution, names, k, path):
    """Plane k, in i and j, of each array that is named."""
    figure, panels = plt.subplots(1, len(names), figsize=(4.6 * len(names), 4), squeeze=False)
    extent = [0, solution.n[0] * solution.h, 0, solution.n[1] * solution.h]
    for axes, name in zip(panels[0], names):
        rows = solution.plane(name, k)
        largest = max(max(map(abs, row)) for row in rows) or 1.0
        image = axes.imshow(rows, origin="lower", extent=extent, cmap="RdBu_r", vmin=-largest, vmax=largest)
        figure.colorbar(image, ax=axes, shrink=0.8)
        axes.set_xlabel("x")
        axes.set_ylabel("y")
        axes.set_title(f"{name}, z = {(k + 0.5) * solution.h:.4g}, {'×'.join(map(str, solution.n))} cells",
                       loc="left", fontsize="medium")
    save_figure(plt, figure, path)
    print(f"{os.path.basename(path)}: plane {k} of {solution.n[2]}")
