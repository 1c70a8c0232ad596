/*
 * compiler.c
 *		Starting, asking and ending the compiler's process.
 *
 * Its pipes do not block; whoever waits for it also waits for wake_fd, and no longer
 * than it was told.  Whatever goes wrong ends the process with SIGKILL, so a reply
 * can never be taken for that of another request.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cuda/compile/compiler.h"

/* --------------------------------------------------------------- waiting --- */

static uint64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * 1000 + (uint64_t) t.tv_nsec / 1000000;
}

/* DONE: the descriptor is ready */
static GpuAggCompilerResult
wait_ready(const GpuAggCompilerProcess *process, int fd, short events, uint64_t until)
{
	for (;;)
	{
		struct pollfd fds[2] = {{.fd = fd, .events = events},
								{.fd = process->wake_fd, .events = POLLIN}};
		uint64_t	now = now_ms();
		int			n;

		if (now >= until)
			return GPUAGG_COMPILER_HUNG;
		n = poll(fds, 2, (int) (until - now < 60000 ? until - now : 60000));
		if (n < 0 && errno != EINTR)
			return GPUAGG_COMPILER_DIED;
		if (n > 0 && fds[1].revents != 0)
			return GPUAGG_COMPILER_WOKEN;
		if (n > 0)
			return GPUAGG_COMPILER_DONE;
	}
}

/* Reads all of it, or, with out, writes it. */
static GpuAggCompilerResult
transfer(const GpuAggCompilerProcess *process, char *data, size_t bytes, bool out, uint64_t until)
{
	int			fd = out ? process->to : process->from;

	while (bytes > 0)
	{
		GpuAggCompilerResult ready = wait_ready(process, fd, out ? POLLOUT : POLLIN, until);
		ssize_t		n;

		if (ready != GPUAGG_COMPILER_DONE)
			return ready;
		n = out ? write(fd, data, bytes) : read(fd, data, bytes);
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			return GPUAGG_COMPILER_DIED;
		data += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t) n : 0;
	}
	return GPUAGG_COMPILER_DONE;
}

/* -------------------------------------------------------------- starting --- */

/* Ends it; the words for how it had ended, if by itself. */
static void
process_end(GpuAggCompilerProcess *process, char *how, size_t how_bytes)
{
	int			status = 0;

	/* who closes its output and lives on is given no time */
	(void) kill(process->pid, SIGKILL);
	while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		snprintf(how, how_bytes, "signal %d", WTERMSIG(status));
	else
		snprintf(how, how_bytes, "exit code %d", WEXITSTATUS(status));
	close(process->to);
	close(process->from);
	process->pid = 0;
}

/*
 * None of the server's signal handling, environment or descriptors: those that are
 * not closed at exec it closes itself.
 */
static bool
process_spawn(GpuAggCompilerProcess *process, int in, int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	const char *path = getenv("LD_LIBRARY_PATH");
	char		variable[4096];
	char	   *environment[2] = {NULL, NULL};
	sigset_t	all;
	sigset_t	none;
	int			rc;

	if (path != NULL &&
		snprintf(variable, sizeof(variable), "LD_LIBRARY_PATH=%s", path) < (int) sizeof(variable))
		environment[0] = variable;
	sigfillset(&all);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawn(&process->pid, process->argv[0], &actions, &attributes, process->argv,
					 environment);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (rc != 0)
	{
		process->pid = 0;
		errno = rc;
	}
	return rc == 0;
}

/*
 * Both ends are closed at exec, and ours do not block.  They are no standard streams,
 * which the server may have closed: dup2 onto itself would leave them to be closed.
 */
static bool
pipe_make(int ends[2], int ours)
{
	int			low[2];

	if (pipe(low) != 0)
		return false;
	for (int i = 0; i < 2; i++)
	{
		ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(low[i]);
	}
	if (ends[0] >= 0 && ends[1] >= 0 && fcntl(ends[ours], F_SETFL, O_NONBLOCK) == 0)
		return true;
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	return false;
}

static bool
process_start(GpuAggCompilerProcess *process)
{
	int			to[2];
	int			from[2];

	if (!pipe_make(to, 1))
		return false;
	if (!pipe_make(from, 0))
	{
		close(to[0]);
		close(to[1]);
		return false;
	}
	process->to = to[1];
	process->from = from[0];
	if (process_spawn(process, to[0], from[1]))
	{
		close(to[0]);
		close(from[1]);
		return true;
	}
	close(to[0]);
	close(to[1]);
	close(from[0]);
	close(from[1]);
	return false;
}

/* Ends the process for what came of waiting for it; the words for that. */
static void
give_up(GpuAggCompilerProcess *process, GpuAggCompilerResult result, uint64_t wait_ms,
		char *why, size_t why_bytes)
{
	char		how[32];

	process_end(process, how, sizeof(how));
	if (result == GPUAGG_COMPILER_HUNG)
		snprintf(why, why_bytes, "the compiler did not answer within %llu ms",
				 (unsigned long long) wait_ms);
	else if (result == GPUAGG_COMPILER_WOKEN)
		snprintf(why, why_bytes, "stopped");
	else
		snprintf(why, why_bytes, "the compiler's process ended: %s", how);
}

bool
gpuagg_compiler_start(GpuAggCompilerProcess *process, uint64_t wait_ms, char *why, size_t why_bytes)
{
	GpuAggWireHello *hello = &process->hello;
	GpuAggCompilerResult result;

	memset(hello, 0, sizeof(*hello));
	if (!process_start(process))
	{
		snprintf(why, why_bytes, "cannot start \"%s\": %s", process->argv[0], strerror(errno));
		return false;
	}
	result = transfer(process, (char *) hello, sizeof(*hello), false, now_ms() + wait_ms);
	if (result == GPUAGG_COMPILER_DONE && hello->magic == GPUAGG_WIRE_MAGIC && hello->works)
	{
		hello->name[sizeof(hello->name) - 1] = '\0';
		return true;
	}
	give_up(process, result, wait_ms, why, why_bytes);
	if (result == GPUAGG_COMPILER_DONE && hello->magic == GPUAGG_WIRE_MAGIC)
		snprintf(why, why_bytes, "%.*s", (int) sizeof(hello->name) - 1, hello->name);
	else if (result == GPUAGG_COMPILER_DONE)
		snprintf(why, why_bytes, "\"%s\" belongs to another version of gpuagg", process->argv[0]);
	return false;
}

/* ---------------------------------------------------------------- asking --- */

static GpuAggCompilerResult
exchange(GpuAggCompilerProcess *process, const char *text, size_t text_bytes, uint64_t until,
		 GpuAggWireReply *reply, char **result)
{
	GpuAggWireRequest request = {GPUAGG_WIRE_MAGIC, text_bytes};
	GpuAggCompilerResult rc;

	rc = transfer(process, (char *) &request, sizeof(request), true, until);
	if (rc == GPUAGG_COMPILER_DONE)
		rc = transfer(process, (char *) text, text_bytes, true, until);
	if (rc == GPUAGG_COMPILER_DONE)
		rc = transfer(process, (char *) reply, sizeof(*reply), false, until);
	if (rc != GPUAGG_COMPILER_DONE)
		return rc;
	if (reply->magic != GPUAGG_WIRE_MAGIC || reply->bytes > GPUAGG_WIRE_MAX ||
		(*result = (char *) malloc(reply->bytes + 1)) == NULL)
		return GPUAGG_COMPILER_DIED;
	(*result)[reply->bytes] = '\0';
	rc = transfer(process, *result, reply->bytes, false, until);
	return rc != GPUAGG_COMPILER_DONE || reply->compiled ? rc : GPUAGG_COMPILER_REFUSED;
}

GpuAggCompilerResult
gpuagg_compiler_run(GpuAggCompilerProcess *process, const char *text, size_t text_bytes,
					uint64_t wait_ms, char **result, size_t *bytes, uint64_t *compile_ns)
{
	GpuAggWireReply reply;
	GpuAggCompilerResult rc;

	*result = NULL;
	rc = exchange(process, text, text_bytes, now_ms() + wait_ms, &reply, result);
	if (rc == GPUAGG_COMPILER_DONE || rc == GPUAGG_COMPILER_REFUSED)
	{
		*bytes = reply.bytes;
		*compile_ns = reply.compile_ns;
		return rc;
	}
	free(*result);
	*bytes = 128;
	*result = (char *) calloc(1, *bytes);
	*compile_ns = 0;
	if (*result != NULL)
		give_up(process, rc, wait_ms, *result, *bytes);
	else
		gpuagg_compiler_stop(process);
	return rc;
}

void
gpuagg_compiler_stop(GpuAggCompilerProcess *process)
{
	char		how[32];

	if (process->pid != 0)
		process_end(process, how, sizeof(how));
}
