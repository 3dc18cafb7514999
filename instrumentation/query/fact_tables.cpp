// The SQL tables `track`, `args`, `metadata` and `loss`. They describe the trace and the rows of the other
// tables.
#include <algorithm>
#include <array>
#include <iterator>

#include "instrumentation/query/trace_tables.h"
#include "instrumentation/trace/labels.h"

namespace runahead::query {
namespace {

// ---- track -----------------------------------------------------------------------------------------------

class TrackTable final : public NumberedTable {
 public:
  explicit TrackTable(const TraceTables& of) : trace_(of.trace()) {}
  [[nodiscard]] const char* name() const override { return "track"; }
  [[nodiscard]] std::span<const Column> columns() const override { return kColumns; }
  [[nodiscard]] std::uint64_t size() const override { return trace_.tracks().size(); }
  [[nodiscard]] int number_column() const override { return kId; }
  void value(std::uint64_t row, int column, Value& value) const override {
    const trace::TrackInfo& info = trace_.tracks()[row].info;
    switch (column) {
      case kId:
        return put_track(info.id, value);
      case kName:
        return value.text(info.name);
      case kKind:
        return value.text(trace::track_kind_key(info.kind));
      case kParent:
        return put_track(info.parent, value);
      case kPath:
        return value.copied_text(trace::track_path(trace_, info.id));
      case kDevice:
        return value.text(info.device);
      case kSimulated:
        return value.integer(info.simulated ? 1 : 0);
      case kUnit:
        return value.text(trace::unit_key(info.unit));
      case kPid:
        return value.integer(info.pid);
      case kTid:
        return value.integer(info.tid);
      default:
        return;
    }
  }

 private:
  enum : int { kId, kName, kKind, kParent, kPath, kDevice, kSimulated, kUnit, kPid, kTid };
  static constexpr std::array<Column, 10> kColumns{{{"id", "INTEGER"},
                                                    {"name", "TEXT"},
                                                    {"kind", "TEXT"},
                                                    {"parent", "INTEGER"},
                                                    {"path", "TEXT"},
                                                    {"device", "TEXT"},
                                                    {"simulated", "INTEGER"},
                                                    {"unit", "TEXT"},
                                                    {"pid", "INTEGER"},
                                                    {"tid", "INTEGER"}}};
  const trace::Trace& trace_;
};

// ---- args: a row for each argument of each argument set --------------------------------------------------

enum ArgsColumn : int { kSet, kKey, kValue };
constexpr std::array<Column, 3> kArgsColumns{{{"id", "INTEGER"}, {"key", "TEXT"}, {"value", ""}}};

class ArgsRows final : public Rows {
 public:
  explicit ArgsRows(const TraceTables& of) : trace_(of.trace()) {}
  void start(const Wanted& wanted) override {
    const auto count = static_cast<std::int64_t>(trace_.args_count());
    set_ = std::clamp<std::int64_t>(wanted.of(kSet).low, 1, count + 1);
    last_ = std::clamp<std::int64_t>(wanted.of(kSet).high, 0, count);
    arg_ = 0;
    number_ = 0;
    skip_empty();
  }
  [[nodiscard]] bool done() const override { return set_ > last_; }
  void next() override {
    ++number_;
    ++arg_;
    skip_empty();
  }
  [[nodiscard]] std::int64_t number() const override { return number_; }
  void column(int column, Value& value) const override {
    const trace::Arg& arg = set()[arg_];
    if (column == kSet) return value.integer(set_);
    if (column == kKey) return value.text(trace_.string(arg.key));
    if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) return value.integer(*integer);
    if (const auto* real = std::get_if<double>(&arg.value)) return value.real(*real);
    value.text(trace_.string(std::get<StringId>(arg.value)));
  }

 private:
  [[nodiscard]] std::span<const trace::Arg> set() const {
    return trace_.args(ArgsId{static_cast<std::uint32_t>(set_)});
  }
  void skip_empty() {
    while (!done() && arg_ >= set().size()) {
      ++set_;
      arg_ = 0;
    }
  }
  const trace::Trace& trace_;
  std::int64_t set_ = 1, last_ = 0, number_ = 0;
  std::size_t arg_ = 0;
};

// ---- metadata, loss --------------------------------------------------------------------------------------

class MetadataTable final : public NumberedTable {
 public:
  explicit MetadataTable(const TraceTables& of) : facts_(of.trace().metadata()) {}
  [[nodiscard]] const char* name() const override { return "metadata"; }
  [[nodiscard]] std::span<const Column> columns() const override { return kColumns; }
  [[nodiscard]] std::uint64_t size() const override { return facts_.size(); }
  void value(std::uint64_t row, int column, Value& value) const override {
    const auto& [key, text] = *std::next(facts_.begin(), static_cast<std::ptrdiff_t>(row));
    value.text(column == 0 ? key : text);
  }

 private:
  static constexpr std::array<Column, 2> kColumns{{{"key", "TEXT"}, {"value", "TEXT"}}};
  const std::map<std::string, std::string>& facts_;
};

class LossTable final : public NumberedTable {
 public:
  explicit LossTable(const TraceTables& of) : losses_(of.trace().losses()) {}
  [[nodiscard]] const char* name() const override { return "loss"; }
  [[nodiscard]] std::span<const Column> columns() const override { return kColumns; }
  [[nodiscard]] std::uint64_t size() const override { return trace::kLossCauseCount; }
  void value(std::uint64_t row, int column, Value& value) const override {
    const auto cause = static_cast<trace::LossCause>(row);
    if (column == 0) return value.text(trace::loss_key(cause));
    if (column == 1) return value.integer(static_cast<std::int64_t>(losses_.of(cause)));
    value.text(trace::loss_sentence(cause));
  }

 private:
  static constexpr std::array<Column, 3> kColumns{
      {{"cause", "TEXT"}, {"count", "INTEGER"}, {"sentence", "TEXT"}}};
  const trace::LossCounts losses_;
};

}  // namespace

void add_fact_tables(const TraceTables& of, std::vector<std::unique_ptr<Table>>& out) {
  out.push_back(std::make_unique<TrackTable>(of));
  const double args = 4 * static_cast<double>(of.trace().args_count());  // an estimate
  add_table_of<ArgsRows>(of, {"args", kArgsColumns, {{kSet, 4}}, args}, out);
  out.push_back(std::make_unique<MetadataTable>(of));
  out.push_back(std::make_unique<LossTable>(of));
}

}  // namespace runahead::query
