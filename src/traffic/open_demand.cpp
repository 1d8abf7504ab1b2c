#include "core/find_row.hpp"
#include "core/violations.hpp"
#include "traffic/demand_reader.hpp"
#include "traffic/network_formats.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace proxstream {
namespace {

struct DemandFormatRow {
    const char* name;
    DemandFormat format;
};
constexpr DemandFormatRow kDemandFormats[] = {
    {"auto", DemandFormat::detect}, {"matrix", DemandFormat::matrix}, {"csv", DemandFormat::csv},
    {"jsonl", DemandFormat::jsonl}, {"sndlib", DemandFormat::sndlib}, {"trips", DemandFormat::trips}};

void check(const DemandOptions& options, const Network& network) {
    Violations violations;
    violations.require(options.scale > 0 && std::isfinite(options.scale),
                       "scale: {} is not allowed; use a number above 0", format_short(options.scale));
    violations.require(options.repeat > 0, "repeat: 0 is not allowed; use at least 1 period");
    violations.require(options.zones <= network.nodes(), "zones: {} is not allowed; the network has {}",
                       options.zones, count_of(network.nodes(), "node"));
    violations.conclude();
}

/// The format that the first non-blank line indicates.
DemandFormat detect(std::string_view line) {
    line = without_blanks(line);
    if (line.starts_with('{')) return DemandFormat::jsonl;
    if (begins_sndlib(line)) return DemandFormat::sndlib;
    if (begins_tntp(line)) return DemandFormat::trips;
    if (names_demand_table(line) && !names_long_demand(line)) return DemandFormat::trips;
    // One of the first two values must be a number: "nan 1 2" is a matrix with a bad value.
    Real number = 0;
    for (int i = 0; i < 2; ++i) {
        const auto end = std::min(line.find_first_of(" \t,;"), line.size());
        if (parse_whole_number(line.substr(0, end), number)) return DemandFormat::matrix;
        line.remove_prefix(std::min(line.find_first_not_of(" \t,;", end), line.size()));
    }
    return DemandFormat::csv;
}

/// The rest of an input whose first line has been read.
Input rest_of(LineReader& lines) {
    std::string bytes;
    for (std::string_view line; lines.next(line); bytes += '\n') bytes += line;
    return memory_input(lines.name(), std::move(bytes));
}

/// The options with the caller's pairs, or those that `scan` finds, or all pairs.
template <class Scan>
DemandOptions with_pairs(DemandOptions options, const Network& network, Scan scan) {
    if (options.pairs.empty()) options.pairs = scan();
    if (options.pairs.empty())
        options.pairs = all_pairs(options.zones == 0 ? network.nodes() : options.zones);
    return options;
}

constexpr std::string_view kPrefix = "demandMatrix-";

/// One trip table for several periods.
class RepeatedTrips final : public DemandStream {
  public:
    RepeatedTrips(const Input& input, const Network& network, const DemandOptions& options)
        : source_(input.name),
          trips_(read_trips(input, network, notes_)),
          demand_(network, options.pairs.empty() ? trips_.pairs : options.pairs, options.scale),
          periods_(options.repeat) {
        demand_.put_all(trips_, source_);
    }

    const std::vector<Pair>& pairs() const override { return demand_.pairs(); }
    bool announce(DemandPeriod& period) override {
        if (period_ == periods_) return false;
        period = {std::to_string(++period_), {}, {}};
        return true;
    }
    void reveal(DemandPeriod& period) override { period.demand = demand_.demand(); }
    std::string source() const override { return source_; }
    std::uint64_t line() const override { return 0; }
    std::vector<std::string> notes() const override { return notes_; }

  private:
    std::string source_;
    std::vector<std::string> notes_;
    Trips trips_;
    PairDemand demand_;
    Index periods_;
    Index period_ = 0;
};

/// A trip table for each period; labels are the names of the files.
class FileSeries final : public DemandStream {
  public:
    FileSeries(std::vector<std::string> paths, const Network& network, const DemandOptions& options)
        : paths_(std::move(paths)), demand_(network, options.pairs, options.scale) {}

    const std::vector<Pair>& pairs() const override { return demand_.pairs(); }
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
            demand_.put_all(read_trips(file_input(source()), demand_.network(), ignored), source());
        } catch (const DamagedFile& error) {
            throw DataError(error);  // one period of many, not the whole input
        }
        period.demand = demand_.demand();
    }
    std::string source() const override { return paths_[next_ == 0 ? 0 : next_ - 1]; }
    std::uint64_t line() const override { return 0; }
    std::vector<std::string> notes() const override { return demand_.notes(); }

  private:
    std::vector<std::string> paths_;
    PairDemand demand_;
    Index next_ = 0;
};

/// A key whose alphabetical order is the natural order of texts: 2 before 10. Runs of digits are preceded by
/// their length.
std::string natural_key(std::string_view text) {
    std::string key;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find_first_not_of("0123456789", at), text.size());
        if (end == at) {
            key += text[at++];
            continue;
        }
        const auto first = std::min(text.find_first_not_of('0', at), end);
        key += static_cast<char>('0' + (end - first) % 64);
        key += text.substr(first, end - first);
        at = end;
    }
    return key;
}

/// Demand files of a folder, in the natural order of their names: 2 before 10.
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
    std::sort(chosen.begin(), chosen.end(), [](const std::string& a, const std::string& b) {
        return std::pair(natural_key(a), a) < std::pair(natural_key(b), b);
    });
    return chosen;
}

}  // namespace

DemandFormat parse_demand_format(std::string_view name) {
    return find_row(kDemandFormats, "demand format", name).format;
}

std::unique_ptr<DemandStream> read_demand(const Input& input, const Network& network,
                                          const DemandOptions& options) {
    check(options, network);
    auto lines = std::make_unique<LineReader>(input.open());
    std::string_view line;
    if (!next_full_line(*lines, line)) {
        throw DamagedFile({lines->name(), 0, 0, ""}, "the input is empty", "demand of at least one period");
    }
    const DemandFormat format = options.format == DemandFormat::detect ? detect(line) : options.format;
    const bool is_long = format == DemandFormat::csv && names_long_demand(line);
    lines->rewind();
    if (format == DemandFormat::sndlib || format == DemandFormat::trips)
        return std::make_unique<RepeatedTrips>(rest_of(*lines), network, options);
    if (format == DemandFormat::matrix) return read_matrix_demand(std::move(lines), network, options);
    if (format == DemandFormat::csv && !is_long) return read_pair_columns(std::move(lines), network, options);
    const auto read = is_long ? read_long_demand : read_json_demand;
    const DemandOptions fixed = with_pairs(options, network, [&] {
        if (!input.rereadable) return std::vector<Pair>{};
        return read(std::make_unique<LineReader>(input.open()), network, options)->scan_pairs();
    });
    return read(std::move(lines), network, fixed);
}

std::unique_ptr<DemandStream> open_demand(const std::string& path, const Network& network,
                                          const DemandOptions& options, StopFlag stop) {
    if (std::filesystem::is_directory(path)) return open_demand_files(demand_files(path), network, options);
    return read_demand(file_input(path, stop), network, options);
}

std::unique_ptr<DemandStream> open_demand_files(std::vector<std::string> paths, const Network& network,
                                                const DemandOptions& options) {
    check(options, network);
    if (paths.empty()) throw ConfigError("no demand file is given");
    return std::make_unique<FileSeries>(std::move(paths), network,
                                        with_pairs(options, network, [] { return std::vector<Pair>{}; }));
}

}  // namespace proxstream
