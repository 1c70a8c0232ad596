/*
 * dropped_pins.h
 *		Pinned columns that are dropped, alone or with their table, are pinned no more.
 */
#ifndef GPUAGG_IPC_DROPPED_PINS_H
#define GPUAGG_IPC_DROPPED_PINS_H

/* Installs the hook, while the postmaster loads the module. */
extern void gpuagg_dropped_pins_init(void);

/* Forgets those of this database that are not there by now, whoever dropped them. */
extern void gpuagg_dropped_pins_forget(void);

#endif							/* GPUAGG_IPC_DROPPED_PINS_H */
