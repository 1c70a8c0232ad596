/*
 * host_race_test.c
 *		Pages that change while they are read: device_race_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_race_cases(&host_device);
}
