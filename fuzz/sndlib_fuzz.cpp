/// SNDlib, native and XML: networks, and demands of a network that is known.
#include "network_checks.hpp"

using namespace proxstream;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const bool demands = (choices.byte() & 1U) != 0;
    const Input input = memory_input("f", std::string(choices.rest()), 64);
    try {
        if (demands) {
            std::vector<std::string> notes;
            fuzz::check_trips(read_trips(input, fuzz::small_network(), notes), fuzz::small_network());
            return 0;
        }
        NetworkOptions options;
        options.format = NetworkFormat::sndlib;
        const NetworkFile file = read_network(input, options);
        fuzz::check_network(file);
        if (file.trips) fuzz::check_trips(*file.trips, file.network);
    } catch (const Error& error) {
        fuzz::require(!std::string_view(error.what()).empty());
    }
    return 0;
}
