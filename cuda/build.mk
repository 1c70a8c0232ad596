# build.mk
#		How CUDA code becomes objects: for the Makefile, which links them to
#		gpuagg_cuda.so, and for test/lib/native.mk, whose programs test them.
#		Both include this from the top directory.
#
#	WITH_CUDA	auto: where there is an nvcc; yes, no
#	NVCC		the compiler, if it is neither on PATH nor in /usr/local/cuda
#	CUDA_ARCHS	cards to compile for, by compute capability without the dot,
#				ascending: "75 90".  Beside their machine code goes PTX of
#				the last one, which drivers compile for cards still to come.
#				"native": the card of this machine.  Default: all that is
#				usual and that this nvcc knows, which takes its time.
#
# Sets CUDA_OBJS, empty where CUDA code is not to be compiled.

WITH_CUDA ?= auto
NVCC ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc) nvcc)
override NVCC := $(NVCC)
NVCC_PATH := $(shell command -v $(NVCC))
ifeq ($(filter auto yes no,$(WITH_CUDA)),)
$(error WITH_CUDA is "$(WITH_CUDA)": auto, yes or no)
endif
ifeq ($(WITH_CUDA)$(NVCC_PATH),yes)
$(error WITH_CUDA=yes, but there is no "$(NVCC)": install the CUDA toolkit or set NVCC)
endif

CUDA_OBJS :=
ifneq ($(filter-out no,$(WITH_CUDA)),)
ifneq ($(NVCC_PATH),)

CUDA_OBJS := $(patsubst %.cu,build/%.o,$(sort $(wildcard cuda/*.cu)))

ifeq ($(strip $(CUDA_ARCHS)),)
override CUDA_ARCHS := $(patsubst sm_%,%,$(filter $(shell $(NVCC) --list-gpu-code), \
	$(addprefix sm_,75 80 86 89 90 100 120)))
endif
cuda_arch = -gencode arch=compute_$(1),code=$(2)_$(1)
NVCC_ARCH := $(if $(filter native,$(CUDA_ARCHS)),-arch=native, \
	$(foreach arch,$(CUDA_ARCHS),$(call cuda_arch,$(arch),sm)) \
	$(call cuda_arch,$(lastword $(CUDA_ARCHS)),compute))

# No contraction: results are PostgreSQL's bits.  Several architectures are
# compiled at once; developers' builds tell compute-sanitizer the lines.
NVCCFLAGS := -std=c++17 -O3 --fmad=false $(NVCC_ARCH) \
	$(if $(word 2,$(CUDA_ARCHS)),--threads 0) -Isrc -I. \
	-Xcompiler -fPIC,-fvisibility=hidden,-ffp-contract=off,-Wall,-Wextra \
	$(if $(WERROR),-Werror all-warnings -Xcompiler -Werror -lineinfo)

# The runtime is linked in; it looks for the driver's libcuda when it is first
# called, so that what we link loads where there is none.
NVCCLINK := $(NVCC) -cudart static $(NVCC_ARCH)

# Other flags or another nvcc: compile anew.
NVCC_ID := $(strip $(NVCC_PATH) $(lastword $(shell $(NVCC) --version)) $(NVCCFLAGS))
ifneq ($(NVCC_ID),$(shell cat build/cuda/flags 2>/dev/null))
$(shell mkdir -p build/cuda)
$(file >build/cuda/flags,$(NVCC_ID))
endif

$(CUDA_OBJS): build/%.o: %.cu build/cuda/flags cuda/build.mk
	$(NVCC) $(NVCCFLAGS) -MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $@ $<

-include $(CUDA_OBJS:.o=.d)

endif
endif
