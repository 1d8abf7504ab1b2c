/// StateArchives of learners; a state without a seal gets the right one. A state that can be read can be
/// continued.
#include "proxstream/core/state_archive.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "fuzz_support.hpp"
#include "loss/loss_table.hpp"
#include "online/learner_table.hpp"
#include "state_seals.hpp"

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
    const bool whole = choices.rest().starts_with("proxstream");
    read(choice, whole ? std::string(choices.rest()) : fuzz::sealed_state(choices.rest()));
    return 0;
}
