/*
 * chosen_rows.c
 *		Rows that a device lists for a program that selects (chosen_rows.h).
 */
#include "postgres.h"

#include "node/run/chosen_rows.h"
#include "storage/bufmgr.h"

/*
 * Sorting a list of chosen rows: page, line and whether it is undecided in
 * one number.
 */
#define ST_SORT sort_keys
#define ST_ELEMENT_TYPE uint64
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/*
 * A list as sorted keys; counts the undecided ones.  False: there is a row that cannot be.
 */
static bool
sort_list(const GpuAggMsg *msg, uint64 *keys, uint64 *evaluated)
{
	const GpuAggRowRef *refs = (const GpuAggRowRef *) (msg + 1);

	for (uint32 i = 0; i < msg->count; i++)
	{
		bool		passed = (refs[i].line & GPUAGG_ROW_PASSED) != 0;
		uint32		line = refs[i].line & ~GPUAGG_ROW_PASSED;

		if (line < FirstOffsetNumber || line > MaxOffsetNumber)
			return false;
		keys[i] = (uint64) refs[i].page << 32 | line << 1 | !passed;
		*evaluated += !passed;
	}
	sort_keys(keys, msg->count);
	return true;
}

bool
gpuagg_chosen_rows_add(GpuAggTidStore *tids, const GpuAggTaskInputs *inputs, const GpuAggMsg *msg,
					   uint64 *evaluated)
{
	Size		count = msg->count;
	uint64	   *keys = palloc_extended(count * sizeof(uint64),
									   MCXT_ALLOC_HUGE);
	GpuAggTidRow *rows = palloc_extended(count * sizeof(GpuAggTidRow),
											MCXT_ALLOC_HUGE);
	GpuAggTidPage *pages = palloc(Min(count, GPUAGG_TID_MAX_PAGES) *
									 sizeof(GpuAggTidPage));
	uint32		npages = 0;

	if (!sort_list(msg, keys, evaluated))
		return false;
	for (uint32 i = 0; i < msg->count; i++)
	{
		uint32		page = keys[i] >> 32;
		uint32		line = (uint32) keys[i] >> 1;

		if (i == 0 || page != keys[i - 1] >> 32)
		{
			Buffer		buffer = gpuagg_inputs_buffer(inputs, msg->batch_id, page);

			if (!BufferIsValid(buffer) || npages == GPUAGG_TID_MAX_PAGES)
				return false;
			pages[npages].block = BufferGetBlockNumber(buffer);
			pages[npages++].buffer = buffer;
		}
		if (keys[i] & 1)
			line |= GPUAGG_TID_UNDECIDED;
		rows[i] = GPUAGG_TID_ROW(npages - 1, line);
	}
	gpuagg_tid_store_add(tids, msg->batch_id, pages, npages, rows,
					  msg->count);
	pfree(keys);
	pfree(rows);
	pfree(pages);
	return true;
}
