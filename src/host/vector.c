/*
 * vector.c
 *		The host device's vectorised interpreter: memory of the registers,
 *		states of strict operators, dispatch.  The loops of the instructions
 *		are in vector_kernels.h.
 *
 * On x86-64 the kernels are compiled twice, for the baseline and for AVX2
 * (without FMA, which would change floating-point results), and each run
 * picks what the processor has.  Elsewhere the compiler's target is used.
 *
 * No locks and no shared state: each thread has its own GpuAggVectors.
 */
#include "vector.h"

#include "device/ops/eval.h"
#include "device/ops/instr.h"
#include "lookup_fetch.h"

/* Lists up to here are compared member by member: 8 vector compares of four
 * rows cost about what one bisection of a row does. */
#define GPUAGG_IN_SHORT 8

#define GPUAGG_VECTOR_ALIGN 64

typedef void (*GpuAggKernel) (const GpuAggVectors *vs, const GpuAggInstr *ins,
							  uint32_t n);

/* The states of a clean vector */
static const uint8_t gpuagg_all_values[GPUAGG_VECTOR_ROWS];

static inline const uint8_t *
gpuagg_vector_states(const GpuAggVector *v)
{
	return v->clean ? gpuagg_all_values : v->st;
}

/*
 * States of a strict operator's result: those of its arguments, joined.  b
 * and c may be NULL.  Writes nothing if all are clean.
 */
static void
gpuagg_vector_strict(GpuAggVector *dst, const GpuAggVector *a,
					 const GpuAggVector *b, const GpuAggVector *c, uint32_t n)
{
	const GpuAggVector *args[3] = {a, b, c};

	dst->clean = true;
	for (int k = 0; k < 3; k++)
	{
		if (args[k] == NULL || args[k]->clean)
			continue;
		if (dst->clean)
			memcpy(dst->st, args[k]->st, n);
		else
			for (uint32_t i = 0; i < n; i++)
				dst->st[i] |= args[k]->st[i];
		dst->clean = false;
	}
}

/* Makes the states of a clean vector readable and writable one by one. */
static void
gpuagg_vector_spell_out(GpuAggVector *v, uint32_t n)
{
	if (v->clean)
		memset(v->st, GPUAGG_ST_VALUE, n);
	v->clean = false;
}

#define GPUAGG_KERNEL(name) gpuagg_kernel_##name
#define GPUAGG_KERNEL_TARGET
#include "vector_kernels.h"
#undef GPUAGG_KERNEL
#undef GPUAGG_KERNEL_TARGET

#if defined(__x86_64__) && !defined(__AVX2__)
#define GPUAGG_KERNEL(name) gpuagg_kernel_avx2_##name
#define GPUAGG_KERNEL_TARGET __attribute__((target("avx2")))
#include "vector_kernels.h"
#endif

static const GpuAggKernel *
gpuagg_vector_kernels(void)
{
#if defined(__x86_64__) && !defined(__AVX2__)
	if (__builtin_cpu_supports("avx2"))
		return gpuagg_kernel_avx2_table;
#endif
	return gpuagg_kernel_table;
}

/*
 * Is this constant's register read by anything?  Members of an IN list are
 * not: they are named by imm.  Unused argument fields of an instruction may
 * name a register without need; that costs memory and nothing else.
 */
static bool
gpuagg_vector_is_read(const GpuAggProgram *p, uint32_t reg)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	const GpuAggInstr *instrs = gpuagg_program_instrs(p);
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *trans = gpuagg_program_transitions(p);

	if (reg == p->filter_reg)
		return true;
	for (uint32_t i = 0; i < p->nattrs; i++)
		if (attrs[i].missing_const == reg)
			return true;
	for (uint32_t i = 0; i < p->ninstrs; i++)
		if (instrs[i].a == reg || instrs[i].b == reg || instrs[i].c == reg)
			return true;
	for (uint32_t i = 0; i < p->nkeys; i++)
		if (keys[i].reg == reg)
			return true;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (trans[i].arg == reg || trans[i].filter == reg)
			return true;
	return false;
}

/* Bytes of a register's values and states; 0 if it needs none */
static size_t
gpuagg_vector_bytes(const GpuAggProgram *p, uint32_t reg)
{
	bool		is_const = reg >= p->ncolumns &&
		reg < (uint32_t) p->ncolumns + p->nconsts;
	size_t		value = sizeof(int64_t);

	if (is_const && !gpuagg_vector_is_read(p, reg))
		return 0;
	if (gpuagg_program_classes(p)[reg] == GPUAGG_CLASS_BYTES)
		value = sizeof(GpuAggBytes);
	return GPUAGG_VECTOR_ROWS * (value + sizeof(uint8_t));
}

static size_t
gpuagg_vectors_head_bytes(const GpuAggProgram *p)
{
	size_t		bytes = p->nregs * sizeof(GpuAggVector);

	return (bytes + GPUAGG_VECTOR_ALIGN - 1) & ~(size_t) (GPUAGG_VECTOR_ALIGN - 1);
}

size_t
gpuagg_vectors_bytes(const GpuAggProgram *p)
{
	size_t		bytes = gpuagg_vectors_head_bytes(p);

	for (uint32_t r = 0; r < p->nregs; r++)
		bytes += gpuagg_vector_bytes(p, r);
	return bytes;
}

static void
gpuagg_vector_broadcast(const GpuAggProgram *p, const GpuAggConst *c,
						GpuAggClass cls, GpuAggVector *v)
{
	GpuAggBytes b = {NULL, 0};

	if (cls == GPUAGG_CLASS_BYTES)
		b = gpuagg_const_bytes(p, c);
	v->clean = c->state == GPUAGG_ST_VALUE;
	memset(v->st, c->state, GPUAGG_VECTOR_ROWS);
	for (uint32_t i = 0; i < GPUAGG_VECTOR_ROWS; i++)
	{
		if (cls == GPUAGG_CLASS_BYTES)
			v->v.b[i] = b;
		else if (cls == GPUAGG_CLASS_F64)
			v->v.f[i] = c->v.f;
		else
			v->v.i[i] = c->v.i;
	}
}

void
gpuagg_vectors_init(GpuAggVectors *vs, const GpuAggProgram *p, void *memory)
{
	const GpuAggConst *consts = gpuagg_program_consts(p);
	const uint8_t *classes = gpuagg_program_classes(p);
	char	   *next = (char *) memory + gpuagg_vectors_head_bytes(p);

	vs->program = p;
	vs->reg = (GpuAggVector *) memory;
	for (uint32_t r = 0; r < p->nregs; r++)
	{
		GpuAggVector *v = &vs->reg[r];
		size_t		bytes = gpuagg_vector_bytes(p, r);

		memset(v, 0, sizeof(*v));
		if (bytes == 0)
			continue;
		v->v.i = (int64_t *) next;
		next += bytes;
		v->st = (uint8_t *) next - GPUAGG_VECTOR_ROWS;
		if (r >= p->ncolumns && r < (uint32_t) p->ncolumns + p->nconsts)
			gpuagg_vector_broadcast(p, &consts[r - p->ncolumns], classes[r],
									v);
	}
}

static void
gpuagg_vectors_each(GpuAggVectors *vs, uint32_t first, uint32_t last, uint32_t n,
					bool ahead)
{
	const GpuAggKernel *kernels = gpuagg_vector_kernels();
	const GpuAggInstr *instrs = gpuagg_program_instrs(vs->program);

	for (uint32_t i = first; i < last; i++)
	{
		if (ahead && gpuagg_instr_table(&instrs[i]) != GPUAGG_NO_REG)
			gpuagg_lookup_fetch(vs, &instrs[i], n);
		kernels[instrs[i].op] (vs, &instrs[i], n);
	}
}

void
gpuagg_vectors_run(GpuAggVectors *vs, uint32_t first, uint32_t last,
				   uint32_t n)
{
	gpuagg_vectors_each(vs, first, last, n, true);
}

void
gpuagg_vectors_run_alone(GpuAggVectors *vs, uint32_t first, uint32_t last,
						 uint32_t n)
{
	gpuagg_vectors_each(vs, first, last, n, false);
}
