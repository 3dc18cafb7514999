// Makes programs of empty ops for comparing engines: each op reads up to two Vars and writes one.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace runahead::bench {

struct ShapedOp {
  std::uint32_t reads[2] = {0, 0};
  std::uint32_t read_count = 0;
  std::uint32_t write = 0;
};

struct Program {
  std::uint32_t vars = 1;
  std::vector<ShapedOp> ops;
};

// All ops write the same Var, so they run one after the other.
inline Program chain(std::uint32_t ops) { return {1, std::vector<ShapedOp>(ops)}; }

// Each op writes a separate Var: all ops may run at the same time.
inline Program independent(std::uint32_t ops) {
  Program program{ops, std::vector<ShapedOp>(ops)};
  for (std::uint32_t i = 0; i < ops; ++i) program.ops[i].write = i;
  return program;
}

// Each op reads two of 1000 Vars and writes a third. The program is the same in every run.
inline Program dag(std::uint32_t ops) {
  Program program{1000, {}};
  program.ops.reserve(ops);
  std::mt19937 random(1);
  while (program.ops.size() < ops) {
    const auto a = static_cast<std::uint32_t>(random() % 1000),
               b = static_cast<std::uint32_t>(random() % 1000),
               c = static_cast<std::uint32_t>(random() % 1000);
    if (a != b && b != c && a != c) program.ops.push_back({{a, b}, 2, c});
  }
  return program;
}

}  // namespace runahead::bench
