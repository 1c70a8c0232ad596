/*
 * kernel_disk.c
 *		Compiled kernels on disk, so that a restarted server need not compile them.
 *
 * A file is named by the first half of its kernel's key, a digest of all that the
 * machine code depends on.  It holds the whole key, and a digest of its contents:
 * what is cut short, damaged or another kernel's is not used, and is replaced when
 * the kernel has been compiled anew.  Files are written under another name and
 * renamed, without a sync: after a crash they are whole, or found not to be.
 *
 * A file's time of modification is when it was used last; the oldest go first.  Only
 * names as we make them are ever read, counted or removed.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/compile/kernel_disk.h"
#include "cuda/compile/sha256.h"
#include "cuda/compile/whole.h"

/* Changes with GpuAggKernelFile */
#define FILE_MAGIC UINT64_C(0x316b656c6c6b6761)

/* A name: hexadecimal digits, and what makes it ours */
#define NAME_DIGITS 32
#define NAME_SUFFIX ".kernel"
#define NAME_BYTES (NAME_DIGITS + sizeof(NAME_SUFFIX))
#define NEW_NAME "new" NAME_SUFFIX

/* Larger ones are none of ours. */
#define MAX_CODE_BYTES ((uint64_t) 64 << 20)

/* As a file begins; machine code follows */
typedef struct GpuAggKernelFile
{
	uint64_t	magic;
	uint8_t		key[GPUAGG_KERNEL_KEY_BYTES];
	uint8_t		digest[32];		/* of what follows here */
	uint64_t	bytes;			/* of machine code */
	uint64_t	compile_ns;
} GpuAggKernelFile;

/* A file of the folder, by age */
typedef struct GpuAggKernelAge
{
	char		name[NAME_BYTES];
	uint64_t	bytes;
	struct timespec used;
} GpuAggKernelAge;

/* ------------------------------------------------------------- contents --- */

static void
name_make(char name[NAME_BYTES], const uint8_t *key)
{
	for (int i = 0; i < NAME_DIGITS / 2; i++)
		sprintf(name + 2 * i, "%02x", key[i]);
	strcpy(name + NAME_DIGITS, NAME_SUFFIX);
}

static bool
name_is_ours(const char *name)
{
	return strspn(name, "0123456789abcdef") == NAME_DIGITS &&
		strcmp(name + NAME_DIGITS, NAME_SUFFIX) == 0;
}

static void
file_digest(const GpuAggKernelFile *file, const char *code, uint8_t digest[32])
{
	GpuAggSha256 sha;

	gpuagg_sha256_begin(&sha);
	gpuagg_sha256_add(&sha, &file->bytes, sizeof(*file) - offsetof(GpuAggKernelFile, bytes));
	gpuagg_sha256_add(&sha, code, file->bytes);
	gpuagg_sha256_end(&sha, digest);
}

/* Ours, and nobody else may write to it */
static bool
is_safe(const struct stat *st)
{
	return st->st_uid == geteuid() && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* --------------------------------------------------------------- folder --- */

void
gpuagg_kernel_disk_open(GpuAggKernelDisk *disk, const char *folder, uint64_t limit)
{
	struct stat st;

	disk->folder = -1;
	disk->limit = limit;
	if (folder == NULL || folder[0] == '\0' || limit == 0)
		return;
	/* the server's umask takes away what its data folder does not allow */
	(void) mkdir(folder, S_IRWXU | S_IRGRP | S_IXGRP);
	disk->folder = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (disk->folder >= 0 && (fstat(disk->folder, &st) != 0 || !is_safe(&st)))
		gpuagg_kernel_disk_close(disk);
}

void
gpuagg_kernel_disk_close(GpuAggKernelDisk *disk)
{
	if (disk->folder >= 0)
		close(disk->folder);
	disk->folder = -1;
}

/* All files of ours, to be freed; NULL: none, or none that can be listed */
static GpuAggKernelAge *
folder_list(const GpuAggKernelDisk *disk, size_t *n)
{
	int			fd = openat(disk->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR		   *dir = fd >= 0 ? fdopendir(fd) : NULL;
	GpuAggKernelAge *ages = NULL;
	size_t		room = 0;
	struct dirent *entry;

	*n = 0;
	if (dir == NULL)
	{
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	while ((entry = readdir(dir)) != NULL)
	{
		struct stat st;

		if (!name_is_ours(entry->d_name) ||
			fstatat(disk->folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (*n == room)
		{
			GpuAggKernelAge *more = (GpuAggKernelAge *) realloc(ages,
																(room * 2 + 64) * sizeof(*ages));

			if (more == NULL)
				break;
			ages = more;
			room = room * 2 + 64;
		}
		strcpy(ages[*n].name, entry->d_name);
		ages[*n].bytes = (uint64_t) st.st_size;
		ages[(*n)++].used = st.st_mtim;
	}
	closedir(dir);
	return ages;
}

static int
older_first(const void *a, const void *b)
{
	const struct timespec *x = &((const GpuAggKernelAge *) a)->used;
	const struct timespec *y = &((const GpuAggKernelAge *) b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* Removes what was used longest ago, until so many more bytes fit. */
static void
folder_trim(const GpuAggKernelDisk *disk, uint64_t more)
{
	size_t		n;
	GpuAggKernelAge *ages = folder_list(disk, &n);
	uint64_t	used = more;

	for (size_t i = 0; i < n; i++)
		used += ages[i].bytes;
	if (used > disk->limit)
		qsort(ages, n, sizeof(*ages), older_first);
	for (size_t i = 0; i < n && used > disk->limit; i++)
	{
		(void) unlinkat(disk->folder, ages[i].name, 0);
		used -= ages[i].bytes;
	}
	free(ages);
}

/* ---------------------------------------------------------------- files --- */

static char *
file_read(int fd, const uint8_t *key, GpuAggKernelFile *file)
{
	struct stat st;
	uint8_t		digest[32];
	char	   *code;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || !is_safe(&st) ||
		!gpuagg_read_whole(fd, file, sizeof(*file)) || file->magic != FILE_MAGIC ||
		memcmp(file->key, key, sizeof(file->key)) != 0 || file->bytes > MAX_CODE_BYTES ||
		(uint64_t) st.st_size != sizeof(*file) + file->bytes ||
		(code = (char *) malloc(file->bytes + 1)) == NULL)
		return NULL;
	if (gpuagg_read_whole(fd, code, file->bytes))
	{
		file_digest(file, code, digest);
		if (memcmp(digest, file->digest, sizeof(digest)) == 0)
			return code;
	}
	free(code);
	return NULL;
}

char *
gpuagg_kernel_disk_load(GpuAggKernelDisk *disk, const uint8_t key[GPUAGG_KERNEL_KEY_BYTES],
						size_t *bytes, uint64_t *compile_ns)
{
	char		name[NAME_BYTES];
	GpuAggKernelFile file;
	char	   *code;
	int			fd;

	if (disk->folder < 0)
		return NULL;
	name_make(name, key);
	/* whatever lies there under this name, opening it does not wait */
	fd = openat(disk->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	code = file_read(fd, key, &file);
	if (code != NULL)
	{
		(void) futimens(fd, NULL);	/* used now */
		*bytes = file.bytes;
		*compile_ns = file.compile_ns;
	}
	close(fd);
	return code;
}

void
gpuagg_kernel_disk_store(GpuAggKernelDisk *disk, const uint8_t key[GPUAGG_KERNEL_KEY_BYTES],
						 const char *code, size_t bytes, uint64_t compile_ns)
{
	GpuAggKernelFile file = {.magic = FILE_MAGIC, .bytes = bytes, .compile_ns = compile_ns};
	char		name[NAME_BYTES];
	bool		written;
	int			fd;

	if (disk->folder < 0 || sizeof(file) + bytes > disk->limit)
		return;
	memcpy(file.key, key, sizeof(file.key));
	file_digest(&file, code, file.digest);
	name_make(name, key);
	folder_trim(disk, sizeof(file) + bytes);
	(void) unlinkat(disk->folder, NEW_NAME, 0);
	fd = openat(disk->folder, NEW_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				S_IRUSR | S_IWUSR | S_IRGRP);
	if (fd < 0)
		return;
	written = gpuagg_write_whole(fd, &file, sizeof(file)) && gpuagg_write_whole(fd, code, bytes);
	if (close(fd) != 0 || !written || renameat(disk->folder, NEW_NAME, disk->folder, name) != 0)
		(void) unlinkat(disk->folder, NEW_NAME, 0);
}
