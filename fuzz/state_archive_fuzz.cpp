/// StateArchives, as they come and with their seals put right: otherwise the checksum would turn away
/// everything before a learner is touched. A state that can be read can be continued.
#include "proxstream/core/state_archive.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "core/checksum.hpp"
#include "fuzz_support.hpp"
#include "loss/loss_table.hpp"
#include "online/learner_table.hpp"

#include <array>
#include <memory>
#include <string>

using namespace proxstream;

namespace {

constexpr std::array kLearners{"time-smoothed", "time-smoothed:oracle=(gaussian:0.1),variant=paper",
                               "ensemble:windows=1/3,also=adagrad/adam", "full-history"};

std::unique_ptr<AnyLearner> make(std::uint8_t choice) {
    const std::shared_ptr<const RowFamily> family = parse_loss("cauchy", {.features = 2});
    LearnerConfig parts{
        .g = parse_regulariser("l1:0.1"),
        .make_batch = [family](Index capacity) { return family->make_batch(capacity); },
        .start = {0.5, 0, 0},
        .window = "3",
        .step = 0.1,
        .smoothness = 5,
        .tolerance = choice % kLearners.size() == 1 ? Tolerance::fixed(1) : Tolerance::automatic(),
        .budget = {.max_steps = 4}};
    parts.noise.force = true;
    return make_learner(kLearners[choice % kLearners.size()], std::move(parts));
}

RowBlock record(Real target) {
    RowBlock block;
    block.add_dense(std::array<Real, 2>{1, target / 2}, target);
    return block;
}

/// The saved state with this payload.
std::string sealed(std::string_view payload) {
    std::string out = StateArchive().seal();  // of nothing: ends in a length and a checksum
    out.resize(out.size() - 2 * sizeof(std::uint64_t));
    const auto append = [&](std::uint64_t word) {
        out.append(reinterpret_cast<const char*>(&word), sizeof word);
    };
    append(payload.size());
    out += payload;
    Checksum checksum;
    checksum.add(out);
    append(checksum.value());
    return out;
}

void read(std::uint8_t choice, std::string_view bytes) {
    const auto learner = make(choice);
    try {
        StateArchive archive(bytes, "f");
        archive.section("learner", *learner);
        archive.finish();
    } catch (const Error&) {
        return;
    }
    for (const Real target : {1.0, -0.5, 0.25}) learner->observe(record(target));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t choice = choices.byte();
    read(choice, choices.rest());
    read(choice, sealed(choices.rest()));
    return 0;
}
