/// What demand streams of one line a period have in common. announce() never fails for what a line says: that
/// is left to reveal(), so that whoever reads has one place where a period can turn out to be unusable.
#pragma once

#include "io/line_reader.hpp"
#include "traffic/demand_stream.hpp"
#include "traffic/open_demand.hpp"
#include "traffic/pair_index.hpp"

#include <optional>
#include <unordered_set>

namespace proxstream {

class LineDemand : public DemandStream {
  public:
    const std::vector<Pair>& pairs() const final { return index_.pairs(); }
    bool announce(DemandPeriod& period) final;
    void reveal(DemandPeriod& period) final;
    std::string source() const final { return lines_->name(); }
    std::uint64_t line() const final { return lines_->line(); }

  protected:
    LineDemand(std::unique_ptr<LineReader> lines, const Network& network, const DemandOptions& options)
        : lines_(std::move(lines)),
          network_(network),
          index_(network, options.pairs),
          scale_(options.scale),
          periods_(options.periods_before) {}

    struct Head {
        std::string label = {};  // empty: the number of the period
        bool demand = true;      // false: events alone, which may come before the demand of the same label
    };
    virtual Head read_head(std::string_view line, std::vector<NetworkEvent>& events) = 0;
    /// `demand` holds a 0 a pair; only for lines whose head promised demand.
    virtual void read_body(std::string_view line, std::vector<Real>& demand) = 0;

    /// A number of the input, scaled. `where` makes the DataLocation.
    template <class Where>
    Real scaled(Real value, Where where) const {
        if (const Real result = scale_ * value; result <= kAbsurd) return result;
        throw DataError(where(), "the demand is too large", "at most 1e150, scaled");
    }
    [[noreturn]] void refuse_stranger(const DataLocation& where) const;
    const LineReader& lines() const noexcept { return *lines_; }
    const Network& network() const noexcept { return network_; }
    const PairIndex& index() const noexcept { return index_; }

  private:
    std::unique_ptr<LineReader> lines_;
    const Network& network_;
    PairIndex index_;
    Real scale_;
    std::uint64_t periods_;
    std::string_view line_;
    std::unordered_set<std::string> labels_;
    bool promised_ = false;
    std::optional<DataError> fault_;
    std::vector<Real> demand_;
};

/// The next line that is not blank, or false.
bool next_full_line(LineReader& lines, std::string_view& line);

}  // namespace proxstream
