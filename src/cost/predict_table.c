/*
 * predict_table.c
 *		What making a look-up table takes (predict_table.h).
 *
 * All times in ns.  With r rows of c columns, a table of b bytes, of which f are bits or slots, n
 * threads, and slow as predict_host.c has it:
 *
 *		table	r * (ROW + COLUMN * c) * slow + 2 r / (random reads of f bytes / n) + b / touch, by
 *				one thread; strings are copied, too
 *		read	r * (copy_row + copy_value * c), as calibrate() measures them; table
 *		made	host	start of a task, the scan; r * (ADD + ADD_COLUMN * c) * slow / n into
 *						columns of each thread's, which grow and are put together; table
 *				GPU		start of a task; the scan's filter; launches; r * (1 + c) random reads of b
 *						bytes, r atomic updates of f; the columns' bytes once more
 *
 * Where a key is a string, the device has its code: the string is found in a dictionary of
 * about as many bytes.
 */
#include "cost/predict_table.h"

#include "cost/predict_host.h"
#include "cost/predict_rates.h"

/* One thread as predict_host.c's; 10^3 to 4 * 10^6 rows */
#define DIRECT_ROW_NS 3.5
#define HASHED_ROW_NS 5.5
#define STRING_ROW_NS 4.0		/* more */
#define COLUMN_NS 3.7
#define ADD_NS 1.5
#define ADD_COLUMN_NS 1.5

/* A number, by all threads: a string in its dictionary, a slot, the key beside it */
#define NUMBER_READS 3.0

/* A slot, or bits, that is read, and written */
#define FINDS 2.0

/*
 * A value and its NULL, in columns of rows that are to be in a table.  These grow and are put
 * together: so much memory is new, while pieces are large; small ones come from what was freed.
 */
#define VALUE_BYTES 9.0
#define VALUE_COPIES 3.0

/* A string in a dictionary, beside its bytes: where it lies */
#define STRING_BYTES 16.0

#define HUGE_PAGE_BYTES 2097152.0

/* Kernels of a table on a card, those of the scan not counted: of bits, of slots, of strings */
#define DIRECT_LAUNCHES 4.0
#define HASHED_LAUNCHES 4.0
#define STRING_LAUNCHES 8.0

static double
over(double amount, double rate)
{
	return rate > 0 ? amount / rate * 1e9 : 0;
}

/* Of one thread, to read so often in so many bytes at random */
static double
thread_reads(const GpuAggRates *rates, double reads, double bytes)
{
	return over(reads * rates->units, gpuagg_rates_random(rates, GPUAGG_RANDOM_READ8, bytes));
}

/* First touch; of pieces that are large enough a device asks for huge pages (host_memory.c). */
static double
touch(const GpuAggRates *rates, double bytes, double piece)
{
	const double rate = rates->ceiling[GPUAGG_CEILING_TOUCH_HUGE];

	return over(bytes,
				piece >= HUGE_PAGE_BYTES && rate > 0 ? rate : rates->ceiling[GPUAGG_CEILING_TOUCH]);
}

/* Bytes of a dictionary that has the keys' strings */
static double
dictionary_bytes(const GpuAggTableWork *table)
{
	return table->string_bytes + table->rows * STRING_BYTES;
}

/* Of columns, by one thread that is so slow, but for waiting for memory */
static double
table_ns(const GpuAggTableWork *table, double slow)
{
	double		row = (table->hashed ? HASHED_ROW_NS : DIRECT_ROW_NS) + COLUMN_NS * table->columns;

	if (table->string_bytes > 0)
		row += STRING_ROW_NS;
	return table->rows * row * slow;
}

double
gpuagg_predict_table_read(const GpuAggRates *rates, const GpuAggTableWork *table)
{
	double		ns = gpuagg_predict_copy(rates, table->rows, table->columns) +
		table_ns(table, gpuagg_predict_backend_slowness(rates));

	if (!rates->gpu)
		ns += thread_reads(rates, FINDS * table->rows, table->finder_bytes) +
			touch(rates, table->bytes, 0);
	return ns;
}

/* First touch of rows' columns while they are found */
static double
touch_columns(const GpuAggRates *rates, const GpuAggTableWork *table)
{
	const double piece = table->rows / rates->units * sizeof(int64_t);
	const double copies = piece >= HUGE_PAGE_BYTES ? VALUE_COPIES : 1;

	return touch(rates, copies * table->rows * table->columns * VALUE_BYTES, piece);
}

static double
made_host(const GpuAggRates *rates, const GpuAggTableWork *table, const GpuAggWork *scan)
{
	const double slow = gpuagg_predict_host_slowness(rates);
	double ns = gpuagg_predict_host_start(rates, scan) + gpuagg_predict_host_kernel(rates, scan) +
		table->rows * (ADD_NS + ADD_COLUMN_NS * table->columns) * slow / rates->units +
		table_ns(table, slow) + thread_reads(rates, FINDS * table->rows, table->finder_bytes) +
		touch_columns(rates, table) + touch(rates, table->bytes, table->bytes);

	if (table->string_bytes > 0)
		ns += thread_reads(rates, table->rows, dictionary_bytes(table));
	return ns +
		table->numbers * thread_reads(rates, NUMBER_READS * table->rows, table->finder_bytes) /
		rates->units;
}

static double
made_gpu(const GpuAggRates *rates, const GpuAggTableWork *table, const GpuAggWork *scan)
{
	const double launches = table->string_bytes > 0 ? STRING_LAUNCHES :
		table->hashed								? HASHED_LAUNCHES :
													  DIRECT_LAUNCHES;
	const double reads = gpuagg_rates_random(rates, GPUAGG_RANDOM_READ8, table->bytes);
	const double strings = gpuagg_rates_random(rates, GPUAGG_RANDOM_READ32,
											   dictionary_bytes(table));
	const double atomics = gpuagg_rates_random(rates, GPUAGG_RANDOM_ATOMIC8, table->finder_bytes);
	const double memory = rates->ceiling[GPUAGG_CEILING_MEMORY_READ];
	double		ns = gpuagg_predict_start(rates, scan) + gpuagg_predict_interpreted(rates, scan) +
		launches * rates->ceiling[GPUAGG_CEILING_LAUNCH] + over(table->rows, atomics) +
		over(table->rows * (1 + table->columns), reads) + over(table->bytes, memory);

	if (table->string_bytes > 0)
		ns += over(2 * table->rows, strings);
	return ns + over(NUMBER_READS * table->numbers * table->rows, reads);
}

double
gpuagg_predict_table_made(const GpuAggRates *rates, const GpuAggTableWork *table,
						  const GpuAggWork *scan)
{
	return rates->gpu ? made_gpu(rates, table, scan) : made_host(rates, table, scan);
}
