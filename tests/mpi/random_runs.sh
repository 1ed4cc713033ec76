#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A few random configurations; slow_random_runs.sh runs more.
exec tests/random-runs --count 16 --seed 7
