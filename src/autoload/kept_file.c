/*
 * kept_file.c
 *		The list of kept columns as a file (kept_file.h).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xlog.h"
#include "autoload/kept_file.h"
#include "port/pg_crc32c.h"
#include "storage/fd.h"

#define KEPT_FILE "gpuagg.autoload"
#define KEPT_FILE_NEW KEPT_FILE ".tmp"
#define VERSION_LINE "gpuagg.autoload 1\n"

/* Longer ones are none of ours. */
#define LINE_BYTES 128

/* ---------------------------------------------------------------- write --- */

static void
put_line(FILE *file, pg_crc32c *crc, const char *line)
{
	COMP_CRC32C(*crc, line, strlen(line));
	(void) fputs(line, file);	/* asked for errors at the end */
}

static void
put_list(FILE *file, const GpuAggKeptList *list)
{
	char		line[LINE_BYTES];
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	put_line(file, &crc, VERSION_LINE);
	snprintf(line, sizeof(line), "system " UINT64_FORMAT "\n", GetSystemIdentifier());
	put_line(file, &crc, line);
	for (uint32 i = 0; i < list->n; i++)
	{
		const GpuAggKept *one = &list->kept[i];

		snprintf(line, sizeof(line), "%u %u %d %d " UINT64_FORMAT "\n", one->dbid, one->relid,
				 one->attnum, one->pinned, one->bytes);
		put_line(file, &crc, line);
	}
	FIN_CRC32C(crc);
	fprintf(file, "end %u %08X\n", list->n, crc);
}

bool
gpuagg_kept_write(const GpuAggKeptList *list)
{
	FILE	   *file = AllocateFile(KEPT_FILE_NEW, "w");
	bool		written;

	if (file != NULL)
	{
		put_list(file, list);
		written = !ferror(file);
		if (FreeFile(file) == 0 && written)
			return durable_rename(KEPT_FILE_NEW, KEPT_FILE, LOG) == 0;
	}
	ereport(LOG,
			(errcode_for_file_access(),
			 errmsg("gpuagg: could not write file \"%s\": %m", KEPT_FILE_NEW)));
	return false;
}

/* ----------------------------------------------------------------- read --- */

/* The next line, with its end; false: there is none, or it is too long. */
static bool
get_line(FILE *file, char *line)
{
	return fgets(line, LINE_BYTES, file) != NULL && strchr(line, '\n') != NULL;
}

/* Why it is no file of ours, or NULL */
static const char *
get_head(FILE *file, pg_crc32c *crc)
{
	char		line[LINE_BYTES];
	uint64		system;
	char		end;

	if (!get_line(file, line) || strcmp(line, VERSION_LINE) != 0)
		return "its version is another one";
	COMP_CRC32C(*crc, line, strlen(line));
	if (!get_line(file, line) || sscanf(line, "system " UINT64_FORMAT "%c", &system, &end) != 2)
		return "it is damaged";
	COMP_CRC32C(*crc, line, strlen(line));
	return system == GetSystemIdentifier() ? NULL : "it is of another database cluster";
}

/* A column of a line; false: it is none. */
static bool
get_column(const char *line, GpuAggKept *one)
{
	int			attnum;
	int			pinned;
	char		end;

	memset(one, 0, sizeof(*one));
	if (sscanf(line, "%u %u %d %d " UINT64_FORMAT "%c", &one->dbid, &one->relid, &attnum, &pinned,
			   &one->bytes, &end) != 6)
		return false;
	one->attnum = (AttrNumber) attnum;
	one->pinned = pinned != 0;
	return OidIsValid(one->dbid) && OidIsValid(one->relid) && attnum >= 0 &&
		attnum <= MaxHeapAttributeNumber;
}

static bool
is_end(const char *line, uint32 n, pg_crc32c crc)
{
	char		expected[LINE_BYTES];

	FIN_CRC32C(crc);
	snprintf(expected, sizeof(expected), "end %u %08X\n", n, crc);
	return strcmp(line, expected) == 0;
}

/* Why the file has no list, or NULL */
static const char *
get_list(FILE *file, GpuAggKeptList *list)
{
	char		line[LINE_BYTES];
	uint32		room = 64;
	pg_crc32c	crc;
	const char *why_not;

	INIT_CRC32C(crc);
	why_not = get_head(file, &crc);
	if (why_not != NULL)
		return why_not;
	list->kept = palloc(room * sizeof(GpuAggKept));
	while (get_line(file, line))
	{
		if (is_end(line, list->n, crc))
			return NULL;
		if (list->n == room)
		{
			room *= 2;
			list->kept = repalloc_huge(list->kept, room * sizeof(GpuAggKept));
		}
		if (!get_column(line, &list->kept[list->n]))
			break;
		list->n++;
		COMP_CRC32C(crc, line, strlen(line));
	}
	return "it is damaged";
}

void
gpuagg_kept_read(GpuAggKeptList *list)
{
	FILE	   *file = AllocateFile(KEPT_FILE, "r");
	const char *why_not;

	list->n = 0;
	list->kept = NULL;
	if (file == NULL)
	{
		if (errno != ENOENT)
			ereport(LOG,
					(errcode_for_file_access(),
					 errmsg("gpuagg: could not read file \"%s\": %m", KEPT_FILE)));
		return;
	}
	why_not = get_list(file, list);
	(void) FreeFile(file);
	if (why_not == NULL)
		return;
	gpuagg_kept_free(list);
	ereport(LOG,
			(errmsg("gpuagg: file \"%s\" is ignored: %s", KEPT_FILE, why_not),
			 errdetail("No column is loaded ahead of the queries that need it.")));
}
