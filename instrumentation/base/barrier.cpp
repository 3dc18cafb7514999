#include "instrumentation/base/barrier.h"

#include <array>
#include <utility>

#include "instrumentation/base/parse_number.h"

namespace runahead {
namespace {

struct Word {
  std::string_view word;
  BarrierKind kind;
};
constexpr std::array kPlainWords{
    Word{"none", BarrierKind::kNone},       Word{"wait_to_read", BarrierKind::kWaitToRead},
    Word{"waitall", BarrierKind::kWaitAll}, Word{"item", BarrierKind::kItem},
    Word{"asnumpy", BarrierKind::kAsnumpy}, Word{"print", BarrierKind::kPrint}};
constexpr std::array kNumberWords{Word{"window", BarrierKind::kWindow}, Word{"ops", BarrierKind::kOps},
                                  Word{"bytes", BarrierKind::kBytes}};
constexpr std::string_view kAll =
    "none, wait_to_read, waitall, item, asnumpy, print, window:K, ops:N, bytes:N (such as bytes:256M)";

struct Unit {
  std::string_view suffix;
  std::int64_t factor;
};
// The largest unit comes first, because to_string() writes a byte count with the first unit that divides it.
constexpr std::array kUnits{Unit{"Gi", std::int64_t{1} << 30},
                            Unit{"G", 1'000'000'000},
                            Unit{"Mi", std::int64_t{1} << 20},
                            Unit{"M", 1'000'000},
                            Unit{"Ki", 1024},
                            Unit{"k", 1000}};

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

}  // namespace

Result<BarrierPolicy> parse_barrier(std::string_view text) {
  for (const Word& plain : kPlainWords) {
    if (text == plain.word) return BarrierPolicy{plain.kind, 0};
  }
  const std::size_t colon = text.find(':');
  for (const Word& number : kNumberWords) {
    if (text.substr(0, colon) != number.word) continue;
    const std::string word(number.word);
    if (colon == std::string_view::npos) {
      return Error{"barrier " + quoted(text) + " needs a number, as in " + word +
                   ":2; there are: " + std::string(kAll)};
    }
    const bool units = number.kind == BarrierKind::kBytes;
    const std::string_view digits = text.substr(colon + 1);
    if (const auto k = units ? parse_positive_bytes(digits) : parse_positive(digits))
      return BarrierPolicy{number.kind, *k};
    return Error{"barrier " + quoted(text) + ": " + quoted(digits) + " is not a whole number above 0" +
                 (units ? " (k, M, G, Ki, Mi, Gi may follow)" : "")};
  }
  return Error{"unknown barrier " + quoted(text) + "; there are: " + std::string(kAll)};
}

std::string to_string(const BarrierPolicy& policy) {
  for (const Word& plain : kPlainWords) {
    if (plain.kind == policy.kind) return std::string(plain.word);
  }
  for (const Word& number : kNumberWords) {
    if (number.kind != policy.kind) continue;
    std::string text = std::string(number.word) + ":";
    if (policy.kind == BarrierKind::kBytes) {
      for (const Unit& unit : kUnits) {
        if (policy.k % unit.factor == 0 && policy.k != 0) {
          return text + std::to_string(policy.k / unit.factor) + std::string(unit.suffix);
        }
      }
    }
    return text + std::to_string(policy.k);
  }
  return "none";
}

const std::vector<BarrierChoice>& barrier_choices() {
  static const std::vector<BarrierChoice> kChoices{
      {{BarrierKind::kNone, 0}, "none", "The frontend never waits; only the safety limit holds it back."},
      {{BarrierKind::kWaitToRead, 0}, "wait_to_read", "Each step waits for its own result."},
      {{BarrierKind::kWaitAll, 0}, "waitall", "Each step waits for everything enqueued so far."},
      {{BarrierKind::kItem, 0}, "item", "Each step reads one number of its result, which waits for it."},
      {{BarrierKind::kAsnumpy, 0}, "asnumpy", "Each step copies its result to the host, which waits for it."},
      {{BarrierKind::kPrint, 0}, "print", "Each step prints its result, which waits for it."},
      {{BarrierKind::kWindow, 2}, "window 2", "Step t finishes before step t + 2 starts."},
      {{BarrierKind::kOps, 100},
       "ops 100",
       "The frontend is held back while more than 100 ops are in flight."},
      {{BarrierKind::kBytes, 256'000'000},
       "bytes 256M",
       "The frontend is held back while more than 256 MB of results are in flight."}};
  return kChoices;
}

}  // namespace runahead
