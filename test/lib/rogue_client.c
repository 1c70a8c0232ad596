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
 *		more_lsns, fewer_lsns	than bits say; huge_lsns: no bytes hold them
 *		lsns_beyond		of a block behind the last one
 *		lsns			the map page has another LSN, and heap pages wrong ones
 *		twice			the extent comes twice
 *		order			the number of the batch was there before
 *		use				use of what CACHED did not tell
 *		no_request			the task has no cache request
 *		ahead			BEGIN says what MAP would: that settles it, and no MAP is sent
 *		ahead_wal		without a map page's LSN, which the WAL makes up for; all others do not go by it
 *		ahead_many, ahead_huge	of too many extents
 *		ahead_first, ahead_wrapped	of extents that the table has not
 *		ahead_zero, ahead_lsn	of a map page with no LSN, and with another one
 *		ahead_kept		before other pages were kept
 *		fuzz			some bytes are others, and perhaps the length is; their
 *						choice depends on the seed
 */
#include "postgres.h"

#include "access/table.h"
#include "device/transition.h"
#include "fmgr.h"
#include "heap/cache_request.h"
#include "heap/vismap.h"
#include "ipc/cache_shared.h"
#include "rogue.h"
#include "storage/bufmgr.h"
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
	char		behind[2 * GPUAGG_EXTENT_BITMAP_BYTES + GPUAGG_EXTENT_BLOCKS * sizeof(uint64)];
	Size		bytes;			/* behind the head */
} RogueMap;

typedef struct Rogue
{
	RogueTask	task;			/* first */
	Relation	rel;
	uint32		nblocks;
	RogueProgram program;
	uint64		batch_id;
	uint64		announced_lsn;		/* 0: CACHED announced nothing */
} Rogue;

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

/* Does what BEGIN tells settle it? */
static bool
is_settled(const RogueTask *task)
{
	return is(task, "ahead") || is(task, "ahead_wal");
}

/* What BEGIN tells of the map page, which but for "ahead" is not to be believed */
static void
look_ahead(Rogue *rogue, int device, GpuAggAhead *ahead)
{
	uint8		bits[GPUAGG_EXTENT_BITMAP_BYTES] pg_attribute_aligned(8);

	ahead->kept = gpuagg_cache_kept_so_far(device) + is(&rogue->task, "ahead_kept");
	ahead->map_lsns[0] = gpuagg_vismap_read(rogue->rel, 0, rogue->nblocks, bits) +
		is(&rogue->task, "ahead_lsn");
	ahead->n = 1;
	if (is(&rogue->task, "ahead_zero") || is(&rogue->task, "ahead_wal"))
		ahead->map_lsns[0] = 0;
	else if (is(&rogue->task, "ahead_many"))
		ahead->n = GPUAGG_AHEAD_EXTENTS + 1;
	else if (is(&rogue->task, "ahead_huge"))
		ahead->n = PG_UINT32_MAX;
	else if (is(&rogue->task, "ahead_first"))
		ahead->first = 1;
	else if (is(&rogue->task, "ahead_wrapped"))
	{
		ahead->first = PG_UINT32_MAX;
		ahead->n = 2;
	}
}

/*
 * A look-up table is wished for whose keys cannot be, or are numbered by a table that nobody has
 * made.
 */
static void
wish(const Rogue *rogue, GpuAggMakeWish *make)
{
	make->nkeys = 2;
	if (is(&rogue->task, "make_many"))
		make->nkeys = PG_UINT32_MAX;
	else if (is(&rogue->task, "make_three"))
		make->nkeys = 3;
	else if (is(&rogue->task, "make_lower"))
		make->forms[0] = GPUAGG_KEY_LOWER;
	else
	{
		make->forms[1] = GPUAGG_KEY_NUMBERED;
		make->helper_ids[1] = UINT64CONST(0x6f6e65206f662075);
		make->helpers[1] = (GpuAggMade *) &rogue->nblocks;
	}
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

	if (!is(&rogue->task, "no_request") &&
		!gpuagg_cache_request(rogue->rel, GetActiveSnapshot(), request.program,
					 rogue->nblocks, &request.cache))
		elog(ERROR, "no cache request for this table");
	request.cache.follow = is(&rogue->task, "ahead_wal");
	if (strncmp(rogue->task.what, "ahead", 5) == 0)
		look_ahead(rogue, request.device, &request.ahead);
	if (strncmp(rogue->task.what, "make", 4) == 0)
		wish(rogue, &request.config.make);
	rogue_begin(&rogue->task, &request);
}

/* False: the task has failed. */
static bool
wait_cached(Rogue *rogue)
{
	const GpuAggMsg *msg;
	Size		bytes;

	if (is(&rogue->task, "no_request"))
		return true;
	if (gpuagg_client_receive(rogue->task.client, true, &msg, &bytes,
							  &rogue->task.error) != GPUAGG_OK)
		return false;
	if (msg->type != (is_settled(&rogue->task) ? GPUAGG_MSG_SETTLED : GPUAGG_MSG_CACHED))
		elog(ERROR, "message %u instead of CACHED or SETTLED", msg->type);
	if (msg->type == GPUAGG_MSG_CACHED && msg->count > 0)
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

/* LSNs of all blocks, behind the bits that say so, or say that one more or less follows */
static void
append_lsns(Rogue *rogue, RogueMap *m)
{
	const uint32 checked = m->map.nblocks + is(&rogue->task, "more_lsns") -
		is(&rogue->task, "fewer_lsns");
	uint8		bits[GPUAGG_EXTENT_BITMAP_BYTES] = {0};

	for (uint32 i = 0; i < m->map.nblocks; i++)
		bits[i / 8] |= 1 << i % 8;
	if (is(&rogue->task, "lsns_beyond"))
	{
		bits[0] ^= 1;
		bits[m->map.nblocks / 8] |= 1 << m->map.nblocks % 8;
	}
	append_bits(m, bits);
	memset(m->behind + m->bytes, 1, checked * sizeof(uint64));
	m->bytes += checked * sizeof(uint64);
	m->map.checked = checked;
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
	m->map.use = rogue->announced_lsn != 0 || is(&rogue->task, "use");
	if (is(&rogue->task, "tail"))
		memset(bits + rogue->nblocks / 8, 0xFF,
			   GPUAGG_EXTENT_BITMAP_BYTES - rogue->nblocks / 8);
	if (is(&rogue->task, "none"))
		memset(bits, 0, sizeof(bits));
	append_bits(m, bits);
}

static void
make_fuzzy(Rogue *rogue, RogueMap *m)
{
	Size		all = sizeof(GpuAggMapMsg) + m->bytes;

	for (int i = pg_prng_uint64_range(&rogue->task.random, 1, FUZZ_BYTES); i > 0; i--)
	{
		/* another type would be another message, on pages that we do not pin */
		Size		at = pg_prng_uint64_range(&rogue->task.random, sizeof(uint32),
											  Min(all, 4 * sizeof(GpuAggMapMsg)) - 1);

		/* half of them small changes, so that some messages pass */
		((char *) m)[at] ^= pg_prng_bool(&rogue->task.random) ? 1 :
			(char) pg_prng_uint32(&rogue->task.random);
	}
	if (pg_prng_uint64_range(&rogue->task.random, 0, 3) == 0)
		m->bytes += FUZZ_LENGTH -
			pg_prng_uint64_range(&rogue->task.random, 0, Min(2 * FUZZ_LENGTH, m->bytes));
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

	if (is(&rogue->task, "short"))
		m->bytes -= 8;
	else if (is(&rogue->task, "long"))
		m->bytes += 8;
	else if (is(&rogue->task, "no_bits"))
		m->bytes = 0;
	else if (is(&rogue->task, "no_lsns"))
		map->checked = 1;
	else if (is(&rogue->task, "huge_lsns"))
		map->checked = PG_UINT32_MAX;
	else if (is(&rogue->task, "many_blocks"))
		make_whole(m, GPUAGG_EXTENT_BLOCKS + 1);
	else if (is(&rogue->task, "huge_blocks"))
		make_whole(m, PG_UINT32_MAX);
	else if (is(&rogue->task, "more_blocks"))
		make_whole(m, rogue->nblocks + 1);
	else if (is(&rogue->task, "extent"))
		map->extent = 1;
	else if (is(&rogue->task, "huge_extent"))
		map->extent = PG_UINT32_MAX;
	else if (is(&rogue->task, "zero_lsn"))
		map->map_lsn = 0;
	else if (is(&rogue->task, "other_lsn"))
		map->map_lsn++;
	else if (is(&rogue->task, "unused_lsns"))
		map->use = 0;
	else if (is(&rogue->task, "fuzz"))
		make_fuzzy(rogue, m);
	if (strstr(rogue->task.what, "lsns") != NULL && map->checked == 0)
		append_lsns(rogue, m);
	if (is(&rogue->task, "lsns"))
		map->map_lsn++;
}

static bool
send(Rogue *rogue, const RogueMap *m)
{
	return gpuagg_client_send(rogue->task.client, m, sizeof(GpuAggMapMsg) + m->bytes,
							  &rogue->task.error) == GPUAGG_OK;
}

/* False: the task has failed. */
static bool
send_map(RogueTask *task)
{
	Rogue	   *rogue = (Rogue *) task;
	RogueMap   *m = palloc(sizeof(RogueMap));

	if (!wait_cached(rogue))
		return false;
	if (is_settled(task))
		return true;
	make_good(rogue, m);
	make_wrong(rogue, m);
	if (!send(rogue, m))
		return false;
	if (!is(&rogue->task, "twice") && !is(&rogue->task, "order"))
		return true;
	m->map.msg.batch_id += is(&rogue->task, "twice");
	return send(rogue, m);
}

Datum
rogue_map(PG_FUNCTION_ARGS)
{
	Rogue		rogue = {.task.what = text_to_cstring(PG_GETARG_TEXT_PP(1))};
	GpuAggDoneMsg done = {0};
	bool		good;

	rogue.rel = table_open(PG_GETARG_OID(0), AccessShareLock);
	rogue.nblocks = RelationGetNumberOfBlocks(rogue.rel);
	pg_prng_seed(&rogue.task.random, PG_GETARG_INT32(2));
	make_program(&rogue.program);
	begin(&rogue);
	good = rogue_run(&rogue.task, send_map, &done);
	table_close(rogue.rel, AccessShareLock);
	PG_RETURN_TEXT_P(rogue_answer(&rogue.task, good, done.rows_scanned, "rows"));
}
