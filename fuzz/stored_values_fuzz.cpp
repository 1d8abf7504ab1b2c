/// Values as a store keeps them: identity and certificate as JSON, packed bytes, buckets of figures. The
/// first byte chooses.
#include "core/json.hpp"
#include "fuzz_support.hpp"
#include "store/packed.hpp"
#include "store/page_data.hpp"
#include "store/run_identity.hpp"
#include "store/series.hpp"

#include <array>

using namespace proxstream;

namespace {

void try_identity(const std::string& text) {
    const RunIdentity identity = parse_identity(text, "f");
    const std::string written = identity_json(identity);
    fuzz::require(identity_json(parse_identity(written, "again")) == written);
}

/// A page says "sound" only of certificates that do.
void try_certificate(const std::string& text, const std::string& kind) {
    const auto page = nlohmann::json::parse(page_certificate(text, kind));
    if (page.is_null()) return;
    fuzz::require(page["claims"].is_array() && page["conclusion"].is_string());
    if (page["sound"] != true) return;
    const auto certificate = nlohmann::json::parse(text);
    if (certificate.is_object()) {
        fuzz::require(certificate["sound"] == true || certificate["epochs"].size() == 1);
    } else {
        for (const auto& part : certificate) fuzz::require(part["sound"] == true);
    }
}

void try_packed(const std::string& bytes) {
    fuzz::require(unpacked(packed(bytes)) == bytes);
    const std::string whole = unpacked(bytes);
    if (!whole.empty()) fuzz::require(unpacked(packed(whole)) == whole);
}

void try_bucket(std::string_view bytes) {
    Series series(2);
    if (!series.restore(bytes)) return;
    fuzz::require(series.buckets() == 1 && series.bytes(0) == bytes);
    const std::array<Real, 2> values{1, -2};
    for (int i = 0; i < 3; ++i) series.add(series.last(series.buckets() - 1) + 1, values);
    fuzz::require(series.buckets() <= 4);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t choice = choices.byte();
    const std::string text(choices.rest());
    try {
        if (choice % 4 == 0) try_identity(text);
        if (choice % 4 == 1) try_certificate(text, (choice & 4U) != 0 ? "play" : "route");
        if (choice % 4 == 2) try_packed(text);
        if (choice % 4 == 3) try_bucket(text);
    } catch (const DataError& error) {
        fuzz::require(!std::string_view(error.what()).empty());
    }
    return 0;
}
