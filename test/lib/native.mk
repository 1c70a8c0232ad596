# native.mk
#		Builds what needs no PostgreSQL: the unit tests of src/device, and,
#		where nvcc is, everything that must compile as CUDA.  Used by
#		test/check and test/gpu; run from the top directory.
#
#	headers		each header of src/device alone, of the cost model, and remedy.h, as C11
#	unit		test/unit/*_test.c, optimised as the module is ("opt") and
#				with address and undefined-behaviour sanitizers ("san"); UNITS: some
#				of them
#	cuda		the same headers as CUDA, test/unit/*.cu; programs of *_test.cu
#	cuda-unit	those programs alone
#	kernels		the programs of test/bench/kernels, those of CUDA where nvcc is
#
# Further C files in test/unit are helpers that any test may link; a CUDA test
# may also link the device of cuda/*/*.cu.

NATIVE ?= build/native

WERROR := 1
CUDA_ARCHS ?= 90
include cuda/build.mk

WARN := -Wall -Wextra -Werror
COMMON := -g -ffp-contract=off -fno-strict-aliasing -fwrapv -pthread -Isrc -I. $(WARN) -MMD -MP
# with what distributions' flags add to the module's: some calls abort then that would go wrong
CFLAGS_opt := -std=gnu11 -O3 -fno-math-errno -fno-trapping-math -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 $(COMMON)
CFLAGS_san := -std=gnu11 -O1 -fno-omit-frame-pointer $(COMMON) \
	-fsanitize=address,undefined -fno-sanitize-recover=all

HEADERS := $(wildcard src/device/*.h src/device/*/*.h)
# pure C: no source of the CUDA device includes them
C_HEADERS := $(wildcard src/probe/*.h) $(wildcard src/cost/predict*.h) src/cost/placement.h src/node/run/remedy.h
UNIT := $(wildcard test/unit/*_test.c)
HOST := $(wildcard src/device/*.c src/device/*/*.c src/host/*.c src/probe/*.c) $(wildcard src/cost/predict*.c) src/cost/placement.c src/node/run/remedy.c \
	$(COMPILER_SERVICE) \
	$(filter-out $(UNIT),$(wildcard test/unit/*.c))
CUDA_UNIT := $(wildcard test/unit/*_test.cu)
CUDA := $(filter-out $(CUDA_UNIT),$(wildcard test/unit/*.cu))

HEADER_CHECKS := $(patsubst %,$(NATIVE)/headers/%.ok,$(HEADERS) $(C_HEADERS))
UNIT_NAMES := $(or $(strip $(UNITS)),$(notdir $(basename $(UNIT))))
UNIT_opt := $(UNIT_NAMES:%=$(NATIVE)/opt/%)
UNIT_san := $(UNIT_NAMES:%=$(NATIVE)/san/%)
# nothing where there is no nvcc
CUDA_PROGRAMS := $(if $(NVCCFLAGS),$(CUDA_UNIT:test/unit/%.cu=$(NATIVE)/cuda/%))
KERNELS := $(patsubst test/bench/kernels/%.c,$(NATIVE)/kernels/%, \
	$(wildcard test/bench/kernels/*.c))
CUDA_KERNELS := $(if $(NVCCFLAGS),$(patsubst test/bench/kernels/%.cu,$(NATIVE)/kernels/%, \
	$(wildcard test/bench/kernels/*.cu)))
CUDA_CHECKS := $(if $(NVCCFLAGS),$(HEADERS:%=$(NATIVE)/cuda/%.ok) \
	$(CUDA:%=$(NATIVE)/cuda/%.o)) $(CUDA_PROGRAMS) $(CUDA_KERNELS)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: headers unit cuda cuda-unit kernels list-headers list-unit list-cuda \
	list-cuda-unit list-kernels
headers: $(HEADER_CHECKS)
unit: $(UNIT_opt) $(UNIT_san) $(COMPILER_PROGRAM)
cuda: $(CUDA_CHECKS)
cuda-unit: $(CUDA_PROGRAMS) $(COMPILER_PROGRAM)
kernels: $(KERNELS) $(CUDA_KERNELS)
list-headers:
	@printf '%s\n' $(HEADER_CHECKS)
list-unit:
	@printf '%s\n' $(UNIT_opt) $(UNIT_san)
list-cuda:
	@printf '%s\n' $(CUDA_CHECKS)
list-cuda-unit:
	@printf '%s\n' $(CUDA_PROGRAMS)
list-kernels:
	@printf '%s\n' $(KERNELS) $(CUDA_KERNELS)

# A translation unit that includes nothing else shows that a header stands alone.
$(NATIVE)/headers/%.ok: %
	@mkdir -p $(@D)
	printf '#include "%s"\n' '$(<:src/%=%)' | \
		$(CC) -std=gnu11 $(COMMON) -MF $@.d -MT $@ -x c -c -o /dev/null -
	touch $@

$(NATIVE)/cuda/%.h.ok: %.h build/cuda/flags
	@mkdir -p $(@D)
	printf '#include "%s"\n__global__ void gpuagg_header_kernel(void) {}\n' \
		'$(<:src/%=%)' >$@.cu
	$(NVCC) $(NVCCFLAGS) -MMD -MP -MF $@.d -MT $@ -c -o $@.o $@.cu
	touch $@

$(NATIVE)/cuda/%.cu.o: %.cu build/cuda/flags
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) -MMD -MP -MF $@.d -MT $@ -c -o $@ $<

define variant
HOST_$(1) := $$(HOST:%.c=$$(NATIVE)/$(1)/obj/%.o)

$$(NATIVE)/$(1)/obj/%.o: %.c
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS_$(1)) -c -o $$@ $$<

# An archive, so that a test links only what it uses.
$$(NATIVE)/$(1)/host.a: $$(HOST_$(1))
	@mkdir -p $$(@D)
	rm -f $$@
	ar rcs $$@ $$^

$$(UNIT_$(1)): $$(NATIVE)/$(1)/%: $$(NATIVE)/$(1)/obj/test/unit/%.o $$(NATIVE)/$(1)/host.a
	$$(CC) $$(CFLAGS_$(1)) -o $$@ $$^ -lm
endef
$(eval $(call variant,opt))
$(eval $(call variant,san))

$(NATIVE)/cuda/device.a: $(CUDA_OBJS)
	@mkdir -p $(@D)
	rm -f $@
	ar rcs $@ $^

$(CUDA_PROGRAMS): $(NATIVE)/cuda/%: $(NATIVE)/cuda/test/unit/%.cu.o \
		$(NATIVE)/cuda/device.a $(NATIVE)/opt/host.a
	$(NVCCLINK) -o $@ $^ -lpthread

$(filter %/cuda_compile_test,$(CUDA_PROGRAMS)): | $(COMPILER_PROGRAM)

# What of the host device is timed is linked as it is compiled for it.
$(KERNELS): $(NATIVE)/kernels/%: $(NATIVE)/opt/obj/test/bench/kernels/%.o \
		$(NATIVE)/opt/host.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_opt) -o $@ $^ -lm

$(CUDA_KERNELS): $(NATIVE)/kernels/%: $(NATIVE)/cuda/test/bench/kernels/%.cu.o \
		$(NATIVE)/cuda/device.a $(NATIVE)/opt/host.a
	@mkdir -p $(@D)
	$(NVCCLINK) -o $@ $^ -lpthread

-include $(shell find $(NATIVE) -name '*.d' 2>/dev/null)
