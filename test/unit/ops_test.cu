/*
 * ops_test.cu
 *		Every known answer of ops_cases.h on a GPU, one thread a case, through
 *		the same scalar interpreter.  Prints TAP; skips all where there is no
 *		GPU.
 *
 *		nvcc -std=c++17 -arch=native -fmad=false -I src test/unit/ops_test.cu
 *
 * Strings travel in one block of bytes; the device sees addresses in its own
 * copy, and a result that is a string comes back as one of these.
 */
#include <cstdlib>
#include <vector>

#include "ops_cases.h"

#define OPS_MAX_REGS 32

typedef struct Slot
{
	alignas(8) char program[OPS_PROGRAM_BYTES];
	GpuAggValue reg[OPS_MAX_REGS];
	uint8_t		st[OPS_MAX_REGS];
} Slot;

__global__ void
run_cases_kernel(Slot *slots, int n)
{
	int			t = (int) (blockIdx.x * blockDim.x + threadIdx.x);

	if (t >= n)
		return;

	const GpuAggProgram *p = (const GpuAggProgram *) slots[t].program;

	gpuagg_eval_constants(p, slots[t].reg, slots[t].st);
	gpuagg_eval(p, 0, 1, slots[t].reg, slots[t].st);
}

static void
check(cudaError_t result, const char *what)
{
	if (result == cudaSuccess)
		return;
	printf("Bail out! %s: %s\n", what, cudaGetErrorString(result));
	exit(1);
}

/* Arguments of a case; strings as offsets into the block of bytes until that is on the device */
static void
fill_slot(const OpsCase *c, Slot *slot, std::vector<char> *bytes)
{
	memset(slot, 0, sizeof(*slot));
	ops_build(c, slot->program);
	for (int i = 0; i < 3; i++)
	{
		const OpsArg *a = &c->arg[i];
		GpuAggValue *v = &slot->reg[i];

		slot->st[i] = a->st;
		if (a->cls == GPUAGG_CLASS_F64)
			v->f = a->f;
		else if (a->cls == GPUAGG_CLASS_I64)
			v->i = a->i;
		else if (a->st == GPUAGG_ST_VALUE)
		{
			/* tables are where words may be, or not, as they are here */
			bytes->resize((bytes->size() + 7) / 8 * 8 + (uintptr_t) a->s % 8);
			v->b.data = (const char *) bytes->size();
			v->b.len = a->len;
			bytes->insert(bytes->end(), a->s, a->s + a->len);
		}
	}
}

int
main(void)
{
	std::vector<Slot> slots(OPS_NCASES);
	std::vector<char> bytes(1);
	Slot	   *device_slots;
	char	   *device_bytes;
	int			devices = 0;
	int			failed[GPUAGG_NOPS] = {0};

	if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
	{
		printf("1..0 # SKIP no GPU\n");
		return 0;
	}
	for (int n = 0; n < OPS_NCASES; n++)
		fill_slot(&ops_cases[n], &slots[n], &bytes);
	check(cudaMalloc(&device_bytes, bytes.size()), "cudaMalloc");
	check(cudaMalloc(&device_slots, slots.size() * sizeof(Slot)), "cudaMalloc");
	for (int n = 0; n < OPS_NCASES; n++)
		for (int i = 0; i < 3; i++)
			if (ops_cases[n].arg[i].cls == GPUAGG_CLASS_BYTES)
				slots[n].reg[i].b.data = device_bytes +
					(size_t) slots[n].reg[i].b.data;
	check(cudaMemcpy(device_bytes, bytes.data(), bytes.size(),
					 cudaMemcpyHostToDevice), "cudaMemcpy");
	check(cudaMemcpy(device_slots, slots.data(), slots.size() * sizeof(Slot),
					 cudaMemcpyHostToDevice), "cudaMemcpy");
	run_cases_kernel<<<(OPS_NCASES + 127) / 128, 128>>>(device_slots, OPS_NCASES);
	check(cudaDeviceSynchronize(), "run_cases_kernel");
	check(cudaMemcpy(slots.data(), device_slots, slots.size() * sizeof(Slot),
					 cudaMemcpyDeviceToHost), "cudaMemcpy");
	for (int n = 0; n < OPS_NCASES; n++)
	{
		const OpsCase *c = &ops_cases[n];
		const Slot *slot = &slots[n];
		uint32_t	r = ((const GpuAggProgram *) slot->program)->nregs - 1u;
		const char *result = NULL;

		if (ops_result_class(c) == GPUAGG_CLASS_BYTES &&
			slot->st[r] == GPUAGG_ST_VALUE)
			result = bytes.data() + (slot->reg[r].b.data - device_bytes);
		if (ops_same(c, slot->reg[r], slot->st[r], result))
			continue;
		failed[c->op]++;
		ops_explain(c, slot->reg[r], slot->st[r]);
	}
	for (int op = 0; op < GPUAGG_NOPS; op++)
	{
		char		name[64];

		snprintf(name, sizeof(name), "GPU: %s", ops_names[op]);
		ok(failed[op] == 0, name);
	}
	check(cudaFree(device_slots), "cudaFree");
	check(cudaFree(device_bytes), "cudaFree");
	return done_testing();
}
