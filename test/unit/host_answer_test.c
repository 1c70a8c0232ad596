/*
 * host_answer_test.c
 *		Groups that are wanted, on the host device: device_answer_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_answer_cases(&host_device);
}
