/*
 * queue.h
 *		Which of the tasks that wait for a device is begun next.
 */
#ifndef GPUAGG_WORKER_QUEUE_H
#define GPUAGG_WORKER_QUEUE_H

#include "postgres.h"

/* Lets queued jobs onto their devices; true: one of them has something to say. */
extern bool gpuagg_queue_admit(void);

#endif							/* GPUAGG_WORKER_QUEUE_H */
