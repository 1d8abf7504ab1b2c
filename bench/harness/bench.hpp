/// What sections are given: how much to measure, where data are, and where rows go.
#pragma once

#include "harness/measure.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream::bench {

struct Figure {
    double value = 0;
    std::string unit;
};

/// What the project has set itself to reach, of the ratio or of the figure.
struct Wanted {
    enum class Of { ratio, figure };
    Of of = Of::ratio;
    bool at_least = true;
    double bound = 0;
};

/// A line of the table. Ratios are always time (or passes, or bytes) of `against` over ours: more is better.
struct Row {
    std::string name;      // "kernels.window-memory"
    std::string measured;  // what
    std::string against;   // what it is compared with; empty: nothing
    std::optional<Spread> ratio = {};
    std::optional<Figure> figure = {};
    std::optional<Wanted> wanted = {};
    std::string note = {};
    std::string unfit = {};    // why what was measured is not what is wanted, whatever the figure
    std::string skipped = {};  // why there is no figure
};

Wanted ratio_at_least(double bound);
Wanted figure_at_least(double bound);
Wanted figure_below(double bound);

/// Whether the row has what is wanted; nothing: nothing is, or it was not measured.
std::optional<bool> met(const Row& row);

struct BenchOptions {
    bool quick = false;  // every row once, small: does it still work?
    std::string filter;  // a part of a group's name; empty: all
    std::string data;    // the folder of real data
    std::string temporary;
    std::string peers;  // the folder of peers' scripts
};

class Bench {
  public:
    explicit Bench(BenchOptions options) : options_(std::move(options)) {}

    bool quick() const noexcept { return options_.quick; }
    /// Of a size: the real one, or a small one when quick.
    Index size(Index real, Index small) const { return quick() ? small : real; }
    Effort effort(int repeats = 11, double seconds = 0.02) const;
    /// The path of a file of real data; nothing where it is not there.
    std::optional<std::string> data_file(const std::string& name) const;
    const std::string& temporary() const noexcept { return options_.temporary; }
    const std::string& peers() const noexcept { return options_.peers; }

    /// Measures a group of rows if its name is asked for. What it throws is a row that failed.
    void group(const std::string& name, const std::function<void()>& measure);
    void add(Row row);
    void skip(const std::string& name, const std::string& measured, const std::string& why);
    /// Skips for want of a data file.
    void skip_data(const std::string& name, const std::string& measured, const std::string& file);

    const std::vector<Row>& rows() const noexcept { return rows_; }
    const std::vector<std::string>& failures() const noexcept { return failures_; }

  private:
    BenchOptions options_;
    std::vector<Row> rows_;
    std::vector<std::string> failures_;
};

struct Section {
    std::string_view name;
    std::string_view about;
    void (*measure)(Bench& bench);
};

/// In the order of the table.
const std::vector<Section>& sections();

}  // namespace proxstream::bench
