// op, flow, dependency, holding: what is found by an op's id.
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "instrumentation/query/trace_tables.h"
#include "instrumentation/trace/holding_table.h"
#include "instrumentation/trace/io/labels.h"

namespace runahead::query {
namespace {

// The op that is wanted, if it is one.
std::optional<OpId> one_op(const Interval& wanted) {
  if (wanted.low != wanted.high) return std::nullopt;
  return OpId{static_cast<std::uint64_t>(wanted.low)};
}

// Rows of type T: all there are, in order, or those of one op.
template <typename T>
class RowsByOp : public Rows {
 public:
  void start(const Wanted& wanted) override {
    op_ = one_op(wanted.of(op_column()));
    of_op_ = op_ ? find(*op_) : std::vector<T>();
    at_ = 0;
    row_.reset();
  }
  [[nodiscard]] bool done() const override { return at_ >= (op_ ? of_op_.size() : size()); }
  void next() override {
    ++at_;
    row_.reset();
  }
  [[nodiscard]] std::int64_t number() const override { return static_cast<std::int64_t>(at_); }

 protected:
  [[nodiscard]] virtual int op_column() const = 0;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  [[nodiscard]] virtual T at(std::uint64_t index) const = 0;
  [[nodiscard]] virtual std::vector<T> find(OpId op) const = 0;
  [[nodiscard]] const T& row() const {
    if (!row_) row_ = op_ ? of_op_[at_] : at(at_);
    return *row_;
  }

 private:
  std::optional<OpId> op_;
  std::vector<T> of_op_;
  std::uint64_t at_ = 0;
  mutable std::optional<T> row_;
};

// ---- op --------------------------------------------------------------------------------------------------

enum OpColumn : int {
  kOpId,
  kOpNumber,
  kOpName,
  kOpStep,
  kEnqueued,
  kReady,
  kStarted,
  kEnded,
  kEnqueueTrack,
  kExecuteTrack,
  kOpBytes,
  kOpFlags,
  kOpSlice
};
constexpr std::array<Column, 13> kOpColumns{{{"id", "INTEGER"},
                                             {"number", "INTEGER"},
                                             {"name", "TEXT"},
                                             {"step", "INTEGER"},
                                             {"enqueued", "INTEGER"},
                                             {"ready", "INTEGER"},
                                             {"started", "INTEGER"},
                                             {"ended", "INTEGER"},
                                             {"enqueue_track", "INTEGER"},
                                             {"execute_track", "INTEGER"},
                                             {"output_bytes", "INTEGER"},
                                             {"flags", "TEXT"},
                                             {"slice", "INTEGER"}}};

class OpRows final : public RowsByOp<trace::OpRow> {
 public:
  explicit OpRows(const TraceTables& of) : of_(of) {}
  void column(int column, Value& value) const override {
    const trace::OpRow& op = row();
    switch (column) {
      case kOpId:
        return put_op(op.id, value);
      case kOpNumber:
        return value.integer(static_cast<std::int64_t>(op_number(op.id)));
      case kOpName:
        return value.text(of_.trace().string(op.name));
      case kOpStep:
        return op.step >= 0 ? value.integer(op.step) : void();
      case kEnqueued:
        return put_time(op.enqueued, value);
      case kReady:
        return put_time(op.ready, value);
      case kStarted:
        return put_time(op.started, value);
      case kEnded:
        return put_time(op.ended, value);
      case kEnqueueTrack:
        return put_track(op.enqueue_track, value);
      case kExecuteTrack:
        return put_track(op.execute_track, value);
      case kOpBytes:
        return value.integer(op.output_bytes);
      case kOpFlags:
        return value.copied_text(trace::io::slice_flag_keys(op.flags));
      case kOpSlice:
        if (const auto slice = of_.slice_of_op(op)) value.integer(static_cast<std::int64_t>(*slice));
        return;
      default:
        return;
    }
  }

 private:
  [[nodiscard]] int op_column() const override { return kOpId; }
  [[nodiscard]] std::uint64_t size() const override {
    return of_.trace().op_count() + of_.trace().open_ops().size();
  }
  [[nodiscard]] trace::OpRow at(std::uint64_t index) const override {
    const std::uint64_t ended = of_.trace().op_count();
    return index < ended ? of_.trace().op_row(index) : of_.trace().open_ops()[index - ended];
  }
  [[nodiscard]] std::vector<trace::OpRow> find(OpId op) const override {
    const std::optional<trace::OpRow> found = of_.trace().op(op);
    return found ? std::vector<trace::OpRow>{*found} : std::vector<trace::OpRow>();
  }
  const TraceTables& of_;
};

// ---- flow ------------------------------------------------------------------------------------------------

enum FlowColumn : int { kFlowKind, kFlowName, kFlowOp, kFromTrack, kFromTs, kToTrack, kToTs };
constexpr std::array<Column, 7> kFlowColumns{{{"kind", "TEXT"},
                                              {"name", "TEXT"},
                                              {"op", "INTEGER"},
                                              {"from_track", "INTEGER"},
                                              {"from_ts", "INTEGER"},
                                              {"to_track", "INTEGER"},
                                              {"to_ts", "INTEGER"}}};

class FlowRows final : public RowsByOp<trace::Flow> {
 public:
  explicit FlowRows(const TraceTables& of) : of_(of) {}
  void column(int column, Value& value) const override {
    const trace::Flow& flow = row();
    switch (column) {
      case kFlowKind:
        return value.text(trace::io::flow_kind_key(flow.kind));
      case kFlowName:
        return value.text(of_.trace().string(flow.name));
      case kFlowOp:
        return put_op(flow.op, value);
      case kFromTrack:
        return put_track(flow.from_track, value);
      case kFromTs:
        return put_time(flow.from_time, value);
      case kToTrack:
        return put_track(flow.to_track, value);
      case kToTs:
        return put_time(flow.to_time, value);
      default:
        return;
    }
  }

 private:
  [[nodiscard]] int op_column() const override { return kFlowOp; }
  [[nodiscard]] std::uint64_t size() const override { return of_.trace().flow_count(); }
  [[nodiscard]] trace::Flow at(std::uint64_t index) const override { return of_.trace().flow(index); }
  [[nodiscard]] std::vector<trace::Flow> find(OpId op) const override {
    std::vector<trace::Flow> found;
    of_.trace().flows_of_op(op, SIZE_MAX, found);
    return found;
  }
  const TraceTables& of_;
};

// ---- dependency ------------------------------------------------------------------------------------------

enum DependencyColumn : int { kDependencyOp, kDependencyOn, kDependencyKind, kDependencyTs };
constexpr std::array<Column, 4> kDependencyColumns{
    {{"op", "INTEGER"}, {"on_op", "INTEGER"}, {"kind", "TEXT"}, {"ts", "INTEGER"}}};

class DependencyRows final : public RowsByOp<trace::Dependency> {
 public:
  explicit DependencyRows(const TraceTables& of) : of_(of) {}
  void column(int column, Value& value) const override {
    static constexpr std::array<std::string_view, trace::kDependencyKindCount> kKinds{
        "read_after_write", "write_after_read", "write_after_write"};
    switch (column) {
      case kDependencyOp:
        return put_op(row().op, value);
      case kDependencyOn:
        return put_op(row().on, value);
      case kDependencyKind:
        return value.text(kKinds[static_cast<std::size_t>(row().kind)]);
      case kDependencyTs:
        return put_time(row().at, value);
      default:
        return;
    }
  }

 private:
  [[nodiscard]] int op_column() const override { return kDependencyOp; }
  [[nodiscard]] std::uint64_t size() const override { return of_.trace().dependency_count(); }
  [[nodiscard]] trace::Dependency at(std::uint64_t index) const override {
    return of_.trace().dependency(index);
  }
  [[nodiscard]] std::vector<trace::Dependency> find(OpId op) const override {
    std::vector<trace::Dependency> found;
    of_.trace().dependencies_of(op, SIZE_MAX, found);
    return found;
  }
  const TraceTables& of_;
};

// ---- holding ---------------------------------------------------------------------------------------------

enum HoldingColumn : int {
  kHoldingTs,
  kHoldingEnd,
  kHoldingDevice,
  kHoldingCategory,
  kHoldingName,
  kHoldingOp,
  kHoldingBytes,
  kHoldingBlock,
  kHoldingTrack,
  kHoldingNote
};
constexpr std::array<Column, 10> kHoldingColumns{{{"ts", "INTEGER"},
                                                  {"end_ts", "INTEGER"},
                                                  {"device", "TEXT"},
                                                  {"category", "TEXT"},
                                                  {"name", "TEXT"},
                                                  {"op", "INTEGER"},
                                                  {"bytes", "INTEGER"},
                                                  {"block", "INTEGER"},
                                                  {"track", "INTEGER"},
                                                  {"note", "TEXT"}}};

// A row for each block: one that has a whole row is not shown a second time as held.
class HoldingRows final : public Rows {
 public:
  explicit HoldingRows(const TraceTables& of) : trace_(of.trace()), table_(trace_.holdings()) {}
  void start(const Wanted& wanted) override {
    op_ = one_op(wanted.of(kHoldingOp));
    std::unordered_set<std::uint64_t> held;
    table_.each(Timestamp::max(), [&](const trace::Holding& row) {
      row.end == trace::kNever ? static_cast<void>(held.insert(row.block))
                               : static_cast<void>(held.erase(row.block));
    });
    rows_.clear();
    std::uint64_t index = 0;
    table_.each(Timestamp::max(), [&](const trace::Holding& row) {
      const std::uint64_t here = index++;
      if (op_ && row.op != *op_) return;
      if (row.end == trace::kNever) {
        if (!held.contains(row.block)) return;
        // A block may be said to be held more than once: the last row knows most.
        if (const auto [place, is_new] = last_held_.try_emplace(row.block, rows_.size()); !is_new) {
          rows_[place->second] = here;
          return;
        }
      }
      rows_.push_back(here);
    });
    last_held_.clear();
    at_ = 0;
    row_.reset();
  }
  [[nodiscard]] bool done() const override { return at_ >= rows_.size(); }
  void next() override {
    ++at_;
    row_.reset();
  }
  [[nodiscard]] std::int64_t number() const override { return static_cast<std::int64_t>(rows_[at_]); }
  void column(int column, Value& value) const override {
    if (!row_) row_ = table_.row(rows_[at_]);
    switch (column) {
      case kHoldingTs:
        return put_time(row_->begin, value);
      case kHoldingEnd:
        return put_time(row_->end, value);
      case kHoldingDevice:
        if (raw(row_->counter) >= trace_.tracks().size()) return;
        return value.text(trace_.track(row_->counter).info.device);
      case kHoldingCategory:
        return value.text(trace_.string(row_->category));
      case kHoldingName:
        return value.text(trace_.string(row_->name));
      case kHoldingOp:
        return put_op(row_->op, value);
      case kHoldingBytes:
        return value.integer(row_->size_bytes);
      case kHoldingBlock:
        return value.integer(static_cast<std::int64_t>(row_->block));
      case kHoldingTrack:
        return put_track(row_->counter, value);
      case kHoldingNote:
        if ((row_->flags & trace::kHoldingBeganBefore) != 0) return value.text("began before");
        if ((row_->flags & trace::kHoldingEndUnseen) != 0) return value.text("end unseen");
        return;
      default:
        return;
    }
  }

 private:
  const trace::Trace& trace_;
  const trace::HoldingTable& table_;
  std::optional<OpId> op_;
  std::vector<std::uint64_t> rows_;  // those that are shown, by their place in the table
  std::unordered_map<std::uint64_t, std::size_t> last_held_;
  std::uint64_t at_ = 0;
  mutable std::optional<trace::Holding> row_;
};

}  // namespace

void add_op_tables(const TraceTables& of, std::vector<std::unique_ptr<Table>>& out) {
  const trace::TraceCounts counts = of.trace().counts();
  const auto count = [](std::uint64_t rows) { return static_cast<double>(rows); };
  add_table_of<OpRows>(of, {"op", kOpColumns, {{kOpId, 1}}, count(counts.ops)}, out);
  add_table_of<FlowRows>(of, {"flow", kFlowColumns, {{kFlowOp, 2}}, count(counts.flows)}, out);
  add_table_of<DependencyRows>(
      of, {"dependency", kDependencyColumns, {{kDependencyOp, 3}}, count(counts.dependencies)}, out);
  add_table_of<HoldingRows>(of, {"holding", kHoldingColumns, {{kHoldingOp, 1}}, count(counts.holdings)}, out);
}

}  // namespace runahead::query
