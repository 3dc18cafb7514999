#include "tests/cupti/decoded.h"

#include <gtest/gtest.h>

#include <variant>

#include "instrumentation/record/hooks/recorder_state.h"

namespace runahead::testing {

using namespace cupti;

class Decoded::Rows final : public record::RowSource {
 public:
  explicit Rows(Decoder& decoder) : decoder_(decoder) {}
  bool take(record::SourceRows& rows) override {
    decoder_.take(rows);
    return true;
  }

 private:
  Decoder& decoder_;
};

Decoded::Decoded(DecoderOptions options) : decoder(options), rows_(std::make_shared<Rows>(decoder)) {
  capture.recorder.add(rows_);
}

std::int64_t Decoded::ns(Duration since_start) const {
  return TickClock::get().ns_from_ticks(capture.ticks(since_start));
}

Work Decoded::work(Duration begin, Duration end, std::uint32_t correlation, std::uint32_t stream) const {
  return {.begin_ns = ns(begin),
          .end_ns = ns(end),
          .device = 0,
          .context = 1,
          .stream = stream,
          .correlation = correlation,
          .graph = 0,
          .graph_node = 0};
}

void Decoded::kernel(const Work& work, const char* name) {
  Record record{.kind = RecordKind::kKernel, .kernel = {}};
  record.kernel = {work, name, {64, 2, 1}, {32, 1, 1}, 40, 1024, 512, 0};
  add(record);
}

void Decoded::copy(const Work& work, std::uint64_t bytes, CopyKind kind, MemoryKind from, MemoryKind to,
                   bool asynchronous) {
  Record record{.kind = RecordKind::kCopy, .kernel = {}};
  record.copy = {work, bytes, kind, from, to, asynchronous, 0, kind == CopyKind::kBetweenDevices ? 1u : 0u};
  add(record);
}

void Decoded::call(const char* name, Duration begin, Duration end, std::uint32_t correlation,
                   std::int32_t result, std::int64_t tid) {
  Record record{.kind = RecordKind::kCall, .kernel = {}};
  record.call = {ns(begin), ns(end), name, correlation, tid, result, false};
  add(record);
}

void Decoded::op(std::uint32_t correlation, std::uint64_t number) {
  Record record{.kind = RecordKind::kExternalCorrelation, .kernel = {}};
  record.external = {raw(testing::op(number)), correlation};
  add(record);
}

void Decoded::synchronization(SynchronizationKind kind, Duration begin, Duration end,
                              std::uint32_t correlation, std::uint32_t stream) {
  Record record{.kind = RecordKind::kSynchronization, .kernel = {}};
  record.synchronization = {ns(begin), ns(end), correlation, 1, stream, 0, kind};
  add(record);
}

void Decoded::marker(MarkerKind kind, Duration at, std::uint32_t id, const char* name, const char* domain) {
  Record record{.kind = RecordKind::kMarker, .kernel = {}};
  record.marker = {ns(at), kind, id, 4242, name, domain};
  add(record);
}

void Decoded::memory(bool allocated, Duration at, std::uint64_t address, std::uint64_t bytes) {
  Record record{.kind = RecordKind::kMemory, .kernel = {}};
  record.memory = {.at_ns = ns(at),
                   .address = address,
                   .bytes = bytes,
                   .device = 0,
                   .memory = MemoryKind::kDevice,
                   .allocated = allocated};
  add(record);
}

void Decoded::deliver(Duration complete) {
  decoder.commit(ns(complete));
  capture.settle();
}

void Decoded::close(Duration at) {
  decoder.close(ns(at));
  capture.settle();
}

std::string Decoded::args(std::string_view name) const {
  const trace::Trace& trace = capture.trace;
  for (const trace::Track& track : trace.tracks()) {
    for (const trace::Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const trace::Slice slice = lane.slice(row);
        if (trace.string(slice.name) != name) continue;
        std::string text;
        for (const trace::Arg& arg : trace.args(slice.args)) {
          text += std::string(trace.string(arg.key)) + "=";
          if (const auto* whole = std::get_if<std::int64_t>(&arg.value)) text += std::to_string(*whole);
          if (const auto* said = std::get_if<StringId>(&arg.value)) text += trace.string(*said);
          text += "; ";
        }
        return text;
      }
    }
  }
  return "no such slice";
}

}  // namespace runahead::testing
