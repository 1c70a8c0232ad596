/*
 * registration.cu
 *		shared_buffers on their way to the card's address space, behind the service.
 *
 * Memory has to be registered before kernels can read it in place, and that takes
 * half a second for each gigabyte.  So only one piece of it is registered while the
 * device opens, and a thread does the others while tasks run.  Of a page that does
 * not lie in registered pieces the worker makes a copy in pinned memory, which
 * kernels read instead (provider/batch_input.cu).
 *
 * A piece is touched by several threads first, for what takes time is that the kernel
 * finds memory for it, page by page.  Then cudaHostRegister pins what is there.
 *
 * The threads are started while all signals are blocked, and stay so.  They share
 * with the worker's main thread what each piece says of itself: its address is
 * written before its flag, and never changes.
 *
 * A piece that cannot be registered ends it: the rest is read through copies.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/core/cuda_device.h"

/* Pieces end where addresses are multiples of this: 128 MiB. */
#define PIECE_SHIFT 27
#define PIECE_BYTES ((uintptr_t) 1 << PIECE_SHIFT)

#define TOUCH_THREADS 4

/* The first piece that is shorter than this is not the one to measure the link with. */
#define SHORT_BYTES ((size_t) 64 << 20)

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22	/* Linux 5.14 */
#endif

typedef struct Piece
{
	bool		ready;			/* atomic, for kernels may read it */
	ptrdiff_t	shift;			/* a kernel finds it at host address + shift */
} Piece;

struct GpuAggRegistration
{
	int			ordinal;
	unsigned int flags;
	uintptr_t	start;			/* whole pages of the host around shared_buffers */
	uintptr_t	end;
	uint32_t	npieces;
	uint32_t	first;			/* the piece that is registered first */
	uint64_t	bytes;			/* atomic: registered so far */
	bool		working;		/* atomic: the thread goes on */
	bool		stop;			/* atomic: it is not to */
	bool		started;		/* there is one to be joined */
	pthread_t	thread;
	Piece		pieces[];
};

static uint32_t
piece_of(const GpuAggRegistration *r, uintptr_t address)
{
	return (uint32_t) ((address >> PIECE_SHIFT) - (r->start >> PIECE_SHIFT));
}

static void
piece_range(const GpuAggRegistration *r, uint32_t i, uintptr_t *from, size_t *bytes)
{
	const uintptr_t begin = ((r->start >> PIECE_SHIFT) + i) << PIECE_SHIFT;
	const uintptr_t end = begin + PIECE_BYTES < r->end ? begin + PIECE_BYTES : r->end;

	*from = begin > r->start ? begin : r->start;
	*bytes = end - *from;
}

/* ---------- touching ---------- */

typedef struct Touch
{
	char	   *from;
	size_t		bytes;
} Touch;

/* Older kernels touch what is read. */
static void *
touch(void *arg)
{
	const Touch *t = (const Touch *) arg;
	const size_t unit = (size_t) sysconf(_SC_PAGESIZE);

	if (madvise(t->from, t->bytes, MADV_POPULATE_READ) != 0 && errno == EINVAL)
		for (size_t at = 0; at < t->bytes; at += unit)
			(void) *(volatile char *) (t->from + at);
	return NULL;
}

/* What a thread cannot be started for is touched by cudaHostRegister. */
static void
piece_touch(uintptr_t from, size_t bytes)
{
	const size_t unit = (size_t) sysconf(_SC_PAGESIZE);
	const size_t share = (bytes / TOUCH_THREADS / unit + 1) * unit;
	pthread_t	threads[TOUCH_THREADS];
	Touch		parts[TOUCH_THREADS];
	int			n = 0;

	for (size_t at = 0; at < bytes; at += share, n++)
	{
		parts[n].from = (char *) from + at;
		parts[n].bytes = bytes - at < share ? bytes - at : share;
		if (pthread_create(&threads[n], NULL, touch, &parts[n]) != 0)
			break;
	}
	while (n > 0)
		(void) pthread_join(threads[--n], NULL);
}

/* ---------- registering ---------- */

static bool
piece_register(GpuAggRegistration *r, uint32_t i, GpuAggError *error)
{
	void	   *mapped = NULL;
	uintptr_t	from;
	size_t		bytes;

	piece_range(r, i, &from, &bytes);
	piece_touch(from, bytes);
	if (!CUDA_OK(NULL, cudaHostRegister((void *) from, bytes, r->flags), error))
		return false;
	if (!CUDA_OK(NULL, cudaHostGetDevicePointer(&mapped, (void *) from, 0), error))
	{
		(void) cudaHostUnregister((void *) from);
		return false;
	}
	r->pieces[i].shift = (char *) mapped - (char *) from;
	__atomic_store_n(&r->pieces[i].ready, true, __ATOMIC_RELEASE);
	__atomic_add_fetch(&r->bytes, bytes, __ATOMIC_RELAXED);
	return true;
}

static void *
register_rest(void *arg)
{
	GpuAggRegistration *r = (GpuAggRegistration *) arg;
	GpuAggError error;
	bool		good = cudaSetDevice(r->ordinal) == cudaSuccess;

	for (uint32_t i = 0; good && i < r->npieces; i++)
	{
		if (__atomic_load_n(&r->stop, __ATOMIC_RELAXED))
			break;
		if (i != r->first)
			good = piece_register(r, i, &error);
	}
	__atomic_store_n(&r->working, false, __ATOMIC_RELEASE);
	return NULL;
}

static GpuAggRegistration *
registration_make(const GpuAggDeviceConfig *config, const cudaDeviceProp *prop)
{
	const uintptr_t unit = (uintptr_t) sysconf(_SC_PAGESIZE);
	const uintptr_t start = (uintptr_t) config->pages & ~(unit - 1);
	const uintptr_t end = ((uintptr_t) config->pages + config->pages_bytes + unit - 1) &
		~(unit - 1);
	const uint32_t npieces = (uint32_t) (((end - 1) >> PIECE_SHIFT) - (start >> PIECE_SHIFT)) + 1;
	GpuAggRegistration *r = (GpuAggRegistration *)
		calloc(1, sizeof(*r) + npieces * sizeof(Piece));
	uintptr_t	from;
	size_t		bytes;

	if (r == NULL)
		return NULL;
	r->ordinal = config->ordinal;
	r->flags = cudaHostRegisterMapped | cudaHostRegisterPortable;
	if (prop->hostRegisterReadOnlySupported)
		r->flags |= cudaHostRegisterReadOnly;
	r->start = start;
	r->end = end;
	r->npieces = npieces;
	piece_range(r, 0, &from, &bytes);
	r->first = npieces > 1 && bytes < SHORT_BYTES ? 1 : 0;
	return r;
}

bool
gpuagg_cuda_registration_open(GpuAggDevice *device, const GpuAggDeviceConfig *config,
							  const cudaDeviceProp *prop, GpuAggError *error)
{
	GpuAggRegistration *r = registration_make(config, prop);

	if (r == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	device->registration = r;
	device->pages = config->pages;
	device->pages_bytes = config->pages_bytes;
	if (!piece_register(r, r->first, error))
		return false;
	r->working = r->npieces > 1;
	if (r->working && pthread_create(&r->thread, NULL, register_rest, r) != 0)
	{
		r->working = false;
		gpuagg_cuda_error(error, GPUAGG_DEVICE_FAULT, "a thread could not be started");
		return false;
	}
	r->started = r->working;
	return true;
}

void
gpuagg_cuda_registration_close(GpuAggDevice *device)
{
	GpuAggRegistration *r = device->registration;

	if (r == NULL)
		return;
	__atomic_store_n(&r->stop, true, __ATOMIC_RELAXED);
	if (r->started)
		(void) pthread_join(r->thread, NULL);
	for (uint32_t i = 0; i < r->npieces && !device->lost; i++)
	{
		uintptr_t	from;
		size_t		bytes;

		piece_range(r, i, &from, &bytes);
		if (r->pieces[i].ready)
			(void) cudaHostUnregister((void *) from);
	}
	free(r);
	device->registration = NULL;
}

/* ---------- asking ---------- */

const char *
gpuagg_cuda_registered(const GpuAggDevice *device, const char *page)
{
	const GpuAggRegistration *r = device->registration;
	const uint32_t i = piece_of(r, (uintptr_t) page);
	const uint32_t last = piece_of(r, (uintptr_t) page + GPUAGG_PAGE_BYTES - 1);

	if (!__atomic_load_n(&r->pieces[i].ready, __ATOMIC_ACQUIRE) ||
		!__atomic_load_n(&r->pieces[last].ready, __ATOMIC_ACQUIRE) ||
		r->pieces[i].shift != r->pieces[last].shift)
		return NULL;
	return page + r->pieces[i].shift;
}

void
gpuagg_cuda_registration_first(const GpuAggDevice *device, const char **from, size_t *bytes)
{
	const GpuAggRegistration *r = device->registration;
	uintptr_t	start;

	piece_range(r, r->first, &start, bytes);
	*from = (const char *) start;
}

void
gpuagg_cuda_registration_info(const GpuAggDevice *device, GpuAggDeviceInfo *info)
{
	const GpuAggRegistration *r = device->registration;
	const uint64_t all = r->end - r->start;
	uint64_t	left;

	/* in this order: once the thread has ended, all its pieces count */
	info->registering = __atomic_load_n(&r->working, __ATOMIC_ACQUIRE);
	left = all - __atomic_load_n(&r->bytes, __ATOMIC_RELAXED);
	info->unregistered = (uint32_t) ((left * 100 + all - 1) / all);
}
