/*
 * dropped_database.h
 *		Columns kept of a database that is dropped are freed at once.
 */
#ifndef GPUAGG_IPC_DROPPED_DATABASE_H
#define GPUAGG_IPC_DROPPED_DATABASE_H

/* Installs the hook, while the postmaster loads the module. */
extern void gpuagg_dropped_database_init(void);

#endif							/* GPUAGG_IPC_DROPPED_DATABASE_H */
