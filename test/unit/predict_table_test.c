/*
 * predict_table_test.c
 *		What making look-up tables is said to take: by the backend, by the host device, by a
 *		card; and by what of the profile that changes.
 */
#include "cost/predict_table.h"
#include "predict_cases.h"

/* A dense integer key and two columns */
static GpuAggTableWork
direct(double rows)
{
	GpuAggTableWork table = {
		.rows = rows, .columns = 3, .bytes = rows * 16.25, .finder_bytes = rows / 4};

	return table;
}

static GpuAggTableWork
hashed(double rows)
{
	GpuAggTableWork table = {
		.rows = rows, .columns = 3, .bytes = rows * 40, .finder_bytes = rows * 17, .hashed = true};

	return table;
}

static GpuAggTableWork
strings(double rows)
{
	GpuAggTableWork table = hashed(rows);

	table.string_bytes = rows * 12;
	table.bytes += table.string_bytes;
	return table;
}

static double
made(const GpuAggRates *rates, GpuAggTableWork table)
{
	const GpuAggWork scan = {
		.rows = table.rows, .cached_rows = table.rows, .passed = table.rows, .columns = 3};

	return gpuagg_predict_table_made(rates, &table, &scan);
}

static double
taken(const GpuAggRates *rates, GpuAggTableWork table)
{
	return gpuagg_predict_table_read(rates, &table);
}

/* A server's memory: 4 ns, then 12 ns a read of one of two threads, as measured on an EPYC */
static GpuAggRates
server(void)
{
	GpuAggRates rates = host(2);

	rates.npoints = 2;
	rates.points[0].bytes = 1 << 20;
	rates.points[0].rate[GPUAGG_RANDOM_READ8] = 5e8;
	rates.points[1].bytes = 1 << 24;
	rates.points[1].rate[GPUAGG_RANDOM_READ8] = 1.6e8;
	rates.ceiling[GPUAGG_CEILING_GROUP] = 1.5e8;
	rates.ceiling[GPUAGG_CEILING_TOUCH] = 1.8e9;
	rates.ceiling[GPUAGG_CEILING_TOUCH_HUGE] = 9e9;
	rates.copy_row_ns = 6.7;
	rates.copy_value_ns = 2.4;
	return rates;
}

static void
test_host(void)
{
	GpuAggRates rates = server();
	GpuAggRates other;
	double		ns;

	/* measured of two columns: 0.3 ms, 30 ms, 73 ms (10^6 rows: bits, slots) */
	between(made(&rates, direct(1000)) / MS, 0.2, 0.45, "host: a small table is a task");
	between(made(&rates, direct(1e6)) / MS, 25, 55, "host: 10^6 rows by bits");
	between(made(&rates, hashed(1e6)) / MS, 60, 100, "host: 10^6 rows by slots");
	ok(made(&rates, strings(1e6)) > 1.1 * made(&rates, hashed(1e6)), "host: strings take longer");

	other = rates;
	other.points[1].rate[GPUAGG_RANDOM_READ8] /= 2;
	ns = made(&rates, hashed(1e6));
	/* two reads of 12.5 ns each become two of 25 */
	between((made(&other, hashed(1e6)) - ns) / MS, 24.9, 25.1,
			"host: memory half as fast at random reads");
	is_double(made(&other, direct(1e5)), made(&rates, direct(1e5)), "host: bits lie in a cache");

	other = rates;
	other.ceiling[GPUAGG_CEILING_GROUP] /= 2;
	ok(made(&other, direct(1e6)) > 1.4 * made(&rates, direct(1e6)), "host: a thread half as fast");

	other = rates;
	other.ceiling[GPUAGG_CEILING_TOUCH_HUGE] /= 10;
	ok(made(&other, direct(1e6)) > 2 * made(&rates, direct(1e6)),
	   "host: memory that is touched first, by huge pages");
	is_double(made(&other, direct(1000)), made(&rates, direct(1000)),
			  "host: by small ones where there is little");
	other = rates;
	other.ceiling[GPUAGG_CEILING_TOUCH] /= 10;
	ok(made(&other, direct(1e4)) > 2 * made(&rates, direct(1e4)), "host: whose rate is another");

	other = rates;
	other.round_trip_ns += 1 * MS;
	between((made(&other, direct(1000)) - made(&rates, direct(1000))) / MS, 0.999, 1.001,
			"host: a task's way there and back");
	ns = made(&rates, direct(1e6));
	memset(rates.ceiling, 0, sizeof(rates.ceiling));
	rates.npoints = 0;
	ok(isfinite(made(&rates, hashed(1e6))) && made(&rates, hashed(1e6)) > 0.2 * ns,
	   "host: nothing measured");
}

/* Keys that other tables number: a string, a slot and a key are read for each */
static void
test_numbers(void)
{
	GpuAggRates rates = server();
	GpuAggRates card = h200();
	GpuAggTableWork two = hashed(1e6);

	two.numbers = 2;
	/* by two threads, each 12.5 ns a read */
	between((made(&rates, two) - made(&rates, hashed(1e6))) / MS, 2 * 3 * 12.4 / 2,
			2 * 3 * 12.6 / 2, "host: numbers of two keys are found by all threads");
	ok(made(&card, two) > made(&card, hashed(1e6)), "card: they take random reads");
}

/* Rows that the backend has: what calibrate() measures of copying, and the same table */
static void
test_read(void)
{
	GpuAggRates rates = server();
	GpuAggRates other = rates;
	const double ns = taken(&rates, direct(1e6));

	other.copy_row_ns += 100;
	between((taken(&other, direct(1e6)) - ns) / MS, 99.9, 100.1, "backend: a row is copied");
	other = rates;
	other.copy_value_ns += 100;
	between((taken(&other, direct(1e6)) - ns) / MS, 299.9, 300.1, "backend: so are its values");
	other = rates;
	other.postgres_row_ns *= 2;
	other.postgres_value_ns *= 2;
	ok(taken(&other, direct(1e6)) > 1.2 * ns, "backend: a slower process");
	ok(taken(&rates, hashed(1e6)) > 1.3 * ns, "backend: slots take longer than bits");
	other = rates;
	other.copy_row_ns = other.copy_value_ns = 0;
	ok(taken(&other, direct(1e6)) > ns, "backend: where copying was not measured");
	between(taken(&rates, direct(10)), 0, 20000, "backend: few rows are no task");
}

static void
test_card(void)
{
	GpuAggRates rates = h200();
	GpuAggRates other = rates;

	/* each kept input was a task of 0.3 ms on an H200 */
	between(made(&rates, direct(2500)) / MS, 0.2, 0.5, "card: a small table is a task");
	ok(made(&rates, hashed(1e7)) < made(&rates, hashed(2500)) + 10 * MS,
	   "card: 10^7 rows take some ms");
	ok(made(&rates, hashed(1e7)) > made(&rates, direct(1e7)), "card: slots take longer than bits");
	ok(made(&rates, strings(1e7)) > made(&rates, hashed(1e7)), "card: strings longer still");
	for (int i = 0; i < other.npoints; i++)
		other.points[i].rate[GPUAGG_RANDOM_ATOMIC8] /= 10;
	ok(made(&other, hashed(1e7)) > made(&rates, hashed(1e7)), "card: atomic updates claim slots");
	other = rates;
	for (int i = 0; i < other.npoints; i++)
		other.points[i].rate[GPUAGG_RANDOM_READ8] /= 10;
	ok(made(&other, hashed(1e7)) > 1.5 * made(&rates, hashed(1e7)), "card: random reads");
	ok(taken(&rates, hashed(1e6)) > 10 * MS,
	   "card: rows that the backend has are a process's work");
}

int
main(void)
{
	test_host();
	test_numbers();
	test_read();
	test_card();
	return done_testing();
}
