/*
 * page_test.c
 *		Reading heap pages: line pointers, attributes of every storage,
 *		NULLs, short tuples, visibility, corrupt offsets; then the host's
 *		decoder on whole pages, and on pages with bytes changed at random,
 *		where nothing outside of the page may be read (run with ASan).
 */
#include "device_support.h"
#include "host/decode.h"
#include "tap.h"

static void
test_tuple(void)
{
	static TestPage page;
	char		text[64];
	int32_t		i = -7;
	double		f = 2.5;
	TestValue	full[3] = {{&i, 4, 4}, short_text(text, "abc", 3), {&f, 8, 8}};
	TestValue	null[3] = {{NULL, 0, 4}, {NULL, 0, 1}, {&f, 8, 8}};
	GpuAggTuple tuple;

	page_init(&page);
	page_add(&page, full, 3);
	page_add(&page, null, 3);
	page_add_line(&page, 0, 0);
	page_add_line(&page, 2, 1);
	page_add_line(&page, 3, 0);
	ok(gpuagg_page_tuple(page.bytes, 0, &tuple) == GPUAGG_LINE_TUPLE &&
	   tuple.natts == 3 && tuple.nulls == NULL && tuple.bytes == 16,
	   "a full tuple");
	ok(gpuagg_load_i64(GPUAGG_T_INT4, tuple.data) == -7, "its first attribute");
	ok(gpuagg_tuple_is_full(&tuple, 3) && !gpuagg_tuple_is_full(&tuple, 4),
	   "it has three attributes");
	ok(gpuagg_page_tuple(page.bytes, 1, &tuple) == GPUAGG_LINE_TUPLE &&
	   tuple.nulls != NULL && tuple.bytes == 8, "a tuple with NULLs");
	ok(!gpuagg_tuple_is_full(&tuple, 1), "it is not full");
	ok(gpuagg_page_tuple(page.bytes, 2, &tuple) == GPUAGG_LINE_NONE &&
	   gpuagg_page_tuple(page.bytes, 3, &tuple) == GPUAGG_LINE_NONE &&
	   gpuagg_page_tuple(page.bytes, 4, &tuple) == GPUAGG_LINE_NONE,
	   "unused, redirected and dead line pointers");
}

static void
test_many_nulls(void)
{
	static TestPage page;
	int32_t		i = 1;
	TestValue	values[20];
	GpuAggTuple tuple;

	page_init(&page);
	for (int k = 0; k < 20; k++)
		values[k] = (TestValue) {k == 17 ? NULL : &i, 4, 4};
	page_add(&page, values, 20);
	gpuagg_page_tuple(page.bytes, 0, &tuple);
	ok(gpuagg_tuple_is_full(&tuple, 8) && gpuagg_tuple_is_full(&tuple, 16) &&
	   gpuagg_tuple_is_full(&tuple, 17) && !gpuagg_tuple_is_full(&tuple, 18) &&
	   !gpuagg_tuple_is_full(&tuple, 20), "a NULL counts from its attribute on");
}

/* Whatever a page holds, the common case at once says what the steps say. */
static void
test_plain_tuple(void)
{
	static TestPage page;
	uint32_t	plain = 0;
	uint32_t	wrong = 0;

	page_init(&page);
	srandom(11);
	for (int i = 0; i < 300000; i++)
	{
		GpuAggLinePointer lp = {.off = (uint32_t) random() % 1030 * 8,
		.flags = random() % 8 ? GPUAGG_LP_NORMAL : (uint32_t) random() & 3,
		.len = (uint32_t) random() % (random() % 8 ? 80 : 9000)};
		uint32_t	natts = (uint32_t) random() % 5;
		uint32_t	bytes = (uint32_t) random() % 30;
		GpuAggTuple tuple;
		uint32_t	at;
		bool		is;

		lp.off += random() % 16 == 0;
		*page_line(&page, 0) = lp;
		if (lp.off + 24 <= GPUAGG_PAGE_BYTES && lp.off >= 32)
		{
			page.bytes[lp.off + GPUAGG_TUPLE_INFOMASK2] = (char) (random() % 8);
			page.bytes[lp.off + GPUAGG_TUPLE_INFOMASK] = (char) (random() % 8 == 0);
			page.bytes[lp.off + GPUAGG_TUPLE_HOFF] = (char) (random() % 8 ? 24 : random());
		}
		at = gpuagg_page_plain_tuple(page.bytes, 0, natts, bytes);
		is = gpuagg_page_tuple(page.bytes, 0, &tuple) == GPUAGG_LINE_TUPLE &&
			tuple.nulls == NULL && tuple.natts >= natts && tuple.bytes >= bytes;
		wrong += is ? page.bytes + at != tuple.data : at != 0;
		plain += is;
	}
	ok(wrong == 0 && plain > 10000, "tuples without NULLs, at once and step by step");
}

static void
test_varlena(void)
{
	char		bytes[128] = {0};
	char		letters[40];
	const char *data = NULL;
	uint32_t	size = 0;
	uint32_t	len = 0;
	uint32_t	word;

	memset(letters, 'x', sizeof(letters));
	short_text(bytes, letters, 5);
	ok(gpuagg_varlena_measure(bytes, 6, &size, &data, &len) == GPUAGG_FETCH_VALUE &&
	   size == 6 && len == 5 && data == bytes + 1, "short varlena");
	ok(gpuagg_varlena_measure(bytes, 5, &size, &data, &len) == GPUAGG_FETCH_CORRUPT,
	   "short varlena beyond the tuple");
	long_text(bytes, letters, 20, 0);
	ok(gpuagg_varlena_measure(bytes, 24, &size, &data, &len) == GPUAGG_FETCH_VALUE &&
	   size == 24 && len == 20 && data == bytes + 4, "plain varlena");
	ok(gpuagg_varlena_measure(bytes, 23, &size, &data, &len) == GPUAGG_FETCH_CORRUPT,
	   "plain varlena beyond the tuple");
	ok(gpuagg_varlena_measure(bytes, 3, &size, &data, &len) == GPUAGG_FETCH_CORRUPT,
	   "plain varlena without room for its header");
	word = 3 << 2;
	memcpy(bytes, &word, 4);
	ok(gpuagg_varlena_measure(bytes, 100, &size, &data, &len) == GPUAGG_FETCH_CORRUPT,
	   "varlena shorter than its header");
	long_text(bytes, letters, 20, 2);
	ok(gpuagg_varlena_measure(bytes, 24, &size, &data, &len) == GPUAGG_FETCH_TOASTED &&
	   size == 24, "compressed varlena");
	external_text(bytes);
	ok(gpuagg_varlena_measure(bytes, 18, &size, &data, &len) == GPUAGG_FETCH_TOASTED &&
	   size == 18, "external varlena");
	ok(gpuagg_varlena_measure(bytes, 17, &size, &data, &len) == GPUAGG_FETCH_CORRUPT,
	   "external varlena beyond the tuple");
	bytes[1] = 3;
	ok(gpuagg_varlena_measure(bytes, 18, &size, &data, &len) == GPUAGG_FETCH_CORRUPT,
	   "a pointer into memory is never on a page");
}

/* Walks text, cstring, int8 after a plain varlena that needs padding. */
static void
test_alignment(void)
{
	static TestPage page;
	char		a[64];
	char		b[64];
	int64_t		i8 = 77;
	TestValue	values[4];
	GpuAggAttr	attrs[4] = {{.attlen = -1,.align = 4}, {.attlen = -1,.align = 4},
	{.attlen = -2,.align = 1}, {.attlen = 8,.align = 8}};
	GpuAggTuple tuple;
	const char *value = NULL;
	uint32_t	len = 0;
	uint32_t	off = 0;

	page_init(&page);
	values[0] = short_text(a, "ab", 2);
	values[1] = long_text(b, "plain", 5, 0);	/* at 4, after one pad byte */
	values[2] = (TestValue) {"cstr", 5, 1};
	values[3] = (TestValue) {&i8, 8, 8};
	page_add(&page, values, 4);
	gpuagg_page_tuple(page.bytes, 0, &tuple);
	ok(gpuagg_tuple_attr(&tuple, &attrs[0], 0, &off, &value, &len) == GPUAGG_FETCH_VALUE &&
	   len == 2 && memcmp(value, "ab", 2) == 0 && off == 3, "unaligned short header");
	ok(gpuagg_tuple_attr(&tuple, &attrs[1], 1, &off, &value, &len) == GPUAGG_FETCH_VALUE &&
	   len == 5 && memcmp(value, "plain", 5) == 0 && off == 13, "padding before a plain one");
	ok(gpuagg_tuple_attr(&tuple, &attrs[2], 2, &off, &value, &len) == GPUAGG_FETCH_VALUE &&
	   len == 4 && memcmp(value, "cstr", 4) == 0 && off == 18, "cstring");
	ok(gpuagg_tuple_attr(&tuple, &attrs[3], 3, &off, &value, &len) == GPUAGG_FETCH_VALUE &&
	   gpuagg_load_i64(GPUAGG_T_INT8, value) == 77 && off == 32, "int8 aligned to 8");
	ok(gpuagg_tuple_attr(&tuple, &attrs[3], 4, &off, &value, &len) == GPUAGG_FETCH_MISSING,
	   "an attribute beyond the tuple's");
	off = 32;
	ok(gpuagg_tuple_attr(&tuple, &attrs[3], 3, &off, &value, &len) == GPUAGG_FETCH_CORRUPT &&
	   gpuagg_tuple_attr(&tuple, &attrs[0], 0, &off, &value, &len) == GPUAGG_FETCH_CORRUPT &&
	   gpuagg_tuple_attr(&tuple, &attrs[2], 2, &off, &value, &len) == GPUAGG_FETCH_CORRUPT,
	   "attributes behind the tuple's end");
}

static void
test_loads(void)
{
	int16_t		i2 = -2;
	float		f4 = 0.1f;
	int64_t		i8 = INT64_MIN;

	ok(gpuagg_load_i64(GPUAGG_T_BOOL, "\1") == 1 && gpuagg_load_i64(GPUAGG_T_BOOL, "\0") == 0,
	   "bool");
	ok(gpuagg_load_i64(GPUAGG_T_INT2, (char *) &i2) == -2, "int2");
	ok(gpuagg_load_i64(GPUAGG_T_TIMESTAMPTZ, (char *) &i8) == INT64_MIN, "timestamptz");
	ok(gpuagg_load_f64(GPUAGG_T_FLOAT4, (char *) &f4) == (double) 0.1f, "float4");
}

/* ---------- the host's decoder ---------- */

typedef struct Decoding
{
	TestProgram program;
	GpuAggMemory memory;
	GpuAggPrepared *prepared;
	GpuAggVectors vectors;
	void	   *block;
	GpuAggDecoder decoder;
	GpuAggError error;
} Decoding;

static void
decoding_start(Decoding *d, const GpuAggPage *pages, uint32_t npages)
{
	memset(&d->error, 0, sizeof(d->error));
	memset(&d->decoder, 0, sizeof(d->decoder));
	gpuagg_memory_init(&d->memory, NULL, 0);
	d->prepared = gpuagg_prepared_create(&d->program.head, NULL, &d->memory, &d->error);
	if (d->prepared == NULL)
	{
		printf("Bail out! %s\n", d->error.message);
		exit(1);
	}
	d->block = aligned_alloc(64, gpuagg_vectors_bytes(d->prepared->program));
	gpuagg_vectors_init(&d->vectors, d->prepared->program, d->block);
	d->decoder.prepared = d->prepared;
	d->decoder.vectors = &d->vectors;
	d->decoder.columns = d->vectors.reg;
	d->decoder.memory = &d->memory;
	d->decoder.pages = pages;
	d->decoder.npages = npages;
}

static void
decoding_end(Decoding *d)
{
	gpuagg_memory_free(&d->memory, d->decoder.listed,
					   d->decoder.max_listed * sizeof(GpuAggRowRef));
	gpuagg_prepared_free(d->prepared, &d->memory);
	free(d->block);
}

/* int4, text, int8, float8 of which a missing one has a constant */
static void
test_decode(void)
{
	static TestPage page;
	static Decoding d;
	GpuAggPage	pages[1] = {{.page = page.bytes, .nlines = 0}};
	uint16_t	c_int;
	uint16_t	c_text;
	uint16_t	c_big;
	uint16_t	c_added;
	uint16_t	missing;
	char		buf[64];
	uint32_t	n = 0;
	bool		good = true;

	program_init(&d.program);
	c_int = program_attr(&d.program, GPUAGG_T_INT4, true);
	c_text = program_attr(&d.program, GPUAGG_T_TEXT, true);
	c_big = program_attr(&d.program, GPUAGG_T_INT8, true);
	c_added = program_attr(&d.program, GPUAGG_T_INT8, true);
	missing = program_const_i64(&d.program, GPUAGG_T_INT8, 4711);
	d.program.attrs[3].missing_const = missing;

	page_init(&page);
	for (int64_t i = 0; i < 60; i++)
	{
		int32_t		small = (int32_t) i;
		int64_t		big = i * 1000;
		TestValue	v[4] = {
			{&small, 4, 4}, short_text(buf, "text", (uint32_t) i % 5), {&big, 8, 8}, {&big, 8, 8}};

		if (i % 6 == 1)
			v[0].bytes = NULL;
		if (i % 6 == 2)
			v[1] = external_text(buf);
		if (i % 6 == 3)
			v[1] = long_text(buf, "compressed", 10, 2);
		if (i % 6 == 5)
			v[1] = long_text(buf, "longer", 6, 0);
		page_add(&page, v, i % 6 == 4 ? 3 : 4);
	}
	pages[0].nlines = page.nlines;
	decoding_start(&d, pages, 1);
	ok(gpuagg_decode_block(&d.decoder, &n, &d.error) == GPUAGG_OK, "decodes");
	is_int(n, 40, "rows");
	is_int((long long) d.decoder.rows_scanned, 60, "rows scanned");
	is_int(d.decoder.nlisted, 20, "rows skipped");
	for (uint32_t k = 0; k < 20; k++)
		good &= d.decoder.listed[k].page == 0 &&
			d.decoder.listed[k].line == k / 2 * 6 + 2 + k % 2 + 1;
	ok(good, "compressed and external ones");
	good = true;
	for (uint32_t k = 0; k < n; k++)
	{
		int64_t		i = k / 4 * 6 + (k % 4 == 2 ? 4 : k % 4 == 3 ? 5 : k % 4);
		const GpuAggVector *v = d.vectors.reg;
		GpuAggBytes text = v[c_text].v.b[k];

		good &= (v[c_int].st[k] == GPUAGG_ST_NULL) == (i % 6 == 1);
		good &= i % 6 == 1 || v[c_int].v.i[k] == i;
		good &= v[c_big].v.i[k] == i * 1000;
		good &= v[c_added].v.i[k] == (i % 6 == 4 ? 4711 : i * 1000);
		good &= i % 6 == 5 ? text.len == 6 && memcmp(text.data, "longer", 6) == 0 :
			text.len == (uint64_t) i % 5 && memcmp(text.data, "text", text.len) == 0;
	}
	ok(good, "values, NULLs and missing attributes");
	ok(!d.vectors.reg[c_int].clean && d.vectors.reg[c_big].clean && d.vectors.reg[c_added].clean,
	   "clean where there is no NULL");
	ok(gpuagg_decode_block(&d.decoder, &n, &d.error) == GPUAGG_OK && n == 0, "ends");
	decoding_end(&d);
}

/* Fixed columns over many pages and blocks, with visibility bitmaps. */
static void
test_decode_blocks(void)
{
	enum
	{
		NPAGES = 20
	};
	static TestPage page[NPAGES];
	static Decoding d;
	static uint8_t visible[NPAGES][GPUAGG_VISIBILITY_BYTES];
	GpuAggPage	pages[NPAGES];
	uint16_t	reg;
	int64_t		next = 0;
	int64_t		want = 0;
	int64_t		rows = 0;
	bool		good = true;
	uint32_t	n;

	program_init(&d.program);
	program_attr(&d.program, GPUAGG_T_INT4, false);
	reg = program_attr(&d.program, GPUAGG_T_INT8, true);
	for (uint32_t p = 0; p < NPAGES; p++)
	{
		page_init(&page[p]);
		for (;;)
		{
			int32_t		zero = 0;
			TestValue	v[2] = {{&zero, 4, 4}, {&next, 8, 8}};

			if (next % 7 == 0)
				page_add_line(&page[p], 3, 0);
			if (!page_add(&page[p], v, 2))
				break;
			if (next % 3 != 0 || p % 2 == 0)
				visible[p][(page[p].nlines - 1) / 8] |= (uint8_t) (1 << (page[p].nlines - 1) % 8);
			next++;
		}
		pages[p] = (GpuAggPage){.page = page[p].bytes,
								.visibility = p % 2 == 0 ? NULL : visible[p],
								.nlines = page[p].nlines,
								.block = p};
	}
	decoding_start(&d, pages, NPAGES);
	while (gpuagg_decode_block(&d.decoder, &n, &d.error) == GPUAGG_OK && n > 0)
	{
		rows += n;
		good &= d.vectors.reg[reg].clean && (n == GPUAGG_VECTOR_ROWS || d.decoder.page == NPAGES);
		for (uint32_t k = 0; k < n; k++)
		{
			/* the next visible row */
			int64_t		v = d.vectors.reg[reg].v.i[k];

			good &= v == want || (v == want + 1 && want % 3 == 0);
			want = v + 1;
		}
	}
	ok(good && d.error.status == GPUAGG_OK, "rows in order, blocks full");
	ok((int64_t) d.decoder.rows_scanned == rows && rows < next && rows > next * 3 / 4,
	   "invisible rows are left out");
	decoding_end(&d);

	/* without columns */
	program_init(&d.program);
	decoding_start(&d, pages, NPAGES);
	next = rows;
	rows = 0;
	while (gpuagg_decode_block(&d.decoder, &n, &d.error) == GPUAGG_OK && n > 0)
		rows += n;
	is_int(rows, next, "the same number of rows without columns");
	decoding_end(&d);
}

static void
test_corrupt(void)
{
	static TestPage page;
	static Decoding d;
	GpuAggPage	pages[1] = {{.page = page.bytes, .nlines = 1}};
	const struct
	{
		uint32_t	off,
					len;
		const char *name;
	}			bad[] = {
		{0x7ff8, 32, "line pointer beyond the page"},
		{8184, 32, "tuple's end beyond the page"},
		{8156, 32, "tuple not aligned"},
		{8, 32, "tuple in the page header"},
		{8152, 22, "line shorter than a tuple header"},
		{8152, 23, "header longer than the line"},
		{8152, 27, "attribute beyond the tuple"},
	};
	int32_t		i = 1;
	TestValue	v = {&i, 4, 4};
	uint32_t	n = 0;

	program_init(&d.program);
	program_attr(&d.program, GPUAGG_T_INT4, true);
	for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++)
	{
		page_init(&page);
		page_add(&page, &v, 1);
		page_line(&page, 0)->off = bad[k].off;
		page_line(&page, 0)->len = bad[k].len;
		if (page_line(&page, 0)->off == 8152)
			memmove(page.bytes + 8152, page.bytes + page.upper, 28);
		decoding_start(&d, pages, 1);
		ok(gpuagg_decode_block(&d.decoder, &n, &d.error) == GPUAGG_CORRUPT_PAGE, bad[k].name);
		decoding_end(&d);
	}
	pages[0].nlines = GPUAGG_MAX_LINES + 1;
	decoding_start(&d, pages, 1);
	ok(gpuagg_decode_block(&d.decoder, &n, &d.error) == GPUAGG_CORRUPT_PAGE, "too many lines");
	decoding_end(&d);
}

/* Whatever the bytes are, decoding ends and stays inside of the page. */
static void
test_random_damage(void)
{
	static TestPage page;
	static Decoding d;
	char	   *damaged = aligned_alloc(64, GPUAGG_PAGE_BYTES);
	GpuAggPage	pages[1] = {{.page = damaged, .nlines = 0}};
	uint64_t	seed = 88172645463325252u;
	char		buf[64];
	uint32_t	n;
	int			corrupt = 0;

	program_init(&d.program);
	program_attr(&d.program, GPUAGG_T_INT4, true);
	program_attr(&d.program, GPUAGG_T_TEXT, true);
	program_attr(&d.program, GPUAGG_T_TEXT, false);
	program_attr(&d.program, GPUAGG_T_INT8, true);
	page_init(&page);
	for (int32_t i = 0;; i++)
	{
		int64_t		big = i;
		char		other[64];
		TestValue	v[4] = {{i % 5 ? &i : NULL, 4, 4},
						  short_text(buf, "words of some length", (uint32_t) i % 20),
						  long_text(other, "another", 7, 0),
						  {&big, 8, 8}};

		if (!page_add(&page, v, 4))
			break;
	}
	pages[0].nlines = page.nlines;
	decoding_start(&d, pages, 1);
	for (int round = 0; round < 3000; round++)
	{
		uint64_t	sum = 0;

		memcpy(damaged, page.bytes, GPUAGG_PAGE_BYTES);
		for (int k = 0; k < 1 + round % 20; k++)
		{
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			damaged[seed % (k % 2 ? GPUAGG_PAGE_BYTES : 600)] = (char) (seed >> 32);
		}
		d.decoder.page = d.decoder.line = d.decoder.nlisted = 0;
		if (gpuagg_decode_block(&d.decoder, &n, &d.error) != GPUAGG_OK)
		{
			corrupt += d.error.status == GPUAGG_CORRUPT_PAGE;
			continue;
		}
		for (uint32_t k = 0; k < n; k++)
			for (uint64_t b = 0; b < d.vectors.reg[1].v.b[k].len && d.vectors.reg[1].st[k] == 0;
				 b++)
				sum += (uint8_t) d.vectors.reg[1].v.b[k].data[b];
		if (sum == 1)			/* keeps the loop */
			printf("#\n");
	}
	ok(corrupt > 100, "damaged pages are refused, or read inside their bounds");
	decoding_end(&d);
	free(damaged);
}

typedef struct NumericCase
{
	const char *name;
	uint16_t	words[8];		/* header, weight of a long one, digits */
	uint32_t	nwords;
	GpuAggScale scale;
	bool		fits;
	int64_t		value;
} NumericCase;

#define EXACT(digits) {digits, GPUAGG_SCALE_EXACT}
#define WORD {0, GPUAGG_SCALE_WORD}
#define FITS(digits) {digits, GPUAGG_SCALE_FITS}

/* As PostgreSQL stores these numerics */
static const NumericCase numeric_cases[] = {
	{"0.00", {0x8100}, 1, EXACT(2), true, 0},
	{"12345.67", {0x8101, 1, 2345, 6700}, 4, EXACT(2), true, 1234567},
	{"-0.01", {0xA17F, 100}, 2, EXACT(2), true, -1},
	{"100, a digit that is left out", {0x8101, 1}, 2, EXACT(2), true, 1000000},
	{"20000 without decimals", {0x8001, 2}, 2, EXACT(0), true, 20000},
	{"922337203685477.5807", {0x8203, 922, 3372, 368, 5477, 5807}, 6, EXACT(4), true, INT64_MAX},
	{"-922337203685477.5807", {0xA203, 922, 3372, 368, 5477, 5807}, 6, EXACT(4), true, -INT64_MAX},
	{"92233720368547758.07", {0x8104, 9, 2233, 7203, 6854, 7758, 700}, 7, EXACT(2), true, INT64_MAX},
	{"92233720368547758.08", {0x8104, 9, 2233, 7203, 6854, 7758, 800}, 7, EXACT(2), false, 0},
	{"a long form of 1.5", {0x0001, 0, 1, 5000}, 4, EXACT(1), true, 15},
	{"a long form of -1.5", {0x4001, 0, 1, 5000}, 4, EXACT(1), true, -15},
	{"another scale", {0x8101, 1, 2345, 6700}, 4, EXACT(3), false, 0},
	{"decimals beyond its scale", {0x8100, 1, 2345}, 3, EXACT(2), false, 0},
	{"digits beyond its scale", {0x8100, 1, 2300, 1}, 4, EXACT(2), false, 0},
	{"NaN", {0xC000}, 1, EXACT(2), false, 0},
	{"infinity", {0xD000}, 1, EXACT(2), false, 0},
	{"a weight beyond 64 bits", {0x0002, 32767, 1}, 3, EXACT(2), false, 0},
	{"a weight below every scale", {0x0002, 0x8000, 1}, 3, EXACT(2), false, 0},
	{"no digit at all", {0x8100, 10000}, 2, EXACT(2), false, 0},
	{"12345.67 as a word", {0x8101, 1, 2345, 6700}, 4, WORD, true, 1234567 * 32 + 2},
	{"-0.01 as a word", {0xA17F, 100}, 2, WORD, true, -1 * 32 + 2},
	{"0.0000 as a word", {0x8200}, 1, WORD, true, 4},
	{"-288230376151711743 as a word",
	 {0xA004, 28, 8230, 3761, 5171, 1743},
	 6,
	 WORD,
	 true,
	 -INT64_C(288230376151711743) * 32},
	{"288230376151711744 as a word",
	 {0x8004, 28, 8230, 3761, 5171, 1744},
	 6,
	 WORD,
	 false,
	 0},
	{"1e-18 as a word", {0x897B, 100}, 2, WORD, true, 32 + 18},
	{"1e-19 as a word", {0x89FB, 10}, 2, WORD, false, 0},
	{"NaN as a word", {0xC000}, 1, WORD, false, 0},
	{"12345.67 as a word that fits two decimals",
	 {0x8101, 1, 2345, 6700},
	 4,
	 FITS(2),
	 true,
	 1234567 * 32 + 2},
	{"the same that fits one",
	 {0x8101, 1, 2345, 6700},
	 4,
	 FITS(1),
	 false,
	 0},
	{"1.50, which shows two, of one",
	 {0x8100, 1, 5000},
	 3,
	 FITS(1),
	 false,
	 0},
	{"7 that fits none", {0x8000, 7}, 2, FITS(0), true, 7 * 32},
	{"10 times as much as fits 18",
	 {0x8000, 10},
	 2,
	 FITS(18),
	 false,
	 0},
};

static void
test_numeric(void)
{
	char		unaligned[32];

	for (size_t i = 0; i < sizeof(numeric_cases) / sizeof(numeric_cases[0]); i++)
	{
		const NumericCase *c = &numeric_cases[i];
		int64_t		value = 0;
		bool		fits;

		memcpy(unaligned + 1, c->words, c->nwords * sizeof(uint16_t));
		fits = gpuagg_load_numeric(unaligned + 1, c->nwords * (uint32_t) sizeof(uint16_t),
								   c->scale, &value);
		ok(fits == c->fits && (!fits || value == c->value), c->name);
	}
	ok(!gpuagg_load_numeric(unaligned, 0, gpuagg_scale(0), &(int64_t) {0}) &&
	   !gpuagg_load_numeric(unaligned, 1, gpuagg_scale(0), &(int64_t) {0}), "numeric: cut off");
}

/* The byte that programs have it in, and its place: compilers of all devices agree. */
static void
test_scale(void)
{
	const GpuAggScale scale = gpuagg_scale_as(GPUAGG_SCALE_AT_MOST, 18);
	const GpuAggScale limited = gpuagg_scale_as(GPUAGG_SCALE_FITS, 2);
	uint8_t		bytes[2];

	memcpy(&bytes[0], &scale, 1);
	memcpy(&bytes[1], &limited, 1);
	ok(bytes[0] == 0x92 && bytes[1] == 0x62, "a scale is a byte: digits below, its form above");
	ok(offsetof(GpuAggAttr, scale) == 12 && offsetof(GpuAggKey, scale) == 4 &&
	   offsetof(GpuAggTransition, scale) == 7, "it stands where programs have it");
	ok(gpuagg_scale_is_word(limited) && !gpuagg_scale_is_word(scale) &&
	   gpuagg_scale_same(limited, limited) && !gpuagg_scale_same(limited, gpuagg_scale(2)),
	   "scales are compared by both");
}

/* Times with a zone in PostgreSQL's order: seconds of the day, seconds west of UTC */
static const int32_t times[][2] = {
	{0, -57540}, {10 * 3600, -3600}, {9 * 3600, 0}, {43200, -3600}, {39600, 0}, {36000, 3600},
	{86399, 0}, {86400, 0}, {82800, 3600}, {86400, 57540}
};

static void
test_times(void)
{
	int64_t		before = INT64_MIN;
	bool		ordered = true;
	bool		back = true;
	char		bytes[GPUAGG_TIMETZ_BYTES + 1];
	int64_t		time;
	int32_t		zone = GPUAGG_TIMETZ_ZONE_LIMIT;
	int64_t		held = 0;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
	{
		char		again[GPUAGG_TIMETZ_BYTES];

		time = times[i][0] * INT64_C(1000000);
		memcpy(bytes + 1, &time, sizeof(time));
		memcpy(bytes + 1 + sizeof(time), &times[i][1], sizeof(int32_t));
		ordered &= gpuagg_load_timetz(bytes + 1, &held) && held > before;
		before = held;
		gpuagg_store_timetz(held, again);
		back &= memcmp(again, bytes + 1, sizeof(again)) == 0;
	}
	ok(ordered, "times with a zone are in their order");
	ok(back, "and come back");
	memcpy(bytes + 1 + sizeof(time), &zone, sizeof(zone));
	ok(!gpuagg_load_timetz(bytes + 1, &held), "a zone beyond them has no form");
}

static void
test_types(void)
{
	static const char mac[] = "x\xff\x00\x01\x02\x03\x04\x05\x06";
	const uint32_t oids[] = {0, 1, INT32_MAX, UINT32_C(1) << 31, UINT32_MAX};
	const uint64_t lsns[] = {0, 1, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX};
	char		back[8];
	char		name[GPUAGG_NAME_BYTES];
	bool		good = true;

	for (int i = 0; i < 5; i++)
	{
		const int64_t oid = gpuagg_load_i64(GPUAGG_T_OID, (const char *) &oids[i]);
		const int64_t lsn = gpuagg_load_i64(GPUAGG_T_LSN, (const char *) &lsns[i]);

		good &= gpuagg_held_oid(oid) == oids[i] && gpuagg_held_u64(lsn) == lsns[i] &&
			oid == (int32_t) oid &&
			gpuagg_load_i64(GPUAGG_T_ENUM, (const char *) &oids[i]) == oid &&
			(i == 0 || (oid > gpuagg_hold_oid(oids[i - 1]) && lsn > gpuagg_hold_u64(lsns[i - 1])));
	}
	ok(good, "unsigned numbers are in their order and come back");
	is_int(gpuagg_load_i64(GPUAGG_T_CHAR, mac + 1), 255, "\"char\" is unsigned");
	is_int(gpuagg_load_i64(GPUAGG_T_MACADDR, mac + 1), INT64_C(0xff0001020304), "macaddr");
	is_int(gpuagg_load_i64(GPUAGG_T_MACADDR8, mac + 1),
		   (long long) gpuagg_hold_u64(UINT64_C(0xff00010203040506)), "macaddr8");
	gpuagg_store_bytes(UINT64_C(0xff00010203040506), 8, back);
	ok(memcmp(back, mac + 1, 8) == 0, "and back");
	memset(name, 'n', sizeof(name));
	is_int(gpuagg_name_length(name), GPUAGG_NAME_BYTES, "a name ends with its bytes");
	name[3] = '\0';
	is_int(gpuagg_name_length(name), 3, "or with a zero");
}

int
main(void)
{
	test_tuple();
	test_many_nulls();
	test_plain_tuple();
	test_varlena();
	test_alignment();
	test_loads();
	test_numeric();
	test_scale();
	test_types();
	test_times();
	test_decode();
	test_decode_blocks();
	test_corrupt();
	test_random_damage();
	return done_testing();
}
