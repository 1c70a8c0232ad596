/*
 * cache_files.c
 *		Tables whose files have gone leave the column cache (cache_files.h).
 *
 * The worker has no database connection, and nobody needs to tell it: after a commit that
 * drops or rewrites a table, or a rollback of one that made it, PostgreSQL removes the
 * files, or leaves an empty one until the next checkpoint.  So it is with replay on a
 * standby, and after a crash.  Before that, the files are there, and so is the right to
 * go on using them.
 */
#include "postgres.h"

#include <sys/stat.h>

#include "cache/cache_files.h"
#include "cache/cache_publish.h"
#include "cache/cache_table.h"
#include "compat.h"
#include "utils/timestamp.h"

/* Files are asked for this often, of about so many tables at once. */
#define FILES_MS 1000
#define FILES_TABLES 256

/* A file that cannot be asked for is there. */
static bool
file_has_gone(const GpuAggCacheTable *table)
{
	char		path[MAXPGPATH];
	struct stat st;

	gpuagg_relation_path(table->dbid, table->spcoid, table->relnumber, path, sizeof(path));
	if (stat(path, &st) != 0)
		return errno == ENOENT || errno == ENOTDIR;
	return st.st_size == 0;
}

long
gpuagg_cache_check_files(void)
{
	static TimestampTz checked_at = 0;
	static uint32 bucket = 0;
	const uint32 first = bucket;
	TimestampTz now;
	uint32		n = 0;

	if (gpuagg_cache_table_next(NULL) == NULL)
		return -1;
	now = GetCurrentTimestamp();
	if (!TimestampDifferenceExceeds(checked_at, now, FILES_MS))
		return FILES_MS + 1;
	checked_at = now;
	do
	{
		n += gpuagg_cache_tables_gone(bucket, file_has_gone);
		bucket = (bucket + 1) % GPUAGG_CACHE_BUCKETS;
	} while (n < FILES_TABLES && bucket != first);
	gpuagg_cache_publish();
	return FILES_MS + 1;
}
