/*
 * codegen_nvrtc_test.c
 *		Where NVRTC is installed: texts of programs compile, in every frame, for the
 *		cards in use, and in reasonable time.  Needs no GPU.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "codegen_programs.h"
#include "compiler_program.h"
#include "cuda/compile/compiler.h"
#include "device/codegen/codegen.h"
#include "tap.h"

#define LONG_MS 300000
#define DRIVER "99"

/* Programs that each frame has, of each card */
#ifdef __SANITIZE_ADDRESS__
#define PROGRAMS 1
#else
#define PROGRAMS 2
#endif

static GpuAggCompilerProcess process;
static char why[128];
static uint64_t total_ns;
static uint64_t longest_ns;
static uint32_t compiled;

static bool
start(const char *arch)
{
	static char *argv[4];

	argv[0] = compiler_program();
	argv[1] = (char *) arch;
	argv[2] = (char *) DRIVER;
	process.argv = argv;
	return gpuagg_compiler_start(&process, LONG_MS, why, sizeof(why));
}

static bool
compiles(const GpuAggProgram *p, const GpuAggRecord *record, GpuAggFrame frame)
{
	GpuAggCodegen code;
	uint64_t	ns = 0;
	size_t		bytes;
	char	   *result;
	bool		good;

	gpuagg_codegen_kernel(p, record, compiled % 2 == 1, frame, &code);
	good = gpuagg_compiler_run(&process, code.text, code.bytes, LONG_MS, &result, &bytes, &ns) ==
		GPUAGG_COMPILER_DONE;
	if (!good)
		printf("# %s\n%.3000s\n", code.shape, result);
	total_ns += ns;
	longest_ns = ns > longest_ns ? ns : longest_ns;
	compiled++;
	free(result);
	free(code.text);
	return good;
}

static bool
frame_takes(const GpuAggProgram *p, GpuAggFrame frame)
{
	switch (frame)
	{
		case GPUAGG_FRAME_DIRECT:
		case GPUAGG_FRAME_DENSE:
			return gpuagg_codegen_numbers(p);
		case GPUAGG_FRAME_PACKED:
			return gpuagg_codegen_packs(p);
		case GPUAGG_FRAME_SELECTED:
			return p->filter_reg != GPUAGG_NO_REG;
		default:
			return true;
	}
}

/* The same of rows that PostgreSQL evaluated, where they group so, and selecting rows */
static bool
others_compile(GpuAggProgram *p, GpuAggFrame frame)
{
	const bool	packed = frame == GPUAGG_FRAME_PACKED;
	GpuAggRecord record;
	GpuAggProgram *rows;
	const char *reason;
	bool		good;

	if (frame == GPUAGG_FRAME_SELECTED)
	{
		p->nkeys = p->ntransitions = 0;
		p->select = 1;
		return gpuagg_codegen_takes(p, &reason) && compiles(p, NULL, frame);
	}
	if (frame == GPUAGG_FRAME_DIRECT || frame == GPUAGG_FRAME_DENSE)
		return true;
	rows = gpuagg_rows_program(p);
	good = gpuagg_codegen_takes(rows, &reason) && (!packed || gpuagg_record_of_rows(p, &record)) &&
		compiles(rows, packed ? &record : NULL, frame);
	free(rows);
	return good;
}

/* Programs that a frame is for: with keys or without, numbered or not */
static bool
frame_compiles(GpuAggFrame frame, uint32_t *number)
{
	static TestProgram made;
	bool		good = true;

	for (uint32_t n = 0; n < PROGRAMS; ++*number)
	{
		const char *reason;
		GpuAggProgram *p;

		codegen_program_make(*number, &made);
		p = program_pack(&made);
		if ((p->nkeys == 0) == (frame == GPUAGG_FRAME_PLAIN) && gpuagg_codegen_takes(p, &reason) &&
			frame_takes(p, frame))
		{
			good &= compiles(p, NULL, frame) && others_compile(p, frame);
			n++;
		}
		free(p);
	}
	return good;
}

int
main(void)
{
	static const char *const archs[] = {"80", "90", "100", "120"};
	uint32_t	number = 0;

	signal(SIGPIPE, SIG_IGN);
	process.wake_fd = eventfd(0, EFD_NONBLOCK);
	if (!start("90"))
	{
		ok(true, "texts compile, where NVRTC is");
		printf("# skipped: %s\n", why);
		return done_testing();
	}
	gpuagg_compiler_stop(&process);
	for (size_t a = 0; a < sizeof(archs) / sizeof(archs[0]); a++)
	{
		ok(start(archs[a]), archs[a]);
		for (int frame = 0; frame < GPUAGG_NFRAMES; frame++)
			ok(frame_compiles((GpuAggFrame) frame, &number),
			   gpuagg_frame_name((GpuAggFrame) frame));
		gpuagg_compiler_stop(&process);
	}
	printf("# %u texts in %.0f ms each, %.0f ms at most\n", compiled,
		   (double) total_ns / compiled / 1e6, (double) longest_ns / 1e6);
	return done_testing();
}
