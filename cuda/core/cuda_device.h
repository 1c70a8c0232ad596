/*
 * cuda_device.h
 *		Inside the CUDA device: the card, and what all of its tasks take of it.
 *
 * Everything here runs on the device worker's main thread and never waits for
 * the card: work is put into streams, and events are asked whether it is
 * done.  One more thread (completion_flag.cu) tells when it is worth asking.
 *
 * Sections below are named by the file that has their functions.  Measuring the card
 * (cuda_probe.h) runs on another thread.
 */
#ifndef GPUAGG_CUDA_CORE_CUDA_DEVICE_H
#define GPUAGG_CUDA_CORE_CUDA_DEVICE_H

#include "cuda/kernel/kernels.h"

/* Pinned host memory, of a power of two bytes; kept for the next user */
typedef struct GpuAggPinned
{
	struct GpuAggPinned *next;
	char	   *data;
	size_t		bytes;
} GpuAggPinned;

/* A word that the card writes when a stream has come to some place */
typedef struct GpuAggCompletionFlag
{
	volatile uint32_t *written;	/* pinned: how often, as written by the card */
	uint32_t	wanted;			/* how often it will have been */
	uint32_t	heard;			/* how often the thread has told */
} GpuAggCompletionFlag;

typedef struct GpuAggCompletionFlags GpuAggCompletionFlags;	/* all of a device's, and the thread */

typedef struct GpuAggRegistration GpuAggRegistration;	/* of shared_buffers, and its thread */

/* Of a task: pages are decoded in one, rows grouped in the other (cuda/task/task.h) */
typedef struct GpuAggStreamPair
{
	struct GpuAggStreamPair *next;
	cudaStream_t decode;
	cudaStream_t group;
	GpuAggCompletionFlag *completion_flag;	/* of the group stream */
	bool		first;			/* its blocks run before those of others that wait */
} GpuAggStreamPair;

/* Times of a batch or a window of results */
typedef struct GpuAggEvents
{
	struct GpuAggEvents *next;
	cudaEvent_t decode;			/* decoding begins */
	cudaEvent_t decoded;
	cudaEvent_t group;			/* grouping, or writing groups, begins */
	cudaEvent_t grouped;
	cudaEvent_t done;			/* copies to the host, too */
} GpuAggEvents;

struct GpuAggDevice
{
	int			ordinal;
	int			event_fd;
	char		name[128];
	char		uuid[GPUAGG_UUID_BYTES];
	uint32_t	sms;
	GpuAggLaunches launches;
	cudaMemPool_t pool;
	const char *pages;			/* shared_buffers */
	uint64_t	pages_bytes;
	GpuAggRegistration *registration;	/* which of them kernels read in place */
	uint64_t	memory_limit;
	uint64_t	memory_used;	/* by tasks */
	uint64_t	link_rate;		/* bytes/s */
	bool		lost;
	GpuAggError lost_error;
	GpuAggCompletionFlags *completion_flags;
	GpuAggPinned *pinned;		/* free ones */
	size_t		pinned_bytes;	/* of these */
	GpuAggStreamPair *stream_pairs[2];	/* free ones; [1]: of short tasks, who go first */
	GpuAggEvents *events;		/* free ones */

	/* stripes and dictionaries (stripe.cu) */
	uint64_t	stripe_limit;
	uint64_t	stripe_used;
	cudaStream_t stripe_stream;	/* what is done to them beside tasks; NULL: none
								 * has been made yet */
	cudaEvent_t stripe_event;		/* behind the last of it */
	unsigned long long *told;	/* memory of the host, which kernels write: of columns' zones */
	uint32_t	next_told;
	uint64_t	fill_number;

	struct GpuAggKernelCompiler *compiler;	/* cuda/compile/compile.cu; NULL: none */
};

/* ---------- registration.cu ---------- */

/*
 * Opens with one piece of shared_buffers registered; a thread goes on with the
 * others.  Close ends it, which takes as long as one piece.
 */
extern bool gpuagg_cuda_registration_open(GpuAggDevice *device, const GpuAggDeviceConfig *config,
										  const cudaDeviceProp *prop, GpuAggError *error);
extern void gpuagg_cuda_registration_close(GpuAggDevice *device);

/* Where kernels read a page of shared_buffers; NULL: nowhere yet */
extern const char *gpuagg_cuda_registered(const GpuAggDevice *device, const char *page);

/* The piece that was registered first */
extern void gpuagg_cuda_registration_first(const GpuAggDevice *device, const char **from,
										   size_t *bytes);

/* Fills in how far it is. */
extern void gpuagg_cuda_registration_info(const GpuAggDevice *device, GpuAggDeviceInfo *info);

/* ---------- check.cu ---------- */

/*
 * A CUDA call that failed, as a status; GPUAGG_OK if it did not.  An error
 * that the context does not recover from marks the device as lost.
 */
extern GpuAggStatus gpuagg_cuda_failed(GpuAggDevice *device, cudaError_t rc,
									   const char *what, const char *file,
									   int line, GpuAggError *error);

/* Evaluates to true if the call succeeded; else *error is set. */
#define CUDA_OK(device, call, error) \
	(gpuagg_cuda_failed(device, call, #call, __FILE__, __LINE__, error) == GPUAGG_OK)

/* After kernel launches */
#define CUDA_LAUNCHED(device, error) \
	(gpuagg_cuda_failed(device, cudaGetLastError(), "kernel launch", __FILE__, __LINE__, error) == GPUAGG_OK)

extern GpuAggStatus gpuagg_cuda_error(GpuAggError *error, GpuAggStatus status,
									  const char *format,...)
	__attribute__((format(printf, 3, 4)));
extern GpuAggStatus gpuagg_cuda_injected(const char *where, GpuAggError *error);

/* ---------- launch.cu ---------- */

extern void gpuagg_cuda_limits(const cudaDeviceProp *prop, GpuAggUnitLimits *limits);

/* At open: what each kernel takes, of those for pages and tables; then of others */
extern bool gpuagg_cuda_launches_open(GpuAggLaunches *launches, const cudaDeviceProp *prop,
									  GpuAggError *error);
extern bool gpuagg_cuda_launches_add(GpuAggLaunches *launches, const GpuAggKernelRef *kernels,
									 GpuAggError *error);

/*
 * Blocks of a kernel that goes through batches, with that much shared memory
 * beyond its own: as many as run at once and leave room for the decoder.
 */
extern uint32_t gpuagg_cuda_batch_blocks(const GpuAggLaunches *launches,
										 const GpuAggKernelRef *ref,
										 uint32_t dynamic_bytes);

/* A kernel with that much to do, in threads: in the fewest rounds */
extern GpuAggLaunch gpuagg_cuda_launch(const GpuAggLaunches *launches,
									   const GpuAggKernelRef *ref, uint64_t threads);

/* ---------- memory.cu ---------- */

/*
 * Gives back to the card, for others, what the pool keeps for the next task:
 * mapping 16 GB anew takes as long as grouping 10^9 rows.
 */
extern void gpuagg_cuda_trim(GpuAggDevice *device);

extern GpuAggPinned *gpuagg_cuda_pin(GpuAggDevice *device, size_t bytes,
									 GpuAggError *error);
extern void gpuagg_cuda_unpin(GpuAggDevice *device, GpuAggPinned *pinned);

/* first: for a short task (device/choice/slices.h) */
extern GpuAggStreamPair *gpuagg_cuda_stream_pair(GpuAggDevice *device, bool first,
												 GpuAggError *error);
extern void gpuagg_cuda_stream_pair_free(GpuAggDevice *device, GpuAggStreamPair *streams);
extern GpuAggEvents *gpuagg_cuda_events(GpuAggDevice *device, GpuAggError *error);
extern void gpuagg_cuda_events_free(GpuAggDevice *device, GpuAggEvents *events);

/* At close: what is cached goes back to CUDA. */
extern void gpuagg_cuda_memory_close(GpuAggDevice *device);

/* Nanoseconds between two events that have happened */
extern uint64_t gpuagg_cuda_elapsed(cudaEvent_t from, cudaEvent_t to);

/* ---------- completion_flag.cu ---------- */

extern GpuAggCompletionFlags *gpuagg_cuda_completion_flags_open(int event_fd, GpuAggError *error);

/* Stops the thread; the completion flags are gone. */
extern void gpuagg_cuda_completion_flags_close(GpuAggCompletionFlags *completion_flags);

/* One more completion flag, as long as the device lives; NULL: too many, or *error */
extern GpuAggCompletionFlag *gpuagg_cuda_completion_flag(GpuAggDevice *device, GpuAggError *error);

/* The event_fd is to fire when the pair's group stream has come this far. */
extern bool gpuagg_cuda_notify(GpuAggDevice *device, GpuAggStreamPair *streams, GpuAggError *error);

/* ---------- prepared_program.cu ---------- */

/* malloc'ed; NULL: no memory.  *bytes: of the prepared program with its program. */
extern GpuAggCudaPrepared *gpuagg_cuda_prepare(const GpuAggProgram *program, size_t *bytes);

static inline const GpuAggProgram *
gpuagg_cuda_program(const GpuAggCudaPrepared *prepared)
{
	return (const GpuAggProgram *) ((const char *) prepared + prepared->program_off);
}

#endif							/* GPUAGG_CUDA_CORE_CUDA_DEVICE_H */
