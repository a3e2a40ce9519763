# sbxterm - `make run` installs what is missing, builds and starts; `make test` builds and passes every test.
# Other goals:
#   all install uninstall clean		PREFIX=/usr/local DESTDIR=
#   unit script e2e asan lint bench	parts of what .ci/run does; deps installs what the build needs
#   fuzz				FUZZ_SECONDS=10 for each target; FUZZ_SEED=, FUZZ_RUNS= to repeat
#   corpus attacks			FILE=another.jsonl
#   oracle				N=20000 SEED=1 lines by a grammar, and the whole corpus, compared with bash;
#					KEEP=F adds those that differ to F, FILE=F compares those of F, SHOW=1 tells what is skipped

VERSION   := 0.1.0
PREFIX    ?= /usr/local
DESTDIR   ?=
CC        ?= cc
VARIANT   ?= release
B         := build/$(VARIANT)
FUZZ_SECONDS ?= 10
# A fresh machine builds with all its processors, unless -j says otherwise.
PARALLEL   = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))
SUB        = $(MAKE) --no-print-directory $(PARALLEL)

# ---- what is needed, by Debian package name -------------------------------------------------------
PKG_BUILD := gcc make pkg-config libc6-dev libvterm-dev libtickit-dev libcjson-dev libseccomp-dev libgit2-dev
PKG_RUN   := bubblewrap bash
PKG_TEST  := git less procps python3 util-linux fish
PKG_LINT  := clang clang-tidy cppcheck mandoc python3
PKG_ATTACKS := socat curl less zsh
PKG_FUZZ  := clang libclang-rt-dev|libclang-rt-14-dev
NODE_PKG  := npm

# ---- flags --------------------------------------------------------------------------------------
PC        := libcjson libseccomp vterm tickit libgit2
PC_CFLAGS  = $(shell pkg-config --cflags $(PC) 2>/dev/null)
# libgit2 is loaded when a line is about a repository: intercept/world.c says why.
PC_LIBS    = $(shell pkg-config --libs $(filter-out libgit2,$(PC)) 2>/dev/null)
# Flags that only some compilers and processors take.
takes      = $(shell $(CC) $(1) -Werror -x c -c -o /dev/null /dev/null 2>/dev/null && echo $(1))
WARN      := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual \
	     -Wwrite-strings -Wvla -Wformat=2 -Wundef -Wno-missing-field-initializers
HARDEN    := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE \
	     $(call takes,-fstack-clash-protection) $(call takes,-fcf-protection) $(call takes,-mbranch-protection=standard)
CPPFLAGS  += -D_GNU_SOURCE -DSBXTERM_VERSION='"$(VERSION)"' -Isrc -I. -Ibuild/tree-sitter/include
CFLAGS    ?= -O2 -g
SAN       :=
LDHARDEN  := -pie -Wl,-z,relro,-z,now,-z,noexecstack
ifneq ($(filter asan fuzz,$(VARIANT)),)
CFLAGS    := -O1 -g -fno-omit-frame-pointer
SAN       := -fsanitize=address,undefined -fno-sanitize-recover=all
HARDEN    := -fstack-protector-strong -fPIE
endif
ifeq ($(VARIANT),fuzz)
CC        := clang
SAN       += -fsanitize=fuzzer-no-link
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
programs   = $(patsubst %.c,$(B)/%,$(wildcard $(1)))
UNIT      := $(call programs,tests/unit/*.c)
SCRIPT    := $(call programs,tests/script/*.c)
E2E       := $(if $(wildcard tests/e2e/*.t),$(call programs,tests/e2e/run.c))
TOOLS     := $(call programs,tests/tools/*.c)
BENCH     := $(call programs,tests/bench/*.c)
FUZZ      := $(call programs,tests/fuzz/*.c)
TESTS     := $(UNIT) $(SCRIPT) $(E2E)

# What is done in a word; V=1 shows the commands.
say        = $(if $(V),,@printf '  %-5s %s\n' '$(1)' '$(patsubst build/%,%,$@)';)

.DEFAULT_GOAL := all
.PHONY: all run test unit script e2e asan corpus oracle attacks bench fuzz lint deps deps-test deps-lint deps-attacks deps-fuzz \
	objects install install-files uninstall clean help
.DELETE_ON_ERROR:
.SECONDARY:

all: build/sbxterm $(HELPERS)

deps:
	@sh tests/tools/deps.sh $(PKG_BUILD) $(PKG_RUN)
deps-test: deps
	@sh tests/tools/deps.sh $(PKG_TEST)
deps-lint: deps
	@sh tests/tools/deps.sh $(PKG_LINT)
deps-attacks: deps-test
	@sh tests/tools/deps.sh $(PKG_ATTACKS)
deps-fuzz: deps
	@sh tests/tools/deps.sh '$(PKG_FUZZ)'

# The packages change what this file finds out about the machine, so make starts over after them.
run: deps
	+@$(SUB) all
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
TS_OBJS   := build/tree-sitter/runtime.o $(foreach g,bash javascript powershell python,build/tree-sitter/$(g)-parser.o build/tree-sitter/$(g)-scanner.o)
TS_CFLAGS := -std=gnu11 -O2 -g -w -fPIE -fstack-protector-strong -D_GNU_SOURCE
build/tree-sitter/runtime.o: $(TS_STAMP)
	$(call say,CC)$(CC) $(TS_CFLAGS) -I$(TS_SRC)/include -I$(TS_SRC)/src -c $(TS_SRC)/src/lib.c -o $@
build/tree-sitter/%-parser.o: $(TS_STAMP)
	$(call say,CC)$(CC) $(TS_CFLAGS) -I$(NM)/tree-sitter-$*/src -c $(NM)/tree-sitter-$*/src/parser.c -o $@
build/tree-sitter/%-scanner.o: $(TS_STAMP)
	$(call say,CC)$(CC) $(TS_CFLAGS) -I$(NM)/tree-sitter-$*/src -c $(NM)/tree-sitter-$*/src/scanner.c -o $@
$(TS_LIB): $(TS_OBJS)
	@rm -f $@
	$(call say,AR)ar rcs $@ $^

# ---- objects, library, programs ------------------------------------------------------------------
$(B)/%.o: %.c | $(TS_STAMP)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -Itests -c $< -o $@
$(LIB): $(LIB_OBJS)
	@rm -f $@
	$(call say,AR)ar rcs $@ $^
$(B)/sbxterm: $(B)/src/main.o $(LIB) $(TS_LIB)
	$(call say,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $(B)/src/main.o $(LIB) $(TS_LIB) $(PC_LIBS)
build/sbxterm: build/release/sbxterm
	@cp -f $< $@
# Helpers run inside the sandbox: static, no library of ours, small.
build/sbx-%: sandbox/helper/%.c $(wildcard sandbox/helper/*.h)
	@mkdir -p build
	$(call say,LINK)$(CC) $(CPPFLAGS) -std=gnu11 $(WARN) -O2 -g -static -fstack-protector-strong -o $@ $<

$(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(LIB) $(TS_LIB)
	$(call say,LINK)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $< $(LIB) $(TS_LIB) $(PC_LIBS)
$(B)/tests/%: $(B)/tests/%.o $(LIB) $(TS_LIB)
	$(call say,LINK)$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(TS_LIB) $(PC_LIBS)
# Everything that is compiled, not linked: for a look at the warnings.
objects: $(LIB_OBJS) $(B)/src/main.o $(TESTS:=.o) $(patsubst %.c,$(B)/%.o,$(wildcard tests/e2e/*.c)) $(TOOLS:=.o) $(BENCH:=.o) $(FUZZ:=.o) $(HELPERS:build/sbx-%=$(B)/sandbox/helper/%.o)

# ---- tests ---------------------------------------------------------------------------------------
unit: $(UNIT) $(HELPERS)
	@sh tests/tools/run.sh $(UNIT)
script: $(SCRIPT)
	@sh tests/tools/run.sh $(SCRIPT)
e2e: $(E2E) all
	@sh tests/tools/run.sh $(E2E)
test: deps-test
	+@$(SUB) all tests
	@sh tests/tools/run.sh $(TESTS)
.PHONY: tests
tests: $(TESTS) $(TOOLS)
asan: deps-test
	+@$(SUB) VARIANT=asan tests-asan
.PHONY: tests-asan
tests-asan: $(UNIT) $(SCRIPT) $(HELPERS)
	@sh tests/tools/run.sh $(UNIT) $(SCRIPT)
lint: deps-test deps-lint
	+@$(SUB) $(TS_STAMP) $(call programs,tests/tools/check-json.c)
	@MAKE='$(SUB)' sh tests/tools/lint.sh
fuzz: deps-fuzz
	+@$(SUB) VARIANT=fuzz fuzzers
	@sh tests/tools/fuzz.sh $(FUZZ_SECONDS) $(FUZZ:$(B)/%=build/fuzz/%)
.PHONY: fuzzers
fuzzers: $(FUZZ)
ifneq ($(wildcard tests/tools/corpus.c),)
# FILE= another corpus, LIST=1 also the lines whose verdict is not accepted
corpus: $(B)/tests/tools/corpus
	@$< $(if $(LIST),--list) $(if $(FILE),$(FILE),tests/corpus/commands.jsonl)
endif
oracle: $(B)/tests/unit/oracle
	@ORACLE_LINES=$(or $(N),20000) ORACLE_SEED=$(or $(SEED),1) ORACLE_KEEP=$(KEEP) $(if $(FILE),ORACLE_FILE=$(FILE)) \
	$(if $(SHOW),ORACLE_SKIPPED=1) $<
# MODE= sandbox, gate, proof or control instead of what each case is for.
attacks: deps-attacks
	+@$(SUB) all $(B)/tests/tools/sandboxed
	@python3 tests/e2e/attacks.py $(if $(MODE),--mode $(MODE)) $(FILE)
ifneq ($(BENCH),)
bench: all $(BENCH)
	@for b in $(BENCH); do echo "== $${b##*/}"; $$b || exit 1; done
endif

# ---- installing: what is put in place needs nothing of this directory ------------------------------
BIN       := $(DESTDIR)$(PREFIX)/bin
LIBEXEC   := $(DESTDIR)$(PREFIX)/lib/sbxterm
SHARE     := $(DESTDIR)$(PREFIX)/share/sbxterm
MANDIR    := $(DESTDIR)$(PREFIX)/share/man
MANS      := $(wildcard man/*.[1-8])
DATA      := conf/default.jsonc $(wildcard conf/schema/*.json conf/programs/*.json conf/shell/* conf/*.json)
man_place  = $(MANDIR)/man$(subst .,,$(suffix $(1)))/$(notdir $(1))

install: deps
	+@$(SUB) all
	@$(MAKE) --no-print-directory install-files
install-files:
	install -d $(BIN) $(LIBEXEC) $(SHARE)
	install -m 755 build/sbxterm $(BIN)/sbxterm
	$(if $(HELPERS),install -m 755 $(HELPERS) $(LIBEXEC)/)
	@for f in $(DATA); do install -D -m 644 "$$f" "$(SHARE)/$${f#conf/}" || exit 1; done
	@$(foreach m,$(MANS),install -D -m 644 $(m) $(call man_place,$(m)) &&) true
uninstall:
	rm -f $(BIN)/sbxterm $(foreach m,$(MANS),$(call man_place,$(m)))
	rm -rf $(LIBEXEC) $(SHARE)

clean:
	rm -rf build
help:
	@sed -n '1,/^$$/p' Makefile

-include $(LIB_OBJS:.o=.d) $(TESTS:=.d) $(TOOLS:=.d) $(BENCH:=.d) $(FUZZ:=.d) $(B)/src/main.d
