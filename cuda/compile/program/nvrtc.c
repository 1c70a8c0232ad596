/*
 * nvrtc.c
 *		Opening NVRTC: looked for where the loader looks, then where CUDA's own
 *		packages put it.
 *
 * Its declarations are repeated here, so that building needs no CUDA.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda/compile/program/nvrtc.h"

/* The oldest that is known to work */
#define OLDEST_MAJOR 12

static void *
library_open(const char *path, int driver)
{
	static const char *const folders[] = {
		"", "/usr/local/cuda/lib64/", "/usr/lib/x86_64-linux-gnu/", "/opt/cuda/lib64/"
	};
	char		name[128];
	void	   *library = NULL;

	if (path != NULL)
		return dlopen(path, RTLD_NOW);
	for (int major = driver; major >= OLDEST_MAJOR; major--)
		for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && library == NULL; i++)
		{
			snprintf(name, sizeof(name), "%slibnvrtc.so.%d", folders[i], major);
			library = dlopen(name, RTLD_NOW);
		}
	return library;
}

static bool
functions_find(GpuAggNvrtc *nvrtc, void *library)
{
	const struct
	{
		void	   *function;
		const char *name;
	}			all[] = {
		{&nvrtc->create, "nvrtcCreateProgram"},
		{&nvrtc->compile, "nvrtcCompileProgram"},
		{&nvrtc->code_bytes, "nvrtcGetCUBINSize"},
		{&nvrtc->code, "nvrtcGetCUBIN"},
		{&nvrtc->log_bytes, "nvrtcGetProgramLogSize"},
		{&nvrtc->log, "nvrtcGetProgramLog"},
		{&nvrtc->destroy, "nvrtcDestroyProgram"},
		{&nvrtc->error, "nvrtcGetErrorString"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if ((*(void **) all[i].function = dlsym(library, all[i].name)) == NULL)
			return false;
	return true;
}

/*
 * Machine code of a card runs on later cards of the same major version.  Zero: the
 * library knows none that ours runs.
 */
static int
arch_choose(void *library, int arch)
{
	int			(*count) (int *) = (int (*) (int *)) dlsym(library, "nvrtcGetNumSupportedArchs");
	int			(*list) (int *) = (int (*) (int *)) dlsym(library, "nvrtcGetSupportedArchs");
	int			n = 0;
	int			best = 0;
	int		   *archs;

	if (count == NULL || list == NULL || count(&n) != 0 || n <= 0)
		return 0;
	archs = (int *) calloc((size_t) n, sizeof(int));
	if (archs != NULL && list(archs) == 0)
		for (int i = 0; i < n; i++)
			if (archs[i] / 10 == arch / 10 && archs[i] <= arch && archs[i] > best)
				best = archs[i];
	free(archs);
	return best;
}

bool
gpuagg_nvrtc_open(GpuAggNvrtc *nvrtc, const char *path, int driver, int arch,
				  char *why, size_t why_bytes)
{
	void	   *library = library_open(path, driver);
	int			(*version) (int *, int *);

	if (library == NULL)
	{
		snprintf(why, why_bytes, "no libnvrtc.so.%d or older is installed", driver);
		return false;
	}
	version = (int (*) (int *, int *)) dlsym(library, "nvrtcVersion");
	if (version == NULL || version(&nvrtc->major, &nvrtc->minor) != 0 ||
		!functions_find(nvrtc, library))
	{
		snprintf(why, why_bytes, "the NVRTC found is none that gpuagg knows");
		return false;
	}
	nvrtc->arch = arch_choose(library, arch);
	if (nvrtc->arch == 0)
		snprintf(why, why_bytes, "NVRTC %d.%d knows no sm_%d", nvrtc->major, nvrtc->minor, arch);
	return nvrtc->arch != 0;
}
