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
    // Lines of a ledger whose version cannot be told are turned away whatever their seals are.
    constexpr std::string_view kVersion = "\"version\":";
    const std::size_t place = bytes.find(kVersion);
    const char version = place != std::string_view::npos && place + kVersion.size() < bytes.size()
                             ? bytes[place + kVersion.size()]
                             : '0';
    DigestChain chain(chain_kind(static_cast<std::uint64_t>(version - '0')));
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
