/// Networks of any text format, trips, flows and coordinates.
#include "network_checks.hpp"
#include "traffic/network_formats.hpp"

using namespace proxstream;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t what = choices.byte() % 8;
    const Input input = memory_input("f", std::string(choices.rest()), 64);
    try {
        if (what < 5) {
            NetworkOptions options;
            options.format = what == 0   ? NetworkFormat::detect
                             : what == 1 ? NetworkFormat::csv
                             : what == 2 ? NetworkFormat::topology
                                         : NetworkFormat::tntp;
            fuzz::check_network(read_network(input, options));
            return 0;
        }
        std::vector<std::string> notes;
        if (what == 5)
            fuzz::check_trips(read_trips(input, fuzz::small_network(), notes), fuzz::small_network());
        if (what == 6) {
            const auto flows = read_tntp_flows(input, fuzz::small_network());
            fuzz::require(flows.size() == fuzz::small_network().links() && all_finite(flows));
        }
        if (what == 7) {
            Network network = fuzz::small_network();
            read_places(input, network, notes);
            fuzz::require(network.has_places());
        }
    } catch (const Error& error) {
        fuzz::require(!std::string_view(error.what()).empty());
    }
    return 0;
}
