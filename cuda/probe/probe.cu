/*
 * probe.cu
 *		Measurements that find the levels of a card's memory hierarchy and what
 *		random accesses cost, and what all measurements need.
 *
 * Everything is enqueued in pieces that take less than 100 ms on any card we
 * know, and waited for with a thread that sleeps; between pieces *cancel is
 * looked at.
 */
#include "cuda/probe/cuda_probe.h"

/* Elements of a chain written in one piece */
#define CHAIN_ELEMENTS ((uint64_t) 1 << 26)

/* Steps of a chase in one piece: 100 ms at 1.5 us each, slower than any */
#define CHASE_STEPS ((uint64_t) 1 << 16)

/* Below this %globaltimer, which may tick once a us, is not fine enough. */
#define CHASE_NS 500000

/* How long a pair reads untimed and timed */
#define PAIR_WARM_NS 250000
#define PAIR_NS 1000000

/* Rounds are doubled and more until work takes so long. */
#define RATE_NS 10000000
#define RATE_AIM_NS 15000000
#define RATE_STEP 16

/*
 * Blocks of a multiprocessor that access at random: they all fit at once on any
 * card, so that none starts late, and have 8192 accesses in flight.
 */
#define RANDOM_BLOCKS 4

/* Blocks a multiprocessor: attempts to land on a given one */
static const uint32_t land_blocks[] = {4, 16, 64, 256};

#define NLANDS (sizeof(land_blocks) / sizeof(land_blocks[0]))

/* ---------- what all measurements need ---------- */

bool
gpuagg_cuda_probe_cancelled(GpuAggProbe *p, GpuAggError *error)
{
	if (!*p->cancel)
		return false;
	gpuagg_cuda_error(error, GPUAGG_CANCELLED, "cancelled");
	return true;
}

bool
gpuagg_cuda_probe_clear(GpuAggProbe *p, GpuAggError *error)
{
	return !gpuagg_cuda_probe_cancelled(p, error) &&
		PROBE_OK(cudaMemsetAsync(p->report, 0, sizeof(*p->report), p->stream), error);
}

bool
gpuagg_cuda_probe_wait(GpuAggProbe *p, GpuAggError *error)
{
	return PROBE_OK(cudaEventRecord(p->to, p->stream), error) &&
		PROBE_OK(cudaEventSynchronize(p->to), error);
}

bool
gpuagg_cuda_probe_see(GpuAggProbe *p, GpuAggError *error)
{
	return PROBE_LAUNCHED(error) &&
		PROBE_OK(cudaMemcpyAsync(p->seen, p->report, sizeof(*p->report),
								 cudaMemcpyDeviceToHost, p->stream), error) &&
		gpuagg_cuda_probe_wait(p, error);
}

uint32_t
gpuagg_cuda_probe_blocks(GpuAggProbe *p, uint32_t unit, uint32_t attempt,
						 GpuAggError *error)
{
	if (attempt < NLANDS)
		return p->units * land_blocks[attempt];
	gpuagg_cuda_error(error, GPUAGG_BUSY, "no block came to run on multiprocessor %u", unit);
	return 0;
}

/* ---------- rates ---------- */

/* Nanoseconds of that many rounds; 0: *error */
static uint64_t
rounds_time(GpuAggProbe *p, const GpuAggProbeWork *work, uint64_t rounds,
			GpuAggError *error)
{
	uint64_t	ns;

	if (gpuagg_cuda_probe_cancelled(p, error) ||
		!PROBE_OK(cudaEventRecord(p->from, p->stream), error) ||
		!PROBE_OK(work->launch(p, work, rounds), error) ||
		!gpuagg_cuda_probe_wait(p, error))
		return 0;
	ns = gpuagg_cuda_elapsed(p->from, p->to);
	return ns > 0 ? ns : 1;
}

GpuAggStatus
gpuagg_cuda_probe_rate(GpuAggProbe *p, const GpuAggProbeWork *work, double *rate,
					   GpuAggError *error)
{
	uint64_t	rounds = 1;
	uint64_t	ns = rounds_time(p, work, rounds, error);	/* warms up */

	*rate = 0;
	for (bool warm = false; ns > 0 && (!warm || ns < RATE_NS); warm = true)
	{
		uint64_t	more = RATE_AIM_NS / ns + (warm && ns < RATE_NS);

		rounds *= more < 1 ? 1 : more > RATE_STEP ? RATE_STEP : more;
		ns = rounds_time(p, work, rounds, error);
	}
	if (ns == 0)
		return error->status;
	*rate = work->events * (double) rounds * 1e9 / (double) ns;
	return GPUAGG_OK;
}

static cudaError_t
random_launch(GpuAggProbe *p, const GpuAggProbeWork *work, uint64_t rounds)
{
	gpuagg_cuda_probe_random((GpuAggRandomKind) work->kind, p->memory, work->bytes,
							 work->blocks, rounds, p->report, p->stream);
	return cudaGetLastError();
}

GpuAggStatus
gpuagg_cuda_probe_access(GpuAggProbe *p, GpuAggRandomKind kind, uint64_t bytes, double *rate,
			 GpuAggError *error)
{
	const uint32_t blocks = p->units * RANDOM_BLOCKS;
	const GpuAggProbeWork work = {
		random_launch, (double) blocks * GPUAGG_RANDOM_THREADS * GPUAGG_RANDOM_AHEAD,
		bytes, (uint32_t) kind, blocks, NULL
	};

	memset(error, 0, sizeof(*error));
	*rate = 0;
	if (kind >= GPUAGG_NRANDOMS || bytes < 32 || bytes > p->bytes)
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED,
								 "random accesses of kind %d in %llu bytes", (int) kind,
								 (unsigned long long) bytes);
	return gpuagg_cuda_probe_rate(p, &work, rate, error);
}

/* ---------- chases ---------- */

static bool
chain_write(GpuAggProbe *p, const GpuAggChase *chase, GpuAggError *error)
{
	GpuAggChain chain = {
		p->memory + gpuagg_chase_first(chase, (uint64_t) p->memory), chase->stride, chase->count, 0
	};
	const char *start;

	if (chase->shuffle)
		for (chain.bits = 1; (chase->count - 1) >> chain.bits > 0; chain.bits++)
			;
	start = gpuagg_cuda_probe_chain_start(&chain);
	for (uint64_t at = 0; at < chase->count; at += CHAIN_ELEMENTS)
	{
		const uint64_t left = chase->count - at;

		if (gpuagg_cuda_probe_cancelled(p, error))
			return false;
		gpuagg_cuda_probe_chain(&chain, at, left < CHAIN_ELEMENTS ? left : CHAIN_ELEMENTS,
								p->stream);
		if (!PROBE_LAUNCHED(error) ||
			(left > CHAIN_ELEMENTS && !gpuagg_cuda_probe_wait(p, error)))
			return false;
	}
	return PROBE_OK(cudaMemcpyAsync(&p->report->at, &start, sizeof(start),
									cudaMemcpyHostToDevice, p->stream), error);
}

/* Goes on where the report says. */
static bool
chase_piece(GpuAggProbe *p, const GpuAggChase *chase, uint64_t untimed,
			uint64_t timed, GpuAggError *error)
{
	for (uint32_t attempt = 0;; attempt++)
	{
		const uint32_t blocks = gpuagg_cuda_probe_blocks(p, chase->unit, attempt, error);

		if (blocks == 0 || gpuagg_cuda_probe_cancelled(p, error) ||
			!PROBE_OK(cudaMemsetAsync(p->report->claimed, 0, sizeof(p->report->claimed),
									  p->stream), error))
			return false;
		gpuagg_cuda_probe_chase(p->smid[chase->unit], blocks, chase->own_cache != 0,
								untimed, timed, p->report, p->stream);
		if (!gpuagg_cuda_probe_see(p, error))
			return false;
		if (p->seen->claimed[0])
			return true;
	}
}

static bool
chase_valid(const GpuAggProbe *p, const GpuAggChase *chase)
{
	const uint64_t first = gpuagg_chase_first(chase, (uint64_t) p->memory);

	return (chase->align & (chase->align - 1)) == 0 && chase->stride >= 8 &&
		(chase->stride & (chase->stride - 1)) == 0 && chase->count >= 2 && chase->rounds >= 1 &&
		chase->unit < p->units && chase->start % 8 == 0 && chase->start <= p->bytes &&
		first <= p->bytes && chase->count <= (p->bytes - first) / chase->stride;
}

GpuAggStatus
gpuagg_cuda_probe_chase_chain(GpuAggProbe *p, const GpuAggChase *chase, GpuAggChaseTime *time,
			GpuAggError *error)
{
	uint64_t	untimed = chase->count;
	uint64_t	timed = chase->count * chase->rounds;
	const double steps = (double) timed;

	memset(error, 0, sizeof(*error));
	memset(time, 0, sizeof(*time));
	if (!chase_valid(p, chase))
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED,
								 "a chase of %llu elements, %llu bytes apart, on unit %u",
								 (unsigned long long) chase->count,
								 (unsigned long long) chase->stride, chase->unit);
	if (!gpuagg_cuda_probe_clear(p, error) || !chain_write(p, chase, error))
		return error->status;
	while (untimed + timed > 0)
	{
		const uint64_t first = untimed < CHASE_STEPS ? untimed : CHASE_STEPS;
		const uint64_t then = timed < CHASE_STEPS - first ? timed : CHASE_STEPS - first;

		if (!chase_piece(p, chase, first, then, error))
			return error->status;
		untimed -= first;
		timed -= then;
	}
	time->cycles = (double) p->seen->cycles / steps;
	time->ns = p->seen->ns >= CHASE_NS ? (double) p->seen->ns / steps :
		time->cycles / p->clock_ghz;
	return GPUAGG_OK;
}

/* ---------- pairs ---------- */

static bool
pair_fits(const GpuAggProbe *p, uint64_t start, uint64_t bytes)
{
	return start % 8 == 0 && start <= p->bytes && bytes <= p->bytes - start;
}

GpuAggStatus
gpuagg_cuda_probe_read_pair(GpuAggProbe *p, uint32_t unit, uint32_t other, uint64_t start,
		   uint64_t other_start, uint64_t bytes, double *rate, GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	*rate = 0;
	if (unit >= p->units || other >= p->units || bytes < 8 ||
		!pair_fits(p, start, bytes) || !pair_fits(p, other_start, bytes))
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED,
								 "units %u and %u in regions of %llu bytes", unit, other,
								 (unsigned long long) bytes);
	for (uint32_t attempt = 0;; attempt++)
	{
		const uint32_t blocks = gpuagg_cuda_probe_blocks(p, unit, attempt, error);
		const GpuAggPairReads pair = {
			{p->smid[unit], p->smid[other]}, other == unit ? 1u : 2u,
			{p->memory + start, p->memory + other_start}, bytes,
			(uint64_t) (PAIR_WARM_NS * p->clock_ghz), (uint64_t) (PAIR_NS * p->clock_ghz)
		};

		if (blocks == 0 || !gpuagg_cuda_probe_clear(p, error))
			return error->status;
		gpuagg_cuda_probe_pair(&pair, blocks, p->report, p->stream);
		if (!gpuagg_cuda_probe_see(p, error))
			return error->status;
		if (!p->seen->alone && p->seen->cycles > 0)
			break;
	}
	*rate = (double) p->seen->events * p->clock_ghz * 1e9 / (double) p->seen->cycles;
	return GPUAGG_OK;
}
