# SPDX-License-Identifier: BSD-3-Clause
"""The library of hpgmg-gpu in Python: −∇·(β∇u) = f or αu − ∇·(β∇u) = f in a box of cells.

    import hpgmg
    u = hpgmg.poisson(f)                             # one call: arrays in, an array out
    u = hpgmg.poisson(f, beta, boundary="periodic,periodic,neumann", spacing=0.01)

    with hpgmg.Solver(f.shape, order=4, coefficients="constant") as solver: # several solves, boundary values, ranks
        result = solver.solve(f)                     # result.u, result.converged, result.residual, …

Arrays have three dimensions and are indexed [i, j, k], for x, y, z. Their strides may be any, so Fortran order saves
nothing and costs nothing. NumPy arrays and whatever has __cuda_array_interface__ (CuPy, PyTorch, Numba, JAX) or, in
host memory, __dlpack__ are used where they are, without a copy. They hold float64. Arrays to read that are not aligned,
or in which cells share a value, are copied.

u, f and α are means over cells, β means over faces; to order 2, values at the centres are the same. Units are the
caller's: with lengths in m, f has the unit of β·u per m².

With several ranks (mpi4py), every rank calls the same functions, and gives and gets its own part. A rank whose arguments
are wrong makes the call fail on all ranks. `pip install` builds a library of one rank; HPGMG_MPI=1 in its environment
builds one for MPI.

Close solvers, best by `with`. A solver of one rank that was dropped is closed automatically. On several ranks closing is
collective, so a solver that was dropped keeps its memory, and a ResourceWarning says so.

The library takes one call at a time: calls of several threads wait for each other. On several ranks the order of calls
must be the same on all, so call from one thread there.

The library is the file that HPGMG_LIBRARY names, else the one that pip installed with the package, else libhpgmg.so.1
as the dynamic linker finds it. docs/API.md and the header hpgmg.h say what the functions do; ctypes calls them.
"""
from __future__ import annotations

import ctypes
import os
import warnings
import weakref
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _library
from ._arrays import View, integer, number, pair, three, wall_array
from ._coefficients import around_solid, doubles, is_scalar, on_cells, on_faces, solid_cells, three_words
from ._function import call_with_function
from ._library import (FIELDS, FIRST_FACES, NOT_CONVERGED, OK, Block, Box, Error, call, communicator, drop, lock, place_in,
                       refusing, start_mpi)

__all__ = ["poisson", "Solver", "Result", "Error"]
__version__ = "0.1.0"

Array = NDArray[numpy.float64]
Triple = Tuple[int, int, int]
Point = Callable[[float, float, float], float] # a function of x, y, z
Blocks = Sequence[Tuple[Sequence[int], Any]]   # (first cell, array): parts of a field


def _word(value):
    """An option's value as on the command line."""
    return str(value).lower() if value is None or isinstance(value, (bool, numpy.bool_)) else str(value)


def _faces(field):
    """How many values more than cells a field has in each direction."""
    return [int(FIELDS[field] == FIRST_FACES + d) for d in range(3)]


class Result:
    """What a solve took.

    converged        the tolerance was reached
    message          why it was not, in one line; else ""
    u                the solution, if solve() was given f or out; None if not, or if the solve diverged
    cycles           F-cycle, V-cycles and iterations together; the last krylov_cycles of them are IDR(3)'s
    residual         max|f − Au| / max|f| after the last
    history          the relative residual after each cycle, an array of shape (cycles,)
    rhs_norm         max|f| with what boundary values add, in f's unit
    rhs_mean         the mean of f, which was subtracted where solutions differ by a constant; else 0
    seconds          wall-clock time of this rank's solve
    setup_seconds    wall-clock time of making the operators before it; 0 if they were there
    warning          what makes solves of this solver slow, in one line; "" if nothing is known
    """

    def __init__(self, result: _library.Result, message: str) -> None:
        self.converged: bool = not message
        self.message = message
        self.u: Any = None
        self.cycles: int = result.cycles
        self.residual: float = result.residual
        self.rhs_norm: float = result.rhs_norm
        self.rhs_mean: float = result.rhs_mean
        self.seconds: float = result.seconds
        self.setup_seconds: float = result.setup_seconds
        self.history: Array = numpy.array(result.history[:result.cycles]) if result.cycles > 0 else numpy.zeros(0)
        self.krylov_cycles: int = result.krylov_cycles
        self.warning: str = result.warning.decode()

    def __repr__(self) -> str:
        return f"Result(cycles={self.cycles}, residual={self.residual:.3e}, converged={self.converged})"


class Solver:
    """A solver for cells[0]×cells[1]×cells[2] cells of the box 0 … lengths[d]; without lengths the longest side is 1.

    cells are multiples of 4; multigrid is fast if they have a large power of two in common. lengths have the unit of x,
    y and z, which is the caller's. widths, instead of lengths, are three arrays with the widths of all cells in a
    direction (order 2, variable coefficients): data stays at the centres of these cells and faces. Options are those of docs/API.md, with _ for -: order=4, boundary="periodic",
    rtol=1e-9, coefficients="constant" (α = β = 1). comm is mpi4py's; without it, MPI_COMM_WORLD. Collective over comm,
    as all functions but boxes and cell_sizes."""

    def __init__(self, cells: Sequence[int], lengths: Optional[Sequence[float]] = None, comm: Any = None, *,
                 widths: Optional[Sequence[Sequence[float]]] = None, **options: object) -> None:
        start_mpi()
        handle, self._solver = communicator(comm), ctypes.c_void_p()
        create = "hpgmg_create" if widths is None else "hpgmg_create_stretched"
        with refusing(create, ctypes.byref(self._solver), handle, None, None, None):
            self._cells = three("cells", integer, cells)
            if widths is not None:
                sizes = self._widths(lengths, widths)
            else:
                if lengths is None:
                    lengths = [n / max(1, *self._cells) for n in self._cells]
                sizes = (ctypes.c_double * 3)(*three("lengths", number, lengths))
            words = [text.encode() for key, value in options.items() for text in (key.replace("_", "-"), _word(value))]
            arguments = ((ctypes.c_int * 3)(*self._cells), sizes, (ctypes.c_char_p * (len(words) + 1))(*words, None))
        call(create, ctypes.byref(self._solver), handle, *arguments)
        self._rank, self._ranks = place_in(handle)
        self._has_warned = False
        weakref.finalize(self, drop, self._solver, self._ranks, os.getpid()).atexit = False

    def _widths(self, lengths: Any, widths: Any) -> Any:
        """As C takes them; the pointers keep the arrays."""
        if lengths is not None:
            raise TypeError("lengths and widths exclude each other")
        arrays = three("widths", lambda name, values: numpy.ascontiguousarray(doubles(name, values)), widths)
        for d, array in enumerate(arrays):
            if array.shape != (self._cells[d],):
                raise TypeError(f"widths[{d}] has shape {array.shape}; legal: ({self._cells[d]},)")
        pointer = ctypes.POINTER(ctypes.c_double)
        return (pointer * 3)(*(array.ctypes.data_as(pointer) for array in arrays))

    def __reduce__(self) -> Any:
        raise TypeError("a Solver cannot be copied or pickled")

    def close(self) -> None:
        """Releases the solver; at the latest before MPI ends."""
        if self._solver:
            call("hpgmg_destroy", ctypes.byref(self._solver))

    def __enter__(self) -> Solver:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
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
    def boxes(self) -> List[Tuple[Triple, Triple]]:
        """This rank's boxes: a list of pairs (lo, n), the first cell and the numbers of cells by direction."""
        count, boxes = ctypes.c_int(), ctypes.POINTER(Box)()
        call("hpgmg_boxes", self._handle, ctypes.byref(count), ctypes.byref(boxes))
        return [((*boxes[b].lo,), (*boxes[b].n,)) for b in range(count.value)]

    @property
    def cell_sizes(self) -> Tuple[float, float, float]:
        """The sides of a cell, in the unit of lengths."""
        sizes = (ctypes.c_double * 3)()
        call("hpgmg_cell_sizes", self._handle, sizes)
        return (*sizes,)

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

    def set(self, field: str, values: Union[Any, Blocks, Point]) -> None:
        """Sets "u", "f", "alpha", "beta_i", "beta_j" or "beta_k". values: an array of the whole domain (one rank), a
        list of (lo, array), lo being the array's first cell, or a function of x, y, z, which is called point by point.

        Shapes for cells (ni, nj, nk): u, f, alpha (ni, nj, nk); beta_i (ni + 1, nj, nk), beta_j (ni, nj + 1, nk),
        beta_k (ni, nj, nk + 1): number i is the low face of cell i.

        What the function raises, Ctrl-C and sys.exit included, set raises; the other ranks get an Error. The field counts
        as not set then. The function must not wait for another thread that calls the library."""
        if not callable(values):
            self._move("hpgmg_set", field, values, False)
            return
        handle = self._handle
        with refusing("hpgmg_set_function", handle, -1, None, None):
            index = self._index(field)
        call_with_function("hpgmg_set_function", handle, index, function=values)

    def set_wall(self, direction: int, side: int, values: Union[Point, Sequence[Any]]) -> None:
        """Sets u on the low (side 0) or high (side 1) Dirichlet wall in direction 0 to 2, or ∂u/∂n on a Neumann wall,
        along the outward normal, in u's unit per unit of lengths.
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

    def get(self, field: str = "u", out: Any = None) -> Any:
        """A field. out: an array of the whole domain (one rank), or a list of (lo, array), to write to. Without it, on
        one rank a new NumPy array of the domain, on several a list of (lo, array), one for each of this rank's boxes.
        Shapes are those of set(). Of β, the last values of a box are written on the high side of the domain only."""
        blocks = out
        if out is None:
            faces = _faces(field) if field in FIELDS else (0, 0, 0)
            boxes = [((0, 0, 0), self._cells)] if self._solver and self._ranks == 1 else self.boxes
            blocks = [(lo, numpy.empty([m + more for m, more in zip(n, faces)], order="F")) for lo, n in boxes]
        self._move("hpgmg_get", field, blocks, True)
        return blocks[0][1] if out is None and self._ranks == 1 else blocks

    def solve(self, f: Union[None, Any, Blocks, Point] = None, out: Any = None, *, from_guess: bool = False) -> Result:
        """Solves, for f as set("f", f) takes it, or for the f that was set before. from_guess begins with the u that was
        set or last solved for. Does not raise if the tolerance was not reached: see converged and message.

        With f or out, u of the Result is the solution as get("u", out) returns it. Without, u stays where it was
        computed, which saves a copy: get() fetches it, or the next step begins with it.

        Warns once of what makes solves of this solver slow, on rank 0."""
        if f is not None:
            self.set("f", f)
        result, handle = _library.Result(), self._handle
        with lock: # history and message are the library's until the next call
            status = call("hpgmg_solve", handle, int(bool(from_guess)), ctypes.byref(result), accepted=(OK, NOT_CONVERGED))
            found = Result(result, _library.message() if status == NOT_CONVERGED else "")
        if found.warning and self._rank == 0 and not self._has_warned:
            self._has_warned = True
            warnings.warn(found.warning, RuntimeWarning, stacklevel=2)
        if f is not None or out is not None:
            found.u = self._solution(out, found.converged)
        return found

    def _solution(self, out, converged):
        """u, or None after a solve that diverged."""
        try:
            return self.get("u", out)
        except Error as error:
            if converged or error.status != "ORDER":
                raise
            return None


def poisson(f: ArrayLike, beta: Union[None, ArrayLike, Sequence[ArrayLike]] = None, alpha: Optional[ArrayLike] = None,
            *, boundary: Union[str, Sequence[str]] = "dirichlet", lengths: Optional[Sequence[float]] = None,
            spacing: Union[None, float, Sequence[float]] = None, widths: Optional[Sequence[ArrayLike]] = None,
            solid: Optional[ArrayLike] = None, order: int = 2, out: Any = None, **options: Any) -> Array:
    """Solves −∇·(β∇u) = f, or with alpha αu − ∇·(β∇u) = f. Returns u, an array of f's shape.

    f         shape (ni, nj, nk), means over cells or, to order 2, values at their centres, (i + ½)·spacing. ni, nj and
              nk are multiples of 4.
    beta      β ≥ 0: a number (1 if left out); an array of f's shape, of which a face gets the harmonic mean of its two
              cells, and a boundary face the value of its cell, to order 2 only; or three arrays on faces, of shapes
              (ni + 1, nj, nk), (ni, nj + 1, nk) and (ni, nj, nk + 1).
    alpha     α ≥ 0: a number or an array of f's shape.
    boundary  "dirichlet" (u = 0), "neumann" (∂u/∂n = 0) or "periodic": one word, or three for x, y, z, as a sequence or
              with commas. "dirichlet/neumann" names the low and the high side. Solver.set_wall sets other values.
    lengths   the sides of the box, in the caller's unit; without, the longest is 1.
    spacing   instead of lengths: the sides of a cell, or one number.
    widths    instead of lengths: three arrays with the widths of the cells in each direction. To order 2, and with β a
              number or three arrays on faces.
    solid     an array of f's shape, true in cells that are not part of the domain: nothing flows through their faces,
              u is 0 in them, and f, β and α are not read there. To order 2 only, with a Dirichlet boundary or α.
    order     2 or 4, of accuracy.
    out       an array of f's shape that gets u, such as one on the GPU; else u is a new NumPy array.
    options   as Solver takes them: rtol=1e-8 (of max|f|), backend="auto", …

    Where solutions differ by a constant (no Dirichlet boundary and no α), the mean of f is subtracted, and u has the
    mean 0. Raises Error with the status NOT_CONVERGED if the tolerance was not reached. One rank: with MPI,
    comm=MPI.COMM_SELF."""
    rhs = doubles("f", f)
    cells = tuple(rhs.shape)
    if len(cells) != 3:
        raise TypeError(f"f has {len(cells)} dimensions, not 3")
    if spacing is not None:
        if lengths is not None:
            raise TypeError("lengths and spacing exclude each other")
        sides = three("spacing", number, [spacing] * 3 if is_scalar(spacing) else spacing)
        lengths = [n * side for n, side in zip(cells, sides)]
    if widths is not None and not (lengths is None and (beta is None or is_scalar(beta) or numpy.ndim(beta[0]) == 3)):
        raise TypeError("widths need beta on faces, or a number, and neither lengths nor spacing")
    words = three_words(boundary)
    scale, coefficients = 1.0, {}
    if widths is None and solid is None and alpha is None and (beta is None or is_scalar(beta)):
        scale = number("beta", 1.0 if beta is None else beta)
        if not scale > 0.0:
            raise Error("ARGUMENT", f"beta is {scale}; it must be positive")
    else:
        faces = on_faces(1.0 if beta is None else beta, cells, words, order)
        if solid is not None:
            if int(order) != 2 or not (alpha is not None or any("dirichlet" in word for word in words)):
                raise Error("ARGUMENT", "solid needs order 2, and a Dirichlet boundary or alpha")
            solid = solid_cells(solid, cells)
            sides = lengths if widths is None else [numpy.sum(of) for of in widths]
            faces, alpha = around_solid(solid, faces, 0.0 if alpha is None else alpha, words, sides)
            rhs = numpy.where(solid, 0.0, rhs)
        coefficients = dict(zip(("beta_i", "beta_j", "beta_k"), faces))
        if alpha is not None:
            coefficients["alpha"] = on_cells(alpha, cells)
    with Solver(cells, lengths, widths=widths, order=order, boundary=",".join(words),
                equation="poisson" if alpha is None else "helmholtz",
                coefficients="variable" if coefficients else "constant", **options) as solver:
        for field, values in coefficients.items():
            solver.set(field, values)
        result = solver.solve(rhs, numpy.empty(cells) if out is None else out)
    if not result.converged:
        raise Error("NOT_CONVERGED", result.message)
    if scale != 1.0:
        result.u /= scale
    if solid is not None:
        result.u[solid] = 0.0
    return result.u
