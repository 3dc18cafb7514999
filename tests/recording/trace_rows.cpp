#include "tests/recording/trace_rows.h"

#include <sstream>

#include "instrumentation/trace/allocation_table.h"

namespace runahead::testing {
namespace {

using namespace trace;

class Printer {
 public:
  explicit Printer(const Trace& trace) : trace_(trace) { out_.precision(17); }

  std::string print() {
    for (const Track& track : trace_.tracks()) print(track);
    for (std::uint64_t i = 0; i < trace_.instant_count(); ++i) {
      const Instant instant = trace_.instant(i);
      out_ << "instant " << ns_from(instant.at) << ' ' << raw(instant.track) << ' ' << name(instant.name)
           << ' ' << raw(instant.op) << args(instant.args) << '\n';
    }
    for (std::uint64_t i = 0; i < trace_.op_count(); ++i) print("op ", trace_.op_row(i));
    for (const OpRow& op : trace_.open_ops()) print("open op ", op);
    for (std::uint64_t i = 0; i < trace_.flow_count(); ++i) {
      const Flow flow = trace_.flow(i);
      out_ << "flow " << int(raw(flow.kind)) << ' ' << raw(flow.from_track) << ' ' << raw(flow.to_track)
           << ' ' << ns_from(flow.from_time) << ' ' << ns_from(flow.to_time) << ' ' << raw(flow.op)
           << name(flow.name) << '\n';
    }
    for (std::uint64_t i = 0; i < trace_.dependency_count(); ++i) {
      const Dependency d = trace_.dependency(i);
      out_ << "dependency " << raw(d.op) << ' ' << raw(d.on) << ' ' << int(raw(d.kind)) << ' '
           << ns_from(d.at) << '\n';
    }
    for (std::uint64_t i = 0; i < trace_.allocations().size(); ++i) {
      const Allocation h = trace_.allocations().row(i);
      out_ << "holding " << h.block << ' ' << raw(h.counter) << ' ' << name(h.category) << ' ' << name(h.name)
           << ' ' << raw(h.op) << ' ' << h.size_bytes << ' ' << ns_from(h.begin) << ' ' << ns_from(h.end)
           << ' ' << int(h.flags) << '\n';
    }
    for (const OpenSlice& open : trace_.open_slices()) {
      out_ << "open " << raw(open.track) << ' ' << open.depth;
      print(open.slice);
    }
    for (int i = 0; i < kLossCauseCount; ++i) {
      const auto cause = static_cast<LossCause>(i);
      if (trace_.losses().of(cause) != 0) out_ << "lost " << i << ' ' << trace_.losses().of(cause) << '\n';
    }
    out_ << "watermark " << ns_from(trace_.watermark()) << '\n';
    return out_.str();
  }

 private:
  std::string name(StringId id) { return "<" + std::string(trace_.string(id)) + ">"; }
  std::string args(ArgsId id) {
    std::ostringstream out;
    out.precision(17);
    for (const Arg& arg : trace_.args(id)) {
      out << ' ' << name(arg.key) << '=';
      if (const auto* v = std::get_if<std::int64_t>(&arg.value)) out << "i" << *v;
      if (const auto* v = std::get_if<double>(&arg.value)) out << "d" << *v;
      if (const auto* v = std::get_if<StringId>(&arg.value)) out << name(*v);
    }
    return out.str();
  }
  void print(const Track& track) {
    const TrackInfo& t = track.info;
    out_ << "track " << raw(t.id) << ' ' << raw(t.parent) << ' ' << int(raw(t.kind)) << ' '
         << int(raw(t.unit)) << ' ' << int(raw(t.role)) << ' ' << t.simulated << ' ' << t.sort_order << ' '
         << t.pid << ' ' << t.tid << ' ' << t.name << ' ' << t.device << '\n';
    for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
      const Lane& lane = track.lanes[depth];
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        out_ << "slice " << raw(t.id) << ' ' << depth;
        print(lane.slice(row));
      }
    }
    for (std::uint64_t row = track.counter.first_row(); row < track.counter.end_row(); ++row) {
      const CounterSample sample = track.counter.sample(row);
      out_ << "sample " << raw(t.id) << ' ' << ns_from(sample.at) << ' ' << sample.value << '\n';
    }
  }
  void print(const Slice& s) {
    out_ << ' ' << ns_from(s.begin) << ' ' << ns_from(s.end) << ' ' << name(s.name) << ' ' << int(raw(s.kind))
         << ' ' << int(s.flags) << ' ' << raw(s.op) << ' ' << s.size_bytes << args(s.args) << '\n';
  }
  void print(const char* what, const OpRow& op) {
    out_ << what << raw(op.id) << name(op.name) << op.step << ' ' << ns_from(op.enqueued) << ' '
         << ns_from(op.ready) << ' ' << ns_from(op.started) << ' ' << ns_from(op.ended) << ' '
         << raw(op.enqueue_track) << ' ' << raw(op.execute_track) << ' ' << op.output_bytes << ' '
         << int(op.flags) << '\n';
  }

  const Trace& trace_;
  std::ostringstream out_;
};

}  // namespace

std::string rows_text(const Trace& trace) { return Printer(trace).print(); }

}  // namespace runahead::testing
