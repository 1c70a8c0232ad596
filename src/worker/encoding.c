/*
 * encoding.c
 *		Jobs whose strings are codes on the device (encoding.h); what becomes
 *		of programs and groups is device/ops/encode.c's.
 *
 * A grouping in windows of the hash space stays with its strings: its tasks
 * must agree on the hashes of keys, and codes may be others from one task to
 * the next.
 */
#include "postgres.h"

#include "cache/cache.h"
#include "device/ops/code_table.h"
#include "device/ops/encode.h"
#include "device/ops/lookup_make.h"
#include "device/ops/places.h"
#include "device/ops/regrouping_row.h"
#include "utils/memutils.h"
#include "worker/constant_codes.h"
#include "worker/encoding.h"

/* Groups whose strings are fetched at once */
#define FETCH_GROUPS 64

struct GpuAggJobEncoding
{
	GpuAggProgram *original;
	GpuAggProgram *placed;		/* with places (places.h); NULL: as it was */
	uint32		nregs;			/* of the program as it is now, by which these are */
	GpuAggDictionary **dictionaries;	/* of registers that are codes */
	GpuAggDictionaryText *texts;
	GpuAggConstantCodes *constants; /* of registers that no column has strings of; NULL: there are
									 * none */
	GpuAggEncoding groups;
	GpuAggEncoding regrouped;	/* where the device may regroup them */
	uint32		ntables;
	GpuAggMade *tables[GPUAGG_CODE_TABLES];	/* code tables; the job has them till it leaves them */
	uint16		read[GPUAGG_CODE_TABLES];	/* the register that each is read into */
	GpuAggDictionary *of[GPUAGG_CODE_TABLES];	/* whose strings' it is */
	bool		places[GPUAGG_CODE_TABLES]; /* it is one of places */
	GpuAggMade **place_tables;	/* of registers that are places */
	bool		called;			/* some of them have values that clients give */
};

static const GpuAggStripeOps *
stripe_ops(const GpuAggWorkerJob *job)
{
	return job->on->ops->stripes;
}

/* How groups of these programs are told from each other */
static void
plan_decoding(struct GpuAggJobEncoding *e, const GpuAggProgram *from, const GpuAggProgram *to,
			  GpuAggEncoding *groups)
{
	groups->from = from;
	groups->to = to;
	groups->texts = e->texts;
	gpuagg_layout_compute(from, &groups->from_layout);
	gpuagg_layout_compute(to, &groups->to_layout);
}

/* The program of groups that the device makes of those of p */
static const GpuAggProgram *
regrouped_program(const GpuAggWorkerJob *job, const GpuAggProgram *p)
{
	const GpuAggRegrouping *r = &job->config.regrouping;
	GpuAggProgram *made = MemoryContextAlloc(job->context,
											 gpuagg_regrouping_program_bytes(r, false));

	gpuagg_regrouping_program(r, p, false, made);
	return made;
}

/* -------------------------------------------------------------- constants --- */

/* The dictionary of a source of strings: a column, or a register that a code table is read into */
static GpuAggDictionary *
source_dictionary(const GpuAggWorkerJob *job, const struct GpuAggJobEncoding *e,
				  GpuAggDictionary *const *dictionaries, uint16 source)
{
	for (uint32 i = 0; i < e->ntables; i++)
		if (e->read[i] == source)
			return stripe_ops(job)->code_table_texts(e->tables[i]);
	return dictionaries[source];
}

/* Codes of constants that are compared with such strings; they are added if need be. */
static bool
encode_of_sources(const GpuAggWorkerJob *job, const struct GpuAggJobEncoding *e, const uint16 *of,
				  GpuAggDictionary *const *dictionaries, int32 *codes)
{
	const GpuAggProgram *p = job->program;

	for (uint32 k = 0; k < p->nconsts; k++)
	{
		const uint16 source = of[p->ncolumns + k];
		GpuAggBytes b;
		GpuAggError error;

		if (!gpuagg_encode_is_constant(p, of, k) || source == GPUAGG_OF_CONSTANTS)
			continue;
		b = gpuagg_const_bytes(p, &gpuagg_program_consts(p)[k]);
		if (stripe_ops(job)->dictionary_encode(source_dictionary(job, e, dictionaries, source),
											   &b, 1, &codes[k], &error) != GPUAGG_OK ||
			codes[k] == GPUAGG_NO_CODE)
			return false;
	}
	return true;
}

/*
 * Codes of constants that are strings of no column.  Without memory for them they stay strings,
 * and of[] tells.
 */
static void
encode_of_none(const GpuAggWorkerJob *job, struct GpuAggJobEncoding *e, uint16 *of, int32 *codes)
{
	const GpuAggProgram *p = job->program;
	GpuAggBytes strings[GPUAGG_MAX_REGS];
	uint32		which[GPUAGG_MAX_REGS];
	int32		some[GPUAGG_MAX_REGS];
	uint32		n = 0;

	for (uint32 k = 0; k < p->nconsts; k++)
		if (gpuagg_encode_is_constant(p, of, k) && of[p->ncolumns + k] == GPUAGG_OF_CONSTANTS)
		{
			strings[n] = gpuagg_const_bytes(p, &gpuagg_program_consts(p)[k]);
			which[n++] = k;
		}
	if (n > 0)
		e->constants = gpuagg_constant_codes_get(job, strings, n, some);
	for (uint32 i = 0; e->constants != NULL && i < n; i++)
		codes[which[i]] = some[i];
	for (uint32 r = 0; e->constants == NULL && r < p->nregs; r++)
		if (of[r] == GPUAGG_OF_CONSTANTS)
			of[r] = GPUAGG_NO_REG;
}

/* ---------------------------------------------------------------- places --- */

/* Are groups wanted in an order of strings that would be places? */
static bool
orders_by_extreme(const GpuAggWorkerJob *job)
{
	const GpuAggAnswer *answer = &job->config.answer;

	for (uint32 i = 0; i < answer->ncolumns; i++)
		if (answer->columns[i].value.form == GPUAGG_VALUE_BYTES)
			return true;
	return false;
}

/* Are the strings that would have places few enough? */
static bool
are_few(const GpuAggWorkerJob *job, const GpuAggProgram *p, GpuAggDictionary *const *dictionaries)
{
	for (uint32 i = 0; i < p->ntransitions; i++)
	{
		const uint16 column = gpuagg_places_column(p, i);
		GpuAggDictionaryInfo info = {0};

		if (column != GPUAGG_NO_REG && dictionaries[column] != NULL)
			stripe_ops(job)->dictionary_info(dictionaries[column], &info);
		if (info.entries > stripe_ops(job)->ordered)
			return false;
	}
	return true;
}

/*
 * The program with places for its least and greatest strings, where it has any.  A page may bring
 * a string that has none, and the task runs again; and each new string has all put in order anew.
 * So only where the table is kept as a whole, and they are few; or where without places there
 * would be no codes.  Groups that the device makes of others merge strings.
 */
static void
use_places(GpuAggWorkerJob *job, struct GpuAggJobEncoding *e, const GpuAggCacheClient *client,
		   GpuAggDictionary *const *dictionaries)
{
	const GpuAggProgram *p = e->original;
	const bool	called = gpuagg_called_count(p) > 0;
	GpuAggProgram *room;

	if (!gpuagg_places_possible(p) || job->config.regrouping.nsets > 0 ||
		job->config.make.nkeys > 0 ||
		(!called && (orders_by_extreme(job) || !are_few(job, p, dictionaries) ||
					 !gpuagg_cache_is_whole(client))))
		return;
	e->placed = MemoryContextAllocHuge(job->context, gpuagg_places_room(p));
	room = MemoryContextAllocHuge(job->context, gpuagg_places_tables_room(p));
	if (!gpuagg_places_use(p, e->placed, room))
	{
		pfree(e->placed);
		e->placed = NULL;
	}
	/* all may be returned, whatever is wanted */
	else if (orders_by_extreme(job))
		memset(&job->config.answer, 0, sizeof(job->config.answer));
	pfree(room);
}

/* ----------------------------------------------------------- code tables --- */

static void
tables_leave(const GpuAggWorkerJob *job, struct GpuAggJobEncoding *e)
{
	for (uint32 i = 0; i < e->ntables; i++)
		stripe_ops(job)->code_table_leave(e->tables[i]);
	e->ntables = 0;
}

/* The program whose expressions become tables */
static const GpuAggProgram *
tabled_program(const struct GpuAggJobEncoding *e)
{
	return e->placed != NULL ? e->placed : e->original;
}

/* Code tables of these expressions; false: none of them is there. */
static bool
tables_get(GpuAggWorkerJob *job, struct GpuAggJobEncoding *e, const GpuAggCodeExpression *found,
		   uint32 n, GpuAggDictionary *const *dictionaries, GpuAggProgram *room)
{
	for (uint32 i = 0; i < n; i++)
	{
		GpuAggError error;

		gpuagg_code_table_program(tabled_program(e), &found[i], room);
		e->of[i] = dictionaries[found[i].column];
		e->places[i] = gpuagg_code_table_is_places(room);
		if (stripe_ops(job)->code_table(e->of[i], room, &e->tables[i], &error) != GPUAGG_OK)
		{
			tables_leave(job, e);
			return false;
		}
		e->ntables = i + 1;
	}
	return true;
}

/* A column of which no string is there yet stays strings: how many will come is not known. */
static bool
are_known(const GpuAggWorkerJob *job, const GpuAggCodeExpression *found, uint32 n,
		  GpuAggDictionary *const *dictionaries)
{
	for (uint32 i = 0; i < n; i++)
	{
		GpuAggDictionaryInfo info;

		stripe_ops(job)->dictionary_info(dictionaries[found[i].column], &info);
		if (info.entries == 0)
			return false;
	}
	return true;
}

/* Are there strings of which what only PostgreSQL computes is not given yet?  *error says so. */
static bool
are_awaited(const GpuAggWorkerJob *job, struct GpuAggJobEncoding *e,
			const GpuAggCodeExpression *found, uint32 n, GpuAggDictionary *const *dictionaries,
			GpuAggError *error)
{
	for (uint32 i = 0; i < n; i++)
	{
		GpuAggDictionaryInfo info;

		if (!gpuagg_is_called(gpuagg_instr_of(tabled_program(e), found[i].reg)))
			continue;
		e->called = true;
		stripe_ops(job)->dictionary_info(dictionaries[found[i].column], &info);
		if (stripe_ops(job)->code_table_given(e->tables[i]) >= info.entries)
			continue;
		error->status = GPUAGG_VALUE_ERROR;
		error->detail = GPUAGG_ST_NEEDS_PG;
		strlcpy(error->message, "what only PostgreSQL computes is not known of all strings",
				sizeof(error->message));
		tables_leave(job, e);
		return true;
	}
	return false;
}

/* Code tables of the program's expressions, which are found; 0: there are none, or not all */
static uint32
tables_make(GpuAggWorkerJob *job, struct GpuAggJobEncoding *e, GpuAggCodeExpression *found,
			GpuAggDictionary *const *dictionaries)
{
	const GpuAggProgram *p = tabled_program(e);
	GpuAggProgram *room = MemoryContextAllocHuge(job->context, gpuagg_code_tables_room(p));
	uint32		n = gpuagg_code_tables_find(p, found, room);

	if (n == 0 || job->config.made.n + n > GPUAGG_MADE_TABLES ||
		!are_known(job, found, n, dictionaries) ||
		!tables_get(job, e, found, n, dictionaries, room))
		n = 0;
	pfree(room);
	return n;
}

/*
 * The job's program gets code tables in the place of expressions; without memory for all of them,
 * or room among the tables that the job looks up in, it stays as it is.  False: *error tells.
 */
static bool
use_tables(GpuAggWorkerJob *job, struct GpuAggJobEncoding *e, const GpuAggCacheClient *client,
		   GpuAggDictionary *const *dictionaries, GpuAggError *error)
{
	GpuAggMadeTables *made = &job->config.made;
	const GpuAggLookup *heads[GPUAGG_CODE_TABLES];
	GpuAggCodeExpression found[GPUAGG_CODE_TABLES];
	const GpuAggProgram *p;
	uint32		first;
	uint32		n;

	if (stripe_ops(job)->code_table == NULL || job->on->ops->made == NULL)
		return true;
	use_places(job, e, client, dictionaries);
	n = tables_make(job, e, found, dictionaries);
	if (n == 0 && e->placed != NULL)
	{
		e->placed = NULL;
		n = tables_make(job, e, found, dictionaries);
	}
	p = tabled_program(e);
	if (n == 0)
		return true;
	if (are_awaited(job, e, found, n, dictionaries, error))
		return false;
	for (uint32 i = 0; i < n; i++)
		heads[i] = job->on->ops->made->head(e->tables[i]);
	/* look-up tables, which may be large, stay where they are */
	job->program = repalloc_huge(job->program, job->program->bytes +
								 gpuagg_code_tables_more(p));
	first = gpuagg_code_tables_use(p, found, n, heads, job->program);
	for (uint32 i = 0; i < n; i++)
	{
		made->constants[made->n] = first + i;
		job->made[made->n] = NULL;
		made->tables[made->n++] = e->tables[i];
		e->read[i] = gpuagg_code_table_register(job->program, first + i);
	}
	return true;
}

void
gpuagg_encoding_leave(GpuAggWorkerJob *job)
{
	struct GpuAggJobEncoding *e = job->encoding;

	if (e == NULL)
		return;
	tables_leave(job, e);
	if (e->constants != NULL)
		gpuagg_constant_codes_leave(e->constants);
	e->constants = NULL;
}

bool
gpuagg_encoding_outgrown(const GpuAggWorkerJob *job)
{
	const struct GpuAggJobEncoding *e = job->encoding;

	if (e == NULL || e->called)
		return false;
	for (uint32 i = 0; i < e->ntables; i++)
		if (e->places[i] || (job->pages_read > 0 &&
							 job->on->ops->made->head(e->tables[i])->nrows <
							 GPUAGG_DICTIONARY_ENTRIES))
			return true;
	return false;
}

/* -------------------------------------------------------------- programs --- */

static bool
has_codes(const GpuAggProgram *p, const uint16 *of)
{
	for (uint32 r = 0; r < p->nregs; r++)
		if (of[r] != GPUAGG_NO_REG)
			return true;
	return false;
}

/* The dictionary of each register that holds codes */
static void
plan_registers(const GpuAggWorkerJob *job, struct GpuAggJobEncoding *e, const uint16 *of,
			   GpuAggDictionary *const *dictionaries)
{
	e->nregs = job->program->nregs;
	e->dictionaries = MemoryContextAllocZero(job->context,
											 e->nregs * sizeof(GpuAggDictionary *));
	e->texts = MemoryContextAllocZero(job->context, e->nregs * sizeof(GpuAggDictionaryText));
	for (uint32 r = 0; r < e->nregs; r++)
		if (of[r] == GPUAGG_OF_CONSTANTS)
			e->dictionaries[r] = gpuagg_constant_codes_dictionary(e->constants);
		else if (of[r] != GPUAGG_NO_REG)
			e->dictionaries[r] = source_dictionary(job, e, dictionaries, of[r]);
	e->place_tables = MemoryContextAllocZero(job->context, e->nregs * sizeof(GpuAggMade *));
	for (uint32 i = 0; i < e->ntables; i++)
		if (e->places[i])
		{
			e->dictionaries[e->read[i]] = e->of[i];
			e->place_tables[e->read[i]] = e->tables[i];
		}
}

/* The program without look-up tables: whoever writes groups looks nothing up. */
static GpuAggProgram *
head_of(const GpuAggWorkerJob *job)
{
	const uint32 bytes = gpuagg_program_head_bytes(job->program);
	GpuAggProgram *head = MemoryContextAllocHuge(job->context, bytes);

	memcpy(head, job->program, bytes);
	head->bytes = bytes;
	return head;
}

/* The job has no encoding, and its program is what it was. */
static void
give_up(GpuAggWorkerJob *job, uint32 bytes)
{
	struct GpuAggJobEncoding *e = job->encoding;

	memcpy(job->program, e->original, e->original->bytes);
	job->program->bytes = bytes;
	job->config.made.n -= e->ntables;
	gpuagg_encoding_leave(job);
	job->encoding = NULL;
}

bool
gpuagg_encoding_make(GpuAggWorkerJob *job, const GpuAggCacheClient *client,
					 GpuAggDictionary *const *dictionaries, GpuAggError *error)
{
	const uint32 bytes = job->program->bytes;
	struct GpuAggJobEncoding *e;
	uint16		of[GPUAGG_MAX_REGS];
	int32		codes[GPUAGG_MAX_REGS] = {0};

	if (job->config.hash_window.count > 1)
		return true;
	e = MemoryContextAllocZero(job->context, sizeof(struct GpuAggJobEncoding));
	e->original = head_of(job);
	/* whatever it has by then it leaves, even if it ends here by an ERROR */
	job->encoding = e;
	if (!use_tables(job, e, client, dictionaries, error))
	{
		give_up(job, bytes);
		return false;
	}
	gpuagg_encode_plan(job->program, of);
	if (!encode_of_sources(job, e, of, dictionaries, codes))
	{
		give_up(job, bytes);
		return false;
	}
	encode_of_none(job, e, of, codes);
	if (!has_codes(job->program, of))
	{
		give_up(job, bytes);
		return true;
	}
	plan_registers(job, e, of, dictionaries);
	gpuagg_encode_program(job->program, of, codes);
	plan_decoding(e, e->original, job->program, &e->groups);
	if (job->config.regrouping.nsets > 0)
		plan_decoding(e, regrouped_program(job, e->original),
					  regrouped_program(job, job->program), &e->regrouped);
	job->config.codes.dictionaries = e->dictionaries;
	job->config.codes.places = e->place_tables;
	job->config.codes.results = stripe_ops(job)->results ? e->original : NULL;
	return true;
}

bool
gpuagg_encoding_has_codes(const GpuAggWorkerJob *job)
{
	return job->encoding != NULL && job->config.codes.results == NULL;
}

const GpuAggProgram *
gpuagg_encoding_original(const GpuAggWorkerJob *job)
{
	return job->encoding != NULL ? job->encoding->original : job->program;
}

/* ----------------------------------------------------------------- rows --- */

/* Strings of a column become codes; the values' array is a new one. */
static GpuAggStatus
encode_column(const GpuAggWorkerJob *job, GpuAggDictionary *dictionary,
			  GpuAggRowColumn *column, uint32 nrows, GpuAggError *error)
{
	const GpuAggBytes *strings = column->values;
	GpuAggBytes *some = palloc(nrows * sizeof(GpuAggBytes));
	int32	   *codes = palloc(nrows * sizeof(int32));
	int64	   *values = palloc0(nrows * sizeof(int64));
	uint32		n = 0;
	GpuAggStatus status;

	for (uint32 i = 0; i < nrows; i++)
		if (column->states[i] == GPUAGG_ST_VALUE)
			some[n++] = strings[i];
	status = stripe_ops(job)->dictionary_encode(dictionary, some, n, codes, error);
	n = 0;
	for (uint32 i = 0; i < nrows && status == GPUAGG_OK; i++)
	{
		if (column->states[i] != GPUAGG_ST_VALUE)
			continue;
		values[i] = codes[n++];
		if (values[i] != GPUAGG_NO_CODE)
			continue;
		status = error->status = GPUAGG_UNSUPPORTED;
		strlcpy(error->message,
				"a column has more strings than its dictionary takes",
				sizeof(error->message));
	}
	column->values = values;
	return status;
}

static bool
is_coded(const GpuAggWorkerJob *job, uint32 reg)
{
	return job->encoding->dictionaries[reg] != NULL;
}

/* The strings that a register's places stand for, in their order; false with the reason */
static bool
read_places(const GpuAggWorkerJob *job, uint32 reg, GpuAggDictionaryText *text, GpuAggError *error)
{
	GpuAggMade *table = job->encoding->place_tables[reg];

	text->order = stripe_ops(job)->code_table_order(table, error);
	text->entries = (uint32) job->on->ops->made->head(table)->nrows;
	return text->order != NULL;
}

/* The place of a string that is there */
static uint32
place_of(const GpuAggDictionaryText *text, GpuAggBytes string)
{
	uint32		low = 0;
	uint32		high = text->entries;

	while (high - low > 1)
	{
		const uint32 middle = low + (high - low) / 2;

		if (gpuagg_bytes_compare(gpuagg_decode_text_string(text, middle), string) <= 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The next task knows the strings that have no places yet. */
static GpuAggStatus
place_missing(const GpuAggWorkerJob *job, GpuAggError *error)
{
	error->detail = GPUAGG_ST_NEEDS_PG;
	strlcpy(error->message, "a string is not among those that were known", sizeof(error->message));
	return error->status = job->encoding->called ? GPUAGG_VALUE_ERROR : GPUAGG_UNSUPPORTED;
}

/* Strings become their places; the values' array is a new one. */
static GpuAggStatus
place_column(const GpuAggWorkerJob *job, uint16 reg, GpuAggRowColumn *column, uint32 nrows,
			 GpuAggError *error)
{
	GpuAggDictionary *dictionary = job->encoding->dictionaries[reg];
	const GpuAggBytes *strings = column->values;
	GpuAggDictionaryText text = {0};
	int64	   *values;

	if (encode_column(job, dictionary, column, nrows, error) != GPUAGG_OK ||
		stripe_ops(job)->dictionary_read(dictionary, &text, error) != GPUAGG_OK ||
		!read_places(job, reg, &text, error))
		return error->status;
	values = (int64 *) column->values;
	for (uint32 i = 0; i < nrows; i++)
	{
		if (column->states[i] != GPUAGG_ST_VALUE)
			continue;
		if (values[i] >= text.entries)
			return place_missing(job, error);
		values[i] = place_of(&text, strings[i]);
	}
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_encoding_rows(const GpuAggWorkerJob *job, GpuAggRowColumn *columns,
					 uint32 nrows, GpuAggError *error)
{
	const GpuAggProgram *p = job->program;
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *trans = gpuagg_program_transitions(p);

	if (job->encoding == NULL || nrows == 0)
		return GPUAGG_OK;
	for (uint32 i = 0; i < p->nkeys; i++, columns++)
	{
		GpuAggStatus status;

		if (!is_coded(job, keys[i].reg))
			continue;
		status = encode_column(job, job->encoding->dictionaries[keys[i].reg],
							   columns, nrows, error);
		if (status != GPUAGG_OK)
			return status;
	}
	for (uint32 i = 0; i < p->ntransitions; i++)
	{
		if (gpuagg_decode_is_place(&job->encoding->groups, i))
		{
			GpuAggStatus status = place_column(job, trans[i].arg, columns, nrows, error);

			if (status != GPUAGG_OK)
				return status;
		}
		/* count(), which looks at the states only */
		else if (trans[i].arg != GPUAGG_NO_REG && is_coded(job, trans[i].arg))
			columns->values = palloc0(nrows * sizeof(int64));
		columns += trans[i].arg != GPUAGG_NO_REG;
		columns += trans[i].filter != GPUAGG_NO_REG;
	}
	return GPUAGG_OK;
}

/* -------------------------------------------------------------- results --- */

/* The strings that codes stand for by now; false with the reason */
static bool
read_texts(struct GpuAggJobEncoding *e, const GpuAggWorkerJob *job,
		   GpuAggError *error)
{
	for (uint32 r = 0; r < e->nregs; r++)
		if (e->dictionaries[r] != NULL &&
			(stripe_ops(job)->dictionary_read(e->dictionaries[r], &e->texts[r],
											  error) != GPUAGG_OK ||
			 (e->place_tables[r] != NULL && !read_places(job, r, &e->texts[r], error))))
			return false;
	return true;
}

/* A message with room for so many more bytes behind `used` of them */
static GpuAggMsg *
message_room(GpuAggMsg *msg, Size *size, Size used, Size more)
{
	if (used + more <= *size)
		return msg;
	*size = Max(2 * *size, used + more);
	return repalloc_huge(msg, sizeof(GpuAggMsg) + *size);
}

GpuAggMsg *
gpuagg_encoding_results(GpuAggWorkerJob *job, const char *groups, uint32 n,
						Size *bytes, GpuAggError *error)
{
	struct GpuAggJobEncoding *e = job->encoding;
	const GpuAggEncoding *form = job->regrouped ? &e->regrouped : &e->groups;
	Size		size = (Size) n * form->from_layout.row_bytes;
	GpuAggMsg  *msg;

	if (!read_texts(e, job, error))
		return NULL;
	msg = MemoryContextAllocHuge(job->context, sizeof(GpuAggMsg) + size);
	*bytes = 0;
	for (uint32 i = 0; i < n; i++)
	{
		uint64		one;

		if (i % FETCH_GROUPS == 0)
			gpuagg_decode_fetch(form, groups, Min(FETCH_GROUPS, n - i));
		one = gpuagg_decode_bytes(form, groups);
		if (one == 0)
		{
			error->status = GPUAGG_DEVICE_FAULT;
			strlcpy(error->message, "the device returned a string's code that there is none of",
					sizeof(error->message));
			pfree(msg);
			return NULL;
		}
		msg = message_room(msg, &size, *bytes, one);
		gpuagg_decode_group(form, groups, groups + form->to_layout.row_bytes,
							(char *) (msg + 1) + *bytes);
		groups += gpuagg_group_bytes(form->to, &form->to_layout, groups);
		*bytes += one;
	}
	return msg;
}
