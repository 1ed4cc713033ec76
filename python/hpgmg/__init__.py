# SPDX-License-Identifier: BSD-3-Clause
"""The library of hpgmg-gpu in Python: −∇·(β∇u) = f or αu − ∇·(β∇u) = f in a box of cubic cells.

    import hpgmg
    with hpgmg.Solver((64, 64, 64), order=4, coefficients="constant") as solver:
        solver.set("f", lambda x, y, z: math.sin(math.pi * x))
        result = solver.solve()
        u = solver.get("u")

Arrays are indexed [i, j, k]; their strides may be any, so Fortran order saves nothing and costs nothing. NumPy
arrays and whatever has __cuda_array_interface__ (CuPy, PyTorch, Numba) or, in host memory, __dlpack__ are used where they
are, without a copy. They hold float64.

With several ranks (mpi4py), every rank calls the same functions, and gives and gets its own part.

The library is found through HPGMG_LIBRARY (a path), else by the dynamic linker as libhpgmg.so.1. docs/API.md and the
header hpgmg.h say what the functions do; here ctypes calls them, so nothing is compiled.
"""
import ctypes
import os

import numpy

__all__ = ["Solver", "Result", "Error"]

STATUS = ("OK", "NOT_CONVERGED", "ARGUMENT", "ORDER", "MISMATCH", "MEMORY", "ENVIRONMENT")
OK, NOT_CONVERGED = 0, 1
FIELDS = {"u": 0, "f": 1, "alpha": 2, "beta_i": 3, "beta_j": 4, "beta_k": 5}
FIRST_FACES = FIELDS["beta_i"]
DOUBLE = ctypes.sizeof(ctypes.c_double)


class Error(RuntimeError):
    """A call that failed; `status` is its name in the header, without HPGMG_."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = STATUS[status] if status < len(STATUS) else str(status)


class _Box(ctypes.Structure):
    _fields_ = [("lo", ctypes.c_int * 3), ("n", ctypes.c_int * 3)]


class _Block(ctypes.Structure):
    _fields_ = [("box", _Box), ("data", ctypes.c_void_p), ("stride", ctypes.c_ssize_t * 3)]


class _Result(ctypes.Structure):
    _fields_ = [("cycles", ctypes.c_int), ("residual", ctypes.c_double), ("rhs_norm", ctypes.c_double),
                ("rhs_mean", ctypes.c_double), ("seconds", ctypes.c_double), ("setup_seconds", ctypes.c_double),
                ("history", ctypes.POINTER(ctypes.c_double)), ("krylov_cycles", ctypes.c_int),
                ("warning", ctypes.c_char_p)]


_Function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_void_p)


def _load():
    library = ctypes.CDLL(os.environ.get("HPGMG_LIBRARY", "libhpgmg.so.1"), mode=ctypes.RTLD_GLOBAL)
    library.hpgmg_message.restype = ctypes.c_char_p
    return library


def _has(library, symbol):
    """Whether the library, or one that it is linked to, has this symbol."""
    try:
        getattr(library, symbol)
    except AttributeError:
        return False
    return True


def _world(library):
    """MPI_COMM_WORLD as C passes it. The library is linked to Open MPI, to an MPI with MPICH's interface, or to none."""
    if _has(library, "ompi_mpi_comm_world"):
        return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(library, "ompi_mpi_comm_world")))
    return ctypes.c_int(0x44000000 if _has(library, "MPI_Init") else 1)


def _communicator(library, comm):
    """The C handle of an mpi4py communicator; None: the world."""
    world = _world(library)
    if comm is None:
        return world
    from mpi4py import MPI
    return type(world).from_address(MPI._addressof(comm))


def _start_mpi(library):
    """Starts MPI unless it runs, or there is none, and ends it with the interpreter."""
    if not _has(library, "MPI_Init"):
        return
    running = ctypes.c_int()
    library.MPI_Initialized(ctypes.byref(running))
    if not running.value:
        import atexit
        library.MPI_Init(None, None)
        atexit.register(library.MPI_Finalize)


_library = None


def _the_library():
    global _library
    if _library is None:
        _library = _load()
    return _library


def _check(status):
    if status != OK:
        raise Error(status, _the_library().hpgmg_message().decode())


class _View:
    """Where an array's values are: address, shape, strides in doubles. Keeps the array alive."""

    def __init__(self, array, written):
        described = getattr(array, "__cuda_array_interface__", None)
        if described is None:
            if not hasattr(array, "__array_interface__") and hasattr(array, "__dlpack__"):
                array = numpy.from_dlpack(array)
            if written and not isinstance(array, numpy.ndarray):
                raise TypeError("the array to write is neither NumPy's, nor has it __dlpack__ or __cuda_array_interface__")
            array = numpy.asarray(array)
            if not any(array.strides): # one value for all cells; in C such strides mean an array without gaps
                array = array.copy()
            described = array.__array_interface__
        self.array = array
        self.address, read_only = described["data"]
        self.shape = tuple(described["shape"])
        if described["typestr"] != "<f8":
            raise TypeError(f"values are {described['typestr']}, not float64")
        if len(self.shape) != 3:
            raise TypeError(f"the array has {len(self.shape)} dimensions, not 3")
        if written and read_only:
            raise TypeError("the array to write is read-only")
        self.strides = self._strides(described.get("strides"))
        self._wait(described.get("stream"))

    def _strides(self, strides):
        if strides is None: # C order
            n = self.shape
            return (n[1] * n[2], n[2], 1)
        if any(s % DOUBLE for s in strides):
            raise TypeError("strides are no multiples of 8 bytes")
        return tuple(s // DOUBLE for s in strides)

    def _wait(self, stream):
        """The producer's work on the array must be finished before the library reads it."""
        if stream is None:
            return
        if hasattr(self.array, "device") and hasattr(self.array.device, "synchronize"):
            self.array.device.synchronize() # CuPy
        else:
            raise TypeError("the array's stream cannot be waited for here: synchronise, and export it without a stream")


def _word(value):
    """An option's value as on the command line."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _pairs(blocks):
    """An array, or a list of pairs (lo, array): as pairs."""
    if isinstance(blocks, (list, tuple)):
        return blocks
    return [((0, 0, 0), blocks)]


class Result:
    """What a solve took; history has the relative residual after each cycle."""

    def __init__(self, result, converged):
        self.converged = converged
        self.cycles, self.residual = result.cycles, result.residual
        self.rhs_norm, self.rhs_mean = result.rhs_norm, result.rhs_mean
        self.seconds, self.setup_seconds = result.seconds, result.setup_seconds
        self.history = numpy.array(result.history[:result.cycles]) if result.cycles > 0 else numpy.zeros(0)

    def __repr__(self):
        return f"Result(cycles={self.cycles}, residual={self.residual:.3e}, converged={self.converged})"


class Solver:
    """A solver for cells[0]×cells[1]×cells[2] cells of the box 0 … lengths[d]; without lengths the longest side is 1.
    Options are those of the command line, with _ for -: order=4, boundary="periodic", rtol=1e-9. comm is mpi4py's; without
    it, MPI_COMM_WORLD. Collective over comm, as all functions but boxes, local and cell_size."""

    def __init__(self, cells, lengths=None, comm=None, **options):
        self._solver = ctypes.c_void_p()
        self._library = library = _the_library()
        _start_mpi(library)
        cells = [int(n) for n in cells]
        if lengths is None:
            lengths = [n / max(cells) for n in cells]
        if len(cells) != 3 or len(lengths) != 3:
            raise TypeError("cells and lengths have three numbers each")
        words = [text.encode() for key, value in options.items() for text in (key.replace("_", "-"), _word(value))]
        self._cells = cells
        _check(library.hpgmg_create(ctypes.byref(self._solver), _communicator(library, comm), (ctypes.c_int * 3)(*cells),
                                    (ctypes.c_double * 3)(*lengths), (ctypes.c_char_p * (len(words) + 1))(*words, None)))

    def close(self):
        """Releases the solver; at the latest before MPI ends."""
        if self._solver:
            _check(self._library.hpgmg_destroy(ctypes.byref(self._solver)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def boxes(self):
        """This rank's boxes: a list of pairs (lo, n)."""
        count, boxes = ctypes.c_int(), ctypes.POINTER(_Box)()
        _check(self._library.hpgmg_boxes(self._solver, ctypes.byref(count), ctypes.byref(boxes)))
        return [(tuple(boxes[b].lo), tuple(boxes[b].n)) for b in range(count.value)]

    @property
    def cell_size(self):
        size = ctypes.c_double()
        _check(self._library.hpgmg_cell_size(self._solver, ctypes.byref(size)))
        return size.value

    def _blocks(self, field, pairs, written):
        """The C blocks of (lo, array) pairs, and the views that keep the arrays alive."""
        views = [_View(array, written) for _, array in pairs]
        blocks = (_Block * len(pairs))()
        for block, view, (lo, _) in zip(blocks, views, pairs):
            for d in range(3):
                block.box.lo[d] = lo[d]
                block.box.n[d] = view.shape[d] - (FIELDS[field] == FIRST_FACES + d)
                block.stride[d] = view.strides[d]
            block.data = view.address
        return blocks, views

    def _number(self, field):
        if field not in FIELDS:
            raise Error(STATUS.index("ARGUMENT"), f"no field '{field}'; fields: {', '.join(FIELDS)}")
        return FIELDS[field]

    def set(self, field, values):
        """Sets "u", "f", "alpha", "beta_i", "beta_j" or "beta_k". values: an array of the whole domain (one rank), a
        list of (lo, array), lo being the array's first cell, or a function of x, y, z, which is called point by point.
        Of β in direction d an array has one value more in that direction."""
        number = self._number(field)
        if not callable(values):
            pairs = _pairs(values)
            blocks, views = self._blocks(field, pairs, False)
            _check(self._library.hpgmg_set(self._solver, number, len(pairs), blocks))
            del views
            return
        self._with_function(lambda value: self._library.hpgmg_set_function(self._solver, number, value, None), values)

    @staticmethod
    def _with_function(call, function):
        """Passes a function of x, y, z to a call of the library. What it raises, this raises."""
        raised = []

        def value(x, y, z, _):
            try:
                return float(function(x, y, z))
            except Exception as error: # C cannot pass it on; NaN makes the call fail
                raised.append(error)
                return float("nan")

        status = call(_Function(value))
        if raised:
            raise raised[0]
        _check(status)

    def set_wall(self, direction, side, values):
        """Sets u on the low (side 0) or high (side 1) Dirichlet wall in direction 0 to 2, or ∂u/∂n on a Neumann wall.
        values: a function of x, y, z; or a list of host arrays, one for each of this rank's boxes, with a value for each
        face of the box on the wall, indexed by the other two directions. Boxes that are not at the wall may have None."""
        if callable(values):
            self._with_function(
                lambda value: self._library.hpgmg_set_wall_function(self._solver, direction, side, value, None), values)
            return
        arrays = [None if array is None else numpy.asfortranarray(array, dtype="f8") for array in values]
        for array, (_, n) in zip(arrays, self.boxes):
            faces = tuple(m for d, m in enumerate(n) if d != direction)
            if array is not None and array.shape != faces:
                raise TypeError(f"the array has shape {array.shape}, the box {faces} faces on the wall")
        pointers = (ctypes.c_void_p * max(1, len(arrays)))(*(None if a is None else a.ctypes.data for a in arrays))
        _check(self._library.hpgmg_set_wall(self._solver, direction, side, len(arrays), pointers))

    def get(self, field="u", out=None):
        """A field. out: an array or a list of (lo, array) to write to. Without it, a new NumPy array of the domain on one
        rank that has all of it in one box, else a list of (lo, array), one for each of this rank's boxes. Of β, the last
        values of a box are written on the high side of the domain only."""
        number = self._number(field)
        result = out
        if out is None:
            faces = [int(number == FIRST_FACES + d) for d in range(3)]
            result = [(lo, numpy.empty([n[d] + faces[d] for d in range(3)], order="F")) for lo, n in self.boxes]
            pairs = result
            if len(result) == 1 and list(self.boxes[0][1]) == self._cells:
                result = result[0][1]
        else:
            pairs = _pairs(out)
        blocks, views = self._blocks(field, pairs, True)
        _check(self._library.hpgmg_get(self._solver, number, len(pairs), blocks))
        del views
        return result

    def solve(self, from_guess=False):
        """Solves. Does not raise if the tolerance was not reached: see converged of the Result."""
        result = _Result()
        status = self._library.hpgmg_solve(self._solver, int(from_guess), ctypes.byref(result))
        if status not in (OK, NOT_CONVERGED):
            _check(status)
        return Result(result, status == OK)
