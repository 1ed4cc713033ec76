#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The table "Observed orders between walls" of docs/NUMERICS.md is what the program prints.
set -eu
cd "$(dirname "$0")/../.."
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
"$BUILD/tests/reference/slow_walls_order_test" --record >"$printed"
diff "$printed" <(sed -n '/^| `--boundary` | order 2/,/^$/p' docs/NUMERICS.md | sed '/^$/d')
