/*
 * host_fold_test.c
 *		Look-up tables that the host device makes of several rows of a key: device_fold_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_fold_cases(&host_device);
}
