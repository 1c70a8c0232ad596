/*
 * settings.c
 *		The settings: what they are called, may be and say.
 */
#include "postgres.h"

#include <limits.h>

#include "device/device.h"
#include "settings.h"
#include "utils/guc.h"

#define GPUAGG_MAX_HOST_THREADS 1024
#define GPUAGG_MAX_TASKS 10000
#define GPUAGG_MIN_DEVICE_MEMORY 16
#define GPUAGG_MAX_ORDINAL 255
#define GPUAGG_MAX_WATCHDOG 86400
#define GPUAGG_MAX_FEEDERS 64
#define GPUAGG_MAX_SHARE 1000
#define GPUAGG_MAX_RUNNING 1024

bool		gpuagg_enable = true;
bool		gpuagg_fallback = true;
int			gpuagg_log_fallbacks = GPUAGG_LOG_ERRORS;
int			gpuagg_debug_require = GPUAGG_ALLOW;
int			gpuagg_debug_fault = GPUAGG_FAULT_NONE;
int			gpuagg_debug_fault_pass = 0;
int			gpuagg_debug_feeders = -1;
int			gpuagg_debug_wait = 0;
int			gpuagg_pack = GPUAGG_PACK_AUTO;
int			gpuagg_debug_pack = GPUAGG_PACK_AUTO;
bool		gpuagg_debug_compare = false;
bool		gpuagg_debug_wal = true;
int			gpuagg_debug_parts = GPUAGG_PARTS_AUTO;
bool		gpuagg_debug_regroup = true;
int			gpuagg_debug_filters = GPUAGG_FILTERS_AUTO;
int			gpuagg_strategy = GPUAGG_STRATEGY_AUTO;
int			gpuagg_scope_size = 0;
int			gpuagg_spread = GPUAGG_SPREAD_AUTO;
bool		gpuagg_cache = true;
int			gpuagg_compile = GPUAGG_COMPILE_AUTO;
int			gpuagg_compile_timeout = 10000;
int			gpuagg_queue_timeout = 30000;
int			gpuagg_share = 100;
double		gpuagg_cost_scale = 1;
bool		gpuagg_learn_costs = true;
char	   *gpuagg_device = NULL;
char	   *gpuagg_device_provider = NULL;
int			gpuagg_host_threads = 0;
int			gpuagg_device_memory = 0;
int			gpuagg_cache_size = -1;
bool		gpuagg_autoload = true;
int			gpuagg_kernel_cache_size = 64;
int			gpuagg_lookup_memory = 256;
int			gpuagg_max_tasks = 64;
int			gpuagg_running_tasks = 0;
int			gpuagg_watchdog = 60;

static const struct config_enum_entry require_options[] = {
	{"allow", GPUAGG_ALLOW, false},
	{"prefer", GPUAGG_PREFER, false},
	{"require", GPUAGG_REQUIRE, false},
	{"forbid", GPUAGG_FORBID, false},
	{NULL, 0, false}
};

static const struct config_enum_entry log_options[] = {
	{"off", GPUAGG_LOG_OFF, false},
	{"errors", GPUAGG_LOG_ERRORS, false},
	{"all", GPUAGG_LOG_ALL, false},
	{NULL, 0, false}
};

static const struct config_enum_entry strategy_options[] = {
#define X(name, word, instead) {word, GPUAGG_STRATEGY_##name, false},
	GPUAGG_STRATEGY_LIST(X)
#undef X
	{NULL, 0, false}
};

static const struct config_enum_entry compile_options[] = {
	{"auto", GPUAGG_COMPILE_AUTO, false},
	{"off", GPUAGG_COMPILE_OFF, false},
	{"always", GPUAGG_COMPILE_ALWAYS, false},
	{NULL, 0, false}
};

static const struct config_enum_entry pack_options[] = {
	{"auto", GPUAGG_PACK_AUTO, false},
	{"on", GPUAGG_PACK_ON, false},
	{"needed", GPUAGG_PACK_NEEDED, false},
	{"off", GPUAGG_PACK_OFF, false},
	{NULL, 0, false}
};

static const struct config_enum_entry debug_pack_options[] = {
	{"auto", GPUAGG_PACK_AUTO, false},
	{"on", GPUAGG_PACK_ON, false},
	{"off", GPUAGG_PACK_OFF, false},
	{NULL, 0, false}
};

static const struct config_enum_entry spread_options[] = {
	{"auto", GPUAGG_SPREAD_AUTO, false},
	{"off", GPUAGG_SPREAD_OFF, false},
	{"always", GPUAGG_SPREAD_ALWAYS, false},
	{NULL, 0, false}
};

static const struct config_enum_entry parts_options[] = {
	{"off", GPUAGG_PARTS_OFF, false},
	{"auto", GPUAGG_PARTS_AUTO, false},
	{"always", GPUAGG_PARTS_ALWAYS, false},
	{NULL, 0, false}
};

static const struct config_enum_entry filters_options[] = {
	{"off", GPUAGG_FILTERS_OFF, false},
	{"auto", GPUAGG_FILTERS_AUTO, false},
	{"always", GPUAGG_FILTERS_ALWAYS, false},
	{NULL, 0, false}
};

static const struct config_enum_entry fault_options[] = {
	{"none", GPUAGG_FAULT_NONE, false},
	{"begin", GPUAGG_FAULT_BEGIN, false},
	{"pages", GPUAGG_FAULT_PAGES, false},
	{"rows", GPUAGG_FAULT_ROWS, false},
	{"finish", GPUAGG_FAULT_FINISH, false},
	{"results", GPUAGG_FAULT_RESULTS, false},
	{"memory", GPUAGG_FAULT_MEMORY, false},
	{"memory-late", GPUAGG_FAULT_MEMORY_LATE, false},
	{"feeder", GPUAGG_FAULT_FEEDER, false},
	{"lost", GPUAGG_FAULT_LOST, false},
	{"kernel", GPUAGG_FAULT_KERNEL, false},
	{"trap", GPUAGG_FAULT_TRAP, false},
	{"refused", GPUAGG_FAULT_REFUSED, false},
	{"lsns", GPUAGG_FAULT_LSNS, false},
	{NULL, 0, false}
};

/*
 * Limits are checked here rather than by the range of the setting, whose
 * message could not carry a hint.
 */
static bool
check_range(int value, int min, int max, const char *hint)
{
	if (value >= min && value <= max)
		return true;
	GUC_check_errcode(ERRCODE_INVALID_PARAMETER_VALUE);
	GUC_check_errdetail("It must be between %d and %d.", min, max);
	GUC_check_errhint("%s", hint);
	return false;
}

static bool
check_queue_timeout(int *newval, void **extra, GucSource source)
{
	return check_range(
		*newval, 0, INT_MAX,
		"0 waits without limit; other values are milliseconds, or carry a unit such as '5s'.");
}

/* Of values that are more than there is */
static void (*settings_beyond) (const int *variable, int value);

static bool
check_scope_size(int *newval, void **extra, GucSource source)
{
	settings_beyond(&gpuagg_scope_size, *newval);
	return check_range(*newval, 0, INT_MAX,
					   "0 takes the size from the device's profile; other values are kilobytes, or carry a unit such as '32MB'.");
}

static bool
check_lookup_memory(int *newval, void **extra, GucSource source)
{
	settings_beyond(&gpuagg_lookup_memory, *newval);
	return true;
}

static bool
check_host_threads(int *newval, void **extra, GucSource source)
{
	if (*newval <= GPUAGG_MAX_HOST_THREADS)
		settings_beyond(&gpuagg_host_threads, *newval);
	return check_range(*newval, 0, GPUAGG_MAX_HOST_THREADS,
					   "0 takes one thread for each core that the server may use.");
}

static bool
check_device_memory(int *newval, void **extra, GucSource source)
{
	settings_beyond(&gpuagg_device_memory, *newval);
	return *newval == 0 ||
		check_range(*newval, GPUAGG_MIN_DEVICE_MEMORY, INT_MAX,
					"0 takes 80 % of a GPU's memory, or a quarter of the machine's for the host device; other values are megabytes, or carry a unit such as '8GB'.");
}

static bool
check_cache_size(int *newval, void **extra, GucSource source)
{
	settings_beyond(&gpuagg_cache_size, *newval);
	return check_range(*newval, -1, INT_MAX,
					   "0 keeps no columns, -1 chooses a size; other values are megabytes, or carry a unit such as '8GB'.");
}

static bool
check_compile_timeout(int *newval, void **extra, GucSource source)
{
	return check_range(*newval, 1, INT_MAX / 2,
					   "Values are milliseconds, or carry a unit such as '5s'; gpuagg.compile = off compiles nothing.");
}

static bool
check_kernel_cache_size(int *newval, void **extra, GucSource source)
{
	settings_beyond(&gpuagg_kernel_cache_size, *newval);
	return check_range(
		*newval, 0, INT_MAX,
		"0 keeps none on disk; other values are megabytes, or carry a unit such as '1GB'.");
}

static bool
check_max_tasks(int *newval, void **extra, GucSource source)
{
	return check_range(*newval, 1, GPUAGG_MAX_TASKS,
					   "Each task takes 320 kB of shared memory once it is used; more queries than that wait their turn.");
}

static bool
check_watchdog(int *newval, void **extra, GucSource source)
{
	return check_range(
		*newval, 0, GPUAGG_MAX_WATCHDOG,
		"0 waits without limit; other values are seconds, or carry a unit such as '5min'.");
}

/* "cuda:N", N in digits that leave no doubt: "0", "12"; what follows, or NULL */
static const char *
parse_card(const char *text, int *ordinal)
{
	char	   *end;
	long		value;

	if (strncmp(text, "cuda:", 5) != 0 || text[5] < '0' || text[5] > '9')
		return NULL;
	errno = 0;
	value = strtol(text + 5, &end, 10);
	if (errno != 0 || value > GPUAGG_MAX_ORDINAL)
		return NULL;
	*ordinal = (int) value;
	return end;
}

/* One card or several, with commas between them; none of them twice */
static bool
parse_cards(const char *text, GpuAggDeviceChoice *choice)
{
	choice->ndevices = 0;
	for (;;)
	{
		int			ordinal = -1;

		if (choice->ndevices == GPUAGG_MAX_CARDS ||
			(text = parse_card(text, &ordinal)) == NULL)
			return false;
		for (int i = 0; i < choice->ndevices; i++)
			if (choice->ordinals[i] == ordinal)
				return false;
		choice->ordinals[choice->ndevices++] = ordinal;
		if (*text == '\0')
			return true;
		if (*text++ != ',')
			return false;
		text += strspn(text, " ");
	}
}

bool
gpuagg_device_parse(const char *text, GpuAggDeviceChoice *choice)
{
	for (int i = 0; i < GPUAGG_MAX_CARDS; i++)
		choice->ordinals[i] = -1;
	choice->gpu = strcmp(text, "host") != 0;
	choice->must = strncmp(text, "cuda", 4) == 0;
	choice->all = strcmp(text, "cuda:all") == 0;
	choice->ndevices = choice->all ? GPUAGG_MAX_CARDS : 1;
	return choice->all || strcmp(text, "auto") == 0 || strcmp(text, "host") == 0 ||
		strcmp(text, "cuda") == 0 || parse_cards(text, choice);
}

static bool
check_device(char **newval, void **extra, GucSource source)
{
	GpuAggDeviceChoice choice;

	if (gpuagg_device_parse(*newval, &choice))
		return true;
	GUC_check_errcode(ERRCODE_INVALID_PARAMETER_VALUE);
	if (strchr(*newval, ',') != NULL)
		GUC_check_errdetail("A list names at most %d GPUs, each once, by numbers between 0 and %d.",
							GPUAGG_MAX_CARDS, GPUAGG_MAX_ORDINAL);
	else if (strncmp(*newval, "cuda:", 5) == 0)
		GUC_check_errdetail("The number of a GPU must be between 0 and %d.",
							GPUAGG_MAX_ORDINAL);
	else
		GUC_check_errdetail("There is no such device.");
	GUC_check_errhint("Use \"auto\" (a GPU if there is one), \"host\" (the processor's cores), \"cuda\" (the first GPU), \"cuda:N\" (GPU number N), a list such as \"cuda:0,cuda:1\", or \"cuda:all\" (all GPUs).");
	return false;
}

static void
define_user_settings(void)
{
	DefineCustomBoolVariable(
		"gpuagg.enable", "Lets the planner run GROUP BY, aggregates and TABLESAMPLE on the device.",
		"Off, plans and their costs are PostgreSQL's alone.", &gpuagg_enable, true, PGC_USERSET,
		GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpuagg.fallback",
							 "Lets PostgreSQL's plan answer when the device does not.",
							 "Off, the query ends with an error that says why the device failed.",
							 &gpuagg_fallback, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpuagg.log_fallbacks",
							 "Logs queries that PostgreSQL's plan answers because the device does not, with the reason.",
							 "errors: where the device or its worker failed, or had no memory or no place; all: also where a value is PostgreSQL's to judge, or the device is starting.",
							 &gpuagg_log_fallbacks, GPUAGG_LOG_ERRORS,
							 log_options, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpuagg.cache",
							 "Lets columns of tables stay on the device between queries.",
							 "Off, queries neither use what is there nor add to it.",
							 &gpuagg_cache, true,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpuagg.compile",
							 "Lets a GPU run kernels that are compiled for the query.",
							 "auto compiles where that pays, beside the queries that need it; always waits for it; off interprets.",
							 &gpuagg_compile, GPUAGG_COMPILE_AUTO,
							 compile_options, PGC_USERSET, GUC_EXPLAIN,
							 NULL, NULL, NULL);
	DefineCustomEnumVariable("gpuagg.spread",
							 "Lets several GPUs share one query's table, each of which reads a part of it.",
							 "auto does where that is predicted to be faster; always wherever it can be done; off leaves a table to one GPU.",
							 &gpuagg_spread, GPUAGG_SPREAD_AUTO,
							 spread_options, PGC_USERSET, GUC_EXPLAIN,
							 NULL, NULL, NULL);
	DefineCustomRealVariable("gpuagg.cost_scale",
							 "Multiplies the estimated cost of what devices do.",
							 "Above 1: PostgreSQL's plans are preferred more often; below 1: less often.",
							 &gpuagg_cost_scale, 1, 0.001, 1000,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpuagg.learn_costs",
							 "Scales predictions by what tasks took, where the device was not measured.",
							 "Off, predictions go by the generic profile as it is, and tasks teach nothing. gpuagg.calibrate() makes a profile of the device, which is not scaled.",
							 &gpuagg_learn_costs, true,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.lookup_memory",
							"Memory for the tables in which a query looks up what it joins.",
							"Of those that devices make of columns that they keep gpuagg.device_memory is the limit. An input that needs more is looked up in windows of its keys; 0 leaves PostgreSQL all joins.",
							&gpuagg_lookup_memory, 256, 0, 2048,
							PGC_USERSET, GUC_UNIT_MB | GUC_EXPLAIN,
							check_lookup_memory, NULL, NULL);
	DefineCustomIntVariable("gpuagg.queue_timeout",
							"How long a query waits for a place on the device before PostgreSQL's plan runs instead.",
							"0 waits without limit.",
							&gpuagg_queue_timeout, 30000, INT_MIN, INT_MAX,
							PGC_USERSET, GUC_UNIT_MS,
							check_queue_timeout, NULL, NULL);
	DefineCustomIntVariable("gpuagg.share",
							"Share of the device that a role's tasks have against those of other roles, while tasks wait for it.",
							"Of twice as much, twice as much of its time; for ALTER ROLE.",
							&gpuagg_share, 100, 1, GPUAGG_MAX_SHARE,
							PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpuagg.strategy",
							 "How the device groups rows.",
							 "auto takes what is expected to be fastest; of what device or query do not allow, the next best.",
							 &gpuagg_strategy, GPUAGG_STRATEGY_AUTO,
							 strategy_options, PGC_USERSET, GUC_EXPLAIN,
							 NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.scope_size",
							"Size of the group table that one pass of a multi-pass grouping fills.",
							"0 takes it from the device's profile.",
							&gpuagg_scope_size, 0, INT_MIN, INT_MAX,
							PGC_USERSET, GUC_UNIT_KB | GUC_EXPLAIN,
							check_scope_size, NULL, NULL);
}

static void
define_debug_settings(void)
{
	DefineCustomEnumVariable("gpuagg.debug_require",
							 "For tests: uses the device wherever it can be (prefer), raises an error if it is not used (require) or could be used (forbid).",
							 NULL,
							 &gpuagg_debug_require, GPUAGG_ALLOW,
							 require_options, PGC_USERSET, GUC_NOT_IN_SAMPLE,
							 NULL, NULL, NULL);
	DefineCustomEnumVariable("gpuagg.debug_fault",
							 "For tests: the stage at which the device fails a task.",
							 NULL,
							 &gpuagg_debug_fault, GPUAGG_FAULT_NONE,
							 fault_options, PGC_SUSET, GUC_NOT_IN_SAMPLE,
							 NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.debug_fault_pass",
							"For tests: which of a query's tasks gpuagg.debug_fault strikes.",
							"0 strikes each; a grouping in several passes has a task for each.",
							&gpuagg_debug_fault_pass, 0, 0, INT_MAX,
							PGC_SUSET, GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.debug_feeders",
							"For tests: how many parallel workers hand over the pages of a grouping; the backend itself reads none.",
							"-1: as many as pay, and the backend; 0: the backend alone.",
							&gpuagg_debug_feeders, -1, -1, GPUAGG_MAX_FEEDERS, PGC_USERSET,
							GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpuagg.debug_pack",
							 "For tests: columns of the table are packed as soon as nobody uses them, however few rows they have (on), or not at all (off).",
							 NULL,
							 &gpuagg_debug_pack, GPUAGG_PACK_AUTO,
							 debug_pack_options, PGC_USERSET, GUC_NOT_IN_SAMPLE,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("gpuagg.debug_compare",
							 "For tests: pages that are kept are read from the table, too, and a query fails that finds a difference; by the host device.",
							 NULL,
							 &gpuagg_debug_compare, false,
							 PGC_USERSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpuagg.debug_wal",
							 "For tests: tasks learn from the WAL which pages have changed; off: they compare LSNs.",
							 NULL,
							 &gpuagg_debug_wal, true,
							 PGC_USERSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.debug_wait",
							"For tests: a task waits for the advisory lock of this number once it knows what the device keeps of a table, and for the next one before it reads pages.",
							"0: it does not wait.",
							&gpuagg_debug_wait, 0, 0, INT_MAX - 1, PGC_SUSET,
							GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpuagg.debug_parts",
							 "For tests: what several aggregates with DISTINCT need is grouped one by one (always), at once (off), or as it costs less (auto).",
							 NULL,
							 &gpuagg_debug_parts, GPUAGG_PARTS_AUTO,
							 parts_options, PGC_USERSET, GUC_NOT_IN_SAMPLE,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("gpuagg.debug_regroup",
							 "For tests: devices may group finer groups once more; off: the backend does.",
							 NULL,
							 &gpuagg_debug_regroup, true,
							 PGC_USERSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpuagg.debug_filters",
							 "For tests: look-up tables of slots have a filter before them always, never (off), or as it is expected to pay (auto).",
							 NULL,
							 &gpuagg_debug_filters, GPUAGG_FILTERS_AUTO,
							 filters_options, PGC_USERSET, GUC_NOT_IN_SAMPLE,
							 NULL, NULL, NULL);
}

static void
define_server_settings(void)
{
	DefineCustomStringVariable("gpuagg.device",
							   "The device that runs tasks: auto, host, cuda or cuda:N; or several GPUs: cuda:all, or a list such as cuda:0,cuda:1.",
							   "auto takes the first GPU if there is one, else the processor's cores.",
							   &gpuagg_device, "auto",
							   PGC_POSTMASTER, 0, check_device, NULL, NULL);
	DefineCustomStringVariable("gpuagg.device_provider",
							   "The library in $libdir through which gpuagg uses GPUs.",
							   NULL,
							   &gpuagg_device_provider, "gpuagg_cuda",
							   PGC_POSTMASTER, GUC_SUPERUSER_ONLY,
							   NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.host_threads",
							"Threads of the host device.",
							"0 takes one for each core that the server may use.",
							&gpuagg_host_threads, 0, INT_MIN, INT_MAX,
							PGC_POSTMASTER, 0, check_host_threads, NULL, NULL);
	DefineCustomIntVariable("gpuagg.device_memory",
							"Memory that all tasks on the device may use together.",
							"0 takes 80 % of a GPU's memory; for the host device, a quarter of the machine's.",
							&gpuagg_device_memory, 0, INT_MIN, INT_MAX,
							PGC_POSTMASTER, GUC_UNIT_MB, check_device_memory,
							NULL, NULL);
	DefineCustomIntVariable("gpuagg.cache_size",
							"Memory of the device for columns of tables that stay there between queries.",
							"0 keeps none; -1 takes 15 % of a GPU's memory, at most three quarters of what gpuagg.device_memory leaves; for the host device as much as shared_buffers or an eighth of the machine's memory, at most half of gpuagg.device_memory.",
							&gpuagg_cache_size, -1, INT_MIN, INT_MAX,
							PGC_POSTMASTER, GUC_UNIT_MB, check_cache_size,
							NULL, NULL);
	DefineCustomBoolVariable("gpuagg.autoload",
							 "Loads the columns that stayed on the device again after a restart.",
							 "A background worker writes down which they are, in gpuagg.autoload of the data directory.",
							 &gpuagg_autoload, true,
							 PGC_POSTMASTER, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpuagg.pack",
							 "Columns that stay on the device are packed once nothing has come to them for some seconds.",
							 "They take fewer bits a value then.  needed: where memory is short; auto: on for the host device, "
							 "needed for a GPU.  Off: what is packed stays so until it goes.",
							 &gpuagg_pack, GPUAGG_PACK_AUTO,
							 pack_options, PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.kernel_cache_size",
							"Size on disk of kernels that were compiled for queries, so that a restarted server need not compile them again.",
							"They lie in the data directory, in gpuagg_kernels; 0 keeps none.",
							&gpuagg_kernel_cache_size, 64, INT_MIN, INT_MAX, PGC_POSTMASTER,
							GUC_UNIT_MB, check_kernel_cache_size, NULL, NULL);
	DefineCustomIntVariable("gpuagg.compile_timeout",
							"How long compiling a kernel may take, and a query wait for it.",
							"A compiler that takes longer is ended, and the query is interpreted.",
							&gpuagg_compile_timeout, 10000, INT_MIN, INT_MAX,
							PGC_POSTMASTER, GUC_UNIT_MS, check_compile_timeout,
							NULL, NULL);
	DefineCustomIntVariable("gpuagg.max_tasks",
							"Tasks that the device knows of at once; more queries wait.",
							"Each takes 320 kB of shared memory once it is used.",
							&gpuagg_max_tasks, 64, INT_MIN, INT_MAX,
							PGC_POSTMASTER, 0, check_max_tasks, NULL, NULL);
	DefineCustomIntVariable("gpuagg.running_tasks",
							"Long tasks that run on a device at once; others wait, in the order of gpuagg.share.",
							"Tasks of at most 10 ms, as predicted, have as many places of their own. 0 lets all run that the device has memory for.",
							&gpuagg_running_tasks, 0, 0, GPUAGG_MAX_RUNNING,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.watchdog",
							"How long the device may give no sign of life of a task before it is taken for lost.",
							"A hundred times as long as the task was expected to take, if that is longer; 0 waits without limit.",
							&gpuagg_watchdog, 60, INT_MIN, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_S, check_watchdog, NULL, NULL);
}

void
gpuagg_settings_define(void (*beyond) (const int *variable, int value))
{
	settings_beyond = beyond;
	define_user_settings();
	define_debug_settings();
	define_server_settings();
	MarkGUCPrefixReserved(GPUAGG_NAME);
}
