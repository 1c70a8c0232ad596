/*
 * lower.c
 *		The builder of a program (lower.h).
 *
 * Registers are numbered as things are added, with their kind in the upper
 * bits; finish lays the block out and puts the final numbers in.  Equal
 * instructions over equal registers are emitted once, so common
 * subexpressions need no search for equal trees: lowering a tree twice gives
 * the same registers.  Instructions stand in the order in which they were
 * asked for, so whatever the filter needs comes before the rest.
 *
 * Does not handle: removing instructions that nothing reads (there are few: those of
 * an attempt that failed are taken back by a mark, but the decimals shown of a numeric
 * column are computed even if nobody shows it).
 */
#include "postgres.h"

#include "access/tupdesc_details.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "planner/lower/lower.h"
#include "utils/builtins.h"

GpuAggLower *
gpuagg_lower_create(PlannerInfo *root, RelOptInfo *rel, Relation relation,
					bool grouped)
{
	GpuAggLower *lw = palloc(sizeof(GpuAggLower));

	memset(lw, 0, offsetof(GpuAggLower, columns));
	lw->root = root;
	lw->rel = rel;
	lw->relation = relation;
	lw->grouped = grouped;
	lw->utf8 = GetDatabaseEncoding() == PG_UTF8;
	lw->chars_known = lw->utf8 || pg_database_encoding_max_length() == 1;
	lw->gate = -1;
	lw->filter_reg = GPUAGG_NO_REG;
	return lw;
}

GpuAggMark
gpuagg_lower_mark(const GpuAggLower *lw)
{
	GpuAggMark	mark = {lw->ncolumns, lw->nconsts,	lw->ninstrs,
							lw->nruntime, lw->nlookups, lw->ncalled};

	return mark;
}

void
gpuagg_lower_reset(GpuAggLower *lw, GpuAggMark mark)
{
	lw->ncolumns = mark.ncolumns;
	lw->nconsts = mark.nconsts;
	lw->ninstrs = mark.ninstrs;
	lw->nruntime = mark.nruntime;
	lw->nlookups = mark.nlookups;
	lw->ncalled = mark.ncalled;
	lw->runtime_exprs = list_truncate(lw->runtime_exprs, mark.nruntime);
}

bool
gpuagg_lower_room(const GpuAggLower *lw)
{
	if (lw->ncolumns + lw->nconsts + lw->ninstrs < GPUAGG_MAX_REGS)
		return true;
	return GPUAGG_REFUSE("the query needs more than %d columns, constants and operations",
						 GPUAGG_MAX_REGS);
}

static bool
same_constant(const GpuAggConstant *a, const GpuAggConstant *b)
{
	if (a->value.type != b->value.type || a->value.state != b->value.state ||
		a->value.len != b->value.len || a->value.runtime || b->value.runtime)
		return false;
	if (a->value.state != GPUAGG_ST_VALUE)
		return true;
	if (gpuagg_constant_class(a->value.type) == GPUAGG_CLASS_BYTES)
		return memcmp(a->bytes, b->bytes, a->value.len) == 0;
	return a->value.v.i == b->value.v.i;	/* a double by its bits */
}

static void
no_decimals(GpuAggLowered *value)
{
	value->scale = gpuagg_scale(0);
	value->shown = 0;
	value->shown_reg = GPUAGG_NO_REG;
}

static void
constant_value(const GpuAggLower *lw, int number, GpuAggLowered *out)
{
	const GpuAggConst *c = &lw->consts[number].value;

	out->reg = GPUAGG_VREG_CONST | number;
	out->type = c->type;
	out->notnull = !lw->nullable && !c->runtime && c->state == GPUAGG_ST_VALUE;
	out->may_fail = false;
	no_decimals(out);
}

bool
gpuagg_lower_constant(GpuAggLower *lw, GpuAggConstant c, GpuAggLowered *out)
{
	int			i;

	for (i = 0; i < lw->nconsts; i++)
	{
		if (!lw->in_list[i] && same_constant(&lw->consts[i], &c))
			break;
	}
	if (i == lw->nconsts)
	{
		if (!gpuagg_lower_room(lw))
			return false;
		lw->consts[i] = c;
		lw->in_list[i] = false;
		lw->nconsts++;
	}
	constant_value(lw, i, out);
	return true;
}

/* Members of an IN list stand one after the other and are not shared. */
bool
gpuagg_lower_list_constant(GpuAggLower *lw, GpuAggConstant c)
{
	if (!gpuagg_lower_room(lw))
		return false;
	lw->consts[lw->nconsts] = c;
	lw->in_list[lw->nconsts] = true;
	lw->nconsts++;
	return true;
}

/* An expression as a runtime constant, found or added */
static bool
add_runtime(GpuAggLower *lw, Expr *expr, uint8 type, bool may_fail, GpuAggZoneName zone,
			GpuAggLowered *out)
{
	GpuAggConstant c;
	ListCell   *lc;

	foreach(lc, lw->runtime_exprs)
	{
		const GpuAggRuntimeConst *known = &lw->runtime[foreach_current_index(lc)];

		if (equal(lfirst(lc), expr) && lw->consts[known->const_no].value.type == type &&
			known->zone == (int) zone)
		{
			constant_value(lw, known->const_no, out);
			return true;
		}
	}
	if (!gpuagg_lower_room(lw))
		return false;
	memset(&c, 0, sizeof(c));
	c.value.type = type;
	c.value.state = GPUAGG_ST_NULL;
	c.value.runtime = 1;
	lw->consts[lw->nconsts] = c;
	lw->in_list[lw->nconsts] = false;
	lw->runtime[lw->nruntime].const_no = lw->nconsts;
	lw->runtime[lw->nruntime].may_fail = may_fail;
	lw->runtime[lw->nruntime].zone = zone;
	lw->nruntime++;
	lw->runtime_exprs = lappend(lw->runtime_exprs, copyObject(expr));
	constant_value(lw, lw->nconsts++, out);
	return true;
}

bool
gpuagg_lower_runtime(GpuAggLower *lw, Expr *expr, uint8 type, bool may_fail,
					 GpuAggLowered *out)
{
	return add_runtime(lw, expr, type, may_fail, GPUAGG_ZONE_NONE, out);
}

bool
gpuagg_lower_zone(GpuAggLower *lw, Expr *name, GpuAggZoneName kind, GpuAggLowered *out)
{
	return add_runtime(lw, name, GPUAGG_T_TEXT, false, kind, out);
}

bool
gpuagg_lower_list(GpuAggLower *lw, Expr *array, GpuAggZoneName kind, GpuAggLowered *out)
{
	return add_runtime(lw, array, kind == GPUAGG_ZONE_LIST ? GPUAGG_T_TEXT : GPUAGG_T_BOOL, false,
					   kind, out);
}

bool
gpuagg_lower_enum_table(GpuAggLower *lw, Oid type, GpuAggLowered *out)
{
	Const	   *oid = makeConst(OIDOID, -1, InvalidOid, sizeof(Oid), ObjectIdGetDatum(type),
								false, true);

	if (!add_runtime(lw, (Expr *) oid, GPUAGG_T_TEXT, false, GPUAGG_ZONE_ENUM, out))
		return false;
	out->notnull = true;
	return true;
}

/*
 * What tuples older than an added column have in its place.  A stored
 * missing value becomes a constant of the program.
 */
static bool
missing_constant(GpuAggLower *lw, AttrNumber attno, uint8 type, GpuAggScale scale, uint16 *reg)
{
	TupleDesc	tupdesc = RelationGetDescr(lw->relation);
	AttrMissing *missing;
	GpuAggLowered value;
	Datum		datum;
	int64		decimal;

	*reg = GPUAGG_NO_REG;
	if (!TupleDescAttr(tupdesc, attno - 1)->atthasmissing ||
		tupdesc->constr == NULL || tupdesc->constr->missing == NULL)
		return true;
	missing = &tupdesc->constr->missing[attno - 1];
	if (!missing->am_present)
		return true;
	datum = missing->am_value;
	if (type == GPUAGG_T_NUMERIC)
	{
		if (!gpuagg_numeric_stored(datum, scale, &decimal))
			return GPUAGG_REFUSE("the default of an added column does not fit 64 bits");
		datum = Int64GetDatum(decimal);
	}
	if (!gpuagg_constant_fits(type, datum))
		return GPUAGG_REFUSE("the default of an added column cannot be sent to a device");
	if (!gpuagg_lower_constant(lw, gpuagg_constant_make(type, datum, false), &value))
		return false;
	*reg = value.reg;
	return true;
}

bool
gpuagg_lower_column(GpuAggLower *lw, AttrNumber attno, uint8 type,
					GpuAggScale scale, GpuAggLowered *out)
{
	int			i;

	for (i = 0; i < lw->ncolumns; i++)
	{
		if (lw->columns[i].attno == attno)
			break;
	}
	if (i < lw->ncolumns && (lw->columns[i].type != type ||
							 !gpuagg_scale_same(lw->columns[i].scale, scale)))
		return GPUAGG_REFUSE("column \"%s\" is needed as it is stored, and as a number",
							 NameStr(TupleDescAttr(RelationGetDescr(lw->relation),
												   attno - 1)->attname));
	if (i == lw->ncolumns)
	{
		uint16		missing;

		if (!missing_constant(lw, attno, type, scale, &missing) ||
			!gpuagg_lower_room(lw))
			return false;
		lw->columns[i].attno = attno;
		lw->columns[i].type = type;
		lw->columns[i].scale = scale;
		lw->columns[i].missing = missing;
		lw->ncolumns++;
	}
	out->reg = GPUAGG_VREG_COLUMN | i;
	out->type = type;
	out->notnull = !lw->nullable &&
		gpuagg_attr_notnull(RelationGetDescr(lw->relation), attno - 1);
	out->may_fail = false;
	no_decimals(out);
	out->scale = scale;
	out->shown = scale.digits;
	return true;
}

/*
 * Adds an instruction (its dst is ours to choose) or finds the same one.
 * Leaves notnull and may_fail to the caller, and of a decimal its scale.
 */
bool
gpuagg_lower_emit(GpuAggLower *lw, GpuAggInstr instr, uint8 type,
				  GpuAggLowered *out)
{
	int			i;

	for (i = 0; i < lw->ninstrs; i++)
	{
		instr.dst = lw->instrs[i].dst;
		if (lw->instr_type[i] == type &&
			memcmp(&lw->instrs[i], &instr, sizeof(instr)) == 0)
			break;
	}
	if (i == lw->ninstrs)
	{
		if (!gpuagg_lower_room(lw))
			return false;
		instr.dst = GPUAGG_VREG_INSTR | i;
		lw->instrs[i] = instr;
		lw->instr_type[i] = type;
		lw->ninstrs++;
	}
	out->reg = GPUAGG_VREG_INSTR | i;
	out->type = type;
	no_decimals(out);
	return true;
}

/* The register's final number. */
static uint16
final_reg(const GpuAggLower *lw, uint16 reg)
{
	if (reg == GPUAGG_NO_REG)
		return reg;
	switch (reg & GPUAGG_VREG_KIND)
	{
		case GPUAGG_VREG_CONST:
			return lw->ncolumns + (reg & GPUAGG_VREG_NUMBER);
		case GPUAGG_VREG_INSTR:
			return lw->ncolumns + lw->nconsts + (reg & GPUAGG_VREG_NUMBER);
		default:
			return reg;
	}
}

static uint8
align_bytes(char attalign)
{
	switch (attalign)
	{
		case TYPALIGN_CHAR:
			return 1;
		case TYPALIGN_SHORT:
			return 2;
		case TYPALIGN_INT:
			return 4;
		default:
			return 8;
	}
}

static int
last_attribute(const GpuAggLower *lw)
{
	int			last = 0;

	for (int i = 0; i < lw->ncolumns; i++)
		last = Max(last, lw->columns[i].attno);
	return last;
}

/* What a plan gives lies on no page: an attribute says no more than its type. */
static void
fill_inputs(const GpuAggLower *lw, GpuAggAttr *attrs)
{
	static const int8 page_bytes[GPUAGG_NTYPES] = {
#define X(name, cls, pagebytes, slotbytes) pagebytes,
		GPUAGG_TYPE_LIST(X)
#undef X
	};

	for (int i = 0; i < lw->ncolumns; i++)
	{
		attrs[i] = (GpuAggAttr) {
			.attlen = page_bytes[lw->columns[i].type],
			.align = 1,
			.type = lw->columns[i].type,
			.reg = i,
			.missing_const = GPUAGG_NO_REG,
			.fixed_off = -1,
			.scale = lw->columns[i].scale
		};
	}
}

/*
 * All attributes up to the last one needed; dropped ones keep their length
 * and alignment in pg_attribute and are walked like any other.  Offsets are
 * fixed up to and including the first varlena that needs no padding, as
 * heap_deform_tuple()'s cached offsets are.
 */
static void
fill_attrs(const GpuAggLower *lw, GpuAggAttr *attrs, int nattrs)
{
	TupleDesc	tupdesc;
	int			off = 0;
	bool		fixed = true;

	if (lw->of_plan)
	{
		fill_inputs(lw, attrs);
		return;
	}
	tupdesc = RelationGetDescr(lw->relation);
	for (int i = 0; i < nattrs; i++)
	{
		Form_pg_attribute att = TupleDescAttr(tupdesc, i);
		GpuAggAttr *a = &attrs[i];
		int			start;

		a->attlen = att->attlen;
		a->align = align_bytes(att->attalign);
		a->type = 0;
		a->scale = gpuagg_scale(0);
		memset(a->pad, 0, sizeof(a->pad));
		a->reg = GPUAGG_NO_REG;
		a->missing_const = GPUAGG_NO_REG;
		start = TYPEALIGN(a->align, off);
		if (att->attlen == -1 && start != off)
			fixed = false;
		if (start >= GPUAGG_PAGE_BYTES)
			fixed = false;
		a->fixed_off = fixed ? start : -1;
		if (att->attlen < 0)
			fixed = false;
		else if (fixed)
			off = start + att->attlen;
	}
	for (int i = 0; i < lw->ncolumns; i++)
	{
		GpuAggAttr *a = &attrs[lw->columns[i].attno - 1];

		a->type = lw->columns[i].type;
		a->scale = lw->columns[i].scale;
		a->reg = i;
		a->missing_const = final_reg(lw, lw->columns[i].missing);
	}
}

static void
fill_classes(const GpuAggLower *lw, uint8 *classes)
{
	for (int i = 0; i < lw->ncolumns; i++)
		*classes++ = gpuagg_constant_class(lw->columns[i].type);
	for (int i = 0; i < lw->nconsts; i++)
		*classes++ = gpuagg_constant_class(lw->consts[i].value.type);
	for (int i = 0; i < lw->ninstrs; i++)
		*classes++ = gpuagg_constant_class(lw->instr_type[i]);
}

/* Constants, their strings at the offset given; returns the end of these. */
static uint32
fill_consts(const GpuAggLower *lw, char *block, uint32 consts_off,
			uint32 bytes_off)
{
	GpuAggConst *consts = (GpuAggConst *) (block + consts_off);

	for (int i = 0; i < lw->nconsts; i++)
	{
		consts[i] = lw->consts[i].value;
		if (lw->consts[i].bytes == NULL)
			continue;
		memcpy(block + bytes_off, lw->consts[i].bytes, consts[i].len);
		consts[i].v.off = bytes_off;
		bytes_off += consts[i].len;
	}
	return bytes_off;
}

static Size
string_bytes(const GpuAggLower *lw)
{
	Size		bytes = 0;

	for (int i = 0; i < lw->nconsts; i++)
	{
		if (lw->consts[i].bytes != NULL)
			bytes += lw->consts[i].value.len;
	}
	return bytes;
}

static void
fill_instrs(const GpuAggLower *lw, GpuAggInstr *instrs)
{
	for (int i = 0; i < lw->ninstrs; i++)
	{
		instrs[i] = lw->instrs[i];
		instrs[i].dst = final_reg(lw, instrs[i].dst);
		instrs[i].a = final_reg(lw, instrs[i].a);
		instrs[i].b = final_reg(lw, instrs[i].b);
		instrs[i].c = final_reg(lw, instrs[i].c);
	}
}

static void
fill_outputs(const GpuAggLower *lw, GpuAggKey *keys,
			 GpuAggTransition *transitions)
{
	for (int i = 0; i < lw->nkeys; i++)
	{
		keys[i] = lw->keys[i];
		keys[i].reg = final_reg(lw, keys[i].reg);
	}
	for (int i = 0; i < lw->ntransitions; i++)
	{
		transitions[i] = lw->transitions[i];
		transitions[i].arg = final_reg(lw, transitions[i].arg);
		transitions[i].filter = final_reg(lw, transitions[i].filter);
	}
}

/* Takes n elements at the end of the block, 8-byte aligned. */
static uint32
take(uint32 *end, Size n, Size size)
{
	uint32		off = *end;

	*end = MAXALIGN(off + n * size);
	return off;
}

/* Is there room for the constants of the query at all? */
#define GPUAGG_MAX_STRING_BYTES (16 * 1024 * 1024)

GpuAggProgram *
gpuagg_lower_finish(GpuAggLower *lw)
{
	GpuAggProgram *p;
	char	   *block;
	uint32		end = MAXALIGN(sizeof(GpuAggProgram));
	GpuAggProgram head;

	if (string_bytes(lw) > GPUAGG_MAX_STRING_BYTES)
	{
		(void) GPUAGG_REFUSE("the constants of the query are too long");
		return NULL;
	}
	memset(&head, 0, sizeof(head));
	head.version = GPUAGG_PROGRAM_VERSION;
	head.nattrs = last_attribute(lw);
	head.ncolumns = lw->ncolumns;
	head.nconsts = lw->nconsts;
	head.ninstrs = lw->ninstrs;
	head.filter_instrs = lw->filter_instrs;
	head.filter_reg = final_reg(lw, lw->filter_reg);
	head.nkeys = lw->nkeys;
	head.ntransitions = lw->ntransitions;
	head.nregs = lw->ncolumns + lw->nconsts + lw->ninstrs;
	head.utf8 = lw->utf8;
	head.select = lw->select;
	head.attrs_off = take(&end, head.nattrs, sizeof(GpuAggAttr));
	head.consts_off = take(&end, head.nconsts, sizeof(GpuAggConst));
	head.instrs_off = take(&end, head.ninstrs, sizeof(GpuAggInstr));
	head.keys_off = take(&end, head.nkeys, sizeof(GpuAggKey));
	head.transitions_off = take(&end, head.ntransitions,
								sizeof(GpuAggTransition));
	head.classes_off = take(&end, head.nregs, 1);
	head.bytes = MAXALIGN(end + string_bytes(lw));

	block = palloc0(head.bytes);
	p = (GpuAggProgram *) block;
	*p = head;
	fill_attrs(lw, (GpuAggAttr *) (block + p->attrs_off), p->nattrs);
	fill_consts(lw, block, p->consts_off, end);
	fill_instrs(lw, (GpuAggInstr *) (block + p->instrs_off));
	fill_outputs(lw, (GpuAggKey *) (block + p->keys_off),
				 (GpuAggTransition *) (block + p->transitions_off));
	fill_classes(lw, (uint8 *) (block + p->classes_off));
	return p;
}

List *
gpuagg_lower_row_exprs(const GpuAggLower *lw)
{
	List	   *exprs = NIL;

	for (int i = 0; i < lw->nkeys; i++)
		exprs = lappend(exprs, lw->key_exprs[i]);
	for (int i = 0; i < lw->ntransitions; i++)
	{
		if (lw->transitions[i].arg != GPUAGG_NO_REG)
			exprs = lappend(exprs, lw->arg_exprs[i]);
		if (lw->transitions[i].filter != GPUAGG_NO_REG)
			exprs = lappend(exprs, lw->filter_exprs[i]);
	}
	return exprs;
}
