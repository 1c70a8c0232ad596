/*
 * roots.h
 *		What texts of kernels may include, besides cuda/frame/: these headers and
 *		what they include are carried as text (program/carry).
 */
#ifndef GPUAGG_CUDA_ROOTS_H
#define GPUAGG_CUDA_ROOTS_H

#include "device/layout.h"
#include "device/ops/answer_row.h"
#include "device/ops/decoding.h"
#include "device/ops/draw.h"
#include "device/ops/eval.h"
#include "device/ops/group.h"
#include "device/ops/hash.h"
#include "device/ops/ops.h"
#include "device/ops/page.h"
#include "device/ops/record.h"
#include "device/ops/sample.h"

#endif							/* GPUAGG_CUDA_ROOTS_H */
