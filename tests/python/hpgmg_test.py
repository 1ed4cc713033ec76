#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package, on any number of ranks: what goes in comes out, from arrays of any kind, and what is wrong raises.
HPGMG_LIBRARY names the library."""
import copy
import ctypes
import signal
import sys
import types
import unittest
import unittest.mock
import warnings

import numpy

import hpgmg
from hpgmg import _library

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

        def packed_field(lo, n):
            fields = numpy.zeros(n, dtype=[("a", "f8"), ("b", "f4")])
            fields["a"] = values(lo, n)
            return fields["a"]

        def unaligned(lo, n):
            return numpy.frombuffer(b"x" + values(lo, n).tobytes(), offset=1).reshape(n)

        makers = [values, lambda lo, n: numpy.asfortranarray(values(lo, n)), reversed_in_memory, every_second,
                  lambda lo, n: OnGpu(values(lo, n)), lambda lo, n: OnGpu(numpy.asfortranarray(values(lo, n))),
                  lambda lo, n: OnlyDlpack(values(lo, n)), packed_field, unaligned,
                  lambda lo, n: numpy.ma.masked_less(values(lo, n), 0.0)]
        with poisson() as solver:
            for make in makers:
                solver.set("f", pairs(solver, lambda lo, n: numpy.zeros(n)))
                solver.set("f", pairs(solver, make))
                self.check_f(solver)
            solver.set("f", pairs(solver, lambda lo, n: numpy.broadcast_to(3.0, n)))
            for _, array in solver.get("f", out=pairs(solver)):
                self.assertTrue((array == 3.0).all())
            solver.set("f", pairs(solver, lambda lo, n: numpy.broadcast_to(numpy.arange(float(n[2])), n)))
            for _, array in solver.get("f", out=pairs(solver)):
                self.assertTrue((array == numpy.arange(array.shape[2])).all())

    def test_functions(self):
        with poisson() as solver:
            h = solver.cell_sizes[0]
            self.assertEqual(h, 1 / 32)
            solver.set("f", lambda x, y, z: round(x / h + 0.5) + 100 * round(y / h - 0.5) + 10000 * round(z / h - 0.5))
            self.check_f(solver)

    def test_what_a_function_raises_reaches_the_caller(self):
        def third(error):
            """Raises in the third call only."""
            calls = []

            def function(x, y, z):
                calls.append(x)
                if len(calls) == 3:
                    raise error
                self.assertLess(len(calls), 3)
                return 1.0
            return function

        with poisson() as solver:
            for error in ZeroDivisionError(), KeyboardInterrupt(), SystemExit(7), GeneratorExit():
                solver.set("f", pairs(solver))
                with self.assertRaises(type(error)) as caught:
                    solver.set("f", third(error))
                self.assertIs(caught.exception, error)
                self.refused("ORDER", "f", lambda: solver.get("f", out=pairs(solver)))
                self.refused("ORDER", "f must be set", solver.solve)

    @staticmethod
    def set_with_interrupt(solver, event, call):
        """Sets f to 1 by a function. SIGINT comes at this event of Python in this call of the package's callback."""
        seen = []

        def trace(frame, what, _):
            if frame.f_code.co_name != "value" or "hpgmg" not in frame.f_code.co_filename:
                return None
            if what == event:
                seen.append(what)
                if len(seen) == call:
                    signal.raise_signal(signal.SIGINT)
            return trace

        sys.settrace(trace)
        try:
            solver.set("f", lambda x, y, z: 1.0)
        finally:
            sys.settrace(None)

    def test_an_interrupt_outside_of_the_function_is_kept(self):
        """Handlers of signals run between any two steps, so also where an exception could not be caught."""
        before = signal.getsignal(signal.SIGINT)
        with poisson() as solver:
            points = sum(int(numpy.prod(n)) for _, n in solver.boxes)
            for event, call in ("call", 1), ("call", 3), ("return", 3), ("call", points), ("return", points):
                solver.set("f", pairs(solver))
                with self.assertRaises(KeyboardInterrupt):
                    self.set_with_interrupt(solver, event, call)
                self.assertIs(signal.getsignal(signal.SIGINT), before)
                if (event, call) == ("return", points): # all values were right
                    self.assertTrue(all((f == 1.0).all() for _, f in solver.get("f", out=pairs(solver))))
                else:
                    self.refused("ORDER", "f", lambda: solver.get("f", out=pairs(solver)))

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
        with poisson(solver="idr", max_cycles=20) as solver:
            solver.set("f", lambda x, y, z: x)
            result = solver.solve()
            self.assertTrue(0 < result.krylov_cycles <= result.cycles and result.warning == "" and first.krylov_cycles == 0)

    def test_a_slow_shape_warns_once(self):
        with hpgmg.Solver((68, 68, 68), coefficients="constant", backend="cpu") as solver, \
                warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            first = min(lo for lo, _ in solver.boxes) == (0, 0, 0)
            solver.set("f", pairs(solver, lambda lo, n: numpy.zeros(n)))
            for _ in range(2):
                self.assertIn("the coarsest level has 17^3 cells", solver.solve().warning)
        self.assertEqual([w.category for w in caught], [RuntimeWarning] * first)

    def test_a_dropped_solver(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            solver = poisson()
            alone = sum(int(numpy.prod(n)) for _, n in solver.boxes) == numpy.prod(CELLS)
            handle = solver._solver
            del solver
        self.assertEqual(bool(handle), not alone) # destroyed, or not
        self.assertEqual([w.category for w in caught], [] if alone else [ResourceWarning])
        with self.assertRaisesRegex(TypeError, "copied"), poisson() as solver:
            copy.copy(solver)

    def test_communicators_of_mpi4py(self):
        """A module with mpi4py's interface stands for it. Ranks have a communicator of their own each."""
        library = _library.library()
        if not hasattr(library, "MPI_Comm_split"):
            self.skipTest("a library without MPI")
        with poisson() as solver: # MPI runs from here on
            rank = solver._rank
        own = type(_library.communicator(None))()
        library.MPI_Comm_split(_library.communicator(None), rank, 0, ctypes.byref(own))
        mpi4py = types.SimpleNamespace(MPI=types.SimpleNamespace(_addressof=ctypes.addressof))
        with unittest.mock.patch.dict(sys.modules, mpi4py=mpi4py), poisson(comm=own) as solver:
            self.assertEqual(solver._rank, 0)
            self.assertEqual(sum(int(numpy.prod(n)) for _, n in solver.boxes), numpy.prod(CELLS))
            solver.set("f", pairs(solver))
            self.check_f(solver)

    def test_a_wrong_argument_on_one_rank_fails_on_all(self):
        with poisson() as solver:
            first = solver._rank == 0
            good = pairs(solver)
            for wrong in (lambda: solver.set("f", [(lo, a.astype("f4")) for lo, a in good] if first else good),
                          lambda: solver.set("v" if first else "f", good),
                          lambda: solver.set("v" if first else "f", lambda x, y, z: 1.0),
                          lambda: solver.get("f", out=[good[0][1]] if first else good),
                          lambda: solver.set_wall(0.5 if first else 0, 0, [numpy.zeros(n[1:]) for _, n in solver.boxes]),
                          lambda: poisson(lengths=(1, 2) if first else None),
                          lambda: hpgmg.Solver((32, 16.5 if first else 16, 16))):
                with self.assertRaises((TypeError, hpgmg.Error)) as caught:
                    wrong()
                if not first:
                    self.assertIsInstance(caught.exception, hpgmg.Error)
            solver.set("f", good)
            self.check_f(solver)

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
                for error in ZeroDivisionError, SystemExit:
                    def raising(x, y, z):
                        raise error
                    with self.assertRaises((error, hpgmg.Error)): # the latter on ranks without faces there
                        solver.set_wall(0, 0, raising)
                self.refused("ARGUMENT", "", lambda: solver.set_wall(3, 0, lambda x, y, z: 0.0))
                planes, boxes = [numpy.zeros(n[1:]) for _, n in solver.boxes], len(solver.boxes)
                for text, direction, side, arrays in (
                        ("shape (3, 3)", 0, 0, [numpy.zeros((3, 3))] * boxes),
                        ("no direction 5", 5, 0, planes), ("no side 2", 0, 2, planes),
                        ("direction is 0.5", 0.5, 0, planes), ("direction is of type str", "x", 0, planes),
                        ("direction is 4294967296", 2**32, 0, planes), ("list with an array", 5, 0, planes[0]),
                        ("masked", 0, 0, [numpy.ma.masked_equal(p, 0.0) for p in planes]),
                        ("complex", 0, 0, [p + 0j for p in planes]), ("boxes", 0, 0, planes + planes[:1])):
                    with self.assertRaises((TypeError, OverflowError, hpgmg.Error)) as caught:
                        solver.set_wall(direction, side, arrays)
                    self.assertIn(text, str(caught.exception))

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
        self.refused("ARGUMENT", "unknown key 'ordre'", lambda: poisson(ordre=4))
        self.refused("ARGUMENT", "cells[1] is 3", lambda: hpgmg.Solver((16, 3, 16)))
        self.refused("ARGUMENT", "cells[0] is 0", lambda: hpgmg.Solver((0, 0, 0)))
        for text, cells, lengths in (("cells must have three", (16, 16), None), ("cells must have three", 16, None),
                                     ("cells[0] is 32.5, not", (32.5, 32, 32), None),
                                     ("cells[2] is of type str", (32, 32, "32"), None),
                                     ("cells[1] is 4294967312", (16, 2**32 + 16, 16), None),
                                     ("lengths must have three", (16, 16, 16), 1.0),
                                     ("lengths[1] is of type str", (16, 16, 16), (1, "a", 1))):
            with self.assertRaises((TypeError, OverflowError)) as caught:
                hpgmg.Solver(cells, lengths)
            self.assertIn(text, str(caught.exception))
        with poisson() as solver:
            zero = pairs(solver, lambda lo, n: numpy.zeros(n))
            self.refused("ORDER", "f", solver.solve)
            for call in lambda: solver.set("v", zero), lambda: solver.set("v", lambda x, y, z: 0.0), lambda: solver.get("v"):
                self.refused("ARGUMENT", "no field 'v'", call)
            self.refused("ARGUMENT", "", lambda: solver.set("f", pairs(solver, lambda lo, n: numpy.full(n, numpy.nan))))
            self.refused("ARGUMENT", "", lambda: solver.set("f", [(tuple(1000 + l for l in lo), a) for lo, a in zero]))
        solver.close()
        for call in solver.solve, solver.get, lambda: solver.set("f", zero), lambda: solver.boxes, lambda: solver.cell_sizes, \
                lambda: solver.set("f", lambda x, y, z: 0.0), lambda: solver.set_wall(0, 0, lambda x, y, z: 0.0):
            self.refused("ARGUMENT", "the solver is closed", call)

    def test_wrong_arrays(self):
        f = numpy.zeros(CELLS)
        constant = numpy.zeros(CELLS)
        constant.flags.writeable = False
        with poisson() as solver:
            for text, wrong in (
                    ("1 dimensions", numpy.zeros(8)), ("0 dimensions", 1.0), ("<f4", f.astype("f4")), (">f8", f.astype(">f8")),
                    ("<c16", f + 0j), ("not float64", "text"), ("not float64", None), ("stream", OnGpu(f, stream=1)),
                    ("a stride of the array is 0", OnGpu(numpy.broadcast_to(1.0, CELLS))), ("masked", numpy.ma.masked_equal(f, 0.0)),
                    ("has shape (8, 8, 8); f of the whole domain has (32, 16, 16)", numpy.zeros((8, 8, 8))),
                    ("pairs (lo, array)", f.tolist()), ("pairs (lo, array)", [f]), ("lo must have three", [((0, 0), f)]),
                    ("lo[1] is 0.5", [((0, 0.5, 0), f)]), ("lo[2] is 4294967296", [((0, 0, 2**32), f)])):
                with self.assertRaises((TypeError, OverflowError)) as caught:
                    solver.set("f", wrong)
                self.assertIn(text, str(caught.exception))
            solver.set("f", pairs(solver))
            shared = numpy.lib.stride_tricks.as_strided(numpy.zeros(1), CELLS, (0, 0, 0))
            for text, wrong in (("read-only", constant), ("neither NumPy's", [((0, 0, 0), [[[0.0]]])]), ("stride", shared),
                                ("whole domain", numpy.zeros((8, 8, 8))), ("masked", numpy.ma.masked_equal(f, 0.0))):
                with self.assertRaises(TypeError) as caught:
                    solver.get("f", out=wrong)
                self.assertIn(text, str(caught.exception))
        with hpgmg.Solver(CELLS, backend="cpu") as solver:
            with self.assertRaisesRegex(TypeError, r"beta_j of the whole domain has \(32, 17, 16\)"):
                solver.set("beta_j", f)
            self.refused("ARGUMENT", "beta_k has one value more than cells in direction 2",
                         lambda: solver.set("beta_k", pairs(solver)))


if __name__ == "__main__":
    unittest.main()
