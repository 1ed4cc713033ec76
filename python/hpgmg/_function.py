# SPDX-License-Identifier: BSD-3-Clause
"""Functions of x, y, z that C calls."""
import math
import signal
import threading

from ._library import Error, Function, call


class _Held:
    """A function whose exceptions C cannot pass on: the first is kept, and NaN makes the call fail.

    Handlers of signals, as Ctrl-C's, raise between any two steps of Python, and so before value() can catch it. In a
    `with` they wait until the function itself is about to run, or until C has returned."""

    def __init__(self, function):
        self.raised = None
        self._function = function
        self._handlers = {}
        self._waiting = []
        self._in_c = self._in_function = False

    def value(self, x, y, z, _):
        try:
            if self.raised is None:
                self._in_function = True
                self._handle_waiting()
                result = float(self._function(x, y, z))
                self._in_function = False
                return result
        except BaseException as error:
            self.raised = error
            self._in_function = False
        return math.nan

    def _signal(self, number, frame):
        if self._in_c and (not self._in_function or self.raised is not None):
            self._waiting.append((number, frame))
        else:
            self._handlers[number](number, frame)

    def _handle_waiting(self):
        while self._waiting:
            number, frame = self._waiting.pop(0)
            self._handlers[number](number, frame)

    def __enter__(self):
        self._in_c = True
        try:
            if threading.current_thread() is threading.main_thread(): # Python runs handlers in no other
                self._take_handlers()
        except BaseException: # of a handler that was still in its place
            self.__exit__()
            raise

    def __exit__(self, *_):
        self._in_c = False # _signal passes on what comes from now on
        try:
            self._put_handlers_back()
        finally: # again: one that is back may have raised
            self._put_handlers_back()
            self._handle_waiting()

    def _take_handlers(self):
        for number in signal.valid_signals():
            handler = signal.getsignal(number)
            if callable(handler):
                self._handlers[number] = handler
                signal.signal(number, self._signal)

    def _put_handlers_back(self):
        for number, handler in self._handlers.items():
            signal.signal(number, handler)


def call_with_function(name, *arguments, function):
    """Calls a function of the library with a function of x, y, z. What that raises, this raises."""
    held = _Held(function)
    try:
        with held:
            call(name, *arguments, Function(held.value), None)
    except Error:
        if held.raised is None:
            raise
    if held.raised is not None:
        raised, held.raised = held.raised, None
        try:
            raise raised
        finally:
            del raised # its traceback has this frame
