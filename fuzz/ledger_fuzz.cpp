/// Ledgers, as they come and with their seals put right.
#include "proxstream/core/error.hpp"
#include "proxstream/regret/certify.hpp"

#include "ledger_seals.hpp"

#include <cstdint>
#include <sstream>
#include <string>

using namespace proxstream;

namespace {

void try_certify(const std::string& bytes) {
    std::istringstream in(bytes);
    try {
        LedgerReader reader(in, "fuzz");
        const Certificate certificate = certify(reader);
        to_text(certificate);
        to_json(certificate);
    } catch (const Error&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    try_certify(bytes);
    try_certify(fuzz::sealed(bytes));
    return 0;
}
