/*
 * kernel_table.c
 *		Kernels in memory.
 *
 * Each task looks one up, so a text is hashed eight bytes at a time, some GB/s, and
 * what has its hash and length is compared; there is nothing to trust in.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/compile/kernel_table.h"

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

static uint64_t
hash_step(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * HASH_FACTOR;
	return hash ^ hash >> 32;
}

static uint64_t
text_hash(const char *text, size_t bytes)
{
	uint64_t	hash = bytes;
	uint64_t	word;

	for (; bytes >= sizeof(word); text += sizeof(word), bytes -= sizeof(word))
	{
		memcpy(&word, text, sizeof(word));
		hash = hash_step(hash, word);
	}
	word = 0;
	memcpy(&word, text, bytes);
	return hash_step(hash, word);
}

static GpuAggCompiledKernel **
bucket_of(GpuAggKernelTable *table, uint64_t hash)
{
	return &table->buckets[hash % GPUAGG_KERNEL_BUCKETS];
}

static void
order_unlink(GpuAggKernelTable *table, GpuAggCompiledKernel *kernel)
{
	*(kernel->newer != NULL ? &kernel->newer->older : &table->newest) = kernel->older;
	*(kernel->older != NULL ? &kernel->older->newer : &table->oldest) = kernel->newer;
}

static void
order_push(GpuAggKernelTable *table, GpuAggCompiledKernel *kernel)
{
	kernel->newer = NULL;
	kernel->older = table->newest;
	*(table->newest != NULL ? &table->newest->newer : &table->oldest) = kernel;
	table->newest = kernel;
}

GpuAggCompiledKernel *
gpuagg_kernel_find(GpuAggKernelTable *table, const GpuAggKernelSource *source)
{
	uint64_t	hash = text_hash(source->text, source->bytes);
	GpuAggCompiledKernel *k = *bucket_of(table, hash);

	while (k != NULL && (k->info.digest != hash || k->bytes != source->bytes ||
						 memcmp(k->text, source->text, source->bytes) != 0 ||
						 strcmp(k->entry, source->entry) != 0))
		k = k->chain;
	if (k != NULL)
	{
		order_unlink(table, k);
		order_push(table, k);
	}
	return k;
}

static void
copy_name(char *to, size_t room, const char *from)
{
	size_t		n = strlen(from);

	n = n < room ? n : room - 1;
	memcpy(to, from, n);
	to[n] = '\0';
}

GpuAggCompiledKernel *
gpuagg_kernel_add(GpuAggKernelTable *table, const GpuAggKernelSource *source)
{
	GpuAggCompiledKernel *k = (GpuAggCompiledKernel *) calloc(1, sizeof(*k));
	GpuAggCompiledKernel **bucket;

	if (k == NULL || strlen(source->entry) >= sizeof(k->entry) ||
		(k->text = (char *) malloc(source->bytes + 1)) == NULL)
	{
		free(k);
		return NULL;
	}
	memcpy(k->text, source->text, source->bytes);
	k->text[source->bytes] = '\0';
	k->bytes = source->bytes;
	copy_name(k->entry, sizeof(k->entry), source->entry);
	copy_name(k->info.shape, sizeof(k->info.shape), source->shape);
	k->info.digest = text_hash(source->text, source->bytes);
	bucket = bucket_of(table, k->info.digest);
	k->chain = *bucket;
	*bucket = k;
	order_push(table, k);
	table->n++;
	return k;
}

GpuAggCompiledKernel *
gpuagg_kernel_evict(GpuAggKernelTable *table)
{
	GpuAggCompiledKernel *k = table->oldest;
	GpuAggCompiledKernel **link;

	while (k != NULL && (k->pins > 0 || k->busy))
		k = k->newer;
	if (k == NULL)
		return NULL;
	order_unlink(table, k);
	for (link = bucket_of(table, k->info.digest); *link != k; link = &(*link)->chain)
		;
	*link = k->chain;
	table->n--;
	return k;
}

void
gpuagg_kernel_free(GpuAggCompiledKernel *kernel)
{
	free(kernel->text);
	free(kernel);
}
