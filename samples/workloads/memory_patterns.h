// Ways to read memory. Their costs per byte differ by orders of magnitude. The read functions return a
// checksum of what they read, so that the compiler cannot remove a read. Internal to samples.
#pragma once

#include <cstdint>
#include <span>

namespace runahead::samples {

inline constexpr std::int64_t kLineBytes = 64;  // size of a cache line on the machines that this runs on
inline constexpr std::int64_t kLineWords = kLineBytes / 4;

// Reads every word once, in order, eight bytes at a time. Returns the sum of all 8-byte words. REQUIRES:
// `block` consists of whole cache lines.
[[nodiscard]] std::uint64_t read_in_order(std::span<const float> block);
// Reads words 0, stride, 2 * stride, ... Returns the sum of the bits of these words. REQUIRES: stride >= 1.
[[nodiscard]] std::uint64_t read_strided(std::span<const float> block, std::int64_t stride_words);

// Writes a chain of cache lines: the first word of each line gets the number of the next line. The chain
// starts at line 0, visits every line once in an order drawn from `seed`, and returns to line 0. REQUIRES:
// `block` consists of whole lines, at most 2^24 (a float represents such a number exactly).
void write_chain(std::span<float> block, std::uint64_t seed);
// Follows the chain from line `from` for `count` reads. Each read must finish before the place of the next
// read is known. Returns the last line that it reaches. The next call should begin at that line. If it began
// at line 0 again, it would find the same lines in the caches.
[[nodiscard]] std::int64_t follow_chain(std::span<const float> block, std::int64_t from, std::int64_t count);

// Two threads count to `count` each, with counters in one cache line or in two. Returns the seconds from the
// start of the first thread to the end of the last. One of the two threads is the caller. The function starts
// the other thread and waits for its end.
[[nodiscard]] double count_on_two_threads(bool one_line, std::int64_t count);

}  // namespace runahead::samples
