/*
 * answer_row.h
 *		Which groups are wanted (device/answer.h): the order of two groups, HAVING and
 *		sums, of one group's row.  One meaning for every device.
 *
 * A group's place in the order is a sequence of words, compared one after the other as
 * unsigned numbers.  Each column of ORDER BY gives one for NULL, where it can be NULL,
 * and some for its value.  Two groups with the same words are equal to PostgreSQL
 * in these columns, and the other way round, with two exceptions:
 *
 *	- An average, which numeric rounds at a scale of its own.  The sequence ends with
 *	  it.  Averages whose words are within `slack` of one another may be in either
 *	  order.
 *	- A string is cut off after so many bytes.  All words that follow one that was cut
 *	  are zero, so groups that begin with the same bytes are equal.
 *
 * Where words are exact and ties are not wanted, the group's position in its
 * table is the last word: then no two groups are equal, but for strings that were cut.
 */
#ifndef GPUAGG_DEVICE_OPS_ANSWER_ROW_H
#define GPUAGG_DEVICE_OPS_ANSWER_ROW_H

#include "device/answer.h"
#include "device/ops/decoding.h"

/* Of a string, eight bytes each: beyond what addresses of one site begin with */
#define GPUAGG_ANSWER_STRING_WORDS 8

/* For each column NULL, a string's words and whether it was cut, and a position */
#define GPUAGG_ANSWER_WORDS ((GPUAGG_ANSWER_STRING_WORDS + 2) * GPUAGG_ANSWER_COLUMNS + 1)

/* Of words that are not exact, by which averages may be wrong: see avg_word() */
#define GPUAGG_ANSWER_SLACK 2
#define GPUAGG_ANSWER_AVG_SHIFT 16

/* ---------- where a value lies ---------- */

typedef struct GpuAggValuePlace
{
	uint8_t		form;
	uint8_t		type;			/* GpuAggType of a key */
	uint16_t	off;
	uint16_t	count_off;		/* 0: none */
	uint16_t	pad;
	uint32_t	null_bit;		/* of a key's head */
} GpuAggValuePlace;

typedef enum GpuAggWordPart
{
	GPUAGG_WORD_NULL,
	GPUAGG_WORD_VALUE,
	GPUAGG_WORD_LOW,			/* of two, the second */
	GPUAGG_WORD_CUT,			/* has the string more bytes than its words? */
	GPUAGG_WORD_POSITION
} GpuAggWordPart;

typedef struct GpuAggAnswerWord
{
	GpuAggValuePlace value;
	uint8_t		part;			/* GpuAggWordPart */
	uint8_t		bits;			/* that are in use, the lowest */
	uint8_t		descending;
	uint8_t		nulls_first;
	uint8_t		text;			/* 1 + the dictionary of a key's codes; 0: none */
	uint8_t		type;			/* of such a key's strings */
	uint8_t		nth;			/* of a string's words */
	uint8_t		ncuts;			/* strings before it, which may be cut */
} GpuAggAnswerWord;

/* An answer with the places of a program's layout */
typedef struct GpuAggAnswerPlan
{
	uint64_t	first;			/* 0: all that pass */
	uint32_t	nwords;			/* 0: in any order */
	uint32_t	slack;			/* of the last word */
	uint32_t	nterms;
	uint32_t	nsums;
	uint32_t	ncuts;
	uint32_t	cuts[GPUAGG_ANSWER_COLUMNS];	/* words that tell whether a string is cut */
	uint32_t	ntexts;
	uint32_t	text_columns[GPUAGG_ANSWER_COLUMNS];	/* columns whose dictionaries `texts` are */
	GpuAggDictionaryText texts[GPUAGG_ANSWER_COLUMNS];	/* the device's to fill in */
	GpuAggAnswerWord words[GPUAGG_ANSWER_WORDS];
	GpuAggValuePlace term_values[GPUAGG_ANSWER_TERMS];
	GpuAggHavingTerm terms[GPUAGG_ANSWER_TERMS];
	GpuAggValuePlace sums[GPUAGG_ANSWER_SUMS];
} GpuAggAnswerPlan;

GPUAGG_FN void
gpuagg_answer_place(const GpuAggProgram *p, const GpuAggLayout *l, GpuAggValueRef v,
					GpuAggValuePlace *place)
{
	memset(place, 0, sizeof(*place));
	place->form = v.form;
	if (v.form == GPUAGG_VALUE_KEY)
	{
		const GpuAggKey *key = &gpuagg_program_keys(p)[v.index];

		place->type = key->type;
		place->off = l->key_off[v.index];
		place->null_bit = key->notnull ? 0 : UINT32_C(1) << v.index;
		return;
	}
	place->off = l->state_off[v.index];
	if (v.count > 0)
		place->count_off = l->state_off[v.count - 1];
}

/* Codes are in no order; their strings are. */
GPUAGG_FN bool
gpuagg_answer_is_code(const GpuAggValuePlace *v)
{
	return v->form == GPUAGG_VALUE_KEY && v->type == GPUAGG_T_CODE;
}

GPUAGG_FN bool
gpuagg_answer_is_bytes(const GpuAggValuePlace *v)
{
	return v->form == GPUAGG_VALUE_BYTES || gpuagg_answer_is_code(v) ||
		(v->form == GPUAGG_VALUE_KEY && gpuagg_key_is_string(v->type));
}

GPUAGG_FN bool
gpuagg_answer_is_rounded(const GpuAggValuePlace *v)
{
	return v->form == GPUAGG_VALUE_AVG_I64 || v->form == GPUAGG_VALUE_AVG_I128;
}

GPUAGG_FN bool
gpuagg_answer_is_null(const GpuAggValuePlace *v, const char *row)
{
	uint32_t	head;
	int64_t		count = 1;

	memcpy(&head, row, sizeof(head));
	if (v->count_off != 0)
		memcpy(&count, row + v->count_off, sizeof(count));
	return (head & v->null_bit) != 0 || count == 0;
}

/* ---------- values ---------- */

GPUAGG_FN int64_t
gpuagg_answer_f64(double d)
{
	return gpuagg_f64_order(d + 0.0);	/* -0 is 0 */
}

GPUAGG_FN double
gpuagg_answer_double(const char *state)
{
	double		d;

	memcpy(&d, state, sizeof(d));
	return d;
}

/* A 128-bit number as a double; its magnitude first, lest small ones lose theirs */
GPUAGG_FN double
gpuagg_answer_i128_double(uint64_t low, int64_t high)
{
	const bool	negative = high < 0;
	double		d;

	if (negative)
	{
		low = ~low + 1;
		high = (int64_t) (~(uint64_t) high + (low == 0));
	}
	d = (double) (uint64_t) high * 18446744073709551616.0 + (double) low;
	return negative ? -d : d;
}

/*
 * A value that is a number, as one of 128 bits that is ordered as it is.  Not for
 * strings, uuids, and averages that are numeric.
 */
GPUAGG_FN void
gpuagg_answer_number(const GpuAggValuePlace *v, const char *row, uint64_t *low, int64_t *high)
{
	const char *slot = row + v->off;
	int64_t		i = 0;
	int64_t		count;
	int32_t		narrow;

	memcpy(&i, slot, v->form == GPUAGG_VALUE_KEY ? 4 : 8);
	switch (v->form)
	{
		case GPUAGG_VALUE_KEY:
			if (gpuagg_key_class(v->type) == GPUAGG_CLASS_F64)
				i = gpuagg_answer_f64(gpuagg_answer_double(slot));
			else if (gpuagg_type_slot_bytes(v->type) == 4)
			{
				memcpy(&narrow, slot, sizeof(narrow));
				i = narrow;
			}
			else
				memcpy(&i, slot, sizeof(i));
			break;
		case GPUAGG_VALUE_I128:
			memcpy(low, slot, 8);
			memcpy(high, slot + 8, 8);
			return;
		case GPUAGG_VALUE_F64:
			i = gpuagg_answer_f64(gpuagg_answer_double(slot));
			break;
		case GPUAGG_VALUE_F32:
			i = gpuagg_answer_f64((double) (float) gpuagg_answer_double(slot));
			break;
		case GPUAGG_VALUE_F64_ORDER:
			i = gpuagg_answer_f64(gpuagg_f64_unorder(i));
			break;
		case GPUAGG_VALUE_AVG_F64:
			memcpy(&count, row + v->count_off, sizeof(count));
			i = gpuagg_answer_f64(gpuagg_answer_double(slot) / (double) count);
			break;
		case GPUAGG_VALUE_WORD:
			i >>= GPUAGG_WORD_BITS;
			break;
		default:
			break;
	}
	*low = (uint64_t) i;
	*high = i < 0 ? -1 : 0;
}

/*
 * An average that numeric_div() makes.  It has 13 significant digits at least; the
 * quotient here is right to 15, and keeps 11: so two averages whose words differ by
 * more than the slack are in this order to PostgreSQL, too.
 */
GPUAGG_FN uint64_t
gpuagg_answer_average(const GpuAggValuePlace *v, const char *row)
{
	uint64_t	low;
	int64_t		high = 0;
	int64_t		count;

	memcpy(&low, row + v->off, sizeof(low));
	memcpy(&count, row + v->count_off, sizeof(count));
	if (v->form == GPUAGG_VALUE_AVG_I128)
		memcpy(&high, row + v->off + 8, sizeof(high));
	else
		high = (int64_t) low < 0 ? -1 : 0;
	return ((uint64_t) gpuagg_answer_f64(gpuagg_answer_i128_double(low, high) / (double) count) ^
			UINT64_C(0x8000000000000000)) >> GPUAGG_ANSWER_AVG_SHIFT;
}

/* Eight bytes as a number, the first one counts most; zeros where there are none */
GPUAGG_FN uint64_t
gpuagg_answer_prefix(const char *data, uint64_t len)
{
	uint64_t	word = 0;

	for (uint32_t i = 0; i < 8; i++)
		word = word << 8 | (i < len ? (uint8_t) data[i] : 0);
	return word;
}

/* ---------- words ---------- */

GPUAGG_FN GpuAggBytes
gpuagg_answer_bytes(const GpuAggAnswerPlan *plan, const GpuAggAnswerWord *w, const char *slot)
{
	GpuAggBytes b;
	int32_t		code;

	if (w->text == 0)
		b = gpuagg_string_slot_bytes(slot);
	else
	{
		memcpy(&code, slot, sizeof(code));
		b = gpuagg_decode_text_string(&plan->texts[w->text - 1], (uint32_t) code);
	}
	return w->type == GPUAGG_T_BPCHAR ? gpuagg_bpchar_trim(b) : b;
}

/* Of a string, eight bytes, or whether there are more than words tell */
GPUAGG_FN uint64_t
gpuagg_answer_string_word(const GpuAggAnswerPlan *plan, const GpuAggAnswerWord *w,
						  const char *slot)
{
	const GpuAggBytes b = gpuagg_answer_bytes(plan, w, slot);
	const uint64_t at = 8 * (uint64_t) w->nth;

	if (w->part == GPUAGG_WORD_CUT)
		return b.len > 8 * GPUAGG_ANSWER_STRING_WORDS;
	return b.len > at ? gpuagg_answer_prefix(b.data + at, b.len - at) : 0;
}

GPUAGG_FN uint64_t
gpuagg_answer_value_word(const GpuAggAnswerPlan *plan, const GpuAggAnswerWord *w,
						 const char *row)
{
	const GpuAggValuePlace *v = &w->value;
	const char *slot = row + v->off;
	uint64_t	low;
	int64_t		high;

	if (gpuagg_answer_is_bytes(v))
		return gpuagg_answer_string_word(plan, w, slot);
	if (v->form == GPUAGG_VALUE_KEY && v->type == GPUAGG_T_UUID)
		return gpuagg_answer_prefix(slot + (w->part == GPUAGG_WORD_LOW ? 8 : 0), 8);
	if (gpuagg_answer_is_rounded(v))
		return gpuagg_answer_average(v, row);
	gpuagg_answer_number(v, row, &low, &high);
	if (w->part == GPUAGG_WORD_LOW)
		return low;
	if (v->form == GPUAGG_VALUE_I128)
		return (uint64_t) high ^ UINT64_C(0x8000000000000000);
	return w->bits == 32 ? (uint32_t) low ^ UINT32_C(0x80000000) :
		low ^ UINT64_C(0x8000000000000000);
}

/* Does one of the strings before a word have more bytes than its words? */
GPUAGG_FN bool
gpuagg_answer_is_cut(const GpuAggAnswerPlan *plan, const GpuAggAnswerWord *w, const char *row)
{
	for (uint32_t i = 0; i < w->ncuts; i++)
	{
		const GpuAggAnswerWord *cut = &plan->words[plan->cuts[i]];

		if (!gpuagg_answer_is_null(&cut->value, row) &&
			gpuagg_answer_string_word(plan, cut, row + cut->value.off) != 0)
			return true;
	}
	return false;
}

GPUAGG_FN uint64_t
gpuagg_answer_word(const GpuAggAnswerPlan *plan, uint32_t i, const char *row,
				   uint64_t position)
{
	const GpuAggAnswerWord *w = &plan->words[i];
	const uint64_t mask = w->bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << w->bits) - 1;
	uint64_t	word;

	if (gpuagg_answer_is_cut(plan, w, row))
		return 0;
	if (w->part == GPUAGG_WORD_POSITION)
		return position;
	if (w->part == GPUAGG_WORD_NULL)
		return gpuagg_answer_is_null(&w->value, row) != (w->nulls_first != 0);
	if (gpuagg_answer_is_null(&w->value, row))
		return 0;
	word = gpuagg_answer_value_word(plan, w, row);
	return w->descending ? ~word & mask : word;
}

/* Is the group among those up to `last`, the words of a group? */
GPUAGG_FN bool
gpuagg_answer_within(const GpuAggAnswerPlan *plan, const char *row, uint64_t position,
					 const uint64_t *last)
{
	for (uint32_t i = 0; i < plan->nwords; i++)
	{
		const uint64_t word = gpuagg_answer_word(plan, i, row, position);

		if (word != last[i])
			return word < last[i] ||
				(i + 1 == plan->nwords && word - last[i] <= plan->slack);
	}
	return true;
}

/* ---------- HAVING, and sums ---------- */

GPUAGG_FN bool
gpuagg_answer_term(const GpuAggHavingTerm *t, const GpuAggValuePlace *v, const char *row)
{
	uint64_t	low;
	int64_t		high;
	int			order;

	if (t->never || gpuagg_answer_is_null(v, row))
		return false;
	gpuagg_answer_number(v, row, &low, &high);
	order = high != t->high ? (high < t->high ? -1 : 1) :
		low != t->low ? (low < t->low ? -1 : 1) : 0;
	switch (t->comparison)
	{
		case GPUAGG_COMPARE_EQ:
			return order == 0;
		case GPUAGG_COMPARE_NE:
			return order != 0;
		case GPUAGG_COMPARE_LT:
			return order < 0;
		case GPUAGG_COMPARE_LE:
			return order <= 0;
		case GPUAGG_COMPARE_GT:
			return order > 0;
		default:
			return order >= 0;
	}
}

GPUAGG_FN bool
gpuagg_answer_passes(const GpuAggAnswerPlan *plan, const char *row)
{
	for (uint32_t i = 0; i < plan->nterms; i++)
		if (!gpuagg_answer_term(&plan->terms[i], &plan->term_values[i], row))
			return false;
	return true;
}

/* False: a sum is infinite or NaN, of which only PostgreSQL knows what it is */
GPUAGG_FN bool
gpuagg_answer_finite(const GpuAggAnswerPlan *plan, const char *row)
{
	for (uint32_t i = 0; i < plan->nsums; i++)
	{
		const GpuAggValuePlace *v = &plan->sums[i];
		double		d = gpuagg_answer_double(row + v->off);

		if (v->form == GPUAGG_VALUE_F32)
			d = (float) d;
		if (d - d != 0 && !gpuagg_answer_is_null(v, row))
			return false;
	}
	return true;
}

/* ---------- the plan ---------- */

GPUAGG_FN void
gpuagg_answer_add_word(GpuAggAnswerPlan *plan, const GpuAggOrderColumn *c,
					   const GpuAggValuePlace *v, GpuAggWordPart part, uint32_t bits)
{
	GpuAggAnswerWord *w = &plan->words[plan->nwords++];

	memset(w, 0, sizeof(*w));
	if (v != NULL)
		w->value = *v;
	w->part = (uint8_t) part;
	w->bits = (uint8_t) bits;
	w->descending = c != NULL && c->descending;
	w->nulls_first = c != NULL && c->nulls_first;
	w->type = c != NULL ? c->type : 0;
	w->ncuts = (uint8_t) plan->ncuts;
	w->text = (uint8_t) (v != NULL && gpuagg_answer_is_code(v) ? plan->ntexts : 0);
}

GPUAGG_FN void
gpuagg_answer_add_string(GpuAggAnswerPlan *plan, const GpuAggOrderColumn *c,
						 const GpuAggValuePlace *v)
{
	for (uint32_t i = 0; i < GPUAGG_ANSWER_STRING_WORDS; i++)
	{
		gpuagg_answer_add_word(plan, c, v, GPUAGG_WORD_VALUE, 64);
		plan->words[plan->nwords - 1].nth = (uint8_t) i;
	}
	gpuagg_answer_add_word(plan, c, v, GPUAGG_WORD_CUT, 1);
	plan->cuts[plan->ncuts++] = plan->nwords - 1;
}

GPUAGG_FN void
gpuagg_answer_add_column(GpuAggAnswerPlan *plan, const GpuAggOrderColumn *c,
						 const GpuAggValuePlace *v)
{
	const bool	uuid = v->form == GPUAGG_VALUE_KEY && v->type == GPUAGG_T_UUID;

	if (v->null_bit != 0 || v->count_off != 0)
		gpuagg_answer_add_word(plan, c, v, GPUAGG_WORD_NULL, 1);
	if (gpuagg_answer_is_bytes(v))
		gpuagg_answer_add_string(plan, c, v);
	else if (gpuagg_answer_is_rounded(v))
		gpuagg_answer_add_word(plan, c, v, GPUAGG_WORD_VALUE, 64 - GPUAGG_ANSWER_AVG_SHIFT);
	else
		gpuagg_answer_add_word(
			plan, c, v, GPUAGG_WORD_VALUE,
			v->form == GPUAGG_VALUE_KEY && gpuagg_type_slot_bytes(v->type) == 4 ? 32 : 64);
	if (uuid || v->form == GPUAGG_VALUE_I128)
		gpuagg_answer_add_word(plan, c, v, GPUAGG_WORD_LOW, 64);
}

/* Bits of a position: of all groups that a task may have */
#define GPUAGG_ANSWER_POSITION_BITS 48

/*
 * What a device with groups of this program, which may have codes for strings, is
 * to do.
 */
GPUAGG_FN void
gpuagg_answer_plan(const GpuAggAnswer *a, const GpuAggProgram *p, GpuAggAnswerPlan *plan)
{
	GpuAggLayout layout;
	bool		more = true;

	memset(plan, 0, sizeof(*plan));
	gpuagg_layout_compute(p, &layout);
	plan->first = a->first;
	for (uint32_t i = 0; i < a->ncolumns && more; i++)
	{
		GpuAggValuePlace v;

		gpuagg_answer_place(p, &layout, a->columns[i].value, &v);
		if (gpuagg_answer_is_code(&v))
			plan->text_columns[plan->ntexts++] =
				gpuagg_program_keys(p)[a->columns[i].value.index].reg;
		gpuagg_answer_add_column(plan, &a->columns[i], &v);
		more = !gpuagg_answer_is_rounded(&v);
	}
	plan->slack = more ? 0 : GPUAGG_ANSWER_SLACK;
	if (more && a->ncolumns > 0 && !a->ties)
		gpuagg_answer_add_word(plan, NULL, NULL, GPUAGG_WORD_POSITION,
							   GPUAGG_ANSWER_POSITION_BITS);
	plan->nterms = a->nterms;
	for (uint32_t i = 0; i < a->nterms; i++)
	{
		plan->terms[i] = a->terms[i];
		gpuagg_answer_place(p, &layout, a->terms[i].value, &plan->term_values[i]);
	}
	plan->nsums = a->nsums;
	for (uint32_t i = 0; i < a->nsums; i++)
		gpuagg_answer_place(p, &layout, a->sums[i], &plan->sums[i]);
}

/* ---------- the check ---------- */

/* A number of rows: counted, or added up where a row counts several times */
GPUAGG_FN bool
gpuagg_answer_is_count(uint32_t op)
{
	return op == GPUAGG_TRANS_COUNT || op == GPUAGG_TRANS_SUM_I64;
}

/* Class of argument and kinds of state that a form is for */
GPUAGG_FN bool
gpuagg_answer_value_check(const GpuAggProgram *p, GpuAggValueRef v, bool number)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	uint32_t	op;

	if (v.form == GPUAGG_VALUE_KEY)
		return v.index < p->nkeys && v.count == 0 &&
			(!number ||
			 gpuagg_key_class(gpuagg_program_keys(p)[v.index].type) != GPUAGG_CLASS_BYTES);
	if (v.form >= GPUAGG_NVALUEFORMS || v.index >= p->ntransitions || v.count > p->ntransitions ||
		(v.count > 0 && !gpuagg_answer_is_count(trans[v.count - 1].op)))
		return false;
	op = trans[v.index].op;
	switch (v.form)
	{
		case GPUAGG_VALUE_I64:
			return gpuagg_transition_bytes(op) == 8 || op == GPUAGG_TRANS_SUM_I128;
		case GPUAGG_VALUE_WORD:
			return gpuagg_transition_bytes(op) == 8;
		case GPUAGG_VALUE_I128:
			return op == GPUAGG_TRANS_SUM_I128;
		case GPUAGG_VALUE_F64:
		case GPUAGG_VALUE_F32:
			return op == GPUAGG_TRANS_SUM_F64 || op == GPUAGG_TRANS_SUM_F64_AVG;
		case GPUAGG_VALUE_F64_ORDER:
			return op == GPUAGG_TRANS_MIN_F64 || op == GPUAGG_TRANS_MAX_F64;
		case GPUAGG_VALUE_BYTES:
			return !number && gpuagg_transition_is_string(op);
		case GPUAGG_VALUE_AVG_F64:
			return v.count > 0 && op == GPUAGG_TRANS_SUM_F64_AVG;
		case GPUAGG_VALUE_AVG_I64:
			return !number && v.count > 0 &&
				(op == GPUAGG_TRANS_SUM_I64 || op == GPUAGG_TRANS_SUM_I128);
		default:
			return !number && v.count > 0 && op == GPUAGG_TRANS_SUM_I128;
	}
}

/* May a device of this program be asked so?  For whoever takes it from outside. */
GPUAGG_FN bool
gpuagg_answer_check(const GpuAggAnswer *a, const GpuAggProgram *p)
{
	bool		good = a->ncolumns <= GPUAGG_ANSWER_COLUMNS && a->nterms <= GPUAGG_ANSWER_TERMS &&
		a->nsums <= GPUAGG_ANSWER_SUMS && (!p->select || gpuagg_answer_wants_all(a));

	for (uint32_t i = 0; good && i < a->ncolumns; i++)
		good = gpuagg_answer_value_check(p, a->columns[i].value, false);
	for (uint32_t i = 0; good && i < a->nterms; i++)
		good = gpuagg_answer_value_check(p, a->terms[i].value, true) &&
			a->terms[i].comparison < GPUAGG_NCOMPARISONS;
	for (uint32_t i = 0; good && i < a->nsums; i++)
		good = gpuagg_answer_value_check(p, a->sums[i], true) &&
			(a->sums[i].form == GPUAGG_VALUE_F64 || a->sums[i].form == GPUAGG_VALUE_F32);
	return good;
}

#endif							/* GPUAGG_DEVICE_OPS_ANSWER_ROW_H */
