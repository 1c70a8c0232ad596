/*
 * program_check.c
 *		Checks a program before a device runs it (program_check.h).
 *
 * Devices trust programs: they index registers, follow string offsets and
 * jump by operation number without looking.  So whatever reaches a worker is
 * checked here: by the worker, and by the host device, which may have been given
 * a program without one (tests, probes) or one of codes (encode.h).  Linear in the
 * size of the program; no PostgreSQL.
 *
 * What is not checked: that IN lists are sorted and that hash_seed is
 * random.  Wrong answers may come of that, nothing worse.
 */
#include "device/ops/program_check.h"

#include "device/ops/instr.h"
#include "device/ops/lookup_make.h"
#include "device/transition.h"

typedef struct GpuAggChecker
{
	const GpuAggProgram *p;
	size_t		bytes;
	const uint8_t *classes;
	GpuAggDictionary *const *dictionaries;	/* of strings that are codes; NULL: none are */
	bool		written[GPUAGG_MAX_REGS];
	const char *reason;
} GpuAggChecker;

static const int8_t type_page_bytes[GPUAGG_NTYPES] = {
#define X(name, cls, pagebytes, slotbytes) pagebytes,
	GPUAGG_TYPE_LIST(X)
#undef X
};

static const uint8_t type_class[GPUAGG_NTYPES] = {
#define X(name, cls, pagebytes, slotbytes) GPUAGG_CLASS_##cls,
	GPUAGG_TYPE_LIST(X)
#undef X
};

static const uint8_t transition_class[GPUAGG_NTRANSITIONS] = {
#define X(name, statebytes, cls) GPUAGG_CLASS_##cls,
	GPUAGG_TRANSITION_LIST(X)
#undef X
};

static bool
fail(GpuAggChecker *c, const char *reason)
{
	c->reason = reason;
	return false;
}

/* An array of n elements at that offset lies within the block. */
static bool
array_ok(const GpuAggChecker *c, uint32_t off, size_t n, size_t size)
{
	return off >= sizeof(GpuAggProgram) && off % 8 == 0 && off <= c->bytes &&
		n <= (c->bytes - off) / size;
}

static bool
reg_readable(const GpuAggChecker *c, uint32_t reg)
{
	return reg < c->p->nregs && c->written[reg];
}

static bool
reg_readable_as(const GpuAggChecker *c, uint32_t reg, uint32_t cls)
{
	return reg_readable(c, reg) && c->classes[reg] == cls;
}

static bool
check_shape(GpuAggChecker *c)
{
	const GpuAggProgram *p = c->p;

	if (p->version != GPUAGG_PROGRAM_VERSION)
		return fail(c, "program of another version");
	if (p->bytes != c->bytes)
		return fail(c, "program of the wrong size");
	if (p->nregs > GPUAGG_MAX_REGS ||
		(uint32_t) p->ncolumns + p->nconsts + p->ninstrs != p->nregs)
		return fail(c, "wrong number of registers");
	if (p->nkeys > GPUAGG_MAX_KEYS || p->ntransitions > GPUAGG_MAX_TRANSITIONS)
		return fail(c, "too many keys or transitions");
	if (p->filter_instrs > p->ninstrs)
		return fail(c, "filter beyond the instructions");
	if (!array_ok(c, p->attrs_off, p->nattrs, sizeof(GpuAggAttr)) ||
		!array_ok(c, p->consts_off, p->nconsts, sizeof(GpuAggConst)) ||
		!array_ok(c, p->instrs_off, p->ninstrs, sizeof(GpuAggInstr)) ||
		!array_ok(c, p->keys_off, p->nkeys, sizeof(GpuAggKey)) ||
		!array_ok(c, p->transitions_off, p->ntransitions,
				  sizeof(GpuAggTransition)) ||
		!array_ok(c, p->classes_off, p->nregs, 1))
		return fail(c, "array outside the program");
	c->classes = gpuagg_program_classes(p);
	for (uint32_t i = 0; i < p->nregs; i++)
		if (c->classes[i] > GPUAGG_CLASS_BYTES)
			return fail(c, "unknown register class");
	return true;
}

/* The class of a loaded attribute's register */
static uint32_t
attr_class(const GpuAggChecker *c, const GpuAggAttr *a)
{
	return type_class[a->type] == GPUAGG_CLASS_BYTES && c->dictionaries != NULL &&
		c->dictionaries[a->reg] != NULL ? GPUAGG_CLASS_I64 : type_class[a->type];
}

/* Decimals that are there, the value's own, or those if they fit a scale */
static bool
scale_is_legal(GpuAggScale scale)
{
	switch ((GpuAggScaleForm) scale.form)
	{
		case GPUAGG_SCALE_EXACT:
		case GPUAGG_SCALE_FITS:
			return scale.digits <= GPUAGG_MAX_SCALE;
		case GPUAGG_SCALE_WORD:
			return scale.digits == 0;
		default:
			return false;
	}
}

static bool
check_attr(GpuAggChecker *c, const GpuAggAttr *a)
{
	uint32_t	consts_end = c->p->ncolumns + c->p->nconsts;

	if (a->attlen < -2 || a->attlen == 0)
		return fail(c, "illegal attribute length");
	if (a->align != 1 && a->align != 2 && a->align != 4 && a->align != 8)
		return fail(c, "illegal attribute alignment");
	if (a->fixed_off < -1 || a->fixed_off >= GPUAGG_PAGE_BYTES)
		return fail(c, "illegal attribute offset");
	if (a->reg == GPUAGG_NO_REG)
		return true;
	if (a->reg >= c->p->ncolumns || c->written[a->reg])
		return fail(c, "illegal attribute register");
	if (a->type >= GPUAGG_NTYPES || type_page_bytes[a->type] == 0 ||
		type_page_bytes[a->type] != a->attlen ||
		attr_class(c, a) != c->classes[a->reg])
		return fail(c, "illegal attribute type");
	if (a->missing_const != GPUAGG_NO_REG &&
		(a->missing_const < c->p->ncolumns || a->missing_const >= consts_end ||
		 c->classes[a->missing_const] != type_class[a->type]))
		return fail(c, "illegal missing value");
	if (!scale_is_legal(a->scale))
		return fail(c, "illegal scale");
	c->written[a->reg] = true;
	return true;
}

static bool
check_const(GpuAggChecker *c, const GpuAggConst *k, uint32_t reg)
{
	if (k->type >= GPUAGG_NTYPES || type_class[k->type] != c->classes[reg])
		return fail(c, "illegal constant type");
	if (k->state != GPUAGG_ST_VALUE && k->state != GPUAGG_ST_NULL)
		return fail(c, "illegal constant state");
	if (type_class[k->type] == GPUAGG_CLASS_BYTES &&
		k->state == GPUAGG_ST_VALUE &&
		(k->v.off > c->bytes || k->len > c->bytes - k->v.off ||
		 ((k->type == GPUAGG_T_UUID || k->type == GPUAGG_T_INTERVAL) && k->len != 16)))
		return fail(c, "constant outside the program");
	c->written[reg] = true;
	return true;
}

/* Constants imm .. imm + imm2 - 1 are of the class that is looked for. */
static bool
check_in_list(GpuAggChecker *c, const GpuAggInstr *in)
{
	const GpuAggConst *consts = gpuagg_program_consts(c->p);

	if (in->imm < 0 || in->imm2 < 0 || in->imm > c->p->nconsts ||
		in->imm2 > c->p->nconsts - in->imm)
		return fail(c, "illegal IN list");
	for (int32_t i = in->imm; i < in->imm + in->imm2; i++)
		if (type_class[consts[i].type] != c->classes[in->a] ||
			consts[i].state != GPUAGG_ST_VALUE)
			return fail(c, "illegal member of an IN list");
	return true;
}

/* Has the register the class that a letter names? */
static bool
class_is(GpuAggChecker *c, uint32_t reg, char letter, uint16_t result)
{
	const uint32_t cls = c->classes[reg];

	switch (letter)
	{
		case 'I':
			return cls == GPUAGG_CLASS_I64;
		case 'F':
			return cls == GPUAGG_CLASS_F64;
		case 'B':
			return cls == GPUAGG_CLASS_BYTES;
		case 'R':
			return cls == c->classes[result];
		default:
			return true;
	}
}

/*
 * The register is a constant that is a look-up table, with such keys or, if nkeys is 0,
 * that column; or NULL, and then nothing is looked up.
 */
static bool
is_lookup(const GpuAggChecker *c, uint32_t reg, uint32_t nkeys, GpuAggClass key_class,
		  int32_t column, uint32_t column_class)
{
	const GpuAggConst *k = gpuagg_program_consts(c->p) + reg - c->p->ncolumns;
	const char *block = (const char *) c->p + k->v.off;

	if (reg < c->p->ncolumns || reg >= c->p->ncolumns + (uint32_t) c->p->nconsts)
		return false;
	if (k->state != GPUAGG_ST_VALUE)
		return true;
	return gpuagg_lookup_is_sound(block, k->len) &&
		(nkeys == 0 ? gpuagg_lookup_has_column(block, column, (GpuAggClass) column_class) :
		 gpuagg_lookup_has_keys(block, nkeys, key_class));
}

/* What an instruction has beside registers */
static bool
check_takes(GpuAggChecker *c, const GpuAggInstr *in, uint32_t nargs)
{
	const uint32_t key_class = c->classes[in->a];

	switch ((GpuAggTakes) gpuagg_op_traits(in->op)->takes)
	{
		case GPUAGG_TAKES_NONE:
			return true;
		case GPUAGG_TAKES_FIELD:
			return in->imm >= 0 && in->imm <= GPUAGG_FIELD_EPOCH;
		case GPUAGG_TAKES_DIGITS:
			return in->imm >= 0 && in->imm <= GPUAGG_MAX_SCALE;
		case GPUAGG_TAKES_LIST:
			return check_in_list(c, in);
		case GPUAGG_TAKES_KEY:
			return is_lookup(c, gpuagg_instr_table(in), nargs - 1, (GpuAggClass) key_class, 0, 0);
		case GPUAGG_TAKES_COLUMN:
			return is_lookup(c, gpuagg_instr_table(in), 0, GPUAGG_CLASS_I64, in->imm,
							 c->classes[in->dst]);
	}
	return false;
}

static bool
check_classes(GpuAggChecker *c, const GpuAggInstr *in)
{
	const char *classes = gpuagg_op_traits(in->op)->classes;
	uint16_t	args[3];
	const uint32_t n = gpuagg_instr_args(in, args);

	for (uint32_t i = 0; i < n; i++)
		if (!reg_readable(c, args[i]) || !class_is(c, args[i], classes[i], in->dst))
			return false;
	return class_is(c, in->dst, classes[n + 1], in->dst) && check_takes(c, in, n);
}

static bool
check_instr(GpuAggChecker *c, const GpuAggInstr *in)
{
	if (in->op >= GPUAGG_NOPS)
		return fail(c, "unknown operation");
	if (in->dst < c->p->ncolumns + c->p->nconsts || in->dst >= c->p->nregs ||
		c->written[in->dst])
		return fail(c, "illegal result register");
	if (!check_classes(c, in))
		return c->reason != NULL ? false : fail(c, "illegal argument of an operation");
	c->written[in->dst] = true;
	return true;
}

static bool
check_instrs(GpuAggChecker *c)
{
	const GpuAggProgram *p = c->p;
	const GpuAggInstr *instrs = gpuagg_program_instrs(p);

	for (uint32_t i = 0; i <= p->ninstrs; i++)
	{
		if (i == p->filter_instrs && p->filter_reg != GPUAGG_NO_REG &&
			!reg_readable_as(c, p->filter_reg, GPUAGG_CLASS_I64))
			return fail(c, "illegal filter register");
		if (i < p->ninstrs && !check_instr(c, &instrs[i]))
			return false;
	}
	return true;
}

/* Keys that are codes have a dictionary, or their strings could not be found. */
static bool
has_dictionary(const GpuAggChecker *c, uint32_t reg)
{
	return c->dictionaries != NULL && reg < c->p->nregs && c->dictionaries[reg] != NULL;
}

static bool
check_key(GpuAggChecker *c, const GpuAggKey *k)
{
	if (k->type >= GPUAGG_NTYPES || k->fold >= GPUAGG_NFOLDS ||
		(k->fold != 0 && c->p->ntransitions > 0) ||
		!reg_readable_as(c, k->reg, type_class[k->type]) ||
		(k->type == GPUAGG_T_CODE && !has_dictionary(c, k->reg)))
		return fail(c, "illegal group key");
	return true;
}

static bool
check_transition(GpuAggChecker *c, const GpuAggTransition *t)
{
	if (t->op >= GPUAGG_NTRANSITIONS)
		return fail(c, "unknown transition");
	if (t->arg == GPUAGG_NO_REG)
	{
		if (t->op != GPUAGG_TRANS_COUNT)
			return fail(c, "transition without its argument");
	}
	else if (t->type >= GPUAGG_NTYPES ||
			 !reg_readable_as(c, t->arg, type_class[t->type]) ||
			 (t->op != GPUAGG_TRANS_COUNT &&
			  type_class[t->type] != transition_class[t->op]))
		return fail(c, "illegal argument of a transition");
	if (t->filter != GPUAGG_NO_REG &&
		!reg_readable_as(c, t->filter, GPUAGG_CLASS_I64))
		return fail(c, "illegal filter of a transition");
	return true;
}

/* Two arguments are two transitions side by side. */
static bool
check_pairs(GpuAggChecker *c)
{
	const GpuAggTransition *t = gpuagg_program_transitions(c->p);
	uint32_t	n = c->p->ntransitions;

	for (uint32_t i = 0; i < n; i++)
	{
		const bool	first = t[i].op == GPUAGG_TRANS_FIRST_F64;

		if (first ? i + 1 == n || t[i + 1].op != GPUAGG_TRANS_COMOMENTS_F64 ||
			t[i + 1].filter != t[i].filter :
			t[i].op == GPUAGG_TRANS_COMOMENTS_F64 &&
			(i == 0 || t[i - 1].op != GPUAGG_TRANS_FIRST_F64))
			return fail(c, "transition without its other argument");
	}
	return true;
}

/* A program that only selects rows ends with its filter. */
static bool
check_select(GpuAggChecker *c)
{
	const GpuAggProgram *p = c->p;

	if (p->select > 1)
		return fail(c, "unknown kind of program");
	if (p->select && (p->nkeys > 0 || p->ntransitions > 0 ||
					  p->ninstrs != p->filter_instrs ||
					  (p->ninstrs > 0 && p->filter_reg == GPUAGG_NO_REG)))
		return fail(c, "program that selects and groups");
	return true;
}

static bool
check_all(GpuAggChecker *c)
{
	const GpuAggProgram *p = c->p;

	if (!check_shape(c) || !check_select(c))
		return false;
	for (uint32_t i = 0; i < p->nattrs; i++)
		if (!check_attr(c, &gpuagg_program_attrs(p)[i]))
			return false;
	for (uint32_t i = 0; i < p->ncolumns; i++)
		if (!c->written[i])
			return fail(c, "column that no attribute loads");
	for (uint32_t i = 0; i < p->nconsts; i++)
		if (!check_const(c, &gpuagg_program_consts(p)[i], p->ncolumns + i))
			return false;
	if (!check_instrs(c))
		return false;
	for (uint32_t i = 0; i < p->nkeys; i++)
		if (!check_key(c, &gpuagg_program_keys(p)[i]))
			return false;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (!check_transition(c, &gpuagg_program_transitions(p)[i]))
			return false;
	return check_pairs(c);
}

bool
gpuagg_program_check(const void *block, size_t bytes, const char **reason)
{
	return gpuagg_program_check_coded(block, bytes, NULL, reason);
}

bool
gpuagg_program_check_coded(const void *block, size_t bytes,
						   GpuAggDictionary *const *dictionaries, const char **reason)
{
	GpuAggChecker c = {.p = block,.bytes = bytes,.dictionaries = dictionaries};

	if (bytes < sizeof(GpuAggProgram))
		c.reason = "program of the wrong size";
	else if (check_all(&c))
		return true;
	*reason = c.reason;
	return false;
}
