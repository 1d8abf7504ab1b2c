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

/// Figures of a folder of detail `all` that can be computed in two ways: sums of splits, loads, utilisation,
/// and the figures of periods.
class WrittenFolder {
  public:
    explicit WrittenFolder(std::string folder) : folder_(std::move(folder)) {
        for (const Row& row : table("paths.csv")) paths_.emplace(row.at("path"), row);  // live, later gone
        for (const Row& row : table("demand.csv")) {
            demand_[{row.at("period"), row.at("pair")}] = number(row, "demand");
            total_demand_[row.at("period")] += number(row, "demand");
        }
    }

    /// The first contradiction, or "".
    std::string contradiction() {
        for (const auto check :
             {&WrittenFolder::add_splits, &WrittenFolder::check_links, &WrittenFolder::check_periods}) {
            std::string found = (this->*check)();
            if (!found.empty()) return found;
        }
        return "";
    }

  private:
    using Row = std::map<std::string, std::string>;
    using Key = std::pair<std::string, std::string>;

    std::vector<Row> table(const char* name) const { return read_table(folder_ + "/" + name); }
    static double number(const Row& row, const char* column) { return std::stod(row.at(column)); }
    static bool differ(double a, double b) {
        return !(std::abs(a - b) <= 1e-8 * std::max({std::abs(a), std::abs(b), 1.0}));
    }

    std::string add_splits() {
        std::map<Key, double> sums;
        for (const Row& row : table("splits.csv")) {
            const Row& path = paths_.at(row.at("path"));
            const double split = number(row, "split");
            if (split < 0 || split > 1 + 1e-9) return "a split outside [0, 1]";
            const Key pair{row.at("period"), path.at("pair")};
            sums[pair] += split;
            std::istringstream links(path.at("links"));
            for (std::string link; links >> link;) load_[{row.at("period"), link}] += split * demand_[pair];
        }
        for (const auto& [key, sum] : sums)
            if (differ(sum, 1)) return "splits of pair " + key.second + " in period " + key.first;
        return "";
    }

    std::string check_links() {
        for (const Row& row : table("link_flows.csv")) {
            const std::string& period = row.at("period");
            const std::string at = " of link " + row.at("link") + " in period " + period;
            const double capacity = number(row, "capacity");
            if (differ(number(row, "load"), load_[{period, row.at("link")}])) return "load" + at;
            const double utilisation = capacity > 0 ? number(row, "load") / capacity : 0;
            if (differ(number(row, "utilisation"), utilisation)) return "utilisation" + at;
            load_time_[period] += number(row, "load") * number(row, "time");
            largest_[period] = std::max(largest_[period], utilisation);
        }
        return "";
    }

    std::string check_periods() {
        std::size_t count = 0;
        for (const Row& row : table("periods.csv")) {
            const std::string& period = row.at("period");
            if (period != std::to_string(++count))
                return "period " + period + " in row " + std::to_string(count);
            if (row.at("demand").empty()) continue;  // held
            if (differ(number(row, "demand"), total_demand_[period])) return "demand of period " + period;
            if (differ(number(row, "time"), load_time_[period])) return "time of period " + period;
            if (differ(number(row, "utilisation_max"), largest_[period]))
                return "utilisation of period " + period;
        }
        return "";
    }

    std::string folder_;
    std::map<std::string, Row> paths_;
    std::map<Key, double> demand_, load_;
    std::map<std::string, double> total_demand_, load_time_, largest_;
};

/// What the tables of a folder contradict each other about, or "".
inline std::string contradiction_in(const std::string& folder) {
    return WrittenFolder(folder).contradiction();
}

}  // namespace proxstream::testing
