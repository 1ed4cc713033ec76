#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Solves −∇·(β∇u) = f in the unit cube with u = 0 on its walls, for a known u, on two grids, and prints errors and the
order that follows from them.

    python3 poisson.py [ORDER [BACKEND]]

ORDER is 2 or 4, BACKEND auto, cpu or gpu. With BACKEND gpu and CuPy the data never leaves the GPU. Exit status: 0 if the
order is observed. One rank."""
import sys

import numpy

import hpgmg


def means(function_integral, n):
    """Means over n cells of a function of one coordinate with this integral."""
    return numpy.diff(function_integral(numpy.linspace(0.0, 1.0, n + 1))) * n


def outer(x, y, z):
    return x[:, None, None] * y[None, :, None] * z[None, None, :]


def error(n, order, backend, arrays):
    """The largest error of u = sin(πx) sin(πy) sin(πz), where β is 1 + x/2: f = −∂β/∂x ∂u/∂x + 3π² β u. All are sums of
    products of functions of one coordinate, so their means over cells are exact."""
    pi, x = numpy.pi, numpy.linspace(0.0, 1.0, n + 1)
    sine = means(lambda t: -numpy.cos(pi * t) / pi, n)
    cosine = means(lambda t: numpy.sin(pi * t) / pi, n)
    x_sine = means(lambda t: numpy.sin(pi * t) / pi**2 - t * numpy.cos(pi * t) / pi, n)
    u = outer(sine, sine, sine)
    f = -0.5 * pi * outer(cosine, sine, sine) + 3.0 * pi**2 * (u + 0.5 * outer(x_sine, sine, sine))
    one, middle = numpy.ones(n), (x[:-1] + x[1:]) / 2
    faces = numpy.ones(n + 1)
    with hpgmg.Solver((n, n, n), order=order, backend=backend, rtol=1e-10) as solver:
        solver.set("f", arrays.asarray(f))
        solver.set("beta_i", arrays.asarray(outer(1 + x / 2, one, one)))
        solver.set("beta_j", arrays.asarray(outer(1 + middle / 2, faces, one)))
        solver.set("beta_k", arrays.asarray(outer(1 + middle / 2, one, faces)))
        result = solver.solve()
        computed = arrays.empty((n, n, n))
        solver.get("u", out=computed)
    most = float(abs(computed - arrays.asarray(u)).max())
    print(f"{n:3}^3: error {most:.3e}, relative residual {result.residual:.1e} after {result.cycles} cycles")
    return most


def main():
    order = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    backend = sys.argv[2] if len(sys.argv) > 2 else "auto"
    arrays = numpy
    if backend == "gpu":
        try:
            import cupy as arrays
        except ImportError:
            pass
    observed = numpy.log2(error(16, order, backend, arrays) / error(32, order, backend, arrays))
    print(f"observed order {observed:.2f}")
    return 0 if observed > order - 0.3 else 1


if __name__ == "__main__":
    sys.exit(main())
