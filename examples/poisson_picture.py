#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the potential of two charges, one of them in a ball of high permittivity: −∇·(β∇u) = f in a grounded box, from
NumPy arrays.

    python3 poisson_picture.py [FILE [BACKEND]]

FILE is poisson.png unless given, BACKEND auto, cpu or gpu. Needs matplotlib. One rank. Each "# %%" begins a cell for
editors that run cells, such as Spyder and VS Code."""
import sys

import matplotlib
import numpy

import hpgmg

matplotlib.use("Agg")
from matplotlib import pyplot # noqa: E402  (after the choice of the backend)

FILE = sys.argv[1] if len(sys.argv) > 1 else "poisson.png"
BACKEND = sys.argv[2] if len(sys.argv) > 2 else "auto"

# %% The centres of the cells of a box with the sides 2, 1 and 1
CELLS, SPACING = (64, 32, 32), 1 / 32
x, y, z = numpy.meshgrid(*(SPACING * (numpy.arange(n) + 0.5) for n in CELLS), indexing="ij")


def distance(*point):
    return numpy.sqrt(sum((a - p)**2 for a, p in zip((x, y, z), point)))


# %% Charge density f and permittivity β, both of the shape CELLS
f = numpy.exp(-(distance(0.5, 0.5, 0.5) / 0.08)**2) - numpy.exp(-(distance(1.4, 0.5, 0.5) / 0.08)**2)
beta = numpy.where(distance(1.4, 0.5, 0.5) < 0.3, 10.0, 1.0)

# %% The potential u
u = hpgmg.poisson(f, beta, spacing=SPACING, backend=BACKEND)

# %% The plane in the middle, with field lines; arrays are indexed [x, y, z] and pictures [row, column]
plane = (u[:, :, 15] + u[:, :, 16]) / 2
slopes = numpy.gradient(plane, SPACING)
figure, axes = pyplot.subplots(figsize=(8, 4.2), layout="constrained")
most = abs(plane).max()
picture = axes.imshow(plane.T, origin="lower", extent=(0, 2, 0, 1), cmap="RdBu_r", vmin=-most, vmax=most)
axes.streamplot(x[:, 0, 0], y[0, :, 0], -slopes[0].T, -slopes[1].T, color="0.3", linewidth=0.6,
                arrowsize=0.6)
axes.contour(x[:, 0, 0], y[0, :, 0], beta[:, :, 16].T, levels=[5.0], colors="k", linestyles="dashed")
axes.set(title="Potential of two charges; β = 10 within the dashed line, else 1", xlabel="x", ylabel="y",
         xlim=(0, 2), ylim=(0, 1))
figure.colorbar(picture, label="u", shrink=0.7)
figure.savefig(FILE, dpi=150)
