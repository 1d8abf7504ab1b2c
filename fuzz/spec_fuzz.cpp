/// Specs (core/spec.hpp) and the built-in streams named by them.
#include "proxstream/core/spec.hpp"

#include "fuzz_support.hpp"
#include "run/synthetic.hpp"

#include <cmath>

using namespace proxstream;

namespace {

template <class Action>
void attempt(Action&& action) {
    try {
        action();
    } catch (const ConfigError& error) {
        fuzz::require(!error.violations().empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    attempt([&] {
        const Spec spec = Spec::parse(text);
        fuzz::require(!spec.name().empty());
        attempt([&] { fuzz::require(!std::isnan(spec.number(0, "scale"))); });
        attempt([&] { fuzz::require(!std::isnan(spec.number_or(1, "rate", 1))); });
        attempt([&] { fuzz::require(spec.count_or("size", 4) > 0); });
        attempt([&] { spec.numbers_from(2); });
        attempt([&] { spec.numbers("weights"); });
        attempt([&] { spec.word_or("kind", "none"); });
        attempt([&] { spec.finish(); });
        // What a spec prints as is the same spec.
        fuzz::require(Spec::parse(spec.text()).name() == spec.name());
    });
    attempt([&] {
        const SyntheticOptions options = SyntheticOptions::parse(text);
        if (options.features > 1000) return;
        SyntheticReader reader(options);
        RowBlock block;
        fuzz::require(reader.read_row(block) && all_finite(block.all_values()) &&
                      all_finite(block.targets()));
    });
    return 0;
}
