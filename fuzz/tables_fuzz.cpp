/// The textual forms of regularisers, losses, learners and inner solvers: a part that works, or a
/// ConfigError.
#include "proxstream/loss/loss_table.hpp"
#include "proxstream/online/learner_table.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/prox/switching.hpp"
#include "proxstream/solve/inner_table.hpp"

#include "fuzz_support.hpp"

#include <array>

using namespace proxstream;

namespace {

constexpr Index kDimension = 6;

void try_regulariser(std::string_view text) {
    const AnyRegulariser g = parse_regulariser(text);
    g.check_dimension(kDimension);
    const std::array<Real, kDimension> v{1, -2, 0, 0.5, 3, -0.25};
    std::array<Real, kDimension> out{};
    Scratch scratch;
    g.prox(v, 0.5, out, scratch);
    if (supports_switching(g)) Switching(g, 0.3, kDimension).prox(v, 0.5, out, scratch);
}

void try_loss(std::string_view text) {
    const auto family = parse_loss(text, RowShape{.features = 2});
    fuzz::require(family->dimension() >= family->penalised());
    fuzz::require(family->target_kind() == loss_target(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t kind = choices.byte();
    const std::string_view text = choices.rest();
    try {
        switch (kind % 4) {
            case 0:
                try_regulariser(text);
                break;
            case 1:
                try_loss(text);
                break;
            case 2:
                // A long window is allowed and only slow to build; the digits are what is tested here.
                if (text.find("window") == std::string_view::npos) check_learner(text);
                break;
            default:
                parse_inner(text, 1);
        }
    } catch (const ConfigError& error) {
        fuzz::require(!error.violations().empty());
    }
    return 0;
}
