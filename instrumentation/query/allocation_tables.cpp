// The SQL table `holding`. Its rows are allocations: blocks of device memory, from allocate to free.
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "instrumentation/query/row_columns.h"
#include "instrumentation/query/trace_tables.h"
#include "instrumentation/trace/allocation_table.h"

namespace runahead::query {
namespace {

using trace::Allocation;
constexpr auto kAllocationLayout = layout_of<Allocation>(
    kColumnOf<&Allocation::begin>, kColumnOf<&Allocation::end>, Column{"device", "TEXT"},
    kColumnOf<&Allocation::category>, kColumnOf<&Allocation::name>, kColumnOf<&Allocation::op>,
    kColumnOf<&Allocation::size_bytes>, kColumnOf<&Allocation::block>, kColumnOf<&Allocation::counter>,
    Column{"note", "TEXT"});
constexpr int kAllocationOp = kAllocationLayout.at("op"), kAllocationDevice = kAllocationLayout.at("device"),
              kAllocationNote = kAllocationLayout.at("note");

// The table has one row per block. In the trace, a block may have rows without an end, written while the
// block was live, and a complete row, written after the free. If there is a complete row, only this row is
// shown.
class AllocationRows final : public Rows {
 public:
  explicit AllocationRows(const TraceTables& of) : trace_(of.trace()), table_(trace_.allocations()) {}
  void start(const Wanted& wanted) override {
    op_ = one_op(wanted.of(kAllocationOp));
    std::unordered_set<std::uint64_t> held;
    table_.each(Timestamp::max(), [&](const trace::Allocation& row) {
      row.end == trace::kNever ? static_cast<void>(held.insert(row.block))
                               : static_cast<void>(held.erase(row.block));
    });
    rows_.clear();
    std::uint64_t index = 0;
    table_.each(Timestamp::max(), [&](const trace::Allocation& row) {
      const std::uint64_t here = index++;
      if (op_ && row.op != *op_) return;
      if (row.end == trace::kNever) {
        if (!held.contains(row.block)) return;
        // A live block may have several rows without an end. Only the last of these rows is shown, because
        // the last row has the most fields.
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
    if (kAllocationLayout.put(*row_, trace_, column, value)) return;
    if (column == kAllocationDevice) {
      if (raw(row_->counter) >= trace_.tracks().size()) return;
      return value.text(trace_.track(row_->counter).info.device);
    }
    if (column != kAllocationNote) return;
    if ((row_->flags & trace::kAllocationBeganBefore) != 0) return value.text("began before");
    if ((row_->flags & trace::kAllocationEndUnseen) != 0) return value.text("end unseen");
  }

 private:
  const trace::Trace& trace_;
  const trace::AllocationTable& table_;
  std::optional<OpId> op_;
  std::vector<std::uint64_t> rows_;  // the rows to show, as indices in table_
  std::unordered_map<std::uint64_t, std::size_t> last_held_;
  std::uint64_t at_ = 0;
  mutable std::optional<trace::Allocation> row_;
};

}  // namespace

void add_allocation_tables(const TraceTables& of, std::vector<std::unique_ptr<Table>>& out) {
  const auto rows = static_cast<double>(of.trace().counts().allocations);
  add_table_of<AllocationRows>(of, {"holding", kAllocationLayout.columns(), {{kAllocationOp, 1}}, rows}, out);
}

}  // namespace runahead::query
