# SPDX-License-Identifier: BSD-3-Clause
"""The C library by ctypes: its structures, where it is found, MPI, and calls one at a time."""
import atexit
import collections
import contextlib
import ctypes
import os
import sys
import threading
import warnings

STATUS = ("OK", "NOT_CONVERGED", "ARGUMENT", "ORDER", "MISMATCH", "MEMORY", "ENVIRONMENT")
OK, NOT_CONVERGED = 0, 1
FIELDS = {"u": 0, "f": 1, "alpha": 2, "beta_i": 3, "beta_j": 4, "beta_k": 5}
FIRST_FACES = FIELDS["beta_i"]
SONAME = "libhpgmg.so.1" # as mk/library.mk and hpgmg_build.py name it
MPI_THREAD_SERIALIZED = 2 # in Open MPI and in MPICH's interface


class Error(RuntimeError):
    """A call that failed. `status` is its name in hpgmg.h, without HPGMG_: "ARGUMENT", "ORDER", "MISMATCH", "MEMORY",
    "ENVIRONMENT", and of poisson() "NOT_CONVERGED"."""

    __module__ = "hpgmg"

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


class Box(ctypes.Structure):
    _fields_ = [("lo", ctypes.c_int * 3), ("n", ctypes.c_int * 3)]


class Block(ctypes.Structure):
    _fields_ = [("box", Box), ("data", ctypes.c_void_p), ("stride", ctypes.c_ssize_t * 3)]


class Result(ctypes.Structure):
    _fields_ = [("cycles", ctypes.c_int), ("residual", ctypes.c_double), ("rhs_norm", ctypes.c_double),
                ("rhs_mean", ctypes.c_double), ("seconds", ctypes.c_double), ("setup_seconds", ctypes.c_double),
                ("history", ctypes.POINTER(ctypes.c_double)), ("krylov_cycles", ctypes.c_int),
                ("warning", ctypes.c_char_p)]


Function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_void_p)

lock = threading.RLock() # the library takes calls from one thread at a time, so Python's threads take turns
_loaded = None
_dropped: collections.deque = collections.deque() # handles of solvers of one rank that nobody can reach any more


# --- the library and MPI ---------------------------------------------------------------------------------------------

def _path():
    """HPGMG_LIBRARY, else the library that pip installed with the package, else what the dynamic linker finds."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), SONAME)
    return os.environ.get("HPGMG_LIBRARY") or (own if os.path.exists(own) else SONAME)


def library():
    """The library, loaded at the first call."""
    global _loaded
    with lock:
        if _loaded is None:
            try:
                loaded = ctypes.CDLL(_path(), mode=ctypes.RTLD_GLOBAL)
                loaded.hpgmg_message.restype = ctypes.c_char_p
            except (OSError, AttributeError) as error:
                raise OSError(f"cannot load the library of hpgmg-gpu: {error}; set the environment variable HPGMG_LIBRARY "
                              f"to the path of {SONAME}") from None
            _loaded = loaded
        return _loaded


def _has(symbol):
    """Whether the library, or one that it is linked to, has this symbol."""
    return hasattr(library(), symbol)


def _world():
    """MPI_COMM_WORLD as C passes it. The library is linked to Open MPI, to an MPI with MPICH's interface, or to none."""
    if _has("ompi_mpi_comm_world"):
        return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(library(), "ompi_mpi_comm_world")))
    return ctypes.c_int(0x44000000 if _has("MPI_Init") else 1)


def communicator(comm):
    """The C handle of an mpi4py communicator; None: the world. Without MPI, the library's world is one rank, and each
    of several ranks would solve the whole problem."""
    world = _world()
    if comm is None:
        return world
    if not _has("MPI_Init"):
        if comm.Get_size() == 1:
            return world
        raise Error("ENVIRONMENT", f"the communicator has {comm.Get_size()} ranks and the library was built without "
                                   "MPI; install with HPGMG_MPI=1")
    from mpi4py import MPI
    return type(world).from_address(MPI._addressof(comm))


def place_in(handle):
    """This rank's number in a communicator, and the number of ranks."""
    rank, ranks = ctypes.c_int(0), ctypes.c_int(1)
    if _has("MPI_Init"):
        library().MPI_Comm_rank(handle, ctypes.byref(rank))
        library().MPI_Comm_size(handle, ctypes.byref(ranks))
    return rank.value, ranks.value


def _end_mpi():
    """At the end of the interpreter. A rank that an exception ends would wait in MPI_Finalize for ranks that wait for it."""
    if hasattr(sys, "last_value") and place_in(_world())[1] > 1:
        library().MPI_Abort(_world(), 1)
    library().MPI_Finalize()


def start_mpi():
    """Starts MPI unless it runs, or there is none, and ends it with the interpreter."""
    if not _has("MPI_Init"):
        return
    with lock:
        running, provided = ctypes.c_int(), ctypes.c_int()
        library().MPI_Initialized(ctypes.byref(running))
        if not running.value:
            library().MPI_Init_thread(None, None, MPI_THREAD_SERIALIZED, ctypes.byref(provided))
            atexit.register(_end_mpi)


# --- calls -----------------------------------------------------------------------------------------------------------

def message():
    """What the last call that failed says of itself."""
    return library().hpgmg_message().decode()


def call(name, *arguments, accepted=(OK,)):
    """Calls a function of the library, and raises what it reports. Returns the status, one of those accepted."""
    with lock:
        _destroy_dropped()
        status = getattr(library(), name)(*arguments)
        if status not in accepted:
            raise Error(STATUS[status] if status < len(STATUS) else str(status), message())
        return status


@contextlib.contextmanager
def refusing(name, *wrong):
    """Around what comes before a collective call. If it raises, the function is called with wrong arguments: so the other
    ranks, which are in that call, get an error instead of waiting for this one."""
    try:
        yield
    except BaseException:
        with lock:
            getattr(library(), name)(*wrong)
        raise


# --- solvers that were not closed ------------------------------------------------------------------------------------

def _destroy_dropped():
    """Unless another thread is in the library: then the next call does it."""
    if lock.acquire(blocking=False):
        try:
            while _dropped:
                library().hpgmg_destroy(ctypes.byref(_dropped.popleft()))
        finally:
            lock.release()


def drop(handle, ranks, process):
    """After a solver has become unreachable, in any thread. On several ranks its release is collective, and ranks collect
    garbage at times of their own. A forked process leaves the solvers of its parent alone."""
    if not handle or os.getpid() != process:
        return
    if ranks > 1:
        warnings.warn(f"a solver on {ranks} ranks was dropped without close(): its memory is not released", ResourceWarning)
    else:
        _dropped.append(handle)
        _destroy_dropped()
