/*
 * gpuagg.c
 *		Module entry: hooks, shared memory, the device worker.
 *
 * Only shared_preload_libraries makes gpuagg work, because it needs main
 * shared memory and a background worker.  Loaded in another way (the first
 * call of an SQL function in a server that does not preload it), the module
 * defines nothing, and every SQL function says what to do.
 *
 * In the postmaster nothing but this happens: no device is opened and no
 * thread started before the worker runs.
 */
#include "postgres.h"

#include "autoload/autoload.h"
#include "beyond.h"
#include "compat.h"
#include "extension.h"
#include "fmgr.h"
#include "functions/explain_option.h"
#include "ipc/async_commits.h"
#include "ipc/dropped_database.h"
#include "ipc/dropped_pins.h"
#include "ipc/shmem_start.h"
#include "miscadmin.h"
#include "node/run/agg_node.h"
#include "node/run/sample_node.h"
#include "planner/offer/path_cost.h"
#include "planner/path/agg_path.h"
#include "planner/path/sample_path.h"
#include "planner/rewrite/correlated.h"
#include "settings.h"
#include "storage/ipc.h"
#include "worker/registration.h"

GPUAGG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

static void
module_shmem_request(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	gpuagg_shmem_request();
}

static void
module_shmem_startup(void)
{
	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	gpuagg_shmem_startup();
}

void
_PG_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	gpuagg_set_preloaded();
	gpuagg_settings_define(gpuagg_beyond_check);

	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = module_shmem_request;
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = module_shmem_startup;

	gpuagg_worker_define();
	gpuagg_autoload_define();
	gpuagg_async_commits_init();
	gpuagg_dropped_database_init();
	gpuagg_dropped_pins_init();
	gpuagg_cost_init();
	gpuagg_agg_path_init();
	gpuagg_correlated_init();
	gpuagg_sample_path_init();
	gpuagg_agg_node_init();
	gpuagg_sample_node_init();
	gpuagg_explain_option_init();
}
