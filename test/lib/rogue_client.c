/*
 * rogue_client.c
 *		A client whose MAP messages are wrong, for tests of the worker.
 *
 * test/t/017_rogue.pl builds it and makes of it the SQL function
 *
 *		rogue_map(relation regclass, what text, seed int) RETURNS text
 *
 * which begins a task that counts the first column (an int4) of a table of one
 * extent, waits for CACHED, sends MAP with `what` wrong with it, and FINISH.  It
 * feeds nothing.  Returns how many rows the task found in the cache, or how it
 * failed.
 *
 *		good			as it should be
 *		tail			bits behind the last block are set
 *		none			no bit is set
 *		short, long		bytes lack, are too many
 *		no_bits, no_lsns	these lack that are announced
 *		many_blocks, huge_blocks, more_blocks	of the extent, the table
 *		extent, huge_extent	the table has no such extent
 *		zero_lsn, other_lsn	of the map page
 *		unused_lsns		LSNs, but no use
 *		lsns			the map page has another LSN, and heap pages wrong ones
 *		twice			the extent comes twice
 *		order			the number of the batch was there before
 *		use				use of what CACHED did not tell
 *		no_request			the task has no cache request
 *		fuzz			some bytes are others, and perhaps the length is; their
 *						choice depends on the seed
 */
#include "postgres.h"

#include "access/table.h"
#include "common/pg_prng.h"
#include "device/transition.h"
#include "fmgr.h"
#include "heap/cache_request.h"
#include "heap/vismap.h"
#include "ipc/client.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(rogue_map);

/* Bytes that "fuzz" changes, and adds to the message or takes off, at most */
#define FUZZ_BYTES 3
#define FUZZ_LENGTH 24

typedef struct RogueProgram
{
	GpuAggProgram head;
	GpuAggAttr	attr pg_attribute_aligned(8);
	GpuAggTransition count pg_attribute_aligned(8);
	uint8_t		classes[8] pg_attribute_aligned(8);
} RogueProgram;

/* A message with room for what follows it */
typedef struct RogueMap
{
	GpuAggMapMsg map;
	char		behind[GPUAGG_EXTENT_BITMAP_BYTES + GPUAGG_EXTENT_BLOCKS * sizeof(uint64)];
	Size		bytes;			/* behind the head */
} RogueMap;

typedef struct Rogue
{
	Relation	rel;
	uint32		nblocks;
	const char *what;
	pg_prng_state random;
	RogueProgram program;
	GpuAggClient *client;
	uint64		batch_id;
	uint64		announced_lsn;		/* 0: CACHED announced nothing */
	GpuAggError error;
} Rogue;

static bool
is(const Rogue *rogue, const char *what)
{
	return strcmp(rogue->what, what) == 0;
}

static void
make_program(RogueProgram *p)
{
	memset(p, 0, sizeof(*p));
	p->head = (GpuAggProgram) {
		.version = GPUAGG_PROGRAM_VERSION,
		.bytes = sizeof(*p),
		.nattrs = 1,
		.ncolumns = 1,
		.nregs = 1,
		.filter_reg = GPUAGG_NO_REG,
		.ntransitions = 1,
		.attrs_off = offsetof(RogueProgram, attr),
		.consts_off = offsetof(RogueProgram, count),
		.instrs_off = offsetof(RogueProgram, count),
		.keys_off = offsetof(RogueProgram, count),
		.transitions_off = offsetof(RogueProgram, count),
		.classes_off = offsetof(RogueProgram, classes)
	};
	p->attr.type = GPUAGG_T_INT4;
	p->attr.attlen = 4;
	p->attr.align = 4;
	p->attr.missing_const = GPUAGG_NO_REG;
	p->count = (GpuAggTransition) {GPUAGG_TRANS_COUNT, 0, GPUAGG_NO_REG, GPUAGG_T_INT4};
	p->classes[0] = GPUAGG_CLASS_I64;
}

static void
begin(Rogue *rogue)
{
	GpuAggClientRequest request = {
		.program = &rogue->program.head,
		.config.hash_window.count = 1,
		.config.expected_groups = 1,
		.relid = RelationGetRelid(rogue->rel)
	};

	if (!is(rogue, "no_request") &&
		!gpuagg_cache_request(rogue->rel, GetActiveSnapshot(), request.program,
					 rogue->nblocks, &request.cache))
		elog(ERROR, "no cache request for this table");
	rogue->client = gpuagg_client_begin(&request, &rogue->error);
	if (rogue->client == NULL)
		elog(ERROR, "could not begin: %s", rogue->error.message);
}

/* False: the task has failed. */
static bool
wait_cached(Rogue *rogue)
{
	const GpuAggMsg *msg;
	Size		bytes;

	if (is(rogue, "no_request"))
		return true;
	if (gpuagg_client_receive(rogue->client, true, &msg, &bytes,
							  &rogue->error) != GPUAGG_OK)
		return false;
	if (msg->type != GPUAGG_MSG_CACHED)
		elog(ERROR, "message %u instead of CACHED", msg->type);
	if (msg->count > 0)
		rogue->announced_lsn = ((const GpuAggMsgCached *) (msg + 1))->map_lsn;
	return true;
}

static void
append_bits(RogueMap *m, const uint8 *bits)
{
	Size		bytes = GPUAGG_ALIGN8((m->map.nblocks + 7) / 8);

	memcpy(m->behind + m->bytes, bits, bytes);
	m->bytes += bytes;
}

static void
append_lsns(RogueMap *m)
{
	memset(m->behind + m->bytes, 1, m->map.nblocks * sizeof(uint64));
	m->bytes += m->map.nblocks * sizeof(uint64);
	m->map.lsns = 1;
}

/* What the client of a query would send */
static void
make_good(Rogue *rogue, RogueMap *m)
{
	uint8		bits[GPUAGG_EXTENT_BITMAP_BYTES] pg_attribute_aligned(8);

	memset(m, 0, sizeof(*m));
	m->map.msg.type = GPUAGG_MSG_MAP;
	m->map.msg.batch_id = rogue->batch_id++;
	m->map.nblocks = rogue->nblocks;
	m->map.map_lsn = gpuagg_vismap_read(rogue->rel, 0, rogue->nblocks, bits);
	m->map.use = rogue->announced_lsn != 0 || is(rogue, "use");
	if (is(rogue, "tail"))
		memset(bits + rogue->nblocks / 8, 0xFF,
			   GPUAGG_EXTENT_BITMAP_BYTES - rogue->nblocks / 8);
	if (is(rogue, "none"))
		memset(bits, 0, sizeof(bits));
	append_bits(m, bits);
}

static void
make_fuzzy(Rogue *rogue, RogueMap *m)
{
	Size		all = sizeof(GpuAggMapMsg) + m->bytes;

	for (int i = pg_prng_uint64_range(&rogue->random, 1, FUZZ_BYTES); i > 0; i--)
	{
		/* another type would be another message, on pages that we do not pin */
		Size		at = pg_prng_uint64_range(&rogue->random, sizeof(uint32),
											  Min(all, 4 * sizeof(GpuAggMapMsg)) - 1);

		/* half of them small changes, so that some messages pass */
		((char *) m)[at] ^= pg_prng_bool(&rogue->random) ? 1 :
			(char) pg_prng_uint32(&rogue->random);
	}
	if (pg_prng_uint64_range(&rogue->random, 0, 3) == 0)
		m->bytes += FUZZ_LENGTH - pg_prng_uint64_range(&rogue->random, 0, Min(2 * FUZZ_LENGTH, m->bytes));
}

/* Without bits, so that numbers of blocks can be anything */
static void
make_whole(RogueMap *m, uint32 nblocks)
{
	m->map.whole = 1;
	m->map.nblocks = nblocks;
	m->bytes = 0;
}

static void
make_wrong(Rogue *rogue, RogueMap *m)
{
	GpuAggMapMsg *map = &m->map;

	if (is(rogue, "short"))
		m->bytes -= 8;
	else if (is(rogue, "long"))
		m->bytes += 8;
	else if (is(rogue, "no_bits"))
		m->bytes = 0;
	else if (is(rogue, "no_lsns"))
		map->lsns = 1;
	else if (is(rogue, "many_blocks"))
		make_whole(m, GPUAGG_EXTENT_BLOCKS + 1);
	else if (is(rogue, "huge_blocks"))
		make_whole(m, PG_UINT32_MAX);
	else if (is(rogue, "more_blocks"))
		make_whole(m, rogue->nblocks + 1);
	else if (is(rogue, "extent"))
		map->extent = 1;
	else if (is(rogue, "huge_extent"))
		map->extent = PG_UINT32_MAX;
	else if (is(rogue, "zero_lsn"))
		map->map_lsn = 0;
	else if (is(rogue, "other_lsn"))
		map->map_lsn++;
	else if (is(rogue, "unused_lsns"))
		map->use = 0;
	else if (is(rogue, "fuzz"))
		make_fuzzy(rogue, m);
	if (is(rogue, "unused_lsns") || is(rogue, "lsns"))
		append_lsns(m);
	if (is(rogue, "lsns"))
		map->map_lsn++;
}

static bool
send(Rogue *rogue, const RogueMap *m)
{
	return gpuagg_client_send(rogue->client, m, sizeof(GpuAggMapMsg) + m->bytes,
							  &rogue->error) == GPUAGG_OK;
}

/* False: the task has failed. */
static bool
send_map(Rogue *rogue)
{
	RogueMap   *m = palloc(sizeof(RogueMap));

	make_good(rogue, m);
	make_wrong(rogue, m);
	if (!send(rogue, m))
		return false;
	if (!is(rogue, "twice") && !is(rogue, "order"))
		return true;
	m->map.msg.batch_id += is(rogue, "twice");
	return send(rogue, m);
}

/* The rows that the task found; false: it has failed. */
static bool
finish(Rogue *rogue, uint64 *rows)
{
	GpuAggMsg	end = {GPUAGG_MSG_FINISH, 0, 0};
	const GpuAggMsg *msg;
	Size		bytes;

	if (gpuagg_client_send(rogue->client, &end, sizeof(end),
						   &rogue->error) != GPUAGG_OK)
		return false;
	do
	{
		if (gpuagg_client_receive(rogue->client, true, &msg, &bytes,
								  &rogue->error) != GPUAGG_OK)
			return false;
	} while (msg->type != GPUAGG_MSG_DONE);
	*rows = ((const GpuAggDoneMsg *) msg)->rows_scanned;
	return true;
}

Datum
rogue_map(PG_FUNCTION_ARGS)
{
	Rogue		rogue = {.what = text_to_cstring(PG_GETARG_TEXT_PP(1))};
	uint64		rows = 0;
	volatile bool good = false;

	rogue.rel = table_open(PG_GETARG_OID(0), AccessShareLock);
	rogue.nblocks = RelationGetNumberOfBlocks(rogue.rel);
	pg_prng_seed(&rogue.random, PG_GETARG_INT32(2));
	make_program(&rogue.program);
	begin(&rogue);
	PG_TRY();
	{
		good = wait_cached(&rogue) && send_map(&rogue) && finish(&rogue, &rows);
	}
	PG_CATCH();
	{
		gpuagg_client_abort(rogue.client);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (good)
		gpuagg_client_end(rogue.client);
	else
		gpuagg_client_abort(rogue.client);
	table_close(rogue.rel, AccessShareLock);
	PG_RETURN_TEXT_P(good ? cstring_to_text(psprintf("%lu rows", (unsigned long) rows)) :
					 cstring_to_text(rogue.error.message));
}
