# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients as poisson() takes them, made into the library's: α on cells, β on the faces in each direction."""
import numpy

from ._arrays import FLOAT, on_gpu, refuse_masked
from ._library import Error


def doubles(name, values):
    """Numbers of any real type as float64; arrays on a GPU as they are."""
    if on_gpu(values):
        return values
    refuse_masked(values)
    array = numpy.asarray(values)
    if not numpy.can_cast(array.dtype, FLOAT, "same_kind"):
        raise TypeError(f"{name} has values of type {array.dtype}, not real numbers")
    return array.astype(FLOAT, copy=False)


def is_scalar(values):
    return not isinstance(values, (list, tuple)) and numpy.ndim(values) == 0


def three_words(boundary):
    """What holds in each direction, from one word for all, or three in a string or a sequence."""
    words = boundary.split(",") if isinstance(boundary, str) else [str(word) for word in boundary]
    return words * 3 if len(words) == 1 else words


def on_cells(alpha, cells):
    """α, a number or an array, as an array of the cells."""
    alpha = doubles("alpha", alpha)
    return numpy.broadcast_to(alpha, cells) if is_scalar(alpha) else alpha


def _harmonic_mean(a, b):
    """2ab/(a + b); 0 where both are 0."""
    total = a + b
    return 2.0 * a * numpy.divide(b, total, out=numpy.zeros_like(total), where=total != 0.0)


def _means_on_faces(beta, direction, is_periodic):
    cells = numpy.moveaxis(beta, direction, 0)
    faces = numpy.empty((cells.shape[0] + 1, *cells.shape[1:]))
    faces[1:-1] = _harmonic_mean(cells[:-1], cells[1:])
    faces[0], faces[-1] = cells[0], cells[-1]
    if is_periodic:
        faces[0] = faces[-1] = _harmonic_mean(cells[0], cells[-1])
    return numpy.moveaxis(faces, 0, direction)


def on_faces(beta, cells, words, order):
    """β on the faces in the three directions, from a number, an array of the cells or the three arrays themselves."""
    if isinstance(beta, (list, tuple)) and len(beta) == 3 and numpy.ndim(beta[0]) == 3:
        return [doubles(f"beta[{d}]", array) for d, array in enumerate(beta)]
    beta = doubles("beta", beta)
    if is_scalar(beta):
        return [numpy.broadcast_to(beta, tuple(n + (d == e) for e, n in enumerate(cells))) for d in range(3)]
    if beta.shape != cells:
        raise TypeError(f"beta has shape {beta.shape}; legal: a number, an array of the shape of f, {cells}, or three "
                        "arrays with one value more in direction 0, 1, 2")
    if int(order) != 2:
        raise Error("ARGUMENT", f"order {order} needs beta on faces: means of two cells are means over the face to order "
                                "2 only")
    if on_gpu(beta) or not (beta >= 0.0).all():
        raise Error("ARGUMENT", "beta of cells must be in host memory, and 0 or more everywhere")
    return [_means_on_faces(beta, d, word.startswith("periodic")) for d, word in enumerate(words)]


def solid_cells(solid, cells):
    array = numpy.asarray(solid)
    if array.dtype != bool or array.shape != cells:
        raise TypeError(f"solid has type {array.dtype} and shape {array.shape}; legal: bool and the shape of f, {cells}")
    return array


def around_solid(solid, faces, alpha, words, lengths):
    """β and α with solid cells: β is 0 on their faces, and α in them is of the size of β over the domain's side squared.
    So u is f/α = 0 there, and coarse cells that are solid in part have hardly more α than without."""
    open_faces = []
    for direction, values in enumerate(faces):
        closed = numpy.zeros(values.shape, bool)
        along = numpy.moveaxis(closed, direction, 0)
        own = numpy.moveaxis(solid, direction, 0)
        along[:-1] |= own
        along[1:] |= own
        if words[direction].startswith("periodic"):
            along[0] |= own[-1]
        open_faces.append(numpy.where(closed, 0.0, values))
    side = max(lengths) if lengths else 1.0
    size = max(values.max() for values in open_faces) / side**2
    return open_faces, numpy.where(solid, size if size > 0.0 else 1.0, on_cells(alpha, solid.shape))
