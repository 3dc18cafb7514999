// Decoded: passes records made by hand through a Decoder and a recorder, and writes the resulting timeline as
// text. Times are relative to the start of the recording.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "instrumentation/cupti/decoder.h"
#include "tests/record/capture.h"

namespace runahead::testing {

class Decoded {
 public:
  explicit Decoded(cupti::DecoderOptions options = {});

  // ---- records; by default on a stream of device 0 and context 1 ----------------------------------------
  [[nodiscard]] cupti::Work work(Duration begin, Duration end, std::uint32_t correlation,
                                 std::uint32_t stream = 7) const;
  void kernel(const cupti::Work& work, const char* name = "gemm");
  void copy(const cupti::Work& work, std::uint64_t bytes, cupti::CopyKind kind, cupti::MemoryKind from,
            cupti::MemoryKind to, bool asynchronous = true);
  void call(const char* name, Duration begin, Duration end, std::uint32_t correlation,
            std::int32_t result = 0, std::int64_t tid = 4242);
  void op(std::uint32_t correlation, std::uint64_t number);
  void synchronization(cupti::SynchronizationKind kind, Duration begin, Duration end,
                       std::uint32_t correlation, std::uint32_t stream = 7);
  void marker(cupti::MarkerKind kind, Duration at, std::uint32_t id, const char* name,
              const char* domain = nullptr);
  void memory(bool allocated, Duration at, std::uint64_t address, std::uint64_t bytes);
  void add(const cupti::Record& record) { decoder.add(record); }

  // Ends a delivery (the records of one fetch from CUPTI). The collector then takes the rows that the decoder
  // has finished.
  void deliver(Duration complete = Duration{1'000'000});
  void close(Duration at = Duration{1'000'000});

  [[nodiscard]] std::int64_t ns(Duration since_start) const;
  // The arguments of the first slice with the name `slice`: "block=[32, 1, 1] grid=... ".
  [[nodiscard]] std::string args(std::string_view slice) const;

  cupti::Decoder decoder;  // outlives the collector, which takes the decoder's rows until the collector ends
  Capture capture;

 private:
  class Rows;
  std::shared_ptr<Rows> rows_;
};

}  // namespace runahead::testing
