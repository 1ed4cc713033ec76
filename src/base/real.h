/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The type of values on the grid. Files that work on fields of either precision are compiled twice,
 * the second time with SINGLE and with other names (src/cpu/single.h). All others pass pointers to
 * cells of single precision on without reading them: backend->real_bytes says what they are. */
#ifdef SINGLE
typedef float real;
#else
typedef double real;
#endif
