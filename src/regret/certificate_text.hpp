/// How certificates of runs, games and fits are printed on a terminal.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "core/text_lines.hpp"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

inline constexpr std::size_t kWidth = 100;  // columns

template <class... Values>
void append(std::string& out, fmt::format_string<Values...> form, Values&&... values) {
    out += fmt::format(form, std::forward<Values>(values)...);
}

/// Words of `text` on lines of at most kWidth columns, indented.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent);

/// The head of a table of inequalities.
void append_table_head(std::string& out, std::string_view title);
/// One row of it. The explanation follows where the line does not simply hold, or `always`.
void append_inequality(std::string& out, const Inequality& each, bool always = false);
void append_claim(std::string& out, const PaperClaim& claim);

inline const std::string& member_name(const RunHeader& header) {
    return header.name.empty() ? header.window_text : header.name;
}

/// The certificate in one line, such as "7 of 7 statements hold". Lines that are not applicable do not count.
std::string statements_held(const CertificateLines& lines);

/// Whether the inequality is about something that the run did; others get no line.
bool concerns(const Certificate& certificate, const Inequality& each);

}  // namespace proxstream
