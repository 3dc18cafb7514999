// Compares the results of every operator with results in double precision, on random values and shapes. Sizes
// go from one element to a few thousand, so that a CUDA kernel runs several full blocks and a partial block.
// The numbers of rows and columns are not multiples of block sizes.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/engine/array/double_precision.h"
#include "tests/engine/array/every_engine.h"

namespace runahead::engine {
namespace {

// ---- the operators ----------------------------------------------------------------------------------------

// The device where an operator runs, and the operator's input arrays on this device.
struct Here {
  const OpenEngine& open;
  const Inputs& in;
  [[nodiscard]] Array matrix(const Numbers& values) const { return from({in.m, in.n}, values); }
  [[nodiscard]] Array from(const Shape& shape, const Numbers& values) const {
    return from_host(open.here, shape, values);
  }
  [[nodiscard]] Array a() const { return matrix(in.a); }
  [[nodiscard]] Array b() const { return matrix(in.b); }
};

struct Operator {
  std::string name;  // the operator's name in operators.h
  std::function<Array(const Here&)> run;
  std::function<Expected(const Inputs&)> reference;
};

constexpr float kScalar = 0.7f, kRate = 0.3f;
constexpr std::int64_t kReferenceBatch = 7;

template <typename Run, typename Function>
Operator of_two(const char* name, Run run, Function reference, Numbers Inputs::*second = &Inputs::b) {
  return {name, [=](const Here& here) { return run(here.a(), here.matrix(here.in.*second)); },
          [=](const Inputs& in) {
            return each(in.a, in.*second, [=](double x, double y) { return rounded(reference(x, y)); });
          }};
}

template <typename Run, typename Function>
Operator with_scalar(const char* name, Run run, Function reference) {
  return {name, [=](const Here& here) { return run(here.a(), kScalar); },
          [=](const Inputs& in) {
            return each(in.a, in.a, [=](double x, double) {
              return rounded(reference(x, static_cast<double>(kScalar)));
            });
          }};
}

Operator filled(const char* name, float value, std::function<Array(const Here&, const Shape&)> run) {
  return {name,
          [=](const Here& here) {
            return run(here, {here.in.m, here.in.n});
          },
          [=](const Inputs& in) { return equal_to(Numbers(in.a.size(), value)); }};
}

Operator matmul_of(bool ta, bool tb) {
  const auto run = [=](const Here& here) {
    const std::int64_t m = here.in.m, n = here.in.n, k = here.in.k;
    return matmul(here.from(ta ? Shape{k, m} : Shape{m, k}, here.in.left),
                  here.from(tb ? Shape{n, k} : Shape{k, n}, here.in.right_rows), Transpose{ta},
                  Transpose{tb});
  };
  return {"matmul", run, [=](const Inputs& in) { return product(in, ta, tb); }};
}

void add_elementwise(std::vector<Operator>& all) {
  const auto plus = [](double x, double y) { return x + y; };
  const auto minus = [](double x, double y) { return x - y; };
  const auto times = [](double x, double y) { return x * y; };
  const auto over = [](double x, double y) { return x / y; };
  all.push_back(of_two("operator+", std::plus<>(), plus));
  all.push_back(of_two("operator-", std::minus<>(), minus));
  all.push_back(of_two("operator*", std::multiplies<>(), times));
  all.push_back(of_two("operator/", std::divides<>(), over, &Inputs::divisor));
  all.push_back(with_scalar("operator+", std::plus<>(), plus));
  all.push_back(with_scalar("operator-", std::minus<>(), minus));
  all.push_back(with_scalar("operator*", std::multiplies<>(), times));
  all.push_back(with_scalar("operator/", std::divides<>(), over));
  all.push_back(of_two(
      "l2_loss_gradient", [](const Array& p, const Array& l) { return l2_loss_gradient(p, l); }, minus));
  all.push_back(of_two(
      "relu_gradient", [](const Array& g, const Array& x) { return relu_gradient(g, x); },
      [](double g, double x) { return x > 0 ? g : 0; }));
  all.push_back({"relu", [](const Here& here) { return relu(here.b()); },
                 [](const Inputs& in) {
                   return each(in.b, in.b, [](double x, double) { return exact(x > 0 ? x : 0); });
                 }});
  // Three roundings: one for the factor, one for the product, one for the difference.
  all.push_back({"sgd_update",
                 [](const Here& here) {
                   const Array parameter = here.a();
                   sgd_update(parameter, here.b(), kRate, kReferenceBatch);
                   return parameter;
                 },
                 [](const Inputs& in) {
                   return each(in.a, in.b, [](double p, double g) {
                     const double moved =
                         static_cast<double>(kRate) / static_cast<double>(kReferenceBatch) * g;
                     return Near{p - moved, kRounding * (std::abs(p - moved) + 2 * std::abs(moved))};
                   });
                 }});
}

void add_sums_and_products(std::vector<Operator>& all) {
  all.push_back({"sum", [](const Here& here) { return sum(here.a()); },
                 [](const Inputs& in) { return total(in.a, 1); }});
  all.push_back({"mean", [](const Here& here) { return mean(here.a()); },
                 [](const Inputs& in) { return total(in.a, static_cast<double>(in.a.size())); }});
  all.push_back({"sum_rows", [](const Here& here) { return sum_rows(here.a()); }, down_each_column});
  all.push_back(
      {"l2_loss", [](const Here& here) { return l2_loss(here.a(), here.b()); }, half_squared_errors});
  all.push_back({"add_row",
                 [](const Here& here) { return add_row(here.a(), here.from({here.in.n}, here.in.row)); },
                 row_added});
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) all.push_back(matmul_of(ta, tb));
  }
  all.push_back({"dense",
                 [](const Here& here) {
                   const Inputs& in = here.in;
                   return dense(here.from({in.m, in.k}, in.left), here.from({in.n, in.k}, in.right_rows),
                                here.from({in.n}, in.row));
                 },
                 [](const Inputs& in) { return product(in, false, true, in.row); }});
}

void add_sources_and_copies(std::vector<Operator>& all) {
  const auto as_it_was = [](const Inputs& in) { return equal_to(in.a); };
  all.push_back(filled("full", kScalar, [](const Here& here, const Shape& shape) {
    return full(here.open.here, shape, kScalar);
  }));
  all.push_back(
      filled("ones", 1, [](const Here& here, const Shape& shape) { return ones(here.open.here, shape); }));
  all.push_back(
      filled("zeros", 0, [](const Here& here, const Shape& shape) { return zeros(here.open.here, shape); }));
  all.push_back({"from_host", [](const Here& here) { return here.a(); }, as_it_was});
  all.push_back({"assign",
                 [](const Here& here) {
                   const Array to = here.b();
                   assign(to, here.a());
                   return to;
                 },
                 as_it_was});
  for (const HostMemory host : {HostMemory::kPinned, HostMemory::kPageable}) {
    all.push_back({"copy_to",
                   [host](const Here& here) {
                     const Array on_cpu = copy_to(copy_to(here.a(), here.open.here), here.open.cpu, host);
                     return copy_to(on_cpu, here.open.here, host);
                   },
                   as_it_was});
  }
}

std::vector<Operator> every_operator() {
  std::vector<Operator> all;
  add_elementwise(all);
  add_sums_and_products(all);
  add_sources_and_copies(all);
  return all;
}

// ---- the tests --------------------------------------------------------------------------------------------

// Stops at the first wrong element: a few thousand messages would not help.
void expect_near(const std::vector<float>& values, const Expected& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = std::abs(static_cast<double>(values[i]) - expected[i].value);
    ASSERT_LE(off, expected[i].within)
        << "element " << i << " is " << values[i] << ", not " << expected[i].value;
  }
}

class OperatorsReference : public EveryEngine {
 protected:
  void expect_all(const Inputs& in) const {
    for (const Operator& each : every_operator()) {
      SCOPED_TRACE(each.name + " of " + std::to_string(in.m) + " x " + std::to_string(in.n) + ", k " +
                   std::to_string(in.k));
      expect_near(read(each.run({open_, in})), each.reference(in));
    }
  }
  runahead::testing::Random random_;
};
INSTANTIATE_TEST_SUITE_P(Everywhere, OperatorsReference, ::testing::ValuesIn(every_place()), name_of_place);

// The CUDA kernels run in blocks of 256 threads, or of 32 columns by 8 rows.
TEST_P(OperatorsReference, AtTheBordersOfBlocks) {
  constexpr std::int64_t kExtents[][3] = {{1, 1, 1},    {1, 31, 33}, {32, 8, 32},  {8, 32, 1},  {255, 1, 5},
                                          {1, 257, 64}, {16, 16, 7}, {9, 513, 65}, {65, 33, 17}};
  for (const auto& [m, n, k] : kExtents) expect_all(random_inputs(m, n, k, random_));
}

TEST_P(OperatorsReference, OnRandomShapes) {
  for (int round = 0; round < 8; ++round) {
    const std::int64_t m = random_.integer(1, 90), n = random_.integer(1, 90), k = random_.integer(1, 150);
    expect_all(random_inputs(m, n, k, random_));
  }
}

// `uniform` and `normal` (random numbers) and `apply` (user-defined ops) have no reference here:
// random_test.cpp and elementwise_test.cpp test them.
TEST(OperatorsHeader, DeclaresNoOperatorWithoutAReference) {
  std::map<std::string, int> declared, tested{{"uniform", 1}, {"normal", 1}, {"apply", 1}};
  for (const Operator& each : every_operator()) ++tested[each.name];
  std::ifstream header(RUNAHEAD_OPERATORS_HEADER);
  ASSERT_TRUE(header.is_open()) << RUNAHEAD_OPERATORS_HEADER;
  const std::regex function(R"(^(?:\[\[nodiscard\]\] )?[\w:<>]+ (operator[^\w(]+|\w+)\()");
  for (std::string line; std::getline(header, line);) {
    std::smatch found;
    if (std::regex_search(line, found, function)) ++declared[found[1].str()];
  }
  EXPECT_GE(declared.size(), 24u);
  for (const auto& [name, overloads] : declared) EXPECT_GE(tested[name], overloads) << name;
}

}  // namespace
}  // namespace runahead::engine
