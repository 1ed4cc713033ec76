# SPDX-License-Identifier: BSD-3-Clause
"""How the scripts of run/ end: with one line on stderr and an exit status, never with a traceback."""
import contextlib
import importlib
import os
import sys

USAGE, ENVIRONMENT, SYSTEM = 2, 3, 5  # exit statuses of the program (src/base/status.h)
INTERRUPTED, BROKEN_PIPE = 130, 141  # what shells report for SIGINT and SIGPIPE


class Unusable(Exception):
    """Why a script cannot do its work, and its exit status."""

    def __init__(self, message, status=USAGE):
        super().__init__(message)
        self.status = status


def complain(tool, message, kind="error"):
    print(f"{tool}: {kind}: {message}", file=sys.stderr, flush=True)


def no_package(error, name, advice=None):
    """What is missing. Another Python than Debian's does not see Debian's packages, hence the path."""
    missing = (error.name or name).partition(".")[0]  # maybe what the package itself needs
    return f"{missing} is missing: {error} (in {sys.executable}; {advice or f'Debian: python3-{missing}'})"


def package(name, advice=None):
    """A package that only some work needs: --help does without it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Unusable(no_package(error, name, advice), ENVIRONMENT) from error


@contextlib.contextmanager
def reading(what):
    """Whatever goes wrong while the contents of a file are taken apart makes the file unusable."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Unusable(f"{what}: {type(error).__name__}: {error}") from error


def status_of(main):
    """The exit status of main(), once all that it printed has been written."""
    if sys.stdout is None:
        raise OSError("standard output is closed")
    try:
        status = main()
    except SystemExit as end:  # of the parser
        status = end.code
    sys.stdout.flush()  # here, where a failure has its line
    return status


def run_script(tool, main):
    """Runs main() and exits with its status."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(errors="replace")  # of letters that the user's encoding lacks
    try:
        sys.exit(status_of(main))
    except Unusable as error:
        line, status = error, error.status
    except KeyboardInterrupt:
        line, status = "interrupted", INTERRUPTED
    except BrokenPipeError:
        line, status = None, BROKEN_PIPE  # silent, as other programs whose reader has had enough
    except OSError as error:
        line, status = ": ".join(filter(None, (error.filename, error.strerror))) or error, SYSTEM
    with contextlib.suppress(AttributeError, OSError):
        sys.stdout.flush()  # what was printed before the failure is not lost
    if line:
        complain(tool, line)
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what cannot be written is not tried again
    sys.exit(status)
