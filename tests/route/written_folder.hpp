/// The tables of a routing run read back, and what they contradict each other about.
#pragma once

#include "io/output_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace proxstream::testing {

/// Rows of a CSV table by column name; fields may be quoted.
inline std::vector<std::map<std::string, std::string>> read_table(const std::string& path) {
    std::istringstream text(read_whole_file(path));
    std::vector<std::string> columns;
    std::vector<std::map<std::string, std::string>> rows;
    for (std::string line; std::getline(text, line);) {
        std::vector<std::string> fields(1);
        bool quoted = false;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
                fields.back() += line[++i];
            } else if (line[i] == '"') {
                quoted = !quoted;
            } else if (line[i] == ',' && !quoted) {
                fields.emplace_back();
            } else {
                fields.back() += line[i];
            }
        }
        if (columns.empty()) {
            columns = fields;
            continue;
        }
        if (quoted || fields.size() != columns.size()) throw std::runtime_error(path + ": " + line);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (i == 0) rows.emplace_back();
            rows.back()[columns[i]] = fields[i];
        }
    }
    return rows;
}

/// Compares figures of a folder of detail `all` that can be computed in two ways: sums of splits, loads,
/// utilisation, and the figures of periods. Returns the first contradiction, or nothing.
inline std::string contradiction_in(const std::string& folder) {
    const auto table = [&](const char* name) { return read_table(folder + "/" + name); };
    const auto number = [](const std::map<std::string, std::string>& row, const char* column) {
        return std::stod(row.at(column));
    };
    const auto differ = [](double a, double b) {
        return !(std::abs(a - b) <= 1e-8 * std::max({std::abs(a), std::abs(b), 1.0}));
    };
    using Key = std::pair<std::string, std::string>;
    std::map<std::string, std::map<std::string, std::string>> paths;
    for (const auto& row : table("paths.csv")) paths.emplace(row.at("path"), row);  // live, later gone
    std::map<Key, double> demand, split_sum, load;
    std::map<std::string, double> total_demand, load_time, largest;
    for (const auto& row : table("demand.csv")) {
        demand[{row.at("period"), row.at("pair")}] = number(row, "demand");
        total_demand[row.at("period")] += number(row, "demand");
    }
    for (const auto& row : table("splits.csv")) {
        const auto& path = paths.at(row.at("path"));
        const double split = number(row, "split");
        if (split < 0 || split > 1 + 1e-9) return "a split outside [0, 1]";
        split_sum[{row.at("period"), path.at("pair")}] += split;
        std::istringstream links(path.at("links"));
        for (std::string link; links >> link;)
            load[{row.at("period"), link}] += split * demand[{row.at("period"), path.at("pair")}];
    }
    for (const auto& [key, sum] : split_sum)
        if (differ(sum, 1)) return "splits of pair " + key.second + " in period " + key.first;
    for (const auto& row : table("link_flows.csv")) {
        const std::string at = " of link " + row.at("link") + " in period " + row.at("period");
        const double capacity = number(row, "capacity");
        if (differ(number(row, "load"), load[{row.at("period"), row.at("link")}])) return "load" + at;
        const double utilisation = capacity > 0 ? number(row, "load") / capacity : 0;
        if (differ(number(row, "utilisation"), utilisation)) return "utilisation" + at;
        load_time[row.at("period")] += number(row, "load") * number(row, "time");
        largest[row.at("period")] = std::max(largest[row.at("period")], utilisation);
    }
    std::size_t count = 0;
    for (const auto& row : table("periods.csv")) {
        const std::string& period = row.at("period");
        if (period != std::to_string(++count)) return "period " + period + " in row " + std::to_string(count);
        if (row.at("demand").empty()) continue;  // held
        if (differ(number(row, "demand"), total_demand[period])) return "demand of period " + period;
        if (differ(number(row, "time"), load_time[period])) return "time of period " + period;
        if (differ(number(row, "utilisation_max"), largest[period])) return "utilisation of period " + period;
    }
    return "";
}

}  // namespace proxstream::testing
