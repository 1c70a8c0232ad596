# build.mk
#		How CUDA code becomes objects: for the Makefile, which links them to
#		gpuagg_cuda.so, and for test/lib/native.mk, whose programs test them.
#		Both include this from the top directory.
#
#	WITH_CUDA	auto: where there is an nvcc, and a card or CUDA_ARCHS; yes, no
#	NVCC		the compiler, if it is neither on PATH nor in /usr/local/cuda
#	CUDA_ARCHS	cards to compile for, by compute capability without the dot,
#				ascending: "75 90".  Their machine code runs on later cards
#				of the same generation, too: that of 80 on 86 and 89.  Beside
#				it goes PTX of the first one, which drivers compile for any
#				newer card when they first use it.  "native": the card of
#				this machine, as nvcc finds it.  "all": the generations since
#				80 that this nvcc knows, with PTX of 75 for older and newer
#				cards; for packages.  Default: the cards of this machine, or
#				80 where there is one that this nvcc does not know, or,
#				with WITH_CUDA=yes, none.
#
# Sets CUDA_OBJS, slow ones first; empty where CUDA code is not to be compiled, and
# CUDA_LEFT_OUT where that is for want of a card.
# COMPILER_PROGRAM and COMPILER_SERVICE, the C files beside them, need no CUDA.

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

# This machine's cards by compute capability, once each, where that decides;
# "native" if there are some and no nvidia-smi to name them.
CUDA_CARDS :=
ifneq ($(and $(NVCC_PATH),$(filter-out no,$(WITH_CUDA))),)
ifeq ($(strip $(CUDA_ARCHS)),)
CUDA_CARDS := $(or $(shell timeout 30 nvidia-smi --query-gpu=compute_cap \
	--format=csv,noheader 2>/dev/null | tr -d . | grep -x '[0-9]*' | sort -nu), \
	$(if $(wildcard /dev/nvidia0),native))
endif
endif
# Minutes of compiling for a card that is not there are only for who asks for them.
CUDA_LEFT_OUT :=
ifeq ($(WITH_CUDA)$(strip $(CUDA_ARCHS) $(CUDA_CARDS)),auto)
CUDA_LEFT_OUT := $(if $(NVCC_PATH),yes)
override WITH_CUDA := no
endif

# The program that compiles kernels for queries, with the texts of the headers that
# these may include, and the C part of the side that talks to it.
COMPILER_PROGRAM := build/cuda/gpuagg_compile
COMPILER_SERVICE := $(sort $(wildcard cuda/compile/*.c))
CARRIED := $(wildcard src/device/*.h src/device/*/*.h cuda/kernel/*.h cuda/kernel/*.cuh \
	cuda/frame/*.h cuda/frame/*.cuh) cuda/compile/program/standard.h

build/cuda/carried.s: cuda/compile/program/carry cuda/compile/program/roots.h $(CARRIED)
	@mkdir -p $(@D)
	$(Q)cuda/compile/program/carry cuda/compile/program/roots.h \
		$(wildcard cuda/frame/*.h cuda/frame/*.cuh) >$@.new && mv $@.new $@

$(COMPILER_PROGRAM): $(wildcard cuda/compile/program/*.[ch]) cuda/compile/sha256.c \
		cuda/compile/sha256.h cuda/compile/wire.h build/cuda/carried.s cuda/build.mk
	$(Q)$(CC) -std=gnu11 -g -O2 -Wall -Wextra $(if $(WERROR),-Werror) -I. -o $@ \
		$(filter %.c %.s,$^) -ldl

CUDA_OBJS :=
ifneq ($(filter-out no,$(WITH_CUDA)),)
ifneq ($(NVCC_PATH),)

# Seconds that nvcc takes for the slow files, of one card, on one core (AMD EPYC,
# CUDA 13.0); for others about one.  They start first, so that none is waited for at
# the end, and the Makefile's progress counts with them.
CUDA_SECONDS := groupby_parts=20 groupby_radix=9 groupby_count=5 groupby_scatter=12 probe_partition=7 group=7 \
	groupby_single=4 groupby_pack=4 stripe_filter=3 select=3
cuda_seconds_of = $(or $(patsubst $(1)=%,%,$(filter $(1)=%,$(CUDA_SECONDS))),1)
CUDA_SLOW := $(foreach file,$(CUDA_SECONDS),$(firstword $(subst =, ,$(file))))

CUDA_ALL := $(patsubst %.cu,build/%.o,$(sort $(wildcard cuda/*/*.cu cuda/*/*.cu)))
CUDA_OBJS := $(foreach file,$(CUDA_SLOW),$(filter %/$(file).o,$(CUDA_ALL)))
CUDA_OBJS += $(filter-out $(CUDA_OBJS),$(CUDA_ALL))
# for who renames one
ifneq ($(and $(WERROR),$(filter-out $(notdir $(CUDA_ALL:.o=)),$(CUDA_SLOW))),)
$(error CUDA_SECONDS in cuda/build.mk names no file: \
	$(filter-out $(notdir $(CUDA_ALL:.o=)),$(CUDA_SLOW)))
endif

# CUDA_FOR: what is said of the choice when compiling starts
CUDA_KNOWN := $(patsubst sm_%,%,$(shell $(NVCC) --list-gpu-code))
ifeq ($(strip $(CUDA_ARCHS)),all)
override CUDA_ARCHS := $(filter $(CUDA_KNOWN),80 90 100 120)
CUDA_PTX := $(firstword $(filter $(CUDA_KNOWN),75 80))
CUDA_FOR := and, as PTX, all others since sm_$(CUDA_PTX)
else ifneq ($(strip $(CUDA_ARCHS)),)
else ifeq ($(CUDA_CARDS),)
override CUDA_ARCHS := 80
CUDA_FOR := and, as PTX, newer cards: there is no card here. For older: CUDA_ARCHS=75
else ifneq ($(filter-out $(CUDA_KNOWN) native,$(CUDA_CARDS)),)
override CUDA_ARCHS := 80
CUDA_FOR := and, as PTX, newer cards: nvcc does not know the sm_$(CUDA_CARDS) here
else
override CUDA_ARCHS := $(CUDA_CARDS)
CUDA_FOR := of this machine. For others too: CUDA_ARCHS=all
endif
CUDA_NAMES := $(patsubst sm_native,native,$(addprefix sm_,$(CUDA_ARCHS)))
CUDA_PTX ?= $(firstword $(CUDA_ARCHS))
cuda_arch = -gencode arch=compute_$(1),code=$(2)_$(1)
NVCC_ARCH := $(if $(filter native,$(CUDA_ARCHS)),-arch=native, \
	$(foreach arch,$(CUDA_ARCHS),$(call cuda_arch,$(arch),sm)) \
	$(call cuda_arch,$(CUDA_PTX),compute))

# No contraction: results are PostgreSQL's bits.  Several architectures are
# compiled at once; developers' builds tell compute-sanitizer the lines.
NVCCFLAGS := -std=c++17 -O3 --fmad=false $(NVCC_ARCH) \
	$(if $(word 2,$(CUDA_ARCHS)),--threads 0) -Isrc -I. \
	-Xcompiler -fPIC,-fvisibility=hidden,-ffp-contract=off,-Wall,-Wextra \
	$(if $(WERROR),-Werror all-warnings -Xcompiler -Werror -lineinfo)

# The runtime is linked in; it looks for the driver's libcuda when it is first
# called, so that what we link loads where there is none.
NVCCLINK := $(NVCC) -cudart static $(NVCC_ARCH)

# Other flags or another nvcc: compile anew, and count as not compiled.
NVCC_ID := $(strip $(NVCC_PATH) $(lastword $(shell $(NVCC) --version)) $(NVCCFLAGS))
ifneq ($(NVCC_ID),$(shell cat build/cuda/flags 2>/dev/null))
$(shell mkdir -p build/cuda; rm -f $(CUDA_OBJS))
$(file >build/cuda/flags,$(NVCC_ID))
endif

# "progress" and Q are the Makefile's.
$(CUDA_OBJS): build/%.o: %.cu build/cuda/flags cuda/build.mk
	@mkdir -p $(@D)
	$(call progress,CUDA,$(notdir $<) ($(CUDA_NAMES)))
	$(Q)$(NVCC) $(NVCCFLAGS) -MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $@ $<

-include $(CUDA_OBJS:.o=.d)

endif
endif
