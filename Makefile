# SPDX-License-Identifier: BSD-3-Clause
# hpgmg-gpu: geometric multigrid benchmark. GNU make; `make help` lists targets and variables.

# --- settings, all of which may be given on the command line --------------------------------------

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := $(subst clang,clang++,$(subst gcc,g++,$(CC)))
endif
MPICC ?= mpicc
# MPI=0: programs of one rank, for machines without MPI.
MPI ?= 1
SERIAL := $(filter 0,$(MPI))
PROFILE ?= 0
MODE ?= $(if $(filter 1,$(PROFILE)),profile,release)
V ?= 0

CUDA_HOME ?= /usr/local/cuda
NVCC ?= $(firstword $(shell command -v nvcc) $(wildcard $(CUDA_HOME)/bin/nvcc))
CUDA ?= $(if $(NVCC),1,0)
# A switch with another value would count as one of the two.
$(foreach name,CUDA MPI PROFILE V,$(if $(filter-out 0 1,$(or $(strip $($(name))),empty)),\
  $(error $(name)=$($(name)): a switch is 0 or 1)))
# The GPUs of this machine, or where there is none, those that most clusters have.
LOCAL_ARCH = $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
               sed -n 's/^\([0-9]*\)\.\([0-9]\)$$/sm_\1\2/p' | sort -u)
ifndef ARCH
ARCH := $(or $(LOCAL_ARCH),sm_80 sm_90)
endif

# Code for the machine that builds. Wide vectors only where processor and compiler know them.
WIDE := -mprefer-vector-width=512
HAS_WIDE := $(shell grep -qs avx512f /proc/cpuinfo && \
              $(CC) $(WIDE) -fsyntax-only -x c /dev/null 2>/dev/null && echo yes)
ARCHFLAGS ?= -march=native$(if $(HAS_WIDE), $(WIDE))

MODES := release profile debug asan
OPTIMISE_release := -O3
# The same code, in which profilers find the callers of a function, and the line of a GPU's instruction.
OPTIMISE_profile := -O3 -fno-omit-frame-pointer
OPTIMISE_debug := -O1 -fno-omit-frame-pointer
OPTIMISE_asan := -O1 -fno-omit-frame-pointer
# A release has lines for backtraces and profilers, and not the variables that a debugger shows.
CFLAGS ?= $(OPTIMISE_$(MODE)) $(if $(filter release,$(MODE)),-g1,-g) $(ARCHFLAGS)
LDFLAGS ?=
# Instrumented code makes compilers see null pointers and overflows that are not there.
WERROR ?= $(if $(filter asan,$(MODE)),,-Werror)

# Machine code for every architecture named, and what later GPUs can translate for the last one.
CUDA_ARCHS := $(patsubst sm_%,%,$(ARCH))
# Kernels copy to shared memory asynchronously (cp.async), which GPUs do from compute capability 8.0 on.
LEAST_ARCH := 80
TOO_OLD := $(strip $(foreach arch,$(CUDA_ARCHS),$(shell [ '$(arch:a=)' -ge $(LEAST_ARCH) ] 2>/dev/null || echo sm_$(arch))))
ifneq ($(if $(filter 1,$(CUDA)),$(TOO_OLD)),)
$(error ARCH: $(TOO_OLD) is not sm_$(LEAST_ARCH) or later, as in ARCH="sm_80 sm_90")
endif
CUDA_ARCH_FLAGS = $(foreach arch,$(CUDA_ARCHS),-gencode=arch=compute_$(arch),code=sm_$(arch)) \
             $(foreach arch,$(lastword $(CUDA_ARCHS)),-gencode=arch=compute_$(arch),code=compute_$(arch))
NVCCFLAGS ?= -O3 -Xfatbin -compress-all $(CUDA_ARCH_FLAGS)$(if $(filter profile,$(MODE)), -lineinfo)

ifeq ($(filter $(MODE),$(MODES)),)
$(error MODE=$(MODE) is none of: $(MODES))
endif
FAST_MATH := $(filter -Ofast -ffast-math -fassociative-math -funsafe-math-optimizations \
                      -use_fast_math --use_fast_math,$(CFLAGS) $(NVCCFLAGS))
ifneq ($(FAST_MATH),)
$(error $(FAST_MATH) changes the answer: every rank, thread and backend must compute the same bits)
endif

# --- what cannot be chosen ------------------------------------------------------------------------

# Contraction is off, for the same bits everywhere; what is fused is written as fma().
NUMERICS := -ffp-contract=off -fno-math-errno -fno-trapping-math
# The same objects go into programs and into libhpgmg.so, which shows hpgmg_* only.
SHARED := -fPIC -fvisibility=hidden
SANITIZE := $(if $(filter asan,$(MODE)),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all)
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow $(WERROR)
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(CFLAGS) $(NUMERICS) -fopenmp $(SHARED) $(SANITIZE) $(WARNINGS)
# Kernels as C++ (tests/emulated). A checked longjmp would not leave for another stack.
ALL_CXXFLAGS = -std=c++17 -U_FORTIFY_SOURCE $(CFLAGS) $(NUMERICS) $(SHARED) $(SANITIZE) $(WARNINGS) -Wno-unknown-pragmas $(MPI_INCLUDES)
# These tests compile in a third of the time so, and run as fast.
EMULATED_FLAGS := $(if $(SANITIZE),,-O1 -g0)
# The CUDA backend's files without kernels, whose C headers are not standard C++.
CUDA_CXXFLAGS = -isystem $(CUDA_HOME)/include -fopenmp -Wno-pedantic -Wno-shadow -Wno-missing-field-initializers
# level/ headers name MPI's types; kernels are written as lambdas.
MPI_COMMAND := $(if $(SERIAL),,$(shell $(MPICC) -show 2>/dev/null))
# Both MPI libraries' headers, which C++ files include within extern "C", without their C++ interfaces.
MPI_INCLUDES := -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX $(filter -I%,$(MPI_COMMAND))
MPI_LIBRARIES := $(filter -L% -l% -Wl%,$(MPI_COMMAND))
ALL_NVCCFLAGS = -std=c++17 $(NVCCFLAGS) --fmad=false --extended-lambda \
                -Xcompiler -ffp-contract=off $(SHARED:%=-Xcompiler %) $(MPI_INCLUDES)

# --- libraries ------------------------------------------------------------------------------------

NVTX := $(if $(wildcard $(CUDA_HOME)/include/nvtx3/nvToolsExt.h),$(CUDA),0)

INCLUDES := -Isrc -I. -Iinclude -Itests$(if $(SERIAL), -Isrc/serial)
NVTX_INCLUDE := $(if $(filter 1,$(NVTX)),-isystem $(CUDA_HOME)/include)
LDLIBS = $(if $(CUDA_SOURCES),-L$(CUDA_HOME)/lib64 -lcudart_static -lstdc++ -lrt) -ldl -lpthread -lm

# --- files ----------------------------------------------------------------------------------------

BUILD := build/$(notdir $(CC))-$(MODE)$(if $(SERIAL),-serial)
MODULES := backend base comm level operators cpu cli solvers config app library
# Without CUDA, absent.c defines the symbols of the CUDA files.
CUDA_C := $(filter-out $(if $(filter 1,$(CUDA)),src/cuda/absent.c),$(sort $(wildcard src/cuda/*.c src/cuda/*/*.c)))

# Of each pair NAME.c, NAME_absent.c one is linked: the second where the library is missing.
LEFT_OUT := src/app/main.c \
            src/base/nvtx$(if $(filter 1,$(NVTX)),_absent).c
SOURCES := $(filter-out $(LEFT_OUT),$(sort $(wildcard $(MODULES:%=src/%/*.c)))) $(CUDA_C)
# Kernels, and what needs no nvcc. What takes long is built first, so that no core is idle at the end.
CUDA_SOURCES := $(if $(filter 1,$(CUDA)),$(sort $(wildcard src/cuda/*.cu src/cuda/*/*.cu)))
CUDA_CXX := $(if $(filter 1,$(CUDA)),$(sort $(wildcard src/cuda/*.cc src/cuda/*/*.cc)))
OBJECTS := $(patsubst %,$(BUILD)/%.o,$(CUDA_SOURCES) $(CUDA_CXX) $(SOURCES))
# Files that are compiled a second time, for levels of single precision.
SINGLE_CUDA := $(addprefix src/cuda/,fv2/deep.cu fv2/gsrb.cu fv2/residual.cu fv2/sweeps.cu fv4/gsrb.cu fv4/sweep.cu\
                 backend.cc kernels.cc pass.cc core/tile_source.cc boundary/walls.cu generic/cells.cu\
                 generic/interpolation.cu generic/kernels.cc generic/operations.cu generic/reductions.cu)
OBJECTS += $(patsubst %,$(BUILD)/%.single.o,$(filter-out src/cpu/copy.c src/cpu/corrections.c,$(wildcard src/cpu/*.c))\
             $(if $(filter 1,$(CUDA)),$(SINGLE_CUDA)))
MAIN := $(BUILD)/src/app/main.c.o
# All modules but the main program, for programs and tests.
ARCHIVE := $(BUILD)/modules.a

# The workbench, a program of its own on the same modules.
LAB_SOURCES := $(sort $(wildcard lab/*.c) $(if $(filter 1,$(CUDA)),$(wildcard lab/*.cu lab/*.cc)))
LAB_OBJECTS := $(LAB_SOURCES:%=$(BUILD)/%.o)

# Every C or C++ file in a folder of tests/ is one program. CUDA files there are compiled and not run: they
# show that the shared headers are CUDA C++ too.
TEST_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/*/*.c)))
# Those that need no cmocka, which machines with GPUs may lack.
PLAIN_TESTS := $(patsubst %.c,$(BUILD)/%,$(sort $(shell grep -sL '<cmocka.h>' tests/*/*.c)))
# Of these a second program is made, which ends in -single, of kernels of single precision.
TEST_SINGLE := $(patsubst %,$(BUILD)/tests/%-single,$(shell sed '/^\#/d' tests/single.txt 2>/dev/null))
TEST_EMULATED := $(patsubst %.cc,$(BUILD)/%,$(sort $(wildcard tests/*/*.cc))) $(TEST_SINGLE)
TEST_CUDA := $(if $(filter 1,$(CUDA)),$(patsubst %,$(BUILD)/%.o,$(sort $(wildcard tests/*/*.cu))))
FORMATTED := $(sort $(wildcard include/*.h examples/*.c) $(foreach ending,c h def cc cu cuh,\
               $(wildcard src/*/*.$(ending) src/*/*/*.$(ending) lab/*.$(ending)\
                 tests/*.$(ending) tests/*/*.$(ending) tests/*/*/*.$(ending) tests/*/*/*/*.$(ending))))

# --- rules ----------------------------------------------------------------------------------------

ifeq ($(V),0)
say = @printf '  %-4s %s\n' $(1) $(2);
endif
# The compiler wrappers of Open MPI and of MPICH take the compiler from the environment.
MPI_COMPILER := $(if $(SERIAL),$(CC),OMPI_CC=$(CC) MPICH_CC=$(CC) $(MPICC))
COMPILE = $(MPI_COMPILER) $(INCLUDES) $(ALL_CFLAGS)
# After a compiler's command: the shell's times, for build-times.
TIMED = && times >$@.time
LINK = $(MPI_COMPILER) $(ALL_CFLAGS) $(LDFLAGS)

.DEFAULT_GOAL := hpgmg-gpu
lab: hpgmg-lab
all: hpgmg-gpu hpgmg-lab
library: $(BUILD)/libhpgmg.a $(BUILD)/libhpgmg.so.1

$(BUILD)/src/base/nvtx.c.o: INCLUDES += $(NVTX_INCLUDE)
# By its costs for AMD's processors, GCC 12 loads values again that fit into the 32 wide registers.
$(foreach file,colours half_rows,$(BUILD)/src/cpu/$(file).c.o $(BUILD)/src/cpu/$(file).c.single.o): ARCHFLAGS += $(if $(HAS_WIDE),-mtune=icelake-server)

# The programs that `make` built last; under build/ each compiler and mode keeps its own.
hpgmg-gpu hpgmg-lab hpgmg-gpu-disturbed: %: $(BUILD)/% FORCE
	@cmp -s $< $@ || cp $< $@

$(BUILD)/hpgmg-gpu: $(MAIN) $(ARCHIVE)
	$(call say,LINK,$@) $(LINK) -o $@ $^ $(LDLIBS)

# Tests preload it where MPI is MPICH. The sanitizers' own libraries would have to come before it.
YIELDING := $(if $(SANITIZE),,$(BUILD)/tests/yielding.so)
$(YIELDING): $(BUILD)/tests/yielding.c.o
	$(call say,LINK,$@) $(CC) -shared $(LDFLAGS) -o $@ $< -ldl

# The program with a function that disturbs runs, for tests.
$(BUILD)/hpgmg-gpu-disturbed: $(MAIN) $(BUILD)/tests/disturbed.c.o $(ARCHIVE)
	$(call say,LINK,$@) $(LINK) -o $@ $^ $(LDLIBS)

$(BUILD)/hpgmg-lab: $(LAB_OBJECTS) $(ARCHIVE)
	$(call say,LINK,$@) $(LINK) -o $@ $^ $(LDLIBS)

$(ARCHIVE): $(OBJECTS) $(BUILD)/link-settings
	$(call say,AR,$@) rm -f $@ && ar rcs $@ $(OBJECTS)

$(BUILD)/%.c.o: %.c $(BUILD)/compile-settings
	@mkdir -p $(@D)
	$(call say,CC,$<) $(COMPILE) $(DEFINES) -MMD -MP -c -o $@ $< $(TIMED)

$(BUILD)/src/cpu/%.c.single.o: src/cpu/%.c $(BUILD)/compile-settings
	@mkdir -p $(@D)
	$(call say,CC,'$< (single)') $(COMPILE) -include src/cpu/single.h -Wdouble-promotion $(DEFINES) -MMD -MP -c -o $@ $< $(TIMED)

COMPILE_CXX = $(CXX) $(INCLUDES) $(ALL_CXXFLAGS) $(CUDA_CXXFLAGS) -MMD -MP -c
$(BUILD)/%.cc.o: %.cc $(BUILD)/compile-settings
	@mkdir -p $(@D)
	$(call say,CXX,$<) $(COMPILE_CXX) -o $@ $< $(TIMED)

$(BUILD)/%.cc.single.o: %.cc $(BUILD)/compile-settings
	@mkdir -p $(@D)
	$(call say,CXX,'$< (single)') $(COMPILE_CXX) -include src/cuda/single.h -o $@ $< $(TIMED)

COMPILE_CU = $(NVCC) $(INCLUDES) $(ALL_NVCCFLAGS) -Xptxas -v -MMD -MP -c
KEEP_LOG = >$@.log 2>&1 || { cat $@.log >&2; exit 1; }; times >$@.time; grep -i warning $@.log >&2 || true
$(BUILD)/%.cu.o: %.cu $(BUILD)/compile-settings
	@mkdir -p $(@D)
	$(call say,NVCC,$<) $(COMPILE_CU) -o $@ $< $(KEEP_LOG)

$(BUILD)/%.cu.single.o: %.cu $(BUILD)/compile-settings
	@mkdir -p $(@D)
	$(call say,NVCC,'$< (single)') $(COMPILE_CU) -include src/cuda/single.h -o $@ $< $(KEEP_LOG)

$(TEST_PROGRAMS): %: %.c.o $(ARCHIVE)
	$(call say,LINK,$@) $(LINK) -o $@ $(filter %.o,$^) $(ARCHIVE) $(if $(filter $@,$(PLAIN_TESTS)),,-lcmocka) $(LDLIBS)

$(BUILD)/tests/cli/lab_test: $(filter-out %/main.c.o,$(LAB_OBJECTS))

SINGLE_FLAGS := -include src/cuda/single.h -Wdouble-promotion
# $(call emulate,FLAGS): a test that emulates kernels, compiled and linked.
emulate = $(call say,CXX,$@) $(CXX) -I$(<D) $(INCLUDES) $(ALL_CXXFLAGS) $(EMULATED_FLAGS) $(1) -MMD -MP -MF $@.d -o $@ $< $(EMULATED_WITH) $(LDFLAGS) -lcmocka $(TIMED)
$(filter-out $(TEST_SINGLE),$(TEST_EMULATED)): $(BUILD)/%: %.cc $(BUILD)/compile-settings
	@mkdir -p $(@D)
	$(call emulate)

$(TEST_SINGLE): $(BUILD)/%-single: %.cc $(BUILD)/compile-settings
	@mkdir -p $(@D)
	$(call emulate,$(SINGLE_FLAGS))

# Two need the program: one emulates a kernel within it, from files that are not standard C++.
TAIL_TEST := $(BUILD)/tests/emulated/tail_test
WALLS_TEST := $(addprefix $(BUILD)/tests/emulated/,walls_test walls_test-single)
$(TAIL_TEST) $(WALLS_TEST): $(ARCHIVE)
$(TAIL_TEST) $(WALLS_TEST): private EMULATED_WITH = $(ARCHIVE) -fopenmp $(MPI_LIBRARIES) $(LDLIBS)
$(TAIL_TEST): private WARNINGS := -Wall $(WERROR)

# $(call record,TEXT): writes TEXT to the target if it differs from what is there. What depends on the
# target is so built anew when a setting changes, and needs no `make clean`.
quote = '$(subst ','\'',$(1))'
record = @mkdir -p $(@D) && printf '%s\n' $(call quote,$(1)) >$@.new && \
         if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

COMPILER_VERSION := $(shell $(CC) --version 2>/dev/null | head -n 1)
$(BUILD)/compile-settings: FORCE
	$(call record,$(COMPILER_VERSION) $(COMPILE) $(CXX) $(ALL_CXXFLAGS) $(EMULATED_FLAGS) $(if $(filter 1,$(CUDA)),$(CUDA_CXXFLAGS) $(NVCC) $(ALL_NVCCFLAGS)))
$(BUILD)/link-settings: FORCE
	$(call record,$(OBJECTS) $(LDFLAGS) $(LDLIBS))

# One file is told about the build.
BUILD_INFO := $(BUILD)/src/cli/build_info.c.o
# A tarball of `make dist` has REVISION instead of git.
GIT_REVISION = $(or $(shell git --git-dir=.git describe --always --dirty 2>/dev/null),$(strip $(file <REVISION)),unknown)
BUILD_DEFINES = -DBUILD_VERSION='"$(strip $(file <VERSION))"' \
                -DBUILD_GIT_REVISION='"$(GIT_REVISION)"' -DBUILD_COMPILER='"$(COMPILER_VERSION)"' \
                -DBUILD_FLAGS='"$(strip $(ALL_CFLAGS))"'
$(BUILD)/build-settings: FORCE
	$(call record,$(BUILD_DEFINES))
$(BUILD_INFO): $(BUILD)/build-settings
$(BUILD_INFO): DEFINES = $(BUILD_DEFINES)

include mk/library.mk
include mk/install.mk

# What takes long is built first, so that no core is idle at the end.
tests: $(INSTALLABLE) $(BUILD)/hpgmg-gpu-disturbed $(YIELDING) $(TEST_CUDA) $(TEST_EMULATED) $(TEST_PROGRAMS)

# Sanitized programs take several times as long.
test: tests
	@tests/run-all $(if $(SANITIZE),-t 1500) $(BUILD)

test-slow: tests
	@tests/run-all --slow $(BUILD)

test-ranks: tests
	@tests/run-all --several-ranks $(BUILD)

# Leaks are counted by the program itself (base/memory.h), since MPI libraries leak on their own.
sanitize:
	@ASAN_OPTIONS=detect_leaks=0 $(MAKE) --no-print-directory MODE=asan test

# Files of run/, tests/ and .ci/ whose first line names interpreter $(1), and what these read.
scripts = $(shell grep -rLI '^@test' run tests .ci | xargs awk 'FNR == 1 && /$(1)$$/ { print FILENAME }') \
          $(if $(filter python3,$(1)),$(wildcard run/*.py) $(shell find packaging -name '*.py'),run/lib.sh run/mpi.sh tests/support/ranks.bash)

lint:
	clang-format --dry-run -Werror $(FORMATTED)
	for script in $(call scripts,bash); do bash -n $$script || exit 1; done
	for script in $(call scripts,python3); do \
	    python3 -c "compile(open('$$script').read(), '$$script', 'exec')" || exit 1; done
	tests/size
	@$(MAKE) --no-print-directory CC=clang clang-warnings

# What clang warns about. It compiles nothing, so that CI has the time for it. tail_test includes whole
# files for nvcc, in whose C++ host compilers find other things. Without NVTX its header is missing.
clang-warnings:
	printf '%s\n' $(filter-out $(if $(filter 1,$(NVTX)),,src/base/nvtx.c),$(wildcard src/*/*.c lab/*.c examples/*.c tests/*.c tests/*/*.c)) | \
	    xargs -n 8 -P 2 env $(COMPILE) $(BUILD_DEFINES) $(NVTX_INCLUDE) -c -fsyntax-only
	for test in $(filter-out tests/emulated/tail_test.cc,$(wildcard tests/emulated/*.cc)); do \
	    $(CXX) -I$$(dirname $$test) $(INCLUDES) $(ALL_CXXFLAGS) -fsyntax-only $$test || exit 1; done
	for test in $(patsubst $(BUILD)/%-single,%.cc,$(TEST_SINGLE)); do \
	    $(CXX) -I$$(dirname $$test) $(INCLUDES) $(ALL_CXXFLAGS) $(SINGLE_FLAGS) -fsyntax-only $$test || exit 1; done
	for file in $(CUDA_CXX); do \
	    $(CXX) $(INCLUDES) $(ALL_CXXFLAGS) $(CUDA_CXXFLAGS) -fsyntax-only $$file || exit 1; done

# Processor seconds of each object's compilation, the last time that it was compiled.
build-times:
	@awk '\
	    FNR == 2 { gsub("[ms]", " "); seconds = $$1 * 60 + $$2 + $$3 * 60 + $$4; name = FILENAME; \
	               sub("^$(BUILD)/", "", name); sub("[.]o[.]time$$", "", name); sub("[.]time$$", "", name); \
	               kind = name ~ /[.]cu$$/ ? "nvcc" : name ~ /^tests/ ? "tests" : "program"; \
	               sum[kind] += seconds; sum["all"] += seconds; printf "%8.2f  %s\n", seconds, name } \
	    END { for (kind in sum) printf "%8.2f  sum: %s\n", sum[kind], kind }' \
	  $(wildcard $(addsuffix .time,$(OBJECTS) $(MAIN) $(LAB_OBJECTS) $(TEST_PROGRAMS:=.c.o) $(TEST_EMULATED) $(TEST_CUDA))) | sort -rn

clean:
	rm -rf build hpgmg-gpu hpgmg-lab hpgmg-gpu-disturbed $(DIST).tar.gz

info:
	@printf '%-17s %s\n' $(foreach name,CC MPI MPICC COMPILER_VERSION MODE CFLAGS ALL_CFLAGS INCLUDES \
	  LDFLAGS LDLIBS CUDA NVCC ARCH ALL_NVCCFLAGS BUILD GIT_REVISION \
	  SOURCES CUDA_SOURCES TEST_PROGRAMS TEST_CUDA,$(name) $(call quote,$(strip $($(name)))))

define HELP
Targets:
  hpgmg-gpu    the benchmark (the default)
  lab          ./hpgmg-lab, which measures machines and kernels
  all          both
  library      libhpgmg.a and libhpgmg.so.1 under build/ (docs/API.md)
  examples     builds the programs of examples/ with the library, and runs them on one rank
  tests        builds the programs and the unit tests under build/
  test         builds and runs all tests but the slow ones; test-slow: all tests;
               test-ranks: those of several ranks
  sanitize     the same with AddressSanitizer and UndefinedBehaviorSanitizer
  lint         format, syntax of scripts, code lines against tests/size.tsv, warnings of clang
  info         prints every setting
  build-times  processor seconds that compiling took, file by file
  install      programs, library, scripts of run/, man pages and documents, to PREFIX;
               install-built: the same, but builds nothing, as for sudo
  uninstall    removes what `make install` with the same variables puts there
  dist         hpgmg-gpu-VERSION.tar.gz of the files as they were committed
  clean        removes all that was built
Variables (make NAME=VALUE):
  CC           compiler behind mpicc: gcc, clang
  CXX          for tests of kernels: that of CC
  MPI          1 or 0: 0 builds programs of one rank, and needs no MPI
  MPICC        MPI compiler wrapper
  MODE         release, profile, debug, asan; PROFILE=1 is MODE=profile (0)
  CFLAGS       optimisation; what the answer's bits need is always added
  ARCHFLAGS    processor: -march=native
  LDFLAGS      for the linker
  WERROR       empty: warnings are no errors
  CUDA         1 or 0: with CUDA or without (1 if nvcc is found)
  CUDA_HOME, NVCC, NVCCFLAGS
  ARCH         GPU architectures, the latest last; default: those of this machine's GPUs, without one "sm_80 sm_90"
  V            1 or 0: 1 prints commands in full
  PREFIX       of install: /usr/local; bindir, libdir, includedir, datadir, mandir, docdir and INSTALL are GNU's
  DESTDIR      of install: a folder instead of /, for packages
endef
help:
	$(info $(HELP))@:

FORCE:
.PHONY: all lab library examples build-times tests test test-ranks test-slow sanitize lint clang-warnings clean info help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

-include $(OBJECTS:.o=.d) $(MAIN:.o=.d) $(BUILD)/tests/disturbed.c.d $(BUILD)/tests/yielding.c.d $(LAB_OBJECTS:.o=.d) $(PAGES_OBJECTS:.o=.d) $(TEST_PROGRAMS:=.c.d) $(TEST_EMULATED:=.d) $(TEST_CUDA:.o=.d)
