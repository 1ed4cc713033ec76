#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package with arrays of a GPU: what goes in comes out, and u is that of the same data in host memory. Needs a
GPU and CuPy; tests/gpu-check runs it. HPGMG_LIBRARY names the library."""
import unittest

import cupy
import numpy

import hpgmg
from hpgmg_test import CELLS, values

VIEWS = {
    "C order": lambda a: cupy.ascontiguousarray(a),
    "Fortran order": lambda a: cupy.asfortranarray(a),
    "backwards": lambda a: cupy.ascontiguousarray(a[::-1, :, ::-1])[::-1, :, ::-1],
    "every second": lambda a: cupy.repeat(cupy.ascontiguousarray(a), 2, axis=1)[:, ::2, :],
}


def solver(backend="gpu"):
    return hpgmg.Solver(CELLS, coefficients="constant", backend=backend)


class Arrays(unittest.TestCase):
    def setUp(self):
        self.f = values((0, 0, 0), CELLS)
        self.on_gpu = cupy.asarray(self.f)

    def test_what_goes_in_comes_out(self):
        for name, view in VIEWS.items():
            with self.subTest(name), solver() as s:
                s.set("f", view(self.on_gpu))
                got = view(cupy.full(CELLS, cupy.nan))
                s.get("f", out=got)
                self.assertTrue((got == self.on_gpu).all())
                self.assertTrue((s.get("f") == self.f).all())

    def test_a_solution_is_that_of_host_arrays(self):
        found = []
        for array in (self.f, self.on_gpu):
            with solver() as s:
                s.set("f", array)
                self.assertTrue(s.solve().converged)
                found.append(s.get("u"))
        self.assertTrue((found[0] == found[1]).all() and numpy.abs(found[0]).max() > 0)

    def test_work_of_other_streams_is_waited_for(self):
        stream = cupy.cuda.Stream(non_blocking=True)
        with solver() as s, stream:
            array = self.on_gpu
            for _ in range(100):
                array = array + 1.0
            s.set("f", array)
            self.assertTrue((s.get("f") == self.f + 100.0).all())

    def test_a_solver_on_the_cpu_refuses_them(self):
        with solver("cpu") as s:
            with self.assertRaisesRegex(hpgmg.Error, "GPU"):
                s.set("f", self.on_gpu)


if __name__ == "__main__":
    unittest.main()
