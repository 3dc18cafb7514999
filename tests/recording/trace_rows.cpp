#include "tests/recording/trace_rows.h"

#include <ostream>
#include <sstream>

#include "instrumentation/trace/allocation_table.h"
#include "tests/support/row_text.h"

namespace runahead::testing {
namespace {

using namespace trace;

class Printer {
 public:
  explicit Printer(const Trace& trace) : trace_(trace) { out_.precision(17); }

  std::string print() {
    for (const Track& track : trace_.tracks()) print(track);
    for (std::uint64_t i = 0; i < trace_.instant_count(); ++i) print("instant", trace_.instant(i));
    for (std::uint64_t i = 0; i < trace_.op_count(); ++i) print("op", trace_.op_row(i));
    for (const OpRow& op : trace_.open_ops()) print("open op", op);
    for (std::uint64_t i = 0; i < trace_.flow_count(); ++i) print("flow", trace_.flow(i));
    for (std::uint64_t i = 0; i < trace_.dependency_count(); ++i) print("dependency", trace_.dependency(i));
    for (std::uint64_t i = 0; i < trace_.allocations().size(); ++i)
      print("holding", trace_.allocations().row(i));
    for (const OpenSlice& open : trace_.open_slices()) {
      print("open " + place(open.track, open.depth), open.slice);
    }
    for (int i = 0; i < kLossCauseCount; ++i) {
      const auto cause = static_cast<LossCause>(i);
      if (trace_.losses().of(cause) != 0) out_ << "lost " << i << ' ' << trace_.losses().of(cause) << '\n';
    }
    out_ << "watermark " << ns_from(trace_.watermark()) << '\n';
    return out_.str();
  }

 private:
  // Writes names and arguments as text.
  struct Names {
    const Trace& trace;
    void string(std::ostream& out, StringId id) const { out << '<' << trace.string(id) << '>'; }
    void args(std::ostream& out, ArgsId id) const {
      for (const Arg& arg : trace.args(id)) {
        string(out << ' ', arg.key);
        out << '=';
        if (const auto* v = std::get_if<std::int64_t>(&arg.value)) out << "i" << *v;
        if (const auto* v = std::get_if<double>(&arg.value)) out << "d" << *v;
        if (const auto* v = std::get_if<StringId>(&arg.value)) string(out, *v);
      }
    }
  };
  template <typename Row>
  void print(const std::string& what, const Row& row) {
    out_ << what;
    write_columns(out_, row, Names{trace_});
    out_ << '\n';
  }
  static std::string place(TrackId track, std::size_t depth) {
    return std::to_string(raw(track)) + ' ' + std::to_string(depth);
  }
  void print(const Track& track) {
    const TrackInfo& t = track.info;
    out_ << "track " << raw(t.id) << ' ' << raw(t.parent) << ' ' << int(raw(t.kind)) << ' '
         << int(raw(t.unit)) << ' ' << int(raw(t.role)) << ' ' << t.simulated << ' ' << t.sort_order << ' '
         << t.pid << ' ' << t.tid << ' ' << t.name << ' ' << t.device << '\n';
    for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
      const Lane& lane = track.lanes[depth];
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        print("slice " + place(t.id, depth), lane.slice(row));
      }
    }
    for (std::uint64_t row = track.counter.first_row(); row < track.counter.end_row(); ++row) {
      print("sample " + std::to_string(raw(t.id)), track.counter.sample(row));
    }
  }

  const Trace& trace_;
  std::ostringstream out_;
};

}  // namespace

std::string rows_text(const Trace& trace) { return Printer(trace).print(); }

}  // namespace runahead::testing
