#include "instrumentation/causes/collectives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "instrumentation/analysis/nearest_rank.h"
#include "instrumentation/base/contains_text.h"
#include "instrumentation/base/median.h"
#include "instrumentation/causes/communication.h"

namespace runahead::causes {
namespace {

constexpr std::size_t kFewestPairs = 4;
// By the order alone, few collectives may fit by chance.
constexpr std::size_t kFewestByOrder = 20;
// With fewer pairs, or in a shorter time, a drift cannot be told from chance.
constexpr std::size_t kFewestForDrift = 8;
constexpr double kShortestForDriftNs = 1e8;
// NTP corrects a clock by at most 0.5 ms per second.
constexpr double kMostDrift = 0.001;
// The ends must agree this well, and better than this share of the time between two collectives.
constexpr double kMostSpreadNs = 100'000, kMostSpread = 0.1;
// A pair that is farther from the line than this is no pair.
constexpr double kFarSpreads = 5, kFarNs = 20'000;
// The next best assignment must be worse by this factor.
constexpr double kClearlyWorse = 4;
// Assignments that are tried by the order alone: this many places earlier or later.
constexpr std::int64_t kMostShift = 2000;
// The number of collectives that are enough to compare assignments.
constexpr std::size_t kSample = 1000;
constexpr double kNoSpread = std::numeric_limits<double>::infinity();
// Profilers of older versions of PyTorch round to 1 us.
constexpr double kResolutionNs = 1000;

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

struct Point {
  double t = 0, difference = 0;
};

// A line through points of which some may be far off. Method: Tukey's resistant line (medians of the outer
// thirds), then least squares over the points near it.
class LineFit {
 public:
  explicit LineFit(std::span<const Point> points) : points_(points) {}

  EndLine run() {
    std::vector<double> times;
    for (const Point& point : points_) times.push_back(point.t);
    base_ = median(times);
    const bool drifts =
        points_.size() >= kFewestForDrift && points_.back().t - points_.front().t >= kShortestForDriftNs;
    if (drifts) slope_ = outer_slope();
    offset_ = median(differences());
    if (drifts) improve();
    std::vector<double> distances = absolute_residuals();
    return {.base_ns = std::llround(base_),
            .offset_ns = offset_,
            .drift = slope_,
            .spread_ns = std::max(analysis::nearest_rank(distances, 95), kResolutionNs),
            .drift_error = slope_error_};
  }

 private:
  // What is left of the differences without the slope.
  [[nodiscard]] std::vector<double> differences() const {
    std::vector<double> out;
    for (const Point& point : points_) out.push_back(point.difference - (point.t - base_) * slope_);
    return out;
  }
  [[nodiscard]] std::vector<double> absolute_residuals() const {
    std::vector<double> out = differences();
    for (double& value : out) value = std::abs(value - offset_);
    return out;
  }
  [[nodiscard]] static Point middle_of(std::span<const Point> points) {
    std::vector<double> times, values;
    for (const Point& point : points) {
      times.push_back(point.t);
      values.push_back(point.difference);
    }
    return {median(times), median(values)};
  }
  [[nodiscard]] double outer_slope() const {
    const std::size_t third = points_.size() / 3;
    const Point first = middle_of(points_.first(third)), last = middle_of(points_.last(third));
    return last.t > first.t ? (last.difference - first.difference) / (last.t - first.t) : 0;
  }
  // Least squares over the points near the line. The sums are of the distances from the line so far: they are
  // small, so nothing cancels.
  void improve() {
    const double limit = std::max(3 * median(absolute_residuals()), kResolutionNs);
    double n = 0, t = 0, d = 0, tt = 0, td = 0, dd = 0;
    for (const Point& point : points_) {
      const double at = point.t - base_;
      const double rest = point.difference - offset_ - at * slope_;
      if (std::abs(rest) > limit) continue;
      n += 1;
      t += at;
      d += rest;
      tt += at * at;
      td += at * rest;
      dd += rest * rest;
    }
    const double spread = n * tt - t * t;
    if (n < static_cast<double>(kFewestForDrift) || spread <= 0) return;
    const double slope = (n * td - t * d) / spread;
    const double offset = (d - slope * t) / n;
    // the squares of what is left; not less than what the resolution causes
    const double left = std::max(dd - offset * d - slope * td, n * kResolutionNs * kResolutionNs / 12);
    constexpr double kSigmas = 3;
    slope_error_ = kSigmas * std::sqrt(left / (n - 2) * n / spread);
    slope_ += slope;
    offset_ += offset;
  }

  std::span<const Point> points_;
  double base_ = 0, offset_ = 0, slope_ = 0, slope_error_ = 0;
};

class Matcher {
 public:
  Matcher(std::span<const Collective> of, std::span<const Collective> reference)
      : of_(of), reference_(reference) {}

  std::optional<CollectivePairs> run() {
    const std::size_t most = std::min(of_.size(), reference_.size());
    const Pairs sequence = by_sequence();
    std::optional<CollectivePairs> found = best_of(sequence);
    // If most state their number and it does not fit, nothing else does.
    const bool numbered = 2 * sequence.size() >= most;
    if (found ? found->pairs.size() < most : !numbered) {
      const Pairs step = by_step();
      if (!found) found = best_of(step);
      if (!found) found = by_order();
      if (found) add_missing(step, *found);
      if (found) add_missing(sequence, *found);
    }
    if (found) std::ranges::sort(found->pairs);
    return found;
  }

 private:
  // ---- assignments ----------------------------------------------------------------------------------------

  // Pairs those entries of both ranks whose keys are equal and unique.
  template <typename Key>
  [[nodiscard]] static Pairs by_key(const std::map<Key, std::vector<std::size_t>>& of,
                                    const std::map<Key, std::vector<std::size_t>>& reference) {
    Pairs pairs;
    for (const auto& [key, here] : of) {
      const auto found = reference.find(key);
      // another number of them: one rank's trace has lost some, or begins or ends in this step
      if (found == reference.end() || found->second.size() != here.size()) continue;
      for (std::size_t i = 0; i < here.size(); ++i) pairs.emplace_back(here[i], found->second[i]);
    }
    std::ranges::sort(pairs);
    return pairs;
  }
  // In some versions of PyTorch, different groups have the same name on different ranks.
  using Key = std::tuple<std::string_view, std::string_view, CollectiveKind, std::int64_t>;
  template <typename Number>
  [[nodiscard]] static std::map<Key, std::vector<std::size_t>> keys(std::span<const Collective> all,
                                                                    Number number) {
    std::map<Key, std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (number(all[i]) >= 0) out[{all[i].group, all[i].members, all[i].kind, number(all[i])}].push_back(i);
    }
    return out;
  }
  [[nodiscard]] Pairs by_sequence() const {
    const auto number = [](const Collective& one) { return one.sequence; };
    return by_key(keys(of_, number), keys(reference_, number));
  }
  [[nodiscard]] Pairs by_step() const {
    const auto number = [](const Collective& one) { return one.step; };
    return by_key(keys(of_, number), keys(reference_, number));
  }

  [[nodiscard]] static bool may_be_same(const Collective& a, const Collective& b) {
    const bool same_size = a.elements == b.elements || a.kind == CollectiveKind::kAllToAll;
    return a.kind == b.kind && same_size && a.group == b.group && a.members == b.members;
  }
  // The pairs if entry i of `of` belongs to entry i + shift of the reference, of every `stride`-th entry.
  // Empty: that cannot be.
  [[nodiscard]] Pairs shifted(std::int64_t shift, std::size_t stride) const {
    Pairs pairs;
    std::size_t wrong = 0;
    const std::size_t most_wrong = 1 + of_.size() / stride / 50;
    for (std::size_t i = shift < 0 ? static_cast<std::size_t>(-shift) : 0; i < of_.size(); i += stride) {
      const std::size_t other = i + static_cast<std::size_t>(shift);
      if (other >= reference_.size()) break;
      if (may_be_same(of_[i], reference_[other])) {
        pairs.emplace_back(i, other);
      } else if (++wrong > most_wrong) {
        return {};
      }
    }
    return pairs;
  }
  // The shifts are compared by a sample of the pairs. At least half of the shorter list must belong together.
  [[nodiscard]] std::optional<CollectivePairs> by_order() const {
    const auto size = [](std::span<const Collective> all) { return static_cast<std::int64_t>(all.size()); };
    const std::size_t stride = std::max<std::size_t>(of_.size() / kSample, 1);
    const std::size_t fewest = std::max(kFewestByOrder, std::min(of_.size(), reference_.size()) / 2);
    std::int64_t best = 0;
    double best_spread = kNoSpread, next_spread = kNoSpread;
    for (std::int64_t shift = std::max(1 - size(of_), -kMostShift);
         shift < std::min(size(reference_), kMostShift); ++shift) {
      const Pairs pairs = shifted(shift, stride);
      if (pairs.size() * stride < fewest) continue;
      const auto found = with_line(pairs);
      if (!found) continue;
      const double spread = found->line.spread_ns;
      next_spread = std::min(next_spread, std::max(spread, best_spread));
      if (spread >= best_spread) continue;
      best_spread = spread;
      best = shift;
    }
    if (best_spread == kNoSpread || next_spread < kClearlyWorse * best_spread) return std::nullopt;
    auto found = with_line(shifted(best, 1));
    return found && is_evidence(*found) ? without_far(std::move(*found)) : std::nullopt;
  }

  // ---- the line -------------------------------------------------------------------------------------------

  // All pairs, or those of one process group if not all agree: then a name stands for several groups.
  [[nodiscard]] std::optional<CollectivePairs> best_of(const Pairs& pairs) const {
    if (auto found = with_line(pairs); found && is_evidence(*found)) return without_far(std::move(*found));
    std::map<std::pair<std::string_view, std::string_view>, Pairs> groups;
    for (const auto& pair : pairs) groups[{of_[pair.first].group, of_[pair.first].members}].push_back(pair);
    std::optional<CollectivePairs> best;
    for (const auto& [group, of_group] : groups) {
      auto found = with_line(of_group);
      if (!found || !is_evidence(*found)) continue;
      if (!best || found->pairs.size() > best->pairs.size()) best = without_far(std::move(*found));
    }
    return best;
  }
  // The ends of an all-to-all of different sizes may differ, so they count only if there are no others.
  [[nodiscard]] std::optional<CollectivePairs> with_line(const Pairs& pairs) const {
    for (const bool all : {false, true}) {
      std::vector<Point> points;
      for (const auto& [a, b] : pairs) {
        if (waits_for_all(of_[a].kind) && (all || of_[a].kind != CollectiveKind::kAllToAll))
          points.push_back(point(a, b));
      }
      if (points.size() < kFewestPairs) continue;
      std::ranges::sort(points, {}, &Point::t);
      const EndLine line = LineFit(points).run();
      if (std::abs(line.drift) > kMostDrift) return std::nullopt;
      return CollectivePairs{pairs, line};
    }
    return std::nullopt;
  }
  [[nodiscard]] Point point(std::size_t a, std::size_t b) const {
    const auto at = static_cast<double>(ns_from(of_[a].end));
    return {at, static_cast<double>(ns_from(reference_[b].end)) - at};
  }
  [[nodiscard]] bool is_far(std::size_t a, std::size_t b, const EndLine& line) const {
    const double at_reference = static_cast<double>(ns_from(reference_[b].end));
    return std::abs(line.to_reference(static_cast<double>(ns_from(of_[a].end))) - at_reference) >
           std::max(kFarSpreads * line.spread_ns, kFarNs);
  }
  [[nodiscard]] std::optional<CollectivePairs> without_far(CollectivePairs found) const {
    std::erase_if(found.pairs, [&](const auto& pair) { return is_far(pair.first, pair.second, found.line); });
    return found;
  }
  // Adds those of the pairs that agree with the line, and whose collectives have no partner.
  void add_missing(const Pairs& pairs, CollectivePairs& found) const {
    std::set<std::size_t> used_of, used_reference;
    for (const auto& [a, b] : found.pairs) {
      used_of.insert(a);
      used_reference.insert(b);
    }
    for (const auto& [a, b] : pairs) {
      if (used_of.contains(a) || used_reference.contains(b) || is_far(a, b, found.line)) continue;
      found.pairs.emplace_back(a, b);
      used_of.insert(a);
      used_reference.insert(b);
    }
  }

  // The ends agree far better than the collectives follow each other, and nearly all of them overlap in time.
  [[nodiscard]] bool is_evidence(const CollectivePairs& found) const {
    std::vector<double> between;
    std::size_t overlap = 0, all = 0;
    Timestamp last_of{}, last_reference{};
    for (const auto& [a, b] : found.pairs) {
      if (!waits_for_all(of_[a].kind)) continue;
      if (all++ > 0)
        between.push_back(
            std::min(distance(of_[a].end, last_of), distance(reference_[b].end, last_reference)));
      last_of = of_[a].end;
      last_reference = reference_[b].end;
      const auto at = [&](Timestamp t) { return found.line.to_reference(static_cast<double>(ns_from(t))); };
      const double slack = 2 * found.line.spread_ns;
      if (at(of_[a].begin) <= static_cast<double>(ns_from(reference_[b].end)) + slack &&
          static_cast<double>(ns_from(reference_[b].begin)) <= at(of_[a].end) + slack)
        ++overlap;
    }
    const double most = std::min(kMostSpreadNs, std::max(kMostSpread * median(between), kResolutionNs));
    return found.line.spread_ns <= most && 10 * overlap >= 9 * all;
  }
  [[nodiscard]] static double distance(Timestamp a, Timestamp b) {
    return std::abs(static_cast<double>(ns_from(a)) - static_cast<double>(ns_from(b)));
  }

  std::span<const Collective> of_, reference_;
};

// ---- finding ----------------------------------------------------------------------------------------------

class CollectiveFinder {
 public:
  CollectiveFinder(const Execution& execution, const Steps& steps) : execution_(execution), steps_(steps) {
    const trace::Trace& trace = execution.trace();
    name_ = trace.find_string("Collective name");
    group_ = trace.find_string("Process Group Name");
    sequence_ = trace.find_string("Seq");
    elements_ = trace.find_string("In msg nelems");
    members_ = trace.find_string("Process Group Ranks");
    size_ = trace.find_string("Group size");
  }

  std::vector<Collective> run() {
    for (StreamIndex stream = 0; stream < execution_.streams().size(); ++stream) add_stream(stream);
    std::ranges::sort(out_, {}, [](const Collective& one) { return std::tuple(one.begin, one.end); });
    return std::move(out_);
  }

 private:
  void add_stream(StreamIndex stream) {
    for (const Work& work : execution_.works_of(stream)) {
      const std::optional<CollectiveKind> kind = kind_of(work.name);
      if (!kind || trace::is_copy(work.kind)) continue;
      Collective one{.begin = work.begin,
                     .end = work.end,
                     .stream = execution_.streams()[stream].track,
                     .kind = *kind,
                     .group = {},
                     .members = {},
                     .step = step_of(work)};
      if (add_facts(work, one)) out_.push_back(std::move(one));
    }
  }
  // False: the group has one rank.
  [[nodiscard]] bool add_facts(const Work& work, Collective& one) const {
    const std::optional<trace::Slice> slice = execution_.slice_of(work);
    if (!slice) return true;
    bool alone = false;
    for (const trace::Arg& arg : execution_.trace().args(slice->args)) {
      add_fact(arg, one);
      alone = alone || (arg.key == size_ && arg.value == trace::ArgValue(std::int64_t{1}));
    }
    return !alone;
  }
  void add_fact(const trace::Arg& arg, Collective& one) const {
    if (const auto* text = std::get_if<StringId>(&arg.value)) {
      const std::string_view value = execution_.trace().string(*text);
      if (arg.key == group_) one.group = value;
      if (arg.key == members_) one.members = value;
      if (arg.key == name_) one.kind = collective_kind(value).value_or(one.kind);
    }
    if (const auto* number = std::get_if<std::int64_t>(&arg.value)) {
      if (arg.key == group_) one.group = std::to_string(*number);
      if (arg.key == sequence_) one.sequence = *number;
      if (arg.key == elements_) one.elements = *number;
    }
  }
  [[nodiscard]] std::optional<CollectiveKind> kind_of(StringId name) {
    const auto [entry, is_new] = kinds_.try_emplace(raw(name));
    if (is_new) {
      const std::string_view text = execution_.trace().string(name);
      if (is_communication(text)) entry->second = collective_kind(text).value_or(CollectiveKind::kOther);
    }
    return entry->second;
  }
  [[nodiscard]] std::int64_t step_of(const Work& work) const {
    if (!work.is_launched() || steps_.numbers.size() != steps_.count()) return -1;
    const std::optional<std::size_t> step = steps_.step_at(work.launched);
    return step ? steps_.numbers[*step] : -1;
  }

  const Execution& execution_;
  const Steps& steps_;
  std::optional<StringId> name_, group_, members_, size_, sequence_, elements_;
  std::unordered_map<std::uint32_t, std::optional<CollectiveKind>> kinds_;  // by string id
  std::vector<Collective> out_;
};

}  // namespace

std::string_view key_of(CollectiveKind kind) {
  constexpr std::array<std::string_view, kCollectiveKindCount> kKeys{
      "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "barrier",
      "broadcast",  "reduce",     "send_receive",   "other"};
  return kKeys[static_cast<std::size_t>(kind)];
}

std::optional<CollectiveKind> collective_kind(std::string_view name) {
  using enum CollectiveKind;
  struct Word {
    std::string_view text;
    CollectiveKind kind;
  };
  // "reduce" last: others contain it
  constexpr std::array<Word, 17> kWords{{{"allreduce", kAllReduce},
                                         {"all_reduce", kAllReduce},
                                         {"allgather", kAllGather},
                                         {"all_gather", kAllGather},
                                         {"reducescatter", kReduceScatter},
                                         {"reduce_scatter", kReduceScatter},
                                         {"alltoall", kAllToAll},
                                         {"all_to_all", kAllToAll},
                                         {"barrier", kBarrier},
                                         {"broadcast", kBroadcast},
                                         {"sendrecv", kSendReceive},
                                         {"send_recv", kSendReceive},
                                         {"send", kSendReceive},
                                         {"recv", kSendReceive},
                                         {"gather", kOther},
                                         {"scatter", kOther},
                                         {"reduce", kReduce}}};
  for (const Word& word : kWords) {
    if (contains_ignoring_case(name, word.text)) return word.kind;
  }
  return std::nullopt;
}

bool waits_for_all(CollectiveKind kind) {
  using enum CollectiveKind;
  return kind == kAllReduce || kind == kAllGather || kind == kReduceScatter || kind == kAllToAll ||
         kind == kBarrier;
}

std::vector<Collective> find_collectives(const Execution& execution, const Steps& steps) {
  return CollectiveFinder(execution, steps).run();
}

std::optional<CollectivePairs> match_collectives(std::span<const Collective> of,
                                                 std::span<const Collective> reference) {
  return Matcher(of, reference).run();
}

}  // namespace runahead::causes
