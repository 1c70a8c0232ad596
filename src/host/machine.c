/*
 * machine.c
 *		What the kernel says of the machine that we run on.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* sched_getaffinity() */
#endif
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/machine.h"

#define CPUINFO "/proc/cpuinfo"
#define GIBIBYTE 1073741824.0
#define MEBIBYTE ((uint64_t) 1 << 20)

/* Where the machine does not say: what current server cores have at least */
#define MACHINE_L2_BYTES ((size_t) 1 << 20)

/* What stands behind a line's name and its colon; false: no such file or line */
static bool
read_line(const char *path, const char *name, char *text, size_t size)
{
	FILE	   *f = fopen(path, "r");
	size_t		length = strlen(name);
	bool		found = false;
	char		line[256];

	if (f == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), f) != NULL)
	{
		const char *value = line + length;

		if (strncmp(line, name, length) != 0)
			continue;
		value += strspn(value, " \t");
		/* "model" is no "model name" */
		found = length == 0 || *value == ':';
		value += strspn(value, ": \t");
		snprintf(text, size, "%.*s", (int) strcspn(value, "\n"), value);
	}
	fclose(f);
	return found;
}

double
gpuagg_machine_number(const char *path, const char *name)
{
	char		text[64];

	return read_line(path, name, text, sizeof(text)) ? strtod(text, NULL) : 0;
}

void
gpuagg_machine_model(char *text, size_t size)
{
	if (!read_line(CPUINFO, "model name", text, size))
		snprintf(text, size, "CPU");
}

uint64_t
gpuagg_machine_bytes(void)
{
	return (uint64_t) (1024 * gpuagg_machine_number("/proc/meminfo", "MemTotal"));
}

/*
 * The least of a group's limits and those of the groups around it, of which a container sees
 * but its own as the root.  No limit reads as "max", or as more than any machine has.
 */
static double
group_limit(const char *root, const char *group, const char *file, double least)
{
	char		path[512];
	size_t		length;

	snprintf(path, sizeof(path), "%s%s", root, group);
	for (length = strlen(path); length >= strlen(root); length--)
	{
		char		name[600];
		double		limit;

		if (path[length] != '\0' && path[length] != '/')
			continue;
		path[length] = '\0';
		snprintf(name, sizeof(name), "%s/%s", path, file);
		limit = gpuagg_machine_number(name, "");
		if (limit > 0 && limit < least)
			least = limit;
	}
	return least;
}

/*
 * Version 2 of groups has one line, "0::/group"; version 1 one for each controller,
 * "4:memory:/group".
 */
uint64_t
gpuagg_machine_memory(void)
{
	double		bytes = (double) gpuagg_machine_bytes();
	FILE	   *f = fopen("/proc/self/cgroup", "r");
	char		line[256];

	if (f == NULL)
		return (uint64_t) bytes;
	while (fgets(line, sizeof(line), f) != NULL)
	{
		const char *memory = strstr(line, ":memory:");

		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::", 3) == 0)
			bytes = group_limit("/sys/fs/cgroup", line + 3, "memory.max", bytes);
		else if (memory != NULL)
			bytes = group_limit("/sys/fs/cgroup/memory", memory + strlen(":memory:"),
								"memory.limit_in_bytes", bytes);
	}
	fclose(f);
	return (uint64_t) bytes;
}

/* sysconf() is wrong in some virtual machines. */
uint64_t
gpuagg_machine_cache_bytes(void)
{
	uint64_t	bytes = 0;
	char		path[96];

	for (int index = 0; index < 8; index++)
	{
		double		kib;

		snprintf(path, sizeof(path),
				 "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
		kib = gpuagg_machine_number(path, "");
		if (kib * 1024 > (double) bytes)
			bytes = (uint64_t) (kib * 1024);
	}
	return bytes;
}

/* Whether the processor says so, or the kernel does of those that do not */
bool
gpuagg_machine_is_guest(void)
{
	FILE	   *f = fopen(CPUINFO, "r");
	bool		guest = access("/sys/hypervisor/type", F_OK) == 0;
	char		word[128];

	if (f == NULL)
		return guest;
	while (!guest && fscanf(f, "%127s", word) == 1)
		guest = strcmp(word, "hypervisor") == 0;
	fclose(f);
	return guest;
}

/* A number of the processor, as x86 and as ARM name it; "0": neither does. */
static void
read_either(const char *x86, const char *arm, char *text, size_t size)
{
	if (!read_line(CPUINFO, x86, text, size) && !read_line(CPUINFO, arm, text, size))
		snprintf(text, size, "0");
}

/*
 * Makers sell unlike processors under one name, hence the numbers; a kernel's
 * update or a balloon takes some memory, hence its power of two alone.
 */
void
gpuagg_host_machine(char *text, size_t size)
{
	char		model[96];
	char		numbers[3][16];
	double		gib = (double) gpuagg_machine_bytes() / GIBIBYTE;

	gpuagg_machine_model(model, sizeof(model));
	read_either("cpu family", "CPU implementer", numbers[0], sizeof(numbers[0]));
	read_either("model", "CPU part", numbers[1], sizeof(numbers[1]));
	read_either("stepping", "CPU revision", numbers[2], sizeof(numbers[2]));
	snprintf(text, size, "%s %s-%s-%s, %d MiB of cache, %.4g GiB of memory",
			 model, numbers[0], numbers[1], numbers[2],
			 (int) (gpuagg_machine_cache_bytes() / MEBIBYTE),
			 gib > 0 ? exp2(round(log2(gib))) : 0);
}

int
gpuagg_host_cpus(void)
{
	cpu_set_t	set;
	long		online;

	/* fails where there are more CPUs than a set holds */
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return CPU_COUNT(&set);
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (int) online : 1;
}

size_t
gpuagg_host_part_bytes(void)
{
	long		bytes = -1;

#ifdef _SC_LEVEL2_CACHE_SIZE
	bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
	return (bytes > 0 ? (size_t) bytes : MACHINE_L2_BYTES) / 2;
}
