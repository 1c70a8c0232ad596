/*
 * errors.c
 *		The one place where a device's status becomes an ereport: SQLSTATE,
 *		detail and a hint that says what to do.
 *
 * Normally no status is ever raised: the fallback plan runs, and if there is
 * a real error in the data PostgreSQL raises it with its own words.  The
 * functions here serve gpuagg.fallback = off and gpuagg.debug_require =
 * require, and count and log the fallbacks by reason.
 */
#include "postgres.h"

#include "ipc/errors.h"
#include "ipc/stat.h"
#include "settings.h"

GpuAggStatus
gpuagg_error_set(GpuAggError *error, GpuAggStatus status, uint32 detail,
				 const char *fmt,...)
{
	va_list		args;

	error->status = status;
	error->detail = detail;
	va_start(args, fmt);
	vsnprintf(error->message, sizeof(error->message), fmt, args);
	va_end(args);
	return status;
}

GpuAggFallback
gpuagg_error_fallback(const GpuAggError *error)
{
	switch (error->status)
	{
		case GPUAGG_OK:
			return GPUAGG_FALLBACK_NONE;
		case GPUAGG_VALUE_ERROR:
			return GPUAGG_FALLBACK_VALUE;
		case GPUAGG_OUT_OF_MEMORY:
			return GPUAGG_FALLBACK_MEMORY;
		case GPUAGG_BUSY:
			return GPUAGG_FALLBACK_QUEUE;
		case GPUAGG_UNSUPPORTED:
			return GPUAGG_FALLBACK_UNSUPPORTED;
		case GPUAGG_DEVICE_LOST:
			if (error->detail == GPUAGG_LOST_STARTING)
				return GPUAGG_FALLBACK_STARTING;
			break;
		case GPUAGG_REFUSED:
			return GPUAGG_FALLBACK_REFUSED;
		case GPUAGG_DEVICE_FAULT:
		case GPUAGG_CORRUPT_PAGE:
		case GPUAGG_NOT_SAME:
		case GPUAGG_CANCELLED:
		case GPUAGG_INJECTED:
			break;
	}
	return GPUAGG_FALLBACK_DEVICE;
}

const char *
gpuagg_fallback_word(GpuAggFallback reason)
{
	static const char *const words[] = {
#define X(name, word) word,
		GPUAGG_FALLBACK_LIST(X)
#undef X
	};

	return words[reason];
}

void
gpuagg_fallback_count(GpuAggFallback reason)
{
	switch (reason)
	{
		case GPUAGG_FALLBACK_NONE:
			break;
		case GPUAGG_FALLBACK_VALUE:
			gpuagg_stat_add(GPUAGG_STAT_fallbacks_value, 1);
			break;
		case GPUAGG_FALLBACK_MEMORY:
			gpuagg_stat_add(GPUAGG_STAT_fallbacks_memory, 1);
			break;
		case GPUAGG_FALLBACK_DEVICE:
		case GPUAGG_FALLBACK_STARTING:
		case GPUAGG_FALLBACK_REFUSED:
			gpuagg_stat_add(GPUAGG_STAT_fallbacks_device, 1);
			break;
		case GPUAGG_FALLBACK_QUEUE:
			gpuagg_stat_add(GPUAGG_STAT_fallbacks_queue, 1);
			break;
		case GPUAGG_FALLBACK_UNSUPPORTED:
			gpuagg_stat_add(GPUAGG_STAT_fallbacks_unsupported, 1);
			break;
	}
}

/* SQLSTATE and words for the GPUAGG_ST_ bits of an error value. */
static int
value_sqlstate(uint32 states, const char **text)
{
	static const struct
	{
		uint32		bit;
		int			sqlstate;
		const char *text;
	}			known[] = {
		{GPUAGG_ST_DIV_ZERO, ERRCODE_DIVISION_BY_ZERO,
		gettext_noop("division by zero")},
		{GPUAGG_ST_INT_RANGE, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
		gettext_noop("integer out of range")},
		{GPUAGG_ST_FLOAT_OVERFLOW, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
		gettext_noop("value out of range: overflow")},
		{GPUAGG_ST_FLOAT_UNDERFLOW, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
		gettext_noop("value out of range: underflow")},
		{GPUAGG_ST_DATETIME_RANGE, ERRCODE_DATETIME_VALUE_OUT_OF_RANGE,
		gettext_noop("timestamp out of range")},
	};

	for (int i = 0; i < lengthof(known); i++)
	{
		if (states & known[i].bit)
		{
			*text = _(known[i].text);
			return known[i].sqlstate;
		}
	}
	*text = _("a value needs PostgreSQL's own evaluation");
	return ERRCODE_FEATURE_NOT_SUPPORTED;
}

static int
detail_message(const GpuAggError *error)
{
	return error->message[0] != '\0' ?
		errdetail_internal("%s", error->message) : 0;
}

bool
gpuagg_error_is_of_values(int sqlerrcode)
{
	switch (ERRCODE_TO_CATEGORY(sqlerrcode))
	{
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_OPERATOR_INTERVENTION:
		case ERRCODE_SYSTEM_ERROR:
			return false;
		case ERRCODE_INTERNAL_ERROR:
			/* some functions refuse values so; what is corrupted is another matter */
			return sqlerrcode == ERRCODE_INTERNAL_ERROR;
		default:
			return true;
	}
}

/* ----------------------------------------------------------------- log --- */

/* Is no device, no worker and no code to blame? */
static bool
is_legal(GpuAggFallback reason)
{
	return reason == GPUAGG_FALLBACK_VALUE || reason == GPUAGG_FALLBACK_STARTING;
}

void
gpuagg_fallback_log(GpuAggFallback reason, const GpuAggError *error)
{
	const char *what;

	/* told, whatever the setting (gpuagg_error_refused) */
	if (reason == GPUAGG_FALLBACK_REFUSED || gpuagg_log_fallbacks == GPUAGG_LOG_OFF ||
		(is_legal(reason) && gpuagg_log_fallbacks < GPUAGG_LOG_ALL))
		return;
	if (reason == GPUAGG_FALLBACK_VALUE)
		(void) value_sqlstate(error->detail, &what);
	else
		what = error->message;
	ereport(LOG,
			(errmsg("gpuagg: PostgreSQL's plan answers a query instead of the device: %s",
					gpuagg_fallback_word(reason)),
			 what[0] != '\0' ? errdetail_internal("%s", what) : 0));
}

void
gpuagg_redone_log(const GpuAggError *error, const char *device)
{
	ereport(gpuagg_log_fallbacks == GPUAGG_LOG_OFF ? DEBUG1 : LOG,
			(errmsg("gpuagg: redoing a task on %s: %s", device, error->message)));
}

void
gpuagg_error_refused(const GpuAggError *error)
{
	ereport(LOG,
			(errmsg("gpuagg: the device worker refused a message of gpuagg's own: %s",
					error->message),
			 errhint("This is an error of gpuagg: please report the query.")));
	Assert(error->status != GPUAGG_REFUSED);
}

/* --------------------------------------------------------------- raise --- */

void
gpuagg_error_raise(const GpuAggError *error)
{
	const char *text;
	int			sqlstate;

	switch (error->status)
	{
		case GPUAGG_VALUE_ERROR:
			sqlstate = value_sqlstate(error->detail, &text);
			ereport(ERROR,
					(errcode(sqlstate), errmsg_internal("%s", text),
					 errdetail("The device met the value and gpuagg.fallback is off."),
					 errhint("Set gpuagg.fallback to on to let PostgreSQL evaluate the query and report the error in its own words.")));
			break;
		case GPUAGG_OUT_OF_MEMORY:
			ereport(ERROR,
					(errcode(ERRCODE_OUT_OF_MEMORY),
					 errmsg("the device is out of memory"),
					 detail_message(error),
					 errhint("Raise gpuagg.device_memory, or set gpuagg.fallback to on.")));
			break;
		case GPUAGG_BUSY:
			ereport(ERROR,
					(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
					 errmsg("no place on the device within gpuagg.queue_timeout"),
					 detail_message(error),
					 errhint("Raise gpuagg.queue_timeout, gpuagg.max_tasks or gpuagg.device_memory, or set gpuagg.fallback to on.")));
			break;
		case GPUAGG_UNSUPPORTED:
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("the device cannot run this query"),
					 detail_message(error),
					 errhint("Set gpuagg.fallback to on, or gpuagg.enable to off.")));
			break;
		case GPUAGG_CORRUPT_PAGE:
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("the device met a corrupt page"),
					 detail_message(error),
					 errhint("Check the table with pg_amcheck.  With gpuagg.enable = off PostgreSQL reads the page in its own way, which may end in a crash.")));
			break;
		case GPUAGG_NOT_SAME:
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("a kept page is not what the table has"),
					 detail_message(error),
					 errhint("This is an error of gpuagg: please report it.  gpuagg.unload() forgets what is kept of the table.")));
			break;
		case GPUAGG_CANCELLED:
		case GPUAGG_DEVICE_LOST:
			ereport(ERROR,
					(errcode(ERRCODE_OPERATOR_INTERVENTION),
					 errmsg("the device stopped before the query was done"),
					 detail_message(error),
					 errhint("See view gpuagg.devices; the worker restarts by itself.  Run the query again, or set gpuagg.fallback to on.")));
			break;
		case GPUAGG_REFUSED:
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("the device worker refused a message of gpuagg's own"),
					 detail_message(error),
					 errhint("This is an error of gpuagg: please report the query.  Set gpuagg.fallback to on to let PostgreSQL answer it.")));
			break;
		case GPUAGG_OK:
		case GPUAGG_DEVICE_FAULT:
		case GPUAGG_INJECTED:
			ereport(
				ERROR,
				(errcode(ERRCODE_SYSTEM_ERROR), errmsg("the device failed"), detail_message(error),
				 errhint(
					 "See view gpuagg.devices and the server log, or set gpuagg.fallback to on.")));
			break;
	}
	pg_unreachable();
}

void
gpuagg_error_required(const GpuAggError *error)
{
	const char *word = gpuagg_fallback_word(gpuagg_error_fallback(error));

	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("gpuagg.debug_require = require, but the device was not used: %s",
					word),
			 detail_message(error)));
	pg_unreachable();
}
