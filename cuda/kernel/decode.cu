/*
 * decode.cu
 *		Heap pages, read in place in shared_buffers, to decoded batches of columns.
 *
 * A block takes one page after the other.  Its threads fetch the page over the
 * link, 16 bytes each, neighbours next to each other, into shared memory (and
 * into the decoded batch, if a column is a byte string); then each thread
 * decodes one line.  Every offset that comes from the page is bounded by
 * page.h.
 *
 * Pages are read once per launch and past the caches (ld.cv): other processes
 * write hint bits to them, and the next launch must not see an old page.
 */
#include "cuda/kernel/kernels.h"
#include "device/ops/page.h"

#define DECODE_THREADS 256
#define PAGE_QUADS (GPUAGG_PAGE_BYTES / 16)

/* A thread's place in its page */
typedef struct DecodeLine
{
	const char *page;			/* in shared memory */
	char	   *copy;			/* in the decoded batch, or NULL */
	uint32_t	row;			/* of the decoded batch */
	uint32_t	block;			/* of the table */
} DecodeLine;

static __device__ void
put_word(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded, uint32_t column,
		 uint32_t row, uint64_t word)
{
	decoded->words[(uint64_t) prepared->column_words[column] * decoded->nrows + row] = word;
}

static __device__ void
put_bytes(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded, uint32_t column,
		  uint32_t row, const char *data, uint32_t len)
{
	uint64_t   *pair = decoded->words +
		(uint64_t) prepared->string_words[column] * decoded->nrows + 2 * (uint64_t) row;

	pair[0] = (uint64_t) (uintptr_t) data;
	pair[1] = len;
}

/* VALUE, or TOASTED: no device holds such a value. */
static __device__ GpuAggFetch
put_value(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded,
		  const GpuAggAttr *attr, const DecodeLine *line, const char *value,
		  uint32_t len)
{
	int64_t		decimal;

	switch (attr->type)
	{
		case GPUAGG_T_NUMERIC:
			if (!gpuagg_load_numeric(value, len, attr->scale, &decimal))
				return GPUAGG_FETCH_TOASTED;
			put_word(prepared, decoded, attr->reg, line->row, (uint64_t) decimal);
			break;
		case GPUAGG_T_TIMETZ:
			if (!gpuagg_load_timetz(value, &decimal))
				return GPUAGG_FETCH_TOASTED;
			put_word(prepared, decoded, attr->reg, line->row, (uint64_t) decimal);
			break;
		case GPUAGG_T_FLOAT4:
		case GPUAGG_T_FLOAT8:
			put_word(prepared, decoded, attr->reg, line->row,
					 (uint64_t) __double_as_longlong(gpuagg_load_f64(attr->type, value)));
			break;
		case GPUAGG_T_NAME:
			len = gpuagg_name_length(value);
			/* FALLTHROUGH */
		case GPUAGG_T_TEXT:
		case GPUAGG_T_BPCHAR:
		case GPUAGG_T_UUID:
		case GPUAGG_T_INET:
		case GPUAGG_T_INTERVAL:
			put_bytes(prepared, decoded, attr->reg, line->row,
					  line->copy + (value - line->page), len);
			break;
		default:
			put_word(prepared, decoded, attr->reg, line->row,
					 (uint64_t) gpuagg_load_i64(attr->type, value));
			break;
	}
	return GPUAGG_FETCH_VALUE;
}

/* An attribute that was added after the tuple was written; its state */
static __device__ uint8_t
put_missing(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded,
			const GpuAggProgram *p, const GpuAggAttr *attr, uint32_t row)
{
	const GpuAggConst *c;

	if (attr->missing_const == GPUAGG_NO_REG)
		return GPUAGG_ST_NULL;
	c = &gpuagg_program_consts(p)[attr->missing_const - p->ncolumns];
	if (c->state != GPUAGG_ST_VALUE)
		return GPUAGG_ST_NULL;
	if (prepared->string_words[attr->reg] != GPUAGG_NO_REG)
		put_bytes(prepared, decoded, attr->reg, row, (const char *) p + c->v.off, c->len);
	else
		put_word(prepared, decoded, attr->reg, row, (uint64_t) c->v.i);
	return GPUAGG_ST_VALUE;
}

/*
 * Loads a tuple's columns.  VALUE: the row is whole.
 */
static __device__ GpuAggFetch
decode_tuple(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded,
			 const GpuAggProgram *p, const GpuAggTuple *tuple,
			 const DecodeLine *line)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	uint32_t	off = 0;

	for (uint32_t i = 0; i < p->nattrs; i++)
	{
		const GpuAggAttr attr = attrs[i];
		const char *value = NULL;
		uint32_t	len = 0;
		GpuAggFetch fetch = gpuagg_tuple_attr(tuple, &attr, i, &off, &value, &len);
		uint8_t		state = GPUAGG_ST_VALUE;

		if (fetch == GPUAGG_FETCH_CORRUPT)
			return fetch;
		if (attr.reg == GPUAGG_NO_REG)
			continue;
		if (fetch == GPUAGG_FETCH_VALUE)
			fetch = put_value(prepared, decoded, &attr, line, value, len);
		if (fetch == GPUAGG_FETCH_TOASTED)
			return fetch;
		if (fetch == GPUAGG_FETCH_NULL)
			state = GPUAGG_ST_NULL;
		else if (fetch == GPUAGG_FETCH_MISSING)
			state = put_missing(prepared, decoded, p, &attr, line->row);
		decoded->states[(uint64_t) attr.reg * decoded->nrows + line->row] = state;
	}
	return GPUAGG_FETCH_VALUE;
}

/*
 * Decodes line `n` (from 0) of a page.  True if a visible tuple is there that
 * belongs to the sample, if there is one; also one that is left to PostgreSQL.
 */
static __device__ bool
decode_line(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded, uint32_t npage,
			uint32_t n, const uint8_t *bitmap, const DecodeLine *line)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) prepared +
													  prepared->program_off);
	GpuAggFetch fetch = GPUAGG_FETCH_VALUE;
	GpuAggTuple tuple;
	GpuAggLine	kind = GPUAGG_LINE_NONE;

	if (gpuagg_page_line_visible(bitmap, n) &&
		(!prepared->sampled || gpuagg_sample_has_line(&prepared->sample, line->block, n + 1)))
		kind = p->nattrs > 0 ? gpuagg_page_tuple(line->page, n, &tuple) :
			gpuagg_page_lines(line->page)[n].flags == GPUAGG_LP_NORMAL ?
			GPUAGG_LINE_TUPLE : GPUAGG_LINE_NONE;
	if (kind == GPUAGG_LINE_TUPLE && p->nattrs > 0)
		fetch = decode_tuple(prepared, decoded, p, &tuple, line);
	decoded->valid[line->row] = kind == GPUAGG_LINE_TUPLE &&
		fetch == GPUAGG_FETCH_VALUE;
	if (kind == GPUAGG_LINE_CORRUPT || fetch == GPUAGG_FETCH_CORRUPT)
	{
		atomicCAS(&decoded->head->corrupt, 0u, 1 + (npage << 16 | n));
		return false;
	}
	if (fetch == GPUAGG_FETCH_TOASTED)
	{
		GpuAggRowRef *ref = &decoded->skipped[atomicAdd(&decoded->head->nskipped, 1u)];

		ref->page = npage;
		ref->line = n + 1;
	}
	return kind == GPUAGG_LINE_TUPLE;
}

static __global__ void
__launch_bounds__(DECODE_THREADS)
decode_pages_kernel(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch decoded)
{
	__shared__ uint4 page[PAGE_QUADS];
	__shared__ unsigned int scanned;
	unsigned int mine = 0;

	if (threadIdx.x == 0)
		scanned = 0;
	for (uint32_t i = blockIdx.x; i < decoded.npages; i += gridDim.x)
	{
		const GpuAggPageRef ref = decoded.refs[i];
		const uint8_t *bitmap = ref.bitmap == 0 ? NULL :
			decoded.bitmaps + (uint64_t) (ref.bitmap - 1) * GPUAGG_VISIBILITY_BYTES;
		DecodeLine	line = {(const char *) page, NULL, 0, ref.block};

		if (decoded.pages != NULL)
			line.copy = decoded.pages + (uint64_t) i * GPUAGG_PAGE_BYTES;
		for (uint32_t q = threadIdx.x; q < PAGE_QUADS; q += DECODE_THREADS)
			page[q] = __ldcv((const uint4 *) ref.page + q);
		__syncthreads();
		if (line.copy != NULL)
			for (uint32_t q = threadIdx.x; q < PAGE_QUADS; q += DECODE_THREADS)
				((uint4 *) line.copy)[q] = page[q];
		for (uint32_t n = threadIdx.x; n < ref.nlines; n += DECODE_THREADS)
		{
			line.row = ref.row_base + n;
			mine += decode_line(prepared, &decoded, i, n, bitmap, &line);
		}
		__syncthreads();
	}
	if (mine > 0)
		atomicAdd(&scanned, mine);
	__syncthreads();
	if (threadIdx.x == 0 && scanned > 0)
		atomicAdd(&decoded.head->rows_scanned, (unsigned long long) scanned);
}

const GpuAggKernelRef gpuagg_cuda_decode_kernels[] = {
	{"decode_pages", (const void *) decode_pages_kernel, DECODE_THREADS, 0},
	{NULL, NULL, 0, 0}
};

void
gpuagg_cuda_decode(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded,
				   uint32_t blocks, cudaStream_t stream)
{
	if (blocks > decoded->npages)
		blocks = decoded->npages;
	if (blocks > 0)
		decode_pages_kernel<<<blocks, DECODE_THREADS, 0, stream>>>(prepared, *decoded);
}
