# SPDX-License-Identifier: BSD-3-Clause
"""The library of hpgmg-gpu in Python: −∇·(β∇u) = f or αu − ∇·(β∇u) = f in a box of cubic cells.

    import hpgmg
    with hpgmg.Solver((64, 64, 64), order=4, coefficients="constant") as solver:
        solver.set("f", lambda x, y, z: math.sin(math.pi * x))
        result = solver.solve()
        u = solver.get("u")

Arrays are indexed [i, j, k]; their strides may be any, so Fortran order saves nothing and costs nothing. NumPy
arrays and whatever has __cuda_array_interface__ (CuPy, PyTorch, Numba) or, in host memory, __dlpack__ are used where they
are, without a copy. They hold float64. Arrays to read that are not aligned, or in which cells share a value, are copied.

With several ranks (mpi4py), every rank calls the same functions, and gives and gets its own part. A rank whose arguments
are wrong makes the call fail on all ranks.

Close solvers, best by `with`. A solver of one rank that was dropped is closed automatically. On several ranks closing is
collective, so a solver that was dropped keeps its memory, and a ResourceWarning says so.

The library takes one call at a time: calls of several threads wait for each other. On several ranks the order of calls
must be the same on all, so call from one thread there.

The library is found through HPGMG_LIBRARY (a path), else by the dynamic linker as libhpgmg.so.1. docs/API.md and the
header hpgmg.h say what the functions do; here ctypes calls them, so nothing is compiled.
"""
import ctypes
import os
import warnings
import weakref

import numpy

from . import _library
from ._arrays import View, integer, number, pair, three, wall_array
from ._function import call_with_function
from ._library import (FIELDS, FIRST_FACES, NOT_CONVERGED, OK, Block, Box, Error, call, communicator, drop, lock, place_in,
                       refusing, start_mpi)

__all__ = ["Solver", "Result", "Error"]


def _word(value):
    """An option's value as on the command line."""
    return str(value).lower() if value is None or isinstance(value, (bool, numpy.bool_)) else str(value)


def _faces(field):
    """How many values more than cells a field has in each direction."""
    return [int(FIELDS[field] == FIRST_FACES + d) for d in range(3)]


class Result:
    """What a solve took, as hpgmg.h says; history has the relative residual after each cycle."""

    def __init__(self, result, converged):
        self.converged = converged
        self.cycles, self.residual = result.cycles, result.residual
        self.rhs_norm, self.rhs_mean = result.rhs_norm, result.rhs_mean
        self.seconds, self.setup_seconds = result.seconds, result.setup_seconds
        self.history = numpy.array(result.history[:result.cycles]) if result.cycles > 0 else numpy.zeros(0)
        self.krylov_cycles, self.warning = result.krylov_cycles, result.warning.decode()

    def __repr__(self):
        return f"Result(cycles={self.cycles}, residual={self.residual:.3e}, converged={self.converged})"


class Solver:
    """A solver for cells[0]×cells[1]×cells[2] cells of the box 0 … lengths[d]; without lengths the longest side is 1.
    Options are those of the command line, with _ for -: order=4, boundary="periodic", rtol=1e-9. comm is mpi4py's; without
    it, MPI_COMM_WORLD. Collective over comm, as all functions but boxes and cell_sizes."""

    def __init__(self, cells, lengths=None, comm=None, **options):
        start_mpi()
        handle, self._solver = communicator(comm), ctypes.c_void_p()
        with refusing("hpgmg_create", ctypes.byref(self._solver), handle, None, None, None):
            self._cells = three("cells", integer, cells)
            if lengths is None:
                lengths = [n / max(1, *self._cells) for n in self._cells]
            lengths = three("lengths", number, lengths)
            words = [text.encode() for key, value in options.items() for text in (key.replace("_", "-"), _word(value))]
            arguments = ((ctypes.c_int * 3)(*self._cells), (ctypes.c_double * 3)(*lengths),
                         (ctypes.c_char_p * (len(words) + 1))(*words, None))
        call("hpgmg_create", ctypes.byref(self._solver), handle, *arguments)
        self._rank, ranks = place_in(handle)
        self._has_warned = False
        weakref.finalize(self, drop, self._solver, ranks, os.getpid()).atexit = False

    def __reduce__(self):
        raise TypeError("a Solver cannot be copied or pickled")

    def close(self):
        """Releases the solver; at the latest before MPI ends."""
        if self._solver:
            call("hpgmg_destroy", ctypes.byref(self._solver))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            self.close()
        except Error: # the other ranks are elsewhere, if an exception brings this one here
            if kind is None:
                raise

    @property
    def _handle(self):
        if not self._solver:
            raise Error("ARGUMENT", "the solver is closed")
        return self._solver

    @property
    def boxes(self):
        """This rank's boxes: a list of pairs (lo, n)."""
        count, boxes = ctypes.c_int(), ctypes.POINTER(Box)()
        call("hpgmg_boxes", self._handle, ctypes.byref(count), ctypes.byref(boxes))
        return [(tuple(boxes[b].lo), tuple(boxes[b].n)) for b in range(count.value)]

    @property
    def cell_sizes(self):
        """The sides of a cell, in the unit of lengths."""
        sizes = (ctypes.c_double * 3)()
        call("hpgmg_cell_sizes", self._handle, sizes)
        return tuple(sizes)

    @staticmethod
    def _index(field):
        if field not in FIELDS:
            raise Error("ARGUMENT", f"no field {field!r}; fields: {', '.join(FIELDS)}")
        return FIELDS[field]

    def _views(self, field, values, written):
        """A list of (lo, view), of an array of the whole domain or a list of (lo, array)."""
        if isinstance(values, (list, tuple)):
            return [(lo, View(array, written)) for lo, array in map(pair, values)]
        view, whole = View(values, written), tuple(n + more for n, more in zip(self._cells, _faces(field)))
        if view.shape != whole:
            raise TypeError(f"the array has shape {view.shape}; {field} of the whole domain has {whole}")
        return [((0, 0, 0), view)]

    def _move(self, name, field, values, written):
        """hpgmg_set or hpgmg_get."""
        handle = self._handle
        with refusing(name, handle, FIELDS.get(field, -1), -1, None):
            index = self._index(field)
            views = self._views(field, values, written)
            blocks = (Block * len(views))()
            for block, (lo, view) in zip(blocks, views):
                n = [m - more for m, more in zip(view.shape, _faces(field))]
                block.box, block.data, block.stride = Box(lo, tuple(n)), view.address, view.strides
        try:
            call(name, handle, index, len(views), blocks)
        except Error as error:
            if index >= FIRST_FACES and any((lo, view.shape) in self.boxes for lo, view in views):
                raise Error(error.status, f"{error}; an array of {field} has one value more than cells in direction "
                                          f"{index - FIRST_FACES}") from None
            raise

    def set(self, field, values):
        """Sets "u", "f", "alpha", "beta_i", "beta_j" or "beta_k". values: an array of the whole domain (one rank), a
        list of (lo, array), lo being the array's first cell, or a function of x, y, z, which is called point by point.
        Of β in direction d an array has one value more in that direction.

        What the function raises, Ctrl-C and sys.exit included, set raises; the other ranks get an Error. The field counts
        as not set then. The function must not wait for another thread that calls the library."""
        if not callable(values):
            self._move("hpgmg_set", field, values, False)
            return
        handle = self._handle
        with refusing("hpgmg_set_function", handle, -1, None, None):
            index = self._index(field)
        call_with_function("hpgmg_set_function", handle, index, function=values)

    def set_wall(self, direction, side, values):
        """Sets u on the low (side 0) or high (side 1) Dirichlet wall in direction 0 to 2, or ∂u/∂n on a Neumann wall.
        values: a function of x, y, z; or a list of host arrays, one for each of this rank's boxes, with a value for each
        face of the box on the wall, indexed by the other two directions. Boxes that are not at the wall may have None.
        What is refused, or interrupted, leaves the wall as it was."""
        handle = self._handle
        with refusing("hpgmg_set_wall", handle, -1, -1, -1, None):
            direction, side = integer("direction", direction), integer("side", side)
            if not callable(values):
                if not isinstance(values, (list, tuple)):
                    raise TypeError("values must be a function, or a list with an array for each box of this rank")
                arrays = [wall_array(array, n, direction) for array, (_, n) in zip(values, self.boxes)]
        if callable(values):
            call_with_function("hpgmg_set_wall_function", handle, direction, side, function=values)
            return
        pointers = (ctypes.c_void_p * max(1, len(arrays)))(*(None if a is None else a.ctypes.data for a in arrays))
        call("hpgmg_set_wall", handle, direction, side, len(values), pointers)

    def get(self, field="u", out=None):
        """A field. out: an array of the whole domain, or a list of (lo, array), to write to. Without it, a new NumPy array
        of the domain on one rank that has all of it in one box, else a list of (lo, array), one for each of this rank's
        boxes. Of β, the last values of a box are written on the high side of the domain only."""
        blocks = out
        if out is None:
            faces = _faces(field) if field in FIELDS else (0, 0, 0)
            blocks = [(lo, numpy.empty([m + more for m, more in zip(n, faces)], order="F")) for lo, n in self.boxes]
        self._move("hpgmg_get", field, blocks, True)
        if out is None and len(blocks) == 1 and self.boxes[0][1] == self._cells:
            return blocks[0][1]
        return blocks

    def solve(self, from_guess=False):
        """Solves. Does not raise if the tolerance was not reached: see converged of the Result. Warns once of what makes
        solves of this solver slow, on rank 0."""
        result, handle = _library.Result(), self._handle
        with lock: # history is the library's until the next solve
            status = call("hpgmg_solve", handle, int(bool(from_guess)), ctypes.byref(result), accepted=(OK, NOT_CONVERGED))
            found = Result(result, status == OK)
        if found.warning and self._rank == 0 and not self._has_warned:
            self._has_warned = True
            warnings.warn(found.warning, RuntimeWarning, stacklevel=2)
        return found
