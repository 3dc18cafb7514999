#include "samples/workloads/memory_patterns.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "instrumentation/base/check.h"
#include "samples/clock.h"

namespace runahead::samples {

std::uint64_t read_in_order(std::span<const float> block) {
  // The number of 8-byte words in a cache line. Each of them is added to its own sum, so that the additions
  // do not wait for each other.
  constexpr std::size_t kAtOnce = 8;
  RUNAHEAD_CHECK_OP(block.size() % kLineWords, ==, 0u);
  std::array<std::uint64_t, kAtOnce> sums{};
  for (std::size_t i = 0; i < block.size(); i += kLineWords) {
    for (std::size_t k = 0; k < kAtOnce; ++k) {
      std::uint64_t word;
      std::memcpy(&word, block.data() + i + 2 * k, sizeof word);
      sums[k] += word;
    }
  }
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

std::uint64_t read_strided(std::span<const float> block, std::int64_t stride_words) {
  RUNAHEAD_CHECK_OP(stride_words, >=, 1);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); i += static_cast<std::size_t>(stride_words))
    sum += std::bit_cast<std::uint32_t>(block[i]);
  return sum;
}

void write_chain(std::span<float> block, std::uint64_t seed) {
  constexpr std::size_t kStep = static_cast<std::size_t>(kLineWords);
  const std::size_t lines = block.size() / kStep;
  RUNAHEAD_CHECK(block.size() % kStep == 0 && lines >= 1 && lines <= (std::size_t{1} << 24));
  // Sattolo's shuffle: a random permutation that is one cycle.
  std::vector<std::uint32_t> next(lines);
  std::iota(next.begin(), next.end(), 0u);
  std::mt19937_64 random(seed);
  for (std::size_t i = lines - 1; i > 0; --i) std::swap(next[i], next[random() % i]);
  for (std::size_t line = 0; line < lines; ++line) block[line * kStep] = static_cast<float>(next[line]);
}

std::int64_t follow_chain(std::span<const float> block, std::int64_t from, std::int64_t count) {
  std::size_t line = static_cast<std::size_t>(from);
  for (std::int64_t i = 0; i < count; ++i)
    line = static_cast<std::size_t>(block[line * static_cast<std::size_t>(kLineWords)]);
  return static_cast<std::int64_t>(line);
}

double count_on_two_threads(bool one_line, std::int64_t count) {
  // All accesses are relaxed, except those to `ready`: each counter belongs to one thread, and its value is
  // never read. Counters in separate cache lines are two lines apart, because some machines fetch lines in
  // pairs.
  struct alignas(2 * kLineBytes) Counters {
    std::array<std::atomic<std::uint64_t>, 4 * kLineBytes / sizeof(std::uint64_t)> at{};
  };
  Counters counters;
  // Makes both threads start counting together: each thread adds 1 and waits until `ready` is 2. The acquire
  // pairs with the release.
  std::atomic<int> ready{0};
  const auto start_together = [&ready] {
    // Spins for about 10 us without giving the core away: a thread that yields comes back long after the
    // other thread has begun. On a machine with one core, the thread has to yield, so that the other thread
    // can run.
    constexpr int kSpins = 20'000;
    ready.fetch_add(1, std::memory_order_acq_rel);
    for (int i = 0; ready.load(std::memory_order_acquire) < 2; ++i) {
      if (i >= kSpins) std::this_thread::yield();
    }
  };
  struct Interval {
    double begin_s = 0, end_s = 0;
  };
  const auto count_in = [count, &start_together](std::atomic<std::uint64_t>& counter) {
    start_together();
    Interval taken{.begin_s = now_s()};
    for (std::int64_t i = 0; i < count; ++i) counter.fetch_add(1, std::memory_order_relaxed);
    taken.end_s = now_s();
    return taken;
  };
  const std::size_t other = one_line ? 1 : 2 * kLineBytes / sizeof(std::uint64_t);
  Interval theirs;  // written by the partner thread; read after join()
  std::thread partner([&] { theirs = count_in(counters.at[other]); });
  const Interval ours = count_in(counters.at[0]);
  partner.join();
  return std::max(ours.end_s, theirs.end_s) - std::min(ours.begin_s, theirs.begin_s);
}

}  // namespace runahead::samples
