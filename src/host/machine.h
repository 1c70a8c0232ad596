/*
 * machine.h
 *		What the kernel says of the machine that we run on.
 *
 * All read files anew at each call; of the processor's, some kernels take
 * up to 20 ms to measure clocks first.
 */
#ifndef GPUAGG_HOST_MACHINE_H
#define GPUAGG_HOST_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number behind the first line of this name; 0: no such file or line */
extern double gpuagg_machine_number(const char *path, const char *name);

/* The processor's model, "AMD EPYC 9654"; "CPU" if it has no name */
extern void gpuagg_machine_model(char *text, size_t size);

/* Of all memory */
extern uint64_t gpuagg_machine_bytes(void);

/* Of it, what this process may use: a container's limit, if it has one */
extern uint64_t gpuagg_machine_memory(void);

/* What a core sees of its last cache; 0: not known */
extern uint64_t gpuagg_machine_cache_bytes(void);

/* Is it a virtual machine? */
extern bool gpuagg_machine_is_guest(void);

/* CPUs that this process may run on: taskset's, or a container's */
extern int	gpuagg_host_cpus(void);

#define GPUAGG_MACHINE_BYTES 192

/*
 * What tells this machine from others, for profiles; size: GPUAGG_MACHINE_BYTES.
 * "AMD EPYC 9654 25-17-1, 384 MiB of cache, 256 GiB of memory"
 */
extern void gpuagg_host_machine(char *text, size_t size);

/* Bytes that the host device wants a partition's table to fit: half of a core's L2 cache */
extern size_t gpuagg_host_part_bytes(void);

#endif							/* GPUAGG_HOST_MACHINE_H */
