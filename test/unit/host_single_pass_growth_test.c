/*
 * host_single_pass_growth_test.c
 *		Tables that grow, on the host device in a single pass: device_growth_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_growth_cases(&host_single_pass);
}
