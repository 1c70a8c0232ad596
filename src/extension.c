/*
 * extension.c
 *		Is the module preloaded, and has the database the extension?
 */
#include "postgres.h"

#include "commands/extension.h"
#include "extension.h"
#include "fmgr.h"
#include "settings.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(gpuagg_warn_unless_preloaded);

/* -------------------------------------------------------------- preload --- */

static bool preloaded = false;

void
gpuagg_set_preloaded(void)
{
	preloaded = true;
}

bool
gpuagg_preloaded(void)
{
	return preloaded;
}

void
gpuagg_require_preload(void)
{
	if (!preloaded)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("gpuagg must be loaded through shared_preload_libraries"),
				 errhint("Add gpuagg to shared_preload_libraries in postgresql.conf and restart the server.")));
}

/*
 * For the extension script alone: who creates the extension where nothing of it will
 * run is told so.  The hint has the whole line, with what is preloaded already.
 */
Datum
gpuagg_warn_unless_preloaded(PG_FUNCTION_ARGS)
{
	const char *libraries = GetConfigOption("shared_preload_libraries", false, false);

	if (!preloaded)
		ereport(WARNING,
				(errmsg("gpuagg is not loaded: queries run as without it, and its functions raise errors"),
				 errhint("Set \"shared_preload_libraries = '%s%s%s'\" in postgresql.conf and restart the server.",
						 libraries, libraries[0] != '\0' ? ", " : "", GPUAGG_NAME)));
	PG_RETURN_VOID();
}

/* ------------------------------------------------------------ extension --- */

/*
 * Whether the database has the extension is asked whenever a grouping query
 * is planned.  pg_extension has no syscache before PostgreSQL 18, so its
 * invalidation cannot be watched; but creating and dropping the extension
 * creates and drops functions, which everyone hears of.  Any such message
 * costs one index look-up at the next question, no more.
 */
static uint64 extension_events = 0;
static uint64 extension_checked_at = 0;
static bool extension_found = false;

static void
extension_invalidate(Datum arg, int cacheid, uint32 hashvalue)
{
	extension_events++;
}

bool
gpuagg_extension_exists(void)
{
	if (extension_events == 0)
	{
		CacheRegisterSyscacheCallback(PROCOID, extension_invalidate, (Datum) 0);
		CacheRegisterSyscacheCallback(NAMESPACEOID, extension_invalidate,
									  (Datum) 0);
		extension_events = 1;
	}

	/* The look-up itself may receive invalidations. */
	while (extension_checked_at != extension_events)
	{
		uint64		event = extension_events;

		extension_found = OidIsValid(get_extension_oid(GPUAGG_NAME, true));
		extension_checked_at = event;
	}
	return extension_found;
}
