/*
 * page.h
 *		Reading tuples straight from the bytes of a heap page.
 *
 * The on-page facts stand here by name, because nothing in src/device may
 * include PostgreSQL's headers; compat.h asserts each of them against the
 * server that the extension is built for.
 *
 * Reading a page takes three steps: gpuagg_page_tuple() follows a line
 * pointer, gpuagg_tuple_attr() steps over one attribute after another, and
 * gpuagg_load_*() turn the bytes of one into a register's value.  Every
 * offset that comes from the page is bounded before it is followed; one that
 * points outside is reported as corrupt, never read.
 *
 * The caller holds a pin and has decided visibility.  Nothing is decided
 * here from fields that other backends may still change (xmax, hint bits).
 *
 * A client may leave while its pages are read (ipc/README.md), and a page that
 * is no longer pinned may become another one at any moment.  Nobody receives what
 * comes of it, but nothing worse may come of it than a wrong value: what was
 * checked is what is used, so whatever leads elsewhere is read once.
 *
 * Does not handle: big-endian machines; detoasting.  A compressed or
 * external value is stepped over, and reported to whoever wants to load it.
 */
#ifndef GPUAGG_DEVICE_OPS_PAGE_H
#define GPUAGG_DEVICE_OPS_PAGE_H

#include "device/program.h"
#include "load_types.h"

/*
 * From here on the compiler takes x for what it is, and never again for what it
 * was read from.  A GPU decodes a copy of the page of its own.
 */
#ifdef __CUDACC__
#define GPUAGG_READ_ONCE(x) ((void) 0)
#else
#define GPUAGG_READ_ONCE(x) __asm__("" : "+r" (x))
#endif

/* PageHeaderData: the line pointers follow it */
#define GPUAGG_PAGE_HEADER_BYTES 24

/* ItemIdData */
typedef struct GpuAggLinePointer
{
	uint32_t	off:15;
	uint32_t	flags:2;
	uint32_t	len:15;
} GpuAggLinePointer;

#define GPUAGG_LP_NORMAL 1

/* HeapTupleHeaderData, as far as it does not change under a pin */
#define GPUAGG_TUPLE_INFOMASK2 18	/* uint16: t_infomask2 */
#define GPUAGG_TUPLE_INFOMASK 20	/* uint16: t_infomask */
#define GPUAGG_TUPLE_HOFF 22	/* uint8: t_hoff */
#define GPUAGG_TUPLE_BITS 23	/* t_bits, if any attribute is NULL */
#define GPUAGG_TUPLE_NATTS_MASK 0x07FF
#define GPUAGG_TUPLE_HAS_NULL 0x0001
#define GPUAGG_TUPLE_ALIGN 8	/* MAXALIGN, of tuples and of t_hoff */

/* varlena headers, little-endian */
#define GPUAGG_VARLENA_IS_SHORT(byte) (((byte) & 0x01) != 0)
#define GPUAGG_VARLENA_IS_EXTERNAL(byte) ((byte) == 0x01)
#define GPUAGG_VARLENA_SHORT_BYTES(byte) ((uint32_t) (byte) >> 1)
#define GPUAGG_VARLENA_IS_COMPRESSED(word) (((word) & 0x03) == 0x02)
#define GPUAGG_VARLENA_BYTES(word) ((word) >> 2)
#define GPUAGG_VARLENA_EXTERNAL_TAG 18	/* VARTAG_ONDISK; no other is stored */
#define GPUAGG_VARLENA_EXTERNAL_BYTES 18	/* header, tag, varatt_external */

typedef enum GpuAggLine
{
	GPUAGG_LINE_NONE,			/* unused, dead or redirected */
	GPUAGG_LINE_TUPLE,
	GPUAGG_LINE_CORRUPT
} GpuAggLine;

typedef struct GpuAggTuple
{
	const char *data;			/* first attribute */
	const uint8_t *nulls;		/* t_bits, or NULL: no attribute is NULL */
	uint32_t	bytes;			/* from data to the tuple's end */
	uint32_t	natts;
} GpuAggTuple;

typedef enum GpuAggFetch
{
	GPUAGG_FETCH_VALUE,
	GPUAGG_FETCH_NULL,
	GPUAGG_FETCH_MISSING,		/* the tuple ends before this attribute */
	GPUAGG_FETCH_TOASTED,		/* compressed or external */
	GPUAGG_FETCH_CORRUPT
} GpuAggFetch;

/* Can a page have so many line pointers? */
GPUAGG_FN bool
gpuagg_page_nlines_ok(uint32_t nlines)
{
	return nlines <= GPUAGG_MAX_LINES;
}

GPUAGG_FN const GpuAggLinePointer *
gpuagg_page_lines(const char *page)
{
	return (const GpuAggLinePointer *) (page + GPUAGG_PAGE_HEADER_BYTES);
}

GPUAGG_FN GpuAggLinePointer
gpuagg_page_line(const char *page, uint32_t line)
{
	GpuAggLinePointer lp;
	uint32_t	word;

	memcpy(&word, gpuagg_page_lines(page) + line, sizeof(word));
	GPUAGG_READ_ONCE(word);
	memcpy(&lp, &word, sizeof(lp));
	return lp;
}

/* bit (line - 1) of a visibility bitmap; line counts from 0 here */
GPUAGG_FN bool
gpuagg_page_line_visible(const uint8_t *visibility, uint32_t line)
{
	return visibility == NULL || (visibility[line >> 3] >> (line & 7) & 1);
}

/* The tuple at a line (from 0), below a count that gpuagg_page_nlines_ok. */
GPUAGG_FN GpuAggLine
gpuagg_page_tuple(const char *page, uint32_t line, GpuAggTuple *tuple)
{
	const GpuAggLinePointer lp = gpuagg_page_line(page, line);
	const char *start = page + lp.off;
	uint16_t	infomask2;
	uint16_t	infomask;
	uint32_t	hoff;

	if (lp.flags != GPUAGG_LP_NORMAL)
		return GPUAGG_LINE_NONE;
	if (lp.off % GPUAGG_TUPLE_ALIGN != 0 ||
		lp.off < GPUAGG_PAGE_HEADER_BYTES ||
		lp.len < GPUAGG_TUPLE_BITS ||
		lp.off + lp.len > GPUAGG_PAGE_BYTES)
		return GPUAGG_LINE_CORRUPT;
	memcpy(&infomask2, start + GPUAGG_TUPLE_INFOMASK2, sizeof(infomask2));
	memcpy(&infomask, start + GPUAGG_TUPLE_INFOMASK, sizeof(infomask));
	hoff = *(const uint8_t *) (start + GPUAGG_TUPLE_HOFF);
	GPUAGG_READ_ONCE(infomask2);
	GPUAGG_READ_ONCE(hoff);
	if (hoff > lp.len || hoff < GPUAGG_TUPLE_BITS ||
		hoff % GPUAGG_TUPLE_ALIGN != 0)
		return GPUAGG_LINE_CORRUPT;
	tuple->data = start + hoff;
	tuple->bytes = lp.len - hoff;
	tuple->natts = infomask2 & GPUAGG_TUPLE_NATTS_MASK;
	tuple->nulls = NULL;
	if (infomask & GPUAGG_TUPLE_HAS_NULL)
	{
		if (GPUAGG_TUPLE_BITS + (tuple->natts + 7) / 8 > hoff)
			return GPUAGG_LINE_CORRUPT;
		tuple->nulls = (const uint8_t *) start + GPUAGG_TUPLE_BITS;
	}
	return GPUAGG_LINE_TUPLE;
}

/*
 * The common case at once: the tuple at a line, if nothing in it is NULL and it
 * has at least natts attributes in at least `bytes` bytes.  Returns where in
 * the page its attributes begin; 0: it is anything else.  The header's last 8
 * bytes are read together: tuples begin at multiples of 8, so they lie in the
 * page.
 */
GPUAGG_FN uint32_t
gpuagg_page_plain_tuple(const char *page, uint32_t line, uint32_t natts, uint32_t bytes)
{
	const GpuAggLinePointer lp = gpuagg_page_line(page, line);
	const uint32_t from = 16;
	uint64_t	header;
	uint32_t	hoff;

	if (lp.flags != GPUAGG_LP_NORMAL || lp.off % GPUAGG_TUPLE_ALIGN != 0 ||
		lp.off < GPUAGG_PAGE_HEADER_BYTES || lp.len < GPUAGG_TUPLE_BITS ||
		lp.off + lp.len > GPUAGG_PAGE_BYTES)
		return 0;
	memcpy(&header, page + lp.off + from, sizeof(header));
	GPUAGG_READ_ONCE(header);
	hoff = (uint32_t) (header >> (8 * (GPUAGG_TUPLE_HOFF - from))) & 0xFF;
	if ((header >> (8 * (GPUAGG_TUPLE_INFOMASK - from)) & GPUAGG_TUPLE_HAS_NULL) != 0 ||
		(header >> (8 * (GPUAGG_TUPLE_INFOMASK2 - from)) & GPUAGG_TUPLE_NATTS_MASK) < natts ||
		hoff < GPUAGG_TUPLE_BITS || hoff % GPUAGG_TUPLE_ALIGN != 0 || hoff + bytes > lp.len)
		return 0;
	return lp.off + hoff;
}

/* Are the first natts attributes there, and none of them NULL? */
GPUAGG_FN bool
gpuagg_tuple_is_full(const GpuAggTuple *tuple, uint32_t natts)
{
	uint32_t	whole = natts / 8;
	uint8_t		rest = (uint8_t) ((1u << (natts % 8)) - 1);

	if (tuple->natts < natts)
		return false;
	if (tuple->nulls == NULL)
		return true;
	for (uint32_t i = 0; i < whole; i++)
		if (tuple->nulls[i] != 0xFF)
			return false;
	return rest == 0 || (tuple->nulls[whole] & rest) == rest;
}

/*
 * Size of the varlena at p, of which `room` bytes (at least 1) lie in the
 * tuple.  *data and *len: its bytes without header, if it is a plain one.
 */
GPUAGG_FN GpuAggFetch
gpuagg_varlena_measure(const char *p, uint32_t room, uint32_t *size,
					   const char **data, uint32_t *len)
{
	uint8_t		first = *(const uint8_t *) p;
	uint32_t	word;

	GPUAGG_READ_ONCE(first);
	if (GPUAGG_VARLENA_IS_EXTERNAL(first))
	{
		if (room < GPUAGG_VARLENA_EXTERNAL_BYTES ||
			((const uint8_t *) p)[1] != GPUAGG_VARLENA_EXTERNAL_TAG)
			return GPUAGG_FETCH_CORRUPT;
		*size = GPUAGG_VARLENA_EXTERNAL_BYTES;
		return GPUAGG_FETCH_TOASTED;
	}
	if (GPUAGG_VARLENA_IS_SHORT(first))
	{
		*size = GPUAGG_VARLENA_SHORT_BYTES(first);
		if (*size > room)
			return GPUAGG_FETCH_CORRUPT;
		*data = p + 1;
		*len = *size - 1;
		return GPUAGG_FETCH_VALUE;
	}
	if (room < sizeof(word))
		return GPUAGG_FETCH_CORRUPT;
	memcpy(&word, p, sizeof(word));
	GPUAGG_READ_ONCE(word);
	*size = GPUAGG_VARLENA_BYTES(word);
	if (*size < sizeof(word) || *size > room)
		return GPUAGG_FETCH_CORRUPT;
	if (GPUAGG_VARLENA_IS_COMPRESSED(word))
		return GPUAGG_FETCH_TOASTED;
	*data = p + sizeof(word);
	*len = *size - (uint32_t) sizeof(word);
	return GPUAGG_FETCH_VALUE;
}

/*
 * Step over attribute attno (from 0), which starts at or, if it needs
 * alignment, after *off; leave *off behind it.  VALUE: *value points at the
 * value's bytes and *len is their number, without any header.  Attributes
 * must be taken in order, starting where *off is known.
 */
GPUAGG_FN GpuAggFetch
gpuagg_tuple_attr(const GpuAggTuple *tuple, const GpuAggAttr *attr,
				  uint32_t attno, uint32_t *off,
				  const char **value, uint32_t *len)
{
	uint32_t	at = *off;
	uint32_t	size;
	GpuAggFetch fetch = GPUAGG_FETCH_VALUE;

	if (attno >= tuple->natts)
		return GPUAGG_FETCH_MISSING;
	if (tuple->nulls != NULL &&
		!(tuple->nulls[attno >> 3] >> (attno & 7) & 1))
		return GPUAGG_FETCH_NULL;

	/*
	 * A varlena with a short header is not aligned, and padding before an
	 * aligned one is zero, which no short header is.
	 */
	if (attr->attlen != -1 ||
		(at < tuple->bytes && tuple->data[at] == 0))
		at = (at + attr->align - 1) & ~((uint32_t) attr->align - 1);
	if (attr->attlen > 0)
	{
		size = (uint32_t) attr->attlen;
		*value = tuple->data + at;
		*len = size;
	}
	else if (at >= tuple->bytes)
		return GPUAGG_FETCH_CORRUPT;
	else if (attr->attlen == -1)
		fetch = gpuagg_varlena_measure(tuple->data + at, tuple->bytes - at,
									   &size, value, len);
	else
	{
		for (size = 0; at + size < tuple->bytes; size++)
			if (tuple->data[at + size] == '\0')
				break;
		*value = tuple->data + at;
		*len = size++;
	}
	if (fetch == GPUAGG_FETCH_CORRUPT || at > tuple->bytes ||
		size > tuple->bytes - at)
		return GPUAGG_FETCH_CORRUPT;
	*off = at + size;
	return fetch;
}

/* Integers, booleans, dates and timestamps as they lie on the page, and others (load_types.h) */
GPUAGG_FN int64_t
gpuagg_load_i64(uint32_t type, const char *p)
{
	int16_t		i2;
	int32_t		i4;
	int64_t		i8;

	switch (type)
	{
		case GPUAGG_T_BOOL:
			return *p != 0;
		case GPUAGG_T_INT2:
			memcpy(&i2, p, sizeof(i2));
			return i2;
		case GPUAGG_T_INT4:
		case GPUAGG_T_DATE:
			memcpy(&i4, p, sizeof(i4));
			return i4;
		case GPUAGG_T_OID:
		case GPUAGG_T_ENUM:
		case GPUAGG_T_CHAR:
		case GPUAGG_T_LSN:
		case GPUAGG_T_MACADDR:
		case GPUAGG_T_MACADDR8:
			return gpuagg_load_type(type, p);
		default:
			memcpy(&i8, p, sizeof(i8));
			return i8;
	}
}

GPUAGG_FN double
gpuagg_load_f64(uint32_t type, const char *p)
{
	float		f4;
	double		f8;

	if (type == GPUAGG_T_FLOAT4)
	{
		memcpy(&f4, p, sizeof(f4));
		return f4;
	}
	memcpy(&f8, p, sizeof(f8));
	return f8;
}

/* NumericData (numeric.c): a 16-bit header, one of weight if it is long, digits */
#define GPUAGG_NUMERIC_IS_SHORT(header) (((header) & 0xC000) == 0x8000)
#define GPUAGG_NUMERIC_IS_SPECIAL(header) (((header) & 0xC000) == 0xC000)
#define GPUAGG_NUMERIC_SHORT_NEGATIVE 0x2000
#define GPUAGG_NUMERIC_SHORT_SCALE(header) (((header) & 0x1F80) >> 7)
#define GPUAGG_NUMERIC_SHORT_WEIGHT(header) \
	((int32_t) ((header) & 0x003F) - (int32_t) ((header) & 0x0040))
#define GPUAGG_NUMERIC_LONG_NEGATIVE 0x4000
#define GPUAGG_NUMERIC_LONG_SCALE(header) ((header) & 0x3FFF)
#define GPUAGG_NUMERIC_BASE 10000
#define GPUAGG_NUMERIC_DECIMALS 4	/* of a digit */

/* What follows a numeric's header */
typedef struct GpuAggNumericDigits
{
	const char *digits;			/* int16 each, anywhere */
	uint32_t	n;
	int32_t		weight;			/* of the first, to the base */
	uint32_t	scale;
	bool		negative;
} GpuAggNumericDigits;

/* The numeric in len bytes; false: NaN, an infinity, or no numeric */
GPUAGG_FN bool
gpuagg_numeric_parse(const char *p, uint32_t len, GpuAggNumericDigits *d)
{
	uint16_t	header;
	int16_t		weight;

	if (len < sizeof(header))
		return false;
	memcpy(&header, p, sizeof(header));
	if (GPUAGG_NUMERIC_IS_SPECIAL(header))
		return false;
	p += sizeof(header);
	len -= (uint32_t) sizeof(header);
	if (GPUAGG_NUMERIC_IS_SHORT(header))
	{
		d->negative = (header & GPUAGG_NUMERIC_SHORT_NEGATIVE) != 0;
		d->scale = GPUAGG_NUMERIC_SHORT_SCALE(header);
		d->weight = GPUAGG_NUMERIC_SHORT_WEIGHT(header);
	}
	else
	{
		if (len < sizeof(weight))
			return false;
		memcpy(&weight, p, sizeof(weight));
		p += sizeof(weight);
		len -= (uint32_t) sizeof(weight);
		d->negative = (header & GPUAGG_NUMERIC_LONG_NEGATIVE) != 0;
		d->scale = GPUAGG_NUMERIC_LONG_SCALE(header);
		d->weight = weight;
	}
	d->digits = p;
	d->n = len / (uint32_t) sizeof(int16_t);
	return true;
}

/* *v times `by`, and more; false: it does not fit. */
GPUAGG_FN bool
gpuagg_decimal_append(uint64_t *v, uint32_t by, uint32_t more)
{
	if (*v > (UINT64_MAX - more) / by)
		return false;
	*v = *v * by + more;
	return true;
}

/*
 * A numeric times 10^scale; false: it has more decimals, or does not fit 64 bits.
 * Decimals of the last digit that the scale leaves out are zeros.
 */
GPUAGG_FN bool
gpuagg_numeric_decimal(const GpuAggNumericDigits *d, uint32_t scale, int64_t *result)
{
	const int32_t decimals = ((int32_t) d->n - 1 - d->weight) * GPUAGG_NUMERIC_DECIMALS;
	uint32_t	by = GPUAGG_NUMERIC_BASE;
	uint32_t	without = 1;
	uint64_t	v = 0;

	for (int32_t i = decimals; d->n > 0 && i > (int32_t) scale; i--)
	{
		if (by == 1)
			return false;
		by /= 10;
		without *= 10;
	}
	for (uint32_t i = 0; i < d->n; i++)
	{
		const bool	last = i + 1 == d->n;
		int16_t		digit;

		memcpy(&digit, d->digits + i * sizeof(digit), sizeof(digit));
		if (digit < 0 || digit >= GPUAGG_NUMERIC_BASE ||
			(last && digit % (int32_t) without != 0) ||
			!gpuagg_decimal_append(&v, last ? by : GPUAGG_NUMERIC_BASE,
								   (uint32_t) digit / (last ? without : 1)))
			return false;
	}
	for (int32_t i = decimals; v != 0 && i < (int32_t) scale; i++)
		if (!gpuagg_decimal_append(&v, 10, 0))
			return false;
	if (v > (uint64_t) INT64_MAX)
		return false;
	*result = d->negative ? -(int64_t) v : (int64_t) v;
	return true;
}

/* An integer and the decimals shown, as a word (program.h); false: too large */
GPUAGG_FN bool
gpuagg_decimal_word(int64_t v, uint32_t shown, int64_t *word)
{
	const int64_t limit = INT64_MAX >> GPUAGG_WORD_BITS;

	if (v < -limit || v > limit || shown > GPUAGG_WORD_DECIMALS)
		return false;
	*word = v * (1 << GPUAGG_WORD_BITS) + (int64_t) shown;
	return true;
}

/*
 * A column's value of this very scale, times 10^scale; or, of its own scale, as a
 * word.  False: it is none that 64 bits hold, or that fits the scale asked for; whoever
 * loads it leaves the row to PostgreSQL.
 */
GPUAGG_FN bool
gpuagg_load_numeric(const char *p, uint32_t len, GpuAggScale scale, int64_t *result)
{
	GpuAggNumericDigits d;
	uint32_t	most = GPUAGG_MAX_SCALE;

	if (!gpuagg_numeric_parse(p, len, &d))
		return false;
	if (scale.form == GPUAGG_SCALE_FITS)
	{
		most = scale.digits;
		if (!gpuagg_numeric_decimal(&d, most, result))
			return false;
	}
	if (gpuagg_scale_is_word(scale))
		return d.scale <= most &&
			gpuagg_numeric_decimal(&d, d.scale, result) &&
			gpuagg_decimal_word(*result, d.scale, result);
	return d.scale == scale.digits && gpuagg_numeric_decimal(&d, scale.digits, result);
}

#endif							/* GPUAGG_DEVICE_OPS_PAGE_H */
