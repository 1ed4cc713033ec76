# SPDX-License-Identifier: BSD-3-Clause
# libhpgmg.a and libhpgmg.so.1: the functions of include/hpgmg.h, and of everything else no name.

SONAME := libhpgmg.so.1
LIBRARY_OBJECTS := $(filter $(BUILD)/src/library/%,$(OBJECTS))
LIBRARY_FILES := $(BUILD)/libhpgmg.a $(BUILD)/$(SONAME)
LD ?= ld
NM ?= nm
OBJCOPY ?= objcopy

$(BUILD)/$(SONAME): $(LIBRARY_OBJECTS) $(ARCHIVE) mk/libhpgmg.map
	$(call say,LINK,$@) $(LINK) -shared -Wl,-soname,$(SONAME) \
	  -Wl,--version-script=mk/libhpgmg.map -o $@ $(LIBRARY_OBJECTS) $(ARCHIVE) $(LDLIBS)

# One object, in which names of modules are local; and the libraries that it needs. objcopy cannot make
# C++'s unique names local before they are weak, and takes no empty list of names. C++'s groups are
# dissolved: of groups with one name the linker keeps the first, and names in ours would be local, so
# that a static libstdc++ would lack its own.
$(BUILD)/libhpgmg.a: $(LIBRARY_OBJECTS) $(ARCHIVE)
	$(call say,AR,$@) rm -f $@ && $(LD) -r --force-group-allocation -o $(@:.a=.o) $(LIBRARY_OBJECTS) $(ARCHIVE) && \
	  $(NM) $(@:.a=.o) | awk 'BEGIN { print "# unique" } $$2 == "u" { print $$3 }' >$(@:.a=.unique) && \
	  $(OBJCOPY) --weaken-symbols=$(@:.a=.unique) $(@:.a=.o) && \
	  $(OBJCOPY) --wildcard --keep-global-symbol='hpgmg_*' $(@:.a=.o) && ar rcs $@ $(@:.a=.o) && \
	  echo '$(LDLIBS)' >$(@:.a=.libs)

# The examples are built and run as they are: the backend that there is, and small sizes.
EXAMPLES := $(patsubst %.c,$(BUILD)/%,$(wildcard examples/*.c))
$(EXAMPLES): $(BUILD)/%: %.c include/hpgmg.h $(BUILD)/libhpgmg.a
	$(call say,LINK,$@) mkdir -p $(@D) && $(LINK) $(if $(SERIAL),-DHPGMG_MPI=0) -Iinclude -o $@ $< \
	  $(BUILD)/libhpgmg.a $(LDLIBS)

examples: $(EXAMPLES)
	@for example in $^; do echo "$$example"; "$$example" || exit 1; done
