// Makes the same rows for a rocpd database of schema 3 or of schema 4, which stores places and times in
// tables of their own.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace runahead::testing {

// All rows are of process 111 on node 1. Agent 4 is GPU 0, agent 5 is GPU 1, agent 0 is a CPU.
class RocpdRows {
 public:
  // `schema`: 3 or 4. `suffix`: the end of the names of the tables.
  explicit RocpdRows(int schema, std::string suffix = "_0199f3a2");

  // Strings, categories and kernels get the ids 1, 2, 3 in the order of the calls.
  RocpdRows& string(const std::string& text);
  RocpdRows& category(const std::string& text);  // in schema 3 a string, too
  RocpdRows& kernel_symbol(const std::string& name);
  // Events get the ids 1, 2, 3. `stack` is common to a call and its work.
  RocpdRows& event(int category, int stack, int parent_stack, int external = 0,
                   const std::string& extra_data = "{}");
  RocpdRows& region(int tid, std::int64_t start, std::int64_t end, int name, int event);
  RocpdRows& sample(int tid, std::int64_t at, int name, int event);
  RocpdRows& kernel(int agent, int stream, std::int64_t start, std::int64_t end, int kernel, int event);
  RocpdRows& copy(int from, int to, int stream, std::int64_t start, std::int64_t end, int name, int size,
                  int event);
  // `agent` < 0: NULL, as rocprofv3 writes it for a free.
  RocpdRows& memory(int agent, const std::string& type, const std::string& level, std::int64_t start,
                    int address, int size);
  RocpdRows& sql(const std::string& statements);  // "$" becomes the suffix

  // All statements, with those that make the tables.
  [[nodiscard]] std::string statements() const { return sql_; }

 private:
  [[nodiscard]] int track(int tid, int agent, int queue, int stream, int name);
  [[nodiscard]] int time(std::int64_t ns);
  [[nodiscard]] std::string times(std::int64_t start, std::int64_t end);

  int schema_;
  std::string suffix_, sql_;
  std::map<std::string, int> tracks_;
  int times_ = 0, strings_ = 0, categories_ = 0;
};

}  // namespace runahead::testing
