/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Around the declarations of C functions in a header that C++ includes too. */
#ifdef __cplusplus
#define C_BEGIN extern "C" {
#define C_END }
#else
#define C_BEGIN
#define C_END
#endif
