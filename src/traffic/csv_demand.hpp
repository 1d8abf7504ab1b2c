/// Demand as a table with a column a pair: a row a period.
#pragma once

#include "traffic/line_demand.hpp"
#include "traffic/text_table.hpp"

namespace proxstream {

class CsvDemand final : public LineDemand {
  public:
    /// The line of names stands at the front of `lines`.
    static std::unique_ptr<DemandStream> open(std::unique_ptr<LineReader> lines, const Network& network,
                                              const DemandOptions& options);
    std::vector<std::string> notes() const override;

  private:
    struct Header {
        std::vector<std::string> names;
        std::vector<Pair> pairs;  // by column; a pair of a node with itself for the label
        bool labelled = false;    // the first column is the period's name
        RowSplitter splitter;
    };
    static Header read_header(LineReader& lines, const Network& network);
    CsvDemand(std::unique_ptr<LineReader> lines, const Network& network, const DemandOptions& options,
              Header header);
    Head read_head(std::string_view line, std::vector<NetworkEvent>& events) override;
    void read_body(std::string_view line, std::vector<Real>& demand) override;
    DataLocation locate(Index column) const;

    Header header_;
    std::vector<std::optional<Index>> slots_;  // by column; nothing: a pair that is not asked for
    const std::vector<std::string_view>* fields_ = nullptr;
    Real dropped_ = 0;  // of nodes with themselves
};

/// Whether a column of this name holds the period's label.
bool names_period(std::string_view name);

}  // namespace proxstream
