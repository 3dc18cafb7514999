// Method of align_clocks(): each pass takes the maps of the pass before and looks for a correction. The
// correction of a clock is a line over the time of the reference: c_i(t). A message from i to j says
// c_i(t) - c_j(t) <= slack. Here t is the time when it was sent, and slack is its transit time, both by the
// maps so far.
//   1. For each pair of processes: keep the message of the least slack in each of many windows of time. Then
//      keep only the lower convex hull. A line that is below the hull is below all points.
//   2. At some times: shortest paths over the pairs give the highest and the lowest c_i(t).
//   3. For each clock: find the range of all lines between its bounds. How far it extends is the error.
//   4. Choose a line in each range, so that all messages of all processes take as long as possible. Add the
//      lines to the maps.
// Leaving out a message or a time can only make a bound wider. Therefore each pass gives true bounds, also
// the first one, whose maps are wrong. Better maps let step 1 choose better messages.
#include "instrumentation/merge/clock_alignment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "instrumentation/base/check.h"

namespace runahead::merge {
namespace {

constexpr std::int64_t kMostTimeNs = std::int64_t{1} << 61;
constexpr std::size_t kMostWindows = 1024;                  // per pair; 8192 gave the same errors
constexpr std::size_t kMostPoints = std::size_t{1} << 20;   // of all pairs; 16 MiB
constexpr std::size_t kMostTimes = 128;                     // at which the bounds of all clocks are compared
constexpr std::size_t kMostWeights = std::size_t{1} << 22;  // times * pairs; 32 MiB
constexpr int kMostPasses = 8;                              // usually 3 are used
constexpr int kMostRounds = 16;                             // of improving slopes; usually few are used
constexpr double kWorthAPass = 0.98;  // a pass that improves the error less is the last one
constexpr double kRoundingNs = 2;     // of a difference of two times, each rounded to ns twice
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double difference_ns(std::int64_t a, std::int64_t b) {
  std::int64_t exact = 0;
  if (!__builtin_sub_overflow(a, b, &exact)) return static_cast<double>(exact);
  return static_cast<double>(a) - static_cast<double>(b);
}

std::int64_t whole_ns(double ns) {
  constexpr double kMost = 0x1p62;
  return std::llrint(std::clamp(ns, -kMost, kMost));
}

// The nearest time that fits, if the sum does not fit.
std::int64_t sum_ns(std::int64_t a, std::int64_t b) {
  std::int64_t exact = 0;
  if (!__builtin_add_overflow(a, b, &exact)) return exact;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

// The slopes that a line may have.
struct Slopes {
  double low = 0, high = 0;
  [[nodiscard]] Slopes negative() const { return {-high, -low}; }
  [[nodiscard]] double steepest() const { return std::max(std::abs(low), std::abs(high)); }
};

struct Line {
  double height_ns = 0;  // at time 0
  double slope = 0;
  [[nodiscard]] double at(double at_ns) const { return height_ns + slope * at_ns; }
};

// At time `at_ns`, the line is at most `most_ns`.
struct Point {
  double at_ns = 0, most_ns = kInfinity;
};

// Bounds a line from above by points.
class UpperBound {
 public:
  UpperBound() = default;
  // `points`: sorted by time. Each bound is increased by the allowance.
  explicit UpperBound(const std::vector<Point>& points, double allowance_ns = 0) {
    for (Point point : points) {
      point.most_ns += allowance_ns;
      while (corners_.size() >= 2 && is_above(corners_[corners_.size() - 2], corners_.back(), point)) {
        corners_.pop_back();
      }
      corners_.push_back(point);
    }
  }

  // The most that a line can be at this time, if its slope is one of `slopes`.
  [[nodiscard]] double at(double at_ns, Slopes slopes) const {
    double most = kInfinity;
    const Point* last = nullptr;
    for (const Point& corner : corners_) {
      const double distance = at_ns - corner.at_ns;
      most = std::min(most, corner.most_ns + distance * (distance > 0 ? slopes.high : slopes.low));
      if (last != nullptr && last->at_ns < at_ns && at_ns < corner.at_ns) {
        const double ratio = (at_ns - last->at_ns) / (corner.at_ns - last->at_ns);
        most = std::min(most, last->most_ns + ratio * (corner.most_ns - last->most_ns));
      }
      last = &corner;
    }
    return most;
  }
  // The most that a line of this slope can be at time 0.
  [[nodiscard]] double height(double slope) const {
    double least = kInfinity;
    for (const Point& corner : corners_) least = std::min(least, corner.most_ns - slope * corner.at_ns);
    return least;
  }
  // The lower convex hull of the points.
  [[nodiscard]] const std::vector<Point>& corners() const { return corners_; }

 private:
  static bool is_above(const Point& a, const Point& b, const Point& c) {
    return (b.most_ns - a.most_ns) * (c.at_ns - a.at_ns) >= (c.most_ns - a.most_ns) * (b.at_ns - a.at_ns);
  }
  std::vector<Point> corners_;
};

// All lines between points above and points below.
class LineRange {
 public:
  // `below` holds the lower points upside down: the line is at least -most_ns.
  LineRange(UpperBound above, UpperBound below, Slopes slopes)
      : above_(std::move(above)), below_(std::move(below)), slopes_(slopes) {
    for (const Point& top : above_.corners()) {
      for (const Point& bottom : below_.corners()) limit_slopes(top, bottom);
    }
  }

  [[nodiscard]] bool is_empty() const { return !(slopes_.low <= slopes_.high); }
  [[nodiscard]] Slopes slopes() const { return slopes_; }
  [[nodiscard]] double highest(double at_ns) const { return above_.at(at_ns, slopes_); }
  [[nodiscard]] double lowest(double at_ns) const { return -below_.at(at_ns, slopes_.negative()); }
  // The slope in the middle, which is the safest guess outside of the points.
  [[nodiscard]] double middle_slope() const { return (slopes_.low + slopes_.high) / 2; }
  [[nodiscard]] Line middle_line() const {
    const double slope = middle_slope();
    return {.height_ns = (above_.height(slope) - below_.height(-slope)) / 2, .slope = slope};
  }

 private:
  void limit_slopes(const Point& top, const Point& bottom) {
    const double rise = top.most_ns + bottom.most_ns, run = top.at_ns - bottom.at_ns;
    if (run > 0) slopes_.high = std::min(slopes_.high, rise / run);
    if (run < 0) slopes_.low = std::max(slopes_.low, rise / run);
    if (run == 0 && rise < 0) slopes_ = {kInfinity, -kInfinity};
  }

  UpperBound above_, below_;
  Slopes slopes_;
};

// The messages from one process to another one.
struct Pair {
  std::size_t from = 0, to = 0;
  std::int64_t least_difference_ns = std::numeric_limits<std::int64_t>::max();  // of received_ns - sent_ns
  std::int64_t first_sent_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_sent_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t first_received_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_received_ns = std::numeric_limits<std::int64_t>::min();
  std::vector<Point> windows;  // in each window of time: the message of the least slack
  UpperBound bound;            // of the correction of `from` minus the correction of `to`
};

struct Clock {
  bool bounded = false;
  AlignedClock aligned;
  Slopes drift;  // the true drift is in this range

  // The slopes that the correction of the map can have.
  [[nodiscard]] Slopes correction_slopes() const {
    return {(1 + drift.low) / (1 + aligned.map.drift) - 1, (1 + drift.high) / (1 + aligned.map.drift) - 1};
  }
};

// Returns the least allowance for which `fits` returns true, to 1/32 and from above. It may be negative. The
// last call of `fits` has this allowance. REQUIRES: a limit exists; `fits` is true for all allowances above
// it.
template <typename Fits>
double least_allowance(const Fits& fits) {
  const bool negative = fits(0);
  double fails = 0, enough = 0;
  for (double ns = negative ? -1 : 1;; ns *= 2) {
    const bool fitted = fits(ns);
    (fitted ? enough : fails) = ns;
    if (fitted != negative) break;
  }
  for (int i = 0; i < 5; ++i) {
    const double middle = (fails + enough) / 2;
    (fits(middle) ? enough : fails) = middle;
  }
  static_cast<void>(fits(enough));
  return enough;
}

class Alignment {
 public:
  Alignment(std::size_t processes, std::size_t reference, std::span<const Message> messages,
            double most_drift);
  [[nodiscard]] std::vector<std::optional<AlignedClock>> result();

 private:
  static constexpr std::uint32_t kNoPair = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] bool is_usable(const Message& message) const;
  // Before the first pass.
  void find_pairs();
  [[nodiscard]] std::vector<bool> reached(std::size_t Pair::*start, std::size_t Pair::*end) const;
  void keep_bounded_pairs();
  void find_first_and_last();
  void guess_offsets();
  // One pass. Returns the largest error.
  double improve();
  void find_slacks();
  void add_slacks(double ns_per_window);
  [[nodiscard]] std::vector<double> chosen_times() const;
  void find_weights();
  [[nodiscard]] bool find_ranges(double allowance_ns);
  [[nodiscard]] std::vector<Line> middle_lines(double allowance_ns) const;
  [[nodiscard]] double set_heights(std::vector<Line>& lines) const;
  [[nodiscard]] Line between_others(std::size_t process, const std::vector<Line>& lines) const;
  [[nodiscard]] bool find_bounds(std::span<const double> weights, double allowance_ns,
                                 std::vector<double>& highest, std::vector<double>& lowest) const;
  void correct(Clock& clock, const LineRange& range, const Line& line, double allowance_ns) const;

  [[nodiscard]] std::span<const Point> corners_of(std::size_t from, std::size_t to) const {
    const std::uint32_t index = pair_at_[from * clocks_.size() + to];
    return index == kNoPair ? std::span<const Point>() : pairs_[index].bound.corners();
  }
  [[nodiscard]] std::uint32_t& pair_at(std::size_t from, std::size_t to) {
    return pair_at_[from * clocks_.size() + to];
  }

  const std::size_t reference_;
  const std::span<const Message> messages_;
  const double most_drift_;
  std::vector<Clock> clocks_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> pair_at_;  // index into pairs_, by from * processes + to
  // Of the current pass.
  std::int64_t begin_ns_ = 0;       // time 0 of all points
  std::vector<double> times_ns_;    // since begin_ns_
  std::vector<double> weights_ns_;  // at time t, pair p: [t * pairs + p]
  std::vector<LineRange> ranges_;   // of the clocks' corrections
};

Alignment::Alignment(std::size_t processes, std::size_t reference, std::span<const Message> messages,
                     double most_drift)
    : reference_(reference),
      messages_(messages),
      most_drift_(most_drift),
      clocks_(processes),
      pair_at_(processes * processes, kNoPair) {
  for (Clock& clock : clocks_) clock.drift = {-most_drift, most_drift};
  clocks_[reference].drift = {0, 0};
}

std::vector<std::optional<AlignedClock>> Alignment::result() {
  find_pairs();
  keep_bounded_pairs();
  find_first_and_last();
  guess_offsets();
  double error = kInfinity;
  for (int pass = 0; pass < kMostPasses && !pairs_.empty(); ++pass) {
    const double last = std::exchange(error, improve());
    if (error >= last * kWorthAPass) break;
  }
  std::vector<std::optional<AlignedClock>> result(clocks_.size());
  for (std::size_t i = 0; i < clocks_.size(); ++i) {
    if (clocks_[i].bounded) result[i] = clocks_[i].aligned;
  }
  return result;
}

bool Alignment::is_usable(const Message& message) const {
  const auto fits = [](std::int64_t ns) { return ns >= -kMostTimeNs && ns <= kMostTimeNs; };
  return message.from < clocks_.size() && message.to < clocks_.size() && message.from != message.to &&
         fits(message.sent_ns) && fits(message.received_ns);
}

void Alignment::find_pairs() {
  for (const Message& message : messages_) {
    if (!is_usable(message)) continue;
    std::uint32_t& index = pair_at(message.from, message.to);
    if (index == kNoPair) {
      index = static_cast<std::uint32_t>(pairs_.size());
      pairs_.emplace_back().from = message.from;
      pairs_.back().to = message.to;
    }
    Pair& pair = pairs_[index];
    pair.least_difference_ns = std::min(pair.least_difference_ns, message.received_ns - message.sent_ns);
    pair.first_sent_ns = std::min(pair.first_sent_ns, message.sent_ns);
    pair.last_sent_ns = std::max(pair.last_sent_ns, message.sent_ns);
    pair.first_received_ns = std::min(pair.first_received_ns, message.received_ns);
    pair.last_received_ns = std::max(pair.last_received_ns, message.received_ns);
  }
}

// The processes to which pairs lead from the reference, if each pair leads from its `start` to its `end`.
std::vector<bool> Alignment::reached(std::size_t Pair::*start, std::size_t Pair::*end) const {
  std::vector<bool> reached(clocks_.size(), false);
  reached[reference_] = true;
  for (bool found = true; found;) {
    found = false;
    for (const Pair& pair : pairs_) {
      if (!reached[pair.*start] || reached[pair.*end]) continue;
      reached[pair.*end] = true;
      found = true;
    }
  }
  return reached;
}

// All pairs on a way from the reference to a bounded process and back are kept.
void Alignment::keep_bounded_pairs() {
  const std::vector<bool> there = reached(&Pair::from, &Pair::to), back = reached(&Pair::to, &Pair::from);
  for (std::size_t i = 0; i < clocks_.size(); ++i) clocks_[i].bounded = there[i] && back[i];
  std::erase_if(pairs_,
                [&](const Pair& pair) { return !clocks_[pair.from].bounded || !clocks_[pair.to].bounded; });
  std::ranges::fill(pair_at_, kNoPair);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    pair_at(pairs_[i].from, pairs_[i].to) = static_cast<std::uint32_t>(i);
  }
}

void Alignment::find_first_and_last() {
  std::vector<bool> found(clocks_.size(), false);
  const auto add = [&](std::size_t process, std::int64_t first_ns, std::int64_t last_ns) {
    AlignedClock& clock = clocks_[process].aligned;
    clock.first_ns = found[process] ? std::min(clock.first_ns, first_ns) : first_ns;
    clock.last_ns = found[process] ? std::max(clock.last_ns, last_ns) : last_ns;
    found[process] = true;
  };
  for (const Pair& pair : pairs_) {
    add(pair.from, pair.first_sent_ns, pair.last_sent_ns);
    add(pair.to, pair.first_received_ns, pair.last_received_ns);
  }
}

// Offsets without drift, from the shortest messages, one pair after the other. They make the times of all
// processes comparable. They may be wrong by a transit time, and by the drift over the whole range of time.
void Alignment::guess_offsets() {
  std::vector<bool> known(clocks_.size(), false);
  known[reference_] = true;
  const auto guess = [&](std::size_t process, std::size_t from, std::int64_t difference_ns) {
    ClockMap& map = clocks_[process].aligned.map;
    map.base_ns = clocks_[process].aligned.first_ns;
    map.offset_ns = sum_ns(clocks_[from].aligned.map.offset_ns, difference_ns);
    map.offset_ns = std::clamp(map.offset_ns, -2 * kMostTimeNs, 2 * kMostTimeNs);
    known[process] = true;
  };
  for (bool found = true; found;) {
    found = false;
    for (const Pair& pair : pairs_) {
      if (known[pair.from] == known[pair.to]) continue;
      found = true;
      std::int64_t ahead_ns = pair.least_difference_ns;  // of `to`
      const std::uint32_t other = pair_at(pair.to, pair.from);
      if (other != kNoPair) ahead_ns = ahead_ns / 2 - pairs_[other].least_difference_ns / 2;
      if (known[pair.from]) {
        guess(pair.to, pair.from, -ahead_ns);
      } else {
        guess(pair.from, pair.to, ahead_ns);
      }
    }
  }
}

double Alignment::improve() {
  find_slacks();
  times_ns_ = chosen_times();
  find_weights();
  const double allowance_ns =
      find_ranges(0) ? 0 : least_allowance([&](double ns) { return find_ranges(ns); });
  const std::vector<Line> lines = middle_lines(allowance_ns);
  double worst = 0;
  for (std::size_t i = 0; i < clocks_.size(); ++i) {
    if (!clocks_[i].bounded || i == reference_) continue;
    correct(clocks_[i], ranges_[i], lines[i], allowance_ns);
    worst = std::max(worst, static_cast<double>(clocks_[i].aligned.error_ns));
  }
  return worst;
}

void Alignment::find_slacks() {
  begin_ns_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
  for (const Clock& clock : clocks_) {
    if (!clock.bounded) continue;
    begin_ns_ = std::min(begin_ns_, clock.aligned.map.to_reference(clock.aligned.first_ns));
    end_ns = std::max(end_ns, clock.aligned.map.to_reference(clock.aligned.last_ns));
  }
  const std::size_t windows = std::clamp<std::size_t>(kMostPoints / pairs_.size(), 16, kMostWindows);
  for (Pair& pair : pairs_) pair.windows.assign(windows, {});
  add_slacks(difference_ns(end_ns, begin_ns_) / static_cast<double>(windows));
  for (Pair& pair : pairs_) {
    std::erase_if(pair.windows, [](const Point& point) { return point.most_ns == kInfinity; });
    pair.bound = UpperBound(pair.windows);
  }
}

// The correction of `to` belongs to the time at which the message arrived, which is slack after t. Between
// these times the correction changes by at most slack * drift, which is added.
void Alignment::add_slacks(double ns_per_window) {
  std::vector<double> drift(clocks_.size());
  for (std::size_t i = 0; i < drift.size(); ++i) drift[i] = clocks_[i].correction_slopes().steepest();
  for (const Message& message : messages_) {
    if (!is_usable(message)) continue;
    const std::uint32_t index = pair_at(message.from, message.to);
    if (index == kNoPair) continue;
    const std::int64_t sent_ns = clocks_[message.from].aligned.map.to_reference(message.sent_ns);
    const std::int64_t received_ns = clocks_[message.to].aligned.map.to_reference(message.received_ns);
    const double slack = difference_ns(received_ns, sent_ns);
    const Point point{.at_ns = difference_ns(sent_ns, begin_ns_),
                      .most_ns = slack + std::abs(slack) * drift[message.to] + kRoundingNs};
    std::vector<Point>& windows = pairs_[index].windows;
    const double last = static_cast<double>(windows.size() - 1);
    const double window = ns_per_window > 0 ? std::clamp(point.at_ns / ns_per_window, 0.0, last) : 0;
    Point& least = windows[static_cast<std::size_t>(window)];
    if (point.most_ns < least.most_ns) least = point;
  }
}

// The times of the corners of all pairs, because the bounds are narrowest there.
std::vector<double> Alignment::chosen_times() const {
  std::vector<double> all;
  for (const Pair& pair : pairs_) {
    for (const Point& corner : pair.bound.corners()) all.push_back(corner.at_ns);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const std::size_t most = std::clamp<std::size_t>(kMostWeights / pairs_.size(), 8, kMostTimes);
  if (all.size() <= most) return all;
  std::vector<double> chosen(most);
  for (std::size_t i = 0; i < most; ++i) chosen[i] = all[i * (all.size() - 1) / (most - 1)];
  return chosen;
}

// A weight: at this time, the correction of `from` minus the correction of `to` is at most this.
void Alignment::find_weights() {
  weights_ns_.clear();
  for (const double time_ns : times_ns_) {
    for (const Pair& pair : pairs_) {
      const Slopes from = clocks_[pair.from].correction_slopes(), to = clocks_[pair.to].correction_slopes();
      weights_ns_.push_back(pair.bound.at(time_ns, {from.low - to.high, from.high - to.low}));
    }
  }
}

// Returns false if the messages contradict each other.
bool Alignment::find_ranges(double allowance_ns) {
  const std::size_t processes = clocks_.size();
  std::vector<std::vector<Point>> above(processes), below(processes);
  std::vector<double> highest(processes), lowest(processes);
  for (std::size_t time = 0; time < times_ns_.size(); ++time) {
    const std::span<const double> weights =
        std::span(weights_ns_).subspan(time * pairs_.size(), pairs_.size());
    if (!find_bounds(weights, allowance_ns, highest, lowest)) return false;
    for (std::size_t i = 0; i < processes; ++i) {
      if (!clocks_[i].bounded) continue;
      above[i].push_back({times_ns_[time], highest[i]});
      below[i].push_back({times_ns_[time], -lowest[i]});
    }
  }
  ranges_.clear();
  for (std::size_t i = 0; i < processes; ++i) {
    ranges_.emplace_back(UpperBound(above[i]), UpperBound(below[i]), clocks_[i].correction_slopes());
    if (ranges_[i].is_empty()) return false;
  }
  return true;
}

// Each line begins with the slope in the middle of its range. These slopes may contradict messages of two
// processes that are both far from the reference, so they are improved until no message contradicts.
std::vector<Line> Alignment::middle_lines(double allowance_ns) const {
  std::vector<Line> lines(clocks_.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (clocks_[i].bounded && i != reference_) lines[i].slope = ranges_[i].middle_slope();
  }
  for (int round = 0; set_heights(lines) > allowance_ns && round < kMostRounds; ++round) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (clocks_[i].bounded && i != reference_) lines[i] = between_others(i, lines);
    }
  }
  return lines;
}

// Sets the heights so that the shortest message takes as long as possible. Therefore no process gets the
// transit times of all others. Returns by how much a message arrives too early, or a negative number.
double Alignment::set_heights(std::vector<Line>& lines) const {
  std::vector<double> weights, highest(lines.size()), lowest(lines.size());
  for (const Pair& pair : pairs_) {
    weights.push_back(pair.bound.height(lines[pair.from].slope - lines[pair.to].slope));
  }
  const double early_ns =
      least_allowance([&](double ns) { return find_bounds(weights, ns, highest, lowest); });
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (clocks_[i].bounded) lines[i].height_ns = (highest[i] + lowest[i]) / 2;
  }
  return early_ns;
}

// The middle line for one process, if the lines of all other processes are right.
Line Alignment::between_others(std::size_t process, const std::vector<Line>& lines) const {
  std::vector<Point> above, below;
  for (std::size_t other = 0; other < lines.size(); ++other) {
    for (const Point& corner : corners_of(process, other)) {
      above.push_back({corner.at_ns, corner.most_ns + lines[other].at(corner.at_ns)});
    }
    for (const Point& corner : corners_of(other, process)) {
      below.push_back({corner.at_ns, corner.most_ns - lines[other].at(corner.at_ns)});
    }
  }
  std::ranges::sort(above, {}, &Point::at_ns);
  std::ranges::sort(below, {}, &Point::at_ns);
  const auto range_with = [&](double allowance_ns) {
    return LineRange(UpperBound(above, allowance_ns), UpperBound(below, allowance_ns),
                     ranges_[process].slopes());
  };
  LineRange range = range_with(0);
  if (range.is_empty()) {
    range = range_with(least_allowance([&](double ns) { return !range_with(ns).is_empty(); }));
  }
  return range.middle_line();
}

// Shortest paths to and from the reference (Bellman and Ford). Each weight is increased by the allowance.
// Returns false if there is a negative cycle.
bool Alignment::find_bounds(std::span<const double> weights, double allowance_ns,
                            std::vector<double>& highest, std::vector<double>& lowest) const {
  std::ranges::fill(highest, kInfinity);
  std::ranges::fill(lowest, -kInfinity);
  highest[reference_] = lowest[reference_] = 0;
  for (std::size_t round = 0; round <= clocks_.size(); ++round) {
    bool changed = false;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      const double weight = weights[i] + allowance_ns;
      const double high = highest[pair.to] + weight, low = lowest[pair.from] - weight;
      if (high < highest[pair.from]) highest[pair.from] = high, changed = true;
      if (low > lowest[pair.to]) lowest[pair.to] = low, changed = true;
    }
    if (!changed) return true;
    if (highest[reference_] < 0 || lowest[reference_] > 0) return false;
  }
  return false;
}

// Adds the line to the map. The error is how far the range extends from the line.
void Alignment::correct(Clock& clock, const LineRange& range, const Line& line, double allowance_ns) const {
  AlignedClock& aligned = clock.aligned;
  ClockMap& map = aligned.map;
  const double first_ns = difference_ns(map.to_reference(aligned.first_ns), begin_ns_);
  const double last_ns = difference_ns(map.to_reference(aligned.last_ns), begin_ns_);
  double error = 0;  // The highest line minus the middle one is convex in time, so it is largest at an end.
  for (const double at_ns : {first_ns, last_ns}) {
    const double middle = line.at(at_ns);
    error = std::max({error, range.highest(at_ns) - middle, middle - range.lowest(at_ns)});
  }
  // A single wrong message that contradicts a cycle of h messages makes an allowance of 1/h of its own error.
  const auto bounded = std::ranges::count(clocks_, true, &Clock::bounded);
  const double disagreement = allowance_ns * static_cast<double>(bounded);

  const double rate = 1 + map.drift;
  const double base_ns = difference_ns(map.to_reference(map.base_ns), begin_ns_);
  map.offset_ns = sum_ns(map.offset_ns, whole_ns(line.at(base_ns)));
  map.drift = rate * (1 + line.slope) - 1;
  aligned.error_ns = whole_ns(std::ceil(error + disagreement + kRoundingNs));
  aligned.contradiction_ns = whole_ns(std::ceil(allowance_ns));
  const Slopes slopes = range.slopes();
  aligned.drift_error = rate * std::max(slopes.high - line.slope, line.slope - slopes.low);
  if (allowance_ns == 0) {
    clock.drift = {rate * (1 + slopes.low) - 1, rate * (1 + slopes.high) - 1};
  } else {
    aligned.drift_error += 2 * disagreement / std::max(last_ns - first_ns, 1.0);
  }
  aligned.drift_error = std::min(aligned.drift_error, most_drift_ + std::abs(map.drift));
}

}  // namespace

std::int64_t ClockMap::to_reference(std::int64_t ns) const {
  return sum_ns(sum_ns(ns, offset_ns), whole_ns(difference_ns(ns, base_ns) * drift));
}

std::int64_t AlignedClock::error_at(std::int64_t ns) const {
  const double beyond = std::max({0.0, difference_ns(first_ns, ns), difference_ns(ns, last_ns)});
  return sum_ns(error_ns, whole_ns(std::ceil(beyond * drift_error)));
}

std::vector<std::optional<AlignedClock>> align_clocks(std::size_t processes, std::size_t reference,
                                                      std::span<const Message> messages, double most_drift) {
  RUNAHEAD_CHECK_OP(reference, <, processes);
  RUNAHEAD_CHECK(most_drift >= 0 && most_drift < 0.5);
  return Alignment(processes, reference, messages, most_drift).result();
}

}  // namespace runahead::merge
