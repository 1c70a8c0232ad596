/*
 * compile_disk_test.c
 *		Compiled kernels on disk (cuda/compile/kernel_disk.c), and SHA-256's known
 *		answers.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/compile/kernel_disk.h"
#include "cuda/compile/sha256.h"
#include "tap.h"

#define CODE "machine code of some length"
#define CODE_BYTES (sizeof(CODE) - 1)

/* With what a file has beside its code, as file_bytes() shows */
#define LIMIT ((uint64_t) 1 << 20)

static char folder[64];
static GpuAggKernelDisk disk;

/* ------------------------------------------------------------------- sha --- */

static bool
sha_is(const char *text, size_t piece, int times, const char *want)
{
	GpuAggSha256 sha;
	uint8_t		digest[32];
	char		hex[65];

	gpuagg_sha256_begin(&sha);
	for (int i = 0; i < times; i++)
		gpuagg_sha256_add(&sha, text, piece);
	gpuagg_sha256_end(&sha, digest);
	for (int i = 0; i < 32; i++)
		sprintf(hex + 2 * i, "%02x", digest[i]);
	return strcmp(hex, want) == 0;
}

static void
test_sha(void)
{
	ok(sha_is("", 0, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
	   "SHA-256 of nothing");
	ok(sha_is("abc", 3, 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
	   "SHA-256 of abc");
	ok(sha_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, 1,
			  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
	   "SHA-256 of two blocks");
	ok(sha_is("aaaaaaaaaaaaaaaaaaaaaaaaa", 25, 40000,
			  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
	   "SHA-256 of a million a");
}

/* ----------------------------------------------------------------- files --- */

static void
key_make(uint8_t key[GPUAGG_KERNEL_KEY_BYTES], int number)
{
	memset(key, 0, GPUAGG_KERNEL_KEY_BYTES);
	key[0] = (uint8_t) number;
}

static void
path_make(char path[160], int number)
{
	snprintf(path, 160, "%s/%02x000000000000000000000000000000.kernel", folder, number);
}

static void
store(int number)
{
	uint8_t		key[GPUAGG_KERNEL_KEY_BYTES];

	key_make(key, number);
	gpuagg_kernel_disk_store(&disk, key, CODE, CODE_BYTES, 77);
}

/* It is there, and as it was stored. */
static bool
loads(int number)
{
	uint8_t		key[GPUAGG_KERNEL_KEY_BYTES];
	uint64_t	compile_ns = 0;
	size_t		bytes = 0;
	char	   *code;
	bool		same;

	key_make(key, number);
	code = gpuagg_kernel_disk_load(&disk, key, &bytes, &compile_ns);
	same = code != NULL && bytes == CODE_BYTES && memcmp(code, CODE, CODE_BYTES) == 0 &&
		compile_ns == 77;
	free(code);
	return same;
}

static off_t
file_bytes(int number)
{
	struct stat st;
	char		path[160];

	path_make(path, number);
	return stat(path, &st) == 0 ? st.st_size : -1;
}

static int
files(void)
{
	DIR		   *dir = opendir(folder);
	int			n = 0;

	for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
		n += entry->d_name[0] != '.';
	if (dir != NULL)
		closedir(dir);
	return n;
}

static void
byte_flip(int number, off_t at)
{
	char		path[160];
	char		byte;
	int			fd;

	path_make(path, number);
	fd = open(path, O_RDWR);
	(void) !pread(fd, &byte, 1, at);
	byte ^= 1;
	(void) !pwrite(fd, &byte, 1, at);
	close(fd);
}

static void
age(int number, time_t seconds)
{
	const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
	char		path[160];

	path_make(path, number);
	utimensat(AT_FDCWD, path, times, 0);
}

static void
test_damage(void)
{
	char		path[160];
	int			refused = 0;
	off_t		bytes;

	store(1);
	bytes = file_bytes(1);
	ok(loads(1) && !loads(2) && files() == 1, "what was stored is there, what was not is not");
	for (off_t at = 0; at < bytes; at++)
	{
		byte_flip(1, at);
		refused += !loads(1);
		byte_flip(1, at);
	}
	is_int(refused, bytes, "a bit that is wrong anywhere in the file is noticed");
	ok(loads(1), "and it loads again when right");

	path_make(path, 1);
	(void) !truncate(path, bytes - 1);
	ok(!loads(1), "a file cut short is refused");
	(void) !truncate(path, bytes);
	ok(!loads(1), "one that ends in zeros, as after a crash, too");
	(void) !truncate(path, 0);
	ok(!loads(1), "an empty one, too");
	store(1);
	ok(loads(1) && files() == 1, "storing replaces it");
	(void) !truncate(path, bytes + 1);
	ok(!loads(1), "a longer one is refused");
	store(1);
}

static void
test_foreign(void)
{
	char		path[160];
	char		other[160];

	path_make(path, 1);
	path_make(other, 2);
	(void) !rename(path, other);
	ok(!loads(2), "another kernel's file under this one's name is refused");
	unlink(other);
	(void) !symlink("/etc/passwd", path);
	ok(!loads(1), "a link is not followed");
	store(1);
	ok(loads(1), "and is replaced");
	unlink(path);
	(void) !mkfifo(path, 0600);
	ok(!loads(1), "a pipe does not make anybody wait");
	unlink(path);
	store(1);
	chmod(path, 0666);
	ok(!loads(1), "a file that others may write to is refused");
	if (geteuid() == 0)
	{
		chmod(path, 0600);
		(void) !chown(path, 1, 1);
		ok(!loads(1), "one of another owner, too");
	}
	unlink(path);
}

static void
test_limit(void)
{
	uint64_t	each;
	char		path[160];
	int			fd;

	store(1);
	each = (uint64_t) file_bytes(1);
	disk.limit = 4 * each;
	for (int i = 2; i <= 4; i++)
		store(i);
	for (int i = 1; i <= 4; i++)
		age(i, 1000 + i);
	snprintf(path, sizeof(path), "%s/notes.txt", folder);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	ok(files() == 5 && loads(1), "as many as fit are kept");
	store(5);
	ok(files() == 5 && !loads(2) && loads(1) && loads(3) && loads(4) && loads(5),
	   "the one used longest ago makes room; being loaded is a use");
	ok(access(path, F_OK) == 0, "others' files stay");
	disk.limit = each;
	store(6);
	ok(files() == 2 && loads(6), "a smaller limit leaves the new one");
	disk.limit = each - 1;
	store(7);
	ok(files() == 2 && !loads(7), "what is larger than the limit is not kept");
}

static void
test_folder(void)
{
	char		path[160];

	gpuagg_kernel_disk_close(&disk);
	chmod(folder, 0777);
	gpuagg_kernel_disk_open(&disk, folder, LIMIT);
	ok(disk.folder < 0, "a folder that others may write to is not used");
	chmod(folder, 0700);
	store(8);
	ok(!loads(8), "without a folder nothing is kept");
	gpuagg_kernel_disk_open(&disk, folder, 0);
	ok(disk.folder < 0, "a limit of nothing keeps nothing");
	snprintf(path, sizeof(path), "%s/inner", folder);
	gpuagg_kernel_disk_open(&disk, path, LIMIT);
	store(9);
	ok(loads(9), "the folder is made");
	snprintf(path, sizeof(path), "rm -rf %s/inner", folder);
	(void) !system(path);
	store(10);
	ok(!loads(9) && !loads(10), "deleted while in use, it only forgets");
	gpuagg_kernel_disk_close(&disk);
}

int
main(void)
{
	char		command[100];

	umask(0);
	snprintf(folder, sizeof(folder), "/tmp/gpuagg_disk_test.XXXXXX");
	if (mkdtemp(folder) == NULL)
		return 1;
	test_sha();
	gpuagg_kernel_disk_open(&disk, folder, LIMIT);
	test_damage();
	test_foreign();
	test_limit();
	test_folder();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	(void) !system(command);
	return done_testing();
}
