// op, flow, dependency: what is found by an op's id.
#include <array>
#include <optional>
#include <utility>

#include "instrumentation/query/trace_tables.h"
#include "instrumentation/trace/labels.h"

namespace runahead::query {
namespace {

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
        return value.copied_text(trace::slice_flag_keys(op.flags));
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
        return value.text(trace::flow_kind_key(flow.kind));
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

}  // namespace

void add_op_tables(const TraceTables& of, std::vector<std::unique_ptr<Table>>& out) {
  const trace::TraceCounts counts = of.trace().counts();
  const auto count = [](std::uint64_t rows) { return static_cast<double>(rows); };
  add_table_of<OpRows>(of, {"op", kOpColumns, {{kOpId, 1}}, count(counts.ops)}, out);
  add_table_of<FlowRows>(of, {"flow", kFlowColumns, {{kFlowOp, 2}}, count(counts.flows)}, out);
  add_table_of<DependencyRows>(
      of, {"dependency", kDependencyColumns, {{kDependencyOp, 3}}, count(counts.dependencies)}, out);
}

}  // namespace runahead::query
