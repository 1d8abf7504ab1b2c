/// Demand series of every format: periods are whole or refused, and a bad one costs itself only.
#include "network_checks.hpp"
#include "traffic/demand_stream.hpp"

using namespace proxstream;

namespace {

void read_everything(DemandStream& stream, bool skip_some, std::size_t most) {
    const Network& network = fuzz::small_network();
    for (const Pair& pair : stream.pairs()) fuzz::require(pair.origin != pair.destination);
    DemandPeriod period;
    for (std::size_t count = 0; stream.announce(period); ++count) {
        fuzz::require(count < most && !period.label.empty() && period.demand.empty());
        for (const NetworkEvent& event : period.events) {
            fuzz::require(event.link < network.links() && event.factor > 0);
        }
        if (skip_some && count % 2 == 1) continue;
        try {
            stream.reveal(period);
        } catch (const DataError& error) {
            fuzz::require(!std::string_view(error.what()).empty() && period.demand.empty());
            continue;
        }
        fuzz::require(period.demand.empty() || period.demand.size() == stream.pairs().size());
        for (const Real demand : period.demand) fuzz::require(demand >= 0 && demand <= kAbsurd);
    }
    for (const std::string& note : stream.notes()) fuzz::require(!note.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t flags = choices.byte();
    DemandOptions options;
    options.format = static_cast<DemandFormat>(flags % 6);
    options.zones = (flags & 8U) != 0 ? 2 : 0;
    if ((flags & 16U) != 0) options.pairs = {{0, 1}, {2, 0}};
    if ((flags & 32U) != 0) options.scale = 1e-3;
    const std::string text(choices.rest());
    try {
        const auto stream = read_demand(memory_input("f", text, (flags & 64U) != 0 ? 1 : 4096),
                                        fuzz::small_network(), options);
        read_everything(*stream, (flags & 128U) != 0, text.size() + 2);
    } catch (const Error& error) {
        fuzz::require(!std::string_view(error.what()).empty());
    }
    return 0;
}
