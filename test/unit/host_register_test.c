/*
 * host_register_test.c
 *		Tasks while shared_buffers are being registered: device_register_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_register_cases(&host_device);
}
