# sbxterm - `make run` installs what is missing, builds and starts; `make test` passes the tests.
# Other goals: all install uninstall test unit script e2e asan corpus attacks bench fuzz lint deps clean help

VERSION   := 0.1.0
PREFIX    ?= /usr/local
DESTDIR   ?=
CC        ?= cc
VARIANT   ?= release
B         := build/$(VARIANT)

# ---- what the build and the tests need, by Debian package name ----------------------------------
PKG_BUILD := gcc make pkg-config libc6-dev libvterm-dev libtickit-dev libcjson-dev libseccomp-dev libgit2-dev
PKG_RUN   := bubblewrap bash
PKG_TEST  := git procps python3 util-linux
NODE_PKG  := npm

# ---- flags --------------------------------------------------------------------------------------
PC        := libcjson libseccomp vterm tickit libgit2
PC_CFLAGS  = $(shell pkg-config --cflags $(PC) 2>/dev/null)
PC_LIBS    = $(shell pkg-config --libs $(PC) 2>/dev/null)
WARN      := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual \
	     -Wwrite-strings -Wvla -Wformat=2 -Wundef -Wno-missing-field-initializers
HARDEN    := -fstack-protector-strong -fstack-clash-protection -fcf-protection -D_FORTIFY_SOURCE=2 -fPIE
CPPFLAGS  += -D_GNU_SOURCE -DSBXTERM_VERSION='"$(VERSION)"' -Isrc -I. -Ibuild/tree-sitter/include
CFLAGS    ?= -O2 -g
SAN       :=
LDHARDEN  := -pie -Wl,-z,relro,-z,now,-z,noexecstack
ifeq ($(VARIANT),asan)
CFLAGS    := -O1 -g -fno-omit-frame-pointer
SAN       := -fsanitize=address,undefined -fno-sanitize-recover=all
HARDEN    := -fstack-protector-strong -fPIE
endif
ifdef WERROR
WARN      += -Werror
endif
ALL_CFLAGS = -std=gnu11 $(WARN) $(HARDEN) $(SAN) $(PC_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(LDHARDEN) $(SAN) $(LDFLAGS)

# ---- sources: a file in a folder is a module, found by name --------------------------------------
FOLDERS   := src/base conf term intercept sandbox ui src
SRCS      := $(foreach d,$(FOLDERS),$(wildcard $(d)/*.c))
MAIN      := src/main.c
LIB_SRCS  := $(filter-out $(MAIN),$(SRCS))
LIB_OBJS  := $(LIB_SRCS:%.c=$(B)/%.o)
LIB       := $(B)/libsbxterm.a
TS_LIB    := build/tree-sitter/libgrammars.a
HELPERS   := $(patsubst sandbox/helper/%.c,build/sbx-%,$(wildcard sandbox/helper/*.c))
UNIT      := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/*.c))

.DEFAULT_GOAL := all
.PHONY: all run test unit script e2e asan corpus attacks bench fuzz lint deps deps-test install uninstall clean help
.DELETE_ON_ERROR:
.SECONDARY:

all: build/sbxterm $(HELPERS)

# A failed link or compile must not leave the wish for packages unsaid.
deps:
	@sh tests/tools/deps.sh $(PKG_BUILD) $(PKG_RUN)
deps-test: deps
	@sh tests/tools/deps.sh $(PKG_TEST)

run: deps
	@$(MAKE) --no-print-directory all
	@build/sbxterm

# ---- grammars: sources from npm, built into a static archive -------------------------------------
NM        := node_modules
TS_SRC    := $(NM)/tree-sitter/vendor/tree-sitter/lib
TS_STAMP  := build/tree-sitter/.stamp
$(TS_STAMP): package-lock.json package.json
	@sh tests/tools/deps.sh --command npm $(NODE_PKG)
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@mkdir -p build/tree-sitter/include
	@cp -r $(TS_SRC)/include/tree_sitter build/tree-sitter/include/
	@touch $@
TS_OBJS   := build/tree-sitter/runtime.o $(foreach g,bash powershell,build/tree-sitter/$(g)-parser.o build/tree-sitter/$(g)-scanner.o)
TS_CFLAGS := -std=gnu11 -O2 -g -w -fPIE -fstack-protector-strong -D_GNU_SOURCE
build/tree-sitter/runtime.o: $(TS_STAMP)
	$(CC) $(TS_CFLAGS) -I$(TS_SRC)/include -I$(TS_SRC)/src -c $(TS_SRC)/src/lib.c -o $@
build/tree-sitter/%-parser.o: $(TS_STAMP)
	$(CC) $(TS_CFLAGS) -I$(NM)/tree-sitter-$*/src -c $(NM)/tree-sitter-$*/src/parser.c -o $@
build/tree-sitter/%-scanner.o: $(TS_STAMP)
	$(CC) $(TS_CFLAGS) -I$(NM)/tree-sitter-$*/src -c $(NM)/tree-sitter-$*/src/scanner.c -o $@
$(TS_LIB): $(TS_OBJS)
	@rm -f $@
	ar rcs $@ $^

# ---- objects, library, programs ------------------------------------------------------------------
$(B)/%.o: %.c | $(TS_STAMP)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@
$(LIB): $(LIB_OBJS)
	@rm -f $@
	ar rcs $@ $^
$(B)/sbxterm: $(B)/src/main.o $(LIB) $(TS_LIB)
	$(CC) $(ALL_LDFLAGS) -o $@ $(B)/src/main.o $(LIB) $(TS_LIB) $(PC_LIBS)
build/sbxterm: build/release/sbxterm
	@cp -f $< $@
# Helpers run inside the sandbox: static, no library of ours, small.
build/sbx-%: sandbox/helper/%.c
	@mkdir -p build
	$(CC) $(CPPFLAGS) -std=gnu11 $(WARN) -O2 -g -static -fstack-protector-strong -o $@ $<

$(B)/tests/%: tests/%.c tests/tap.h $(LIB) $(TS_LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -Itests $(ALL_LDFLAGS) -o $@ $< $(LIB) $(TS_LIB) $(PC_LIBS)

# ---- tests ---------------------------------------------------------------------------------------
unit: $(UNIT) $(HELPERS)
	@sh tests/tools/run.sh $(UNIT)
test: deps-test
	@$(MAKE) --no-print-directory unit
asan:
	@$(MAKE) --no-print-directory VARIANT=asan unit

clean:
	rm -rf build
help:
	@sed -n '1,2p' Makefile

-include $(LIB_OBJS:.o=.d) $(UNIT:=.d) $(B)/src/main.d
