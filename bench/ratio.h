// A benchmark here is a ratio: the product and its limit, timed in turn in one run, so that it says
// the same on a slow machine and on a busy one.
#pragma once

#include <time.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace bench {

// Work inside this thread is timed by its CPU time; processes by the wall.
enum class Clock : clockid_t { thread = CLOCK_THREAD_CPUTIME_ID, wall = CLOCK_MONOTONIC };

inline double seconds(Clock clock) {
  timespec now{};
  if (clock_gettime(static_cast<clockid_t>(clock), &now) != 0) std::abort();
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double timed(Clock clock, Work&& work) {
  const double start = seconds(clock);
  work();
  return seconds(clock) - start;
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// No goal: a benchmark that only tells what something else takes.
inline constexpr double kNoGoal = 0;

// compared runs `limit` and `product`, which return the seconds that they took, in turn, the first
// of a pair alternating, and counts the median ratio of the pairs. `goal` is the most that the
// ratio may be.
template <class Limit, class Product>
void compared(benchmark::State& state, double goal, Limit limit, Product product) {
  std::vector<double> limits, products, ratios;
  for (auto _ : state) {
    const bool limit_first = ratios.size() % 2 == 0;
    if (limit_first) limits.push_back(limit());
    products.push_back(product());
    if (!limit_first) limits.push_back(limit());
    ratios.push_back(products.back() / limits.back());
    state.SetIterationTime(products.back() + limits.back());
  }
  state.counters["limit_us"] = 1e6 * median(limits);
  state.counters["product_us"] = 1e6 * median(products);
  state.counters["ratio"] = median(ratios);
  state.counters["goal"] = goal;
}

// paired compares work that is timed here. `prepare` makes what both will work on, anew for each
// pair and untimed.
template <class Prepare, class Limit, class Product>
void paired(benchmark::State& state, double goal, Clock clock, Prepare prepare, Limit limit,
            Product product) {
  prepare();
  limit();
  product();
  bool is_second = false;
  const auto timed_of = [&](auto& work) {
    if (!is_second) prepare();
    is_second = !is_second;
    return timed(clock, work);
  };
  compared(state, goal, [&] { return timed_of(limit); }, [&] { return timed_of(product); });
}

// Table prints a line for each benchmark: the median of its repetitions, for bench/run to read.
class Table final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      auto& row = rows_[run.run_name.function_name];
      for (const auto& [name, counter] : run.counters) row[name].push_back(counter.value);
    }
  }

  void Finalize() override {
    for (auto& [name, row] : rows_)
      GetOutputStream() << name << '\t' << median(row["limit_us"]) << '\t'
                        << median(row["product_us"]) << '\t' << median(row["ratio"]) << '\t'
                        << median(row["goal"]) << '\n';
  }

 private:
  std::map<std::string, std::map<std::string, std::vector<double>>> rows_;
};

inline int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Table table;
  return benchmark::RunSpecifiedBenchmarks(&table) > 0 ? 0 : 2;
}

}  // namespace bench
