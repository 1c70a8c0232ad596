/*
 * explain.c
 *		EXPLAIN of GpuAgg and GpuSample nodes, in all formats.
 *
 * Of GpuAgg PostgreSQL itself prints HAVING as the node's Filter, of GpuSample
 * the table and the conditions that it evaluates, of both the fallback plan
 * as a child if it ran, and buffer counts.  Here come the sample; of GpuAgg
 * the table, the group keys and WHERE (as "Row Filter"); of GpuSample the
 * conditions that the device evaluates; and with ANALYZE what the device did.
 *
 * That is at most five lines of the text format, one of them with ANALYZE: where the
 * rows were grouped, or why not.  All else is for VERBOSE, and for formats that
 * programs read.
 *
 * Whatever depends on the machine (device, strategy, memory, times) appears
 * only with TIMING, and the device that is asked for only with COSTS, so that
 * EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) prints the same
 * everywhere.  Counts and times are sums over all runs
 * of the node.
 */
#include "postgres.h"

#include "compat.h"
#include "node/called/called.h"
#include "node/run/explain.h"
#include "node/run/lookup_explain.h"
#include "node/run/planned_explain.h"
#include "node/run/tables.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "settings.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

/* More than the five lines that everybody sees? */
static bool
explain_whole(const ExplainState *es)
{
	return es->verbose || es->format != EXPLAIN_FORMAT_TEXT;
}

/* ---------------------------------------------------------------- plan --- */

static void
explain_relation(const GpuAggScan *node, ExplainState *es)
{
	CustomScan *plan = castNode(CustomScan, node->css.ss.ps.plan);
	int			rti = bms_singleton_member(plan->custom_relids);
	char	   *schema = get_namespace_name_or_temp(get_rel_namespace(node->relid));
	char	   *relname = get_rel_name(node->relid);
	char	   *alias = list_nth(es->rtable_names, rti - 1);
	StringInfoData text;

	if (alias == NULL)
		alias = rt_fetch(rti, es->rtable)->eref->aliasname;
	if (es->format != EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyText("Relation Name", relname, es);
		if (es->verbose)
			ExplainPropertyText("Schema", schema, es);
		ExplainPropertyText("Alias", alias, es);
		return;
	}
	initStringInfo(&text);
	if (es->verbose)
		appendStringInfo(&text, "%s.", quote_identifier(schema));
	appendStringInfoString(&text, quote_identifier(relname));
	if (strcmp(alias, relname) != 0)
		appendStringInfo(&text, " %s", quote_identifier(alias));
	ExplainPropertyText("Relation", text.data, es);
}

/* Of all keys, those of each grouping set */
static void
explain_sets(const GpuAggPlanInfo *info, List *keys, ExplainState *es)
{
	List	   *sets = NIL;

	for (int i = 0; i < info->regroup->nsets; i++)
	{
		StringInfoData text;
		ListCell   *lc;

		initStringInfo(&text);
		foreach(lc, keys)
		{
			int			n = info->outputs[foreach_current_index(lc)].index;

			if ((info->regroup->sets[i].keys >> n & 1) != 0)
				appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "",
								 (char *) lfirst(lc));
		}
		sets = lappend(sets, psprintf("(%s)", text.data));
	}
	ExplainPropertyList("Grouping Sets", sets, es);
}

/* Of all keys of the device, those of each part */
static void
explain_parts(const GpuAggRegroup *plan, const List *keys, ExplainState *es)
{
	List	   *parts = NIL;

	for (int i = 0; i < plan->nparts; i++)
	{
		StringInfoData text;
		const ListCell *lc;

		initStringInfo(&text);
		foreach(lc, keys)
		{
			if ((plan->parts[i].inputs >> foreach_current_index(lc) & 1) != 0)
				appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "",
								 (char *) lfirst(lc));
		}
		parts = lappend(parts, psprintf("(%s)", text.data));
	}
	ExplainPropertyList("Device Group Keys", parts, es);
}

/*
 * By what the device groups, of whose groups the query's are made, and what PostgreSQL
 * computes once for each of them
 */
static void
explain_device_keys(const GpuAggScan *node, List *context, bool prefix, ExplainState *es)
{
	List	   *targets = gpuagg_plan_regroup(node->css.ss.ps.plan, node->info)->targetlist;
	List	   *keys = NIL;
	List	   *computed = NIL;
	ListCell   *lc;

	foreach(lc, targets)
	{
		char	   *text = deparse_expression((Node *) lfirst_node(TargetEntry, lc)->expr,
											  context, prefix, false);

		if (foreach_current_index(lc) < node->info->regroup->ntargets)
			keys = lappend(keys, text);
		else
			computed = lappend(computed, text);
	}
	if (node->info->regroup->parted)
		explain_parts(node->info->regroup, keys, es);
	else if (keys != NIL)
		ExplainPropertyList("Device Group Key", keys, es);
	if (explain_whole(es) && computed != NIL)
		ExplainPropertyList("Computed by Group", computed, es);
}

/* With the schema, for VERBOSE */
static char *
table_name(Relation rel)
{
	return quote_qualified_identifier(get_namespace_name_or_temp(RelationGetNamespace(rel)),
									  RelationGetRelationName(rel));
}

/*
 * The tables below what the query names; a UNION ALL has no name.  Those that pruning
 * left out while planning, and when execution began, are counted as EXPLAIN counts an
 * Append's.
 */
static void
explain_tables(const GpuAggScan *node, ExplainState *es)
{
	const GpuAggTables *t = node->tables;
	List	   *names = NIL;

	if (OidIsValid(node->relid))
		explain_relation(node, es);
	ExplainPropertyInteger("Tables", NULL, t->ntables, es);
	if (t->pruned > 0 || es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyInteger("Tables Pruned", NULL, t->pruned, es);
	if (t->removed > 0 || es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyInteger("Subplans Removed", NULL, t->removed, es);
	if (es->analyze && (explain_whole(es) || t->prune != NULL))
		ExplainPropertyUInteger("Tables Read", NULL, node->counters.tally.tables_read, es);
	if (!es->verbose)
		return;
	for (int i = 0; i < t->ntables; i++)
		names = lappend(names, table_name(t->tables[i].table.rel));
	if (names != NIL)
		ExplainPropertyList("Table Names", names, es);
}

/* Of several tables, the conditions of the first */
static List *
row_filter(const CustomScan *plan)
{
	Plan	   *rows = list_nth(plan->custom_plans, GPUAGG_PLAN_ROWS);

	if (IsA(rows, Append))
		rows = linitial(((Append *) rows)->appendplans);
	return rows->qual;
}

/* The rows come from the plan that is shown below. */
static void
explain_input(ExplainState *es)
{
	ExplainPropertyText("Input", "rows of the plan below", es);
}

static void
explain_expressions(const GpuAggScan *node, List *ancestors, ExplainState *es)
{
	CustomScan *plan = castNode(CustomScan, node->css.ss.ps.plan);
	List	   *filter = node->rows != NULL ? NIL : row_filter(plan);
	bool		prefix = gpuagg_explain_prefix(es) || es->verbose;
	List	   *context = set_deparse_context_plan(es->deparse_cxt,
												   (Plan *) plan, ancestors);
	List	   *keys = NIL;
	bool		partial = false;

	for (int i = 0; i < node->info->noutputs; i++)
	{
		TargetEntry *tle = list_nth_node(TargetEntry, plan->custom_scan_tlist,
										 i);

		if (IsA(tle->expr, Aggref))
			partial |= DO_AGGSPLIT_SKIPFINAL(((Aggref *) tle->expr)->aggsplit);
		if (!IsA(tle->expr, Aggref) && !IsA(tle->expr, GroupingFunc))
			keys = lappend(keys, deparse_expression((Node *) tle->expr,
													context, prefix, true));
	}
	if (partial)
		ExplainPropertyBool("Partial", true, es);
	if (node->info->regroup != NULL && node->info->regroup->numbered)
		explain_sets(node->info, keys, es);
	else if (keys != NIL)
		ExplainPropertyList("Group Key", keys, es);
	if (node->info->regroup != NULL)
		explain_device_keys(node, context, prefix, es);
	if (node->called != NULL && explain_whole(es))
		ExplainPropertyList("Computed by String", gpuagg_called_shown(node->called, node->rel),
							es);
	if (filter != NIL)
		ExplainPropertyText("Row Filter",
							deparse_expression((Node *) make_ands_explicit(filter),
											   context, prefix, false), es);
}

/*
 * Which groups the device returns, by as much of ORDER BY as it looks at.  A line at
 * most of what everybody sees, and none where a sample has taken its place.
 */
static void
explain_wanted(const GpuAggScan *node, List *ancestors, ExplainState *es)
{
	CustomScan *plan = castNode(CustomScan, node->css.ss.ps.plan);
	const GpuAggAnswer *a = &node->info->wanted.answer;
	List	   *context = set_deparse_context_plan(es->deparse_cxt,
												   (Plan *) plan, ancestors);
	List	   *columns = NIL;

	if (!explain_whole(es) && node->info->sample != GPUAGG_SAMPLE_NONE)
		return;
	if (a->nterms > 0 && (explain_whole(es) || !node->info->wanted.limited))
		ExplainPropertyUInteger("Device Having", NULL, a->nterms, es);
	for (int i = 0; i < a->ncolumns; i++)
	{
		TargetEntry *tle = list_nth_node(TargetEntry, plan->custom_scan_tlist,
										 node->info->wanted.outputs[i]);

		columns = lappend(columns,
						  psprintf("%s%s", deparse_expression((Node *) tle->expr, context,
															  gpuagg_explain_prefix(es) ||
															  es->verbose, true),
								   a->columns[i].descending ? " DESC" : ""));
	}
	if (columns != NIL)
		ExplainPropertyList("Device Top-N", columns, es);
	else if (node->info->wanted.limited)
		ExplainPropertyText("Device Top-N", "in any order", es);
}

/* As EXPLAIN of PostgreSQL's Sample Scan */
static void
explain_sample(const GpuAggScan *node, List *ancestors, ExplainState *es)
{
	CustomScan *plan = castNode(CustomScan, node->css.ss.ps.plan);
	static const char *const methods[GPUAGG_NSAMPLES] = {
		"none", "bernoulli", "system", "random_rows"
	};
	const char *method = methods[node->info->sample];
	List	   *context = set_deparse_context_plan(es->deparse_cxt,
												   (Plan *) plan, ancestors);
	bool		prefix = list_length(es->rtable_names) > 1;
	List	   *texts = NIL;

	if (node->info->sample == GPUAGG_SAMPLE_NONE)
		return;
	for (int i = 0; i < 1 + node->info->repeatable; i++)
		texts = lappend(texts,
						deparse_expression(list_nth(plan->custom_exprs,
													node->nruntime + i),
										   context, prefix, false));
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyText("Sampling", node->info->repeatable ?
							psprintf("%s (%s) REPEATABLE (%s)", method,
									 (char *) linitial(texts),
									 (char *) lsecond(texts)) :
							psprintf("%s (%s)", method,
									 (char *) linitial(texts)), es);
		return;
	}
	ExplainPropertyText("Sampling Method", method, es);
	ExplainPropertyList("Sampling Parameters", list_make1(linitial(texts)), es);
	if (node->info->repeatable)
		ExplainPropertyText("Repeatable Seed", lsecond(texts), es);
}

/* ------------------------------------------------------------- ANALYZE --- */

/* As PostgreSQL does, the text format leaves out what did not happen. */
static void
explain_count(const char *label, uint64 count, ExplainState *es)
{
	if (count > 0 || es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyUInteger(label, NULL, count, es);
}

/* Found, and returned if fewer were wanted */
static void
explain_groups(const GpuAggScan *node, ExplainState *es)
{
	ExplainPropertyUInteger("Groups", NULL, node->counters.tally.work.groups, es);
	if (node->info->regroup != NULL)
	{
		/* of those that a device makes no others are known than those that come back */
		if (!node->counters.tally.regrouped || gpuagg_plan_wanted_exprs(&node->info->wanted) == 0)
			ExplainPropertyUInteger("Groups Made", NULL, node->counters.tally.groups_made, es);
		ExplainPropertyText("Groups Made By",
							node->counters.tally.regrouped ? "device" : "backend", es);
		explain_count("Regroup Workers", node->counters.tally.regroup_workers, es);
	}
	if (gpuagg_plan_wanted_exprs(&node->info->wanted) > 0)
		ExplainPropertyUInteger("Groups Returned", NULL,
								node->counters.tally.work.groups_returned, es);
}

/* Of cached columns: what was known of them without reading them */
static void
explain_zones(const GpuAggZonesCount *zones, ExplainState *es)
{
	if (!es->verbose)
		return;
	explain_count("Zones Read", zones->read, es);
	explain_count("Zones Skipped", zones->skipped, es);
	explain_count("Zones Answered", zones->answered, es);
}

/* As PostgreSQL tells of Gather's workers; of tasks that one process feeds nothing */
static void
explain_feeders(const GpuAggTally *tally, ExplainState *es)
{
	if (tally->feeders_planned == 0)
		return;
	ExplainPropertyInteger("Feeders Launched", NULL, tally->feeders_launched, es);
	ExplainPropertyUInteger("Pages Read by Feeders", NULL, tally->work.feeder_pages, es);
}

static void
explain_pages(const GpuAggTally *tally, ExplainState *es)
{
	ExplainPropertyUInteger("Pages", NULL, tally->work.pages, es);
	ExplainPropertyUInteger("Bytes Read", NULL, tally->work.pages * BLCKSZ, es);
	explain_count("Cached Pages", tally->work.cached_pages, es);
	explain_count("LSNs Compared", tally->work.compared_pages, es);
	explain_count("Pages Kept", tally->work.pages_kept, es);
	explain_feeders(tally, es);
	explain_zones(&tally->work.zones, es);
}

/* Which cards share the task, and how many rows each has read */
static void
explain_spread(const GpuAggTallyCards *spread, ExplainState *es)
{
	List	   *cards = NIL;

	if (spread->done == 0)
		return;
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		for (int i = 0; i < spread->n; i++)
			cards = lappend(cards, psprintf("%s " UINT64_FORMAT " rows", spread->cards[i].name,
											spread->cards[i].rows));
		ExplainPropertyList("Spread", cards, es);
		return;
	}
	ExplainOpenGroup("Spread", "Spread", false, es);
	for (int i = 0; i < spread->n; i++)
	{
		ExplainOpenGroup("Card", NULL, true, es);
		ExplainPropertyText("Device", spread->cards[i].name, es);
		ExplainPropertyUInteger("Rows Scanned", NULL, spread->cards[i].rows, es);
		ExplainCloseGroup("Card", NULL, true, es);
	}
	ExplainCloseGroup("Spread", "Spread", false, es);
}

static void
explain_counts(const GpuAggScan *node, ExplainState *es)
{
	const GpuAggTally *tally = &node->counters.tally;
	uint64		filtered = tally->work.rows_scanned > tally->work.rows_passed ?
		tally->work.rows_scanned - tally->work.rows_passed : 0;

	if (tally->work.runs > 1 || es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyUInteger("Device Runs", NULL, tally->work.runs, es);
	if (tally->work.runs > 0)
	{
		ExplainPropertyUInteger("Rows Scanned", NULL, tally->work.rows_scanned,
								es);
		explain_spread(&tally->cards, es);
		explain_count("Rows Filtered", filtered, es);
		explain_count("Rows Evaluated by PostgreSQL",
					  tally->work.rows_evaluated, es);
		if (node->called != NULL && !node->info->called_hidden)
			explain_count("Strings Computed", tally->strings, es);
		if (!node->info->program->select)
			explain_groups(node, es);
		if (node->rows == NULL)
			explain_pages(tally, es);
	}
	if (tally->redone > 0)
		ExplainPropertyUInteger("Redone", NULL, tally->redone, es);
	if (node->counters.fallback != GPUAGG_FALLBACK_NONE)
		ExplainPropertyText("Fallback Reason",
							gpuagg_fallback_word(node->counters.fallback), es);
}

static void
explain_ns(const char *label, uint64 ns, ExplainState *es)
{
	if (ns > 0)
		ExplainPropertyFloat(label, "ms", ns / 1e6, 3, es);
}

static const char *
strategy_that_ran(const GpuAggTally *tally)
{
	return tally->passes > 1 ?
		gpuagg_strategy_name(GPUAGG_STRATEGY_MULTI_PASS_NAIVE) : tally->strategy;
}

/* Of several passes, each has a strategy of its own in its window. */
static void
explain_passes(const GpuAggTally *tally, ExplainState *es)
{
	ExplainPropertyText("Strategy", strategy_that_ran(tally), es);
	if (tally->passes > 1)
		ExplainPropertyText("Pass Strategy", tally->strategy, es);
	if (tally->passes > 1 || es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyUInteger("Passes", NULL, tally->passes, es);
	explain_count("Window Splits", tally->splits, es);
	explain_count("Strategy Switches", tally->switches, es);
	if (tally->compiled > 0 || es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyBool("Compiled", tally->compiled > 0, es);
}

static void
explain_draws(const GpuAggTally *tally, ExplainState *es)
{
	if (tally->draw_windows == 0)
		return;
	ExplainPropertyText("Draw Strategy", gpuagg_draw_way_name(tally->draw_way), es);
	if (tally->draw_windows > 1 || es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyUInteger("Draw Windows", NULL, tally->draw_windows, es);
}

/*
 * By the GPU's own clock, which also runs while it works for others.  Bytes
 * per nanosecond are GB/s.
 */
static void
explain_gpu(const GpuAggTally *tally, ExplainState *es)
{
	double		rate;

	explain_ns("Transfer Time", tally->transfer_ns, es);
	explain_ns("Decode Time", tally->decode_ns, es);
	explain_ns("Kernel Time", tally->kernel_ns, es);
	if (tally->link_bytes == 0 || tally->decode_ns == 0)
		return;
	rate = (double) tally->link_bytes / tally->decode_ns;
	ExplainPropertyFloat("Link Rate", "GB/s", rate, 3, es);
	if (tally->link_rate > 0)
		ExplainPropertyFloat("Link Utilization", NULL,
							 rate * 1e9 / tally->link_rate, 3, es);
}

static void
explain_timing(const GpuAggScan *node, ExplainState *es)
{
	const GpuAggTally *tally = &node->counters.tally;
	double		run = INSTR_TIME_GET_MILLISEC(node->counters.run_time);

	if (tally->redone > 0)
		ExplainPropertyText("Redone Detail", tally->redone_message, es);
	if (node->counters.fallback != GPUAGG_FALLBACK_NONE)
		ExplainPropertyText("Fallback Detail", node->counters.fallback_message, es);
	if (tally->work.runs == 0)
		return;
	ExplainPropertyText("Device Name", tally->device_name, es);
	explain_passes(tally, es);
	explain_draws(tally, es);
	ExplainPropertyUInteger("Device Memory", "kB",
							(tally->memory_bytes + 1023) / 1024, es);
	ExplainPropertyFloat("Feed Time", "ms",
						 INSTR_TIME_GET_MILLISEC(tally->feed_time), 3, es);
	ExplainPropertyFloat("Wait Time", "ms",
						 INSTR_TIME_GET_MILLISEC(tally->wait_time), 3, es);
	ExplainPropertyFloat("Device Time", "ms", tally->device_ns / 1e6, 3,
						 es);
	explain_gpu(tally, es);

	/* the node's time less that of its tasks; a fallback plan emits, too */
	if (node->counters.fallback == GPUAGG_FALLBACK_NONE)
		ExplainPropertyFloat("Emit Time", "ms",
							 Max(0.0, gpuagg_node_ns(node) / 1e6 - run), 3, es);
}

/* What is evaluated on the device, as PostgreSQL's "Filter" */
static void
explain_device_filter(const GpuAggScan *node, List *ancestors, ExplainState *es)
{
	CustomScan *plan = castNode(CustomScan, node->css.ss.ps.plan);
	List	   *quals = gpuagg_plan_device_quals(node->info, plan->custom_exprs);
	List	   *context = set_deparse_context_plan(es->deparse_cxt,
												   (Plan *) plan, ancestors);

	if (quals != NIL)
		ExplainPropertyText("Device Filter",
							deparse_expression((Node *) make_ands_explicit(quals),
											   context, es->verbose, false), es);
}

/* What was planned */
static void
explain_plan(const GpuAggScan *node, List *ancestors, ExplainState *es)
{
	if (node->tables != NULL)
		explain_tables(node, es);
	else if (node->rows != NULL)
		explain_input(es);
	else if (!node->info->program->select)
		explain_relation(node, es);
	explain_sample(node, ancestors, es);
	if (node->info->program->select)
		explain_device_filter(node, ancestors, es);
	else
	{
		explain_expressions(node, ancestors, es);
		if (node->lookups != NULL)
			gpuagg_lookups_explain(node, es);
		explain_wanted(node, ancestors, es);
	}
}

/* That of the last task, or all that shared it; one that has done another's part, too, once */
static void
explain_devices(const GpuAggScan *node, StringInfo text)
{
	const GpuAggTallyCards *spread = &node->counters.tally.cards;
	const char *last = NULL;

	if (spread->done == 0)
		appendStringInfoString(text, node->counters.tally.device);
	for (int i = 0; i < spread->n && spread->done > 0; i++)
	{
		if (last != NULL && strcmp(spread->cards[i].name, last) == 0)
			continue;
		appendStringInfo(text, last != NULL ? ", %s" : "%s", spread->cards[i].name);
		last = spread->cards[i].name;
	}
}

/* In one line: where it ran and how, or why PostgreSQL's plan ran */
static void
explain_outcome(const GpuAggScan *node, bool timing, ExplainState *es)
{
	const GpuAggTally *tally = &node->counters.tally;
	StringInfoData text;

	if (node->counters.fallback != GPUAGG_FALLBACK_NONE)
	{
		ExplainPropertyText("Fallback Reason", gpuagg_fallback_word(node->counters.fallback), es);
		return;
	}
	if (!timing || tally->work.runs == 0)
		return;
	initStringInfo(&text);
	explain_devices(node, &text);
	if (strategy_that_ran(tally)[0] != '\0')
		appendStringInfo(&text, ", %s", strategy_that_ran(tally));
	if (tally->redone > 0)
		appendStringInfoString(&text, ", after a GPU failed");
	ExplainPropertyText("Device", text.data, es);
}

static void
explain_details(const GpuAggScan *node, bool timing, ExplainState *es)
{
	const GpuAggTally *tally = &node->counters.tally;

	if (timing && tally->work.runs > 0)
	{
		StringInfoData devices;

		initStringInfo(&devices);
		explain_devices(node, &devices);
		ExplainPropertyText("Device", devices.data, es);
	}
	else if (es->costs)
		ExplainPropertyText("Device", gpuagg_device, es);
	gpuagg_planned_explain(node, timing, es);
	if (!es->analyze ||
		(tally->work.runs == 0 && node->counters.fallback == GPUAGG_FALLBACK_NONE))
		return;
	explain_counts(node, es);
	if (timing)
		explain_timing(node, es);
}

void
gpuagg_explain_node(const GpuAggScan *node, List *ancestors, ExplainState *es)
{
	bool		timing = es->analyze && es->timing && gpuagg_scan_timing(node);

	explain_plan(node, ancestors, es);
	if (explain_whole(es))
		explain_details(node, timing, es);
	else if (es->analyze)
		explain_outcome(node, timing, es);
}
