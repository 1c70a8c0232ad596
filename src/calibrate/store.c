/*
 * store.c
 *		Stores a calibration in the tables of schema gpuagg.
 *
 * Numbers that a device could not tell are zero and become NULL; rows that
 * would say nothing are left out.
 */
#include "postgres.h"

#include <math.h>

#include "calibrate/calibrate.h"
#include "executor/spi.h"
#include "ipc/shmem.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

static void
insert_rows(StringInfo sql)
{
	int			rc;

	if (sql->data[sql->len - 1] != ')')
		return;					/* no row */
	rc = SPI_execute(sql->data, false, 0);
	if (rc < 0)
		elog(ERROR, "gpuagg: cannot store a profile: %s",
			 SPI_result_code_string(rc));
}

static void
begin_rows(StringInfo sql, const char *into)
{
	resetStringInfo(sql);
	appendStringInfo(sql, "INSERT INTO gpuagg.%s VALUES", into);
}

static void
begin_row(StringInfo sql, int id)
{
	appendStringInfo(sql, "%s (%d", sql->data[sql->len - 1] == ')' ? "," : "", id);
}

static bool
is_known(double value)
{
	return value > 0 && isfinite(value);
}

static void
put_null_or(StringInfo sql, bool known, double value)
{
	if (known)
		appendStringInfo(sql, ", %.17g", value);
	else
		appendStringInfoString(sql, ", NULL");
}

static void
put_number(StringInfo sql, double value)
{
	put_null_or(sql, is_known(value), value);
}

/* Zero is a spread like any other. */
static void
put_spread(StringInfo sql, double value)
{
	put_null_or(sql, value >= 0 && isfinite(value), value);
}

static void
put_bytes(StringInfo sql, uint64 value)
{
	if (value > 0)
		appendStringInfo(sql, ", " UINT64_FORMAT, value);
	else
		appendStringInfoString(sql, ", NULL");
}

static void
put_text(StringInfo sql, const char *text)
{
	appendStringInfo(sql, ", %s", quote_literal_cstr(text));
}

static int
store_profile(StringInfo sql, const GpuAggCalibration *c)
{
	static const char *const efforts[] = {"low", "normal", "high"};
	const GpuAggProbeResult *r = &c->result;
	bool		isnull;

	resetStringInfo(sql);
	appendStringInfo(sql, "INSERT INTO gpuagg.profile"
					 " (device_kind, device_name, device_uuid, machine, origin, measured_at, effort, seconds,"
					 " units, memory_bytes, clock_ghz, feed_page_ns, round_trip_ns,"
					 " cost_unit_ns, postgres_row_ns, postgres_value_ns,"
					 " postgres_group_ns, postgres_slowdown, spread, feeder_start_ns, feeder_ns, copy_row_ns, copy_value_ns, busy, huge_pages,"
					 " server_version)"
					 " VALUES (%s, %s, %s, %s, 'measured', pg_catalog.clock_timestamp(), '%s'",
					 quote_literal_cstr(c->info.kind),
					 quote_literal_cstr(c->info.name),
					 c->info.uuid[0] == '\0' ? "NULL" : quote_literal_cstr(c->info.uuid),
					 quote_literal_cstr(gpuagg_shared->machine), efforts[c->effort]);
	put_number(sql, c->seconds);
	put_bytes(sql, Max(r->machine.units, 1));
	put_bytes(sql, r->machine.total_bytes);
	put_number(sql, r->machine.clock_ghz);
	put_number(sql, c->feed_page_ns);
	put_number(sql, c->round_trip_ns);
	put_number(sql, c->cost_unit_ns);
	put_number(sql, c->postgres_row_ns);
	put_number(sql, c->postgres_value_ns);
	put_number(sql, c->postgres_group_ns);
	put_number(sql, c->postgres_slowdown);
	put_spread(sql, r->spread);
	put_number(sql, c->feeder_start_ns);
	put_number(sql, c->feeder_ns);
	put_number(sql, c->copy_row_ns);
	put_number(sql, c->copy_value_ns);
	appendStringInfo(sql, ", %s, %s, pg_catalog.current_setting('server_version'))"
					 " RETURNING profile_id",
					 r->busy || c->postgres_slowdown > GPUAGG_BUSY_SLOWDOWN ? "true" : "false",
					 c->huge_pages ? "true" : "false");
	if (SPI_execute(sql->data, false, 0) != SPI_OK_INSERT_RETURNING)
		elog(ERROR, "gpuagg: cannot store a profile");
	return DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[0],
									   SPI_tuptable->tupdesc, 1, &isnull));
}

/* No level of a TLB: how far was looked */
static void
store_none(StringInfo sql, uint64 searched, int id)
{
	begin_row(sql, id);
	appendStringInfo(sql, ", 'tlb', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, "
					 UINT64_FORMAT ")", searched);
}

uint64
gpuagg_calibration_no_tlb(const GpuAggCalibration *c)
{
	uint64		searched = 0;

	for (uint32 i = 0; i < c->result.nlevels; i++)
		if (c->result.levels[i].kind == GPUAGG_LEVEL_TLB)
			return 0;
	for (int i = 0; i < c->npoints; i++)
		if (c->points[i].curve == GPUAGG_CURVE_CHASE)
			searched = Max(searched, c->points[i].x);
	return searched;
}

static void
store_levels(StringInfo sql, const GpuAggCalibration *c, int id)
{
	static const char *const kinds[] = {"cache", "tlb", "memory"};
	const GpuAggProbeResult *r = &c->result;
	uint64		searched = gpuagg_calibration_no_tlb(c);

	begin_rows(sql, "memory_level");
	for (uint32 i = 0; i < r->nlevels; i++)
	{
		const GpuAggLevel *l = &r->levels[i];

		begin_row(sql, id);
		put_text(sql, kinds[l->kind]);
		appendStringInfo(sql, ", %u", l->level);
		put_bytes(sql, l->entries);
		put_bytes(sql, l->page_bytes);
		put_bytes(sql, l->sector_bytes);
		put_bytes(sql, l->reach_bytes);
		put_number(sql, l->hit_ns);
		put_number(sql, l->hit_cycles);
		put_number(sql, l->miss_ns);
		put_number(sql, l->miss_cycles);
		put_spread(sql, l->confidence);
		put_bytes(sql, l->searched_bytes);
		appendStringInfoChar(sql, ')');
	}
	if (searched > 0)
		store_none(sql, searched, id);
	insert_rows(sql);
}

static void
store_groups(StringInfo sql, const GpuAggProbeResult *r, int id)
{
	begin_rows(sql, "tlb_group");
	for (uint32 i = 0; r->ngroups > 0 && i < Min(r->machine.units, GPUAGG_MAX_UNITS); i++)
	{
		begin_row(sql, id);
		appendStringInfo(sql, ", %u, %u)", i, r->group[i]);
	}
	insert_rows(sql);
}

static void
store_random(StringInfo sql, const GpuAggProbeResult *r, int id)
{
	begin_rows(sql, "random_access");
	for (uint32 i = 0; i < r->npoints; i++)
	{
		const GpuAggRandomPoint *p = &r->points[i];
		bool		known = true;
		double		spread = 0;

		for (int k = 0; k < GPUAGG_NRANDOMS; k++)
		{
			known &= is_known(p->rate[k]);
			spread = Max(spread, p->spread[k]);
		}
		if (!known)
			continue;
		begin_row(sql, id);
		put_bytes(sql, p->bytes);
		put_number(sql, p->rate[GPUAGG_RANDOM_READ8]);
		put_number(sql, p->rate[GPUAGG_RANDOM_READ32]);
		put_number(sql, p->rate[GPUAGG_RANDOM_ATOMIC8]);
		put_spread(sql, spread);
		appendStringInfoChar(sql, ')');
	}
	insert_rows(sql);
}

static void
store_ceilings(StringInfo sql, const GpuAggProbeResult *r, int id)
{
	static const struct
	{
		const char *name;
		const char *unit;
	}			ceilings[] = {
#define X(name, unit) {#name, unit},
		GPUAGG_CEILING_LIST(X)
#undef X
	};

	begin_rows(sql, "ceiling");
	for (int i = 0; i < GPUAGG_NCEILINGS; i++)
	{
		bool		is_time = strcmp(ceilings[i].unit, "ns") == 0;

		if (!is_known(r->ceiling[i]))
			continue;
		begin_row(sql, id);
		appendStringInfo(sql, ", pg_catalog.lower(%s)",
						 quote_literal_cstr(ceilings[i].name));
		put_null_or(sql, !is_time, r->ceiling[i]);
		put_null_or(sql, is_time, r->ceiling[i]);
		put_spread(sql, r->ceiling_spread[i]);
		appendStringInfoChar(sql, ')');
	}
	insert_rows(sql);
}

static void
store_kernels(StringInfo sql, const GpuAggProbeResult *r, int id)
{
	begin_rows(sql, "kernel");
	for (uint32 i = 0; i < r->nkernels; i++)
	{
		const GpuAggKernelInfo *k = &r->kernels[i];

		begin_row(sql, id);
		put_text(sql, k->name);
		appendStringInfo(sql, ", %u, %u, %u, %u, %u)", k->threads, k->registers,
						 k->shared_bytes, k->dynamic_bytes, k->blocks_per_unit);
	}
	insert_rows(sql);
}

static void
store_host(StringInfo sql, const GpuAggProbeResult *r, int id)
{
	begin_rows(sql, "host_pattern");
	for (uint32 i = 0; i < r->npatterns; i++)
	{
		const GpuAggHostPattern *p = &r->patterns[i];

		if (!is_known(p->ns))
			continue;
		begin_row(sql, id);
		appendStringInfo(sql, ", %u, %s, " UINT64_FORMAT ", %.17g)", p->words,
						 p->huge ? "true" : "false", p->bytes, p->ns);
	}
	insert_rows(sql);
	begin_rows(sql, "thread_scaling");
	for (uint32 i = 0; i < r->nthreads; i++)
	{
		if (!is_known(r->thread_points[i].rate))
			continue;
		begin_row(sql, id);
		appendStringInfo(sql, ", %u, %.17g)", r->thread_points[i].threads,
						 r->thread_points[i].rate);
	}
	insert_rows(sql);
}

static void
store_queries(StringInfo sql, const GpuAggCalibration *c, int id)
{
	begin_rows(sql, "cost_unit");
	for (int i = 0; i < c->nqueries; i++)
	{
		begin_row(sql, id);
		put_text(sql, c->queries[i].query);
		put_number(sql, c->queries[i].cost_units);
		put_number(sql, c->queries[i].milliseconds);
		appendStringInfoChar(sql, ')');
	}
	insert_rows(sql);
}

static void
store_points(StringInfo sql, const GpuAggCalibration *c, int id)
{
	static const char *const curves[] = {"chase", "size", "sharing"};

	begin_rows(sql, "curve");
	for (int i = 0; i < c->npoints; i++)
	{
		const GpuAggCurvePoint *p = &c->points[i];

		if (!isfinite(p->y) || p->curve >= lengthof(curves))
			continue;
		begin_row(sql, id);
		put_text(sql, curves[p->curve]);
		appendStringInfo(sql, ", " UINT64_FORMAT ", " UINT64_FORMAT ", %.17g)",
						 p->of, p->x, p->y);
	}
	insert_rows(sql);
}

int
gpuagg_store_calibration(const GpuAggCalibration *c)
{
	StringInfoData sql;
	int			id;

	initStringInfo(&sql);
	id = store_profile(&sql, c);
	store_levels(&sql, c, id);
	store_groups(&sql, &c->result, id);
	store_random(&sql, &c->result, id);
	store_ceilings(&sql, &c->result, id);
	store_kernels(&sql, &c->result, id);
	store_host(&sql, &c->result, id);
	store_queries(&sql, c, id);
	store_points(&sql, c, id);
	return id;
}
