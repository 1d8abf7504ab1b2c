/// Ledgers with their seals put right: otherwise the digest would turn away everything before the rows are
/// looked at.
#pragma once

#include "regret/digest_chain.hpp"
#include "regret/ledger_format.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace proxstream::fuzz {

/// Every line with whatever seal it has replaced by the right one.
inline std::string sealed(std::string_view bytes) {
    std::string out;
    DigestChain chain;
    while (!bytes.empty()) {
        std::string_view line = bytes.substr(0, bytes.find('\n'));
        bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
        line = line.substr(0, line.rfind(kSealKey));
        const std::size_t start = out.size();
        out.append(line).append(kSealKey);
        chain.absorb(std::string_view(out).substr(start));
        out.append(chain.seal(line.starts_with(kFooterOpening) ? kAllDigits : kRowDigits)).append(kSealClose);
    }
    return out;
}

}  // namespace proxstream::fuzz
