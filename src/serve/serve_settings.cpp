#include "serve/serve_settings.hpp"

#include "run/run_settings.hpp"
#include "run/settings_table.hpp"
#include "serve/learner_kinds.hpp"
#include "serve/loopback.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace proxstream {
namespace {

using Row = OptionRow<ServeSettings>;
using S = ServeSettings;

const std::array kRows{
    positional(
        Row{"scenario", "", "Learners", "FILE",
            "TOML with a table [learner.NAME] for each learner, and [serve] for these options", &S::scenario},
        "SCENARIO"),
    Row{"store-folder", "", "Learners", "DIR", "folder of the stores NAME.run of learners that name none",
        &S::store_folder},
    checked(Row{"durable", "", "Learners", "round|N|off",
                "answer when a turn is on the disk, commit every N turns, or leave writing to the system",
                &S::durable},
            check_durable),
    checked(Row{"keep", "", "Learners", "turns|all|N|AGE",
                "what a store keeps of old turns, for learners that set no keep of their own", &S::keep},
            check_keep),
    Row{"queue", "", "Learners", "N", "most records that may wait for a learner", &S::queue, 1, 1e7},
    Row{"workers", "", "Learners", "N", "threads that learners share, each learner on one at a time",
        &S::workers, 1, 1024},
    threads_option<S>("Learners"),

    Row{"listen", "", "Network", "ADDRESS", "address to listen on; others than loopback need --token-file",
        &S::listen},
    Row{"port", "", "Network", "N", "port to listen on (0: any free one)", &S::port, 0, 65535},
    Row{"token-file", "", "Network", "FILE", "require one of the tokens in this file, one on each line",
        &S::token_file},
    Row{"http-threads", "", "Network", "N", "threads that read requests", &S::http_threads, 1, 256},
    Row{"max-body", "", "Network", "BYTES", "largest body of a request", &S::body, 1024, 1e9},
    Row{"max-header", "", "Network", "BYTES", "largest head of a request: its first line and headers",
        &S::header, 1024, 1e6},
    Row{"request-seconds", "", "Network", "S",
        "most time from a request's first byte to its last; slower clients are disconnected",
        &S::request_seconds, 0.1, 3600},
    Row{"idle-seconds", "", "Network", "S",
        "most time without a request; a client that reads less than 16 KB a second over this time is "
        "disconnected",
        &S::idle_seconds, 1, 86400},
    Row{"max-waiting", "", "Network", "BYTES",
        "most bytes of bodies and answers that wait in memory; later requests get 503", &S::waiting, 1e6,
        1e12},
    Row{"connections", "", "Network", "N", "most open connections", &S::connections, 1, 1e6},
    Row{"connections-per-client", "", "Network", "N", "most open connections of one address",
        &S::connections_per_client, 1, 1e6},
    Row{"rate", "", "Network", "N", "most requests a second of one address (0: no limit)", &S::rate, 0, 1e9},
    Row{"burst", "", "Network", "N", "most requests of one address at once (0: the rate)", &S::burst, 0, 1e9},
    Row{"drain-seconds", "", "Network", "S", "most time for open requests when the service ends",
        &S::drain_seconds, 0, 3600},
};

constexpr std::string_view kAllowedNames = "[a-z0-9-], no more than 40 of them";

std::string where(const std::string& source, const toml::node& node) {
    return fmt::format("{}:{}: ", source, node.source().begin.line);
}

/// The settings of one table, completed by those of the service.
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
    plan.queue.durable = Durability::parse(given("durable", settings.durable));
    plan.queue.queue = settings.queue;
    return plan;
}

/// The plan of [learner.NAME]; its store must not be in `stores`.
LearnerPlan read_learner(const std::string& name, const toml::node& node, const std::string& source,
                         const ServeSettings& settings, std::set<std::string>& stores) {
    const std::string place = fmt::format("{}learner.{}: ", where(source, node), name);
    if (!node.is_table()) throw ConfigError(place + "expected a table, [learner.NAME]");
    if (!is_learner_name(name))
        throw ConfigError(
            fmt::format("{}learner name '{}': must be made of {}", where(source, node), name, kAllowedNames));
    const toml::table& table = *node.as_table();
    const auto kind = table["kind"].value<std::string>();
    if (!kind) throw ConfigError(place + "kind: expected \"learn\" or \"route\"");
    LearnerPlan plan = plan_of(table, source, name, *kind, settings, {"kind"});
    for (const auto& [option, value] : plan.settings) {
        if (option == "store" && !stores.insert(value).second)
            throw ConfigError(fmt::format("{}store = {}: another learner has it", place, value));
    }
    return plan;
}

}  // namespace

std::span<const Row> ServeSettings::options() {
    return kRows;
}

void validate(const ServeSettings& settings) {
    Violations violations;
    check_rows(ServeSettings::options(), settings, violations);
    violations.refuse(settings.scenario.empty(),
                      "scenario: give a file, as in 'proxstream serve learners.toml'");
    violations.refuse(
        !is_loopback(settings.listen) && settings.token_file.empty(),
        fmt::format("listen = {}: not a loopback address such as 127.0.0.1 or ::1, so other machines "
                    "may reach it; give --token-file, and TLS by a proxy in front",
                    settings.listen));
    violations.conclude();
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
    SettingsSink sink = settings_sink(settings);
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
        collect(violations, "", [&, name = std::string(key.str()), &learner = node] {
            plans.push_back(read_learner(name, learner, source, settings, stores));
        });
    }
    if (!violations.empty()) throw ConfigError(violations);
    return plans;
}

}  // namespace proxstream
