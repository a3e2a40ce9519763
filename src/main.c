#include <stdio.h>

int main(void)
{
	puts("sbxterm " SBXTERM_VERSION);
	return 0;
}
