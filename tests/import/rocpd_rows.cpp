#include "tests/import/rocpd_rows.h"

#include <type_traits>
#include <utility>

#include "tests/import/rocm_files.h"

namespace runahead::testing {
namespace {

std::string number_or_null(std::int64_t number) { return number < 0 ? "NULL" : std::to_string(number); }

template <typename... Values>
std::string list(const Values&... values) {
  std::string out;
  const auto add = [&out](const auto& value) {
    if (!out.empty()) out += ", ";
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
      out += std::to_string(value);
    } else {
      out += value;
    }
  };
  (add(values), ...);
  return out;
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

}  // namespace

RocpdRows::RocpdRows(int schema, std::string suffix) : schema_(schema), suffix_(std::move(suffix)) {
  sql(std::string(schema == 3 ? kRocpd3 : kRocpd4) + R"(
    INSERT INTO "rocpd_info_agent$" (id, nid, pid, type, absolute_index, logical_index, type_index, name, product_name)
      VALUES (4, 1, 111, 'GPU', 4, 1, 0, 'gfx942', 'MI300X'), (5, 1, 111, 'GPU', 5, 2, 1, 'gfx942', 'MI300X'),
      (0, 1, 111, 'CPU', 0, 0, 0, 'EPYC', '');)");
}

RocpdRows& RocpdRows::sql(const std::string& statements) {
  sql_ += with_suffix(statements, suffix_) + "\n";
  return *this;
}

RocpdRows& RocpdRows::string(const std::string& text) {
  return sql("INSERT INTO \"rocpd_string$\" (id, string) VALUES (" + list(++strings_, quoted(text)) + ");");
}

RocpdRows& RocpdRows::category(const std::string& text) {
  const std::string id = std::to_string(++categories_);
  if (schema_ == 4)
    return sql("INSERT INTO \"rocpd_info_category$\" (id, name) VALUES (" + list(id, quoted(text)) + ");");
  return sql("INSERT INTO \"rocpd_string$\" (id, string) VALUES (" + list("100" + id, quoted(text)) + ");");
}

RocpdRows& RocpdRows::kernel_symbol(const std::string& name) {
  return sql(
      "INSERT INTO \"rocpd_info_kernel_symbol$\" (display_name, kernel_name, arch_vgpr_count) VALUES (" +
      list(quoted(name), quoted("mangled"), 32) + ");");
}

RocpdRows& RocpdRows::event(int category, int stack, int parent_stack, int external,
                            const std::string& extra_data) {
  const int id = category == 0 ? -1 : schema_ == 4 ? category : 1000 + category;
  return sql(
      "INSERT INTO \"rocpd_event$\" (category_id, stack_id, parent_stack_id, correlation_id, extdata) VALUES "
      "(" +
      list(number_or_null(id), stack, parent_stack, external, quoted(extra_data)) + ");");
}

int RocpdRows::track(int tid, int agent, int queue, int stream, int name) {
  const std::string place = list(1, 111, number_or_null(tid), number_or_null(agent), number_or_null(queue),
                                 number_or_null(stream), number_or_null(name));
  const auto [known, is_new] = tracks_.try_emplace(place, static_cast<int>(tracks_.size()) + 1);
  if (is_new)
    sql("INSERT INTO \"rocpd_track$\" (id, nid, pid, tid, agent_id, queue_id, stream_id, name_id) VALUES (" +
        list(known->second, place) + ");");
  return known->second;
}

int RocpdRows::time(std::int64_t ns) {
  sql("INSERT INTO \"rocpd_timestamp$\" (id, value) VALUES (" + list(++times_, ns) + ");");
  return times_;
}

std::string RocpdRows::times(std::int64_t start, std::int64_t end) {
  if (schema_ == 3) return list(start, end);
  const int first = time(start), last = time(end);
  return list(first, last);
}

RocpdRows& RocpdRows::region(int tid, std::int64_t start, std::int64_t end, int name, int event) {
  if (schema_ == 3)
    return sql("INSERT INTO \"rocpd_region$\" (nid, pid, tid, start, end, name_id, event_id) VALUES (" +
               list(1, 111, tid, times(start, end), name, event) + ");");
  const int place = track(tid, -1, -1, -1, -1);
  return sql("INSERT INTO \"rocpd_region$\" (track_id, start_id, end_id, name_id, event_id) VALUES (" +
             list(place, times(start, end), name, event) + ");");
}

RocpdRows& RocpdRows::sample(int tid, std::int64_t at, int name, int event) {
  if (schema_ == 3) {
    sql("INSERT INTO \"rocpd_track$\" (nid, pid, tid, name_id) VALUES (" + list(1, 111, tid, name) + ");");
    return sql("INSERT INTO \"rocpd_sample$\" (track_id, timestamp, event_id) SELECT max(id), " +
               list(at, event) + " FROM \"rocpd_track$\";");
  }
  const int place = track(tid, -1, -1, -1, -1), id = time(at);
  return sql("INSERT INTO \"rocpd_sample$\" (track_id, name_id, timestamp_id, event_id) VALUES (" +
             list(place, name, id, event) + ");");
}

RocpdRows& RocpdRows::kernel(int agent, int stream, std::int64_t start, std::int64_t end, int kernel,
                             int event) {
  const std::string rest = list(kernel, 0, 48, 128, 1, 1, 256, 3, 4, event);
  const std::string columns =
      "kernel_id, private_segment_size, group_segment_size, workgroup_size_x, workgroup_size_y, "
      "workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, event_id";
  if (schema_ == 3)
    return sql(
        "INSERT INTO \"rocpd_kernel_dispatch$\" (nid, pid, tid, agent_id, queue_id, stream_id, start, end, " +
        columns + ") VALUES (" + list(1, 111, 112, agent, 1, stream, times(start, end), rest) + ");");
  const int place = track(112, agent, 1, stream, -1);
  return sql("INSERT INTO \"rocpd_kernel_dispatch$\" (track_id, start_id, end_id, " + columns + ") VALUES (" +
             list(place, times(start, end), rest) + ");");
}

RocpdRows& RocpdRows::copy(int from, int to, int stream, std::int64_t start, std::int64_t end, int name,
                           int size, int event) {
  const std::string rest = list(name, from, to, size, event);
  const std::string columns = "name_id, src_agent_id, dst_agent_id, size, event_id";
  if (schema_ == 3)
    return sql("INSERT INTO \"rocpd_memory_copy$\" (nid, pid, tid, stream_id, start, end, " + columns +
               ") VALUES (" + list(1, 111, 112, stream, times(start, end), rest) + ");");
  const int place = track(112, to, -1, stream, -1);
  return sql("INSERT INTO \"rocpd_memory_copy$\" (track_id, start_id, end_id, " + columns + ") VALUES (" +
             list(place, times(start, end), rest) + ");");
}

RocpdRows& RocpdRows::memory(int agent, const std::string& type, const std::string& level, std::int64_t start,
                             int address, int size) {
  const std::string rest = list(quoted(type), quoted(level), address, size);
  const std::string columns = "type, level, address, size";
  if (schema_ == 3)
    return sql("INSERT INTO \"rocpd_memory_allocate$\" (nid, pid, tid, agent_id, start, end, " + columns +
               ") VALUES (" + list(1, 111, 112, number_or_null(agent), times(start, start + 5), rest) + ");");
  const int place = track(112, agent, -1, -1, -1);
  return sql("INSERT INTO \"rocpd_memory_allocate$\" (track_id, start_id, end_id, " + columns + ") VALUES (" +
             list(place, times(start, start + 5), rest) + ");");
}

}  // namespace runahead::testing
