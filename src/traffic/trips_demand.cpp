#include "traffic/trips_demand.hpp"

#include "proxstream/core/spec.hpp"
#include "proxstream/traffic/open_network.hpp"

#include "traffic/field_text.hpp"

#include <algorithm>
#include <filesystem>

namespace proxstream {
namespace {

constexpr std::string_view kPrefix = "demandMatrix-";

/// Trips as a demand a pair, scaled.
std::vector<Real> spread(const Trips& trips, const PairIndex& index, const Network& network, Real scale,
                         const std::string& source) {
    std::vector<Real> demand(index.pairs().size());
    for (Index i = 0; i < trips.pairs.size(); ++i) {
        const DataLocation where{source, 0, 0, pair_name(network, trips.pairs[i])};
        const auto slot = index.find(trips.pairs[i]);
        if (!slot) {
            throw DataError(where, "there is demand, and the pair is none of those served",
                            "demand for the " + count_of(index.pairs().size(), "pair") + " of this run");
        }
        demand[*slot] = scale * trips.demand[i];
        if (!(demand[*slot] <= kAbsurd))
            throw DataError(where, "the demand is too large", "at most 1e150, scaled");
    }
    return demand;
}

class RepeatedTrips final : public DemandStream {
  public:
    RepeatedTrips(const Input& input, const Network& network, const DemandOptions& options)
        : source_(input.name),
          trips_(read_trips(input, network, notes_)),
          index_(network, options.pairs.empty() ? trips_.pairs : options.pairs),
          demand_(spread(trips_, index_, network, options.scale, source_)),
          periods_(options.repeat) {}

    const std::vector<Pair>& pairs() const override { return index_.pairs(); }
    bool announce(DemandPeriod& period) override {
        if (period_ == periods_) return false;
        period = {std::to_string(++period_), {}, {}};
        return true;
    }
    void reveal(DemandPeriod& period) override { period.demand = demand_; }
    std::string source() const override { return source_; }
    std::uint64_t line() const override { return 0; }
    std::vector<std::string> notes() const override { return notes_; }

  private:
    std::string source_;
    std::vector<std::string> notes_;
    Trips trips_;
    PairIndex index_;
    std::vector<Real> demand_;
    Index periods_;
    Index period_ = 0;
};

class FileSeries final : public DemandStream {
  public:
    FileSeries(std::vector<std::string> paths, const Network& network, const DemandOptions& options)
        : paths_(std::move(paths)),
          network_(network),
          index_(network, options.pairs),
          scale_(options.scale) {}

    const std::vector<Pair>& pairs() const override { return index_.pairs(); }
    bool announce(DemandPeriod& period) override {
        if (next_ == paths_.size()) return false;
        std::string label = std::filesystem::path(paths_[next_++]).filename().string();
        label = label.substr(0, label.find('.'));
        if (label.starts_with(kPrefix)) label = label.substr(kPrefix.size());
        period = {std::move(label), {}, {}};
        return true;
    }
    void reveal(DemandPeriod& period) override {
        period.demand.clear();
        std::vector<std::string> ignored;
        try {
            const Trips trips = read_trips(file_input(source()), network_, ignored);
            period.demand = spread(trips, index_, network_, scale_, source());
            within_ += scale_ * trips.within;
        } catch (const DamagedFile& error) {
            throw DataError(error);  // one period of many, not the whole input
        }
    }
    std::string source() const override { return paths_[next_ == 0 ? 0 : next_ - 1]; }
    std::uint64_t line() const override { return 0; }
    std::vector<std::string> notes() const override {
        if (within_ == 0) return {};
        return {"demand of nodes with themselves is dropped: " + format_short(within_) + " so far"};
    }

  private:
    std::vector<std::string> paths_;
    const Network& network_;
    PairIndex index_;
    Real scale_;
    Index next_ = 0;
    Real within_ = 0;
};

/// Runs of digits compare as numbers.
bool comes_before(std::string_view a, std::string_view b) {
    std::size_t i = 0;
    std::size_t j = 0;
    const auto number = [](std::string_view text, std::size_t& at) {
        while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
        const std::size_t begin = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return text.substr(begin, at - begin);
    };
    while (i < a.size() && j < b.size()) {
        if (is_digit(a[i]) && is_digit(b[j])) {
            const std::string_view x = number(a, i);
            const std::string_view y = number(b, j);
            if (x.size() != y.size()) return x.size() < y.size();
            if (x != y) return x < y;
        } else if (a[i] != b[j]) {
            return a[i] < b[j];
        } else {
            ++i;
            ++j;
        }
    }
    const bool ended = i == a.size();
    return ended != (j == b.size()) ? ended : a < b;
}

}  // namespace

std::unique_ptr<DemandStream> repeat_trips(const Input& input, const Network& network,
                                           const DemandOptions& options) {
    return std::make_unique<RepeatedTrips>(input, network, options);
}

std::unique_ptr<DemandStream> follow_files(std::vector<std::string> paths, const Network& network,
                                           const DemandOptions& options) {
    DemandOptions fixed = options;
    if (fixed.pairs.empty())
        fixed.pairs = PairIndex::all_pairs(options.zones == 0 ? network.nodes() : options.zones);
    return std::make_unique<FileSeries>(std::move(paths), network, fixed);
}

std::vector<std::string> demand_files(const std::string& folder) {
    std::vector<std::string> named;
    std::vector<std::string> others;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        std::filesystem::path path = entry.path();
        const std::string name = path.filename().string();
        if (path.extension() == ".gz") path.replace_extension();
        if (!entry.is_regular_file() || (path.extension() != ".xml" && path.extension() != ".txt")) continue;
        (name.starts_with(kPrefix) ? named : others).push_back(entry.path().string());
    }
    if (error) throw IoError(folder, "cannot read", error.value());
    auto& chosen = named.empty() ? others : named;
    if (chosen.empty()) {
        throw DamagedFile({folder, 0, 0, ""}, "there is no demand in the folder",
                          "files demandMatrix-*.xml or .txt");
    }
    std::sort(chosen.begin(), chosen.end(),
              [](const std::string& a, const std::string& b) { return comes_before(a, b); });
    return chosen;
}

}  // namespace proxstream
