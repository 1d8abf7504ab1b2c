#include "store/recover.hpp"

#include "proxstream/core/error.hpp"

#include "store/damaged_copy.hpp"
#include "store/journal.hpp"
#include "store/part_file.hpp"
#include "store/recovery_plan.hpp"
#include "store/run_store.hpp"
#include "store/store_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Throws if there is no store that may be recovered.
void check_paths(const std::string& path, const std::string& target) {
    if (!std::filesystem::exists(path)) throw IoError(path, "open the run store", ENOENT);
    if (!std::filesystem::is_regular_file(path)) throw ConfigError(path + ": not a file; name a run store");
    // SQLite would apply the log of an earlier store.
    for (const std::string& file : {target, target + "-wal", target + "-journal"})
        if (std::filesystem::exists(file)) throw ConfigError(file + ": the file exists; name another");
    if (WriterLock::held(path))
        throw ConfigError(path + ": another process is writing to this run; stop it first");
    if (!looks_like_store(path)) return;
    constexpr std::size_t kVersionPlace = 60;  // of user_version in SQLite's header
    std::array<unsigned char, 4> version{};
    std::ifstream file(path, std::ios::binary);
    file.seekg(kVersionPlace).read(reinterpret_cast<char*>(version.data()), version.size());
    const std::int64_t number =
        std::int64_t{version[0]} << 24U | version[1] << 16U | version[2] << 8U | version[3];
    if (number > kStoreVersion) {
        throw DataError({.source = path, .line = 0, .column = 0, .field = ""},
                        fmt::format("the store has version {}", number),
                        fmt::format("a version up to {}, or a newer release of proxstream", kStoreVersion));
    }
}

/// The first problem of a store, which SQLite may change while it reads.
std::string damage_of(const std::string& copy) {
    try {
        const RunStore store(copy);
        const std::vector<std::string> problems = store.verify();
        if (!problems.empty()) return problems.front();
        Database database(copy, Database::Access::read);
        return has_usual_schema(database) ? "" : "its tables are declared otherwise than in a run store";
    } catch (const std::exception& error) {
        return error.what();
    }
}

/// A message about one of the files: the problem alone, without the file and advice.
std::string problem_of(const std::string& text, const std::vector<std::string>& files) {
    std::string problem = text.substr(0, text.find("; expected a file that proxstream"));
    for (const std::string& file : files)
        if (problem.starts_with(file + ": ")) problem.erase(0, file.size() + 2);
    return problem;
}

/// "turn 3" or "turns 3 to 7"
std::string turns_text(Turn first, Turn last) {
    return first == last ? fmt::format("turn {}", first) : fmt::format("turns {} to {}", first, last);
}

/// Whether the plan keeps all that the store had after its last commit.
bool keeps_end(const Salvage& found, const RecoveryPlan& plan) {
    return plan.last == found.last && plan.state == plan.last && plan.lost_sums.empty();
}

void drop_lines(Database& store, std::uint64_t first, std::uint64_t end) {
    Statement(store, "DELETE FROM ledger WHERE place >= ?1 AND place < ?2").run(first, end);
}

void write_facts(Database& target, Database& source, const Salvage& found, const RecoveryPlan& plan,
                 const std::string& path) {
    RunIdentity identity = found.identity;
    for (auto& [name, value] : identity.settings)
        if (name == "store") value = path;
    write_fact(target, "identity", identity_json(identity));
    if (plan.folded > 0) write_fact(target, "folded", std::to_string(plan.folded));
    write_recovered(target, plan.lost_sums);
    const auto copy = [&](const char* name) {
        try {
            if (const auto value = read_fact(source, name)) write_fact(target, name, *value);
        } catch (const DataError&) {
            // The next resume writes it.
        }
    };
    copy("limits");
    if (!keeps_end(found, plan)) return;
    for (const char* name : {"certificate", "report", "ended"}) copy(name);
}

std::int64_t milliseconds_now() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

/// Drops the rows that the plan does not keep, and adds accounts and facts.
void write_store(Database& store, Database& source, const Salvage& found, const RecoveryPlan& plan,
                 const std::string& target) {
    write_facts(store, source, found, plan, target);
    std::uint64_t behind = 0;
    for (const PlannedAccount& each : plan.accounts) {
        write_account(store, each.account);
        if (each.lines.first > each.lines.last) continue;
        drop_lines(store, behind, each.lines.first);
        behind = each.lines.last + 1;
    }
    drop_lines(store, behind, kAllTurns);
    Statement(store, "DELETE FROM turns WHERE turn <= ?1 OR turn > ?2").run(plan.folded, plan.last);
    Statement(store, "DELETE FROM states WHERE turn <> ?1").run(plan.state);
    // Resume raises the alarms of the turns that it plays again.
    Statement(store, "DELETE FROM alarms WHERE turn > ?1").run(plan.state);
    if (found.charted == 0 || found.charted < plan.folded || found.charted > plan.last)
        store.run("DELETE FROM series");
}

/// Throws DataError unless the new store is whole.
void check_result(const std::string& part, const RecoveryPlan& plan) {
    const RunStore store(part);
    const StoreState state = store.state();
    const auto problems = store.verify();
    if (!problems.empty() || state.last != plan.last || state.saved != plan.state)
        refuse_store(part, problems.empty() ? "not all of it could be copied" : problems.front());
}

void report_turns(const Salvage& found, const RecoveryPlan& plan, Recovery& report) {
    const Turn begun = std::max(found.identity.parent.turn, std::min(found.folded, plan.folded));
    if (plan.last > plan.folded) report.kept.push_back(turns_text(plan.folded + 1, plan.last));
    if (plan.folded > begun) {
        report.gone.push_back(turns_text(begun + 1, plan.folded) +
                              ": decisions, figures and inputs; certificates still cover them");
        report.given_up = true;
    }
    if (found.last > plan.last) {
        report.gone.push_back(
            turns_text(plan.last + 1, found.last) +
            (found.served ? ", with their records" : ": resume plays them again from the data"));
    }
}

/// Whether the ledgers end before the last turn, as after the loss of a log. Turns without rows look the
/// same.
bool lacks_last_lines(const Salvage& found, const RecoveryPlan& plan) {
    if (plan.accounts.empty() || plan.state == plan.last) return false;
    return std::none_of(found.last_lines.begin(), found.last_lines.end(),
                        [&](const auto& line) { return line.second >= plan.last; });
}

Recovery report_of(const Salvage& found, const RecoveryPlan& plan) {
    Recovery report;
    report_turns(found, plan, report);
    if (plan.state > 0) report.kept.push_back(fmt::format("the state after turn {}", plan.state));
    const bool unused = std::any_of(found.states.begin(), found.states.end(),
                                    [&](const SalvagedState& each) { return each.turn > plan.state; });
    const bool had_state = found.damaged_states > 0 || !found.states.empty();
    if (plan.state == 0 && had_state)
        report.gone.emplace_back("all saved states: resume plays the run from its first turn");
    else if (found.damaged_states > 0 || unused)
        report.gone.emplace_back("a saved state");
    if (const std::size_t accounts = plan.accounts.size() - plan.lost_sums.size(); accounts > 0)
        report.kept.push_back(fmt::format("{} {}", accounts, accounts == 1 ? "ledger" : "ledgers"));
    for (const std::uint64_t account : plan.lost_sums) {
        report.gone.push_back(fmt::format(
            "rows of ledger {} up to turn {}: resume takes their sums from the state", account, plan.state));
        report.given_up = true;
    }
    if ((!found.lines_whole || lacks_last_lines(found, plan)) && plan.lost_sums.empty())
        report.gone.emplace_back("ledger rows: resume makes them anew, or has their sums");
    if (found.damaged_accounts > 0)
        report.gone.emplace_back("a ledger's header: resume makes that ledger anew");
    if (!found.alarms_whole) {
        report.gone.emplace_back("alarms");
        report.given_up = report.given_up || plan.state > 0;
    }
    // Only data that can be read again bring it back.
    if (found.served || found.identity.parent.turn > 0) report.given_up = false;
    return report;
}

/// Without damage in what is returned, `part` is not a store.
Recovery write_recovered_store(const std::string& part, const std::string& copy, const std::string& target,
                               const RecoverOptions& options, const std::string& damage) {
    Database source(copy, Database::Access::write);
    Database store(part, Database::Access::create);
    // A part that is not complete is removed; PartFile waits for the disk once.
    store.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    Transaction transaction(store);
    migrate(store, 0);
    const Salvage found = salvage(source, store);
    RecoveryPlan plan = plan_recovery(store, found, false);
    Recovery report = report_of(found, plan);
    if (damage.empty() && report.gone.empty()) return report;
    const std::string first_damage = damage.empty() ? report.gone.front() : damage;
    if (options.replay) {
        plan = plan_recovery(store, found, true);
        report = report_of(found, plan);
    }
    report.damage = first_damage;
    write_store(store, source, found, plan, target);
    Statement(store, "INSERT INTO sessions (version, begun, turn) VALUES (?1, ?2, ?3)")
        .run(options.version, milliseconds_now(), plan.last);
    transaction.commit();
    check_result(part, plan);
    return report;
}

}  // namespace

Recovery recover_store(const std::string& path, const std::string& target, const RecoverOptions& options) {
    check_paths(path, target);
    const PartFile part(target + ".part-" + Journal::new_id());
    const std::string copy_path = part.path() + ".copy";
    std::string damage;
    {
        const DamagedCopy copy(path, copy_path);
        damage = problem_of(damage_of(copy.path()), {copy.path()});
    }
    const DamagedCopy copy(path, copy_path);
    if (!damage.empty()) copy.replace_first_page();
    try {
        Recovery report = write_recovered_store(part.path(), copy.path(), target, options, damage);
        if (report.damage.empty()) return report;
        part.finish(target);
        return report;
    } catch (const DataError& error) {
        throw DataError({.source = path, .line = 0, .column = 0, .field = ""},
                        problem_of(error.what(), {copy.path(), part.path()}), "");
    }
}

}  // namespace proxstream
