// The SQL tables `op`, `flow` and `dependency`. Each has the op's id as its key column, so a query for one op
// does not visit all rows.
#include <optional>
#include <utility>

#include "instrumentation/query/row_columns.h"
#include "instrumentation/query/trace_tables.h"

namespace runahead::query {
namespace {

// A cursor over rows of type T: all rows in order, or the rows of one op.
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

using trace::OpRow;
constexpr auto kOpLayout = layout_of<OpRow>(
    kColumnOf<&OpRow::id>, Column{"number", "INTEGER"}, kColumnOf<&OpRow::name>, kColumnOf<&OpRow::step>,
    kColumnOf<&OpRow::enqueued>, kColumnOf<&OpRow::ready>, kColumnOf<&OpRow::started>,
    kColumnOf<&OpRow::ended>, kColumnOf<&OpRow::enqueue_track>, kColumnOf<&OpRow::execute_track>,
    kColumnOf<&OpRow::output_bytes>, kColumnOf<&OpRow::flags>, Column{"slice", "INTEGER"});
constexpr int kOpId = kOpLayout.at("id"), kOpNumber = kOpLayout.at("number"),
              kOpSlice = kOpLayout.at("slice");

class OpRows final : public RowsByOp<trace::OpRow> {
 public:
  explicit OpRows(const TraceTables& of) : of_(of) {}
  void column(int column, Value& value) const override {
    const trace::OpRow& op = row();
    if (kOpLayout.put(op, of_.trace(), column, value)) return;
    if (column == kOpNumber) return value.integer(static_cast<std::int64_t>(op_number(op.id)));
    const auto slice = column == kOpSlice ? of_.slice_of_op(op) : std::nullopt;
    if (slice) value.integer(static_cast<std::int64_t>(*slice));
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

using trace::Flow;
constexpr auto kFlowLayout = layout_of<Flow>(
    kColumnOf<&Flow::kind>, kColumnOf<&Flow::name>, kColumnOf<&Flow::op>, kColumnOf<&Flow::from_track>,
    kColumnOf<&Flow::from_time>, kColumnOf<&Flow::to_track>, kColumnOf<&Flow::to_time>);
constexpr int kFlowOp = kFlowLayout.at("op");

class FlowRows final : public RowsByOp<trace::Flow> {
 public:
  explicit FlowRows(const TraceTables& of) : of_(of) {}
  void column(int column, Value& value) const override { kFlowLayout.put(row(), of_.trace(), column, value); }

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

using trace::Dependency;
constexpr auto kDependencyLayout =
    layout_of<Dependency>(kColumnOf<&Dependency::op>, kColumnOf<&Dependency::on>,
                          kColumnOf<&Dependency::kind>, kColumnOf<&Dependency::at>);
constexpr int kDependencyOp = kDependencyLayout.at("op");

class DependencyRows final : public RowsByOp<trace::Dependency> {
 public:
  explicit DependencyRows(const TraceTables& of) : of_(of) {}
  void column(int column, Value& value) const override {
    kDependencyLayout.put(row(), of_.trace(), column, value);
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
  add_table_of<OpRows>(of, {"op", kOpLayout.columns(), {{kOpId, 1}}, count(counts.ops)}, out);
  add_table_of<FlowRows>(of, {"flow", kFlowLayout.columns(), {{kFlowOp, 2}}, count(counts.flows)}, out);
  add_table_of<DependencyRows>(
      of, {"dependency", kDependencyLayout.columns(), {{kDependencyOp, 3}}, count(counts.dependencies)}, out);
}

}  // namespace runahead::query
