#include "instrumentation/causes/rank_report.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "instrumentation/base/format.h"

namespace runahead::causes {
namespace {

// A smaller share of the run is not worth a sentence.
constexpr double kMuchWaiting = 0.01;

// The times of a damaged file may be so long that their sum does not fit: then it is the longest Duration.
// REQUIRES: none is negative.
Duration sum_of(Duration a, Duration b) { return a > Duration::max() - b ? Duration::max() : a + b; }

// Joins pairs to sets: all collectives of different ranks that are the same operation.
class Sets {
 public:
  explicit Sets(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  [[nodiscard]] std::size_t of(std::size_t one) {
    while (parent_[one] != one) one = parent_[one] = parent_[parent_[one]];
    return one;
  }
  void join(std::size_t a, std::size_t b) { parent_[of(b)] = of(a); }

 private:
  std::vector<std::size_t> parent_;
};

class Reporter {
 public:
  explicit Reporter(const ExplainOptions& options) : options_(options) {}

  void add_rank(const trace::Rank& rank, const Execution& execution,
                const std::vector<Synchronisation>& all) {
    RankExplanation one{.rank = rank, .explanation = explain(execution, all, options_), .collectives = {}};
    one.collectives = find_collectives(execution, one.explanation.steps);
    std::erase_if(one.collectives, [](const Collective& c) { return !waits_for_all(c.kind); });
    if (!rank.is_placed())
      out_.to_record.push_back("How the clock of " + rank.short_name() +
                               " relates to the others is not known, so who came last is not either.");
    out_.ranks.push_back(std::move(one));
  }
  // Call it after add_rank() for each rank.
  RankReport finish() {
    find_shared();
    find_stragglers();
    find_findings();
    note_missing();
    return std::move(out_);
  }

 private:
  // True if the two overlap in time, as parts of one collective do.
  [[nodiscard]] bool overlap(std::size_t rank_a, const Collective& a, std::size_t rank_b,
                             const Collective& b) const {
    const Duration slack{error_of(rank_a) + error_of(rank_b)};
    return a.begin <= b.end + slack && b.begin <= a.end + slack;
  }
  [[nodiscard]] std::int64_t error_of(std::size_t rank) const { return out_.ranks[rank].rank.error_ns; }

  void find_shared() {
    std::vector<std::size_t> first;  // of each rank, in a numbering of all collectives
    std::size_t count = 0;
    for (const RankExplanation& rank : out_.ranks) {
      first.push_back(count);
      count += rank.collectives.size();
    }
    Sets sets(count);
    for (std::size_t a = 0; a < out_.ranks.size(); ++a) {
      for (std::size_t b = a + 1; b < out_.ranks.size(); ++b) join(a, b, first, sets);
    }
    std::map<std::size_t, std::vector<Arrival>> arrivals;  // by set
    for (std::size_t rank = 0; rank < out_.ranks.size(); ++rank) {
      for (std::size_t i = 0; i < out_.ranks[rank].collectives.size(); ++i)
        arrivals[sets.of(first[rank] + i)].push_back({.rank = rank, .collective = i});
    }
    for (auto& [set, of_set] : arrivals) add_shared(std::move(of_set));
    std::ranges::sort(out_.collectives, {},
                      [](const SharedCollective& shared) { return shared.range.begin; });
  }
  void join(std::size_t a, std::size_t b, const std::vector<std::size_t>& first, Sets& sets) const {
    const RankExplanation &of = out_.ranks[a], &reference = out_.ranks[b];
    if (!of.rank.is_placed() || !reference.rank.is_placed()) return;
    const std::optional<CollectivePairs> matched = match_collectives(of.collectives, reference.collectives);
    if (!matched) return;
    for (const auto& [i, j] : matched->pairs) {
      if (overlap(a, of.collectives[i], b, reference.collectives[j])) sets.join(first[a] + i, first[b] + j);
    }
  }
  [[nodiscard]] const Collective& collective(const Arrival& arrival) const {
    return out_.ranks[arrival.rank].collectives[arrival.collective];
  }
  void add_shared(std::vector<Arrival> arrivals) {
    // one collective of each rank; a set with two of a rank was joined wrongly
    const auto same_rank = [](const Arrival& a, const Arrival& b) { return a.rank == b.rank; };
    if (arrivals.size() < 2 || std::ranges::adjacent_find(arrivals, same_rank) != arrivals.end()) return;
    const Collective& one = collective(arrivals.front());
    SharedCollective shared{.kind = one.kind,
                            .group = one.group,
                            .step = one.step,
                            .range = one.range(),
                            .arrivals = {},
                            .last = {}};
    const auto begin_of = [this](const Arrival& arrival) { return collective(arrival).begin; };
    const auto last = std::ranges::max_element(arrivals, {}, begin_of);
    const Timestamp last_begin = begin_of(*last);
    bool clear = true;
    for (Arrival& arrival : arrivals) {
      const Collective& here = collective(arrival);
      shared.range.begin = std::min(shared.range.begin, here.begin);
      shared.range.end = std::max(shared.range.end, here.end);
      arrival.waited =
          std::clamp(last_begin - here.begin, Duration{}, std::max(here.end - here.begin, Duration{}));
      const Duration error{error_of(arrival.rank) + error_of(last->rank)};
      if (&arrival != &*last && last_begin - here.begin <= error) clear = false;
    }
    if (clear) shared.last = last->rank;
    shared.arrivals = std::move(arrivals);
    out_.collectives.push_back(std::move(shared));
  }

  void find_stragglers() {
    std::map<std::pair<std::int64_t, std::size_t>, Straggling> steps;
    for (std::size_t rank = 0; rank < out_.ranks.size(); ++rank)
      out_.by_rank.push_back({.rank = rank, .longest_waiting = rank});
    waited_for_.assign(out_.ranks.size(), std::vector<Duration>(out_.ranks.size()));
    for (const SharedCollective& shared : out_.collectives) {
      for (const Arrival& arrival : shared.arrivals) {
        Straggling& of_step = steps[{shared.step, arrival.rank}];
        of_step.step = shared.step;
        of_step.rank = of_step.longest_waiting = arrival.rank;
        for (Straggling* const sum : {&out_.by_rank[arrival.rank], &of_step}) {
          ++sum->collectives;
          if (shared.last != arrival.rank) continue;
          ++sum->came_last;
          sum->caused = sum_of(sum->caused, shared.waited());
        }
        if (!shared.last) continue;
        Duration& waited = waited_for_[*shared.last][arrival.rank];
        waited = sum_of(waited, arrival.waited);
      }
    }
    for (Straggling& one : out_.by_rank) {
      const std::vector<Duration>& waited = waited_for_[one.rank];
      const auto longest = std::ranges::max_element(waited);
      if (*longest == Duration{}) continue;
      one.longest = *longest;
      one.longest_waiting = static_cast<std::size_t>(longest - waited.begin());
    }
    keep_worst_of_steps(steps);
  }
  void keep_worst_of_steps(const std::map<std::pair<std::int64_t, std::size_t>, Straggling>& steps) {
    for (const auto& [key, of_step] : steps) {
      if (key.first < 0 || of_step.came_last == 0) continue;
      if (out_.by_step.empty() || out_.by_step.back().step != key.first) {
        out_.by_step.push_back(of_step);
      } else if (of_step.caused > out_.by_step.back().caused) {
        out_.by_step.back() = of_step;
      }
    }
  }

  [[nodiscard]] std::string name_of(std::size_t rank) const { return out_.ranks[rank].rank.short_name(); }

  // A rank that was not given may be the one for which all others wait.
  void note_missing() {
    std::int64_t world_size = 0;
    for (const RankExplanation& one : out_.ranks) world_size = std::max(world_size, one.rank.world_size);
    if (world_size > static_cast<std::int64_t>(out_.ranks.size()))
      out_.to_record.push_back("The program had " + std::to_string(world_size) +
                               " ranks, and the traces of " + std::to_string(out_.ranks.size()) +
                               " were given. The rank that came last may be one of the others.");
    const auto placed = [](const RankExplanation& one) { return one.rank.clock == "collectives"; };
    if (out_.collectives.empty() && std::ranges::any_of(out_.ranks, placed))
      out_.to_record.emplace_back(
          "The collectives of the ranks could not be assigned to each other again after they were joined.");
  }

  // The longest wait for a rank.
  [[nodiscard]] const SharedCollective* worst_of(std::size_t rank) const {
    const SharedCollective* worst = nullptr;
    for (const SharedCollective& shared : out_.collectives) {
      if (shared.last == rank && (worst == nullptr || shared.waited() > worst->waited())) worst = &shared;
    }
    return worst;
  }
  void find_findings() {
    for (const Straggling& one : out_.by_rank) {
      const SharedCollective* const worst = worst_of(one.rank);
      if (worst == nullptr) continue;
      const Explanation& explanation = out_.ranks[one.rank].explanation;
      if (static_cast<double>(one.longest.count()) <
          kMuchWaiting * static_cast<double>(explanation.range.duration().count()))
        continue;
      const auto at = std::ranges::find(worst->arrivals, one.rank, &Arrival::rank);
      Finding finding{.rule = "straggler",
                      .sentence = {},
                      .help = {},
                      .count = one.came_last,
                      .cost = one.longest,
                      .range = worst->range};
      finding.track = collective(*at).stream;
      finding.sentence = name_of(one.rank) + " came last in " + std::to_string(one.came_last) + " of " +
                         std::to_string(one.collectives) + " collectives. " + name_of(one.longest_waiting) +
                         " waited longest for it: " + format_duration(one.longest) + ".";
      finding.help =
          "Compare its time before the collectives with that of another rank: more work (batches of "
          "different sizes), a slower device, or a slower host.";
      out_.findings.push_back(std::move(finding));
    }
    std::ranges::stable_sort(out_.findings, std::greater<>(), &Finding::cost);
  }

  const ExplainOptions& options_;
  RankReport out_;
  std::vector<std::vector<Duration>> waited_for_;  // [last][waiting]
};

}  // namespace

Duration SharedCollective::waited() const {
  Duration sum{};
  for (const Arrival& arrival : arrivals) sum = sum_of(sum, arrival.waited);
  return sum;
}

Duration RankReport::waited() const {
  Duration sum{};
  for (const SharedCollective& shared : collectives) sum = sum_of(sum, shared.waited());
  return sum;
}

RankReport explain_ranks(const trace::Trace& trace, const ExplainOptions& options) {
  Reporter reporter(options);
  for (const trace::Rank& rank : trace::ranks_of(trace)) {
    const Execution execution(trace, rank.group);
    reporter.add_rank(rank, execution, find_synchronisations(execution));
  }
  return reporter.finish();
}

RankReport explain_ranks(const Synchronisations& known, const ExplainOptions& options) {
  Reporter reporter(options);
  for (const trace::Rank& rank : trace::ranks_of(known.parts().front().execution.trace())) {
    const Synchronisations::Part* const part = known.part_of(rank.group);
    if (part != nullptr) reporter.add_rank(rank, part->execution, part->all);
  }
  return reporter.finish();
}

}  // namespace runahead::causes
