#include "proxstream/traffic/open_demand.hpp"

#include "proxstream/core/find_row.hpp"

#include "traffic/field_text.hpp"
#include "traffic/matrix_stream.hpp"

#include <cmath>

namespace proxstream {
namespace {

struct FormatRow {
    const char* name;
    DemandFormat format;
};
constexpr FormatRow kFormats[] = {{"auto", DemandFormat::detect},   {"matrix", DemandFormat::matrix},
                                  {"csv", DemandFormat::csv},       {"jsonl", DemandFormat::jsonl},
                                  {"sndlib", DemandFormat::sndlib}, {"trips", DemandFormat::trips}};

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

}  // namespace

DemandFormat parse_demand_format(std::string_view name) {
    return find_row(kFormats, "demand format", name).format;
}

std::unique_ptr<DemandStream> read_demand(const Input& input, const Network& network,
                                          const DemandOptions& options) {
    check(options, network);
    auto lines = std::make_unique<LineReader>(input.open());
    return MatrixStream::open(std::move(lines), network, options);
}

std::unique_ptr<DemandStream> open_demand(const std::string& path, const Network& network,
                                          const DemandOptions& options, StopFlag stop) {
    return read_demand(file_input(path, stop), network, options);
}

}  // namespace proxstream
