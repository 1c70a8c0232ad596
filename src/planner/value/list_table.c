/*
 * list_table.c
 *		Arrays that are known when execution starts, as devices see them (list_table.h).
 *
 * x = ANY (array) is one operation over a table of the array's values, two constants and
 * the logic of three values: (listed AND filled) OR null.  Of an array without elements
 * it is false even where x is NULL, of one with a NULL never false.
 *
 * Does not handle: elements that are no integers to devices, as floats and strings; numerics, oids.
 */
#include "postgres.h"

#include "planner/value/list_table.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

/* An array of integers that was cast to one of oids keeps its elements' type. */
static bool
is_listed_type(uint8 type)
{
	return type != GPUAGG_T_NUMERIC && type != GPUAGG_T_OID &&
		gpuagg_constant_class(type) == GPUAGG_CLASS_I64;
}

bool
gpuagg_list_type(Oid element, uint8 scalar)
{
	uint8		type;

	return gpuagg_constant_type(element, &type) && is_listed_type(type) && is_listed_type(scalar) &&
		(type == scalar || (type < GPUAGG_T_CODE && scalar < GPUAGG_T_CODE));
}

/* The elements, and their type as constants */
static int
elements_of(Datum datum, Datum **values, bool **nulls, uint8 *type)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);
	Oid			element = ARR_ELEMTYPE(array);
	int16		len;
	bool		byval;
	char		align;
	int			n;

	get_typlenbyvalalign(element, &len, &byval, &align);
	deconstruct_array(array, element, len, byval, align, values, nulls, &n);
	(void) gpuagg_constant_type(element, type);
	return n;
}

bool
gpuagg_list_fits(Datum array)
{
	Datum	   *values;
	bool	   *nulls;
	uint8		type;
	const int	n = elements_of(array, &values, &nulls, &type);

	for (int i = 0; i < n; i++)
		if (!nulls[i] && !gpuagg_constant_fits(type, values[i]))
			return false;
	return true;
}

static int
compare_words(const void *a, const void *b)
{
	const int64 x = *(const int64 *) a;
	const int64 y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}

/* The values' table; *has_null: a NULL is among them. */
static int64 *
make_words(Datum array, int *n, int *nelements, bool *has_null)
{
	Datum	   *values;
	bool	   *nulls;
	uint8		type;
	int64	   *words;

	*nelements = elements_of(array, &values, &nulls, &type);
	words = palloc(Max(1, *nelements) * sizeof(int64));
	*n = 0;
	*has_null = false;
	for (int i = 0; i < *nelements; i++)
		if (nulls[i])
			*has_null = true;
		else
			words[(*n)++] = gpuagg_constant_make(type, values[i], false).value.v.i;
	qsort(words, *n, sizeof(int64), compare_words);
	return words;
}

GpuAggConstant
gpuagg_list_constant(Datum array, bool isnull, GpuAggZoneName kind)
{
	GpuAggConstant c;
	int64	   *words = NULL;
	int			n = 0;
	int			nelements = 0;
	bool		has_null = true;

	if (!isnull)
		words = make_words(array, &n, &nelements, &has_null);
	memset(&c, 0, sizeof(c));
	c.value.state = GPUAGG_ST_VALUE;
	if (kind == GPUAGG_ZONE_LIST)
	{
		c.value.type = GPUAGG_T_TEXT;
		c.value.state = isnull ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
		c.value.len = n * sizeof(int64);
		c.bytes = (const char *) words;
		return c;
	}
	c.value.type = GPUAGG_T_BOOL;
	if (kind == GPUAGG_ZONE_LIST_FILLED)
		c.value.v.i = isnull || nelements > 0;
	else if (has_null)
		c.value.state = GPUAGG_ST_NULL;
	return c;
}
