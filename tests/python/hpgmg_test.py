#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package, on any number of ranks: what goes in comes out, from arrays of any kind, and what is wrong raises.
HPGMG_LIBRARY names the library."""
import unittest

import numpy

import hpgmg

CELLS = (32, 16, 16)


def values(lo, n):
    """Different in every cell, and the same on any ranks."""
    i, j, k = numpy.meshgrid(*(numpy.arange(l, l + m) for l, m in zip(lo, n)), indexing="ij")
    return 1.0 + i + 100.0 * j + 10000.0 * k


def poisson(**options):
    return hpgmg.Solver(CELLS, coefficients="constant", backend="cpu", **options)


def pairs(solver, make=values):
    return [(lo, make(lo, n)) for lo, n in solver.boxes]


class OnGpu:
    """Host memory that claims to be a GPU's, as the protocol describes it; a library without CUDA cannot tell."""

    def __init__(self, array, **more):
        self.array = array
        described = array.__array_interface__
        self.__cuda_array_interface__ = {"shape": array.shape, "typestr": described["typestr"], "data": described["data"],
                                         "strides": described["strides"], "version": 3, **more}


class OnlyDlpack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **_):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Package(unittest.TestCase):
    def check_f(self, solver):
        got = solver.get("f", out=pairs(solver, lambda lo, n: numpy.full(n, numpy.nan)))
        for lo, array in got:
            self.assertTrue((array == values(lo, array.shape)).all())

    def test_arrays_of_any_strides(self):
        def reversed_in_memory(lo, n):
            return numpy.ascontiguousarray(values(lo, n)[::-1, :, ::-1])[::-1, :, ::-1]

        def every_second(lo, n):
            wide = numpy.zeros((2 * n[0], n[1], 3 * n[2]))
            wide[::2, :, ::3] = values(lo, n)
            return wide[::2, :, ::3]

        makers = [values, lambda lo, n: numpy.asfortranarray(values(lo, n)), reversed_in_memory, every_second,
                  lambda lo, n: OnGpu(values(lo, n)), lambda lo, n: OnGpu(numpy.asfortranarray(values(lo, n))),
                  lambda lo, n: OnlyDlpack(values(lo, n))]
        with poisson() as solver:
            for make in makers:
                solver.set("f", pairs(solver, lambda lo, n: numpy.zeros(n)))
                solver.set("f", pairs(solver, make))
                self.check_f(solver)
            solver.set("f", pairs(solver, lambda lo, n: numpy.broadcast_to(3.0, n)))
            for _, array in solver.get("f", out=pairs(solver)):
                self.assertTrue((array == 3.0).all())

    def test_functions(self):
        with poisson() as solver:
            h = solver.cell_size
            self.assertEqual(h, 1 / 32)
            solver.set("f", lambda x, y, z: round(x / h + 0.5) + 100 * round(y / h - 0.5) + 10000 * round(z / h - 0.5))
            self.check_f(solver)
            with self.assertRaises(ZeroDivisionError):
                solver.set("f", lambda x, y, z: 1 / 0)

    def test_faces(self):
        with hpgmg.Solver(CELLS, backend="cpu") as solver:
            for d, field in enumerate(("beta_i", "beta_j", "beta_k")):
                more = [int(e == d) for e in range(3)]
                faces = pairs(solver, lambda lo, n: values(lo, [m + o for m, o in zip(n, more)]))
                solver.set(field, faces)
                got = solver.get(field, out=pairs(solver, lambda lo, n: numpy.zeros([m + o for m, o in zip(n, more)])))
                for (lo, array), (_, n) in zip(got, solver.boxes):
                    ends = [m + o * (l + m == cells) for m, o, l, cells in zip(n, more, lo, CELLS)]
                    own = array[:ends[0], :ends[1], :ends[2]] # faces between boxes belong to the box behind them
                    self.assertTrue((own == values(lo, own.shape)).all())

    def test_solve(self):
        with poisson(order=4, boundary="periodic,dirichlet,dirichlet", rtol=1e-9) as solver:
            solver.set("f", lambda x, y, z: numpy.sin(2 * numpy.pi * x))
            first = solver.solve()
            self.assertTrue(first.converged and first.residual < 1e-9 and len(first.history) == first.cycles > 1)
            self.assertEqual(first.history[-1], first.residual)
            again = solver.solve(from_guess=True)
            self.assertTrue(again.converged and again.cycles <= 1 and again.setup_seconds == 0.0)
            whole = solver.get()
            if len(solver.boxes) == 1 and solver.boxes[0][1] == CELLS:
                self.assertEqual(whole.shape, CELLS)
            else:
                self.assertEqual([lo for lo, _ in whole], [lo for lo, _ in solver.boxes])
        with poisson(rtol=1e-13, max_cycles=1) as solver:
            solver.set("f", lambda x, y, z: 1.0)
            self.assertFalse(solver.solve().converged)

    def test_walls(self):
        h = 1 / 32

        def wall(solver, d, side):
            """x + 2y + 3z at the centres of the faces, for boxes at this wall."""
            arrays = []
            for lo, n in solver.boxes:
                at = [h * (l + 0.5 + numpy.arange(m)) for l, m in zip(lo, n)]
                ends = lo[d] == 0 if side == 0 else lo[d] + n[d] == CELLS[d]
                at[d] = numpy.array([side * h * CELLS[d]])
                x, y, z = numpy.meshgrid(*at, indexing="ij")
                arrays.append(numpy.squeeze(x + 2 * y + 3 * z, axis=d) if ends else None)
            return arrays

        for by_function in False, True:
            with poisson(rtol=1e-12) as solver:
                solver.set("f", pairs(solver, lambda lo, n: numpy.zeros(n)))
                for d in range(3):
                    for side in 0, 1:
                        solver.set_wall(d, side, (lambda x, y, z: x + 2 * y + 3 * z) if by_function else wall(solver, d, side))
                solver.solve()
                for lo, u in solver.get(out=pairs(solver)):
                    x, y, z = numpy.meshgrid(*(h * (l + 0.5 + numpy.arange(m)) for l, m in zip(lo, u.shape)), indexing="ij")
                    self.assertLess(abs(u - (x + 2 * y + 3 * z)).max(), 1e-9)
                with self.assertRaises((ZeroDivisionError, hpgmg.Error)): # the latter on ranks without faces there
                    solver.set_wall(0, 0, lambda x, y, z: 1 / 0)
                self.refused("ARGUMENT", "", lambda: solver.set_wall(3, 0, lambda x, y, z: 0.0))
                self.assertRaises(TypeError, lambda: solver.set_wall(0, 0, [numpy.zeros((3, 3))] * len(solver.boxes)))

    def test_lengths(self):
        with poisson() as one, hpgmg.Solver(CELLS, lengths=(8, 4, 4), coefficients="constant", backend="cpu") as eight:
            for solver in one, eight:
                solver.set("f", pairs(solver))
                solver.solve()
            for (_, a), (_, b) in zip(one.get(out=pairs(one)), eight.get(out=pairs(eight))):
                self.assertTrue((64 * a == b).all())

    def refused(self, status, text, call):
        with self.assertRaises(hpgmg.Error) as caught:
            call()
        self.assertEqual(caught.exception.status, status)
        self.assertIn(text, str(caught.exception))

    def test_errors(self):
        self.refused("ARGUMENT", "did you mean order", lambda: poisson(ordre=4))
        self.refused("ARGUMENT", "cells[1] is 3", lambda: hpgmg.Solver((16, 3, 16)))
        self.assertRaises(TypeError, lambda: hpgmg.Solver((16, 16)))
        with poisson() as solver:
            zero = pairs(solver, lambda lo, n: numpy.zeros(n))
            self.refused("ORDER", "f", solver.solve)
            self.refused("ARGUMENT", "no field 'v'", lambda: solver.set("v", zero))
            self.refused("ARGUMENT", "", lambda: solver.set("f", pairs(solver, lambda lo, n: numpy.full(n, numpy.nan))))
            self.refused("ARGUMENT", "", lambda: solver.set("f", [(tuple(1000 + l for l in lo), a) for lo, a in zero]))
            for wrong in (numpy.zeros(8), numpy.zeros((8, 8, 8), dtype="f4"), numpy.zeros((8, 8, 8), dtype=">f8"), "text",
                          OnGpu(numpy.zeros((8, 8, 8)), stream=1),
                          numpy.zeros((8, 8, 8), dtype=[("a", "f8"), ("b", "f4")])["a"]):
                self.assertRaises(TypeError, lambda: solver.set("f", wrong))
            constant = numpy.zeros(CELLS)
            constant.flags.writeable = False
            self.assertRaises(TypeError, lambda: solver.get("f", out=constant))
            self.assertRaises(TypeError, lambda: solver.get("f", out=[((0, 0, 0), [[[0.0]]])]))
        solver.close()
        self.refused("ARGUMENT", "NULL", solver.solve)


if __name__ == "__main__":
    unittest.main()
