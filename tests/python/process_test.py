#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the package does once per process, and so is tried in processes of their own, on one rank: loading the library,
threads, solvers that are dropped while another thread is in the library, forks. HPGMG_LIBRARY names the library."""
import os
import subprocess
import sys
import unittest

BEGIN = """
import gc, os, threading, numpy, hpgmg
from hpgmg import _library
def make(n=16):
    solver = hpgmg.Solver((n, n, n), coefficients="constant", backend="cpu")
    solver.set("f", numpy.random.default_rng(0).standard_normal((n, n, n)))
    return solver
"""


class Process(unittest.TestCase):
    def python(self, program, status=0, **environment):
        """What a program prints on stdout, or, if it is to fail, on stderr."""
        done = subprocess.run([sys.executable, "-c", BEGIN + program], env={**os.environ, **environment},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr if status else done.stdout

    def test_a_library_that_is_not_there(self):
        for path, reason in ("/nowhere/libhpgmg.so.1", "/nowhere/libhpgmg.so.1: cannot open"), ("libm.so.6", "hpgmg_message"):
            last = self.python("make()", 1, HPGMG_LIBRARY=path).splitlines()[-1]
            self.assertIn(reason, last)
            self.assertIn("set the environment variable HPGMG_LIBRARY", last)

    def test_threads(self):
        """Eight threads begin at once, before MPI runs, and each has the residual of its solver alone."""
        self.assertEqual(self.python("""
from concurrent.futures import ThreadPoolExecutor
begin = threading.Barrier(8)
def work(i, together=True):
    if together:
        begin.wait()
    with make(8 + 4 * i) as solver:
        return [solver.solve().residual for _ in range(5)]
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(work, range(8)))
print(found == [work(i, False) for i in range(8)])
"""), "True\n")

    def test_a_solver_dropped_while_a_thread_is_in_the_library(self):
        """It is destroyed by the next call."""
        self.assertEqual(self.python("""
other, solver = make(), make()
solver.cycle = solver
handle = solver._solver
inside, dropped = threading.Event(), threading.Event()
def work():
    with _library.lock:
        inside.set()
        dropped.wait()
thread = threading.Thread(target=work)
thread.start()
inside.wait()
del solver
gc.collect()
print(bool(handle))
dropped.set()
thread.join()
other.boxes
print(bool(handle))
"""), "True\nFalse\n")

    def test_a_forked_process_leaves_solvers_alone(self):
        self.assertEqual(self.python("""
solver = make()
handle = solver._solver
child = os.fork()
if child == 0:
    del solver
    os._exit(0 if handle else 1)
print(os.waitpid(child, 0)[1], solver.solve().converged)
"""), "0 True\n")

    def test_solvers_open_at_the_end(self):
        self.python("a, b = make(), make(); a.itself = a; a.solve()")


if __name__ == "__main__":
    unittest.main()
