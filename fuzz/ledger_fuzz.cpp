/// Ledgers, as they come and with their seals put right: otherwise the digest would turn away everything
/// before the rows are looked at.
#include "proxstream/core/error.hpp"
#include "proxstream/regret/certify.hpp"

#include "regret/digest_chain.hpp"
#include "regret/ledger_format.hpp"

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

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

/// Every line with whatever seal it has replaced by the right one.
std::string sealed(std::string_view bytes) {
    std::string out;
    DigestChain chain;
    while (!bytes.empty()) {
        std::string_view line = bytes.substr(0, bytes.find('\n'));
        bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
        line = line.substr(0, line.rfind(kSealKey));
        const std::size_t start = out.size();
        out.append(line).append(kSealKey);
        chain.absorb(std::string_view(out).substr(start));
        const std::size_t digits = out.size();
        out.append(chain.hex(line.starts_with(kFooterOpening) ? kAllDigits : kRowDigits)).append(kSealClose);
        chain.absorb(std::string_view(out).substr(digits));
    }
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    try_certify(bytes);
    try_certify(sealed(bytes));
    return 0;
}
