/*
 * mapping_host.c
 *		What it costs a process to be switched to, by how much shared memory it
 *		maps, and in which pages.
 *
 * usage: mapping_host ROUNDS IDLE_SECONDS [MEGABYTES ...]
 *
 * Another process maps the same memory, as a backend and the device worker map
 * shared_buffers, and waits.  After IDLE_SECONDS it is sent a byte, which it sends
 * back without a look at the memory; then it reads a word of each 4 kB.  Both are
 * done twice: what the first one takes more is what the wait has cost.  Prints for
 * each round, size and kind of pages, times in ns, of a scan per 4 kB:
 *		megabytes <tab> page kB <tab> message <tab> again <tab> scan <tab> again
 * Pages of 2 MB only where enough are reserved (vm.nr_hugepages).
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define HUGE_PAGE ((size_t) 2 << 20)

enum
{
	ANSWER = 1, SCAN
};

typedef struct Peer
{
	pid_t		pid;
	int			to;
	int			from;
} Peer;

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static void
die(const char *what)
{
	perror(what);
	exit(1);
}

static void
scan(const volatile char *memory, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += PAGE)
		(void) memory[i];
}

static void
serve(int in, int out, const char *memory, size_t bytes)
{
	char		what = SCAN;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	do
	{
		if (what == SCAN)
			scan(memory, bytes);
	} while (write(out, &what, 1) == 1 && read(in, &what, 1) == 1);
	_exit(0);
}

/* ns until the peer has done it */
static double
ask(const Peer *peer, char what)
{
	double		start = now_ns();

	if (write(peer->to, &what, 1) != 1 || read(peer->from, &what, 1) != 1)
		die("the other process");
	return now_ns() - start;
}

static Peer
peer_start(const char *memory, size_t bytes)
{
	int			to[2];
	int			from[2];
	char		ready;
	Peer		peer;

	if (pipe(to) != 0 || pipe(from) != 0)
		die("pipe");
	peer = (Peer) {.pid = fork(), .to = to[1], .from = from[0]};
	if (peer.pid < 0)
		die("fork");
	if (peer.pid == 0)
	{
		/* its own copies would keep it from seeing that there is nobody any more */
		close(to[1]);
		close(from[0]);
		serve(to[0], from[1], memory, bytes);
	}
	close(to[0]);
	close(from[1]);
	if (read(peer.from, &ready, 1) != 1)
		die("the other process");
	return peer;
}

static void
peer_end(const Peer *peer)
{
	close(peer->to);
	close(peer->from);
	waitpid(peer->pid, NULL, 0);
}

static void
measure(size_t megabytes, bool huge, int rounds, unsigned idle)
{
	size_t		bytes = megabytes << 20;
	char	   *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
							  MAP_SHARED | MAP_ANONYMOUS | (huge ? MAP_HUGETLB : 0), -1, 0);
	Peer		peer;

	if (memory == MAP_FAILED)
	{
		fprintf(stderr, "mapping_host: no %zu MB in pages of %s\n", megabytes,
				huge ? "2 MB" : "4 kB");
		return;
	}
	memset(memory, 1, bytes);
	peer = peer_start(memory, bytes);
	for (int i = 0; i < rounds; i++)
	{
		double		message;
		double		again;
		double		first;

		sleep(idle);
		message = ask(&peer, ANSWER);
		again = ask(&peer, ANSWER);
		first = ask(&peer, SCAN);
		printf("%zu\t%d\t%.0f\t%.0f\t%.2f\t%.2f\n", megabytes,
			   (int) (huge ? HUGE_PAGE : PAGE) / 1024, message, again,
			   first / (double) (bytes / PAGE), ask(&peer, SCAN) / (double) (bytes / PAGE));
		fflush(stdout);
	}
	peer_end(&peer);
	munmap(memory, bytes);
}

int
main(int argc, char **argv)
{
	static char *some[] = {NULL, NULL, NULL, "64"};
	char	  **sizes = argc > 3 ? argv : some;

	if (argc < 3)
	{
		fprintf(stderr, "usage: mapping_host ROUNDS IDLE_SECONDS [MEGABYTES ...]\n");
		return 2;
	}
	for (int i = 3; i < (argc > 3 ? argc : 4); i++)
		for (int huge = 0; huge < 2; huge++)
			measure((size_t) atol(sizes[i]) & ~(size_t) 1, huge, atoi(argv[1]),
					(unsigned) atoi(argv[2]));
	return 0;
}
