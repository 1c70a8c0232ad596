# gpuagg: GROUP BY for PostgreSQL 15 on a device.
#
#	make, make install	the extension, against the PostgreSQL of PG_CONFIG, and
#						its CUDA device where there is an nvcc; WITH_CUDA=yes
#						insists, WITH_CUDA=no leaves it out, CUDA_ARCHS="90"
#						compiles for some cards only (cuda/build.mk)
#	make installcheck	regression tests on a running server that preloads it
#	make quickstart		a private server with real data, ready to query;
#						"make psql" opens it, "make quickstart-stop" removes it
#	make check			everything that can be tested here, on private servers;
#						PARTS="regress tap" runs some, TESTS="types" some files
#	make bench			benchmarks; BENCH="groupby h2o" runs some
#	make plots			pictures of what was measured, to doc/; needs gnuplot
#	make bundle			what a GPU machine without packages needs
#	make clean
#
# The targets of the first group are PostgreSQL's (PGXS).  The others install
# what Debian packages are missing, then call this Makefile again; they work
# before PostgreSQL is on the machine.

PG_CONFIG ?= pg_config

FRAME_GOALS := check quickstart quickstart-stop psql bench plots bundle \
	prefix packages

ifneq ($(filter $(FRAME_GOALS),$(MAKECMDGOALS)),)

export PG_CONFIG

# Goals of the other kind, given along: make clean check
OTHER_GOALS := $(filter-out $(FRAME_GOALS),$(MAKECMDGOALS))

.NOTPARALLEL:
.PHONY: $(FRAME_GOALS) $(OTHER_GOALS)
$(OTHER_GOALS):
	+@$(MAKE) --no-print-directory $@

# Developers' goals share one build; quickstart is a user's and takes warnings.
# Of CUDA both compile for one card, in a fraction of the time for all.
check bench bundle prefix: export WERROR = 1
check bench bundle prefix: export CUDA_ARCHS ?= 90
quickstart: export CUDA_ARCHS ?= native

check: packages
	+@test/check $(PARTS)

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

else

.DEFAULT_GOAL := all
EXTENSION = gpuagg
DATA = sql/gpuagg--1.0.sql
MODULE_big = gpuagg
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/planner/*.c \
	src/executor/*.c src/profile/*.c src/service/*.c src/device/*.c src/device/host/*.c \
	src/device/probe/*.c)))

PG_CPPFLAGS = -I$(srcdir)/src
# PostgreSQL asks for C90's order of declarations and gives callbacks
# parameters that they need not use; contraction would change results.
PG_CFLAGS = -std=gnu11 -ffp-contract=off -Wextra -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers -Wno-declaration-after-statement \
	-MMD -MP $(if $(WERROR),-Werror)
SHLIB_LINK = -lpthread -lm

# Order: setup.sql makes what the other tests use.
TESTS ?= $(notdir $(basename $(sort $(filter-out %/setup.sql,$(wildcard test/sql/*.sql)))))
REGRESS = setup $(filter-out setup,$(TESTS))
REGRESS_OPTS = --inputdir=test --outputdir=.
SPECS ?= $(notdir $(basename $(sort $(wildcard test/specs/*.spec))))
ISOLATION = $(SPECS)
ISOLATION_OPTS = --inputdir=test --outputdir=.

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

# The host device is loops over vectors; neither errno nor traps are looked at,
# and no value changes without them.
src/device/host/%.o: override CFLAGS += -O3 -fno-math-errno -fno-trapping-math

# Other flags or another PostgreSQL: build anew.
BUILD_ID := $(CC) $(CFLAGS) $(CPPFLAGS) $(VERSION)
ifneq ($(BUILD_ID),$(shell cat build/flags 2>/dev/null))
$(shell mkdir -p build)
$(file >build/flags,$(BUILD_ID))
endif
$(OBJS): build/flags Makefile
-include $(OBJS:.o=.d)

# The CUDA device is a library of its own, which the device worker loads where
# it is installed.  It is a PostgreSQL module by its magic alone and calls
# nothing of PostgreSQL; "defs" has the linker see to that.
include cuda/build.mk
ifneq ($(CUDA_OBJS),)
all: gpuagg_cuda.so
install: install-cuda

gpuagg_cuda.so: $(CUDA_OBJS) build/cuda/module.o build/cuda/occupancy.o cuda/exports.map
	$(NVCCLINK) -shared -Xlinker --version-script=cuda/exports.map \
		-Xlinker -z -Xlinker defs -o $@ $(filter %.o,$^)

build/cuda/module.o: cuda/module.c build/flags build/cuda/flags Makefile
	$(CC) $(CFLAGS) -I. $(CPPFLAGS) -c -o $@ $<
build/cuda/occupancy.o: src/device/probe/occupancy.c build/flags build/cuda/flags Makefile
	$(CC) $(CFLAGS) -fvisibility=hidden $(CPPFLAGS) -c -o $@ $<
-include build/cuda/module.d build/cuda/occupancy.d

.PHONY: install-cuda
install-cuda: gpuagg_cuda.so installdirs
	$(INSTALL_SHLIB) $< '$(DESTDIR)$(pkglibdir)/$<'
endif

uninstall: uninstall-cuda
.PHONY: uninstall-cuda
uninstall-cuda:
	rm -f '$(DESTDIR)$(pkglibdir)/gpuagg_cuda.so'

else
all install installcheck uninstall:
	@echo "No PostgreSQL to build against: $(PG_CONFIG) --pgxs gives nothing." >&2
	@echo "Set PG_CONFIG, or let \"make packages\" install PostgreSQL 15 of Debian." >&2
	@exit 1
clean:
	rm -rf $(OBJS) $(EXTRA_CLEAN) gpuagg.so
endif

endif
