/*
 * variances.c
 *		Variances and standard deviations of exact sums, and their states.
 *
 * PostgreSQL's final functions know to how many digits they divide and take roots.  So
 * they are called, with the state that they expect: count, sum and sum of squares go
 * through numeric_deserialize(), as those of a parallel plan's workers do.  Integers have
 * the same state there, if with machine words (numeric_poly_serialize), and the same digits.
 *
 * Of numerics that PostgreSQL has added up itself the same is written.
 *
 * numeric_deserialize() wants to be called by an aggregation.  Of that it looks at the
 * node's tag only (AggCheckCallContext()); it allocates in the current memory context.
 */
#include "postgres.h"

#include "compat.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "node/result/variances.h"
#include "nodes/execnodes.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#define BASE 10000
#define DECIMALS 4				/* of a digit */

/* As numeric.c serializes a sign */
#define SIGN_POSITIVE 0x0000
#define SIGN_NEGATIVE 0x4000

/* Words of 32 bits, the lowest first: a sum of squares has less than 192 bits */
#define WORDS 8
/* Digits of so many bits */
#define DIGITS 20

typedef struct Magnitude
{
	uint32		words[WORDS];
} Magnitude;

bool
gpuagg_statistic_is_null(GpuAggStatistic statistic, int64 count)
{
	return count <= (statistic == GPUAGG_STATISTIC_VAR_SAMP ||
					 statistic == GPUAGG_STATISTIC_STDDEV_SAMP);
}

/* ----------------------------------------------------------- magnitudes --- */

static void
multiply(Magnitude *m, uint32 by)
{
	uint64		carry = 0;

	for (int i = 0; i < WORDS; i++)
	{
		carry += (uint64) m->words[i] * by;
		m->words[i] = (uint32) carry;
		carry >>= 32;
	}
}

/* Divides it, and returns the remainder. */
static uint32
divide(Magnitude *m, uint32 by)
{
	uint64		rest = 0;

	for (int i = WORDS - 1; i >= 0; i--)
	{
		rest = rest << 32 | m->words[i];
		m->words[i] = (uint32) (rest / by);
		rest %= by;
	}
	return (uint32) rest;
}

/* Adds a wide number, times 2^shift, modulo the magnitude's size. */
static void
add_shifted(Magnitude *m, GpuAggWide wide, int shift)
{
	const uint32 sign = wide.high < 0 ? PG_UINT32_MAX : 0;
	const uint32 words[4] = {(uint32) wide.low, (uint32) (wide.low >> 32),
	(uint32) wide.high, (uint32) ((uint64) wide.high >> 32)};
	const int	bits = shift % 32;
	uint64		carry = 0;

	for (int i = shift / 32, from = 0; i < WORDS; i++, from++)
	{
		const uint64 word = from < 4 ? words[from] : sign;
		const uint64 below = from == 0 ? 0 : from <= 4 ? words[from - 1] : sign;

		carry += (uint64) m->words[i] + (uint32) ((word << 32 | below) << bits >> 32);
		m->words[i] = (uint32) carry;
		carry >>= 32;
	}
}

static GpuAggWide
negated(GpuAggWide wide)
{
	GpuAggWide	result = {-wide.low, (int64) (~(uint64) wide.high + (wide.low == 0))};

	return result;
}

/* ---------------------------------------------------------------- state --- */

/* A magnitude divided by 10^scale, in PostgreSQL's digits, the last of them first */
typedef struct Digits
{
	int16		digits[DIGITS];
	int			n;
	int			weight;
} Digits;

static void
make_digits(Magnitude m, int scale, Digits *d)
{
	const int	places = (scale + DECIMALS - 1) / DECIMALS;
	bool		left = true;

	/* the last digit is whole */
	for (int i = scale; i < places * DECIMALS; i++)
		multiply(&m, 10);
	d->n = 0;
	while (left)
	{
		d->digits[d->n++] = (int16) divide(&m, BASE);
		left = false;
		for (int i = 0; i < WORDS; i++)
			left |= m.words[i] != 0;
	}
	d->weight = d->n - 1 - places;
}

/* As numericvar_serialize() writes it */
static void
send_numeric(StringInfo buf, Magnitude m, bool negative, int scale, int shown)
{
	Digits		d;

	make_digits(m, scale, &d);
	pq_sendint32(buf, d.n);
	pq_sendint32(buf, d.weight);
	pq_sendint32(buf, negative ? SIGN_NEGATIVE : SIGN_POSITIVE);
	pq_sendint32(buf, shown);
	while (d.n > 0)
		pq_sendint16(buf, d.digits[--d.n]);
}

static Datum
make_numeric(Magnitude m, bool negative, int scale, int shown)
{
	StringInfoData buf;
	Digits		d;

	make_digits(m, scale, &d);
	initStringInfo(&buf);
	pq_sendint16(&buf, d.n);
	pq_sendint16(&buf, d.weight);
	pq_sendint16(&buf, negative ? SIGN_NEGATIVE : SIGN_POSITIVE);
	pq_sendint16(&buf, shown);
	while (d.n > 0)
		pq_sendint16(&buf, d.digits[--d.n]);
	return DirectFunctionCall3(numeric_recv, PointerGetDatum(&buf), ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}

static void
add_squares(Magnitude *squares, const GpuAggSums *sums)
{
	add_shifted(squares, sums->squares[0], 0);
	add_shifted(squares, sums->squares[1], GPUAGG_SQUARE_HALF + 1);
	add_shifted(squares, sums->squares[2], 2 * GPUAGG_SQUARE_HALF);
}

/* Sum, and sum of squares; returns whether the former is negative. */
static bool
make_magnitudes(const GpuAggSums *sums, Magnitude *sum, Magnitude *squares)
{
	const bool	negative = sums->sum.high < 0;

	memset(sum, 0, sizeof(*sum));
	memset(squares, 0, sizeof(*squares));
	add_shifted(sum, negative ? negated(sums->sum) : sums->sum, 0);
	add_squares(squares, sums);
	return negative;
}

/* Count, sum and sum of squares */
static void
send_sums(StringInfo buf, const GpuAggSums *sums)
{
	Magnitude	sum;
	Magnitude	squares;
	const bool	negative = make_magnitudes(sums, &sum, &squares);

	pq_sendint64(buf, sums->count);
	send_numeric(buf, sum, negative, sums->scale, sums->shown);
	send_numeric(buf, squares, false, 2 * sums->scale, 2 * sums->shown);
}

void
gpuagg_variance_sums(const GpuAggSums *sums, Datum *sum, Datum *squares)
{
	Magnitude	m;
	Magnitude	of_squares;
	const bool	negative = make_magnitudes(sums, &m, &of_squares);

	*sum = make_numeric(m, negative, sums->scale, sums->shown);
	*squares = make_numeric(of_squares, false, 2 * sums->scale, 2 * sums->shown);
}

/*
 * What follows the sums as numeric_serialize() writes them: no NaN or infinity is among the
 * values
 */
static void
send_rest(StringInfo buf, int shown)
{
	pq_sendint32(buf, shown);
	pq_sendint64(buf, 0);		/* values with so many decimals, for moving windows */
	pq_sendint64(buf, 0);		/* NaN, infinity, minus infinity */
	pq_sendint64(buf, 0);
	pq_sendint64(buf, 0);
}

/* As numeric_serialize() writes a group's state */
static bytea *
state_bytes(const GpuAggSums *sums)
{
	StringInfoData buf;

	pq_begintypsend(&buf);
	send_sums(&buf, sums);
	send_rest(&buf, sums->shown);
	return pq_endtypsend(&buf);
}

static Datum
final_result(GpuAggStatistic statistic, bytea *state)
{
	static const PGFunction functions[] = {
		[GPUAGG_STATISTIC_VAR_POP] = numeric_var_pop,
		[GPUAGG_STATISTIC_VAR_SAMP] = numeric_var_samp,
		[GPUAGG_STATISTIC_STDDEV_POP] = numeric_stddev_pop,
		[GPUAGG_STATISTIC_STDDEV_SAMP] = numeric_stddev_samp
	};
	static AggState aggregation = {.ss.ps.type = T_AggState};
	LOCAL_FCINFO(fcinfo, 1);

	InitFunctionCallInfoData(*fcinfo, NULL, 1, InvalidOid, (Node *) &aggregation, NULL);
	fcinfo->args[0].value = PointerGetDatum(state);
	fcinfo->args[0].isnull = false;
	return DirectFunctionCall1(functions[statistic], numeric_deserialize(fcinfo));
}

Datum
gpuagg_variance_state(const GpuAggSums *sums)
{
	return PointerGetDatum(state_bytes(sums));
}

/* As numeric_poly_serialize() writes a group's state, of integers of 32 bits at most */
Datum
gpuagg_variance_squares(const GpuAggSums *sums)
{
	StringInfoData buf;
	Magnitude	squares = {{0}};

	pq_begintypsend(&buf);
	if (GPUAGG_INT128_STATES)
	{
		add_squares(&squares, sums);
		pq_sendint64(&buf, sums->count);
		pq_sendint64(&buf, sums->sum.high);
		pq_sendint64(&buf, sums->sum.low);
		for (int i = 3; i >= 0; i--)
			pq_sendint32(&buf, squares.words[i]);
	}
	else
		send_sums(&buf, sums);
	return PointerGetDatum(pq_endtypsend(&buf));
}

Datum
gpuagg_variance(GpuAggStatistic statistic, const GpuAggSums *sums)
{
	return final_result(statistic, state_bytes(sums));
}

/*
 * As numericvar_serialize() writes a numeric, of what numeric_send() writes; returns its
 * decimals
 */
static int
resend_numeric(StringInfo buf, Datum value)
{
	bytea	   *sent = DatumGetByteaPP(DirectFunctionCall1(numeric_send, value));
	StringInfoData from = {.data = VARDATA_ANY(sent),.len = VARSIZE_ANY_EXHDR(sent)};
	const int	digits = pq_getmsgint(&from, sizeof(int16));
	const int	weight = (int16) pq_getmsgint(&from, sizeof(int16));
	const int	sign = pq_getmsgint(&from, sizeof(int16));
	const int	shown = pq_getmsgint(&from, sizeof(int16));

	pq_sendint32(buf, digits);
	pq_sendint32(buf, weight);
	pq_sendint32(buf, sign);
	pq_sendint32(buf, shown);
	for (int i = 0; i < digits; i++)
		pq_sendint16(buf, pq_getmsgint(&from, sizeof(int16)));
	return shown;
}

static bool
is_number(Datum value)
{
	return !numeric_is_nan(DatumGetNumeric(value)) && !numeric_is_inf(DatumGetNumeric(value));
}

Datum
gpuagg_variance_of(GpuAggStatistic statistic, int64 count, Datum sum, Datum squares)
{
	StringInfoData buf;
	int			shown;

	/* NaN, or infinity: then the sum of squares is */
	if (!is_number(squares))
		return DirectFunctionCall3(numeric_in, CStringGetDatum("NaN"), ObjectIdGetDatum(InvalidOid),
								   Int32GetDatum(-1));
	pq_begintypsend(&buf);
	pq_sendint64(&buf, count);
	shown = resend_numeric(&buf, sum);
	(void) resend_numeric(&buf, squares);
	send_rest(&buf, shown);
	return final_result(statistic, pq_endtypsend(&buf));
}
