/*
 * job_called.c
 *		Jobs whose clients compute what only PostgreSQL can of strings (job_called.h).
 *
 * Several clients may compute the same values at once: those that come first are kept, and they
 * are the same in any case, for the expression is immutable.
 */
#include "postgres.h"

#include "device/ops/code_table.h"
#include "utils/memutils.h"
#include "worker/job_called.h"

/* Strings of a message at most, and their bytes, but for one that is longer */
#define STRINGS 4096
#define STRING_BYTES (256 * 1024)

struct GpuAggJobCalled
{
	GpuAggDictionary *dictionary;
	GpuAggMade *table;
	bool		asked;			/* once at least */
};

static const GpuAggStripeOps *
stripe_ops(const GpuAggWorkerJob *job)
{
	return job->on->ops->stripes;
}

bool
gpuagg_job_called_wish_ok(const GpuAggWorkerJob *job)
{
	const GpuAggProgram *p = job->program;
	const GpuAggInstr *ins;

	if (!job->called_wish)
		return true;
	if (p->nkeys != 1 || p->ntransitions > 0 || p->ncolumns != 1 ||
		p->filter_reg != GPUAGG_NO_REG || job->several || job->config.make.nkeys > 0)
		return false;
	ins = gpuagg_instr_of(p, gpuagg_program_keys(p)[0].reg);
	return ins != NULL && gpuagg_is_called(ins) && ins->a == 0;
}

void
gpuagg_job_called_begin(GpuAggWorkerJob *job, GpuAggDictionary *const *dictionaries)
{
	const GpuAggCodeExpression e = {.reg = gpuagg_program_keys(job->program)[0].reg,.column = 0};
	GpuAggProgram *expression;
	GpuAggMade *table;
	GpuAggError error;
	GpuAggStatus status;

	if (stripe_ops(job)->code_table == NULL || dictionaries[0] == NULL)
		return;
	expression = MemoryContextAllocHuge(job->context, gpuagg_code_tables_room(job->program));
	gpuagg_code_table_program(job->program, &e, expression);
	status = stripe_ops(job)->code_table(dictionaries[0], expression, &table, &error);
	pfree(expression);
	if (status != GPUAGG_OK)
	{
		gpuagg_job_fail(job, &error);
		return;
	}
	job->called = MemoryContextAlloc(job->context, sizeof(struct GpuAggJobCalled));
	job->called->dictionary = dictionaries[0];
	job->called->table = table;
	job->called->asked = false;
}

/* How many strings from `first` on one message takes, so many at most */
static uint32
strings_fit(const GpuAggDictionaryText *text, uint64 first, uint32 most)
{
	uint64		n = 0;

	while (n < Min(most, STRINGS) && first + n < text->entries &&
		   (n == 0 || text->starts[first + n + 1] - text->starts[first] <= STRING_BYTES))
		n++;
	return n;
}

void
gpuagg_job_called_ask(GpuAggWorkerJob *job, const GpuAggMsg *msg)
{
	GpuAggError error = {0};
	GpuAggDictionaryText text;
	GpuAggStringsMsg *reply;
	Size		lengths;
	Size		bytes;
	uint64		first;
	uint32		n;

	if (job->called == NULL)
	{
		gpuagg_job_fail_with(job, GPUAGG_UNSUPPORTED, "the column's strings are not kept");
		return;
	}
	if (job->called->asked && !dlist_is_empty(&job->replies))
	{
		gpuagg_job_fail_with(job, GPUAGG_REFUSED, "asked again before the answer was taken");
		return;
	}
	job->called->asked = true;
	if (stripe_ops(job)->dictionary_read(job->called->dictionary, &text, &error) != GPUAGG_OK)
	{
		gpuagg_job_fail(job, &error);
		return;
	}
	/* others may have given some of those meanwhile */
	first = stripe_ops(job)->code_table_given(job->called->table);
	first = msg->batch_id == GPUAGG_ASK_MISSING ? first : Max(first, msg->batch_id);
	first = Min(first, text.entries);
	n = strings_fit(&text, first, msg->count);
	lengths = GPUAGG_ALIGN8(n * sizeof(uint32));
	bytes = n == 0 ? 0 : text.starts[first + n] - text.starts[first];
	reply = MemoryContextAllocZero(job->context, sizeof(*reply) + lengths + GPUAGG_ALIGN8(bytes));
	reply->msg.type = GPUAGG_MSG_STRINGS;
	reply->msg.count = n;
	reply->msg.batch_id = first;
	reply->total = text.entries;
	for (uint32 i = 0; i < n; i++)
		((uint32 *) (reply + 1))[i] = text.starts[first + i + 1] - text.starts[first + i];
	if (bytes > 0)
		memcpy((char *) (reply + 1) + lengths, text.bytes + text.starts[first], bytes);
	gpuagg_job_reply(job, reply, sizeof(*reply) + lengths + GPUAGG_ALIGN8(bytes));
	pfree(reply);
}

/* Integers that the instruction can answer */
static bool
are_in_range(const GpuAggWorkerJob *job, const GpuAggRowColumn *values, uint32 n)
{
	const GpuAggInstr *ins = gpuagg_instr_of(job->program,
											 gpuagg_program_keys(job->program)[0].reg);
	const int64 *v = values->values;
	int64		low = PG_INT64_MIN;
	int64		high = PG_INT64_MAX;

	if (ins->op == GPUAGG_OP_CALLED_BOOL)
	{
		low = 0;
		high = 1;
	}
	else if (ins->op == GPUAGG_OP_CALLED_INT4)
	{
		low = PG_INT32_MIN;
		high = PG_INT32_MAX;
	}
	else
		return true;
	for (uint32 i = 0; i < n; i++)
		if (values->states[i] == GPUAGG_ST_VALUE && (v[i] < low || v[i] > high))
			return false;
	return true;
}

void
gpuagg_job_called_take(GpuAggWorkerJob *job, uint64 first, const GpuAggRowColumn *values, uint32 n)
{
	const uint32 cls = gpuagg_program_classes(job->program)
		[gpuagg_program_keys(job->program)[0].reg];
	const Size	width = cls == GPUAGG_CLASS_BYTES ? sizeof(GpuAggBytes) : sizeof(int64);
	GpuAggRowColumn rest = *values;
	GpuAggError error = {0};
	GpuAggDictionaryInfo info;
	uint64		given;
	uint64		known;

	if (job->called == NULL)
		return;
	stripe_ops(job)->dictionary_info(job->called->dictionary, &info);
	given = stripe_ops(job)->code_table_given(job->called->table);
	known = given > first ? Min(given - first, n) : 0;
	rest.states += known;
	rest.values = (const char *) rest.values + known * width;
	if (first > given || first > info.entries || n > info.entries - first ||
		!are_in_range(job, values, n))
		gpuagg_job_fail_with(job, GPUAGG_REFUSED, "values of no strings, or out of order");
	else if (known < n &&
			 stripe_ops(job)->code_table_give(job->called->table, &rest, n - known,
											  &error) != GPUAGG_OK)
		gpuagg_job_fail(job, &error);
}

void
gpuagg_job_called_leave(GpuAggWorkerJob *job)
{
	if (job->called != NULL)
		stripe_ops(job)->code_table_leave(job->called->table);
	job->called = NULL;
}
