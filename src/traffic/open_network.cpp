#include "proxstream/traffic/open_network.hpp"

#include "proxstream/core/find_row.hpp"
#include "proxstream/traffic/tntp.hpp"

#include "traffic/field_text.hpp"
#include "traffic/topology_file.hpp"

#include <cmath>

namespace proxstream {
namespace {

struct FormatRow {
    const char* name;
    NetworkFormat format;
};
constexpr FormatRow kFormats[] = {{"auto", NetworkFormat::detect},
                                  {"tntp", NetworkFormat::tntp},
                                  {"sndlib", NetworkFormat::sndlib},
                                  {"csv", NetworkFormat::csv},
                                  {"topology", NetworkFormat::topology}};

/// The first line that says something.
std::string_view first_line(std::string_view bytes) {
    bytes.remove_prefix(std::min(bytes.find_first_not_of("\xef\xbb\xbf \t\r\n"), bytes.size()));
    return without_blanks(bytes.substr(0, bytes.find_first_of("\r\n")));
}

NetworkFormat detect(const std::string& name, std::string_view bytes) {
    const std::string line = lower_case(first_line(bytes));
    if (line.starts_with("node_num")) return NetworkFormat::topology;
    if (line.starts_with("<") || line.starts_with("~") || line.starts_with("origin"))
        return NetworkFormat::tntp;
    throw DamagedFile(
        {name, 1, 0, ""}, quoted_excerpt(first_line(bytes)) + " begins no network file that is known",
        "TNTP (<NUMBER OF ZONES> ..), SNDlib (?SNDlib or XML), CSV with columns from,to,capacity or "
        "a topology (Node_num: ..)");
}

void check(const NetworkOptions& options) {
    std::vector<std::string> violations;
    const auto check_factor = [&](const char* name, std::optional<Real> factor) {
        if (!factor || (*factor >= 0 && *factor <= kAbsurd)) return;
        violations.push_back(std::string(name) + ": " + format_short(*factor) +
                             " is not allowed; use a number of at least 0");
    };
    check_factor("toll_factor", options.toll_factor);
    check_factor("distance_factor", options.distance_factor);
    if (!violations.empty()) throw ConfigError(std::move(violations));
}

}  // namespace

NetworkFormat parse_network_format(std::string_view name) {
    return find_row(kFormats, "network format", name).format;
}

NetworkFile read_network(const Input& input, const NetworkOptions& options) {
    check(options);
    std::string bytes = read_all(input);
    const NetworkFormat format =
        options.format == NetworkFormat::detect ? detect(input.name, bytes) : options.format;
    const Input text = memory_input(input.name, std::move(bytes));
    NetworkFile file = format == NetworkFormat::topology ? read_topology(text) : read_tntp_network(text);
    file.toll_factor = options.toll_factor.value_or(file.toll_factor);
    file.distance_factor = options.distance_factor.value_or(file.distance_factor);
    if (!options.trips_path.empty()) {
        file.trips = read_trips(file_input(options.trips_path), file.network, file.notes);
    }
    return file;
}

NetworkFile open_network(const std::string& path, const NetworkOptions& options) {
    return read_network(file_input(path), options);
}

Trips read_trips(const Input& input, const Network& network, std::vector<std::string>& notes) {
    return read_tntp_trips(input, network, notes);
}

}  // namespace proxstream
