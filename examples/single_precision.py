#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What single precision costs: residuals ‖f − Au‖/‖f‖ after each cycle in double precision, in mixed precision, and in
double precision with u rounded to single after each cycle, as a u stored in single precision would be.

    python3 single_precision.py [CELLS [ORDER [BACKEND]]]

CELLS per side (64), ORDER 2 or 4 (4), BACKEND auto, cpu or gpu. The residual of a rounded u stalls at about 2⁻²⁴ of
β|u|/h², so it grows with the square of CELLS. docs/NUMERICS.md explains why mixed precision does not. Exit status: 0 if
this is what is seen. One rank."""
import sys

import numpy

import hpgmg

CYCLES = 6


def right_side(n):
    x = (numpy.arange(n) + 0.5) / n
    sine = numpy.sin(numpy.pi * x)
    return 3 * numpy.pi**2 * sine[:, None, None] * sine[None, :, None] * sine + numpy.sin(7 * x)[:, None, None]


def residuals(f, precision, rounds, **options):
    """After the F-cycle and after each V-cycle, one per call. Levels of more than 8³ cells are corrected."""
    single = {"single_above": 512} if precision == "mixed" else {}
    with hpgmg.Solver(f.shape, coefficients="constant", precision=precision, max_cycles=1, rtol=1e-15, **single,
                      **options) as solver:
        found = [solver.solve(f).residual]
        while len(found) < CYCLES:
            if rounds:
                solver.set("u", solver.get("u").astype("f4").astype("f8"))
            found.append(solver.solve(from_guess=True).residual)
    return found


def main():
    n, order = (int(word) for word in (sys.argv[1:3] + ["64", "4"][len(sys.argv) - 1:])[:2])
    options = {"order": order, "backend": sys.argv[3] if len(sys.argv) > 3 else "auto"}
    f = right_side(n)
    rows = {name: residuals(f, precision, rounds, **options)
            for name, precision, rounds in (("double", "double", False), ("mixed", "mixed", False),
                                            ("double, u rounded", "double", True))}
    print(f"{n}^3, order {order}, after 1 to {CYCLES} cycles:")
    for name, row in rows.items():
        print(f"{name:18}", *(f"{residual:.1e}" for residual in row))
    double, mixed, rounded = (row[-1] for row in rows.values())
    return 0 if mixed < 2 * double and rounded > 1000 * double else 1


if __name__ == "__main__":
    sys.exit(main())
