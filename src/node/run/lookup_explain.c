/*
 * lookup_explain.c
 *		EXPLAIN of joins below the grouping (lookup_explain.h).
 *
 * What there is to tell of an input is gathered once; the text format makes a line of it, the
 * others an object.
 */
#include "postgres.h"

#include "compat.h"
#include GPUAGG_EXPLAIN_HEADER
#include "node/run/lookup_explain.h"

typedef struct Shown
{
	const char *join;
	bool		made;			/* has a run made the table? */
	const GpuAggLookupShown *table;
	bool		probed;			/* has one looked rows up? */
	uint64		probes;
	bool		filters;
	uint64		left;			/* rows, if it filters */
	double		predicted_ms;
	double		measured_ms;
} Shown;

static const char *
join_word(const GpuAggLookupPlan *plan)
{
	if (plan->subquery > 0)
		return "subquery";
	if (plan->helps > 0)
		return "numbers of a key";
	if (plan->values_of > 0)
		return "values of strings";
	switch (plan->join)
	{
		case JOIN_INNER:
			return "inner";
		case JOIN_LEFT:
			return "left";
		case JOIN_SEMI:
			return "semi";
		default:
			return "anti";
	}
}

static const char *
kind_word(const GpuAggLookupShown *table)
{
	return table->kind == GPUAGG_LOOKUP_DIRECT ? "direct" : "hash";
}

static Shown
gather(const GpuAggScan *node, int i, const ExplainState *es)
{
	const GpuAggLookupPlan *plan = &node->info->lookups[i];
	const GpuAggProbed *probed = &node->counters.tally.probed;
	Shown		shown = {.join = join_word(plan)};

	shown.table = gpuagg_lookups_shown(node->lookups, i);
	shown.made = es->analyze && shown.table != NULL;
	shown.predicted_ms = plan->expected.make_ns / 1e6;
	if (!shown.made)
		return shown;
	shown.measured_ms = INSTR_TIME_GET_MILLISEC(shown.table->took);
	shown.probed = probed->tasks > 0 && probed->probes.stage[i] != GPUAGG_STAGE_NONE;
	shown.probes = probed->probed[i];
	shown.filters = plan->helps == 0 && plan->values_of == 0 &&
		gpuagg_probes_filter(&probed->probes, i);
	shown.left = probed->left[i];
	return shown;
}

/* Everybody sees rows; VERBOSE the rest */
static char *
text_of(const Shown *shown, const ExplainState *es)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, shown->join);
	if (!shown->made)
		return text.data;
	appendStringInfo(&text, " (" UINT64_FORMAT " rows%s", shown->table->rows,
					 shown->table->on_device ? " from kept columns" : "");
	if (es->verbose && shown->table->before)
		appendStringInfoString(&text, ", made before");
	if (shown->table->windows > 1)
		appendStringInfo(&text, " in %d windows", shown->table->windows);
	if (es->verbose)
		appendStringInfo(&text, ", %s%s, " UINT64_FORMAT " bytes", kind_word(shown->table),
						 shown->table->filter ? " behind a filter" : "", shown->table->bytes);
	if (es->verbose && shown->probed)
		appendStringInfo(&text, ", " UINT64_FORMAT " probes", shown->probes);
	if (es->verbose && shown->probed && shown->filters)
		appendStringInfo(&text, ", " UINT64_FORMAT " left", shown->left);
	if (es->verbose && es->timing && es->costs)
		appendStringInfo(&text, ", %.3f ms predicted", shown->predicted_ms);
	if (es->verbose && es->timing)
		appendStringInfo(&text, ", %.3f ms", shown->measured_ms);
	appendStringInfoChar(&text, ')');
	return text.data;
}

static void
explain_object(const Shown *shown, ExplainState *es)
{
	ExplainOpenGroup("Look-up Join", NULL, true, es);
	ExplainPropertyText("Join Type", shown->join, es);
	if (es->costs)
		ExplainPropertyFloat("Predicted Time", "ms", shown->predicted_ms, 3, es);
	if (shown->made)
	{
		ExplainPropertyUInteger("Rows", NULL, shown->table->rows, es);
		ExplainPropertyUInteger("Bytes", NULL, shown->table->bytes, es);
		ExplainPropertyText("Table", kind_word(shown->table), es);
		if (shown->table->filter)
			ExplainPropertyBool("Filter", true, es);
		ExplainPropertyBool("From Kept Columns", shown->table->on_device, es);
		ExplainPropertyBool("Made Before", shown->table->before, es);
		ExplainPropertyInteger("Windows", NULL, shown->table->windows, es);
		if (es->timing)
			ExplainPropertyFloat("Measured Time", "ms", shown->measured_ms, 3, es);
	}
	if (shown->probed)
		ExplainPropertyUInteger("Probes", NULL, shown->probes, es);
	if (shown->probed && shown->filters)
		ExplainPropertyUInteger("Rows Left", NULL, shown->left, es);
	ExplainCloseGroup("Look-up Join", NULL, true, es);
}

/* In the order of the children, whichever is looked up first */
void
gpuagg_lookups_explain(const GpuAggScan *node, ExplainState *es)
{
	const int	n = node->info->nlookups;
	List	   *texts = NIL;

	if (es->format != EXPLAIN_FORMAT_TEXT)
		ExplainOpenGroup("Look-up Joins", "Look-up Joins", false, es);
	for (int i = 0; i < n; i++)
	{
		const Shown shown = gather(node, i, es);

		if (es->format != EXPLAIN_FORMAT_TEXT)
			explain_object(&shown, es);
		else
			texts = lappend(texts, text_of(&shown, es));
	}
	if (es->format != EXPLAIN_FORMAT_TEXT)
		ExplainCloseGroup("Look-up Joins", "Look-up Joins", false, es);
	else
		ExplainPropertyList("Look-up Joins", texts, es);
}
