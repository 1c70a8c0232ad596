/*
 * plan_hooks.c
 *		What other extensions and builds do to plans: a planner hook that
 *		prints each plan and reads it back, and hooks that count their calls.
 *
 * test/t/018_hooks.pl builds it and loads it before or after gpuagg, or
 * without it.
 *
 *	plan_hooks.round_trip	plans run as they were read from what was printed,
 *							as servers built with WRITE_READ_PARSE_PLAN_TREES
 *							have it; a copy must print the same
 *	plan_hooks.mark_tables	a query's tables carry a list of integers where only
 *							VALUES has one, as Citus tells them apart
 *	plan_hooks_calls()		calls of the hooks since it was last asked, among
 *							them those for the query that asks
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/nodes.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "utils/builtins.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

PG_FUNCTION_INFO_V1(plan_hooks_calls);

static planner_hook_type prev_planner_hook = NULL;
static create_upper_paths_hook_type prev_upper_hook = NULL;
static set_rel_pathlist_hook_type prev_rel_hook = NULL;

static bool round_trip = false;
static bool mark_tables = false;
static int	trips = 0;
static int	planner_calls = 0;
static int	upper_calls[UPPERREL_FINAL + 1];
static int	rel_calls = 0;

/* Places in the query's text are not read back: -1 for all of them */
static char *
without_places(char *text)
{
	static const char *const names[] = {":location ", ":stmt_location "};

	for (int i = 0; i < (int) lengthof(names); i++)
	{
		char	   *at = text;

		while ((at = strstr(at, names[i])) != NULL)
		{
			char	   *value = at + strlen(names[i]);
			size_t		digits = strspn(value, "-0123456789");

			at = value;
			if (digits == 0)
				continue;
			*value = '#';
			memmove(value + 1, value + digits, strlen(value + digits) + 1);
		}
	}
	return text;
}

/* Arrays without elements are copied, and read, as none: since 16 these look otherwise */
static char *
without_empty_arrays(char *text)
{
	for (char *at = text; (at = strstr(at, " ()")) != NULL; at++)
	{
		at[1] = '<';
		at[2] = '>';
	}
	return text;
}

/* ERROR unless both are the same; shows where they begin to differ */
static void
same_text(const char *text, const char *other, const char *what)
{
	int			at = 0;

	while (text[at] != '\0' && text[at] == other[at])
		at++;
	if (text[at] == other[at])
		return;
	at = Max(at - 100, 0);
	ereport(ERROR,
			(errmsg("plan_hooks: %s prints otherwise", what),
			 errdetail("%.200s\n%.200s", text + at, other + at)));
}

static PlannedStmt *
through_text(PlannedStmt *stmt)
{
	PlannedStmt *read = stringToNode(nodeToString(stmt));
	char	   *text = without_empty_arrays(nodeToString(stmt));

	same_text(text, without_empty_arrays(nodeToString(copyObject(stmt))),
			  "a copy of the plan");
	same_text(without_places(text),
			  without_places(without_empty_arrays(nodeToString(read))),
			  "the plan that was read");
	trips++;
	return read;
}

static bool
mark_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, mark_walker, context, QTW_EXAMINE_RTES_BEFORE);
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *rte = (RangeTblEntry *) node;

		if (rte->rtekind == RTE_RELATION)
			rte->values_lists = list_make2_int(1, rte->inh);
		return false;
	}
	return expression_tree_walker(node, mark_walker, context);
}

/* The planner knows for which EXPLAIN it works since 19. */
#if PG_VERSION_NUM >= 190000
#define AND_EXPLAIN_STATE , struct ExplainState *es
#define AND_ES , es
#else
#define AND_EXPLAIN_STATE
#define AND_ES
#endif

static PlannedStmt *
plan_query(Query *parse, const char *query_string, int options,
		   ParamListInfo params AND_EXPLAIN_STATE)
{
	PlannedStmt *stmt;

	planner_calls++;
	if (mark_tables)
		(void) mark_walker((Node *) parse, NULL);
	if (prev_planner_hook)
		stmt = prev_planner_hook(parse, query_string, options, params AND_ES);
	else
		stmt = standard_planner(parse, query_string, options, params AND_ES);
	return round_trip ? through_text(stmt) : stmt;
}

static void
upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
			RelOptInfo *output_rel, void *extra)
{
	upper_calls[stage]++;
	if (prev_upper_hook)
		prev_upper_hook(root, stage, input_rel, output_rel, extra);
}

static void
rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *rte)
{
	rel_calls++;
	if (prev_rel_hook)
		prev_rel_hook(root, rel, rti, rte);
}

/* "planner N, trips N, rel N, upper N ...", the last for each of its stages */
Datum
plan_hooks_calls(PG_FUNCTION_ARGS)
{
	char	   *text = psprintf("planner %d, trips %d, rel %d, upper",
								planner_calls, trips, rel_calls);

	for (int i = 0; i < (int) lengthof(upper_calls); i++)
	{
		text = psprintf("%s %d", text, upper_calls[i]);
		upper_calls[i] = 0;
	}
	planner_calls = trips = rel_calls = 0;
	PG_RETURN_TEXT_P(cstring_to_text(text));
}

void
_PG_init(void)
{
	DefineCustomBoolVariable("plan_hooks.round_trip",
							 "Prints plans and reads them back.", NULL,
							 &round_trip, false, PGC_USERSET, 0,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("plan_hooks.mark_tables",
							 "Tables of a query carry a list of integers.", NULL,
							 &mark_tables, false, PGC_USERSET, 0,
							 NULL, NULL, NULL);
	prev_planner_hook = planner_hook;
	planner_hook = plan_query;
	prev_upper_hook = create_upper_paths_hook;
	create_upper_paths_hook = upper_paths;
	prev_rel_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = rel_pathlist;
}
