#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Hosts of their own, in network namespaces; skipped where those are not allowed.
: "${HPGMG:?is set by tests/run-all}"
exec tests/two-hosts "$HPGMG"
