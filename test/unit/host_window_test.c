/*
 * host_window_test.c
 *		Windows and strategies, on the host device: device_window_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_window_cases(&host_device);
}
