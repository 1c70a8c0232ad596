/*
 * probe_host_test.c
 *		The host's probe operations: positive, ordered, bounded, cancellable.
 *		Nothing here depends on which machine it is.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "host/host_probe.h"
#include "host/host_probe_rates.h"
#include "probe/probe_run.h"
#include "probe_sim.h"
#include "tap.h"

static GpuAggProbeResult result;
static GpuAggError error;

static GpuAggStatus
chase(GpuAggProbe *probe, uint64_t stride, uint64_t count, bool huge, double *ns)
{
	GpuAggChase chase = {
		.stride = stride, .count = count, .rounds = 2, .huge = huge, .shuffle = 1
	};
	GpuAggChaseTime time = {0};
	GpuAggStatus status = gpuagg_host_probe_ops.chase(probe, &chase, &time, &error);

	*ns = time.ns;
	return status;
}

static void
test_chases(GpuAggProbe *probe, const GpuAggProbeMachine *machine)
{
	const uint64_t strides[] = {8, 64, 128, 4096, SIM_MIB(1)};
	double		near;
	double		far;
	bool		positive = true;

	for (int i = 0; i < 5; i++)
		for (uint64_t count = 2; count <= 4096; count = count * 3 + 1)
			if (strides[i] * count <= machine->bytes)
				positive = positive &&
					chase(probe, strides[i], count, false, &near) == GPUAGG_OK &&
					near > 0;
	ok(positive, "chases take time");
	chase(probe, 64, 64, false, &near);
	chase(probe, 64, machine->bytes / 64, false, &far);
	ok(far > near, "all memory takes longer than 4 KiB");
	is_int(chase(probe, 4096, machine->bytes / 4096 + 1, false, &near),
		   GPUAGG_UNSUPPORTED, "a chase beyond the memory");
	is_int(chase(probe, 24, 16, false, &near), GPUAGG_UNSUPPORTED,
		   "a stride that is no power of two");
	is_int(chase(probe, 64, 1, false, &near), GPUAGG_UNSUPPORTED, "one element");
	switch (chase(probe, 4096, 1024, true, &near))
	{
		case GPUAGG_OK:
			ok(near > 0, "a chase on huge pages");
			break;
		case GPUAGG_UNSUPPORTED:
			ok(true, "a chase on huge pages # SKIP the system gives none");
			break;
		default:
			ok(false, "a chase on huge pages");
	}
}

static void
test_rates(GpuAggProbe *probe, const GpuAggProbeMachine *machine)
{
	bool		positive = true;
	double		value;

	for (uint32_t kind = 0; kind < GPUAGG_NRANDOMS; kind++)
	{
		value = 0;
		positive = positive &&
			gpuagg_host_probe_random(probe, kind, SIM_MIB(1), &value, &error) == GPUAGG_OK &&
			value > 0;
	}
	ok(positive, "random accesses");
	positive = true;
	for (uint32_t c = 0; c < GPUAGG_NCEILINGS; c++)
	{
		GpuAggStatus status;

		value = 0;
		status = gpuagg_host_probe_ceiling(probe, c, &value, &error);
		if (c == GPUAGG_CEILING_ZERO_COPY_OUT ||
			(c > GPUAGG_CEILING_TOUCH_HUGE && c != GPUAGG_CEILING_GROUP))
			positive = positive && status == GPUAGG_UNSUPPORTED;
		else if (c != GPUAGG_CEILING_TOUCH_HUGE || status != GPUAGG_UNSUPPORTED)
			positive = positive && status == GPUAGG_OK && value > 0;
	}
	ok(positive, "every ceiling but those of a link and a GPU's memory");
	positive = true;
	for (uint32_t words = 1; words <= 4; words++)
		positive = positive &&
			gpuagg_host_probe_pattern(probe, words, SIM_MIB(1), false, &value, &error) ==
				GPUAGG_OK &&
			value > 0;
	ok(positive, "access patterns");
	ok(gpuagg_host_probe_threads(probe, machine->units, &value, &error) == GPUAGG_OK &&
	   value > 0, "threads");
	is_int(gpuagg_host_probe_random(probe, 0, machine->bytes * 2, &value, &error),
		   GPUAGG_UNSUPPORTED, "random accesses beyond the memory");
}

static void
test_operations(void)
{
	GpuAggProbeLimits limits = {.seconds = 2, .memory_share = 1, .memory_bytes = SIM_MIB(64)};
	GpuAggProbeMachine machine = {0};
	GpuAggProbe *probe;
	int			cancel = 0;
	double		ns;

	if (!ok(gpuagg_host_probe_ops.begin(NULL, &limits, &cancel, &probe, &machine,
										&error) == GPUAGG_OK, "begin"))
		return;
	ok(machine.bytes > 0 && machine.bytes <= SIM_MIB(32),
	   "two regions within the limit");
	ok(machine.units >= 1 && machine.warp == 1 && machine.page_bytes >= 4096 &&
	   machine.total_bytes > machine.bytes, "what the machine says of itself");
	test_chases(probe, &machine);
	test_rates(probe, &machine);
	cancel = 1;
	is_int(chase(probe, 64, 4096, false, &ns), GPUAGG_CANCELLED, "a cancelled chase");
	is_int(gpuagg_host_probe_threads(probe, 1, &ns, &error), GPUAGG_CANCELLED,
		   "cancelled threads");
	gpuagg_host_probe_ops.end(probe);

	cancel = 0;
	limits.memory_bytes = 4096;
	is_int(gpuagg_host_probe_ops.begin(NULL, &limits, &cancel, &probe, &machine, &error),
		   GPUAGG_OUT_OF_MEMORY, "too little memory");
	ok(error.message[0] != '\0', "and why");
}

static void *
cancel_soon(void *cancel)
{
	nanosleep(&(struct timespec) {.tv_nsec = 300000000}, NULL);
	*(volatile int *) cancel = 1;
	return NULL;
}

static void
test_session(void)
{
	GpuAggProbeLimits limits = {.seconds = 1.5, .memory_share = 0.5, .memory_bytes = SIM_MIB(128)};
	volatile int cancel = 0;
	bool		ordered = true;
	double		start = gpuagg_host_probe_now();
	pthread_t	canceller;

	is_int(gpuagg_probe_run(&gpuagg_host_probe_ops, NULL, 0, &limits, &cancel, NULL,
							&result, &error), GPUAGG_OK, "a whole session");
	ok(result.seconds > 0 && gpuagg_host_probe_now() - start < 15, "bounded in time");
	printf("#   %.2f s, %u levels, %u points, %u patterns\n", result.seconds,
		   result.nlevels, result.npoints, result.npatterns);
	for (uint32_t i = 0; i < result.nlevels; i++)
		ordered = ordered && result.levels[i].hit_ns > 0 &&
			result.levels[i].confidence >= 0 && result.levels[i].confidence <= 1;
	for (uint32_t i = 1; i < result.npoints; i++)
		ordered = ordered && result.points[i].bytes > result.points[i - 1].bytes &&
			result.points[i].rate[0] > 0;
	ok(ordered, "results in order");
	ok(result.npoints > 0 && result.ceiling[GPUAGG_CEILING_MEMORY_READ] > 0,
	   "rates are there");
	ok(result.ngroups == 0 && result.nkernels == 0, "units are all the same");

	start = gpuagg_host_probe_now();
	pthread_create(&canceller, NULL, cancel_soon, (void *) &cancel);
	is_int(gpuagg_probe_run(&gpuagg_host_probe_ops, NULL, 1,
							&(GpuAggProbeLimits) {.seconds = 20, .memory_share = 0.1},
							&cancel, NULL, &result, &error),
		   GPUAGG_CANCELLED, "a cancelled session");
	ok(gpuagg_host_probe_now() - start < 5, "ends soon");
	pthread_join(canceller, NULL);
}

int
main(void)
{
	test_operations();
	test_session();
	return done_testing();
}
