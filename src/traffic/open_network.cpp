#include "proxstream/traffic/open_network.hpp"

#include "core/find_row.hpp"
#include "core/violations.hpp"
#include "io/field_text.hpp"
#include "io/line_reader.hpp"
#include "traffic/network_formats.hpp"

#include <algorithm>

namespace proxstream {
namespace {

struct NetworkFormatRow {
    const char* name;
    NetworkFormat format;
};
constexpr NetworkFormatRow kNetworkFormats[] = {{"auto", NetworkFormat::detect},
                                                {"tntp", NetworkFormat::tntp},
                                                {"sndlib", NetworkFormat::sndlib},
                                                {"csv", NetworkFormat::csv},
                                                {"topology", NetworkFormat::topology}};

/// The first non-blank line.
std::string_view first_line(std::string_view bytes) {
    bytes.remove_prefix(std::min(bytes.find_first_not_of("\xef\xbb\xbf \t\r\n"), bytes.size()));
    return without_blanks(bytes.substr(0, bytes.find_first_of("\r\n")));
}

constexpr const char* kKnown =
    "TNTP (<NUMBER OF ZONES> ..), SNDlib (?SNDlib native format or XML), CSV with columns from,to,capacity, "
    "or a topology (Node_num: .. Edge_num: ..)";

NetworkFormat detect(const std::string& name, std::string_view bytes) {
    const std::string_view line = first_line(bytes);
    const std::string low = lower_case(line);
    if (begins_sndlib(line)) return NetworkFormat::sndlib;
    if (low.starts_with("node_num")) return NetworkFormat::topology;
    if (begins_tntp(line)) return NetworkFormat::tntp;
    if (names_link_table(line)) return NetworkFormat::csv;
    const std::string what = line.empty()               ? "the file is empty"
                             : names_demand_table(line) ? "this is a table of demand"
                             : line.starts_with('{')
                                 ? "this is JSON"
                                 : quoted_excerpt(line) + " is not the beginning of a known format";
    throw DamagedFile({name, line.empty() ? 0U : 1U, 0, ""}, what, kKnown);
}

NetworkFile read_as(NetworkFormat format, const Input& text) {
    switch (format) {
        case NetworkFormat::topology:
            return read_topology(text);
        case NetworkFormat::sndlib:
            return read_sndlib(text);
        case NetworkFormat::csv:
            return read_link_table(text);
        default:
            return read_tntp_network(text);
    }
}

void check(const NetworkOptions& options) {
    Violations violations;
    const auto check_factor = [&](const char* name, Real factor) {
        violations.require(factor >= 0 && factor <= kAbsurd,
                           "{}: {} is not allowed; use a number of at least 0", name, format_short(factor));
    };
    check_factor("toll_factor", options.toll_factor.value_or(0));
    check_factor("distance_factor", options.distance_factor.value_or(0));
    violations.conclude();
}

}  // namespace

NetworkFormat parse_network_format(std::string_view name) {
    return find_row(kNetworkFormats, "network format", name).format;
}

NetworkFile read_network(const Input& input, const NetworkOptions& options) {
    check(options);
    std::string bytes = read_all(input);
    const NetworkFormat format =
        options.format == NetworkFormat::detect ? detect(input.name, bytes) : options.format;
    NetworkFile file = read_as(format, memory_input(input.name, std::move(bytes)));
    file.toll_factor = options.toll_factor.value_or(file.toll_factor);
    file.distance_factor = options.distance_factor.value_or(file.distance_factor);
    for (const std::string* path : {&options.nodes_path, &options.geojson_path}) {
        if (!path->empty()) read_places(file_input(*path), file.network, file.notes);
    }
    if (!options.trips_path.empty()) {
        if (file.trips)
            file.notes.push_back("the demands of " + input.name + " are not used: " + options.trips_path +
                                 " is");
        file.trips = read_trips(file_input(options.trips_path), file.network, file.notes);
    }
    return file;
}

NetworkFile open_network(const std::string& path, const NetworkOptions& options) {
    return read_network(file_input(path), options);
}

Trips read_trips(const Input& input, const Network& network, std::vector<std::string>& notes) {
    std::string bytes = read_all(input);
    const std::string line(first_line(bytes));
    const Input text = memory_input(input.name, std::move(bytes));
    if (begins_sndlib(line)) return read_sndlib_demands(text, network, notes);
    if (names_demand_table(line)) return read_demand_table(text, network, notes);
    return read_tntp_trips(text, network, notes);
}

}  // namespace proxstream
