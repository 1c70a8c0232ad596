# gpuagg: GROUP BY for PostgreSQL 15 to 18 on a device.
#
#	make, make install	the extension, against the PostgreSQL of PG_CONFIG, and
#						its CUDA device where there are an nvcc and a card;
#						WITH_CUDA=yes insists, WITH_CUDA=no leaves it out,
#						CUDA_ARCHS="80 90" compiles for other cards than this
#						machine's, "all" for every card (cuda/build.mk).  On all cores unless -j says
#						otherwise; V=1 shows the commands
#	make installcheck	regression tests on a running server that preloads it
#	make quickstart		a private server with real data, ready to query;
#						"make psql" opens it, "make quickstart-stop" removes it
#	make check			everything that can be tested here, on private servers;
#						PARTS="regress tap" runs some, TESTS="types" some files
#	make check-all		that, and the suite on builds that check themselves:
#						check-assert, check-sanitize, check-random, check-sqlsmith
#						and check-live are its parts (test/README.md)
#	make bench			benchmarks; BENCH="groupby h2o" runs some
#	make plots			pictures of what was measured, to doc/img/; needs gnuplot
#	make bundle			what a GPU machine without packages needs
#	make clean
#
# The targets of the first group are PostgreSQL's (PGXS).  The others install
# what Debian packages are missing, then call this Makefile again; they work
# before PostgreSQL is on the machine.

PG_CONFIG ?= pg_config

CHECKS := check-assert check-sanitize check-random check-sqlsmith check-live
FRAME_GOALS := check check-all $(CHECKS) quickstart quickstart-stop psql bench \
	plots bundle prefix packages packages-all

ifneq ($(filter $(FRAME_GOALS),$(MAKECMDGOALS)),)

export PG_CONFIG

# Goals of the other kind, given along: make clean check
OTHER_GOALS := $(filter-out $(FRAME_GOALS),$(MAKECMDGOALS))

.NOTPARALLEL:
.PHONY: $(FRAME_GOALS) $(OTHER_GOALS)
$(OTHER_GOALS):
	+@$(MAKE) --no-print-directory $@

# Developers' goals share one build; quickstart is a user's and takes warnings.
check bench bundle prefix: export WERROR = 1
check bench bundle prefix: export CUDA_ARCHS ?= 90

check: packages
	+@test/check $(PARTS)

check-all: packages-all
	+@test/check-all $(KINDS)

$(CHECKS): packages-all
	+@test/check-all "$(@:check-%=%):$(PARTS)"

quickstart: packages
	+@test/quickstart

quickstart-stop:
	@test/quickstart stop

psql:
	@test/quickstart psql

bench: prefix
	@test/bench/run $(BENCH)

plots:
	@test/bench/plots/run

bundle: packages
	+@test/gpu/bundle

# A private copy of PostgreSQL with gpuagg in it (test/lib/server.sh)
prefix: packages
	+@bash -eu -c '. test/lib/server.sh; prefix_make "$$PWD/build/pg"'

packages:
	@test/lib/packages

packages-all: packages
	@test/lib/packages packages-all

else

.DEFAULT_GOAL := all

# A line for each file.  With V=1 make prints its commands instead, as with -n;
# with -s nothing.
MAKE_OPTIONS := $(filter-out --%,$(firstword -$(MAKEFLAGS)))
QUIET := $(findstring s,$(MAKE_OPTIONS))
VERBOSE := $(or $(filter 1,$(V)),$(findstring n,$(MAKE_OPTIONS)))
Q := $(if $(VERBOSE),,@)

# Compiling takes all cores unless somebody says how many.  A -j of the command
# line goes before this one; one of the environment or of a make above is seen in
# the environment, and by newer versions of make in MAKEFLAGS.
BUILDING := $(if $(filter-out all install,$(MAKECMDGOALS)),,yes)
ifdef BUILDING
ifeq ($(filter -j% --jobs% --jobserver%,$(MAKEFLAGS) $(shell echo "$$MAKEFLAGS")),)
MAKEFLAGS += -j$(or $(shell nproc 2>/dev/null),1)
endif
endif

# Built out of its tree (make -f DIR/Makefile, pg_buildext), links stand in for the
# sources, so that all paths below are the same.
TREE := $(patsubst %/,%,$(dir $(realpath $(firstword $(MAKEFILE_LIST)))))
ifneq ($(TREE),$(realpath $(CURDIR)))
override VPATH :=
# also for who calls make again without -f, as the links allow: the same flags
override srcdir := .
ifdef BUILDING
$(shell cp -Rsf $(TREE)/src $(TREE)/cuda $(TREE)/sql $(TREE)/expected $(TREE)/test $(TREE)/gpuagg.control \
	$(TREE)/Makefile . && find src cuda -type l -name '*.[od]' -delete)
endif
endif

EXTENSION = gpuagg
DATA = sql/gpuagg--1.1.sql sql/gpuagg--1.0--1.1.sql
MODULE_big = gpuagg
# of both libraries; kernels' texts: of the CUDA device alone
SHARED_OPS := src/device/ops/code_table.c src/device/ops/encode.c src/device/ops/lookup_make.c \
	src/device/ops/places.c src/device/ops/stages.c src/device/ops/value_set.c \
	src/device/ops/value_set_float.c src/device/ops/value_set_moment.c
CODEGEN := $(sort $(wildcard src/device/codegen/*.c))
OBJS = $(patsubst %.c,%.o,$(filter-out $(CODEGEN),$(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c))))

# 19's headers take a word of C23 where PostgreSQL was built with that; GCC has it in C11 so
PG_CPPFLAGS = -I$(srcdir)/src -Dtypeof_unqual=__typeof_unqual__
# PostgreSQL asks for C90's order of declarations and gives callbacks
# parameters that they need not use; contraction would change results.
PG_CFLAGS = -std=gnu11 -ffp-contract=off -Wextra -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers -Wno-declaration-after-statement \
	-MMD -MP $(if $(WERROR),-Werror)
SHLIB_LINK = -lpthread -lm

# Order: setup.sql makes what the other tests use.  The extension's scripts lie beside them.
TESTS ?= $(filter-out setup gpuagg--%,$(notdir $(basename $(sort $(wildcard sql/*.sql)))))
REGRESS = setup $(filter-out setup,$(TESTS))
SPECS ?= $(notdir $(basename $(sort $(wildcard test/isolation/specs/*.spec))))
ISOLATION = $(SPECS)
ISOLATION_OPTS = --inputdir=test/isolation --outputdir=.

# Before the files under build/ go that tell where the server is
clean: quickstart-gone
.PHONY: quickstart-gone
quickstart-gone:
	@test/quickstart stop

EXTRA_CLEAN = build .bundle output_iso gpuagg_cuda.so $(OBJS:.o=.d)

# LLVM bitcode would need clang and gives nothing here.
override with_llvm := no

PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifneq ($(wildcard $(PGXS)),)
include $(PGXS)

# As a user whom the server lets in, by what this version answers (test/lib/installcheck)
pg_regress_installcheck = MAJORVERSION=$(MAJORVERSION) test/lib/installcheck \
	$(top_builddir)/src/test/regress/pg_regress --bindir='$(bindir)' $(EXTRA_REGRESS_OPTS)
pg_isolation_regress_installcheck = MAJORVERSION=$(MAJORVERSION) test/lib/installcheck \
	$(top_builddir)/src/test/isolation/pg_isolation_regress --outputdir=output_iso \
	--bindir='$(bindir)' $(EXTRA_REGRESS_OPTS)

# The host device is loops over vectors; neither errno nor traps are looked at,
# and no value changes without them.
src/host/%.o: override CFLAGS += -O3 -fno-math-errno -fno-trapping-math

# What is worked on group by group: a function that others may call may be inlined for all that.
src/node/%.o: override CFLAGS += -fno-semantic-interposition

# Modules of the tests link to ours; since 16 PostgreSQL hides what is not exported.
override CFLAGS += -fvisibility=default

# Other flags or another PostgreSQL: build anew.
BUILD_ID := $(CC) $(CFLAGS) $(CPPFLAGS) $(VERSION)
ifneq ($(BUILD_ID),$(shell cat build/flags 2>/dev/null))
$(shell mkdir -p build; rm -f $(OBJS))
$(file >build/flags,$(BUILD_ID))
endif
$(OBJS): %.o: %.c build/flags Makefile
	$(call progress,CC,$<)
	$(Q)$(COMPILE.c) -o $@ $<
-include $(OBJS:.o=.d)
ifndef VERBOSE
.SILENT: gpuagg.so
endif

# Modules that TAP tests build where they run (test/t/GpuAggTest.pm), compiled beforehand
MODULES := $(patsubst %.c,build/%.o,$(wildcard test/lib/*.c))
.PHONY: modules
modules: $(MODULES)
$(MODULES): build/%.o: %.c build/flags Makefile
	@mkdir -p $(@D)
	$(Q)$(COMPILE.c) -o $@ $<
-include $(MODULES:.o=.d)

# The CUDA device is a library of its own, which the device worker loads where
# it is installed.  It is a PostgreSQL module by its magic alone and calls
# nothing of PostgreSQL; "defs" has the linker see to that.
include cuda/build.mk
ifneq ($(CUDA_OBJS),)
CUDA_C_OBJS := build/cuda/module.o build/cuda/occupancy.o build/cuda/ranges.o \
	$(patsubst %.c,build/%.o,$(COMPILER_SERVICE) $(CODEGEN) $(SHARED_OPS))

all: gpuagg_cuda.so $(COMPILER_PROGRAM)
install: install-cuda

gpuagg_cuda.so: $(CUDA_OBJS) $(CUDA_C_OBJS) cuda/exports.map
	$(Q)$(NVCCLINK) -shared -Xlinker --version-script=cuda/exports.map \
		-Xlinker -z -Xlinker defs -o $@ $(filter %.o,$^)

build/cuda/module.o: cuda/module.c build/flags build/cuda/flags Makefile
	$(Q)$(CC) $(CFLAGS) -I. $(CPPFLAGS) -c -o $@ $<
build/cuda/occupancy.o build/cuda/ranges.o: build/cuda/%.o: src/device/choice/%.c build/flags build/cuda/flags Makefile
	$(Q)$(CC) $(CFLAGS) -fvisibility=hidden $(CPPFLAGS) -c -o $@ $<
$(patsubst %.c,build/%.o,$(COMPILER_SERVICE) $(CODEGEN) $(SHARED_OPS)): build/%.o: %.c build/flags build/cuda/flags Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -fvisibility=hidden -I. $(CPPFLAGS) -c -o $@ $<
-include $(CUDA_C_OBJS:.o=.d)

.PHONY: install-cuda
install-cuda: gpuagg_cuda.so $(COMPILER_PROGRAM) installdirs
	$(INSTALL_SHLIB) $< '$(DESTDIR)$(pkglibdir)/$<'
	$(INSTALL_PROGRAM) $(COMPILER_PROGRAM) '$(DESTDIR)$(pkglibdir)/'
endif

# $(call progress,TOOL,FILE): prints "[NUMBER/ALL] TOOL FILE", and for CUDA about how
# long all will take.  Make expands recipes one after the other, so numbers are right
# under -j too; they count the objects that were not there when make began.
MISSING := $(filter-out $(wildcard $(OBJS) $(CUDA_OBJS)),$(OBJS) $(CUDA_OBJS))
BEGAN := $(shell date +%s)
progress = $(if $(QUIET)$(VERBOSE),,$(info \
	$(number)$(1) $(2)$(if $(filter CUDA,$(1)),$(time_left)))$(eval BEGUN += $@))
number = $(if $(filter $@,$(MISSING)),[$(words $(BEGUN) x)/$(words $(MISSING))] )

# Work, in tenths of a second of one core; what has begun and is not done counts
# half.  The first fifth is too little to tell from.
work = $(foreach object,$(1),$(if $(filter build/%,$(object)),$(call \
	cuda_seconds_of,$(basename $(notdir $(object))))*$(words $(CUDA_ARCHS))*10,3)+)0
time_left = $(shell all=$$((2 * ($(call work,$(MISSING))))); \
	done=$$(($(call work,$(BEGUN)) + $(call work,$(shell ls $(MISSING) 2>/dev/null)))); \
	left=$$(((all - done) * ($$(date +%s) - $(BEGAN)) / (done + 1))); \
	if [ $$((done * 5)) -lt $$all ]; then :; \
	elif [ $$left -gt 90 ]; then echo ", about $$(((left + 59) / 60)) min left"; \
	elif [ $$left -gt 0 ]; then echo ", about $$left s left"; fi)

ifneq ($(and $(BUILDING),$(if $(QUIET),,yes)),)
ifneq ($(filter build/%,$(MISSING)),)
$(info CUDA: $(words $(CUDA_OBJS)) files for $(CUDA_NAMES) $(CUDA_FOR)$(if $(CUDA_FOR),. )about \
	$(shell echo $$((($(call work,$(filter build/%,$(MISSING)))) / 10))) s of one core; WITH_CUDA=no leaves them out)
else ifdef CUDA_LEFT_OUT
$(info CUDA: left out, for there is no card here. CUDA_ARCHS=90, of other cards too, or "all" compiles it)
endif
endif

uninstall: uninstall-cuda
.PHONY: uninstall-cuda
uninstall-cuda:
	rm -f '$(DESTDIR)$(pkglibdir)/gpuagg_cuda.so' '$(DESTDIR)$(pkglibdir)/gpuagg_compile'

else
all install installcheck uninstall:
	@echo "No PostgreSQL to build against: $(PG_CONFIG) --pgxs gives nothing." >&2
	@echo "Set PG_CONFIG, or let \"make packages\" install Debian's PostgreSQL." >&2
	@exit 1
clean:
	rm -rf $(OBJS) $(EXTRA_CLEAN) gpuagg.so
endif

endif
