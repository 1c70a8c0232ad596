/*
 * host_slab_code_test.c
 *		Strings as codes, in slabs and in pages, on the host device: device_slab_code_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_slab_code_cases(&host_device);
}
