#include "instrumentation/predict/work_reader.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "instrumentation/base/contains_text.h"
#include "instrumentation/base/median.h"

namespace runahead::predict {
namespace {

using causes::Execution;
using causes::StreamEdge;
using causes::StreamIndex;
using causes::Work;
using causes::WorkIndex;

// Delays of a run without an example. Medians of whole traces of PyTorch's profiler: 5 to 22 us (H100: 7)
// and 0 to 4 us.
constexpr Duration kUsualLaunchLatency = std::chrono::microseconds(7);
constexpr Duration kUsualGap = std::chrono::microseconds(1);
// Fewer examples may all be from the begin of the run, when a launch also loads code: a longer delay than
// usual is not taken from them.
constexpr std::size_t kLeastExamples = 4;
// Work that was launched this long before the work before it ended certainly waited for that work.
constexpr Duration kLongBefore = std::chrono::microseconds(20);
// Work that overlaps the work before it by at most this did not: profilers round.
constexpr Duration kRounded = std::chrono::microseconds(2);
// Work that begins this soon after the work before it was in the queue already.
constexpr Duration kFollows = std::chrono::microseconds(10);

// What is known about one piece of work before ops are numbered.
struct Piece {
  WorkIndex work = kNone;
  Timestamp begin{}, end{};
  Timestamp order = Timestamp::min();  // ReadWorks::order
};

class WorkReader {
 public:
  WorkReader(const Execution& execution, const ReplayedPart& part, EnqueueTimes& enqueue_times,
             Program& program)
      : execution_(execution), part_(part), enqueue_times_(enqueue_times), program_(program) {}

  ReadWorks run() {
    stream_predecessors_.resize(execution_.works().size());
    queue_of_.assign(execution_.streams().size(), kNone);
    for (StreamIndex at = 0; at < execution_.streams().size(); ++at) read_stream(at);
    number_ops();
    find_predecessors();
    find_delays();
    find_copies();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Work& work(WorkIndex at) const { return execution_.works()[at]; }
  [[nodiscard]] bool is_thread(TrackId track) const {
    return std::ranges::binary_search(execution_.threads(), track);
  }
  [[nodiscard]] bool has_launch(const Work& work) const {
    return work.is_launched() && is_thread(work.launched_by);
  }
  [[nodiscard]] bool is_part(const Work& work) const {
    if (work.begin < part_.range.begin && work.end <= part_.range.begin) return false;
    return (has_launch(work) ? work.launched : work.begin) < part_.host_end;
  }

  void read_stream(StreamIndex stream);
  void find_order(std::vector<Piece>& pieces) const;
  void follow_earlier_launches(const std::vector<Piece>& pieces);
  int place(std::vector<Piece>& pieces);
  void set_unknown_launch(const Piece& piece, const Piece* before);
  void number_ops();
  void find_predecessors();
  void find_delays();
  void find_copies();
  struct Bounds {
    Timestamp launched{};
    Timestamp before = Timestamp::min();  // the end of the last work that it depends on
    Timestamp begin{};
    bool is_launched = false;
  };
  [[nodiscard]] Bounds bounds_of(OpIndex op) const;

  const Execution& execution_;
  const ReplayedPart part_;
  EnqueueTimes& enqueue_times_;
  Program& program_;
  ReadWorks out_;
  std::vector<Piece> pieces_;
  std::vector<std::vector<WorkIndex>> stream_predecessors_;  // of each work
  std::vector<QueueIndex> queue_of_;                         // of each stream
  std::map<std::string, int> names_;                         // of queues, and how many have the name
  std::vector<Timestamp> ends_;                              // of each op
};

void WorkReader::read_stream(StreamIndex stream) {
  std::vector<Piece> pieces;
  const causes::Stream& row = execution_.streams()[stream];
  for (WorkIndex at = row.first; at < row.last; ++at) {
    if (is_part(work(at))) pieces.push_back({.work = at});
  }
  if (pieces.empty()) return;
  for (Piece& piece : pieces) {
    piece.begin = std::max(work(piece.work).begin, part_.range.begin);
    piece.end = std::max(work(piece.work).end, piece.begin);
  }
  std::ranges::sort(pieces, {},
                    [](const Piece& piece) { return std::tuple(piece.begin, piece.end, piece.work); });
  find_order(pieces);
  queue_of_[stream] = static_cast<QueueIndex>(program_.queues.size());
  const trace::TrackInfo& info = execution_.trace().track(row.track).info;
  const std::string& device = execution_.devices()[row.device].name;
  std::string name = device + " " + info.name;
  // Two processes may have streams with the same number on a device.
  const int same = ++names_[name];
  if (same > 1) name += " (" + std::to_string(same) + ")";
  program_.queues.push_back({.name = std::move(name),
                             .device = device,
                             .simulated = execution_.devices()[row.device].simulated,
                             .start_delays = {}});
  program_.queues.back().servers = place(pieces);
  follow_earlier_launches(pieces);
  pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
}

// A stream executes its work in the order in which it was launched. Work without a launch was launched after
// what came before it.
void WorkReader::find_order(std::vector<Piece>& pieces) const {
  Timestamp latest = Timestamp::min();
  for (Piece& piece : pieces) {
    const Work& row = work(piece.work);
    if (has_launch(row)) latest = std::max(latest, row.launched);
    piece.order = has_launch(row) ? row.launched : latest;
  }
}

// The trace of a queue that is no stream may have work that ran after work that was launched later: it does
// not follow that work, but the last work before it that was launched earlier.
void WorkReader::follow_earlier_launches(const std::vector<Piece>& pieces) {
  std::vector<const Piece*> earlier;  // the last ones with a launch before that of all pieces after them
  for (const Piece& piece : pieces) {
    while (!earlier.empty() && earlier.back()->order > piece.order) earlier.pop_back();
    std::vector<WorkIndex>& before = stream_predecessors_[piece.work];
    const auto later = [&](WorkIndex at) { return has_launch(work(at)) && work(at).launched > piece.order; };
    const std::size_t contradictions = std::erase_if(before, later);
    out_.contradictions += contradictions;
    if (contradictions > 0 && before.empty() && !earlier.empty()) before.push_back(earlier.back()->work);
    earlier.push_back(&piece);
  }
}

// Finds what each piece follows on its stream, and returns how many pieces ran at once.
int WorkReader::place(std::vector<Piece>& pieces) {
  using Running = std::pair<Timestamp, std::size_t>;  // end, index
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
  std::size_t most = 1;
  std::vector<std::size_t> ended;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Piece& piece = pieces[i];
    // The begin of work that overlaps the only other work by less than the clock shows is moved.
    if (running.size() == 1 && running.top().first > piece.begin &&
        running.top().first - piece.begin <= kRounded && running.top().first <= piece.end)
      piece.begin = running.top().first;
    if (!running.empty() && running.top().first <= piece.begin) ended.clear();
    while (!running.empty() && running.top().first <= piece.begin) {
      ended.push_back(running.top().second);
      running.pop();
    }
    for (const std::size_t before : ended) stream_predecessors_[piece.work].push_back(pieces[before].work);
    if (ended.size() > 1) ended.erase(ended.begin(), ended.end() - 1);
    running.emplace(piece.end, i);
    most = std::max(most, running.size());
    if (!has_launch(work(piece.work))) set_unknown_launch(piece, ended.empty() ? nullptr : &pieces[ended[0]]);
  }
  return static_cast<int>(most);
}

// A stream executes its work in the order of the launches. So work before the first launch of its stream that
// the trace has was launched before the trace began.
void WorkReader::set_unknown_launch(const Piece& piece, const Piece* before) {
  if (piece.order == Timestamp::min() && execution_.knows_launches(work(piece.work).stream)) {
    enqueue_times_[piece.work] = part_.range.begin;
    return;
  }
  ++out_.unknown_launches;
  const bool follows = before != nullptr && piece.begin - before->end <= kFollows;
  enqueue_times_[piece.work] = follows ? before->begin : piece.begin;
}

void WorkReader::number_ops() {
  std::ranges::sort(pieces_, {}, [](const Piece& piece) {
    return std::tuple(piece.order, piece.begin, piece.end, piece.work);
  });
  out_.ops.assign(execution_.works().size(), kNone);
  for (const Piece& piece : pieces_) {
    const Work& row = work(piece.work);
    out_.ops[piece.work] = static_cast<OpIndex>(program_.ops.size());
    out_.works.push_back(piece.work);
    out_.begins.push_back(piece.begin);
    out_.order.push_back(piece.order);
    out_.is_launched.push_back(has_launch(row) && row.launched >= part_.range.begin ? 1 : 0);
    ends_.push_back(piece.end);
    program_.ops.push_back(
        {.name = row.name, .queue = queue_of_[row.stream], .duration = bounded(piece.end - piece.begin)});
    Timestamp& enqueued = enqueue_times_[piece.work];
    enqueued = std::clamp(enqueued, part_.range.begin, std::max(piece.begin, part_.range.begin));
    program_.allocates.first.push_back(0);
    program_.uses.first.push_back(0);
  }
}

void WorkReader::find_predecessors() {
  std::vector<OpIndex> found;
  for (OpIndex op = 0; op < out_.works.size(); ++op) {
    found.clear();
    const WorkIndex at = out_.works[op];
    const auto add = [&](WorkIndex before) {
      const OpIndex on = out_.ops[before];
      if (on == kNone) return;
      if (on < op && ends_[on] <= out_.begins[op]) {
        found.push_back(on);
      } else {
        ++out_.contradictions;
      }
    };
    for (const WorkIndex before : stream_predecessors_[at]) add(before);
    for (const StreamEdge& edge : execution_.stream_edges_to(at)) add(edge.before);
    std::ranges::sort(found);
    const auto repeated = std::ranges::unique(found);
    found.erase(repeated.begin(), repeated.end());
    program_.predecessors.items.insert(program_.predecessors.items.end(), found.begin(), found.end());
    program_.predecessors.first.push_back(static_cast<std::uint32_t>(program_.predecessors.items.size()));
    program_.kinds.resize(program_.predecessors.items.size(), trace::DependencyKind::kReadAfterWrite);
  }
}

WorkReader::Bounds WorkReader::bounds_of(OpIndex op) const {
  Bounds out{.launched = enqueue_times_[out_.works[op]],
             .begin = out_.begins[op],
             .is_launched = out_.is_launched[op] != 0};
  const Lists& lists = program_.predecessors;
  for (std::uint32_t i = lists.first[op]; i < lists.first[op + 1]; ++i)
    out.before = std::max(out.before, ends_[lists.items[i]]);
  return out;
}

void WorkReader::find_delays() {
  std::vector<std::vector<Duration>> latencies(program_.queues.size()), gaps(program_.queues.size());
  for (OpIndex op = 0; op < program_.ops.size(); ++op) {
    const Bounds at = bounds_of(op);
    const QueueIndex queue = program_.ops[op].queue;
    const bool has_before = at.before != Timestamp::min();
    if (at.is_launched && (!has_before || at.before <= at.launched))
      latencies[queue].push_back(bounded(at.begin - at.launched));
    if (at.is_launched && has_before && at.launched + kLongBefore <= at.before)
      gaps[queue].push_back(bounded(at.begin - at.before));
  }
  std::vector<Duration> all_latencies, all_gaps;
  for (QueueIndex queue = 0; queue < program_.queues.size(); ++queue) {
    all_latencies.insert(all_latencies.end(), latencies[queue].begin(), latencies[queue].end());
    all_gaps.insert(all_gaps.end(), gaps[queue].begin(), gaps[queue].end());
  }
  const auto median_or = [](const std::vector<Duration>& samples, Duration otherwise) {
    if (samples.empty()) return otherwise;
    return samples.size() < kLeastExamples ? std::min(median(samples), otherwise) : median(samples);
  };
  const Duration latency_of_all = median_or(all_latencies, kUsualLaunchLatency),
                 gap_of_all = median_or(all_gaps, kUsualGap);
  std::vector<std::pair<Duration, Duration>> usual;
  for (QueueIndex queue = 0; queue < program_.queues.size(); ++queue)
    usual.emplace_back(median_or(latencies[queue], latency_of_all), median_or(gaps[queue], gap_of_all));
  for (OpIndex index = 0; index < program_.ops.size(); ++index) {
    const Bounds at = bounds_of(index);
    Op& op = program_.ops[index];
    const auto [latency, gap] = usual[op.queue];
    op.enqueue_delay = bounded(at.begin - at.launched);
    if (at.before == Timestamp::min()) continue;
    op.ready_delay = bounded(at.begin - at.before);
    if (at.launched + latency >= at.before + gap) {
      op.ready_delay = std::min(op.ready_delay, gap);
    } else {
      op.enqueue_delay = std::min(op.enqueue_delay, latency);
    }
  }
}

void WorkReader::find_copies() {
  for (OpIndex op = 0; op < out_.works.size(); ++op) {
    const Work& row = work(out_.works[op]);
    const bool to_device = row.kind == trace::SliceKind::kCopyToDevice;
    if (!to_device && row.kind != trace::SliceKind::kCopyToHost) continue;
    const std::string_view name = execution_.trace().string(row.name);
    program_.host_copies.push_back({.op = op,
                                    .size_bytes = row.size_bytes,
                                    .to_device = to_device,
                                    .pageable = contains_ignoring_case(name, "pageable"),
                                    .pinned = contains_ignoring_case(name, "pinned")});
  }
}

}  // namespace

ReadWorks read_works(const Execution& execution, const ReplayedPart& part, EnqueueTimes& enqueue_times,
                     Program& program) {
  return WorkReader(execution, part, enqueue_times, program).run();
}

}  // namespace runahead::predict
