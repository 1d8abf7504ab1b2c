/// Demand as a table with a row a pair and period: period,origin,destination,demand. Rows of a period stand
/// together; pairs without a row have no demand. That a period is over shows at the first row of the next.
#pragma once

#include "traffic/line_demand.hpp"
#include "traffic/text_table.hpp"

namespace proxstream {

class LongDemand final : public DemandStream {
  public:
    LongDemand(std::unique_ptr<LineReader> lines, const Network& network, const DemandOptions& options);
    /// Every pair that has demand somewhere in the table; rows that cannot be read name none.
    static std::vector<Pair> scan_pairs(const Input& input, const Network& network);

    const std::vector<Pair>& pairs() const override { return index_.pairs(); }
    bool announce(DemandPeriod& period) override;
    void reveal(DemandPeriod& period) override;
    std::string source() const override { return table_.source(); }
    std::uint64_t line() const override { return table_.line(); }

  private:
    struct Row {
        std::string label;
        Pair pair = {};
        Real demand = 0;
        std::optional<DataError> fault = {};
    };
    bool read_row();
    void parse_row();
    void place(const Row& row, std::vector<Real>& demand);

    TextTable table_;
    const Network& network_;
    PairIndex index_;
    Real scale_;
    bool held_ = false;  // row_ is the first of a period to come, or one of the period announced
    bool open_ = false;  // a period was announced, and its rows are still to be read
    Row row_;
    std::string label_;  // of the period announced
    std::unordered_set<std::string> labels_;
    std::optional<DataError> fault_;
    std::vector<bool> given_;
    std::vector<Real> demand_;
};

/// Whether the line names the columns of such a table.
bool names_long_demand(std::string_view line);

}  // namespace proxstream
