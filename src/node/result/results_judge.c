/*
 * results_judge.c
 *		Looks at groups as they come from a device (results_judge.h).
 *
 * Groups are looked at when they come in, before the first row is returned,
 * because afterwards the fallback plan could no longer answer.  Left to
 * PostgreSQL are
 *
 *	- an infinite or NaN float sum.  It may be right, if such a value was in
 *	  the input, or be the overflow that PostgreSQL reports; it also depends
 *	  on the order of addition, so only PostgreSQL's own answer is its answer.
 *	  Groups with infinite or NaN input are paid for with the fallback;
 *	- a sum(float4) beyond float4;
 *	- since 19, a correlation or regression of values that may all be the same, or differ by
 *	  no more than rounding: PostgreSQL, which remembers one value, knows;
 *	- two days that begin at the same moment in the session's time zone
 *	  (a zone that skipped a day, such as Pacific/Apia in 2011), when the
 *	  device groups by date what the query groups by timestamptz;
 *	- a key shown as a text of to_char that other moments could have, too;
 *	- sums of intervals that may have been out of range on the way.
 *
 * Numbers of strings (numbered.h) are looked at, too: a device may be wrong.  What a kind of
 * value has judged of it stands beside how it is made (result_kinds.h).
 */
#include "postgres.h"

#include "ipc/errors.h"
#include "ipc/protocol.h"
#include "node/result/results_judge.h"

static GpuAggStatus
results_verify(GpuAggResults *results, const char *row, GpuAggError *error)
{
	GpuAggStatus status = GPUAGG_OK;
	uint32		head;

	memcpy(&head, row, sizeof(head));
	for (int i = 0; status == GPUAGG_OK && i < results->nemitters; i++)
	{
		const GpuAggEmitter *emitter = &results->emitters[i];

		if (emitter->judge != NULL && (head & emitter->null_bit) == 0)
			status = emitter->judge(results, emitter, row, error);
	}
	return status;
}

GpuAggStatus
gpuagg_results_check(GpuAggResults *results, const char *groups, uint32 count,
					 Size bytes, GpuAggError *error)
{
	const char *row = groups;
	const char *end = groups + bytes;

	if (!results->check && results->nstrings == 0)
		row += (Size) count * results->layout.row_bytes;
	else
	{
		for (uint32 i = 0; i < count; i++)
		{
			if ((Size) (end - row) < results->layout.row_bytes)
				break;
			if (results->check)
			{
				GpuAggStatus status = results_verify(results, row, error);

				if (status != GPUAGG_OK)
					return status;
			}
			row = gpuagg_results_walk(results, row);
			if (row > end)
				break;
		}
	}
	if (row != end)
		return gpuagg_error_set(error, GPUAGG_DEVICE_FAULT, 0,
								"the device sent groups of a wrong size");
	return GPUAGG_OK;
}
