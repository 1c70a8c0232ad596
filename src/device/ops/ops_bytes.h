/*
 * ops_bytes.h
 *		Operators on byte strings: comparison, length, substring and LIKE, as
 *		PostgreSQL's varlena.c and like.c do under a deterministic collation.
 *
 * Text is taken to be valid in the server's encoding, which PostgreSQL
 * checks on the way in: UTF-8, or one byte a character.  Results of type
 * BYTES point into their argument; nothing is copied, so they live as long
 * as the argument does.
 *
 * Does not handle: escapes in LIKE patterns (NEEDS_PG when one is reached),
 * other multibyte encodings, nondeterministic collations (not lowered).
 *
 * The rules for all operator headers stand in ops_int.h; in particular these
 * functions run only where all arguments are values.
 */
#ifndef GPUAGG_DEVICE_OPS_BYTES_H
#define GPUAGG_DEVICE_OPS_BYTES_H

#include "ops_int.h"

/* GpuAggInstr.imm of SUBSTR, SUBSTR_FROM and LIKE */
#define GPUAGG_IMM_UTF8 1

GPUAGG_FN int
gpuagg_memcmp(const char *a, const char *b, uint64_t n)
{
#ifdef __CUDA_ARCH__
	for (uint64_t i = 0; i < n; i++)
	{
		int			d = (unsigned char) a[i] - (unsigned char) b[i];

		if (d != 0)
			return d;
	}
	return 0;
#else
	return n == 0 ? 0 : memcmp(a, b, n);
#endif
}

/* First position >= from that holds this byte, or len. */
GPUAGG_FN uint64_t
gpuagg_find_byte(const char *data, uint64_t len, uint64_t from, char byte)
{
#ifdef __CUDA_ARCH__
	while (from < len && data[from] != byte)
		from++;
	return from;
#else
	const char *hit = from < len ?
		(const char *) memchr(data + from, byte, len - from) : NULL;

	return hit == NULL ? len : (uint64_t) (hit - data);
#endif
}

/* memcmp's order, the shorter of two equal prefixes first */
GPUAGG_FN int
gpuagg_bytes_compare(GpuAggBytes a, GpuAggBytes b)
{
	int			d = gpuagg_memcmp(a.data, b.data,
								  a.len < b.len ? a.len : b.len);

	return d != 0 ? d : (a.len > b.len) - (a.len < b.len);
}

GPUAGG_FN int64_t
gpuagg_bytes_eq(GpuAggBytes a, GpuAggBytes b, uint8_t *st)
{
	(void) st;
	return a.len == b.len && gpuagg_memcmp(a.data, b.data, a.len) == 0;
}

GPUAGG_FN int64_t
gpuagg_bytes_ne(GpuAggBytes a, GpuAggBytes b, uint8_t *st)
{
	return !gpuagg_bytes_eq(a, b, st);
}

GPUAGG_FN int64_t
gpuagg_bytes_lt(GpuAggBytes a, GpuAggBytes b, uint8_t *st)
{
	(void) st;
	return gpuagg_bytes_compare(a, b) < 0;
}

GPUAGG_FN int64_t
gpuagg_bytes_le(GpuAggBytes a, GpuAggBytes b, uint8_t *st)
{
	(void) st;
	return gpuagg_bytes_compare(a, b) <= 0;
}

GPUAGG_FN int64_t
gpuagg_bytes_gt(GpuAggBytes a, GpuAggBytes b, uint8_t *st)
{
	(void) st;
	return gpuagg_bytes_compare(a, b) > 0;
}

GPUAGG_FN int64_t
gpuagg_bytes_ge(GpuAggBytes a, GpuAggBytes b, uint8_t *st)
{
	(void) st;
	return gpuagg_bytes_compare(a, b) >= 0;
}

GPUAGG_FN int64_t
gpuagg_octet_length(GpuAggBytes a, uint8_t *st)
{
	(void) st;
	return (int64_t) a.len;
}

/* UTF-8: is this byte a character's second, third or fourth one? */
GPUAGG_FN bool
gpuagg_utf8_continues(char c)
{
	return ((unsigned char) c & 0xC0) == 0x80;
}

/*
 * Characters are the bytes that do not continue one.  Eight at a time: bit 0
 * of each byte of "more" says that bit 7 is set and bit 6 is not; the
 * multiplication adds the eight up in the highest byte.
 */
GPUAGG_FN int64_t
gpuagg_length_utf8(GpuAggBytes a, uint8_t *st)
{
	uint64_t	i = 0;
	uint64_t	continuing = 0;

	(void) st;
	for (; i + 8 <= a.len; i += 8)
	{
		uint64_t	w;
		uint64_t	more;

		memcpy(&w, a.data + i, sizeof(w));
		more = (w >> 7) & (~w >> 6) & UINT64_C(0x0101010101010101);
		continuing += (more * UINT64_C(0x0101010101010101)) >> 56;
	}
	for (; i < a.len; i++)
		continuing += gpuagg_utf8_continues(a.data[i]);
	return (int64_t) (a.len - continuing);
}

GPUAGG_FN GpuAggBytes
gpuagg_rtrim(GpuAggBytes a, uint8_t *st)
{
	(void) st;
	while (a.len > 0 && a.data[a.len - 1] == ' ')
		a.len--;
	return a;
}

/* Position after the character at pos; pos < len. */
GPUAGG_FN uint64_t
gpuagg_next_char(GpuAggBytes a, uint64_t pos, bool utf8)
{
	pos++;
	while (utf8 && pos < a.len && gpuagg_utf8_continues(a.data[pos]))
		pos++;
	return pos;
}

/* Position of the character that follows nchars others after pos, or len */
GPUAGG_FN uint64_t
gpuagg_skip_chars(GpuAggBytes a, uint64_t pos, uint64_t nchars, bool utf8)
{
	if (nchars >= a.len - pos)
		return a.len;			/* a character has at least one byte */
	if (!utf8)
		return pos + nchars;
	while (nchars-- > 0 && pos < a.len)
		pos = gpuagg_next_char(a, pos, true);
	return pos;
}

/*
 * Characters first .. first + n - 1, counted from 1.  SQL lets first be zero
 * or negative; what lies before the string counts but has no characters.
 */
GPUAGG_FN GpuAggBytes
gpuagg_slice(GpuAggBytes a, int64_t first, int64_t n, bool utf8)
{
	int64_t		end = first + n;	/* both fit 32 bits */
	uint64_t	from;
	uint64_t	to;

	if (first < 1)
		first = 1;
	if (end <= first)
	{
		a.len = 0;
		return a;
	}
	from = gpuagg_skip_chars(a, 0, (uint64_t) (first - 1), utf8);
	to = gpuagg_skip_chars(a, from, (uint64_t) (end - first), utf8);
	a.data += from;
	a.len = to - from;
	return a;
}

GPUAGG_FN GpuAggBytes
gpuagg_substr_from(GpuAggBytes a, int64_t first, uint8_t *st,
				   const GpuAggInstr *ins)
{
	(void) st;
	/* No string has 2^31 characters, even if first is the least int4. */
	return gpuagg_slice(a, first, INT64_C(1) << 33,
						ins->imm == GPUAGG_IMM_UTF8);
}

GPUAGG_FN GpuAggBytes
gpuagg_substr(GpuAggBytes a, int64_t first, int64_t n, uint8_t *st,
			  const GpuAggInstr *ins)
{
	gpuagg_raise_if(n < 0, GPUAGG_ST_NEEDS_PG, st);
	return gpuagg_slice(a, first, n < 0 ? 0 : n, ins->imm == GPUAGG_IMM_UTF8);
}

GPUAGG_FN int64_t
gpuagg_starts_with(GpuAggBytes a, GpuAggBytes prefix, uint8_t *st)
{
	(void) st;
	return a.len >= prefix.len &&
		gpuagg_memcmp(a.data, prefix.data, prefix.len) == 0;
}

/*
 * What only PostgreSQL computes of a string (code_table.h); `name` tells which expression it is.
 * No device does: values are given for all strings of a dictionary, or there are none.
 */
GPUAGG_FN int64_t
gpuagg_called_i64(GpuAggBytes a, GpuAggBytes name, uint8_t *st)
{
	(void) a;
	(void) name;
	gpuagg_raise_if(true, GPUAGG_ST_NEEDS_PG, st);
	return 0;
}

GPUAGG_FN double
gpuagg_called_f64(GpuAggBytes a, GpuAggBytes name, uint8_t *st)
{
	return (double) gpuagg_called_i64(a, name, st);
}

GPUAGG_FN GpuAggBytes
gpuagg_called_bytes(GpuAggBytes a, GpuAggBytes name, uint8_t *st)
{
	(void) gpuagg_called_i64(a, name, st);
	return a;
}

/* Where a string stands in the order of a dictionary (places.h), which a code table has */
GPUAGG_FN int64_t
gpuagg_place_of(GpuAggBytes a, uint8_t *st)
{
	(void) a;
	gpuagg_raise_if(true, GPUAGG_ST_NEEDS_PG, st);
	return 0;
}

/*
 * LIKE.  Everything up to the last % seen is settled: if what follows it
 * fails at one place in the text it is tried at the next, and no earlier %
 * need be reconsidered (a later start could only leave less text).  Literals
 * advance text and pattern byte by byte, wildcards by character, so both
 * stay on character boundaries whenever a wildcard is met.
 */
GPUAGG_FN int64_t
gpuagg_like(GpuAggBytes a, GpuAggBytes pattern, uint8_t *st,
			const GpuAggInstr *ins)
{
	bool		utf8 = ins->imm == GPUAGG_IMM_UTF8;
	const char *p = pattern.data;
	uint64_t	plen = pattern.len;
	uint64_t	ti = 0;
	uint64_t	pi = 0;
	uint64_t	retry_p = 0;	/* after the last %; 0: none seen yet */
	uint64_t	retry_t = 0;

	while (ti < a.len)
	{
		char		c = pi < plen ? p[pi] : '\0';

		if (c == '\\')
		{
			gpuagg_raise_if(true, GPUAGG_ST_NEEDS_PG, st);
			return 0;
		}
		if (pi < plen && c == '%')
		{
			retry_p = ++pi;
			if (pi == plen)
				return 1;
			retry_t = ti;
		}
		else if (pi < plen && c == '_')
		{
			ti = gpuagg_next_char(a, ti, utf8);
			pi++;
		}
		else if (pi < plen && c == a.data[ti])
		{
			ti++;
			pi++;
		}
		else if (retry_p == 0)
			return 0;
		else
		{
			char		next = p[retry_p];

			retry_t = gpuagg_next_char(a, retry_t, utf8);
			if (next != '_' && next != '%' && next != '\\')
				retry_t = gpuagg_find_byte(a.data, a.len, retry_t, next);
			ti = retry_t;
			pi = retry_p;
		}
	}
	while (pi < plen && p[pi] == '%')
		pi++;
	/* after a run of % and _ PostgreSQL looks at it even without a text left */
	gpuagg_raise_if(pi + 1 == plen && p[pi] == '\\', GPUAGG_ST_NEEDS_PG, st);
	return pi == plen;
}

#endif							/* GPUAGG_DEVICE_OPS_BYTES_H */
