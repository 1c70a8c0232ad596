/*
 * texts.c
 *		Texts that were made before.  A query that runs again has the same program but
 *		for its seed and its literals, which are no part of a text, so that what was
 *		written for it is copied, which takes a twentieth of the time.
 *
 * A program's place follows from its bytes, and the next one there takes it.  For one thread.
 */
#include <stdlib.h>
#include <string.h>

#include "codegen.h"
#include "device/ops/hash.h"

#define TEXTS 128

/* Programs with more, as with look-up tables, take longer to compare than to write. */
#define MOST_BYTES 8192

typedef struct Made
{
	size_t		bytes;
	char	   *key;			/* NULL: none */
	GpuAggCodegen code;
} Made;

/* In front of a program's bytes; without gaps */
typedef struct KeyHead
{
	uint64_t	frame;
	uint64_t	packed;
	GpuAggRecord record;
} KeyHead;

static Made texts[TEXTS];

/* What a text depends on, and no more than that of literals; malloc'ed, or NULL */
static char *
key_make(const GpuAggProgram *program, const GpuAggRecord *record, bool packed,
		 GpuAggFrame frame, size_t *bytes)
{
	KeyHead    *head;
	GpuAggProgram *p;
	GpuAggConst *consts;

	*bytes = sizeof(*head) + program->bytes;
	head = program->bytes <= MOST_BYTES ? calloc(1, *bytes) : NULL;
	if (head == NULL)
		return NULL;
	head->frame = 1 + (uint64_t) frame;
	head->packed = packed;
	if (record != NULL)
		head->record = *record;
	p = memcpy(head + 1, program, program->bytes);
	p->hash_seed = 0;
	consts = (GpuAggConst *) ((char *) p + p->consts_off);
	for (uint32_t i = 0; i < p->nconsts; i++)
		if (gpuagg_program_classes(p)[p->ncolumns + i] != GPUAGG_CLASS_BYTES)
			consts[i].v.i = 0;
	return (char *) head;
}

static void
made_free(Made *made)
{
	free(made->key);
	free(made->code.text);
	memset(made, 0, sizeof(*made));
}

/* What was made, for somebody who will free it */
static void
code_copy(const GpuAggCodegen *from, GpuAggCodegen *out)
{
	*out = *from;
	out->text = from->text != NULL ? malloc(from->bytes + 1) : NULL;
	if (out->text != NULL)
		memcpy(out->text, from->text, from->bytes + 1);
}

void
gpuagg_codegen_kernel_again(const GpuAggProgram *program, const GpuAggRecord *record,
							bool packed, GpuAggFrame frame, GpuAggCodegen *out)
{
	size_t		bytes;
	char	   *key = key_make(program, record, packed, frame, &bytes);
	Made	   *made;

	if (key == NULL)
	{
		gpuagg_codegen_kernel(program, record, packed, frame, out);
		return;
	}
	made = &texts[gpuagg_hash_bytes(key, bytes, 0) % TEXTS];
	if (made->key != NULL && made->bytes == bytes && memcmp(made->key, key, bytes) == 0)
		free(key);
	else
	{
		made_free(made);
		made->key = key;
		made->bytes = bytes;
		gpuagg_codegen_kernel(program, record, packed, frame, &made->code);
	}
	code_copy(&made->code, out);
	if (out->text == NULL)
		made_free(made);
}

void
gpuagg_codegen_forget(void)
{
	for (uint32_t i = 0; i < TEXTS; i++)
		made_free(&texts[i]);
}
