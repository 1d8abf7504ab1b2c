/// TOML settings: whatever the text, settings or a ConfigError or DataError.
#include "fuzz_support.hpp"
#include "run/learn_settings.hpp"
#include "run/settings_file.hpp"

using namespace proxstream;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    LearnSettings settings;
    try {
        read_settings_text({reinterpret_cast<const char*>(data), size}, "f", settings_sink(settings),
                           {"seed"});
        fuzz::require(settings.seed == LearnSettings{}.seed);  // the command line had set it
        validate(settings);
    } catch (const ConfigError& error) {
        fuzz::require(!error.violations().empty());
    } catch (const DataError&) {
    }
    return 0;
}
