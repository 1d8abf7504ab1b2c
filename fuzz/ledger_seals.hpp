/// Ledgers whose seals are corrected: otherwise the digest would refuse everything before the rows are read.
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
        const std::size_t digits = line.starts_with(kFooterOpening) ? kAllDigits : kRowDigits;
        out.append(chain.seal(std::string_view(out).substr(start), digits)).append(kSealClose);
    }
    return out;
}

}  // namespace proxstream::fuzz
