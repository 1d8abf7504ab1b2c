/// Demand streams that are read from text, a reader for each format.
#pragma once

#include "io/line_reader.hpp"
#include "traffic/demand_stream.hpp"
#include "traffic/pair_index.hpp"

#include <optional>
#include <set>
#include <unordered_set>

namespace proxstream {

/// The demand of a period by pair, collected entry by entry.
class PairDemand {
  public:
    PairDemand(const Network& network, std::vector<Pair> pairs, Real scale)
        : network_(network), index_(network, std::move(pairs)), scale_(scale) {}

    const Network& network() const noexcept { return network_; }
    const std::vector<Pair>& pairs() const noexcept { return index_.pairs(); }

    /// The slot of a pair's entries. Readers of many periods look it up once.
    static constexpr Index kWithin = ~Index{0};     // of a node with itself: dropped, but counted
    static constexpr Index kForeign = kWithin - 1;  // of a pair that is not served: it must be 0
    Index slot_of(Pair pair) const;

    /// Starts a new period.
    void clear();
    /// An entry, before scaling. `where` makes the DataLocation and is called only for an error.
    template <class Where>
    void put(Index slot, Real amount, Where where) {
        const Real scaled = scale_ * amount;
        if (!(scaled <= kAbsurd))
            throw DataError(where(), "the demand is too large", "at most 1e150, scaled");
        if (slot == kForeign && amount > 0) refuse_foreign(where());
        (slot == kWithin ? dropped_ : kept_) += amount;
        if (slot >= kForeign) return;
        if (given_[slot]) throw DataError(where(), "the pair is given twice", "every pair once");
        given_[slot] = true;
        demand_[slot] = scaled;
    }
    template <class Where>
    void put(Pair pair, Real amount, Where where) {
        if (!collecting_) return put(slot_of(pair), amount, where);
        if (amount > 0 && pair.origin != pair.destination) collected_.insert(pair);
    }
    /// A whole period.
    void put_all(const Trips& trips, const std::string& source);

    const std::vector<Real>& demand() const noexcept { return demand_; }
    std::vector<std::string> notes() const;

    /// From now on put() only collects the pairs that have demand.
    void collect_pairs() { collecting_ = true; }
    std::vector<Pair> collected() const { return {collected_.begin(), collected_.end()}; }

  private:
    [[noreturn]] void refuse_foreign(const DataLocation& where) const;

    const Network& network_;
    PairIndex index_;
    Real scale_;
    std::vector<Real> demand_;
    std::vector<bool> given_;
    Real dropped_ = 0, kept_ = 0;  // over all periods, unscaled
    bool collecting_ = false;
    std::set<Pair> collected_;
};

/// Reads one period at a time. announce() never throws because of the content of a period, reveal() does. So
/// callers handle unusable periods in one place.
class DemandReader : public DemandStream {
  public:
    const std::vector<Pair>& pairs() const final { return demand_.pairs(); }
    bool announce(DemandPeriod& period) final;
    void reveal(DemandPeriod& period) final;
    std::string source() const final { return lines_->name(); }
    std::uint64_t line() const final { return lines_->line(); }
    std::vector<std::string> notes() const final { return demand_.notes(); }

    /// Reads to the end. Returns every pair that has demand, in periods that can be read.
    std::vector<Pair> scan_pairs();

  protected:
    DemandReader(std::unique_ptr<LineReader> lines, const Network& network, const DemandOptions& options)
        : lines_(std::move(lines)),
          demand_(network, options.pairs, options.scale),
          periods_(options.periods_before) {}

    /// Reads the next period: events, then begin_period(), then its entries; false at the end. Events of a
    /// period that did not begin are ignored.
    virtual bool read(std::vector<NetworkEvent>& events) = 0;
    /// `label`: empty for the number of the period. `demand`: false for events alone, which may come before
    /// the demand of the same label. Throws DataError at `line` if a period with demand had the label.
    void begin_period(std::string label, std::uint64_t line, bool demand = true);

    LineReader& lines() const noexcept { return *lines_; }
    PairDemand& demand() noexcept { return demand_; }
    const PairDemand& demand() const noexcept { return demand_; }
    const Network& network() const noexcept { return demand_.network(); }

  private:
    std::unique_ptr<LineReader> lines_;
    PairDemand demand_;
    std::uint64_t periods_;
    std::unordered_set<std::string> labels_;
    std::string label_;  // of the current period; empty: it did not begin
    bool promised_ = false;
    std::optional<DataError> fault_;
};

/// Matrices as rows of numbers, source-major: each row is a period. The first row gives the size of the
/// matrices: the number of the network's nodes or zones.
std::unique_ptr<DemandReader> read_matrix_demand(std::unique_ptr<LineReader> lines, const Network& network,
                                                 const DemandOptions& options);

/// A table with a column for each pair: each row is a period.
std::unique_ptr<DemandReader> read_pair_columns(std::unique_ptr<LineReader> lines, const Network& network,
                                                const DemandOptions& options);

/// A table with a row for each pair and period: period,origin,destination,demand. Rows of a period are
/// consecutive, and pairs without a row have no demand. The first row of the next period ends a period.
std::unique_ptr<DemandReader> read_long_demand(std::unique_ptr<LineReader> lines, const Network& network,
                                               const DemandOptions& options);
bool names_long_demand(std::string_view line);

/// JSON, one object a line:
///   {"period": "08:05", "demand": {"A->B": 12.5}, "events": [{"link": "A-B", "capacity": 0.5}]}
std::unique_ptr<DemandReader> read_json_demand(std::unique_ptr<LineReader> lines, const Network& network,
                                               const DemandOptions& options);

/// Demand that the caller supplies, one JSON object at a time.
class FedDemand final : public DemandStream {
  public:
    /// `network` must outlive it; `options.pairs`: the pairs that are served.
    FedDemand(const Network& network, DemandOptions options)
        : network_(network), options_(std::move(options)) {}

    /// The record for the next announce(). Without a label, `number`, from 1, is the label.
    void feed(std::string_view record, std::uint64_t number);

    const std::vector<Pair>& pairs() const override { return options_.pairs; }
    bool announce(DemandPeriod& period) override;
    void reveal(DemandPeriod& period) override { reading_->reveal(period); }
    std::string source() const override { return "record"; }
    std::uint64_t line() const override { return number_; }

  private:
    const Network& network_;
    DemandOptions options_;
    std::string record_;
    std::uint64_t number_ = 0;
    bool waiting_ = false;
    std::unique_ptr<DemandStream> reading_;  // of this one record
};

}  // namespace proxstream
