/*
 * scoped.cu
 *		Scoped grouping, its host side: memory, the order of launches, and what
 *		is done when a table or the room for groups is full.
 *
 * Every launch draws its work from a counter on the device, which stays from
 * launch to launch.  A launch that finds the table full stops drawing; rows
 * and groups that it could not place lie in lists.  Then the table grows, the
 * lists are worked off, and the launch goes on where it stopped.
 */
#include <stdlib.h>

#include "cuda/scoped_run.h"

/* ---------- beginning ---------- */

/* A column that a program reads: where it can be NULL */
static void
note_nullable(const GpuAggProgram *p, const GpuAggColumns *columns, uint8_t *nullable)
{
	const GpuAggConst *consts = gpuagg_program_consts(p);

	/* what is computed may always be NULL; errors never get this far */
	memset(nullable, 1, p->nregs);
	for (uint32_t i = 0; i < p->ncolumns; i++)
		nullable[i] = columns->columns[i].nulls != NULL;
	for (uint32_t i = 0; i < p->nconsts; i++)
		nullable[p->ncolumns + i] = consts[i].state != GPUAGG_ST_VALUE;
}

/* Nothing to compute, to leave out or to refuse: columns are the fields. */
static bool
is_direct(const GpuAggScoped *s)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(s->program);

	if (s->record.has_head || s->program->filter_reg != GPUAGG_NO_REG)
		return false;
	for (uint32_t i = 0; i < s->record.nfields; i++)
		if (s->record.fields[i].reg >= s->program->ncolumns)
			return false;
	for (uint32_t i = 0; i < s->program->ntransitions; i++)
		if (trans[i].op == GPUAGG_TRANS_SUM_F64_AVG)
			return false;
	return true;
}

static bool
take_columns(GpuAggScoped *s, const GpuAggColumns *columns)
{
	s->columns.n = columns->n;
	for (uint32_t i = 0; i < s->program->ncolumns; i++)
	{
		const GpuAggColumn *from = &columns->columns[i];
		GpuAggPackColumn *to = &s->columns.columns[i];

		if (gpuagg_key_class(from->type) == GPUAGG_CLASS_BYTES)
			return false;
		to->nulls = from->nulls;
		to->values.base = (const char *) from->values;
		to->values.bytes = (uint8_t) gpuagg_type_slot_bytes(from->type);
		to->values.step = to->values.bytes;
	}
	return true;
}

GpuAggScoped *
gpuagg_scoped_make(const GpuAggScopedConfig *config, const GpuAggPlan *plan,
				   const GpuAggScopedMemory *memory, GpuAggScopedReport *report,
				   cudaStream_t stream)
{
	GpuAggScoped *s = (GpuAggScoped *) calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->config = *config;
	s->memory = *memory;
	s->report = report;
	s->stream = stream;
	s->plan = plan;
	s->program = gpuagg_cuda_program(plan);
	memset(report, 0, sizeof(*report));
	return s;
}

GpuAggStatus
gpuagg_scoped_rows(GpuAggScoped *s, const GpuAggPlan *device_plan, const uint8_t *nullable,
				   GpuAggError *error)
{
	if (!gpuagg_record_compute(s->program, nullable, &s->record))
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "rows have no records");
	gpuagg_cuda_scoped_args(s->plan, s->program, &s->record, &s->args);
	s->args.plan = device_plan;
	s->args.table.scope = s->plan->scope;
	s->key = gpuagg_cuda_scoped_key(s->program, &s->record);
	s->direct = !s->chunks && is_direct(s);
	s->device = (GpuAggScopedReport *) gpuagg_scoped_take(s, sizeof(*s->device), error);
	if (s->device == NULL)
		return error->status;
	s->args.head = &s->device->head;
	SCOPED_CHECK(cudaMemsetAsync(s->device, 0, sizeof(*s->device), s->stream));
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_cuda_scoped_begin(const GpuAggScopedConfig *config, const GpuAggPlan *plan,
						 const GpuAggPlan *device_plan, const GpuAggColumns *columns,
						 const GpuAggScopedMemory *memory, GpuAggScopedReport *report,
						 cudaStream_t stream, GpuAggScoped **scoped, GpuAggError *error)
{
	uint8_t		nullable[GPUAGG_MAX_REGS];
	GpuAggScoped *s = gpuagg_scoped_make(config, plan, memory, report, stream);

	*scoped = s;
	if (s == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	if (s->program->ncolumns > GPUAGG_PACK_COLUMNS || !take_columns(s, columns))
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "strings, or too many columns");
	note_nullable(s->program, columns, nullable);
	return gpuagg_scoped_rows(s, device_plan, nullable, error);
}

/* ---------- going on ---------- */

/* The table was full: a larger one, and the lists again */
static GpuAggStatus
retry(GpuAggScoped *s, GpuAggError *error)
{
	GpuAggScopedHead *head = &s->report->head;
	const uint64_t nwaiting = head->nwaiting;
	const uint64_t nspilled = head->nspilled;
	uint64_t   *rows = s->args.waiting;
	char	   *groups = s->args.spilled;
	GpuAggStatus status = gpuagg_scoped_grow(s, nwaiting + nspilled + s->max_spilled, error);

	head->stop = 0;
	head->nwaiting = 0;
	head->nspilled = 0;
	if (status == GPUAGG_OK)
		status = gpuagg_scoped_put(s, error);
	if (status != GPUAGG_OK || nwaiting + nspilled == 0)
		return status;
	s->args.waiting = (uint64_t *) gpuagg_scoped_take(s, s->max_waiting * 8, error);
	s->args.spilled = (char *) gpuagg_scoped_take(s, s->max_spilled * s->args.row_bytes, error);
	if (s->args.waiting == NULL || s->args.spilled == NULL)
		return error->status;
	s->retrying = true;
	SCOPED_CHECK(gpuagg_cuda_scoped_waiting(&s->args, rows, nwaiting, groups, nspilled, s->config.sms,
									 s->stream));
	gpuagg_scoped_give(s, rows);
	if (groups != NULL)
		gpuagg_scoped_give(s, groups);
	return gpuagg_scoped_ask(s, error);
}

/* No room for groups: more of it, and on */
static GpuAggStatus
next_piece(GpuAggScoped *s, GpuAggError *error)
{
	GpuAggScopedHead *head = &s->report->head;
	GpuAggStatus status;

	s->pieces[s->npieces - 1].groups = head->groups;
	head->full = 0;
	head->groups = 0;
	status = gpuagg_scoped_add_piece(s, 2.0 * s->pieces[s->npieces - 1].capacity, error);
	if (status == GPUAGG_OK)
		status = gpuagg_scoped_put(s, error);
	return status == GPUAGG_OK ? gpuagg_scoped_launch(s, error) : status;
}

static GpuAggStatus
next_window(GpuAggScoped *s, GpuAggError *error)
{
	GpuAggStatus status;

	if (s->kept != NULL && s->window == 0)
		gpuagg_cuda_scoped_records(&s->record, s->kept, s->report->head.npacked, &s->args);
	s->window++;
	s->report->head.tile = 0;
	status = gpuagg_scoped_put(s, error);
	return status == GPUAGG_OK ? gpuagg_scoped_launch(s, error) : status;
}

/* The launch has come to its end. */
static GpuAggStatus
main_done(GpuAggScoped *s, GpuAggError *error)
{
	GpuAggScopedHead *head = &s->report->head;
	GpuAggStatus status;

	if (s->config.strategy == GPUAGG_SCOPED_SINGLE && s->window + 1 < (uint64_t) 1 << s->windows.log2)
		return next_window(s, error);
	if (s->config.strategy == GPUAGG_SCOPED_PARTITIONED && s->phase == GPUAGG_SCOPED_PHASE_MAIN)
	{
		s->pieces[s->npieces - 1].groups = head->groups;
		if (head->full)
			return next_piece(s, error);
		if (head->nbig > 0)
		{
			s->phase = GPUAGG_SCOPED_PHASE_BIG;
			head->tile = 0;
			status = gpuagg_scoped_put(s, error);
			return status == GPUAGG_OK ? gpuagg_scoped_launch(s, error) : status;
		}
	}
	s->phase = GPUAGG_SCOPED_PHASE_DONE;
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_cuda_scoped_step(GpuAggScoped *s, GpuAggError *error)
{
	const GpuAggScopedHead *head = &s->report->head;
	GpuAggStatus status;

	if (head->errors != 0)
	{
		gpuagg_cuda_error(error, GPUAGG_VALUE_ERROR, "a value's error was consumed");
		error->detail = head->errors;
		return GPUAGG_VALUE_ERROR;
	}
	switch (s->phase)
	{
		case GPUAGG_SCOPED_PHASE_BEGIN:
			if (s->chunks)
				return gpuagg_scoped_chunks_end(s, error);
			if (!s->direct)
				return gpuagg_scoped_launch_pack(s, error);
			gpuagg_scoped_read_columns(s);
			return gpuagg_scoped_start(s, error);
		case GPUAGG_SCOPED_PHASE_PACKED:
			s->args.n = head->npacked;
			return gpuagg_scoped_start(s, error);
		case GPUAGG_SCOPED_PHASE_DONE:
			return GPUAGG_OK;
		default:
			break;
	}
	if (head->nwaiting + head->nspilled > 0 || head->stop)
	{
		status = retry(s, error);
		return status == GPUAGG_OK ? gpuagg_scoped_launch(s, error) : status;
	}
	if (s->retrying)
	{
		s->retrying = false;
		return gpuagg_scoped_launch(s, error);
	}
	return main_done(s, error);
}

/* ---------- results and end ---------- */

const GpuAggScopedPiece *
gpuagg_cuda_scoped_pieces(const GpuAggScoped *s, uint32_t *n)
{
	*n = s->npieces;
	return s->pieces;
}

const GpuAggTableRef *
gpuagg_cuda_scoped_table(const GpuAggScoped *s)
{
	return &s->args.table;
}

uint64_t
gpuagg_cuda_scoped_misses(const GpuAggScoped *s)
{
	return s->report->head.misses;
}

void
gpuagg_cuda_scoped_end(GpuAggScoped *s)
{
	if (s == NULL)
		return;
	while (s->nowned > 0)
		gpuagg_scoped_give(s, s->owned[s->nowned - 1].p);
	free(s);
}
