/*
 * host_results.c
 *		Groups of a finished task, written out one after the other.
 *
 * Rows go out as they lie in the tables, but pointers to long strings are
 * cleared and the strings' bytes follow the row: those of keys, then those
 * of states, without gaps, the whole padded to 8 bytes.
 */
#include <stdio.h>

#include "device/ops/group.h"
#include "host/host_fault.h"
#include "host/host_task.h"

const GpuAggTable *
gpuagg_host_group_table(GpuAggTask *task, uint32_t i)
{
	GpuAggPartition *partitions = gpuagg_partitions(&task->groups.partitions);

	if (partitions != NULL)
		return &partitions[i].table;
	return task->scanners[i] != NULL ? &task->scanners[i]->grouper->local : NULL;
}

uint32_t
gpuagg_host_group_tables(GpuAggTask *task)
{
	if (task->prepared->program->select || task->make.nkeys > 0)
		return 0;
	if (gpuagg_partitions(&task->groups.partitions) != NULL)
		return 1u << task->groups.partitions.bits;
	return (uint32_t) task->device->threads;
}

static uint32_t
set_tables(GpuAggTask *task, uint32_t set)
{
	return task->regroup->sets[set].copied ? gpuagg_host_group_tables(task) :
		gpuagg_host_regroup_tables(task->regroup, set);
}

/* The set that a table of results is of; *i becomes its number there. */
static uint32_t
set_of_table(GpuAggTask *task, uint32_t *i)
{
	uint32_t	set = 0;

	while (*i >= set_tables(task, set))
		*i -= set_tables(task, set++);
	return set;
}

const GpuAggTable *
gpuagg_host_result_table(GpuAggTask *task, uint32_t i)
{
	uint32_t	set;

	if (task->regroup == NULL)
		return gpuagg_host_group_table(task, i);
	set = set_of_table(task, &i);
	return task->regroup->sets[set].copied ? gpuagg_host_group_table(task, i) :
		gpuagg_host_regroup_result(task->regroup, set, i);
}

uint32_t
gpuagg_host_result_tables(GpuAggTask *task)
{
	uint32_t	n = 0;

	if (task->regroup == NULL)
		return gpuagg_host_group_tables(task);
	for (uint32_t set = 0; set < gpuagg_regrouping_returned(&task->regroup->wish); set++)
		n += set_tables(task, set);
	return n;
}

const GpuAggRegroupingPlan *
gpuagg_host_result_plan(GpuAggTask *task, uint32_t i)
{
	const GpuAggRegroupedSet *set;

	if (task->regroup == NULL)
		return NULL;
	set = &task->regroup->sets[set_of_table(task, &i)];
	return set->copied ? &set->plan : NULL;
}

const GpuAggPrepared *
gpuagg_host_result_rows(const GpuAggTask *task)
{
	return task->regroup != NULL ? task->regroup->prepared : task->prepared;
}

uint64_t
gpuagg_host_task_groups(GpuAggTask *task)
{
	uint64_t	groups = 0;

	for (uint32_t i = 0; i < gpuagg_host_group_tables(task); i++)
		if (gpuagg_host_group_table(task, i) != NULL)
			groups += gpuagg_host_group_table(task, i)->nrows;
	return groups;
}

/* The offsets of a row's slots that may point at long strings. */
static uint32_t
string_slots(const GpuAggPrepared *s, uint32_t *offsets)
{
	const GpuAggKey *keys = gpuagg_program_keys(s->program);
	const GpuAggTransition *trans = gpuagg_program_transitions(s->program);
	uint32_t	n = 0;

	for (uint32_t i = 0; i < s->layout.nkeys; i++)
		if (gpuagg_key_is_string(keys[i].type))
			offsets[n++] = s->layout.key_off[i];
	for (uint32_t i = 0; i < s->layout.ntransitions; i++)
		if (gpuagg_transition_is_string(trans[i].op))
			offsets[n++] = s->layout.state_off[i];
	return n;
}

static void
write_group(char *to, const char *row, size_t row_bytes, size_t bytes,
			const uint32_t *slots, uint32_t nslots)
{
	char	   *end = to + row_bytes;

	memcpy(to, row, row_bytes);
	for (uint32_t i = 0; i < nslots; i++)
	{
		GpuAggBytes b = gpuagg_string_slot_bytes(row + slots[i]);

		if (!gpuagg_string_slot_is_long(row + slots[i]))
			continue;
		memset(to + slots[i] + offsetof(GpuAggStringSlot, u), 0, sizeof(b.data));
		memcpy(end, b.data, b.len);
		end += b.len;
	}
	memset(end, 0, (size_t) (to + bytes - end));
}

/* A row of a table of results, as it is or as another is made of it */
static const char *
result_row(GpuAggTask *task, uint32_t table, const GpuAggTable *t, uint32_t row)
{
	const GpuAggRegroupingPlan *plan = gpuagg_host_result_plan(task, table);

	if (plan == NULL)
		return gpuagg_table_row(t, row);
	gpuagg_regrouping_row(plan, gpuagg_table_row(t, row), task->regroup->made);
	return task->regroup->made;
}

/* The next group that is wanted, from where task_results is; NULL: no more */
static const char *
wanted_row(GpuAggTask *task)
{
	const GpuAggHostAnswer *a = &task->answer;
	const uint32_t ntables = gpuagg_host_result_tables(task);

	if (a->plan.first > 0 && a->plan.nwords == 0 && task->returned == a->plan.first)
		return NULL;
	for (; task->result_table < ntables; task->result_table++, task->result_row = 0)
	{
		const GpuAggTable *t = gpuagg_host_result_table(task, task->result_table);

		for (; t != NULL && task->result_row < t->nrows; task->result_row++)
		{
			const char *row = result_row(task, task->result_table, t, task->result_row);

			if (gpuagg_host_answer_wants(a, row, gpuagg_host_position(task->result_table,
																	  task->result_row)))
				return row;
		}
	}
	return NULL;
}

/* Positions of the only groups wanted, and how many; NULL: they are not listed */
static const uint64_t *
listed(const GpuAggTask *task, uint64_t *n)
{
	*n = task->ordered.positions != NULL ? task->ordered.npositions : task->answer.npositions;
	return task->ordered.positions != NULL ? task->ordered.positions : task->answer.positions;
}

/* The next group that is wanted, where these are listed; NULL: no more */
static const char *
listed_row(GpuAggTask *task)
{
	uint64_t	n;
	const uint64_t *positions = listed(task, &n);
	uint64_t	position;

	if (task->returned == n)
		return NULL;
	position = positions[task->returned];
	return result_row(task, (uint32_t) (position >> 32),
					  gpuagg_host_result_table(task, (uint32_t) (position >> 32)),
					  (uint32_t) position);
}

/* A stretch of a table's rows, as they are or as others are made of them */
static void
copy_rows(const GpuAggRegroupingPlan *plan, const GpuAggTable *t, uint32_t first, uint32_t n,
		  size_t row_bytes, char *to)
{
	if (plan == NULL)
	{
		memcpy(to, gpuagg_table_row(t, first), n * row_bytes);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		gpuagg_regrouping_row(plan, gpuagg_table_row(t, first + i), to + i * row_bytes);
}

/*
 * All groups as they lie in the tables, as many as there is room for: rows without
 * strings, a stretch of them at a time.
 */
static uint32_t
copy_stretches(GpuAggTask *task, char *buffer, size_t size)
{
	const size_t row_bytes = gpuagg_host_result_rows(task)->layout.row_bytes;
	const uint32_t ntables = gpuagg_host_result_tables(task);
	const uint32_t room = (uint32_t) (size / row_bytes);
	uint32_t	n = 0;

	for (; task->result_table < ntables; task->result_table++, task->result_row = 0)
	{
		const GpuAggTable *t = gpuagg_host_result_table(task, task->result_table);
		const GpuAggRegroupingPlan *plan = gpuagg_host_result_plan(task, task->result_table);

		while (t != NULL && task->result_row < t->nrows)
		{
			uint32_t	rows = gpuagg_table_stretch(t, task->result_row);

			if (n == room)
				return n;
			rows = rows < room - n ? rows : room - n;
			copy_rows(plan, t, task->result_row, rows, row_bytes, buffer + n * row_bytes);
			task->result_row += rows;
			n += rows;
		}
	}
	return n;
}

uint32_t
gpuagg_host_task_results(GpuAggTask *task, char *buffer, size_t size,
						 size_t *used, GpuAggError *error)
{
	const GpuAggPrepared *rows = gpuagg_host_result_rows(task);
	const size_t row_bytes = rows->layout.row_bytes;
	uint32_t	slots[GPUAGG_MAX_KEYS + GPUAGG_MAX_TRANSITIONS];
	uint32_t	nslots = string_slots(rows, slots);
	uint64_t	nlisted;
	const bool	is_listed = listed(task, &nlisted) != NULL;
	const char *row;
	uint32_t	n = 0;

	memset(error, 0, sizeof(*error));
	*used = 0;
	if (task->fault == GPUAGG_FAULT_RESULTS)
	{
		gpuagg_host_injected("results", error);
		return 0;
	}
	if (task->stage != GPUAGG_TASK_RESULTS)
		return 0;
	if (nslots == 0 && !is_listed && task->answer.plan.first == 0 &&
		task->answer.plan.nterms == 0 && size >= row_bytes)
	{
		n = copy_stretches(task, buffer, size);
		*used = n * row_bytes;
		task->returned += n;
		return n;
	}
	while ((row = is_listed ? listed_row(task) : wanted_row(task)) != NULL)
	{
		size_t		bytes = row_bytes;

		if (nslots > 0)
			bytes = gpuagg_group_bytes(rows->program, &rows->layout, row);
		if (bytes > size - *used)
		{
			if (n > 0)
				return n;
			error->status = GPUAGG_OUT_OF_MEMORY;
			snprintf(error->message, sizeof(error->message),
					 "a group of %zu bytes does not fit the result buffer", bytes);
			*used = bytes;
			return 0;
		}
		write_group(buffer + *used, row, row_bytes, bytes, slots, nslots);
		*used += bytes;
		task->result_row++;
		task->returned++;
		n++;
	}
	return n;
}
