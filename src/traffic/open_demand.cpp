#include "traffic/open_demand.hpp"

#include "core/find_row.hpp"
#include "traffic/csv_demand.hpp"
#include "traffic/field_text.hpp"
#include "traffic/json_demand.hpp"
#include "traffic/link_table.hpp"
#include "traffic/long_demand.hpp"
#include "traffic/matrix_stream.hpp"
#include "traffic/sndlib_text.hpp"
#include "traffic/tntp_metadata.hpp"
#include "traffic/trips_demand.hpp"

#include <cmath>
#include <filesystem>

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
    std::vector<std::string> violations;
    if (!(options.scale > 0) || !std::isfinite(options.scale)) {
        violations.push_back("scale: " + format_short(options.scale) +
                             " is not allowed; use a number above 0");
    }
    if (options.repeat == 0) violations.emplace_back("repeat: 0 is not allowed; use at least 1 period");
    if (options.zones > network.nodes()) {
        violations.push_back("zones: " + std::to_string(options.zones) + " is not allowed; the network has " +
                             count_of(network.nodes(), "node"));
    }
    if (!violations.empty()) throw ConfigError(std::move(violations));
}

/// Tells from the first line that says something.
DemandFormat detect(std::string_view line) {
    line = without_blanks(line);
    if (line.starts_with('{')) return DemandFormat::jsonl;
    if (begins_sndlib_native(line) || begins_sndlib_xml(line)) return DemandFormat::sndlib;
    if (begins_tntp(line)) return DemandFormat::trips;
    if (names_demand_table(line) && !names_long_demand(line)) return DemandFormat::trips;
    // One of the first two values is a number: "nan 1 2" is a matrix with a bad value.
    Real number = 0;
    for (int i = 0; i < 2; ++i) {
        const auto end = std::min(line.find_first_of(" \t,;"), line.size());
        if (parse_whole_number(line.substr(0, end), number)) return DemandFormat::matrix;
        line.remove_prefix(std::min(line.find_first_not_of(" \t,;", end), line.size()));
    }
    return DemandFormat::csv;
}

/// What is left of an input that was looked at already.
Input rest_of(LineReader& lines) {
    std::string bytes;
    for (std::string_view line; lines.next(line); bytes += '\n') bytes += line;
    return memory_input(lines.name(), std::move(bytes));
}

/// The pairs a caller fixed, those found by reading a file twice, or all.
template <class Scan>
DemandOptions with_pairs(const DemandOptions& options, const Network& network, const Input& input,
                         Scan scan) {
    DemandOptions fixed = options;
    if (fixed.pairs.empty() && input.rereadable) fixed.pairs = scan();
    if (fixed.pairs.empty()) {
        fixed.pairs = PairIndex::all_pairs(options.zones == 0 ? network.nodes() : options.zones);
    }
    return fixed;
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
    if (format == DemandFormat::sndlib || format == DemandFormat::trips) {
        return repeat_trips(rest_of(*lines), network, options);
    }
    if (format == DemandFormat::matrix) return MatrixStream::open(std::move(lines), network, options);
    if (is_long) {
        const auto fixed =
            with_pairs(options, network, input, [&] { return LongDemand::scan_pairs(input, network); });
        return std::make_unique<LongDemand>(std::move(lines), network, fixed);
    }
    if (format == DemandFormat::csv) return CsvDemand::open(std::move(lines), network, options);
    const auto fixed =
        with_pairs(options, network, input, [&] { return JsonDemand::scan_pairs(input, network, options); });
    return std::make_unique<JsonDemand>(std::move(lines), network, fixed);
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
    return follow_files(std::move(paths), network, options);
}

}  // namespace proxstream
