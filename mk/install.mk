# SPDX-License-Identifier: BSD-3-Clause
# install, uninstall and dist, with the variables of the GNU coding standards.

PREFIX ?= /usr/local
prefix = $(PREFIX)
exec_prefix = $(prefix)
bindir = $(exec_prefix)/bin
libdir = $(exec_prefix)/lib
includedir = $(prefix)/include
pkgconfigdir = $(libdir)/pkgconfig
cmakedir = $(libdir)/cmake/hpgmg
datarootdir = $(prefix)/share
datadir = $(datarootdir)
mandir = $(datarootdir)/man
docdir = $(datarootdir)/doc/hpgmg-gpu
pkgdatadir = $(datadir)/hpgmg-gpu
INSTALL ?= install
INSTALL_PROGRAM = $(INSTALL) -m 755
INSTALL_DATA = $(INSTALL) -m 644

# --- man pages, made of what --help prints ---------------------------------------------------------

PAGES_OBJECTS := $(patsubst %,$(BUILD)/%.o,$(sort $(wildcard src/pages/*.c)))
PAGES := hpgmg-gpu.1 hpgmg-lab.1

$(BUILD)/hpgmg-pages: $(PAGES_OBJECTS) $(filter-out %/main.c.o,$(LAB_OBJECTS)) $(ARCHIVE)
	$(call say,LINK,$@) $(LINK) -o $@ $^ $(LDLIBS)

$(PAGES:%=$(BUILD)/pages/%): $(BUILD)/pages/%: $(BUILD)/hpgmg-pages mk/man-page
	@mkdir -p $(@D)
	$(call say,PAGE,$@) $< $(basename $*) | mk/man-page $(strip $(file <VERSION)) >$@

# --- what goes where ------------------------------------------------------------------------------

# The scripts that need no sources, and the modules of all.
RUN_SCRIPTS := $(filter-out %.py %.sh run/jobs run/__pycache__ run/quickstart run/rates run/test,$(wildcard run/*))
RUN_DATA := $(wildcard run/*.py)
RUN_JOBS := $(wildcard run/jobs/*)
DOCUMENTS := LICENSE README.md CHANGELOG.md CITATION.cff \
             $(wildcard inputs/* examples/*.c examples/*.f90 lab/README.md docs/*.* docs/*/*.*)

# $(call everything,DO): $(call DO,COMMAND,FROM,FILES,TO) for all that is installed, each a line of a recipe;
# DO_link and DO_made do the same for a link and for files that are made when they are installed.
# Of Fortran, the source of the module is installed: each compiler reads modules of its own only.
define everything
$(call $(1),$(INSTALL_PROGRAM),$(BUILD),hpgmg-gpu hpgmg-lab,$(bindir))
$(call $(1),$(INSTALL_PROGRAM),.,$(RUN_SCRIPTS) $(RUN_JOBS),$(pkgdatadir))
$(call $(1),$(INSTALL_DATA),.,$(RUN_DATA),$(pkgdatadir))
$(call $(1),$(INSTALL_DATA),.,$(DOCUMENTS),$(docdir))
$(call $(1),$(INSTALL_PROGRAM),$(BUILD),$(SONAME),$(libdir))
$(call $(1)_link,$(SONAME),$(libdir)/libhpgmg.so)
$(call $(1),$(INSTALL_DATA),$(BUILD),libhpgmg.a,$(libdir))
$(call $(1)_made,include/hpgmg.h,$(includedir)/hpgmg.h)
$(call $(1),$(INSTALL_DATA),fortran,hpgmg.f90,$(includedir))
$(call $(1)_made,mk/hpgmg.pc.in,$(pkgconfigdir)/hpgmg.pc)
$(call $(1)_made,mk/hpgmg-static.pc.in,$(pkgconfigdir)/hpgmg-static.pc)
$(call $(1)_made,mk/hpgmg-config.cmake.in,$(cmakedir)/hpgmg-config.cmake)
$(call $(1)_made,mk/hpgmg-config-version.cmake.in,$(cmakedir)/hpgmg-config-version.cmake)
$(call $(1),$(INSTALL_DATA),$(BUILD)/pages,$(PAGES),$(mandir)/man1)
endef

put = $(call say,INST,$(call quote,$(DESTDIR)$(4))) for file in $(3); do \
          $(1) -D "$(2)/$$file" $(call quote,$(DESTDIR)$(4))/"$$file" || exit 1; done
remove = @for file in $(3); do rm -f $(call quote,$(DESTDIR)$(4))/"$$file" || exit 1; done

put_link = $(call say,INST,$(call quote,$(DESTDIR)$(2))) ln -sf $(1) $(call quote,$(DESTDIR)$(2))
remove_link = @rm -f $(call quote,$(DESTDIR)$(2))

# Packages find headers from their own place. A library of one rank has a header without MPI. A program in C++
# needs the words that leave out MPI's C++ interface, whose library mpicc does not name.
FROM_PACKAGE = $(shell realpath -m --relative-to=$(call quote,$(pkgconfigdir)) $(call quote,$(includedir)))
MPI_FLAGS = $(if $(SERIAL),,$(MPI_INCLUDES))
MADE = -e 's|@VERSION@|$(strip $(file <VERSION))|' -e 's|@SONAME@|$(SONAME)|' -e 's|@INCLUDE@|$(FROM_PACKAGE)|' \
       -e 's|@MPICC@|$(if $(SERIAL),,$(shell command -v $(firstword $(MPICC))))|' -e 's|@MPI_FLAGS@|$(MPI_FLAGS)|' \
       -e 's|@MPI_FOLDERS@|$(patsubst -I%,%,$(filter -I%,$(MPI_FLAGS)))|' \
       -e 's|@MPI_DEFINES@|$(filter -D%,$(MPI_FLAGS))|' \
       -e 's|@MPI_LIBRARIES@|$(MPI_LIBRARIES)|' -e 's|@LDLIBS@|$(strip $(file <$(BUILD)/libhpgmg.libs))|' \
       $(if $(SERIAL),-e 's|^\# *define HPGMG_MPI 1|\#define HPGMG_MPI 0|')
put_made = $(call say,INST,$(call quote,$(DESTDIR)$(2))) sed $(MADE) $(1) | \
           $(INSTALL_DATA) -D /dev/stdin $(call quote,$(DESTDIR)$(2))
remove_made = $(remove_link)

check-folders:
	@case $(call quote,$(bindir)) in /*) ;; *) \
	    echo 'PREFIX: $(PREFIX) is no absolute path' >&2; exit 1 ;; esac

PAGE_FILES := $(PAGES:%=$(BUILD)/pages/%)
INSTALLABLE := $(BUILD)/hpgmg-gpu $(BUILD)/hpgmg-lab $(LIBRARY_FILES) $(PAGE_FILES)
installable: $(INSTALLABLE)
install: $(INSTALLABLE)
	@$(MAKE) --no-print-directory install-built

# Builds nothing, whatever compilers and revisions root's environment would find.
install-built: check-folders
	$(call everything,put)

# Only folders of our own, if nothing else is in them.
uninstall: check-folders
	$(call everything,remove)
	@rm -rf $(call quote,$(DESTDIR)$(pkgdatadir))/run/__pycache__
	@for folder in $(call quote,$(DESTDIR)$(pkgdatadir)) $(call quote,$(DESTDIR)$(docdir)) $(call quote,$(DESTDIR)$(cmakedir)); do \
	    [ ! -d "$$folder" ] || find "$$folder" -depth -type d -empty -delete || exit 1; done

# --- a tarball ------------------------------------------------------------------------------------

# Files as they were committed, and REVISION, from which a build without git knows the revision.
DIST := hpgmg-gpu-$(strip $(file <VERSION))
DISTDIR = .
dist:
	@[ -e .git ] || { echo 'dist: needs the git repository, of which the tarball has the tracked files' >&2; exit 1; }
	@git --git-dir=.git diff --quiet HEAD || echo 'dist: changes that are not committed are left out' >&2
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && \
	    git --git-dir=.git describe --always >"$$scratch/REVISION" && \
	    git --git-dir=.git archive --prefix=$(DIST)/ --add-file="$$scratch/REVISION" \
	        --output="$$scratch/$(DIST).tar.gz" HEAD && \
	    mv "$$scratch/$(DIST).tar.gz" $(call quote,$(DISTDIR)) && echo $(DIST).tar.gz

.PHONY: check-folders install install-built uninstall dist
