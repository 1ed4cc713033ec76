/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The fewest bytes per cell that a pass must move between memory and processor. */
#include "base/linkage.h"
#include "operators/pass.h"

C_BEGIN

/* If the whole pass reads and writes each array once: u, f, the coefficients, and the relaxation
 * weight if it sweeps. An array on the coarse side counts an eighth. */
double pass_bytes_once(const struct pass *pass);
/* If each operation (the start, every sweep, the finish) reads and writes each array once. */
double pass_bytes_one_by_one(const struct pass *pass);

C_END
