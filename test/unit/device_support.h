/*
 * device_support.h
 *		Heap pages and programs made by hand, for the unit tests of devices.
 *
 * A page is filled from its end, as PostgreSQL does.  A program is one
 * structure with room for every array, so that it is contiguous as it is.
 */
#ifndef GPUAGG_DEVICE_SUPPORT_H
#define GPUAGG_DEVICE_SUPPORT_H

#include <stdlib.h>

#include "device/device.h"
#include "device/ops/lookup_make.h"
#include "device/ops/page.h"

/* ---------- pages ---------- */

/*
 * A heap page.  No device looks at its header, so this file keeps what it
 * needs there, and an array of pages lies as shared_buffers does.
 */
typedef union TestPage
{
	_Alignas(64) char bytes[GPUAGG_PAGE_BYTES];
	struct
	{
		uint32_t	nlines;
		uint32_t	upper;
	};
} TestPage;

static inline void
page_init(TestPage *page)
{
	memset(page->bytes, 0, sizeof(page->bytes));
	page->nlines = 0;
	page->upper = GPUAGG_PAGE_BYTES;
}

static inline GpuAggLinePointer *
page_line(TestPage *page, uint32_t line)
{
	return (GpuAggLinePointer *) (page->bytes + GPUAGG_PAGE_HEADER_BYTES) + line;
}

/* A line pointer without a tuple: flags 0 unused, 2 redirect, 3 dead. */
static inline void
page_add_line(TestPage *page, uint32_t flags, uint32_t off)
{
	GpuAggLinePointer lp = {.off = off,.flags = flags};

	*page_line(page, page->nlines++) = lp;
}

/* One attribute of a tuple: bytes as they are stored, header included. */
typedef struct TestValue
{
	const void *bytes;			/* NULL: SQL NULL */
	uint32_t	len;
	uint32_t	align;			/* 1 also for varlenas with a short header */
} TestValue;

/* Adds a tuple; false if the page is full. */
static inline bool
page_add(TestPage *page, const TestValue *values, uint32_t natts)
{
	char		tuple[GPUAGG_PAGE_BYTES] = {0};
	bool		nulls = false;
	uint32_t	hoff;
	uint32_t	off;
	uint16_t	infomask2 = (uint16_t) natts;
	uint16_t	infomask;
	GpuAggLinePointer lp = {.flags = GPUAGG_LP_NORMAL};

	for (uint32_t i = 0; i < natts; i++)
		nulls |= values[i].bytes == NULL;
	hoff = (GPUAGG_TUPLE_BITS + (nulls ? (natts + 7) / 8 : 0) + 7) & ~7u;
	infomask = 0x0900 | (nulls ? GPUAGG_TUPLE_HAS_NULL : 0);	/* + hint bits */
	memcpy(tuple + GPUAGG_TUPLE_INFOMASK2, &infomask2, 2);
	memcpy(tuple + GPUAGG_TUPLE_INFOMASK, &infomask, 2);
	tuple[GPUAGG_TUPLE_HOFF] = (char) hoff;
	off = hoff;
	for (uint32_t i = 0; i < natts; i++)
	{
		if (values[i].bytes == NULL)
			continue;
		if (nulls)
			tuple[GPUAGG_TUPLE_BITS + i / 8] |= (char) (1 << i % 8);
		off = (off + values[i].align - 1) & ~(values[i].align - 1);
		memcpy(tuple + off, values[i].bytes, values[i].len);
		off += values[i].len;
	}
	if (page->nlines >= 291 ||
		page->upper < ((off + 7) & ~7u) + GPUAGG_PAGE_HEADER_BYTES + 4 * (page->nlines + 1))
		return false;
	page->upper -= (off + 7) & ~7u;
	memcpy(page->bytes + page->upper, tuple, off);
	lp.off = page->upper;
	lp.len = off;
	*page_line(page, page->nlines++) = lp;
	return true;
}

/* Varlenas into buf: short header, plain, or a header only. */
static inline TestValue
short_text(char *buf, const char *s, uint32_t len)
{
	buf[0] = (char) ((len + 1) << 1 | 1);
	memcpy(buf + 1, s, len);
	return (TestValue) {buf, len + 1, 1};
}

static inline TestValue
long_text(char *buf, const char *s, uint32_t len, uint32_t flags)
{
	uint32_t	word = (len + 4) << 2 | flags;

	memcpy(buf, &word, 4);
	memcpy(buf + 4, s, len);
	return (TestValue) {buf, len + 4, 4};
}

static inline TestValue
external_text(char *buf)
{
	memset(buf, 0x55, GPUAGG_VARLENA_EXTERNAL_BYTES);
	buf[0] = 0x01;
	buf[1] = GPUAGG_VARLENA_EXTERNAL_TAG;
	return (TestValue) {buf, GPUAGG_VARLENA_EXTERNAL_BYTES, 1};
}

/* ---------- programs ---------- */

typedef struct TestProgram
{
	GpuAggProgram head;
	GpuAggAttr	attrs[16];
	GpuAggConst consts[24];
	GpuAggInstr instrs[GPUAGG_MAX_REGS];
	GpuAggKey	keys[GPUAGG_MAX_KEYS + 1];
	GpuAggTransition trans[GPUAGG_MAX_TRANSITIONS];
	uint8_t		classes[GPUAGG_MAX_REGS];
	char		strings[256];
	char		tables[24576];	/* look-up tables, behind the strings */
	uint32_t	table_bytes;
	uint32_t	padding;		/* bytes behind all of it, once it is packed */
} TestProgram;

static inline void
program_init(TestProgram *p)
{
	memset(p, 0, sizeof(*p));
	p->head.version = GPUAGG_PROGRAM_VERSION;
	p->head.bytes = sizeof(*p);
	p->head.hash_seed = UINT64_C(0x243f6a8885a308d3);
	p->head.filter_reg = GPUAGG_NO_REG;
	p->head.utf8 = 1;
	p->head.attrs_off = offsetof(TestProgram, attrs);
	p->head.consts_off = offsetof(TestProgram, consts);
	p->head.instrs_off = offsetof(TestProgram, instrs);
	p->head.keys_off = offsetof(TestProgram, keys);
	p->head.transitions_off = offsetof(TestProgram, trans);
	p->head.classes_off = offsetof(TestProgram, classes);
}

static const uint8_t test_type_class[] = {
#define X(name, cls, pagebytes, slotbytes) GPUAGG_CLASS_##cls,
	GPUAGG_TYPE_LIST(X)
#undef X
};

static const int8_t test_type_bytes[] = {
#define X(name, cls, pagebytes, slotbytes) pagebytes,
	GPUAGG_TYPE_LIST(X)
#undef X
};

/*
 * Next attribute, loaded into the next register unless not wanted.  All
 * attributes come before any constant.
 */
static inline uint16_t
program_attr(TestProgram *p, uint32_t type, bool loaded)
{
	GpuAggAttr *a = &p->attrs[p->head.nattrs++];
	int32_t		off = 0;
	const GpuAggAttr *last = a - 1;

	a->type = (uint8_t) type;
	a->attlen = test_type_bytes[type];
	a->align = (uint8_t) (a->attlen < 0 ? 4 : a->attlen == 16 ? 1 : a->attlen);
	a->missing_const = GPUAGG_NO_REG;
	a->reg = GPUAGG_NO_REG;
	if (a > p->attrs)
		off = last->fixed_off < 0 || last->attlen < 0 ? -1 : last->fixed_off + last->attlen;
	if (off > 0)
		off = (off + a->align - 1) & ~(a->align - 1);
	a->fixed_off = off;
	if (loaded)
	{
		a->reg = p->head.ncolumns++;
		p->classes[p->head.nregs++] = test_type_class[type];
	}
	return a->reg;
}

static inline uint16_t
program_const_i64(TestProgram *p, uint32_t type, int64_t v)
{
	GpuAggConst *c = &p->consts[p->head.nconsts++];

	c->type = (uint8_t) type;
	c->v.i = v;
	p->classes[p->head.nregs] = test_type_class[type];
	return p->head.nregs++;
}

static inline uint16_t
program_const_f64(TestProgram *p, double v)
{
	uint16_t	reg = program_const_i64(p, GPUAGG_T_FLOAT8, 0);

	p->consts[p->head.nconsts - 1].v.f = v;
	return reg;
}

/* Constant strings lie one after the other behind the arrays. */
static inline uint16_t
program_const_bytes(TestProgram *p, const void *bytes, size_t len)
{
	uint16_t	reg = program_const_i64(p, GPUAGG_T_TEXT, 0);
	GpuAggConst *c = &p->consts[p->head.nconsts - 1];
	size_t		used = 0;

	for (uint16_t i = 0; i + 1 < p->head.nconsts; i++)
		if (p->consts[i].v.off < offsetof(TestProgram, tables))
			used += p->consts[i].len;
	c->len = (uint32_t) len;
	c->v.off = offsetof(TestProgram, strings) + used;
	memcpy(p->strings + used, bytes, len);
	return reg;
}

static inline uint16_t
program_const_text(TestProgram *p, const char *text)
{
	return program_const_bytes(p, text, strlen(text));
}

/* A constant that is a look-up table of these rows */
static inline uint16_t
program_const_table(TestProgram *p, const GpuAggLookupRows *rows)
{
	const uint64_t bytes = gpuagg_lookup_bytes_needed(rows);
	const uint16_t reg = program_const_i64(p, GPUAGG_T_TEXT, 0);
	GpuAggConst *c = &p->consts[p->head.nconsts - 1];

	if (bytes > sizeof(p->tables) - p->table_bytes ||
		!gpuagg_lookup_make(rows, p->tables + p->table_bytes, bytes))
		abort();
	c->len = (uint32_t) bytes;
	c->v.off = offsetof(TestProgram, tables) + p->table_bytes;
	p->table_bytes += (uint32_t) bytes;
	return reg;
}

static inline uint16_t
program_instr(TestProgram *p, uint32_t op, uint32_t cls, uint16_t a, uint16_t b)
{
	GpuAggInstr *ins = &p->instrs[p->head.ninstrs++];

	ins->op = (uint16_t) op;
	ins->dst = p->head.nregs;
	ins->a = a;
	ins->b = b;
	p->classes[p->head.nregs] = (uint8_t) cls;
	return p->head.nregs++;
}

static inline uint16_t
program_instr3(TestProgram *p, uint32_t op, uint32_t cls, uint16_t a, uint16_t b, uint16_t c)
{
	p->instrs[p->head.ninstrs].c = c;
	return program_instr(p, op, cls, a, b);
}

static inline void
program_filter(TestProgram *p, uint16_t reg)
{
	p->head.filter_reg = reg;
	p->head.filter_instrs = p->head.ninstrs;
}

static inline void
program_key(TestProgram *p, uint16_t reg, uint32_t type)
{
	GpuAggKey  *k = &p->keys[p->head.nkeys++];

	k->reg = reg;
	k->type = (uint8_t) type;
}

static inline void
program_trans(TestProgram *p, uint32_t op, uint16_t arg, uint16_t filter, uint32_t type)
{
	GpuAggTransition *t = &p->trans[p->head.ntransitions++];

	t->op = (uint16_t) op;
	t->arg = arg;
	t->filter = filter;
	t->type = (uint16_t) type;
}

/* Appends an array to a packed program and returns its offset. */
static inline uint32_t
program_pack_array(GpuAggProgram *to, const void *array, size_t bytes)
{
	uint32_t	off = to->bytes;

	memcpy((char *) to + off, array, bytes);
	to->bytes = (uint32_t) ((off + bytes + 7) & ~(size_t) 7);
	return off;
}

/* The program without the room that it does not use; free() it. */
static inline GpuAggProgram *
program_pack(const TestProgram *p)
{
	GpuAggProgram *to = calloc(1, sizeof(*p) + p->padding);
	GpuAggConst *consts;
	uint32_t	strings;

	*to = p->head;
	to->bytes = (sizeof(*to) + 7) & ~7u;
	to->attrs_off = program_pack_array(to, p->attrs, p->head.nattrs * sizeof(*p->attrs));
	to->consts_off = program_pack_array(to, p->consts, p->head.nconsts * sizeof(*p->consts));
	to->instrs_off = program_pack_array(to, p->instrs, p->head.ninstrs * sizeof(*p->instrs));
	to->keys_off = program_pack_array(to, p->keys, p->head.nkeys * sizeof(*p->keys));
	to->transitions_off = program_pack_array(to, p->trans,
											 p->head.ntransitions * sizeof(*p->trans));
	to->classes_off = program_pack_array(to, p->classes, p->head.nregs);
	strings = program_pack_array(to, p->strings, sizeof(p->strings) + p->table_bytes);
	consts = (GpuAggConst *) ((char *) to + to->consts_off);
	for (uint32_t i = 0; i < to->nconsts; i++)
		if (test_type_class[consts[i].type] == GPUAGG_CLASS_BYTES)
			consts[i].v.off = consts[i].v.off - offsetof(TestProgram, strings) + strings;
	to->bytes += p->padding;
	return to;
}

#endif							/* GPUAGG_DEVICE_SUPPORT_H */
