/// Model files: a whole model that prints as itself, or a DataError.
#include "fuzz_support.hpp"
#include "run/model_file.hpp"

using namespace proxstream;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const Model model = parse_model({reinterpret_cast<const char*>(data), size}, "f");
        fuzz::require(all_finite(model.x));
        fuzz::require(to_json(parse_model(to_json(model), "again")) == to_json(model));
    } catch (const DataError&) {
    }
    return 0;
}
