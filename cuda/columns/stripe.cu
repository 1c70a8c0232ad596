/*
 * stripe.cu
 *		Stripes of the CUDA device: their memory, columns and valid positions.
 *
 * Memory comes from the tasks' pool, so that what a stripe gives back serves
 * tasks and the other way round, but is counted by itself.  It is allocated,
 * cleared and freed in a stream of the device's own, behind which tasks come
 * that use stripes.
 */
#include <stdlib.h>

#include "cuda/columns/cuda_stripe.h"

/* Words by which kernels tell of zones; columns may share one, and look once more then. */
#define TOLD_WORDS 16384

/* Strings that are put in order in about two milliseconds */
#define ORDERED_STRINGS ((uint32_t) 1 << 18)

/* ---------- memory ---------- */

static bool
stream_open(GpuAggDevice *device, GpuAggError *error)
{
	if (device->stripe_stream != NULL)
		return true;
	if (!CUDA_OK(device, cudaEventCreateWithFlags(&device->stripe_event, cudaEventDisableTiming),
				 error))
		return false;
	if (CUDA_OK(device, cudaHostAlloc((void **) &device->told, TOLD_WORDS * sizeof(*device->told),
									  cudaHostAllocDefault), error))
	{
		memset(device->told, 0, TOLD_WORDS * sizeof(*device->told));
		if (CUDA_OK(device,
					cudaStreamCreateWithFlags(&device->stripe_stream, cudaStreamNonBlocking),
					error))
			return true;
		(void) cudaFreeHost(device->told);
	}
	(void) cudaEventDestroy(device->stripe_event);
	device->stripe_stream = NULL;
	return false;
}

void
gpuagg_cuda_stripes_close(GpuAggDevice *device)
{
	if (device->stripe_stream == NULL)
		return;
	(void) cudaEventDestroy(device->stripe_event);
	(void) cudaStreamDestroy(device->stripe_stream);
	(void) cudaFreeHost(device->told);
}

bool
gpuagg_cuda_stripe_done(GpuAggDevice *device, GpuAggError *error)
{
	return CUDA_OK(device, cudaEventRecord(device->stripe_event, device->stripe_stream), error);
}

bool
gpuagg_cuda_stripe_wait(GpuAggTask *task, cudaStream_t stream, GpuAggError *error)
{
	return CUDA_OK(task->device, cudaStreamWaitEvent(stream, task->device->stripe_event, 0), error);
}

void *
gpuagg_cuda_stripe_alloc(GpuAggDevice *device, size_t bytes, GpuAggError *error)
{
	void	   *p = NULL;

	if (device->lost)
	{
		*error = device->lost_error;
		return NULL;
	}
	if (device->stripe_used + bytes > device->stripe_limit)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY,
						  "the cache's %llu kB of device memory are used up",
						  (unsigned long long) device->stripe_limit / 1024);
		return NULL;
	}
	if (!stream_open(device, error) ||
		!CUDA_OK(device, cudaMallocFromPoolAsync(&p, bytes, device->pool, device->stripe_stream),
				 error))
		return NULL;
	device->stripe_used += bytes;
	return p;
}

void
gpuagg_cuda_stripe_release(GpuAggDevice *device, void *p, size_t bytes)
{
	if (p == NULL)
		return;
	if (!device->lost)
		(void) cudaFreeAsync(p, device->stripe_stream);
	device->stripe_used -= bytes;
}

static void
stripe_limit(GpuAggDevice *device, uint64_t bytes)
{
	device->stripe_limit = bytes;
}

static uint64_t
stripe_used(GpuAggDevice *device)
{
	return device->stripe_used;
}

/* ---------- zones ---------- */

static size_t
zones_bytes(uint32_t positions)
{
	return gpuagg_cuda_align(gpuagg_zones(positions) * sizeof(GpuAggZone));
}

/* None of them has seen anything, here and, in the order of the stripe stream, there. */
static bool
zones_init(GpuAggDevice *device, GpuAggStoredZones *zones, void *there, uint32_t positions,
		   GpuAggError *error)
{
	const GpuAggZone empty = GPUAGG_ZONE_EMPTY;
	const uint32_t n = gpuagg_zones(positions);

	zones->there = (GpuAggZone *) there;
	zones->here = (GpuAggZone *) malloc((n + 1) * sizeof(GpuAggZone));
	if (zones->here == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	for (uint32_t i = 0; i < n; i++)
		zones->here[i] = empty;
	return CUDA_OK(device, cudaMemcpyAsync(there, zones->here, n * sizeof(GpuAggZone),
										   cudaMemcpyHostToDevice, device->stripe_stream), error);
}

/* Zones of a column, which kernels tell of, are empty, too. */
static bool
column_zones_init(GpuAggDevice *device, GpuAggStoredZones *zones, uint32_t positions,
				  GpuAggError *error)
{
	zones->told = &device->told[device->next_told++ % TOLD_WORDS];
	zones->heard = *zones->told;
	return zones_init(device, zones, zones->there, positions, error) &&
		CUDA_OK(device, cudaMemcpyAsync(zones->known, zones->here,
										gpuagg_zones(positions) * sizeof(GpuAggZone),
										cudaMemcpyHostToDevice, device->stripe_stream), error);
}

/*
 * What lies here is between the bounds that are known: nothing has come since they were copied, or
 * kernels would have told.  Counts are right only in the first case.
 */
static bool
zones_bound(const GpuAggStripe *stripe, const GpuAggStoredZones *zones)
{
	return zones->fills == stripe->fills ||
		(zones->told != NULL && *zones->told == zones->heard);
}

/*
 * Copies them.  What has come of pages is complete where a task may read; what others are about to
 * add they will tell of: what is heard of before was there to be copied.
 */
static bool
zones_copy(GpuAggStripe *stripe, GpuAggStoredZones *zones, GpuAggError *error)
{
	GpuAggDevice *device = stripe->device;
	const size_t bytes = gpuagg_zones(stripe->positions) * sizeof(GpuAggZone);
	const GpuAggZone *from = zones->there;

	if (zones->told != NULL)
	{
		zones->heard = *zones->told;
		from = zones->known;
		if (!CUDA_OK(device, cudaMemcpyAsync(zones->known, zones->there, bytes,
											 cudaMemcpyDeviceToDevice, device->stripe_stream),
					 error))
			return false;
	}
	zones->copies++;
	return CUDA_OK(device, cudaMemcpyAsync(zones->here, from, bytes, cudaMemcpyDeviceToHost,
										   device->stripe_stream), error) &&
		CUDA_OK(device, cudaStreamSynchronize(device->stripe_stream), error);
}

/* Pages that were decoded since the last copy are complete by now, unless the stripe is busy. */
static GpuAggStatus
stripe_zones(GpuAggStripe *stripe, uint32_t attr, bool counts, bool busy,
			 const GpuAggZone **result, GpuAggError *error)
{
	GpuAggDevice *device = stripe->device;
	GpuAggStored *stored = (GpuAggStored *) gpuagg_cuda_stripe_stored(stripe, attr);
	GpuAggStoredZones *zones = attr == GPUAGG_ZONE_ROWS ? &stripe->zones :
		stored != NULL ? &stored->zones : NULL;

	memset(error, 0, sizeof(*error));
	if (device->lost)
	{
		*error = device->lost_error;
		return error->status;
	}
	if (zones == NULL)
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "a stripe has no column %u", attr);
	*result = zones->here;
	if (counts ? zones->fills == stripe->fills : zones_bound(stripe, zones))
		return GPUAGG_OK;
	if (zones_copy(stripe, zones, error) && !busy)
		zones->fills = stripe->fills;
	return error->status;
}

static bool
stripe_range(const GpuAggStripe *stripe, uint32_t attr, GpuAggZone *range)
{
	const GpuAggZone empty = GPUAGG_ZONE_EMPTY;
	const GpuAggStored *stored = gpuagg_cuda_stripe_stored(stripe, attr);

	*range = empty;
	if (stored == NULL || !zones_bound(stripe, &stored->zones))
		return false;
	for (uint32_t i = 0; i < gpuagg_zones(stripe->positions); i++)
	{
		const GpuAggZone *zone = &stored->zones.here[i];

		range->low = zone->low < range->low ? zone->low : range->low;
		range->high = zone->high > range->high ? zone->high : range->high;
		range->count += zone->count;
	}
	return true;
}

static GpuAggRange
zones_range(const GpuAggZone *zones, uint32_t n)
{
	GpuAggRange r = {INT64_MAX, INT64_MIN};

	for (uint32_t i = 0; i < n; i++)
	{
		r.low = zones[i].low < r.low ? zones[i].low : r.low;
		r.high = zones[i].high > r.high ? zones[i].high : r.high;
	}
	return r;
}

bool
gpuagg_cuda_column_range(GpuAggStripe *stripe, uint32_t attr, bool waits, GpuAggRange *range)
{
	GpuAggStored *column = (GpuAggStored *) gpuagg_cuda_stripe_stored(stripe, attr);
	GpuAggError error = {};

	if (column == NULL || gpuagg_key_class(column->type) == GPUAGG_CLASS_F64)
		return false;
	/* a column of what was drawn has no zones */
	if (column->zones.here != NULL)
	{
		if (stripe->device->lost ||
			(!zones_bound(stripe, &column->zones) &&
			 !(waits && zones_copy(stripe, &column->zones, &error))))
			return false;
		if (column->ranged != 1 + column->zones.copies)
			column->range = zones_range(column->zones.here, gpuagg_zones(stripe->positions));
		column->ranged = 1 + column->zones.copies;
	}
	*range = column->range;
	return column->ranged != 0;
}

/* ---------- stripes ---------- */

static void
stored_free(GpuAggDevice *device, GpuAggStored *stored)
{
	gpuagg_cuda_stripe_release(device, stored->memory, stored->memory_bytes);
	free(stored->zones.here);
}

static void
stripe_free(GpuAggStripe *stripe)
{
	for (uint32_t i = 0; i < stripe->ncolumns; i++)
		stored_free(stripe->device, &stripe->columns[i]);
	gpuagg_cuda_pages_release(stripe->device, stripe->pages);
	gpuagg_cuda_stripe_release(stripe->device, stripe->valid,
							   stripe->valid_bytes + zones_bytes(stripe->positions));
	free(stripe->zones.here);
	free(stripe->columns);
	free(stripe);
}

static GpuAggStatus
stripe_create(GpuAggDevice *device, uint32_t positions, GpuAggStripe **result, GpuAggError *error)
{
	GpuAggStripe *stripe = (GpuAggStripe *) calloc(1, sizeof(*stripe));

	*result = NULL;
	memset(error, 0, sizeof(*error));
	if (stripe == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	stripe->device = device;
	stripe->positions = positions;
	stripe->room = (positions + GPUAGG_STRIPE_TILE - 1) / GPUAGG_STRIPE_TILE * GPUAGG_STRIPE_TILE;
	stripe->valid_bytes = gpuagg_cuda_align(stripe->room / 8);
	stripe->valid = (uint32_t *) gpuagg_cuda_stripe_alloc(
		device, stripe->valid_bytes + zones_bytes(positions), error);
	if (stripe->valid == NULL ||
		!CUDA_OK(device,
				 cudaMemsetAsync(stripe->valid, 0, stripe->valid_bytes, device->stripe_stream),
				 error) ||
		!zones_init(device, &stripe->zones, (char *) stripe->valid + stripe->valid_bytes, positions,
					error) ||
		!gpuagg_cuda_stripe_done(device, error))
	{
		stripe_free(stripe);
		return error->status;
	}
	*result = stripe;
	return GPUAGG_OK;
}

const GpuAggStored *
gpuagg_cuda_stripe_stored(const GpuAggStripe *stripe, uint32_t attr)
{
	for (uint32_t i = 0; i < stripe->ncolumns; i++)
		if (stripe->columns[i].attr == attr)
			return &stripe->columns[i];
	return NULL;
}

size_t
gpuagg_cuda_stored_layout(const GpuAggStripe *stripe, size_t values, bool nulls,
						  GpuAggStored *stored)
{
	char	   *at = stored->memory + gpuagg_cuda_align(values);

	stored->nulls = nulls ? (uint32_t *) at : NULL;
	at += nulls ? stripe->valid_bytes : 0;
	stored->has_nulls = (uint32_t *) at;
	at += gpuagg_cuda_align(sizeof(*stored->has_nulls));
	stored->zones.there = (GpuAggZone *) at;
	at += zones_bytes(stripe->positions);
	stored->zones.known = (GpuAggZone *) at;
	return (size_t) (at - stored->memory) + zones_bytes(stripe->positions);
}

static size_t
plain_values_bytes(const GpuAggStripe *stripe, const GpuAggStored *stored)
{
	return (size_t) stripe->room * stored->bytes;
}

static GpuAggStatus
stripe_add_column(GpuAggStripe *stripe, uint32_t attr, uint32_t type, GpuAggDictionary *dictionary,
				GpuAggError *error)
{
	GpuAggDevice *device = stripe->device;
	const bool	string = gpuagg_key_class(type) == GPUAGG_CLASS_BYTES;
	GpuAggStored *columns;
	GpuAggStored c = {};

	memset(error, 0, sizeof(*error));
	c.attr = attr;
	c.type = type;
	c.dictionary = dictionary;
	c.bytes = string ? 4 : gpuagg_type_slot_bytes(type);
	c.memory_bytes = gpuagg_cuda_stored_layout(stripe, plain_values_bytes(stripe, &c), true, &c);
	columns = (GpuAggStored *) realloc(stripe->columns, (stripe->ncolumns + 1) * sizeof(*columns));
	if (columns == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	stripe->columns = columns;
	c.memory = (char *) gpuagg_cuda_stripe_alloc(device, c.memory_bytes, error);
	if (c.memory == NULL)
		return error->status;
	c.values = c.memory;
	(void) gpuagg_cuda_stored_layout(stripe, plain_values_bytes(stripe, &c), true, &c);

	/* so that nothing is read that was never written: codes lead to strings */
	if (!CUDA_OK(device, cudaMemsetAsync(c.memory, 0, (char *) c.zones.there - c.memory,
								 device->stripe_stream), error) ||
		!column_zones_init(device, &c.zones, stripe->positions, error) ||
		!gpuagg_cuda_stripe_done(device, error))
	{
		stored_free(device, &c);
		return error->status;
	}
	c.zones.fills = stripe->fills;
	columns[stripe->ncolumns++] = c;
	return GPUAGG_OK;
}

static void
stripe_drop_column(GpuAggStripe *stripe, uint32_t attr)
{
	for (uint32_t i = 0; i < stripe->ncolumns; i++)
		if (stripe->columns[i].attr == attr)
		{
			stored_free(stripe->device, &stripe->columns[i]);
			stripe->columns[i] = stripe->columns[--stripe->ncolumns];
			return;
		}
}

static uint64_t
stripe_column_bytes(const GpuAggStripe *stripe, uint32_t attr)
{
	const GpuAggStored *c = gpuagg_cuda_stripe_stored(stripe, attr);

	return c != NULL ? c->memory_bytes : 0;
}

static uint64_t
stripe_plain_bytes(const GpuAggStripe *stripe, uint32_t attr)
{
	const GpuAggStored *stored = gpuagg_cuda_stripe_stored(stripe, attr);
	GpuAggStored plain = {};

	return stored != NULL ?
		gpuagg_cuda_stored_layout(stripe, plain_values_bytes(stripe, stored), true, &plain) : 0;
}

static uint64_t
stripe_bytes(const GpuAggStripe *stripe)
{
	uint64_t	bytes = stripe->valid_bytes + zones_bytes(stripe->positions) +
		(stripe->pages != NULL ? stripe->pages->bytes : 0);

	for (uint32_t i = 0; i < stripe->ncolumns; i++)
		bytes += stripe->columns[i].memory_bytes;
	return bytes;
}

void
gpuagg_cuda_stored_column(const GpuAggStored *stored, GpuAggStripeColumn *column)
{
	memset(column, 0, sizeof(*column));
	column->values = stored->values;
	column->blocks = stored->blocks;
	column->nulls = stored->nulls;
	column->has_nulls = stored->has_nulls;
	column->bytes = stored->bytes;
	column->f64 = gpuagg_key_class(stored->type) == GPUAGG_CLASS_F64;
	column->zones = stored->zones.there;
	column->known = stored->zones.known;
	column->told = (unsigned long long *) stored->zones.told;
}

bool
gpuagg_cuda_stripe_columns(const GpuAggStripe *stripe, const GpuAggProgram *p,
						   GpuAggStripeColumn *columns, GpuAggError *error)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	const uint8_t *classes = gpuagg_program_classes(p);

	for (uint32_t i = 0; i < p->nattrs; i++)
	{
		const uint32_t reg = attrs[i].reg;
		const GpuAggStored *stored;

		if (reg == GPUAGG_NO_REG)
			continue;
		stored = gpuagg_cuda_stripe_stored(stripe, i);
		if (stored == NULL || stored->type != attrs[i].type)
		{
			gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "a stripe has no column %u of that type",
							  i);
			return false;
		}
		gpuagg_cuda_stored_column(stored, &columns[reg]);
		if (classes[reg] == GPUAGG_CLASS_BYTES)
			columns[reg].strings = gpuagg_cuda_dictionary_strings(stored->dictionary);
	}
	return true;
}

const GpuAggStripeOps gpuagg_cuda_stripe_ops = {
	stripe_create,
	stripe_free,
	stripe_add_column,
	stripe_drop_column,
	gpuagg_cuda_stripe_pages,
	stripe_zones,
	stripe_range,
	stripe_bytes,
	stripe_column_bytes,
	stripe_plain_bytes,
	stripe_limit,
	stripe_used,
	gpuagg_cuda_dictionary_create,
	gpuagg_cuda_dictionary_free,
	gpuagg_cuda_dictionary_info,
	gpuagg_cuda_dictionary_encode,
	gpuagg_cuda_dictionary_read,
	gpuagg_cuda_code_table,
	gpuagg_cuda_code_table_leave,
	gpuagg_cuda_code_table_given,
	gpuagg_cuda_code_table_give,
	gpuagg_cuda_code_tables_drop,
	gpuagg_cuda_code_table_texts,
	gpuagg_cuda_code_table_order,
	ORDERED_STRINGS,
	gpuagg_cuda_rearrange,
	gpuagg_cuda_pack,
	true,
	false,
	true,
};
