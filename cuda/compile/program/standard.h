/*
 * standard.h
 *		What kernels need of C's own headers, which NVRTC does not have.
 *
 * Carried under the names of all of them: <stdint.h>, <stddef.h>, <stdbool.h>,
 * <string.h>, <math.h>, <limits.h>, <float.h>.  Functions are NVRTC's own.  For
 * 64-bit Linux, where CUDA is.
 */
#ifndef GPUAGG_CUDA_STANDARD_H
#define GPUAGG_CUDA_STANDARD_H

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;

#define INT8_MIN (-128)
#define INT8_MAX 127
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define INT64_MIN (-9223372036854775807L - 1)
#define INT64_MAX 9223372036854775807L
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615UL
#define SIZE_MAX UINT64_MAX
#define INT32_C(value) value
#define UINT32_C(value) value##U
#define INT64_C(value) value##L
#define UINT64_C(value) value##UL

#define INT_MIN INT32_MIN
#define INT_MAX INT32_MAX
#define UINT_MAX UINT32_MAX

/* no constant expression, as in C; NVRTC has no built-in one */
#define offsetof(type, member) ((size_t) (&((type *) 0)->member))

#define FLT_MAX 3.40282346638528859811704183484516925e+38F
#define FLT_MIN 1.17549435082228750796873653722224568e-38F
#define FLT_EPSILON 1.19209289550781250000000000000000000e-7F
#define DBL_MAX 1.79769313486231570814527423731704357e+308
#define DBL_MIN 2.22507385850720138309023271733240406e-308
#define DBL_EPSILON 2.22044604925031308084726333618164062e-16
#define NAN __int_as_float(0x7fffffff)
#define INFINITY __int_as_float(0x7f800000)

#endif							/* GPUAGG_CUDA_STANDARD_H */
