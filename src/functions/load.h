/*
 * load.h
 *		Loading columns onto the device, as gpuagg.load() does.
 */
#ifndef GPUAGG_FUNCTIONS_LOAD_H
#define GPUAGG_FUNCTIONS_LOAD_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/relcache.h"

/* A table's parts that have rows of their own, all locked; ERROR for what is no table. */
extern List *gpuagg_load_relations(Oid relid);

/* An array of names as a list of C strings, which is not empty */
extern List *gpuagg_load_names(ArrayType *array);

/*
 * Numbers of the columns of these names, or without names of all that can be loaded;
 * ERROR for a named one that cannot.
 */
extern List *gpuagg_load_columns(Relation rel, List *names);

/* Can a column be loaded?  json and jsonb only if they are named. */
extern bool gpuagg_load_can(Relation rel, AttrNumber attno, bool named);

/*
 * Loads columns of a table, without columns which rows it has.  Returns the bytes that
 * these columns take on the devices; tells with a NOTICE what is missing.  ERROR if the
 * table cannot stay, or the user may not read it, or the device failed.
 */
extern uint64 gpuagg_load_relation(Relation rel, List *columns);

/* gpuagg_load_relation of named columns, without names of all */
extern uint64 gpuagg_load_named(Oid relid, List *names);

#endif							/* GPUAGG_FUNCTIONS_LOAD_H */
