/*
 * host_partitioned_value_test.c
 *		Values, on the host device with rows kept by partition: device_value_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_value_cases(&host_partitioned);
}
