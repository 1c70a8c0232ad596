/*
 * agg_call.c
 *		Calls of aggregates that the planner makes itself (agg_call.h).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "planner/plan/agg_call.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* What the executor reads a state's first value by */
static Oid
transition_type(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(function));
	Oid			type;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for aggregate %u", function);
	type = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggtranstype;
	ReleaseSysCache(tuple);
	return type;
}

static Aggref *
make_call(Oid function, Oid type, Oid transition, Expr *arg, Expr *filter)
{
	Aggref	   *call = makeNode(Aggref);

	call->aggfnoid = function;
	call->aggtype = type;
	call->aggtranstype = transition;
	call->aggkind = AGGKIND_NORMAL;
	call->aggsplit = AGGSPLIT_SIMPLE;
	call->aggstar = arg == NULL;
	call->aggno = call->aggtransno = -1;
	call->location = -1;
	call->aggfilter = filter;
	if (arg != NULL)
	{
		call->args = list_make1(makeTargetEntry(arg, 1, NULL, false));
		call->aggargtypes = list_make1_oid(exprType((Node *) arg));
	}
	return call;
}

Aggref *
gpuagg_agg_call(Oid function, Expr *arg, Expr *filter)
{
	Oid			type = get_func_rettype(function);
	Oid			transition = transition_type(function);
	Aggref	   *call = make_call(function, type, transition, arg, filter);

	Assert(!IsPolymorphicType(type) && !IsPolymorphicType(transition));
	call->inputcollid = arg != NULL ? exprCollation((Node *) arg) : InvalidOid;
	call->aggcollid = type_is_collatable(type) ? call->inputcollid : InvalidOid;
	return call;
}

Aggref *
gpuagg_agg_call_of(const Aggref *agg, Expr *arg, Expr *filter)
{
	Aggref	   *call = make_call(agg->aggfnoid, agg->aggtype, agg->aggtranstype, arg, filter);

	Assert(list_length(agg->args) == list_length(call->args));
	call->aggcollid = agg->aggcollid;
	call->inputcollid = agg->inputcollid;
	return call;
}
