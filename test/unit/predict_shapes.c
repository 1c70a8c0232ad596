/*
 * predict_shapes.c
 *		The shapes of test/bench/compiled.sh (predict_shapes.h).
 */
#include "predict_shapes.h"

#include "cost/predict.h"
#include "device/ops/ops.h"
#include "h200_rates.h"

const ShapeMeasured shapes_measured[NSHAPES] = {
	[SUM] = {"sum", 0.085, 3.293, 1, 1, 0},
	[KEY_COUNT] = {"key-count", 0.135, 1.214, 1, 1000, 1001},
	[KEY_SUM] = {"key-sum", 0.182, 1.287, 1, 1000, 1001},
	[TWO_KEYS] = {"two-keys", 0.238, 7.504, 1, 550, 51 * 12},
	[FILTER] = {"filter", 0.243, 10.551, 0.5, 50, 51},
	[Q11] = {"q11", 0.285, 7.451, 0.01, 1, 0},
	[MONTH] = {"month", 0.374, 22.633, 1, 83, 2521},
	[CASE] = {"case", 0.244, 12.478, 1, 50, 51},
	[FLOAT] = {"float", 0.687, 5.997, 1, 1000, 1001},
	[MILLION] = {"million", 1.189, 1.856, 1, 1e6, 1e6 + 1},
};

GpuAggRates
shapes_card(void)
{
	GpuAggRates rates;
	GpuAggStrategyRates strategy;

	h200_fill(&rates);
	h200_rates(&strategy);
	rates.ceiling[GPUAGG_CEILING_INT_OPS] = 1.668e13;
	rates.ceiling[GPUAGG_CEILING_LOCAL_ATOMICS_1] = 2.608e11;
	rates.ceiling[GPUAGG_CEILING_LOCAL_ATOMICS_32] = 2.363e12;
	rates.ceiling[GPUAGG_CEILING_LAUNCH] = 7466;
	return rates;
}

uint16_t
shape_compare(TestProgram *p, uint32_t op, uint16_t column, int64_t with)
{
	return program_instr(p, op, GPUAGG_CLASS_I64, column,
						 program_const_i64(p, GPUAGG_T_INT8, with));
}

uint16_t
shape_both(TestProgram *p, uint16_t a, uint16_t b)
{
	return program_instr(p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, a, b);
}

void
shape_sum(TestProgram *p, uint16_t reg, uint32_t op, uint32_t type)
{
	program_trans(p, op, reg, NONE, type);
	program_trans(p, GPUAGG_TRANS_COUNT, reg, NONE, type);
}

/* sum(price::int8 * b) where d >= and d <, b between, and q < */
static void
q11_make(TestProgram *p)
{
	const uint16_t price = program_attr(p, GPUAGG_T_INT4, true);
	const uint16_t b = program_attr(p, GPUAGG_T_INT4, true);
	const uint16_t d = program_attr(p, GPUAGG_T_DATE, true);
	const uint16_t q = program_attr(p, GPUAGG_T_INT4, true);
	const uint16_t dates = shape_both(p, shape_compare(p, GPUAGG_OP_I64_GE, d, -2557),
									  shape_compare(p, GPUAGG_OP_I64_LT, d, -2192));
	const uint16_t few = shape_both(p, shape_compare(p, GPUAGG_OP_I64_GE, b, 1),
									shape_compare(p, GPUAGG_OP_I64_LE, b, 3));

	program_filter(
		p, shape_both(p, shape_both(p, dates, few), shape_compare(p, GPUAGG_OP_I64_LT, q, 250)));
	shape_sum(p, program_instr(p, GPUAGG_OP_INT8_MUL, GPUAGG_CLASS_I64, price, b),
			  GPUAGG_TRANS_SUM_I128, GPUAGG_T_INT8);
}

/* a, count(*) filter (q < 500), sum(case when q > 100 then v else 0 end) */
static void
case_make(TestProgram *p)
{
	const uint16_t a = program_attr(p, GPUAGG_T_INT4, true);
	const uint16_t v = program_attr(p, GPUAGG_T_INT4, true);
	const uint16_t q = program_attr(p, GPUAGG_T_INT4, true);
	const uint16_t few = shape_compare(p, GPUAGG_OP_I64_LT, q, 500);
	const uint16_t many = shape_compare(p, GPUAGG_OP_I64_GT, q, 100);

	program_key(p, a, GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, few, GPUAGG_T_INT8);
	shape_sum(p,
			  program_instr3(p, GPUAGG_OP_SELECT, GPUAGG_CLASS_I64, many, v,
							 program_const_i64(p, GPUAGG_T_INT4, 0)),
			  GPUAGG_TRANS_SUM_I64, GPUAGG_T_INT4);
}

void
shape_make(Shape shape, TestProgram *p)
{
	uint16_t	a;
	uint16_t	b;

	program_init(p);
	if (shape == Q11)
	{
		q11_make(p);
		return;
	}
	if (shape == CASE)
	{
		case_make(p);
		return;
	}
	a = program_attr(p, shape == MONTH ? GPUAGG_T_DATE : GPUAGG_T_INT4, true);
	b = shape == SUM || shape == KEY_COUNT || shape == MILLION ? a :
		program_attr(p, shape == FLOAT ? GPUAGG_T_FLOAT8 : GPUAGG_T_INT4, true);
	if (shape == FILTER)
		program_filter(
			p, shape_compare(p, GPUAGG_OP_I64_LT, program_attr(p, GPUAGG_T_INT4, true), 500));
	if (shape == TWO_KEYS)
	{
		program_key(p, b, GPUAGG_T_INT4);
		b = program_attr(p, GPUAGG_T_INT4, true);
	}
	if (shape == MONTH)
	{
		const uint16_t month = program_instr(p, GPUAGG_OP_DATE_TRUNC, GPUAGG_CLASS_I64, a, a);

		p->instrs[p->head.ninstrs - 1].imm = GPUAGG_FIELD_MONTH;
		program_key(p, month, GPUAGG_T_DATE);
	}
	else if (shape != SUM)
		program_key(p, a, GPUAGG_T_INT4);
	if (shape == KEY_COUNT || shape == MILLION)
		program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, GPUAGG_T_INT8);
	else if (shape == FLOAT)
		shape_sum(p, b, GPUAGG_TRANS_SUM_F64_AVG, GPUAGG_T_FLOAT8);
	else
		shape_sum(p, b, shape == MONTH ? GPUAGG_TRANS_SUM_I128 : GPUAGG_TRANS_SUM_I64,
				  GPUAGG_T_INT4);
}

void
shape_work(const GpuAggProgram *p, double rows, double share, double groups, double numbers,
		   GpuAggWork *work)
{
	GpuAggLayout layout;

	memset(work, 0, sizeof(*work));
	gpuagg_layout_compute(p, &layout);
	work->rows = work->cached_rows = rows;
	work->passed = rows * share;
	work->groups = groups;
	work->columns = p->ncolumns;
	work->filter_instrs = p->filter_instrs;
	work->instrs = p->ninstrs - p->filter_instrs;
	work->keys = p->nkeys;
	work->transitions = p->ntransitions;
	work->entry_bytes = layout.row_bytes;
	gpuagg_compiled_work(&work->compiled, p);
	work->compiled.state = GPUAGG_COMPILED_READY;
	work->compiled.numbers = numbers;
}

GpuAggProgram *
shape_grouped(Shape shape, double groups, double numbers, GpuAggWork *work)
{
	TestProgram p;
	GpuAggProgram *packed;

	shape_make(shape, &p);
	packed = program_pack(&p);
	shape_work(packed, ROWS, shapes_measured[shape].share, groups, numbers, work);
	return packed;
}

GpuAggProgram *
shape_measured(Shape shape, GpuAggWork *work)
{
	return shape_grouped(shape, shapes_measured[shape].groups, shapes_measured[shape].numbers,
						 work);
}

GpuAggResidentChoice
shape_choose(const GpuAggRates *rates, const GpuAggProgram *p, GpuAggWork *work)
{
	GpuAggStrategyInput input = {
		.resident = true, .plain = gpuagg_local_is_plain(p), .possible = ~UINT32_C(0)};
	GpuAggResidentChoice choice = {GPUAGG_STRATEGY_AUTO, GPUAGG_STRATEGY_AUTO,
								   GPUAGG_STRATEGY_AUTO};
	GpuAggStrategyRates strategy;

	work->compiled.frame = GPUAGG_FRAME_PLAIN;
	if (p->nkeys == 0)
		return choice;
	gpuagg_predict_behind(rates, work, &input);
	gpuagg_rates_strategy(rates, &strategy);
	gpuagg_strategy_input(work, p, &input);
	gpuagg_resident_choose(rates, &strategy, &input, p, work, &choice);
	return choice;
}

