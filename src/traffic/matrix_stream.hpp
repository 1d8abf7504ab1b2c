/// Demand matrices as rows of numbers, source-major: a row a period.
#pragma once

#include "traffic/line_demand.hpp"

namespace proxstream {

class MatrixStream final : public LineDemand {
  public:
    /// The size of the matrices is read off the first row: that of the network's nodes or that of its zones.
    static std::unique_ptr<DemandStream> open(std::unique_ptr<LineReader> lines, const Network& network,
                                              const DemandOptions& options);

    std::vector<std::string> notes() const override;

  private:
    MatrixStream(std::unique_ptr<LineReader> lines, const Network& network, const DemandOptions& options,
                 Index size);
    Head read_head(std::string_view line, std::vector<NetworkEvent>& events) override;
    void read_body(std::string_view line, std::vector<Real>& demand) override;
    void place(Index cell, Real value, std::vector<Real>& demand);
    DataLocation locate(Index cell) const;

    Index size_;                // matrices are size_ x size_
    std::vector<Index> slots_;  // by cell: its pair, kDiagonal or kForeign
    Real dropped_ = 0;          // on the diagonal, unscaled
    Real kept_ = 0;
};

}  // namespace proxstream
