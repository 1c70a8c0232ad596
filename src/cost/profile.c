/*
 * profile.c
 *		Reads the profile of the device that runs tasks, and keeps it.
 *
 * A backend's copy is good until a trigger of the tables (profile_changed)
 * has sent a relcache invalidation of gpuagg.profile, or until the device is
 * another one than it was read for.  Tables are scanned directly: the planner
 * must neither need privileges nor run queries of its own.  Nor does it wait
 * for who changes, locks or drops them: until they can be read, the copy stays
 * as it is.
 *
 * Not handled: several databases share a device, but each has tables of its
 * own; a database that was never calibrated uses what was shipped.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "commands/trigger.h"
#include "cost/predict_part.h"
#include "cost/profile.h"
#include "device/device.h"
#include "host/machine.h"
#include "ipc/shmem.h"
#include "optimizer/optimizer.h"
#include "planner/catalogue/sql_function.h"
#include "settings.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(gpuagg_profile_changed);

/*
 * Without any row: what one core of a server of the 2020s does, roughly.
 */
static const GpuAggProfile builtin = {
	.origin = GPUAGG_PROFILE_BUILTIN,
	.rates = {
		.units = 1,
		.feed_page_ns = 200,
		.round_trip_ns = 100000,
		.cost_unit_ns = 3500,
		.postgres_row_ns = 40,
		.postgres_value_ns = 25,
		.postgres_group_ns = 500,
		.postgres_slowdown = 1
	}
};

/* Of rates a second, and of nanoseconds */
#define SMALLEST_RATE 1e-9

/* A device's, as it was read last */
typedef struct CachedProfile
{
	GpuAggProfile profile;
	char		name[sizeof(((GpuAggDeviceInfo *) 0)->name)];
	char		uuid[GPUAGG_UUID_BYTES];
	uint64		at;				/* profile_changes then; 0: never, or not all of it */
} CachedProfile;

static CachedProfile cached[GPUAGG_MAX_CARDS];
static Oid	profile_relid = InvalidOid;
static uint64 profile_changes = 1;	/* that were heard of */

/*
 * PostgreSQL's planner hands its hooks nothing of whoever has called it, so what is imagined for a
 * plan is remembered here while that is made (functions/imagined.c).
 */
static const GpuAggImagined *imagined = NULL;
static GpuAggProfile imagined_profile;

/* ---------------------------------------------------------- invalidation --- */

/* Without the table any other may be the one. */
static void
profile_invalidate(Datum arg, Oid relid)
{
	if (!OidIsValid(relid) || !OidIsValid(profile_relid) || relid == profile_relid)
		profile_changes++;
}

static Oid
profile_table(const char *name)
{
	Oid			schema = get_namespace_oid(GPUAGG_NAME, true);

	return OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;
}

/* The trigger of all tables of a profile */
Datum
gpuagg_profile_changed(PG_FUNCTION_ARGS)
{
	Oid			relid = profile_table("profile");

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("gpuagg.profile_changed() is a trigger function")));
	if (OidIsValid(relid))
		CacheInvalidateRelcacheByRelid(relid);
	return PointerGetDatum(NULL);	/* ignored; but no SQL NULL */
}

/* ---------------------------------------------------------------- tables --- */

/* Those that predictions need, in this order in arrays */
typedef enum ProfileTable
{
	TABLE_PROFILE,
	TABLE_CEILING,
	TABLE_MEMORY_LEVEL,
	TABLE_RANDOM_ACCESS,
	TABLE_TLB_GROUP
} ProfileTable;

static const char *const table_names[] = {
	[TABLE_PROFILE] = "profile",
	[TABLE_CEILING] = "ceiling",
	[TABLE_MEMORY_LEVEL] = "memory_level",
	[TABLE_RANDOM_ACCESS] = "random_access",
	[TABLE_TLB_GROUP] = "tlb_group"
};

#define NTABLES lengthof(table_names)

/* NULL if it is not there, is being dropped, or is locked by somebody else */
static Relation
open_table(const char *name)
{
	Oid			relid = profile_table(name);
	Relation	rel;

	if (!OidIsValid(relid) || !ConditionalLockRelationOid(relid, AccessShareLock))
		return NULL;
	rel = try_relation_open(relid, NoLock);
	if (rel == NULL)
		UnlockRelationOid(relid, AccessShareLock);
	return rel;
}

static void
close_tables(Relation *tables, int n)
{
	for (int i = 0; i < n; i++)
		table_close(tables[i], AccessShareLock);
}

/* All or none of them */
static bool
open_tables(Relation *tables)
{
	for (int i = 0; i < NTABLES; i++)
	{
		tables[i] = open_table(table_names[i]);
		if (tables[i] == NULL)
		{
			close_tables(tables, i);
			return false;
		}
	}
	return true;
}

/* --------------------------------------------------------------- reading --- */

/* A scan of one of the tables; id 0: of all rows */
typedef struct ProfileScan
{
	Relation	rel;
	SysScanDesc scan;
	HeapTuple	tuple;
} ProfileScan;

static void
scan_begin(ProfileScan *s, Relation rel, int id)
{
	ScanKeyData key;

	s->rel = rel;
	ScanKeyInit(&key, 1, BTEqualStrategyNumber, gpuagg_function_oid(GPUAGG_F_INT4EQ),
				Int32GetDatum(id));
	s->scan = systable_beginscan(s->rel, InvalidOid, false, NULL,
								 id == 0 ? 0 : 1, &key);
}

static bool
scan_next(ProfileScan *s)
{
	s->tuple = systable_getnext(s->scan);
	return HeapTupleIsValid(s->tuple);
}

static void
scan_end(ProfileScan *s)
{
	systable_endscan(s->scan);
}

/* A column by its name; NULL and what is missing: *isnull */
static Datum
scan_column(const ProfileScan *s, const char *name, bool *isnull)
{
	AttrNumber	attno = get_attnum(RelationGetRelid(s->rel), name);

	*isnull = true;
	return attno == InvalidAttrNumber ? (Datum) 0 :
		heap_getattr(s->tuple, attno, RelationGetDescr(s->rel), isnull);
}

/*
 * 0 means that it is not known.  What is smaller than anything can be would make
 * predictions infinite.
 */
static double
scan_float(const ProfileScan *s, const char *name)
{
	bool		isnull;
	Datum		value = scan_column(s, name, &isnull);

	if (isnull || DatumGetFloat8(value) <= 0)
		return 0;
	return Max(DatumGetFloat8(value), SMALLEST_RATE);
}

static int64
scan_int8(const ProfileScan *s, const char *name)
{
	bool		isnull;
	Datum		value = scan_column(s, name, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

static int32
scan_int4(const ProfileScan *s, const char *name)
{
	bool		isnull;
	Datum		value = scan_column(s, name, &isnull);

	return isnull ? 0 : DatumGetInt32(value);
}

static const char *
scan_text(const ProfileScan *s, const char *name)
{
	bool		isnull;
	Datum		value = scan_column(s, name, &isnull);

	return isnull ? "" : TextDatumGetCString(value);
}

/* Was it measured of this very card?  Of those that do not tell, perhaps */
static int
row_own(const ProfileScan *s, const GpuAggDeviceInfo *info)
{
	bool		isnull;
	Datum		value = scan_column(s, "device_uuid", &isnull);

	if (isnull)
		return 1;
	return strcmp(TextDatumGetCString(value), info->uuid) == 0 ? 2 : 0;
}

/* How well a row of gpuagg.profile suits a device; 0: not at all */
static int
row_suits(const ProfileScan *s, const GpuAggDeviceInfo *info)
{
	const char *name = scan_text(s, "device_name");

	if (strcmp(scan_text(s, "device_kind"), info->kind) != 0)
		return 0;
	if (strcmp(name, "*") == 0)
		return GPUAGG_PROFILE_GENERIC;
	if (strcmp(name, info->name) != 0)
		return 0;
	return strcmp(scan_text(s, "origin"), "shipped") == 0 ?
		GPUAGG_PROFILE_SHIPPED : GPUAGG_PROFILE_MEASURED;
}

/* Was it measured on another machine, as after a restore or with a moved disk? */
static bool
row_elsewhere(const ProfileScan *s)
{
	bool		isnull;
	Datum		value = scan_column(s, "machine", &isnull);

	return !isnull &&
		strcmp(TextDatumGetCString(value), gpuagg_shared->machine) != 0;
}

static void
read_row(GpuAggProfile *p, const ProfileScan *s)
{
	p->id = scan_int4(s, "profile_id");
	p->rates.units = scan_int4(s, "units");
	p->rates.feed_page_ns = scan_float(s, "feed_page_ns");
	p->rates.round_trip_ns = scan_float(s, "round_trip_ns");
	p->rates.cost_unit_ns = scan_float(s, "cost_unit_ns");
	p->rates.postgres_row_ns = scan_float(s, "postgres_row_ns");
	p->rates.postgres_value_ns = scan_float(s, "postgres_value_ns");
	p->rates.postgres_group_ns = scan_float(s, "postgres_group_ns");
	p->rates.postgres_slowdown = scan_float(s, "postgres_slowdown");
	p->rates.feeder_start_ns = scan_float(s, "feeder_start_ns");
	p->rates.feeder_ns = scan_float(s, "feeder_ns");
	p->rates.copy_row_ns = scan_float(s, "copy_row_ns");
	p->rates.copy_value_ns = scan_float(s, "copy_value_ns");
}

/* The one row with this number, of a device of this kind; p->id stays 0 if there is none. */
static void
read_numbered(GpuAggProfile *p, Relation rel, int id, const char *kind)
{
	ProfileScan s;

	scan_begin(&s, rel, id);
	if (scan_next(&s) && strcmp(scan_text(&s, "device_kind"), kind) == 0)
	{
		const char *origin = scan_text(&s, "origin");

		p->origin = strcmp(origin, "edited") == 0 ? GPUAGG_PROFILE_EDITED :
			strcmp(origin, "shipped") == 0 ? GPUAGG_PROFILE_SHIPPED : GPUAGG_PROFILE_MEASURED;
		read_row(p, &s);
	}
	scan_end(&s);
}

/* The row that suits best, of these the newest, into *p */
static void
read_profile(GpuAggProfile *p, Relation rel, const GpuAggDeviceInfo *info)
{
	TimestampTz newest = 0;
	TimestampTz newest_elsewhere = 0;
	int			best = 0;
	int			best_own = 0;
	ProfileScan s;

	scan_begin(&s, rel, 0);
	while (scan_next(&s))
	{
		int			suits = row_suits(&s, info);
		int			own = row_own(&s, info);
		TimestampTz measured_at = scan_int8(&s, "measured_at");

		if (suits != 0 && row_elsewhere(&s))
		{
			if (measured_at > newest_elsewhere)
			{
				newest_elsewhere = measured_at;
				p->elsewhere = scan_int4(&s, "profile_id");
			}
			continue;
		}
		if (suits == 0 || suits < best || (suits == best && own < best_own) ||
			(suits == best && own == best_own && measured_at <= newest))
			continue;
		newest = measured_at;
		best = suits;
		best_own = own;
		p->origin = strcmp(scan_text(&s, "origin"), "edited") == 0 ?
			GPUAGG_PROFILE_EDITED : suits;
		read_row(p, &s);
	}
	scan_end(&s);
	if (best >= GPUAGG_PROFILE_MEASURED)
		p->elsewhere = 0;
}

static void
read_ceilings(GpuAggProfile *p, Relation rel)
{
	static const char *const names[] = {
#define X(name, unit) #name,
		GPUAGG_CEILING_LIST(X)
#undef X
	};
	ProfileScan s;

	scan_begin(&s, rel, p->id);
	while (scan_next(&s))
	{
		const char *name = scan_text(&s, "name");

		for (int i = 0; i < GPUAGG_NCEILINGS; i++)
			if (pg_strcasecmp(name, names[i]) == 0)
				p->rates.ceiling[i] = Max(scan_float(&s, "per_second"),
									scan_float(&s, "ns"));
	}
	scan_end(&s);
}

static int
level_kind(const char *kind)
{
	return strcmp(kind, "cache") == 0 ? GPUAGG_LEVEL_CACHE :
		strcmp(kind, "tlb") == 0 ? GPUAGG_LEVEL_TLB : GPUAGG_LEVEL_MEMORY;
}

static int
compare_levels(const void *a, const void *b)
{
	const GpuAggLevel *x = a;
	const GpuAggLevel *y = b;

	return x->kind != y->kind ? (int) x->kind - (int) y->kind :
		(int) x->level - (int) y->level;
}

static void
read_levels(GpuAggRates *p, Relation rel, int id)
{
	ProfileScan s;

	scan_begin(&s, rel, id);
	while (scan_next(&s) && p->nlevels < GPUAGG_MAX_LEVELS)
	{
		GpuAggLevel *l = &p->levels[p->nlevels++];
		bool		isnull;

		l->kind = level_kind(scan_text(&s, "kind"));
		l->level = DatumGetInt16(scan_column(&s, "level", &isnull));
		l->entries = scan_int8(&s, "entries");
		l->page_bytes = scan_int8(&s, "page_bytes");
		l->reach_bytes = scan_int8(&s, "reach_bytes");
		l->hit_ns = scan_float(&s, "hit_ns");
		l->hit_cycles = scan_float(&s, "hit_cycles");
		l->miss_ns = scan_float(&s, "miss_ns");
		l->miss_cycles = scan_float(&s, "miss_cycles");
		l->confidence = scan_float(&s, "confidence");
	}
	scan_end(&s);
	qsort(p->levels, p->nlevels, sizeof(p->levels[0]), compare_levels);
}

static int
compare_points(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

static void
read_points(GpuAggRates *p, Relation rel, int id)
{
	ProfileScan s;

	scan_begin(&s, rel, id);
	while (scan_next(&s) && p->npoints < GPUAGG_MAX_RANDOM_POINTS)
	{
		int			i = p->npoints++;

		p->points[i].bytes = (double) scan_int8(&s, "region_bytes");
		p->points[i].rate[GPUAGG_RANDOM_READ8] =
			scan_float(&s, "read8_per_second");
		p->points[i].rate[GPUAGG_RANDOM_READ32] =
			scan_float(&s, "read32_per_second");
		p->points[i].rate[GPUAGG_RANDOM_ATOMIC8] =
			scan_float(&s, "atomic8_per_second");
	}
	scan_end(&s);
	qsort(p->points, p->npoints, sizeof(p->points[0]), compare_points);
}

/* Units in the order of the table; groups beyond what fits are not known. */
static void
read_tlb_groups(GpuAggUnitGroups *g, Relation rel, int id)
{
	ProfileScan s;
	bool		fit = true;

	scan_begin(&s, rel, id);
	while (scan_next(&s))
	{
		int32		unit = scan_int4(&s, "unit");
		int32		group = scan_int4(&s, "group_no");

		fit &= unit < GPUAGG_SPATIAL_UNITS && group < GPUAGG_SPATIAL_UNITS;
		if (!fit)
			continue;
		g->group[unit] = group;
		g->n = Max(g->n, unit + 1);
	}
	scan_end(&s);
	if (!fit)
		memset(g, 0, sizeof(*g));
}

/* The row that suits, or that with a number.  False, and *p as it was: they cannot be read now. */
static bool
read_tables(GpuAggProfile *p, const GpuAggDeviceInfo *info, int number)
{
	Relation	tables[NTABLES];

	if (!open_tables(tables))
		return false;
	if (number != 0)
		read_numbered(p, tables[TABLE_PROFILE], number, info->kind);
	else
		read_profile(p, tables[TABLE_PROFILE], info);
	if (p->id != 0)
	{
		read_ceilings(p, tables[TABLE_CEILING]);
		read_levels(&p->rates, tables[TABLE_MEMORY_LEVEL], p->id);
		read_points(&p->rates, tables[TABLE_RANDOM_ACCESS], p->id);
		read_tlb_groups(&p->rates.tlb_groups, tables[TABLE_TLB_GROUP], p->id);
	}
	close_tables(tables, NTABLES);
	return true;
}

/* ------------------------------------------------------------- the cache --- */

/* What is known of a device without any table */
static void
profile_begin(GpuAggProfile *p, const GpuAggDeviceInfo *info)
{
	*p = builtin;
	p->rates.gpu = strcmp(info->kind, "host") != 0;
	p->rates.part_bytes = (double) gpuagg_host_part_bytes();
	p->rates.unit_shared_bytes = info->unit_shared_bytes;
	p->rates.block_shared_bytes = info->block_shared_bytes;
}

static bool
profile_is_of(const CachedProfile *p, const GpuAggDeviceInfo *info)
{
	return strcmp(p->name, info->name) == 0 && strcmp(p->uuid, info->uuid) == 0;
}

/*
 * Reads the copy anew.  If that cannot be now, the next call tries again, and
 * until then the copy stays, or tells what is known without tables.
 */
static void
profile_read(CachedProfile *to, const GpuAggDeviceInfo *info)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "gpuagg profile",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	uint64		changes = profile_changes;	/* more may come while we read */
	GpuAggProfile fresh;
	bool		whole;

	profile_begin(&fresh, info);
	profile_relid = profile_table(table_names[TABLE_PROFILE]);
	whole = !OidIsValid(profile_relid) || read_tables(&fresh, info, 0);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	if (!whole && to->at != 0 && profile_is_of(to, info))
		return;
	to->profile = fresh;
	to->at = whole ? changes : 0;
	strlcpy(to->name, info->name, sizeof(to->name));
	strlcpy(to->uuid, info->uuid, sizeof(to->uuid));
}

static const GpuAggProfile *
profile_of_device(int device, const GpuAggDeviceInfo *info)
{
	static bool registered = false;
	CachedProfile *p = &cached[device];

	if (!registered)
	{
		CacheRegisterRelcacheCallback(profile_invalidate, (Datum) 0);
		registered = true;
	}
	if (p->at != profile_changes || !profile_is_of(p, info))
		profile_read(p, info);
	p->profile.rates.learned = gpuagg_learn_costs && p->profile.origin == GPUAGG_PROFILE_GENERIC ?
		gpuagg_learned_factor(p->profile.rates.gpu) : 1;
	return &p->profile;
}

const GpuAggProfile *
gpuagg_profile_get(int device)
{
	if (imagined != NULL)
		return &imagined_profile;
	return profile_of_device(device, &gpuagg_shmem_look(device)->facts.info);
}

void
gpuagg_profile_feeder_rates(GpuAggRates *rates)
{
	if (rates->feeder_start_ns <= 0)
		rates->feeder_start_ns = parallel_setup_cost * rates->cost_unit_ns;
	if (rates->feeder_ns <= 0)
		rates->feeder_ns = parallel_setup_cost * rates->cost_unit_ns;
}

const GpuAggProfile *
gpuagg_profile_planned(void)
{
	return gpuagg_profile_get(gpuagg_shmem_plan_device());
}

/* ----------------------------------------------------- another device --- */

static GpuAggProfile
profile_imagined(const GpuAggImagined *device)
{
	const int	at = gpuagg_shmem_plan_device();
	GpuAggDeviceView view;
	GpuAggProfile p;

	gpuagg_shmem_device(at, &view);
	if (device->profile == 0)
		p = *profile_of_device(at, &view.facts.info);
	else
	{
		profile_begin(&p, &view.facts.info);
		if (!read_tables(&p, &view.facts.info, device->profile) || p.id == 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("there is no profile %d of a device of this kind", device->profile),
					 errhint("gpuagg.profile has the profiles; the device in use runs the query, so theirs must be of its kind.")));
	}
	gpuagg_rates_part(&p.rates, device->units, device->bandwidth);
	return p;
}

const GpuAggImagined *
gpuagg_profile_imagine(const GpuAggImagined *device)
{
	const GpuAggImagined *before = imagined;

	if (device != NULL)
		imagined_profile = profile_imagined(device);
	imagined = device;
	return before;
}

double
gpuagg_profile_memory(void)
{
	return imagined != NULL ? imagined->memory : 0;
}

const char *
gpuagg_profile_origin(const GpuAggProfile *profile)
{
	switch (profile->origin)
	{
		case GPUAGG_PROFILE_BUILTIN:
			break;
		case GPUAGG_PROFILE_GENERIC:
			return "generic";
		case GPUAGG_PROFILE_SHIPPED:
			return "shipped";
		case GPUAGG_PROFILE_MEASURED:
			return "measured";
		case GPUAGG_PROFILE_EDITED:
			return "edited";
	}
	return "built in";
}
