/// Games described in TOML.
#include "proxstream/core/error.hpp"

#include "game/built_in_games.hpp"
#include "play/open_game.hpp"
#include "run/settings_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace proxstream {
namespace {

/// A table with its place in the file, for messages.
class ScenarioTable {
  public:
    ScenarioTable(const toml::table& table, std::string what, const std::string& source)
        : table_(table), what_(std::move(what)), source_(source) {}

    [[noreturn]] void refuse(const toml::node* at, const std::string& key, const std::string& problem,
                             const std::string& expected) const {
        const toml::node& node = at != nullptr ? *at : table_;
        throw DataError(
            {.source = source_, .line = node.source().begin.line, .column = 0, .field = what_ + "." + key},
            problem, expected);
    }
    template <std::size_t N>
    void only(const std::array<std::string_view, N>& keys) const {
        for (const auto& [key, node] : table_) {
            if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
                refuse(&node, std::string(key.str()),
                       unknown_name("key", key.str(), std::vector<std::string>(keys.begin(), keys.end())),
                       "");
            }
        }
    }
    bool has(std::string_view key) const { return table_.contains(key); }
    std::optional<std::string> text(std::string_view key) const {
        const toml::node* node = table_.get(key);
        if (node == nullptr) return std::nullopt;
        if (!node->is_string()) refuse(node, std::string(key), "not a text", "a text in quotes");
        return node->as_string()->get();
    }
    std::string needed_text(std::string_view key) const {
        const auto found = text(key);
        if (!found) refuse(nullptr, std::string(key), "missing", "a text in quotes");
        return *found;
    }
    std::vector<std::string> texts(std::string_view key) const {
        std::vector<std::string> all;
        for (const toml::node& each : list(key)) {
            if (!each.is_string()) refuse(&each, std::string(key), "not a text", "texts in quotes");
            all.push_back(each.as_string()->get());
        }
        return all;
    }
    std::vector<Real> numbers(std::string_view key) const { return numbers(list(key), key); }
    /// Rows of equal length.
    std::vector<std::vector<Real>> matrix(std::string_view key) const {
        std::vector<std::vector<Real>> rows;
        for (const toml::node& row : list(key)) {
            if (!row.is_array()) refuse(&row, std::string(key), "not a row", "rows of numbers");
            rows.push_back(numbers(*row.as_array(), key));
            if (rows.back().empty()) refuse(&row, std::string(key), "an empty row", "rows of numbers");
            if (rows.back().size() != rows.front().size()) {
                refuse(&row, std::string(key), fmt::format("a row of {} numbers", rows.back().size()),
                       fmt::format("rows of {}", rows.front().size()));
            }
        }
        if (rows.empty()) refuse(table_.get(key), std::string(key), "no rows", "rows of numbers");
        return rows;
    }

  private:
    const toml::array& list(std::string_view key) const {
        const toml::node* node = table_.get(key);
        if (node == nullptr || !node->is_array())
            refuse(node, std::string(key), node == nullptr ? "missing" : "not a list", "a list");
        return *node->as_array();
    }
    std::vector<Real> numbers(const toml::array& array, std::string_view key) const {
        std::vector<Real> all;
        for (const toml::node& each : array) {
            const auto value = each.value<double>();
            if (!value || each.is_boolean() || !std::isfinite(*value))
                refuse(&each, std::string(key), "not a number", "finite numbers");
            all.push_back(*value);
        }
        return all;
    }

    const toml::table& table_;
    std::string what_;
    const std::string& source_;
};

constexpr std::array<std::string_view, 5> kPlayerKeys{"name", "variables", "set", "cost", "start"};
constexpr std::array<std::string_view, 3> kMatrixKeys{"costs", "column-costs", "names"};

GameDefinition polynomial_scenario(const toml::array& tables, const std::string& name,
                                   const std::string& source) {
    std::vector<PolynomialPlayer> players;
    for (const toml::node& node : tables) {
        const std::string what = fmt::format("player {}", players.size() + 1);
        if (!node.is_table()) {
            throw DataError({.source = source, .line = node.source().begin.line, .column = 0, .field = what},
                            "not a table", "[[player]]");
        }
        const ScenarioTable table(*node.as_table(), what, source);
        table.only(kPlayerKeys);
        PolynomialPlayer player{.name = table.text("name").value_or(what),
                                .variables = table.texts("variables"),
                                .cost = table.needed_text("cost"),
                                .set = table.text("set").value_or("zero"),
                                .start = {}};
        if (table.has("start")) player.start = table.numbers("start");
        const auto twin = [&](const PolynomialPlayer& other) { return other.name == player.name; };
        if (std::any_of(players.begin(), players.end(), twin))
            table.refuse(node.as_table()->get("name"), "name", "there is another '" + player.name + "'",
                         "a different name for each player");
        players.push_back(std::move(player));
    }
    return make_polynomial_game(name, players);
}

/// Mixed strategies of two players: rows pay `costs`; columns pay `column-costs`, or receive what rows pay.
GameDefinition matrix_scenario(const toml::table& found, const std::string& name, const std::string& source) {
    const ScenarioTable table(found, "matrix", source);
    table.only(kMatrixKeys);
    const std::vector<std::vector<Real>> costs = table.matrix("costs");
    const Index rows = costs.size();
    const Index columns = costs.front().size();
    std::vector<std::vector<Real>> opposite;
    if (table.has("column-costs")) {
        opposite = table.matrix("column-costs");
        if (opposite.size() != rows || opposite.front().size() != columns)
            table.refuse(found.get("column-costs"), "column-costs",
                         fmt::format("{} by {} numbers", opposite.size(), opposite.front().size()),
                         fmt::format("{} by {}, as costs", rows, columns));
    }
    std::vector<Real> of_rows;
    std::vector<Real> of_columns(rows * columns);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
            of_rows.push_back(costs[i][j]);
            of_columns[j * rows + i] = opposite.empty() ? -costs[i][j] : opposite[i][j];
        }
    }
    std::vector<std::string> names{"rows", "columns"};
    if (table.has("names")) names = table.texts("names");
    if (names.size() != 2 || names[0] == names[1])
        table.refuse(found.get("names"), "names", "not two names", "two that differ");
    // The corner is stationary only in trivial games.
    const auto corner = [](Index n) {
        std::vector<Real> start(n);
        start.front() = 1;
        return start;
    };
    return make_quadratic_game(name, {{names[0], "simplex", {{}, {}, {{}, of_rows}}, corner(rows)},
                                      {names[1], "simplex", {{}, {}, {of_columns, {}}}, corner(columns)}});
}

}  // namespace

const std::vector<std::string>& scenario_keys() {
    static const std::vector<std::string> keys{"player", "matrix", "title"};
    return keys;
}

bool describes_game(std::string_view text, const std::string& source) {
    const toml::table table = parse_toml(text, source);
    return table.contains("player") || table.contains("matrix");
}

GameDefinition scenario_game(std::string_view text, const std::string& source) {
    const toml::table table = parse_toml(text, source);
    const std::string name = ScenarioTable(table, "scenario", source).text("title").value_or(source);
    const toml::node* players = table.get("player");
    const toml::node* matrix = table.get("matrix");
    if ((players == nullptr) == (matrix == nullptr)) {
        throw DataError({.source = source, .line = 1, .column = 0, .field = "game"},
                        players == nullptr ? "no game is described" : "two games are described",
                        "game = \"NAME\", [[player]] tables or a [matrix]");
    }
    try {
        if (players != nullptr && players->is_array())
            return polynomial_scenario(*players->as_array(), name, source);
        if (matrix != nullptr && matrix->is_table())
            return matrix_scenario(*matrix->as_table(), name, source);
    } catch (const ConfigError& error) {
        std::vector<std::string> violations;
        for (const std::string& each : error.violations()) violations.push_back(source + ": " + each);
        throw ConfigError(violations);
    }
    throw DataError({.source = source,
                     .line = (players != nullptr ? players : matrix)->source().begin.line,
                     .column = 0,
                     .field = players != nullptr ? "player" : "matrix"},
                    "not a table", players != nullptr ? "[[player]]" : "[matrix]");
}

}  // namespace proxstream
