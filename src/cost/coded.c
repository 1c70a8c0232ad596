/*
 * coded.c
 *		Programs over codes, for who predicts (coded.h).  The worker makes them for a device
 *		(worker/encoding.c).
 */
#include "postgres.h"

#include "cost/coded.h"
#include "device/ops/code_table.h"
#include "device/ops/encode.h"
#include "device/ops/places.h"
#include "device/stripe.h"

/* A code table's header with its column */
typedef struct CodedHead
{
	GpuAggLookup head;
	GpuAggLookupColumn column;
} CodedHead;

GpuAggProgram *
gpuagg_coded_program(const GpuAggProgram *program, uint16 *of)
{
	int32		codes[GPUAGG_MAX_REGS];
	const GpuAggLookup *heads[GPUAGG_CODE_TABLES];
	CodedHead	laid_out[GPUAGG_CODE_TABLES];
	GpuAggCodeExpression found[GPUAGG_CODE_TABLES];
	GpuAggProgram *placed = palloc(gpuagg_places_room(program));
	GpuAggProgram *room = palloc(gpuagg_places_tables_room(program));
	const GpuAggProgram *from = gpuagg_places_use(program, placed, room) ? placed : program;
	GpuAggProgram *p = palloc(program->bytes + gpuagg_code_tables_more(from));
	uint32		n = gpuagg_code_tables_find(from, found, room);

	for (uint32 i = 0; i < n; i++)
	{
		gpuagg_code_table_program(from, &found[i], room);
		gpuagg_code_table_lay_out(room, GPUAGG_DICTIONARY_ENTRIES, &laid_out[i].head);
		heads[i] = &laid_out[i].head;
	}
	pfree(room);
	memcpy(p, program, program->bytes);
	gpuagg_code_tables_use(from, found, n, heads, p);
	pfree(placed);
	gpuagg_encode_plan(p, of);
	/* those of no column are told apart; others may be any of their column's */
	for (uint32 k = 0; k < p->nconsts; k++)
		codes[k] = of[p->ncolumns + k] == GPUAGG_OF_CONSTANTS ? k : 0;
	gpuagg_encode_program(p, of, codes);
	return p;
}
