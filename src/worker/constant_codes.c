/*
 * constant_codes.c
 *		Codes of constants (constant_codes.h).
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "utils/memutils.h"
#include "worker/constant_codes.h"

/* Lists that are kept, unless more are in use */
#define KEPT 8

struct GpuAggConstantCodes
{
	dlist_node	node;			/* in lists, used last first */
	const GpuAggWorkerDevice *on;
	GpuAggDictionary *dictionary;
	uint32		users;
	uint32		n;
	int32	   *codes;
	Size		bytes;			/* of the strings: each one's length, and itself */
	char	   *strings;
};

static dlist_head lists = DLIST_STATIC_INIT(lists);
static uint32 nlists;

static const GpuAggStripeOps *
stripe_ops(const GpuAggConstantCodes *c)
{
	return c->on->ops->stripes;
}

static void
drop(GpuAggConstantCodes *c)
{
	if (c->dictionary != NULL)
		stripe_ops(c)->dictionary_free(c->dictionary);
	pfree(c->strings);
	pfree(c->codes);
	pfree(c);
}

/* The strings one after the other, which tells lists apart; palloc'd in the current context */
static char *
strings_pack(const GpuAggBytes *strings, uint32 n, Size *bytes)
{
	char	   *packed;
	char	   *at;

	*bytes = 0;
	for (uint32 i = 0; i < n; i++)
		*bytes += sizeof(uint64) + strings[i].len;
	at = packed = palloc(Max(1, *bytes));
	for (uint32 i = 0; i < n; i++)
	{
		memcpy(at, &strings[i].len, sizeof(uint64));
		memcpy(at + sizeof(uint64), strings[i].data, strings[i].len);
		at += sizeof(uint64) + strings[i].len;
	}
	return packed;
}

static GpuAggConstantCodes *
find(const GpuAggWorkerDevice *on, const char *strings, Size bytes)
{
	dlist_iter	iter;

	dlist_foreach(iter, &lists)
	{
		GpuAggConstantCodes *c = dlist_container(GpuAggConstantCodes, node, iter.cur);

		if (c->on == on && c->bytes == bytes && memcmp(c->strings, strings, bytes) == 0)
			return c;
	}
	return NULL;
}

/* NULL: no memory on the device */
static GpuAggConstantCodes *
make(const GpuAggWorkerDevice *on, const GpuAggBytes *strings, uint32 n)
{
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
	GpuAggConstantCodes *c = palloc0(sizeof(GpuAggConstantCodes));
	GpuAggError error;
	bool		good;

	c->on = on;
	c->n = n;
	c->codes = palloc0(Max(1, n) * sizeof(int32));
	c->strings = strings_pack(strings, n, &c->bytes);
	MemoryContextSwitchTo(old);
	good = stripe_ops(c)->dictionary_create(on->device, &c->dictionary, &error) == GPUAGG_OK &&
		stripe_ops(c)->dictionary_encode(c->dictionary, strings, n, c->codes, &error) == GPUAGG_OK;
	for (uint32 i = 0; good && i < n; i++)
		good = c->codes[i] != GPUAGG_NO_CODE;
	if (good)
		return c;
	drop(c);
	return NULL;
}

/* Beyond those that are kept, the one that was used longest ago, and that nobody has, goes. */
static void
make_room(void)
{
	dlist_iter	iter;
	GpuAggConstantCodes *oldest = NULL;

	dlist_foreach(iter, &lists)
	{
		GpuAggConstantCodes *c = dlist_container(GpuAggConstantCodes, node, iter.cur);

		if (c->users == 0)
			oldest = c;
	}
	if (nlists <= KEPT || oldest == NULL)
		return;
	dlist_delete(&oldest->node);
	nlists--;
	drop(oldest);
}

GpuAggConstantCodes *
gpuagg_constant_codes_get(const GpuAggWorkerJob *job, const GpuAggBytes *strings, uint32 n,
						  int32 *codes)
{
	Size		bytes;
	char	   *packed = strings_pack(strings, n, &bytes);
	GpuAggConstantCodes *c = find(job->on, packed, bytes);

	pfree(packed);
	if (c != NULL)
		dlist_delete(&c->node);
	else if ((c = make(job->on, strings, n)) == NULL)
		return NULL;
	else
		nlists++;
	dlist_push_head(&lists, &c->node);
	c->users++;
	make_room();
	memcpy(codes, c->codes, n * sizeof(int32));
	return c;
}

GpuAggDictionary *
gpuagg_constant_codes_dictionary(const GpuAggConstantCodes *c)
{
	return c->dictionary;
}

void
gpuagg_constant_codes_leave(GpuAggConstantCodes *c)
{
	c->users--;
}

void
gpuagg_constant_codes_clear(void)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &lists)
	{
		GpuAggConstantCodes *c = dlist_container(GpuAggConstantCodes, node, iter.cur);

		if (c->users > 0)
			continue;
		dlist_delete(&c->node);
		nlists--;
		drop(c);
	}
}
