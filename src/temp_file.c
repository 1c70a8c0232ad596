/*
 * temp_file.c
 *		Temporary files of what a query keeps from one call to the next.
 */
#include "postgres.h"

#include "commands/tablespace.h"
#include "temp_file.h"

BufFile *
gpuagg_temp_file(MemoryContext context, ResourceOwner owner)
{
	ResourceOwner old_owner = CurrentResourceOwner;
	MemoryContext old = MemoryContextSwitchTo(context);
	BufFile    *file;

	PrepareTempTablespaces();
	CurrentResourceOwner = owner;
	file = BufFileCreateTemp(false);
	CurrentResourceOwner = old_owner;
	MemoryContextSwitchTo(old);
	return file;
}
