#include "harness/report.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace proxstream::bench {
namespace {

constexpr const char* kBegin = "<!-- table begins: written by make bench-docs -->";
constexpr const char* kEnd = "<!-- table ends -->";

/// Three significant digits, without an exponent where people would not write one.
std::string number(double value) {
    const double size = std::abs(value);
    if (size == 0) return "0";
    if (size >= 1e7 || size < 1e-3) return fmt::format("{:.2e}", value);
    if (size >= 100) return fmt::format("{:.0f}", value);
    const int decimals = size >= 10 ? 1 : size >= 1 ? 2 : 3;
    return fmt::format("{:.{}f}", value, decimals);
}

std::string section_of(const Row& row) {
    return row.name.substr(0, row.name.find('.'));
}

std::string escaped(std::string text) {
    for (std::size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2) text.insert(i, "\\");
    return text;
}

nlohmann::ordered_json to_json(const Row& row) {
    nlohmann::ordered_json json{{"name", row.name}, {"measured", row.measured}};
    if (!row.against.empty()) json["against"] = row.against;
    if (row.ratio) {
        json["ratio"] = {{"median", row.ratio->median},
                         {"quartiles", {row.ratio->low, row.ratio->high}},
                         {"repeats", row.ratio->count}};
    }
    if (row.figure) json["figure"] = {{"value", row.figure->value}, {"unit", row.figure->unit}};
    if (row.wanted) json["wanted"] = wanted_text(row);
    if (const auto judged = met(row)) json["met"] = *judged;
    if (!row.note.empty()) json["note"] = row.note;
    if (!row.unfit.empty()) json["unfit"] = row.unfit;
    if (!row.skipped.empty()) json["skipped"] = row.skipped;
    return json;
}

}  // namespace

std::string ratio_text(const Row& row) {
    if (!row.ratio) return {};
    return fmt::format("{} [{}, {}]", number(row.ratio->median), number(row.ratio->low),
                       number(row.ratio->high));
}

std::string figure_text(const Row& row) {
    return row.figure ? number(row.figure->value) + " " + row.figure->unit : "";
}

std::string wanted_text(const Row& row) {
    if (!row.wanted) return {};
    const bool of_ratio = row.wanted->of == Wanted::Of::ratio;
    return fmt::format("{} {}{}", row.wanted->at_least ? ">=" : "<", number(row.wanted->bound),
                       of_ratio || !row.figure ? "" : " " + row.figure->unit);
}

std::string verdict_text(const Row& row, bool quick) {
    if (!row.skipped.empty()) return "skipped: " + row.skipped;
    if (!row.wanted) return {};
    if (quick) return "not judged";
    const auto judged = met(row);
    if (!judged) return "not measured";
    return *judged ? "met" : row.unfit.empty() ? "NOT met" : "NOT met: " + row.unfit;
}

std::string plain_table(const Report& report) {
    std::vector<std::array<std::string, 5>> cells{
        {"row", "ratio [quartiles]", "figure", "wanted", "verdict"}};
    for (const Row& row : report.rows) {
        const bool skipped = !row.skipped.empty();
        cells.push_back({row.name, ratio_text(row), figure_text(row), wanted_text(row),
                         skipped ? "skipped" : verdict_text(row, report.quick)});
    }
    std::array<std::size_t, 5> widths{};
    for (const auto& line : cells) {
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    }
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        for (std::size_t k = 0; k < widths.size(); ++k)
            text += fmt::format("{:<{}}  ", cells[i][k], widths[k]);
        if (i == 0) {
            text += "what, against what";
        } else {
            const Row& row = report.rows[i - 1];
            text += row.measured;
            if (!row.against.empty()) text += "; against " + row.against;
            if (!row.note.empty()) text += "; " + row.note;
            if (!row.skipped.empty()) text += "; skipped: " + row.skipped;
        }
        text += '\n';
    }
    return text;
}

std::string markdown(const Report& report) {
    std::string text = fmt::format("\nMeasured {}", report.time);
    if (!report.revision.empty()) text += ", revision " + report.revision;
    if (report.quick) text += ", **a quick run: figures mean nothing**";
    text += ".\n\n| machine | |\n|---|---|\n";
    for (const auto& [name, value] : report.machine)
        text += fmt::format("| {} | {} |\n", name, escaped(value));
    std::string section, above;
    for (const Row& row : report.rows) {
        if (section_of(row) != section) {
            section = section_of(row);
            std::string_view about;
            for (const Section& each : sections()) {
                if (each.name == section) about = each.about;
            }
            text += fmt::format("\n### {}\n\n{}\n\n", section, about);
            text += "row | what | against | ratio [quartiles] | figure | wanted\n---|---|---|---|---|---\n";
            above = "";
        }
        // Empty where a row measures the same as the row above it.
        std::string what = row.measured == above ? "" : escaped(row.measured);
        if (!row.note.empty()) what += (what.empty() ? "" : "; ") + escaped(row.note);
        above = row.measured;
        std::string wanted = wanted_text(row);
        const std::string verdict = escaped(verdict_text(row, report.quick));
        if (!wanted.empty() && !verdict.empty()) wanted += ", ";
        text += fmt::format("{} | {} | {} | {} | {} | {}{}\n", row.name.substr(section.size() + 1), what,
                            escaped(row.against), ratio_text(row), figure_text(row), wanted, verdict);
    }
    return text + "\n";
}

std::string history_line(const Report& report) {
    nlohmann::ordered_json json{
        {"time", report.time}, {"revision", report.revision}, {"quick", report.quick}};
    for (const auto& [name, value] : report.machine) json["machine"][name] = value;
    json["rows"] = nlohmann::ordered_json::array();
    for (const Row& row : report.rows) json["rows"].push_back(to_json(row));
    return json.dump();
}

std::string replace_between_markers(const std::string& page, const std::string& text) {
    const std::size_t begin = page.find(kBegin);
    const std::size_t end = begin == std::string::npos ? begin : page.find(kEnd, begin);
    if (end == std::string::npos)
        throw Error(fmt::format("the page has no lines '{}' and '{}'", kBegin, kEnd));
    const std::size_t from = begin + std::char_traits<char>::length(kBegin);
    return page.substr(0, from) + "\n" + text + page.substr(end);
}

}  // namespace proxstream::bench
