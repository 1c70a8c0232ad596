/*
 * table_check.c
 *		Is this a table whose pages a device may read?
 */
#include "postgres.h"

#include "access/tableam.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "planner/offer/table_check.h"
#include "planner/plan/refuse.h"
#include "utils/rel.h"

bool
gpuagg_table_check_kind(const RangeTblEntry *rte)
{
	if (rte->relkind == RELKIND_RELATION || rte->relkind == RELKIND_MATVIEW)
		return true;
	return GPUAGG_REFUSE("\"%s\" is not an ordinary table",
						 rte->eref->aliasname);
}

bool
gpuagg_table_check(Relation relation)
{
	const char *name = RelationGetRelationName(relation);

	if (relation->rd_tableam != GetHeapamTableAmRoutine())
		return GPUAGG_REFUSE("table \"%s\" does not use the heap access method",
							 name);
	if (RelationUsesLocalBuffers(relation))
		return GPUAGG_REFUSE("table \"%s\" is temporary: its pages are private to this session",
							 name);
	if (IsCatalogRelation(relation))
		return GPUAGG_REFUSE("table \"%s\" is a system catalog", name);
	if (relation->rd_rel->relkind == RELKIND_MATVIEW &&
		!RelationIsPopulated(relation))
		return GPUAGG_REFUSE("materialized view \"%s\" has not been populated",
							 name);
	return true;
}
