#include "intercept/cmdline.h"

#include <assert.h>

#include "base/mem.h"

const char *const dialect_name[DIALECT_COUNT] = {
	[DIALECT_BASH]		= "bash",
	[DIALECT_SH]		= "sh",
	[DIALECT_ZSH]		= "zsh",
	[DIALECT_FISH]		= "fish",
	[DIALECT_POWERSHELL]	= "powershell",
	[DIALECT_CMD]		= "cmd",
};
static_assert(ARRAY_SIZE(dialect_name) == DIALECT_COUNT, "name every dialect");
