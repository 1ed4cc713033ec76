#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
exec tests/random-runs --count 200
