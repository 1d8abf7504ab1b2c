/// Rows as a table to read, as a page of the docs, and as a line of the history.
#pragma once

#include "harness/bench.hpp"
#include "harness/machine.hpp"

#include <string>

namespace proxstream::bench {

struct Report {
    MachineFacts machine;
    std::string time;      // UTC, ISO 8601
    std::string revision;  // of the source, as the caller names it
    bool quick = false;
    const std::vector<Row>& rows;
};

/// "0.913 [0.905, 0.921]"
std::string ratio_text(const Row& row);
std::string figure_text(const Row& row);
std::string wanted_text(const Row& row);
/// "met", "NOT met", "skipped: why", "not judged", "".
std::string verdict_text(const Row& row, bool quick);

std::string plain_table(const Report& report);
/// Machine and tables in Markdown, one a section.
std::string markdown(const Report& report);
/// One JSON object without line breaks.
std::string history_line(const Report& report);

/// `page` with what stands between its markers replaced. Throws Error if it has none.
std::string replace_between_markers(const std::string& page, const std::string& text);

}  // namespace proxstream::bench
