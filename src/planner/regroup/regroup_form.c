/*
 * regroup_form.c
 *		How the values of expressions that PostgreSQL computes are told apart
 *		(regroup_values.h).
 *
 * Numbers, moments and strings are keys and arguments as they are constants of programs.
 * Of all else equal values share bytes, which node/regroup/regroup_datum.c makes, and what they
 * look like is kept beside; or the backend numbers them, by their type's hash function and
 * equality, as strings under a collation that is not deterministic (node/regroup/equal_values.c).
 * Which types are equal where what is stored is PostgreSQL knows: their indexes may be
 * deduplicated.  A row is told by its fields, as count(DISTINCT (a, b)) has it, an array by its
 * bounds and elements, a range by its bounds.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "planner/regroup/regroup_values.h"
#include "planner/value/constant.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/typcache.h"

/* Are values of a type equal where their bytes are? */
static bool
has_equal_image(Oid typid, Oid collation)
{
	TypeCacheEntry *type = lookup_type_cache(typid, TYPECACHE_BTREE_OPFAMILY);
	Oid			function = InvalidOid;

	if (OidIsValid(type->btree_opf))
		function = get_opfamily_proc(type->btree_opf, type->btree_opintype,
									 type->btree_opintype, BTEQUALIMAGE_PROC);
	return OidIsValid(function) &&
		DatumGetBool(OidFunctionCall1Coll(function, collation,
										  ObjectIdGetDatum(type->btree_opintype)));
}

static bool columns_are_known(Oid rowtype);

/* Fields and elements of which field_form() of the node makes bytes that equal ones share */
static bool
field_is_known(Oid typid, Oid collation)
{
	const Oid	base = getBaseType(typid);
	const Oid	element = get_element_type(base);

	if (OidIsValid(element))
		return field_is_known(element, collation);
	if (get_typtype(base) == TYPTYPE_COMPOSITE)
		return columns_are_known(base);
	if (get_typtype(base) == TYPTYPE_MULTIRANGE)
		return field_is_known(get_multirange_range(base), InvalidOid);
	if (get_typtype(base) == TYPTYPE_RANGE)
		return field_is_known(get_range_subtype(base), get_range_collation(base));
	switch (base)
	{
		case NUMERICOID:
		case INTERVALOID:
		case JSONBOID:
		case FLOAT4OID:
		case FLOAT8OID:
			return true;
		case BPCHAROID:
			return gpuagg_collation_is_bytewise(collation);
		default:
			return has_equal_image(base, collation);
	}
}

static bool
columns_are_known(Oid rowtype)
{
	TupleDesc	desc = lookup_rowtype_tupdesc(rowtype, -1);
	bool		known = true;

	check_stack_depth();
	for (int i = 0; i < desc->natts && known; i++)
		known = TupleDescAttr(desc, i)->attisdropped ||
			field_is_known(TupleDescAttr(desc, i)->atttypid, TupleDescAttr(desc, i)->attcollation);
	ReleaseTupleDesc(desc);
	return known;
}

/* A row of fields, also where a FILTER lets it pass */
static bool
row_is_known(const Expr *expr)
{
	ListCell   *lc;

	if (IsA(expr, CaseExpr))
		expr = linitial_node(CaseWhen, ((const CaseExpr *) expr)->args)->result;
	if (!IsA(expr, RowExpr))
		return false;
	foreach(lc, ((const RowExpr *) expr)->args)
		if (!field_is_known(exprType(lfirst(lc)), exprCollation(lfirst(lc))))
			return false;
	return true;
}

static GpuAggRegroupForm
form_of(Oid base)
{
	if (OidIsValid(get_element_type(base)))
		return GPUAGG_REGROUP_ARRAY;
	switch (get_typtype(base))
	{
		case TYPTYPE_COMPOSITE:
			return GPUAGG_REGROUP_ROW;
		case TYPTYPE_RANGE:
			return GPUAGG_REGROUP_RANGE;
		case TYPTYPE_MULTIRANGE:
			return GPUAGG_REGROUP_RANGES;
		default:
			return GPUAGG_REGROUP_IMAGE;
	}
}

/* Can PostgreSQL hash values of a type, by the equality that it has for groups? */
static bool
is_hashed(Oid typid)
{
	TypeCacheEntry *type = lookup_type_cache(typid, TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC);

	return OidIsValid(type->eq_opr) && OidIsValid(type->hash_proc);
}

static bool
is_nondeterministic(Oid collation)
{
	return OidIsValid(collation) && !get_collation_isdeterministic(collation);
}

static bool
type_form(Expr *expr, Oid base, GpuAggRegroupForm *form)
{
	switch (base)
	{
		case NUMERICOID:
			*form = GPUAGG_REGROUP_NUMERIC;
			return true;
		case INTERVALOID:
			*form = GPUAGG_REGROUP_INTERVAL;
			return true;
		case JSONBOID:
			*form = GPUAGG_REGROUP_JSONB;
			return true;
		case RECORDOID:
			*form = GPUAGG_REGROUP_ROW;
			return row_is_known(expr);
		default:
			*form = form_of(base);
			if (field_is_known(base, exprCollation((Node *) expr)))
				return true;
			if (*form != GPUAGG_REGROUP_IMAGE && *form != GPUAGG_REGROUP_ARRAY)
				return false;
			*form = GPUAGG_REGROUP_EQUAL;
			return is_hashed(base);
	}
}

bool
gpuagg_regroup_form(Expr *expr, GpuAggRegroupValue *value)
{
	const Oid	base = getBaseType(exprType((Node *) expr));
	GpuAggRegroupForm form = GPUAGG_REGROUP_CONSTANT;

	/* of two collations it has neither, and comparing such values is an error */
	if (type_is_collatable(base) && !OidIsValid(exprCollation((Node *) expr)))
		return false;
	if (is_nondeterministic(exprCollation((Node *) expr)) &&
		(base == TEXTOID || base == VARCHAROID || base == BPCHAROID))
		form = GPUAGG_REGROUP_EQUAL;
	else if (base != INTERVALOID && gpuagg_constant_type(base, &value->type) &&
			 (value->type <= GPUAGG_T_CODE || value->type == GPUAGG_T_TIME))
		return !is_nondeterministic(exprCollation((Node *) expr));
	else if (!type_form(expr, base, &form))
		return false;
	value->type = GPUAGG_T_TEXT;
	value->form = form;
	get_typlenbyval(base, &value->typlen, &value->typbyval);
	return true;
}
