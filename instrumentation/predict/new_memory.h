// New memory: blocks that a device's pool took from the system. The system gives and clears each page at the
// first write to it (a page fault at first touch), so the op that writes such a block is slower. Under
// another barrier, other ops write new memory: a program that runs far ahead holds more blocks at once, and
// one that waits uses a few blocks again and again. Only for the workers of device cpu: the time of a
// simulated device's op is modelled, and a real device has other memory. Internal to predict.
//
// A recording says exactly which blocks are new: the counter of the pool's reserved bytes rises at their
// allocation. A recording without this counter, such as a predicted timeline, says nothing about new memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "instrumentation/base/time.h"
#include "instrumentation/predict/program/program.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

// Used for as many bytes as kUsualNewBytes, beside the run's own: a run may have few new blocks, and most of
// them in its first milliseconds.
inline constexpr double kUsualNewNsPerByte = 0.4;
inline constexpr double kUsualNewBytes = 64 << 20;

// The first counter of a device in this role that has samples. Null: there is none.
[[nodiscard]] const trace::CounterSeries* counter_of(const trace::Trace& trace, trace::CounterRole role,
                                                     std::string_view device);

// The size with which a pool of the host counts a block (engine/device/memory): eight classes for each power
// of two. A free block serves any block of its class.
[[nodiscard]] std::int64_t pool_class_bytes(std::int64_t size_bytes);

// Sets Block::is_new and Block::pool_class of the blocks of cpu memory, Program::pool_classes and
// Memory::spare_bytes. Of the pool at the begin of the program it takes what the recording shows: as many
// free blocks of a class as it then used again, and memory that was reserved and not used.
//   lives  of Program::blocks
//   range  of the program, in the recording
// O(blocks * log(blocks)).
void find_new_blocks(const trace::Trace& trace, TimeRange range, std::span<const TimeRange> lives,
                     Program& program);

// Sets Op::new_time and Queue::new_ns_per_byte. Method: ops of one name and size are sorted by their time,
// those with new memory and those without. The time beyond that of the op at the same place among those
// without is the time that new memory took: pages are large, and most new blocks lie within a page that is
// there already. With too few ops without, it is the usual time for so many bytes, but at most half of the
// op's time, and the rest is at least the time of the fastest op. In a part of a run (`is_part`),
// Queue::new_ns_per_byte stays 0: blocks that were free before the part are not known, and a pool that has
// grown keeps its memory. So ops take no more time than others save. REQUIRES: find_new_blocks() and
// find_wake_times() were called. O(ops * log(ops)).
void find_new_memory_times(bool is_part, Program& program);

}  // namespace runahead::predict
