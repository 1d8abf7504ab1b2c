/// What the text of a certificate and its conclusion both have to say.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include <string>

namespace proxstream {

inline const std::string& member_name(const RunHeader& header) {
    return header.name.empty() ? header.window_text : header.name;
}

/// Is this inequality about something the run did? What it did not do needs no line.
inline bool concerns(const Certificate& certificate, const Inequality& each) {
    if (each.verdict != Verdict::not_applicable) return true;
    if (each.id == "C7c") return certificate.header.priced();
    return each.id != "C9" || certificate.summary.cheap_steps > 0;
}

}  // namespace proxstream
