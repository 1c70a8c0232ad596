/*
 * survey.c
 *		Behind gpuagg.survey(n): would the device take a statement that pg_stat_statements has
 *		met, why not, and what is it predicted to gain?
 *
 * The text is planned, not run, as gpuagg.why_not() does; but whatever error there is
 * becomes the answer.  It is planned in a subtransaction that is rolled back in any case,
 * so no lock, setting or user outlasts it, and as the role that ran it: what planning
 * evaluates of the statement, functions of its author among it, has that role's rights and
 * not those of who asks.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "compat.h"
#include "extension.h"
#include "fmgr.h"
#include "funcapi.h"
#include "functions/plan_text.h"
#include "functions/survey_report.h"
#include "functions/survey_text.h"
#include "miscadmin.h"
#include "parser/parser.h"
#include "rewrite/rewriteHandler.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(gpuagg_survey_statement);

#define NOT_PLANNED "the statement is a command, which is not planned"

typedef struct Statement
{
	char	   *text;
	Oid			role;
	char	   *path;			/* that role's search_path; NULL: the session's */
	RawStmt    *raw;
	GpuAggSurveyTypes types;

	/* the answer */
	const char *status;
	char	   *reason;			/* NULL: there is nothing to say */
	double		predicted_ms;	/* of the device's part; < 0: there is none */
	double		gain;			/* PostgreSQL's cost by this plan's */
} Statement;

/* ----------------------------------------------------------- attempts --- */

/* Until the subtransaction ends */
static void
set_option(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0,
							 false);
}

/*
 * Does something with the statement, and leaves nothing of it but what it has allocated.
 * Its error, or NULL; one that ends the query is raised.
 */
static ErrorData *
attempt(void (*something) (Statement *), Statement *s)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		something(s);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	if (error != NULL && (error->sqlerrcode == ERRCODE_QUERY_CANCELED ||
						  error->sqlerrcode == ERRCODE_ADMIN_SHUTDOWN))
		ReThrowError(error);
	return error;
}

static void
refuse(Statement *s, const char *status, const char *reason)
{
	s->status = status;
	s->reason = pstrdup(reason);
}

/*
 * Is it a command whose names and values are parameters in the text, which no parser takes
 * there?  Since PostgreSQL 17, and SET since 18
 */
static bool
is_command(const char *text)
{
	static const char *const words[] = {
		"set", "savepoint", "release", "rollback", "prepare transaction", "commit", "deallocate",
		"fetch", "move"
	};

	for (int i = 0; i < lengthof(words); i++)
	{
		const Size	n = strlen(words[i]);

		if (pg_strncasecmp(text, words[i], n) == 0 && isspace((unsigned char) text[n]))
			return true;
	}
	return false;
}

/* The query that these commands are about */
static Node *
without_command(Node *stmt)
{
	if (IsA(stmt, PrepareStmt))
		return ((PrepareStmt *) stmt)->query;
	if (IsA(stmt, CopyStmt) && ((CopyStmt *) stmt)->query != NULL)
		return ((CopyStmt *) stmt)->query;
	return stmt;
}

static void
parse(Statement *s)
{
	List	   *raw = raw_parser(s->text, RAW_PARSE_DEFAULT);

	if (list_length(raw) != 1)
		refuse(s, "not planned", "the text is not one statement");
	else
	{
		s->raw = linitial_node(RawStmt, raw);
		s->raw->stmt = without_command(s->raw->stmt);
	}
}

static void
unify(Statement *s)
{
	char	   *text = gpuagg_survey_unify(s->raw, s->text);

	if (text != NULL)
	{
		s->text = text;
		parse(s);
	}
	gpuagg_survey_name_fields(s->raw);
}

/* -------------------------------------------------------------- planning --- */

static char *
joined(const List *reasons)
{
	StringInfoData text;
	ListCell   *lc;

	if (reasons == NIL)
		return NULL;
	initStringInfo(&text);
	foreach(lc, reasons)
		appendStringInfo(&text, "%s%s", text.len > 0 ? "; " : "", (const char *) lfirst(lc));
	return text.data;
}

/* The cost of all that the statement is rewritten to */
static double
plan_all(const List *queries, const char *text, int *used, double *ms)
{
	double		cost = 0;
	ListCell   *lc;

	foreach(lc, queries)
	{
		PlannedStmt *stmt;

		if (lfirst_node(Query, lc)->commandType == CMD_UTILITY)
			continue;
		stmt = gpuagg_plan_query(copyObject(lfirst_node(Query, lc)), text, CURSOR_OPT_PARALLEL_OK);
		gpuagg_check_permissions(stmt);
		cost += stmt->planTree->total_cost;
		gpuagg_survey_count(stmt, used);
		*ms = gpuagg_survey_predicted_ms(*ms, stmt);
	}
	return cost;
}

static double
plan_surveyed(const List *queries, const char *text, GpuAggSurvey *survey, int *used, double *ms)
{
	GpuAggSurvey *outer = gpuagg_active_survey;
	volatile double cost = 0;

	gpuagg_active_survey = survey;
	PG_TRY();
	{
		cost = plan_all(queries, text, used, ms);
	}
	PG_FINALLY();
	{
		gpuagg_active_survey = outer;
	}
	PG_END_TRY();
	return cost;
}

static void
judge(Statement *s, const List *queries)
{
	GpuAggSurvey survey = {0};
	int			used[GPUAGG_NSTEPS] = {0};
	int			nodes = 0;
	double		ms = -1;
	const double cost = plan_surveyed(queries, s->text, &survey, used, &ms);
	List	   *report = gpuagg_survey_report(&survey, used);

	for (int i = 0; i < GPUAGG_NSTEPS; i++)
		nodes += used[i];
	s->reason = joined(report);
	s->status = survey.seen == 0 ? "nothing to group" : nodes == 0 ? "not taken" :
		report != NIL ? "partly" : "taken";
	if (nodes == 0)
		return;
	s->predicted_ms = ms;
	set_option("gpuagg.enable", "off");
	s->gain = plan_all(queries, s->text, used, &ms) / Max(cost, 1e-9);
}

static void
plan(Statement *s)
{
	RawStmt    *raw = copyObject(s->raw);
	Query	   *query;

	/* nobody waits for a lock because of a survey */
	set_option("lock_timeout", "1s");
	set_option("gpuagg.enable", "on");
	set_option("gpuagg.debug_require", "allow");
	if (s->path != NULL)
		set_option("search_path", s->path);
	SetUserIdAndSecContext(s->role, SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	query = gpuagg_inner_query(gpuagg_survey_analyze(raw, s->text, &s->types));
	if (query == NULL || query->commandType == CMD_UTILITY)
		refuse(s, "nothing to group", NOT_PLANNED);
	else
		judge(s, QueryRewrite(query));
}

/* Might other types of its parameters help? */
static bool
is_about_types(const ErrorData *error)
{
	return error->sqlerrcode == ERRCODE_AMBIGUOUS_FUNCTION ||
		error->sqlerrcode == ERRCODE_UNDEFINED_FUNCTION ||
		error->sqlerrcode == ERRCODE_DATATYPE_MISMATCH ||
		error->sqlerrcode == ERRCODE_CANNOT_COERCE ||
		error->sqlerrcode == ERRCODE_AMBIGUOUS_PARAMETER ||
		error->sqlerrcode == ERRCODE_INDETERMINATE_DATATYPE;
}

static void
refuse_error(Statement *s, const ErrorData *error)
{
	const bool	names = error->sqlerrcode == ERRCODE_UNDEFINED_TABLE ||
		error->sqlerrcode == ERRCODE_UNDEFINED_COLUMN;

	s->status = "not planned";
	s->reason = psprintf("%s%s", error->message,
						 names ? " (dropped since, temporary, or found by another search_path)" :
								 "");
}

static void
survey_statement(Statement *s)
{
	ErrorData  *error;
	ErrorData  *first = NULL;
	const bool	command = is_command(s->text);
	char	   *repaired;

	while ((error = attempt(parse, s)) != NULL && error->cursorpos > 0 &&
		   (repaired = gpuagg_survey_repair(s->text, error->cursorpos)) != NULL)
		s->text = repaired;
	if (error != NULL && command)
		refuse(s, "nothing to group", NOT_PLANNED);
	else if (error != NULL)
		refuse_error(s, error);
	if (s->raw == NULL)
		return;
	if ((error = attempt(unify, s)) != NULL)
		refuse_error(s, error);
	while ((error = attempt(plan, s)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (first == NULL)
			first = error;
		if (is_about_types(error) && gpuagg_survey_guess(&s->types))
			continue;
		refuse_error(s, first);
		return;
	}
}

Datum
gpuagg_survey_statement(PG_FUNCTION_ARGS)
{
	Statement	s = {.predicted_ms = -1};
	TupleDesc	desc;
	Datum		values[4];
	bool		isnull[4] = {false};

	gpuagg_require_preload();
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	s.text = text_to_cstring(PG_GETARG_TEXT_PP(0));
	s.role = PG_GETARG_OID(1);
	s.path = PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2));
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(s.role)))
		refuse(&s, "not planned", "the role that ran it has been dropped");
	else if (!has_privs_of_role(GetUserId(), s.role))
		refuse(&s, "not planned",
			   "it is planned with the rights of the role that ran it, which yours do not include");
	else
		survey_statement(&s);

	values[0] = CStringGetTextDatum(s.status);
	isnull[1] = s.reason == NULL;
	values[1] = isnull[1] ? (Datum) 0 : CStringGetTextDatum(s.reason);
	isnull[2] = isnull[3] = s.predicted_ms < 0;
	values[2] = Float8GetDatum(s.predicted_ms);
	values[3] = Float8GetDatum(s.gain);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, isnull)));
}
