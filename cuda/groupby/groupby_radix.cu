/*
 * groupby_radix.cu
 *		CUB's part of grouping by sorting: the radix sort of words, and the list of groups.
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "cuda/groupby/groupby_word.cuh"

template <typename Word>
static cudaError_t
sort_words(void *memory, size_t &bytes, void *words[2], uint64_t n, uint32_t bits,
		   const void **sorted, cudaStream_t stream)
{
	cub::DoubleBuffer<Word> keys((Word *) words[0], (Word *) words[1]);
	const cudaError_t rc = cub::DeviceRadixSort::SortKeys(memory, bytes, keys, n, 0, (int) bits,
														  stream);

	*sorted = keys.Current();
	return rc;
}

template <typename Word>
static cudaError_t
list_starts(void *memory, size_t &bytes, const void *words, uint64_t n, uint32_t value_bits,
			uint32_t *starts, uint64_t *n_starts, cudaStream_t stream)
{
	const GroupBegins<Word> begins = {(const Word *) words, value_bits};

	return cub::DeviceSelect::If(memory, bytes, thrust::counting_iterator<uint32_t>(0), starts,
								 n_starts, (int64_t) n, begins, stream);
}

cudaError_t
gpuagg_cuda_groupby_sort_bytes(const GpuAggSortShape *shape, uint64_t n, size_t *bytes)
{
	void	   *none[2] = {};
	const void *sorted;

	*bytes = 0;
	return sort_with_word(shape, [&](auto word) {
		return sort_words<decltype(word)>(NULL, *bytes, none, n, shape->bits, &sorted, NULL);
	});
}

cudaError_t
gpuagg_cuda_groupby_sort(const GpuAggSortShape *shape, uint64_t n, void *words[2], void *memory,
						 size_t bytes, const void **sorted, cudaStream_t stream)
{
	return sort_with_word(shape, [&](auto word) {
		return sort_words<decltype(word)>(memory, bytes, words, n, shape->bits, sorted, stream);
	});
}

cudaError_t
gpuagg_cuda_groupby_starts_bytes(const GpuAggSortShape *shape, uint64_t n, uint32_t bits,
								 size_t *bytes)
{
	*bytes = 0;
	return sort_with_word(shape, [&](auto word) {
		return list_starts<decltype(word)>(NULL, *bytes, NULL, n, bits, NULL, NULL, NULL);
	});
}

cudaError_t
gpuagg_cuda_groupby_starts(const GpuAggSortShape *shape, const void *words, uint64_t n,
						   uint32_t bits, void *memory, size_t bytes, uint32_t *starts,
						   uint64_t *n_starts, cudaStream_t stream)
{
	return sort_with_word(shape, [&](auto word) {
		return list_starts<decltype(word)>(memory, bytes, words, n, bits, starts, n_starts,
										   stream);
	});
}
