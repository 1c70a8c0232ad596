/*
 * explain_option.h
 *		EXPLAIN (GPUAGG), where PostgreSQL lets extensions add options.
 */
#ifndef GPUAGG_FUNCTIONS_EXPLAIN_OPTION_H
#define GPUAGG_FUNCTIONS_EXPLAIN_OPTION_H

#include "postgres.h"

extern void gpuagg_explain_option_init(void);

#endif							/* GPUAGG_FUNCTIONS_EXPLAIN_OPTION_H */
