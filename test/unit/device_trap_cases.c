/*
 * device_trap_cases.c
 *		A kernel that traps, which ends a GPU's context for good.
 */
#include "device_oracle.h"
#include "device_table.h"

int
device_trap_cases(const TestDevice *d)
{
	static TestProgram p;
	GpuAggTaskConfig config = {.fault = GPUAGG_FAULT_TRAP};
	Run			run;
	Run			other;

	if (!device_open(d))
		return done_testing();
	table_make(20000, 5000, 0);
	program_standard(&p);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "the device works");
	ok(run_begin(&other, &p, &plain_config) && run_feed(&other), "a task with pages behind it");
	run_task(&run, &p, &config, 4096);
	if (!ok(run.error.status == GPUAGG_DEVICE_LOST, "a kernel traps: the device is lost"))
		printf("#   status %d: %s\n", run.error.status, run.error.message);
	ok(run.error.message[0] != '\0', "with a message");
	run_end(&run);
	ok(!run_begin(&run, &p, &plain_config) && run.error.status == GPUAGG_DEVICE_LOST,
	   "for later tasks, too");
	ok(!run_finish(&other, 4096) && other.error.status == GPUAGG_DEVICE_LOST,
	   "and for those that ran");
	run_end(&other);
	table_free();
	device_close();
	return done_testing();
}
