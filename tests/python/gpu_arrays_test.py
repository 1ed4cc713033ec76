#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package with arrays of a GPU, of CuPy, PyTorch and JAX where they are installed: what goes in comes out, and u
is that of the same data in host memory. Needs a GPU; tests/gpu-check runs it. HPGMG_LIBRARY names the library."""
import importlib
import os
import unittest

import numpy

import hpgmg
from hpgmg_test import CELLS, values

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false") # of JAX


def package(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest(f"without {name}") from None


def solver(backend="gpu"):
    return hpgmg.Solver(CELLS, coefficients="constant", backend=backend)


class Arrays:
    """What any package must pass. put(array) is an array of it on the GPU, take(array) its NumPy array; and by name,
    functions that lay the values of an array out otherwise."""

    views = {}

    def setUp(self):
        self.f = values((0, 0, 0), CELLS)
        self.on_gpu = self.put(self.f)

    def test_what_goes_in_comes_out(self):
        for name, view in self.views.items():
            with self.subTest(name), solver() as s:
                s.set("f", self.finished(view(self.on_gpu)))
                self.assertTrue((s.get("f") == self.f).all())

    def test_arrays_are_written(self):
        for name, view in self.views.items():
            with self.subTest(name), solver() as s:
                s.set("f", self.f)
                got = self.finished(view(self.put(numpy.full(CELLS, numpy.nan))))
                s.get("f", out=got)
                self.assertTrue((self.take(got) == self.f).all())

    def test_a_solution_is_that_of_host_arrays(self):
        found = []
        for array in self.f, self.on_gpu:
            with solver() as s:
                result = s.solve(array)
                self.assertTrue(result.converged)
                found.append(result.u)
        self.assertTrue((found[0] == found[1]).all() and abs(found[0]).max() > 0)

    def test_a_solver_on_the_cpu_refuses_them(self):
        with solver("cpu") as s:
            with self.assertRaisesRegex(hpgmg.Error, "GPU"):
                s.set("f", self.on_gpu)

    def finished(self, array):
        """Waits for the GPU's work on it; where the package cannot, this does."""
        return array


class CuPy(Arrays, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cupy = package("cupy")
        cls.put, cls.take = staticmethod(cupy.asarray), staticmethod(cupy.asnumpy)
        cls.views = {
            "C order": cupy.ascontiguousarray,
            "Fortran order": cupy.asfortranarray,
            "backwards": lambda a: cupy.ascontiguousarray(a[::-1, :, ::-1])[::-1, :, ::-1],
            "every second": lambda a: cupy.repeat(cupy.ascontiguousarray(a), 2, axis=1)[:, ::2, :],
        }

    def test_work_of_other_streams_is_waited_for(self):
        stream = package("cupy").cuda.Stream(non_blocking=True)
        with solver() as s, stream:
            array = self.on_gpu
            for _ in range(100):
                array = array + 1.0
            s.set("f", array)
            self.assertTrue((s.get("f") == self.f + 100.0).all())


class PyTorch(Arrays, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.torch = torch = package("torch")
        if not torch.cuda.is_available():
            raise unittest.SkipTest("PyTorch finds no GPU")
        cls.put, cls.take = staticmethod(lambda a: torch.tensor(a, device="cuda")), staticmethod(lambda a: a.cpu().numpy())
        cls.views = {
            "C order": lambda a: a.contiguous(),
            "Fortran order": lambda a: a.permute(2, 1, 0).contiguous().permute(2, 1, 0),
            "every second": lambda a: a.repeat_interleave(2, dim=1)[:, ::2, :],
        }

    def finished(self, array):
        self.torch.cuda.synchronize()
        return array


class Jax(Arrays, unittest.TestCase):
    """Arrays of JAX are read-only."""

    @classmethod
    def setUpClass(cls):
        jax = package("jax")
        jax.config.update("jax_enable_x64", True)
        if jax.default_backend() != "gpu":
            raise unittest.SkipTest("JAX finds no GPU")
        cls.put = staticmethod(lambda a: jax.device_put(a).block_until_ready())
        cls.views = {"C order": lambda a: a}

    def test_arrays_are_written(self):
        with solver() as s, self.assertRaisesRegex(TypeError, "read-only"):
            s.get("f", out=self.on_gpu)


if __name__ == "__main__":
    unittest.main()
