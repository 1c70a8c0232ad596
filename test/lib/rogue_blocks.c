/*
 * rogue_blocks.c
 *		A client whose BLOCK messages are wrong, or the blocks that they tell of, for tests of
 *		the worker.
 *
 * test/t/017_rogue.pl builds it and makes of it the SQL function
 *
 *		rogue_block(what text, seed int) RETURNS text
 *
 * which begins a task that groups strings and counts integers of rows that come in blocks,
 * sends one with `what` wrong with it, and FINISH.  Returns how many groups were found, or
 * how the task failed.
 *
 *		good				as it should be
 *		empty				no rows
 *		twice				the same block again
 *		short, long			the message lacks bytes, has too many
 *		few_bytes, more_bytes	of the columns
 *		many_rows, huge_rows	more than are there
 *		few_rows			fewer
 *		most_bytes			more than the segment has
 *		huge_bytes			more than a block may have
 *		offset, huge_offset, wrapped_offset	behind the segment
 *		no_segment, gone_segment	there is none of that handle
 *		states				a state that no value has
 *		lengths, huge_lengths	strings are longer than they are
 *		changing			the block is written while the worker may read it
 *		fuzz				some bytes of message and block are others; their choice
 *							depends on the seed
 */
#include "postgres.h"

#include "device/transition.h"
#include "fmgr.h"
#include "ipc/block_ring.h"
#include "rogue.h"
#include "storage/dsm.h"

PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(rogue_block);

#define ROWS 1000
#define STRING 4				/* bytes of each */
#define FUZZ_BYTES 4
#define CHANGES 200000

typedef struct RogueProgram
{
	GpuAggProgram head;
	GpuAggAttr	attrs[2] pg_attribute_aligned(8);
	GpuAggKey	key pg_attribute_aligned(8);
	GpuAggTransition count pg_attribute_aligned(8);
	uint8_t		classes[8] pg_attribute_aligned(8);
} RogueProgram;

/* The columns: of the key, then of what is counted */
typedef struct RogueBlock
{
	uint8		key_states[ROWS];
	uint32		lengths[ROWS];
	char		strings[ROWS * STRING];
	uint8		states[ROWS];
	int64		values[ROWS];
} RogueBlock;

StaticAssertDecl(sizeof(RogueBlock) == ROWS * (1 + sizeof(uint32) + STRING + 1 + sizeof(int64)),
				 "columns lie without gaps");

typedef struct Rogue
{
	RogueTask	task;			/* first */
	RogueProgram program;
	dsm_segment *segment;
	RogueBlock *block;
} Rogue;

static void
make_program(RogueProgram *p)
{
	memset(p, 0, sizeof(*p));
	p->head = (GpuAggProgram) {
		.version = GPUAGG_PROGRAM_VERSION,
		.bytes = sizeof(*p),
		.nattrs = 2,
		.ncolumns = 2,
		.nregs = 2,
		.nkeys = 1,
		.filter_reg = GPUAGG_NO_REG,
		.ntransitions = 1,
		.attrs_off = offsetof(RogueProgram, attrs),
		.consts_off = offsetof(RogueProgram, key),
		.instrs_off = offsetof(RogueProgram, key),
		.keys_off = offsetof(RogueProgram, key),
		.transitions_off = offsetof(RogueProgram, count),
		.classes_off = offsetof(RogueProgram, classes)
	};
	for (int i = 0; i < 2; i++)
	{
		p->attrs[i].type = i == 0 ? GPUAGG_T_TEXT : GPUAGG_T_INT8;
		p->attrs[i].attlen = i == 0 ? -1 : 8;
		p->attrs[i].align = 1;
		p->attrs[i].fixed_off = -1;
		p->attrs[i].reg = i;
		p->attrs[i].missing_const = GPUAGG_NO_REG;
	}
	p->key.type = GPUAGG_T_TEXT;
	p->count = (GpuAggTransition) {GPUAGG_TRANS_COUNT, 1, GPUAGG_NO_REG, GPUAGG_T_INT8};
	p->classes[0] = GPUAGG_CLASS_BYTES;
	p->classes[1] = GPUAGG_CLASS_I64;
}

static void
make_block(Rogue *rogue)
{
	rogue->segment = dsm_create(Max(sizeof(RogueBlock), GPUAGG_RING_BYTES), 0);
	rogue->block = dsm_segment_address(rogue->segment);
	memset(rogue->block, 0, sizeof(RogueBlock));
	for (int i = 0; i < ROWS; i++)
	{
		rogue->block->key_states[i] = rogue->block->states[i] = GPUAGG_ST_VALUE;
		rogue->block->lengths[i] = STRING;
		memset(rogue->block->strings + i * STRING, 'a' + i % 10, STRING);
		rogue->block->values[i] = i;
	}
}

static void
begin(Rogue *rogue)
{
	GpuAggClientRequest request = {
		.program = &rogue->program.head,
		.config.hash_window.count = 1,
		.config.expected_groups = 10
	};

	rogue_begin(&rogue->task, &request);
}

/* The type of the message stays: another one would be another message. */
static void
make_fuzzy(Rogue *rogue, GpuAggBlockMsg *msg)
{
	for (int i = pg_prng_uint64_range(&rogue->task.random, 1, FUZZ_BYTES); i > 0; i--)
	{
		const bool	small = pg_prng_bool(&rogue->task.random);
		const uint8 change = small ? 1 : (uint8) pg_prng_uint32(&rogue->task.random);
		const Size	first = sizeof(uint32);

		if (pg_prng_bool(&rogue->task.random))
			((uint8 *) msg)[pg_prng_uint64_range(&rogue->task.random, first, sizeof(*msg) - 1)] ^=
				change;
		else
			((uint8 *) rogue->block)[pg_prng_uint64_range(&rogue->task.random, 0,
														  sizeof(RogueBlock) - 1)] ^= change;
	}
}

static void
make_wrong(Rogue *rogue, GpuAggBlockMsg *msg)
{
	if (is(&rogue->task, "empty"))
		msg->msg.count = msg->bytes = 0;
	else if (is(&rogue->task, "few_bytes"))
		msg->bytes -= 8;
	else if (is(&rogue->task, "more_bytes"))
		msg->bytes += 8;
	else if (is(&rogue->task, "many_rows"))
		msg->msg.count++;
	else if (is(&rogue->task, "huge_rows"))
		msg->msg.count = PG_UINT32_MAX;
	else if (is(&rogue->task, "few_rows"))
		msg->msg.count--;
	else if (is(&rogue->task, "most_bytes"))
		msg->bytes = GPUAGG_BLOCK_BYTES;
	else if (is(&rogue->task, "huge_bytes"))
		msg->bytes = GPUAGG_BLOCK_BYTES + UINT64CONST(1);
	else if (is(&rogue->task, "offset"))
		msg->offset = dsm_segment_map_length(rogue->segment) - sizeof(RogueBlock) + 8;
	else if (is(&rogue->task, "huge_offset"))
		msg->offset = PG_UINT64_MAX;
	else if (is(&rogue->task, "wrapped_offset"))
		msg->offset = PG_UINT64_MAX - msg->bytes + 1;
	else if (is(&rogue->task, "no_segment"))
		msg->segment ^= 1;
	else if (is(&rogue->task, "states"))
		rogue->block->states[ROWS - 1] = 0x7F;
	else if (is(&rogue->task, "lengths"))
		rogue->block->lengths[ROWS - 1]++;
	else if (is(&rogue->task, "huge_lengths"))
		rogue->block->lengths[0] = rogue->block->lengths[1] = PG_UINT32_MAX;
	else if (is(&rogue->task, "fuzz"))
		make_fuzzy(rogue, msg);
}

/* Whatever the worker sees, it checks what it has copied. */
static void
change_block(Rogue *rogue)
{
	for (int i = 0; i < CHANGES; i++)
	{
		volatile uint32 *length = &rogue->block->lengths[i % ROWS];

		*length = i % 2 == 0 ? PG_UINT32_MAX : STRING;
		rogue->block->states[i % ROWS] = i % 3 == 0 ? 0x7F : GPUAGG_ST_VALUE;
	}
}

static bool
send_block(RogueTask *task)
{
	Rogue	   *rogue = (Rogue *) task;
	GpuAggBlockMsg msg = {
		.msg = {GPUAGG_MSG_BLOCK, ROWS, 1},
		.segment = dsm_segment_handle(rogue->segment),
		.bytes = sizeof(RogueBlock)
	};
	char		sent[sizeof(GpuAggBlockMsg) + 8] = {0};
	Size		bytes = sizeof(msg);

	make_wrong(rogue, &msg);
	if (is(&rogue->task, "short"))
		bytes -= 8;
	if (is(&rogue->task, "long"))
		bytes += 8;
	memcpy(sent, &msg, sizeof(msg));
	if (is(&rogue->task, "gone_segment"))
	{
		dsm_detach(rogue->segment);
		rogue->segment = NULL;
	}
	if (gpuagg_client_send(rogue->task.client, sent, bytes, &rogue->task.error) != GPUAGG_OK)
		return false;
	if (is(&rogue->task, "changing"))
		change_block(rogue);
	if (!is(&rogue->task, "twice"))
		return true;
	((GpuAggMsg *) sent)->batch_id++;
	return gpuagg_client_send(rogue->task.client, sent, bytes, &rogue->task.error) == GPUAGG_OK;
}

Datum
rogue_block(PG_FUNCTION_ARGS)
{
	Rogue		rogue = {.task.what = text_to_cstring(PG_GETARG_TEXT_PP(0))};
	GpuAggDoneMsg done = {0};
	bool		good;

	pg_prng_seed(&rogue.task.random, PG_GETARG_INT32(1));
	make_program(&rogue.program);
	make_block(&rogue);
	begin(&rogue);
	good = rogue_run(&rogue.task, send_block, &done);
	if (rogue.segment != NULL)
		dsm_detach(rogue.segment);
	PG_RETURN_TEXT_P(rogue_answer(&rogue.task, good, done.groups, "groups"));
}
