#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The package's structures and numbers are those of include/hpgmg.h, as a C compiler ($CC, or cc) has them."""
import ctypes
import os
import re
import subprocess
import tempfile
import unittest

from hpgmg import _library

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
STRUCTURES = {"hpgmg_box": _library.Box, "hpgmg_block": _library.Block, "hpgmg_result": _library.Result}


def header():
    with open(os.path.join(ROOT, "include/hpgmg.h"), encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)


def body(kind, name):
    """What stands between the braces of a struct or an enum."""
    return re.search(rf"{kind} {name} {{(.*?)}};", header(), re.DOTALL)[1]


def from_c(expressions):
    """The values of constant expressions after #include <hpgmg.h>."""
    lines = "".join(f'    printf("%ld\\n", (long)({e}));\n' for e in expressions)
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
        with open(source, "w", encoding="utf-8") as file:
            file.write(f"#include <stddef.h>\n#include <stdio.h>\n#include <hpgmg.h>\nint main(void)\n{{\n{lines}}}\n")
        subprocess.run([*os.environ.get("CC", "cc").split(), "-DHPGMG_MPI=0", f"-I{ROOT}/include", source, "-o", program],
                       check=True)
        return [int(line) for line in subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout.split()]


class Header(unittest.TestCase):
    def test_structures(self):
        declared = set(re.findall(r"struct (\w+) {", header()))
        self.assertEqual(declared, set(STRUCTURES))
        for name, own in STRUCTURES.items():
            members = [member for member, *_ in own._fields_]
            self.assertEqual(re.findall(r"(\w+)(?:\[\d+\])?(?=[,;])", body("struct", name)), members)
            expected = from_c([f"sizeof(struct {name})"] +
                              [what for m in members
                               for what in (f"offsetof(struct {name}, {m})", f"sizeof ((struct {name} *)0)->{m}")])
            found = [ctypes.sizeof(own)] + [v for m in members for v in (getattr(own, m).offset, getattr(own, m).size)]
            self.assertEqual(found, expected, name)

    def test_numbers(self):
        for enum, own in (("hpgmg_status", {name: value for value, name in enumerate(_library.STATUS)}),
                          ("hpgmg_field", {name.upper(): value for name, value in _library.FIELDS.items()})):
            names = re.findall(r"HPGMG_(\w+) =", body("enum", enum))
            self.assertEqual(names, list(own))
            self.assertEqual(from_c([f"HPGMG_{name}" for name in names]), list(own.values()))


if __name__ == "__main__":
    unittest.main()
