/*
 * host_value_test.c
 *		Keys, expressions and sums on the host device: device_value_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_value_cases(&host_device);
}
