#!/usr/bin/env bash
# cub_by_key_sums_narrow.sh
#		CUB 3.0.1 (of CUDA 13.0): given int values and an output of int64, DeviceReduce::Sum
#		and DeviceSegmentedReduce::Sum add in the output's type.  ReduceByKey with plus,
#		InclusiveSum and InclusiveSumByKey add in the values' type and widen what comes
#		out: a group whose sum leaves int has a wrong one, in a column wide enough for the
#		right one, and no warning says so.  float values whose sums are to be double are
#		added in float.  An iterator in front of the values that widens them helps.
#
# Output seen:
#	CUB 300001: DeviceReduceKernel of int const adds in long
#	CUB 300001: DeviceSegmentedReduceKernel of int const adds in long
#	CUB 300001: DeviceReduceByKeyKernel of int const adds in int
#	CUB 300001: DeviceReduceByKeyKernel of transform_iterator adds in long
#	CUB 300001: DeviceReduceByKeyKernel of float const adds in float
#	CUB 300001: DeviceScanKernel of int const adds in int
#	CUB 300001: DeviceScanByKeyKernel of int const adds in int
#
# The toolkit is NVIDIA's, not one of Debian's packages: release 13.0 of PATH or /usr/local/cuda;
# exit 77 without it.  Compiles in a temporary folder, a minute, and reads the names of the
# kernels, which have the types that they take and add in.  Needs no card.
set -eu -o pipefail

SELF=$(realpath "$0")
DIR=$(mktemp -d)
trap 'rm -rf "$DIR"' EXIT

cd "$DIR"
PATH=$PATH:/usr/local/cuda/bin
[[ $(nvcc --version 2>/dev/null) == *"release 13.0"* ]] || { echo "CUDA 13.0 is not to be had here"; exit 77; }

cat >sums.cu <<'CUDA'
#include <cstdint>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/transform_iterator.h>

struct Widen
{
	__host__ __device__ int64_t operator()(int value) const { return value; }
};

void
sums(void *room, size_t &size, int *keys, const int *in, int64_t *out, int *count, const float *reals, double *real_out)
{
	auto wide = thrust::make_transform_iterator(in, Widen{});
	cuda::std::plus<> plus;

	cub::DeviceReduce::Sum(room, size, in, out, 100);
	cub::DeviceSegmentedReduce::Sum(room, size, in, out, 1, keys, keys + 1);
	cub::DeviceReduce::ReduceByKey(room, size, keys, keys, in, out, count, plus, 100);
	cub::DeviceReduce::ReduceByKey(room, size, keys, keys, wide, out, count, plus, 100);
	cub::DeviceReduce::ReduceByKey(room, size, keys, keys, reals, real_out, count, plus, 100);
	cub::DeviceScan::InclusiveSum(room, size, in, out, 100);
	cub::DeviceScan::InclusiveSumByKey(room, size, keys, in, out, 100);
}
CUDA
nvcc -std=c++17 -arch=sm_90 -Xcicc -O0 -ptx -Werror all-warnings sums.cu

# A type that is added in stands first in a reduction's policy, and for the others in what
# blocks tell each other.
version=$(nvcc -E -x cu - <<<$'#include <cub/version.cuh>\nCUB_VERSION' | tail -n 1)
sed -n 's/.*\.entry \([A-Za-z0-9_]*\).*/\1/p' sums.ptx | c++filt | sed -nE '
	s/.*::(Device(Segmented)?ReduceKernel)<.*policy_hub<(\w+), .*Policy1000, (int const).*/\1 of \4 adds in \3/p
	s/.*::(Device(ReduceByKey|Scan|ScanByKey)Kernel)<.*Policy1000, (int\*, )*(int const|float const|thrust::\w+::transform_iterator).*TileState<(\w+), .*/\1 of \4 adds in \5/p' |
	sed -E "s/thrust::\w+:://; s/^/CUB $version: /" | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
