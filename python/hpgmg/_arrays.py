# SPDX-License-Identifier: BSD-3-Clause
"""What callers pass: arrays of any kind, and numbers."""
import ctypes
import numbers
import operator

import numpy

DOUBLE = ctypes.sizeof(ctypes.c_double)
FLOAT = numpy.dtype("f8")


def number(name, value):
    """A value that C takes as a double."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is of type {type(value).__name__}, not a number") from None


def integer(name, value):
    """A value that C takes as an int."""
    try:
        index = operator.index(value)
    except TypeError:
        said = value if isinstance(value, numbers.Number) else f"of type {type(value).__name__}"
        raise TypeError(f"{name} is {said}, not an integer") from None
    if not -2**31 <= index < 2**31:
        raise OverflowError(f"{name} is {index}, which an int of C does not hold")
    return index


def three(name, convert, values):
    """Three values, each converted by convert(name, value)."""
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) != 3:
        raise TypeError(f"{name} must have three values, one for each direction")
    return tuple(convert(f"{name}[{d}]", value) for d, value in enumerate(values))


def on_gpu(array):
    return hasattr(array, "__cuda_array_interface__")


def refuse_masked(array):
    if numpy.ma.is_masked(array):
        raise TypeError("the array has masked values; array.filled(VALUE) replaces them")


def _on_host(array, written):
    """As a NumPy array: the same memory, but a copy of arrays to read that C cannot take as they are."""
    if not hasattr(array, "__array_interface__") and hasattr(array, "__dlpack__"):
        array = numpy.from_dlpack(array)
    refuse_masked(array)
    if written and not isinstance(array, numpy.ndarray):
        raise TypeError("the array to write is neither NumPy's, nor has it __dlpack__ or __cuda_array_interface__")
    array = numpy.asarray(array)
    if not written and (0 in array.strides or not array.flags.aligned):
        array = array.copy()
    return array


class View:
    """Where an array's values are: address, shape, strides in doubles. Keeps the array alive."""

    def __init__(self, array, written):
        described = getattr(array, "__cuda_array_interface__", None)
        if described is None:
            array = _on_host(array, written)
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
        if any(s == 0 and n > 1 for s, n in zip(strides, self.shape)): # in C, three of them mean an array without gaps
            raise TypeError("a stride of the array is 0: several cells share a value; copy the array")
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


def pair(block):
    """(lo, array) of a list of them."""
    if not isinstance(block, (list, tuple)) or len(block) != 2:
        raise TypeError("a list has pairs (lo, array), lo being the array's first cell; numpy.array(values) makes an array "
                        "of nested lists")
    return three("lo", integer, block[0]), block[1]


def wall_array(array, n, direction):
    """The values of a box of n cells on a wall, as C reads them; None stays None."""
    if array is None:
        return None
    refuse_masked(array)
    array = numpy.asarray(array).astype("f8", order="F", casting="same_kind")
    faces = tuple(m for d, m in enumerate(n) if d != direction)
    if len(faces) == 2 and array.shape != faces: # else C refuses the direction
        raise TypeError(f"the array has shape {array.shape}, the box {faces} faces on the wall")
    return array
