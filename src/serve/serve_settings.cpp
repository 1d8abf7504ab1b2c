#include "serve/serve_settings.hpp"

#include "proxstream/core/parallel.hpp"

#include "run/settings_table.hpp"
#include "serve/learner_kinds.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace proxstream {
namespace {

using Row = OptionRow<ServeSettings>;
using S = ServeSettings;

Row positional(Row row, std::string_view name) {
    row.positional = name;
    return row;
}

const std::array kRows{
    positional(Row{"scenario", "", "Learners", "FILE", "TOML: [serve] and a [learner.NAME] table a learner",
                   &S::scenario},
               "SCENARIO"),
    Row{"store-folder", "", "Learners", "DIR", "where stores are kept that are not named: NAME.run",
        &S::store_folder},
    Row{"durable", "", "Learners", "round|N|off",
        "answers after every turn is on the disk, or not before every N turns, or when the system likes",
        &S::durable},
    Row{"keep", "", "Learners", "all|N|AGE", "turns kept one by one, of learners that do not say", &S::keep},
    Row{"queue", "", "Learners", "N", "records that may wait for a learner", &S::queue, 1, 1e7},
    Row{"workers", "", "Learners", "N", "threads that learners share, a learner on one at a time",
        &S::workers, 1, 1024},
    Row{"threads", "", "Learners", "N", "threads for passes over large windows (0: as the machine has)",
        &S::threads, 0, static_cast<Real>(kMostThreads)},

    Row{"listen", "", "Network", "ADDRESS", "address to listen on; others than loopback need --token-file",
        &S::listen},
    Row{"port", "", "Network", "N", "0: any that is free", &S::port, 0, 65535},
    Row{"token-file", "", "Network", "FILE", "a token a line; requests must carry one of them",
        &S::token_file},
    Row{"http-threads", "", "Network", "N", "threads that read requests", &S::http_threads, 1, 256},
    Row{"max-body", "", "Network", "BYTES", "of a request", &S::max_body, 1024, 1e9},
    Row{"max-header", "", "Network", "BYTES", "of a request's line and headers", &S::max_header, 1024, 1e6},
    Row{"request-seconds", "", "Network", "S", "from a request's first byte to its last; slower ones are cut",
        &S::request_seconds, 0.1, 3600},
    Row{"idle-seconds", "", "Network", "S", "between two requests of a connection", &S::idle_seconds, 1,
        86400},
    Row{"connections", "", "Network", "N", "that may be open", &S::connections, 1, 1e6},
    Row{"connections-per-client", "", "Network", "N", "of one address", &S::connections_per_client, 1, 1e6},
    Row{"rate", "", "Network", "N", "requests a second of one address (0: no limit)", &S::rate, 0, 1e9},
    Row{"burst", "", "Network", "N", "requests of one address that may come at once (0: the rate)", &S::burst,
        0, 1e9},
    Row{"drain-seconds", "", "Network", "S", "for what is being answered when the service ends",
        &S::drain_seconds, 0, 3600},

    Row{"stdio", "", "Line protocol", "BOOL",
        "JSON lines on standard input and output instead of the network", &S::stdio},
};

constexpr std::string_view kAllowedNames = "[a-z0-9-], no more than 40 of them";

std::string where(const std::string& source, const toml::node& node) {
    return fmt::format("{}:{}: ", source, node.source().begin.line);
}

/// The settings of one table, with what every learner has.
LearnerPlan plan_of(const toml::table& table, const std::string& source, std::string name, std::string kind,
                    const ServeSettings& settings, std::vector<std::string> elsewhere) {
    LearnerPlan plan{std::move(name), std::move(kind), {}};
    SettingsSink sink = find_learner_kind(plan.kind).sink(plan.settings);
    sink.elsewhere = std::move(elsewhere);
    read_settings_table(table, source, sink, {});
    const auto given = [&](std::string_view option, const std::string& otherwise) {
        for (const auto& [key, value] : plan.settings)
            if (key == option) return value;
        plan.settings.emplace_back(option, otherwise);
        return otherwise;
    };
    given("store", fmt::format("{}/{}.run", settings.store_folder, plan.name));
    given("keep", settings.keep);
    plan.desk.durable = Durability::parse(given("durable", settings.durable));
    plan.desk.queue = settings.queue;
    return plan;
}

}  // namespace

std::span<const Row> serve_options() {
    return kRows;
}

void validate(const ServeSettings& settings) {
    std::vector<std::string> violations;
    for (const Row& row : kRows) {
        const std::string violation = range_violation(row, settings);
        if (!violation.empty()) violations.push_back(violation);
    }
    if (settings.scenario.empty())
        violations.emplace_back("scenario: give a file, as in 'proxstream serve learners.toml'");
    collect(violations, "durable", [&] { Durability::parse(settings.durable); });
    collect(violations, "keep", [&] { Retention::parse(settings.keep); });
    if (!settings.stdio && !is_loopback(settings.listen) && settings.token_file.empty()) {
        violations.push_back(
            fmt::format("listen = {}: others can reach it; give --token-file, and TLS by a proxy in front",
                        settings.listen));
    }
    if (!violations.empty()) throw ConfigError(violations);
}

HttpLimits http_limits(const ServeSettings& settings) {
    HttpLimits limits;
    limits.body = settings.max_body;
    limits.header = settings.max_header;
    limits.request_seconds = settings.request_seconds;
    limits.idle_seconds = settings.idle_seconds;
    limits.connections = settings.connections;
    limits.connections_per_client = settings.connections_per_client;
    limits.rate = settings.rate;
    limits.burst = settings.burst;
    return limits;
}

bool is_loopback(std::string_view address) {
    return address == "::1" || address == "localhost" || address.starts_with("127.");
}

bool is_learner_name(std::string_view name) {
    return !name.empty() && name.size() <= 40 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

void read_serve_table(std::string_view text, const std::string& source, ServeSettings& settings) {
    const toml::table file = parse_toml(text, source);
    const toml::node* node = file.get("serve");
    if (node == nullptr) return;
    if (!node->is_table()) throw ConfigError(where(source, *node) + "serve: expected a table, [serve]");
    SettingsSink sink = settings_sink(serve_options(), settings);
    sink.names.front().clear();  // a scenario does not name another
    read_settings_table(*node->as_table(), source, sink, {});
}

std::vector<LearnerPlan> read_learners(std::string_view text, const std::string& source,
                                       const ServeSettings& settings) {
    const toml::table file = parse_toml(text, source);
    const toml::node* learners = file.get("learner");
    if (learners == nullptr) return {plan_of(file, source, "main", "learn", settings, {"serve"})};
    std::vector<std::string> violations;
    for (const auto& [key, node] : file) {
        if (key != "learner" && key != "serve")
            violations.push_back(where(source, node) + unknown_name("key", key.str(), {"serve", "learner"}));
    }
    if (!learners->is_table() || learners->as_table()->empty())
        throw ConfigError(where(source, *learners) + "learner: expected tables, [learner.NAME]");
    std::vector<LearnerPlan> plans;
    std::set<std::string> stores;
    for (const auto& [key, node] : *learners->as_table()) {
        const std::string name(key.str());
        const std::string place = where(source, node);
        collect(violations, "", [&, &table_node = node] {
            if (!table_node.is_table())
                throw ConfigError(place + "learner." + name + ": expected a table, [learner.NAME]");
            if (!is_learner_name(name))
                throw ConfigError(
                    fmt::format("{}learner name '{}': must be made of {}", place, name, kAllowedNames));
            const toml::table& table = *table_node.as_table();
            const auto kind = table["kind"].value<std::string>();
            if (!kind)
                throw ConfigError(place + "learner." + name + ": kind: expected \"learn\" or \"route\"");
            plans.push_back(plan_of(table, source, name, *kind, settings, {"kind"}));
            for (const auto& [option, value] : plans.back().settings) {
                if (option == "store" && !stores.insert(value).second)
                    throw ConfigError(
                        fmt::format("{}learner.{}: store = {}: another learner has it", place, name, value));
            }
        });
    }
    if (!violations.empty()) throw ConfigError(violations);
    return plans;
}

}  // namespace proxstream
