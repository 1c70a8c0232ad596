/*
 * regrouping_row.h
 *		Groups made of finer ones (device/regrouping.h): their program, and the row that one
 *		of the finer groups is, before it is merged with others.  One meaning for every device.
 */
#ifndef GPUAGG_DEVICE_OPS_REGROUPING_ROW_H
#define GPUAGG_DEVICE_OPS_REGROUPING_ROW_H

#include "device/ops/group.h"
#include "device/regrouping.h"

/* GpuAggRegroupingState.of_key: nothing enters, and nothing is merged */
#define GPUAGG_REGROUPING_OF_NOTHING 2

/* ---------- the program ---------- */

/* Does a key of this class have values that enter such a state? */
GPUAGG_FN bool
gpuagg_regrouping_enters(uint32_t key_class, uint32_t op)
{
	switch (op)
	{
		case GPUAGG_TRANS_COUNT:
			return true;
		case GPUAGG_TRANS_SUM_I64:
		case GPUAGG_TRANS_SUM_I128:
		case GPUAGG_TRANS_MIN_I64:
		case GPUAGG_TRANS_MAX_I64:
		case GPUAGG_TRANS_AND_I64:
		case GPUAGG_TRANS_OR_I64:
		case GPUAGG_TRANS_XOR_I64:
			return key_class == GPUAGG_CLASS_I64;
		case GPUAGG_TRANS_SUM_F64:
		case GPUAGG_TRANS_MIN_F64:
		case GPUAGG_TRANS_MAX_F64:
			return key_class == GPUAGG_CLASS_F64;
		default:
			return false;
	}
}

/* Is this a state that groups of the program can be given? */
GPUAGG_FN bool
gpuagg_regrouping_state_check(const GpuAggRegroupingState *s, const GpuAggProgram *p)
{
	if (s->type >= GPUAGG_NTYPES)
		return false;
	if (s->of_key == GPUAGG_REGROUPING_OF_NOTHING)
		return s->op < GPUAGG_NTRANSITIONS;
	if (s->of_key)
		return s->of_key == 1 && s->from < p->nkeys &&
			gpuagg_regrouping_enters(gpuagg_key_class(gpuagg_program_keys(p)[s->from].type), s->op);
	return s->from < p->ntransitions && s->op == gpuagg_program_transitions(p)[s->from].op;
}

/* The keys that a returned set may have, and their bits */
GPUAGG_FN uint32_t
gpuagg_regrouping_all_keys(const GpuAggRegrouping *r)
{
	return (uint32_t) ((UINT64_C(1) << r->nkeys) - 1);
}

/* Sets that are returned come first. */
GPUAGG_FN uint32_t
gpuagg_regrouping_returned(const GpuAggRegrouping *r)
{
	return (uint32_t) (r->nsets - r->nhidden);
}

GPUAGG_FN bool
gpuagg_regrouping_is_hidden(const GpuAggRegrouping *r, int32_t set)
{
	return set >= (int32_t) gpuagg_regrouping_returned(r);
}

/* Keys of the groups that are made, constants among them */
GPUAGG_FN uint32_t
gpuagg_regrouping_made_keys(const GpuAggRegrouping *r, bool hidden)
{
	return (uint32_t) r->nkeys + (hidden ? r->nextra : r->nconstants);
}

/* Which key of the hidden set that a set is made of has this state's values?  -1: none */
GPUAGG_FN int32_t
gpuagg_regrouping_entering(const GpuAggRegrouping *r, int32_t set, const GpuAggRegroupingState *s)
{
	const uint32_t keys = r->sets[r->sets[set].parent].keys;

	for (uint32_t k = 0; k < gpuagg_regrouping_made_keys(r, true); k++)
		if ((keys >> k & 1) != 0 && r->keys[k] == s->from)
			return (int32_t) k;
	return -1;
}

GPUAGG_FN bool
gpuagg_regrouping_set_check(const GpuAggRegrouping *r, int32_t i)
{
	const GpuAggRegroupingSet *set = &r->sets[i];
	const uint32_t keys = gpuagg_regrouping_is_hidden(r, i) ?
		(uint32_t) ((UINT64_C(1) << gpuagg_regrouping_made_keys(r, true)) - 1) :
		gpuagg_regrouping_all_keys(r);

	if ((set->keys & ~keys) != 0)
		return false;
	if (set->parent == GPUAGG_REGROUPING_FINER)
		return true;
	if (set->parent <= i || set->parent >= r->nsets ||
		(set->keys & ~r->sets[set->parent].keys) != 0)
		return false;
	if (gpuagg_regrouping_is_hidden(r, i) || !gpuagg_regrouping_is_hidden(r, set->parent))
		return true;
	for (uint32_t k = 0; k < r->nstates; k++)
		if (r->states[k].of_key == 1 && gpuagg_regrouping_entering(r, i, &r->states[k]) < 0)
			return false;
	return true;
}

/* May groups of this program be grouped so?  Without sets: nothing is asked. */
GPUAGG_FN bool
gpuagg_regrouping_check(const GpuAggRegrouping *r, const GpuAggProgram *p)
{
	if (r->nsets == 0)
		return true;
	if (r->nsets > GPUAGG_REGROUPING_SETS || r->nconstants > GPUAGG_REGROUPING_CONSTANTS ||
		r->nkeys + r->nconstants > GPUAGG_MAX_KEYS || r->nkeys + r->nextra > GPUAGG_MAX_KEYS ||
		r->nhidden >= r->nsets || r->nstates > GPUAGG_MAX_TRANSITIONS ||
		r->grouped > 1 || p->select || p->nkeys == 0)
		return false;
	for (uint32_t i = 0; i < gpuagg_regrouping_made_keys(r, true); i++)
		if (r->keys[i] >= p->nkeys)
			return false;
	for (uint32_t i = 0; i < r->nstates; i++)
		if (!gpuagg_regrouping_state_check(&r->states[i], p))
			return false;
	for (int32_t i = 0; i < r->nsets; i++)
		if (!gpuagg_regrouping_set_check(r, i))
			return false;
	return true;
}

/*
 * Groups by all keys but one, of whose values there are only counts: which is it?  -1: others are
 * asked for.  A device that has the finer groups in order counts them, and has no need of them.
 */
GPUAGG_FN int32_t
gpuagg_regrouping_counted_key(const GpuAggRegrouping *r, const GpuAggProgram *p)
{
	const uint32_t all = (uint32_t) ((UINT64_C(1) << p->nkeys) - 1);
	uint32_t	told = 0;
	int32_t		key = 0;

	if (r->nsets != 1 || p->nkeys == 0 || r->sets[0].keys != gpuagg_regrouping_all_keys(r))
		return -1;
	for (uint32_t i = 0; i < r->nkeys; i++)
		told |= UINT32_C(1) << r->keys[i];
	while (key < p->nkeys && (told >> key & 1) != 0)
		key++;
	if ((told | UINT32_C(1) << key) != all)
		return -1;
	for (uint32_t i = 0; i < r->nstates; i++)
		if (gpuagg_transition_is_string(r->states[i].op) ||
			(r->states[i].of_key == 1 &&
			 (r->states[i].op != GPUAGG_TRANS_COUNT || r->states[i].from != key)))
			return -1;
	return key;
}

/* Bytes of the program of the groups that are made, returned or hidden */
GPUAGG_FN uint32_t
gpuagg_regrouping_program_bytes(const GpuAggRegrouping *r, bool hidden)
{
	return (uint32_t) (gpuagg_align(sizeof(GpuAggProgram), 8) +
					   gpuagg_align(gpuagg_regrouping_made_keys(r, hidden) * sizeof(GpuAggKey), 8) +
					   gpuagg_align(r->nstates * sizeof(GpuAggTransition), 8));
}

/*
 * That program, into so many bytes.  Its keys have the registers of those that they are: by
 * them strings are told from codes (decoding.h).
 */
GPUAGG_FN void
gpuagg_regrouping_program(const GpuAggRegrouping *r, const GpuAggProgram *p, bool hidden,
						  GpuAggProgram *to)
{
	const uint32_t nkeys = gpuagg_regrouping_made_keys(r, hidden);
	const uint32_t told = hidden ? nkeys : r->nkeys;
	GpuAggKey  *keys;
	GpuAggTransition *trans;

	memset(to, 0, gpuagg_regrouping_program_bytes(r, hidden));
	to->version = p->version;
	to->bytes = gpuagg_regrouping_program_bytes(r, hidden);
	to->hash_seed = p->hash_seed;
	to->utf8 = p->utf8;
	to->filter_reg = GPUAGG_NO_REG;
	to->nkeys = (uint16_t) nkeys;
	to->ntransitions = r->nstates;
	to->keys_off = (uint32_t) gpuagg_align(sizeof(GpuAggProgram), 8);
	to->transitions_off = to->keys_off + (uint32_t) gpuagg_align(nkeys * sizeof(GpuAggKey), 8);
	to->attrs_off = to->consts_off = to->instrs_off = to->classes_off = to->bytes;
	keys = (GpuAggKey *) ((char *) to + to->keys_off);
	trans = (GpuAggTransition *) ((char *) to + to->transitions_off);
	for (uint32_t i = 0; i < told; i++)
		keys[i] = gpuagg_program_keys(p)[r->keys[i]];
	for (uint32_t i = told; i < nkeys; i++)
	{
		keys[i].reg = GPUAGG_NO_REG;
		keys[i].type = GPUAGG_T_INT4;
	}
	for (uint32_t i = 0; i < r->nstates; i++)
	{
		trans[i].op = r->states[i].op;
		trans[i].type = r->states[i].type;
		trans[i].arg = GPUAGG_NO_REG;
		trans[i].filter = GPUAGG_NO_REG;
	}
}

/* ---------- a row ---------- */

typedef struct GpuAggRegroupingKey
{
	uint8_t		bit;			/* number of its bit in the head that is read */
	uint8_t		bytes;			/* 0: the set does not have it */
	uint16_t	from;
	uint16_t	to;
	uint16_t	pad;
} GpuAggRegroupingKey;

typedef struct GpuAggRegroupingMove
{
	uint8_t		op;
	uint8_t		bytes;			/* of the state */
	uint8_t		bit;			/* of a key: in the head; else NOT_OF_KEY, or OF_NONE: it
								 * stays as it begins */
	uint8_t		type;			/* GpuAggType of the key */
	uint16_t	from;
	uint16_t	to;
	uint16_t	counted;		/* 1: a key's slot has the number of different values */
	uint16_t	pad;
} GpuAggRegroupingMove;

#define GPUAGG_REGROUPING_NOT_OF_KEY 0xFF
#define GPUAGG_REGROUPING_OF_NONE 0xFE

/* How the rows of one set are made, by offsets */
typedef struct GpuAggRegroupingPlan
{
	uint32_t	row_bytes;
	uint32_t	nkeys;
	uint32_t	nconstants;
	uint32_t	nstates;
	uint16_t	constants_off[GPUAGG_REGROUPING_CONSTANTS];
	uint16_t	pad;
	int32_t		constants[GPUAGG_REGROUPING_CONSTANTS];
	GpuAggRegroupingKey keys[GPUAGG_MAX_KEYS];
	GpuAggRegroupingMove states[GPUAGG_MAX_TRANSITIONS];
} GpuAggRegroupingPlan;

/* How a state of a set comes about, from rows of this program and layout */
GPUAGG_FN void
gpuagg_regrouping_move(const GpuAggRegrouping *r, uint32_t set, uint32_t i, const GpuAggProgram *p,
					   const GpuAggLayout *from, GpuAggRegroupingMove *move)
{
	const GpuAggRegroupingState *s = &r->states[i];
	const int32_t parent = r->sets[set].parent;
	const bool	finer = parent == GPUAGG_REGROUPING_FINER;
	int32_t		key = -1;

	move->op = s->op;
	move->bytes = (uint8_t) gpuagg_transition_bytes(s->op);
	move->bit = GPUAGG_REGROUPING_NOT_OF_KEY;
	move->from = from->state_off[finer && !s->of_key ? s->from : finer ? 0 : i];
	if (s->of_key == GPUAGG_REGROUPING_OF_NOTHING ||
		(s->of_key && gpuagg_regrouping_is_hidden(r, (int32_t) set)))
		move->bit = GPUAGG_REGROUPING_OF_NONE;
	else if (s->of_key && finer)
		key = s->from;
	else if (s->of_key && gpuagg_regrouping_is_hidden(r, parent))
		key = gpuagg_regrouping_entering(r, (int32_t) set, s);
	if (key < 0)
		return;
	move->bit = (uint8_t) key;
	move->type = gpuagg_program_keys(p)[key].type;
	move->from = from->key_off[key];
}

/*
 * Of a set: rows of program p, or of its parent, become rows of program `made` or, of a hidden
 * one, `hidden`, whose bytes of states need not be initial.
 */
GPUAGG_FN void
gpuagg_regrouping_plan(const GpuAggRegrouping *r, uint32_t set, const GpuAggProgram *p,
					   const GpuAggProgram *made, const GpuAggProgram *hidden,
					   GpuAggRegroupingPlan *plan)
{
	const int32_t parent = r->sets[set].parent;
	const bool	finer = parent == GPUAGG_REGROUPING_FINER;
	const bool	is_hidden = gpuagg_regrouping_is_hidden(r, (int32_t) set);
	const GpuAggProgram *source = finer		   ? p :
		gpuagg_regrouping_is_hidden(r, parent) ? hidden :
												 made;
	const GpuAggProgram *target = is_hidden ? hidden : made;
	GpuAggLayout from;
	GpuAggLayout to;

	memset(plan, 0, sizeof(*plan));
	gpuagg_layout_compute(source, &from);
	gpuagg_layout_compute(target, &to);
	plan->row_bytes = to.row_bytes;
	plan->nkeys = is_hidden ? target->nkeys : r->nkeys;
	plan->nconstants = is_hidden ? 0 : r->nconstants;
	plan->nstates = r->nstates;
	for (uint32_t i = 0; i < plan->nkeys; i++)
	{
		const uint32_t key = finer ? r->keys[i] : i;

		plan->keys[i].to = to.key_off[i];
		if ((r->sets[set].keys >> i & 1) == 0)
			continue;
		plan->keys[i].bit = (uint8_t) key;
		plan->keys[i].from = from.key_off[key];
		plan->keys[i].bytes = (uint8_t) gpuagg_type_slot_bytes(gpuagg_program_keys(target)[i].type);
	}
	for (uint32_t i = 0; i < plan->nconstants; i++)
	{
		plan->constants_off[i] = to.key_off[r->nkeys + i];
		plan->constants[i] = r->sets[set].constants[i];
	}
	for (uint32_t i = 0; i < r->nstates; i++)
	{
		gpuagg_regrouping_move(r, set, i, source, &from, &plan->states[i]);
		plan->states[i].to = to.state_off[i];
	}
}

/* The finer groups are one of each group that is made, and have counts of values as keys. */
GPUAGG_FN void
gpuagg_regrouping_counted(GpuAggRegroupingPlan *plan)
{
	for (uint32_t i = 0; i < plan->nstates; i++)
		plan->states[i].counted = plan->states[i].bit < GPUAGG_REGROUPING_OF_NONE;
}

/* A copy of 4, 8 or 16 bytes, and of states that are longer */
GPUAGG_FN void
gpuagg_regrouping_copy(char *to, const char *from, uint32_t bytes)
{
	if (bytes == 4)
		memcpy(to, from, 4);
	else
		for (uint32_t i = 0; i < bytes; i += 8)
			memcpy(to + i, from + i, 8);
}

/*
 * A state that a key's value has entered, or that is initial.  It may be a thread's own: what
 * updates states that threads share (state_update.h) has no business here.
 */
GPUAGG_FN void
gpuagg_regrouping_enter(const GpuAggRegroupingMove *move, uint32_t head, const char *slot,
						char *state)
{
	int64_t		word[2] = {1, 0};
	int32_t		narrow;

	if ((head >> move->bit & 1) != 0)
	{
		gpuagg_state_init(move->op, state);
		return;
	}
	if ((move->op != GPUAGG_TRANS_COUNT || move->counted != 0) &&
		gpuagg_type_slot_bytes(move->type) == 4)
	{
		memcpy(&narrow, slot, sizeof(narrow));
		word[0] = move->counted != 0 ? (int64_t) (uint32_t) narrow : narrow;
	}
	else if (move->op != GPUAGG_TRANS_COUNT || move->counted != 0)
		memcpy(word, slot, sizeof(word[0]));
	if (move->op == GPUAGG_TRANS_MIN_F64 || move->op == GPUAGG_TRANS_MAX_F64)
		word[0] = gpuagg_f64_order(gpuagg_key_slot_f64(slot));
	if (move->op == GPUAGG_TRANS_SUM_I128)
		word[1] = word[0] >> 63;
	memcpy(state, word, move->bytes);
}

/*
 * The row that a group is, of those that are made.  Its strings point where the group's
 * do.  from NULL: of no group, with initial states.
 */
GPUAGG_FN void
gpuagg_regrouping_row(const GpuAggRegroupingPlan *plan, const char *from, char *to)
{
	uint32_t	head = 0;
	uint32_t	nulls = 0;

	if (from != NULL)
		memcpy(&head, from, sizeof(head));
	memset(to, 0, plan->nstates > 0 ? plan->states[0].to : plan->row_bytes);
	for (uint32_t i = 0; i < plan->nkeys; i++)
	{
		const GpuAggRegroupingKey *key = &plan->keys[i];

		if (from == NULL || key->bytes == 0 || (head >> key->bit & 1) != 0)
			nulls |= UINT32_C(1) << i;
		else
			gpuagg_regrouping_copy(to + key->to, from + key->from, key->bytes);
	}
	memcpy(to, &nulls, sizeof(nulls));
	for (uint32_t i = 0; i < plan->nconstants; i++)
		memcpy(to + plan->constants_off[i], &plan->constants[i], sizeof(int32_t));
	for (uint32_t i = 0; i < plan->nstates; i++)
	{
		const GpuAggRegroupingMove *move = &plan->states[i];

		if (from == NULL || move->bit == GPUAGG_REGROUPING_OF_NONE)
			gpuagg_state_init(move->op, to + move->to);
		else if (move->bit == GPUAGG_REGROUPING_NOT_OF_KEY)
			gpuagg_regrouping_copy(to + move->to, from + move->from, move->bytes);
		else
			gpuagg_regrouping_enter(move, head, from + move->from, to + move->to);
	}
}

#endif							/* GPUAGG_DEVICE_OPS_REGROUPING_ROW_H */
