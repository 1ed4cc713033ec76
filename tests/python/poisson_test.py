#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""poisson() and solve(f), on one rank: u is that of a dense matrix, made here cell by cell and solved by NumPy; what is
wrong raises. HPGMG_LIBRARY names the library, if it is not in the package; BACKENDS those that solve the random grids,
"cpu" if it is not set, or "cpu gpu": their bits must agree."""
import os
import unittest

import numpy

import hpgmg

CELLS = (12, 8, 16)
RTOL = 1e-11
generator = numpy.random.default_rng(1)
F = generator.standard_normal(CELLS)
BETA = 0.5 + generator.random(CELLS)


def face_beta(beta, cell, other):
    """Harmonic mean."""
    if beta[cell] * beta[other] == 0.0:
        return 0.0
    return 2 / (1 / beta[cell] + 1 / beta[other])


def dense_solution(f, beta, boundary, h, alpha=0.0):
    """u of the scheme of order 2; h is the side of a cell, or its three sides. Beyond a Dirichlet boundary u goes on as (−5x1 + x2)/2, x1 and x2 the cells
    inward."""
    h, n, number = numpy.broadcast_to(h, 3), f.shape, numpy.arange(f.size).reshape(f.shape)
    a, alphas = numpy.zeros((f.size, f.size)), numpy.broadcast_to(alpha, n)
    for cell in numpy.ndindex(*n):
        a[number[cell], number[cell]] += alphas[cell]
        for d in range(3):
            for step in -1, 1:
                other = list(cell)
                other[d] += step
                inside = 0 <= other[d] < n[d]
                if inside or boundary[d] == "periodic":
                    other[d] %= n[d]
                    flux = face_beta(beta, cell, tuple(other)) / h[d]**2
                    a[number[cell], number[tuple(other)]] -= flux
                    a[number[cell], number[cell]] += flux
                elif boundary[d] == "dirichlet":
                    other[d] -= 2 * step
                    a[number[cell], number[cell]] += 3.5 * beta[cell] / h[d]**2
                    a[number[cell], number[tuple(other)]] -= 0.5 * beta[cell] / h[d]**2
    if not alphas.any() and "dirichlet" not in boundary: # the u with the mean 0
        f, a = f - f.mean(), a + 1.0
    return numpy.linalg.solve(a, f.ravel()).reshape(n)


def stretched_solution(f, faces, boundary, widths, alpha):
    """The same of cells whose widths differ: fluxes through the faces of a cell over the distances between centres."""
    n, number = f.shape, numpy.arange(f.size).reshape(f.shape)
    a, volumes, alpha = numpy.zeros((f.size, f.size)), numpy.zeros(f.shape), numpy.broadcast_to(alpha, f.shape)
    for cell in numpy.ndindex(*n):
        sides = [widths[d][cell[d]] for d in range(3)]
        volumes[cell] = numpy.prod(sides)
        a[number[cell], number[cell]] += alpha[cell] * volumes[cell]
        for d in range(3):
            for step in -1, 1:
                other, face = list(cell), list(cell)
                other[d] += step
                face[d] += step > 0
                flux = faces[d][tuple(face)] * volumes[cell] / sides[d]
                if 0 <= other[d] < n[d] or boundary[d] == "periodic":
                    other[d] %= n[d]
                    flux /= 0.5 * (sides[d] + widths[d][other[d]])
                    a[number[cell], number[tuple(other)]] -= flux
                    a[number[cell], number[cell]] += flux
                elif boundary[d] == "dirichlet":
                    other[d] -= 2 * step
                    a[number[cell], number[cell]] += 3.5 * flux / sides[d]
                    a[number[cell], number[tuple(other)]] -= 0.5 * flux / sides[d]
    return numpy.linalg.solve(a, (f * volumes).ravel()).reshape(n)


class Poisson(unittest.TestCase):
    def close(self, u, expected):
        self.assertEqual((u.shape, u.dtype, type(u)), (expected.shape, numpy.dtype("f8"), numpy.ndarray))
        self.assertLess(abs(u - expected).max(), 1e-8 * abs(expected).max())

    def solve(self, f=F, *arguments, **options):
        return hpgmg.poisson(f, *arguments, backend="cpu", rtol=RTOL, **options)

    def test_beta_in_every_form(self):
        walls, h, ones = ["dirichlet"] * 3, 1 / 16, numpy.ones(CELLS)
        faces = [numpy.ones([n + (d == e) for e, n in enumerate(CELLS)]) for d in range(3)]
        plain = dense_solution(F, ones, walls, h)
        for beta in None, 1, numpy.float32(1), ones, ones.astype("f4"), faces, tuple(faces):
            self.close(self.solve(F, beta), plain)
        self.close(self.solve(F, 4.0), plain / 4)
        self.close(self.solve(F, BETA), dense_solution(F, BETA, walls, h))
        self.close(self.solve(F, BETA, 3.0), dense_solution(F, BETA, walls, h, 3.0))
        self.close(self.solve(F, None, numpy.full(CELLS, 3.0)), dense_solution(F, ones, walls, h, 3.0))

    def test_boundaries(self):
        h = 1 / 16
        for words in ("periodic", "neumann", "dirichlet"), ("neumann", "periodic", "periodic"), ("periodic",) * 3:
            expected = dense_solution(F, BETA, words, h)
            self.close(self.solve(F, BETA, boundary=words), expected)
            self.close(self.solve(F, BETA, boundary=",".join(words)), expected)

    def test_zero_beta_insulates(self):
        """Between two halves; each has Dirichlet boundaries."""
        beta = numpy.ones(CELLS)
        beta[:, 4:, :] = 0.0
        half = self.solve(F[:, :4], boundary=("dirichlet", "dirichlet/neumann", "dirichlet"), lengths=(12, 4, 16))
        self.close(self.solve(F, beta, numpy.where(beta > 0, 0.0, 1.0), lengths=(12, 8, 16))[:, :4], half)

    def test_lengths_and_spacing(self):
        expected = dense_solution(F, BETA, ["dirichlet"] * 3, 0.25)
        for options in {"spacing": 0.25}, {"spacing": (0.25,) * 3}, {"lengths": (3, 2, 4)}:
            self.close(self.solve(F, BETA, **options), expected)

    def test_cells_that_are_no_cubes(self):
        sides, ones = (0.25, 0.5, 0.125), numpy.ones(CELLS)
        for words in ("dirichlet",) * 3, ("periodic", "neumann", "dirichlet"), ("neumann",) * 3, ("periodic",) * 3:
            for beta, dense in (BETA, BETA), (None, ones):
                expected = dense_solution(F, dense, words, sides)
                self.close(self.solve(F, beta, spacing=sides, boundary=words), expected)
                expected = dense_solution(F, dense, words, sides, 2.0)
                self.close(self.solve(F, beta, 2.0, spacing=sides, boundary=words), expected)
        with hpgmg.Solver(CELLS, (3, 4, 2), backend="cpu") as solver:
            self.assertEqual(solver.cell_sizes, sides)
            faces = 1 + generator.random((13, 8, 16))
            solver.set("beta_i", faces)
            self.assertLess(abs(solver.get("beta_i") / faces - 1).max(), 1e-15)

    def test_cells_of_different_widths(self):
        widths = [0.5 + generator.random(n) for n in CELLS]
        faces = [0.5 + generator.random([n + (d == e) for e, n in enumerate(CELLS)]) for d in range(3)]
        faces[0][-1] = faces[0][0] # one face of a periodic direction
        for words in ("dirichlet",) * 3, ("periodic", "neumann", "dirichlet"):
            expected = stretched_solution(F, faces, words, widths, 0.5)
            self.close(self.solve(F, faces, 0.5, widths=widths, boundary=words), expected)
            ones = [numpy.ones_like(values) for values in faces]
            expected = stretched_solution(F, ones, words, widths, 0.0)
            self.close(self.solve(F, widths=widths, boundary=words), expected)
        for wrong in {"order": 4}, {"lengths": (1, 1, 1)}, {"spacing": 1}, {"beta": BETA}:
            with self.assertRaises((TypeError, hpgmg.Error)):
                self.solve(F, widths=widths, **wrong)
        for wrong in widths[:2], [widths[1]] * 3, [-width for width in widths]:
            with self.assertRaises((TypeError, hpgmg.Error)):
                self.solve(F, widths=wrong)

    def test_random_grids(self):
        """Widths, walls, coefficients and solid cells at random, to 1e-10; GRIDS in the environment is their number."""
        for grid in range(int(os.environ.get("GRIDS", "60"))):
            random = numpy.random.default_rng(grid)
            cells = (12, 12, 12) if grid % 6 == 5 else tuple(random.choice((4, 8, 12), 3))
            widths = [random.uniform(0.05, 3) * numpy.exp(random.uniform(-1, 1, n)) for n in cells]
            words = [random.choice(("dirichlet", "neumann", "periodic")) for _ in cells]
            faces = [random.uniform(0.5, 2, [n + (d == e) for e, n in enumerate(cells)]) for d in range(3)]
            for d, word in enumerate(words):
                if word == "periodic": # the first face is the last
                    numpy.moveaxis(faces[d], d, 0)[-1] = numpy.moveaxis(faces[d], d, 0)[0]
            solid, f, alpha = random.random(cells) < 0.2, random.standard_normal(cells), random.uniform(0.1, 1, cells)
            u, *others = [hpgmg.poisson(f, faces, alpha, widths=widths, boundary=words, solid=solid, solver="idr",
                                        backend=backend, cpu_below="never", rtol=1e-13)
                          for backend in os.environ.get("BACKENDS", "cpu").split()]
            self.assertTrue(all((other == u).all() for other in others), (grid, cells, words))
            closed = [values.copy() for values in faces]
            for d, values in enumerate(closed):
                along, own = numpy.moveaxis(values, d, 0), numpy.moveaxis(solid, d, 0)
                along[:-1][own] = 0.0
                along[1:][own] = 0.0
                if words[d] == "periodic":
                    along[0][own[-1]] = 0.0
                    along[-1][own[0]] = 0.0
            f, alpha = numpy.where(solid, 0.0, f), numpy.where(solid, 1.0, alpha)
            expected = stretched_solution(f, closed, words, widths, alpha)
            self.assertLess(abs(u - expected).max(), 1e-10 * abs(expected).max(), (grid, cells, words))

    def test_solid_cells(self):
        solid = generator.random(CELLS) < 0.15
        for cell in (0, 0, 0), (5, 4, 8), (11, 7, 15):
            solid[cell] = True
        noise = numpy.where(solid, numpy.nan, 0.0)
        for beta in numpy.ones(CELLS), BETA:
            for words in ("dirichlet",) * 3, ("periodic", "dirichlet", "neumann"):
                masked = numpy.where(solid, 0.0, beta)
                expected = dense_solution(numpy.where(solid, 0.0, F), masked, words, (0.25, 0.5, 0.2), solid + 0.0)
                u = self.solve(F + noise, beta, spacing=(0.25, 0.5, 0.2), boundary=words, solid=solid)
                self.close(u, expected)
                self.assertEqual(abs(u[solid]).max(), 0.0)
        for wrong in solid + 0, solid[:-1]:
            with self.assertRaises(TypeError):
                self.solve(F, solid=wrong)
        for options in {"order": 4}, {"boundary": "neumann"}:
            with self.assertRaisesRegex(hpgmg.Error, "solid needs"):
                self.solve(F, solid=solid, **options)

    def test_order_4(self):
        """Means over cells of sin(πx) sin(πy) sin(πz) are those of f up to 3π²."""
        def error(n):
            sine = -numpy.diff(numpy.cos(numpy.pi * numpy.linspace(0, 1, n + 1))) * n / numpy.pi
            u = sine[:, None, None] * sine[None, :, None] * sine
            return abs(self.solve(3 * numpy.pi**2 * u, order=4) - u).max()

        self.assertGreater(error(8) / error(16), 2**3.7)

    def test_arrays(self):
        whole = numpy.round(8 * F).astype(int)
        out = numpy.asfortranarray(numpy.full(CELLS, numpy.nan))
        u = self.solve(whole, out=out)
        self.assertIs(u, out)
        backwards = whole[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1]
        for f in whole.tolist(), whole.astype("f4"), numpy.asfortranarray(whole), backwards:
            self.assertTrue((self.solve(f) == u).all())

    def test_solve_with_f(self):
        with hpgmg.Solver(CELLS, coefficients="constant", backend="cpu", rtol=RTOL) as solver:
            result = solver.solve(F)
            self.close(result.u, self.solve(F))
            self.assertTrue(result.converged and result.message == "")
            self.assertIsNone(solver.solve().u)
            out = numpy.empty(CELLS)
            self.assertIs(solver.solve(out=out, from_guess=True).u, out)
            self.assertTrue((solver.solve(lambda x, y, z: 1.0).u > 0).all())
            with self.assertRaisesRegex(TypeError, "whole domain"):
                solver.solve(F[:8])

    def test_u_of_solves_that_do_not_converge(self):
        with hpgmg.Solver(CELLS, coefficients="constant", backend="cpu", rtol=1e-12, max_cycles=1) as solver:
            result = solver.solve(F)
            self.assertIn("max-cycles reached", result.message)
            self.assertEqual(result.u.shape, CELLS)
        unstable = {"solver": "mg", "smoother": "jacobi", "weight": 1.9}
        with hpgmg.Solver(CELLS, coefficients="constant", backend="cpu", **unstable) as solver:
            result = solver.solve(F)
            self.assertIn("diverged", result.message)
            self.assertIsNone(result.u)

    def test_what_is_wrong(self):
        four = numpy.ones((4, 8, 8))
        for text, wrong in (
                ("rounding errors", lambda: hpgmg.poisson(F, rtol=1e-18, backend="cpu")),
                ("complex128", lambda: self.solve(F + 0j)),
                ("2 dimensions", lambda: self.solve(F[0])), ("masked", lambda: self.solve(numpy.ma.masked_less(F, 0))),
                ("cells[0] is 10", lambda: self.solve(F[:10])),
                ("exclude", lambda: self.solve(lengths=(1, 1, 1), spacing=1)),
                ("spacing must have three", lambda: self.solve(spacing=(1, 1))),
                ("legal: dirichlet", lambda: self.solve(boundary="x")),
                ("beta has shape (4, 8, 8)", lambda: self.solve(F, four)), ("beta is 0.0", lambda: self.solve(F, 0)),
                ("0 or more", lambda: self.solve(F, -BETA)), ("0 or more", lambda: self.solve(F, BETA * numpy.nan)),
                ("order 4 needs beta on faces", lambda: self.solve(F, BETA, order=4)),
                ("beta_j of the whole domain", lambda: self.solve(F, [numpy.ones((13, 8, 16))] * 3)),
                ("alpha of the whole domain", lambda: self.solve(F, None, four)),
                ("beta is of type str", lambda: self.solve(F, "x")),
                ("unknown key 'ordre'", lambda: self.solve(ordre=4))):
            with self.subTest(text), self.assertRaises((TypeError, hpgmg.Error)) as caught:
                wrong()
            self.assertIn(text, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
