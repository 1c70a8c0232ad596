/*
 * fake_compiler.h
 *		A compiler's process without a compiler: the test's own program, started
 *		again with "fake" and a word that says how it behaves.  What it does with a
 *		text is the text's first word.
 *
 *		hello:	works, none (says that it cannot), dies, silent, foreign
 *		text:	crash, hang, garbage, refuse, slow; else machine code is "code:" and
 *				the text
 */
#ifndef GPUAGG_FAKE_COMPILER_H
#define GPUAGG_FAKE_COMPILER_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/compile/wire.h"

#define FAKE_REFUSAL "line 1: error: refused\nand more"

static inline bool
fake_read(void *data, size_t bytes)
{
	return fread(data, 1, bytes, stdin) == bytes;
}

static inline void
fake_write(const void *data, size_t bytes)
{
	fwrite(data, 1, bytes, stdout);
	fflush(stdout);
}

static inline bool
fake_is(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

static inline void
fake_answer(const char *text)
{
	char		result[256];
	GpuAggWireReply reply = {.magic = GPUAGG_WIRE_MAGIC, .compiled = 1, .compile_ns = 5000000};

	if (fake_is(text, "crash"))
		raise(SIGSEGV);
	while (fake_is(text, "hang"))
		pause();
	if (fake_is(text, "slow"))
		usleep(50000);
	snprintf(result, sizeof(result), "code:%.200s", text);
	if (fake_is(text, "garbage"))
		reply.magic = 1;
	if (fake_is(text, "refuse"))
	{
		reply.compiled = 0;
		strcpy(result, FAKE_REFUSAL);
	}
	reply.bytes = strlen(result);
	fake_write(&reply, sizeof(reply));
	fake_write(result, reply.bytes);
}

/* The program; returns main's result. */
static inline int
fake_compiler(const char *how)
{
	GpuAggWireHello hello = {
		.magic = GPUAGG_WIRE_MAGIC, .works = 1, .arch = 90, .name = "fake 1.0"};
	GpuAggWireRequest request;

	signal(SIGSEGV, SIG_DFL);	/* no sanitizer's report */
	if (strcmp(how, "dies") == 0)
		return 3;
	while (strcmp(how, "silent") == 0)
		pause();
	if (strcmp(how, "foreign") == 0)
		hello.magic++;
	if (strcmp(how, "none") == 0)
	{
		hello.works = 0;
		strcpy(hello.name, "there is none");
	}
	fake_write(&hello, sizeof(hello));
	while (fake_read(&request, sizeof(request)))
	{
		char	   *text = (char *) calloc(1, request.bytes + 1);

		if (text == NULL || !fake_read(text, request.bytes))
			return 1;
		fake_answer(text);
		free(text);
	}
	return 0;
}

/* How tests start it */
static inline char *const *
fake_argv(const char *how)
{
	static char *argv[4];

	argv[0] = (char *) "/proc/self/exe";
	argv[1] = (char *) "fake";
	argv[2] = (char *) how;
	return argv;
}

#endif							/* GPUAGG_FAKE_COMPILER_H */
