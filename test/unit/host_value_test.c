/*
 * host_value_test.c
 *		Keys, expressions and sums on the host device: device_value_cases.c
 */
#include "host_device.h"

int
main(void)
{
	return device_value_cases(&host_device);
}
