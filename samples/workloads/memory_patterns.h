// Ways to go through memory whose cost per byte differs by orders of magnitude. Those that read return a
// checksum of what they read, so that no compiler can leave a read out. Internal to samples.
#pragma once

#include <cstdint>
#include <span>

namespace runahead::samples {

inline constexpr std::int64_t kLineBytes = 64;  // of a cache line, on the machines this runs on
inline constexpr std::int64_t kLineWords = kLineBytes / 4;

// Every word once, in order, eight bytes at a time. REQUIRES: whole lines. The sum of all 8-byte words.
[[nodiscard]] std::uint64_t read_in_order(std::span<const float> block);
// Words 0, stride, 2 * stride, ...; the sum of their bits. REQUIRES: stride >= 1.
[[nodiscard]] std::uint64_t read_strided(std::span<const float> block, std::int64_t stride_words);

// Writes into the first word of each line the number of another, so that following them from line 0 visits
// every line once, in an order drawn from `seed`, and comes back. REQUIRES: whole lines, at most 2^24 (a
// float holds such a number exactly).
void write_chain(std::span<float> block, std::uint64_t seed);
// Follows the chain from line `from` for `count` reads; where each is, is known when the one before has come.
// Returns the line it comes to, from where to go on: starting over would find the same lines in the caches.
[[nodiscard]] std::int64_t follow_chain(std::span<const float> block, std::int64_t from, std::int64_t count);

// Two threads count to `count` each, in two counters of one cache line or of two. The seconds from the
// first one's beginning to the last one's end. Starts a thread, which has ended on return.
[[nodiscard]] double count_on_two_threads(bool one_line, std::int64_t count);

}  // namespace runahead::samples
