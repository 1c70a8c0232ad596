/*
 * beyond.c
 *		Settings that ask for more than there is.
 */
#include "postgres.h"

#include <sys/statvfs.h>

#include "host/machine.h"
#include "beyond.h"
#include "miscadmin.h"
#include "settings.h"
#include "tcop/pquery.h"

#define KILOBYTE ((uint64) 1024)
#define MEGABYTE (1024 * KILOBYTE)

uint64		(*gpuagg_beyond_device_bytes) (void) = gpuagg_machine_bytes;

static uint64
usable_cores(void)
{
	return (uint64) gpuagg_host_cpus();
}

static uint64
device_bytes(void)
{
	return gpuagg_beyond_device_bytes();
}

/* Of the file system with the data directory; 0: not known */
static uint64
disk_bytes(void)
{
	struct statvfs disk;

	return DataDir != NULL && statvfs(DataDir, &disk) == 0 ?
		(uint64) disk.f_blocks * disk.f_frsize :
		0;
}

/* A setting, in what unit it is, and how much there is of what */
typedef struct SettingBound
{
	const char *name;
	const int  *variable;
	uint64		unit;
	const char *unit_name;
	uint64		(*there) (void);	/* 0: not known */
	const char *of_what;
} SettingBound;

static const SettingBound limits[] = {{"gpuagg.host_threads", &gpuagg_host_threads, 1, "",
									   usable_cores, "cores that the server may use"},
									  {"gpuagg.device_memory", &gpuagg_device_memory, MEGABYTE,
									   " MB", device_bytes, "memory of the device"},
									  {"gpuagg.cache_size", &gpuagg_cache_size, MEGABYTE, " MB",
									   device_bytes, "memory of the device"},
									  {"gpuagg.scope_size", &gpuagg_scope_size, KILOBYTE, " kB",
									   device_bytes, "memory of the device"},
									  {"gpuagg.lookup_memory", &gpuagg_lookup_memory, MEGABYTE,
									   " MB", gpuagg_machine_bytes, "memory of the machine"},
									  {"gpuagg.kernel_cache_size", &gpuagg_kernel_cache_size,
									   MEGABYTE, " MB", disk_bytes, "disk of the data directory"}};

static void
warn_if_exceeded(const SettingBound *limit, int value)
{
	uint64		there = limit->there() / limit->unit;

	if (value > 0 && there > 0 && (uint64) value > there)
		ereport(WARNING,
				(errmsg("%s is %d%s, more than there is: " UINT64_FORMAT "%s (%s)", limit->name,
						value, limit->unit_name, there, limit->unit_name, limit->of_what)));
}

/*
 * PostgreSQL asks check hooks in every process again when it reads its files: there
 * no statement runs, and nobody has set anything.
 */
void
gpuagg_beyond_check(const int *variable, int value)
{
	if (!IsUnderPostmaster || ActivePortal == NULL)
		return;
	for (int i = 0; i < lengthof(limits); i++)
		if (limits[i].variable == variable)
			warn_if_exceeded(&limits[i], value);
}

void
gpuagg_beyond_log(void)
{
	for (int i = 0; i < lengthof(limits); i++)
		warn_if_exceeded(&limits[i], *limits[i].variable);
}
