/// `runs`, and `show` of a store: which stores there are, and what is in one.
#include "proxstream/core/error.hpp"

#include "app/exit_code.hpp"
#include "app/show.hpp"
#include "app/verbs.hpp"
#include "store/run_store.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

std::string utc(std::int64_t milliseconds) {
    if (milliseconds == 0) return "-";
    const std::time_t seconds = milliseconds / 1000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts)};
}

std::string size_text(std::uint64_t bytes) {
    if (bytes < 10240) return fmt::format("{} B", bytes);
    if (bytes < 10485760) return fmt::format("{} KiB", bytes / 1024);
    return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / 1048576);
}

std::string_view status(const StoreState& state) {
    return state.running ? "running" : state.finished ? "finished" : "stopped";
}

bool wants_help(const std::vector<std::string>& arguments) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [](const std::string& each) { return each == "--help" || each == "-h"; });
}

void refuse_options(const std::string& verb, const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments) {
        if (argument.size() > 1 && argument.starts_with('-'))
            throw ConfigError("unknown option '" + argument + "'; " + verb + " knows --help");
    }
}

void print_settings(const RunIdentity& identity) {
    fmt::print("\nsettings\n");
    for (const auto& [name, value] : identity.settings) {
        if (!value.empty()) fmt::print("  {:<20} {}\n", name, value);
    }
}

void print_figures(const RunStore& store, Turn last) {
    const auto turn = store.turn(last);
    if (!turn || turn->figures.empty()) return;
    fmt::print("\nlast turn\n");
    const std::vector<std::string>& channels = store.identity().channels;
    for (Index i = 0; i < std::min(channels.size(), turn->figures.size()); ++i) {
        if (!std::isnan(turn->figures[i])) fmt::print("  {:<20} {:.6g}\n", channels[i], turn->figures[i]);
    }
}

void print_alarms(const RunStore& store) {
    const auto alarms = store.alarms();
    if (alarms.empty()) return;
    fmt::print("\nalarms\n");
    for (const auto& [turn, alarm] : alarms)
        fmt::print("  {:>8} {} {} {}: {}\n", turn, alarm.raised ? '!' : ' ', alarm.kind, alarm.subject,
                   alarm.raised ? alarm.text : "cleared");
}

}  // namespace

int list_runs(const std::vector<std::string>& arguments) {
    if (wants_help(arguments)) {
        fmt::print(
            "Lists the run stores in folders (default: this one).\nusage: proxstream runs [FOLDER ..]\n");
        return kOk;
    }
    refuse_options("runs", arguments);
    std::vector<std::filesystem::path> found;
    for (const std::string& folder : arguments.empty() ? std::vector<std::string>{"."} : arguments) {
        std::error_code problem;
        for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
            if (entry.is_regular_file() && looks_like_store(entry.path().string()))
                found.push_back(entry.path());
        }
        if (problem) throw IoError(folder, "list the folder", problem.value());
    }
    std::sort(found.begin(), found.end());
    fmt::print("{:<28} {:<6} {:<9} {:>10} {:>10}  {:<19}  {}\n", "run", "kind", "state", "turns", "size",
               "last turn", "title");
    bool whole = true;
    for (const auto& path : found) {
        const std::string name = path.lexically_normal().string();
        try {
            const RunStore store(path.string());
            const StoreState state = store.state();
            fmt::print("{:<28} {:<6} {:<9} {:>10} {:>10}  {:<19}  {}\n", name, store.identity().kind,
                       status(state), state.last, size_text(state.bytes), utc(state.last_time),
                       store.identity().title);
        } catch (const Error& error) {
            whole = false;
            fmt::print("{:<28} {}\n", name, error.what());
        }
    }
    if (found.empty()) fmt::print("(none)\n");
    return whole ? kOk : kData;
}

void show_store(const std::string& path) {
    const RunStore store(path);
    const RunIdentity& identity = store.identity();
    const StoreState state = store.state();
    fmt::print("{}: {}, {}\n", store.path(), identity.kind, identity.title);
    fmt::print("  id        {}, begun {} by proxstream {}\n", identity.id, identity.created,
               identity.version);
    if (!identity.command.empty()) fmt::print("  command   {}\n", identity.command);
    if (!identity.parent.id.empty()) {
        fmt::print("  fork of   {} ({}) after turn {}, {}\n", identity.parent.id, identity.parent.store,
                   identity.parent.turn, identity.parent.begun);
    }
    fmt::print("  state     {}, {} turns, last {}; state saved after turn {}\n", status(state), state.last,
               utc(state.last_time), state.saved);
    if (state.folded > 0)
        fmt::print("  kept      turns from {} on; those before are added up\n", state.folded + 1);
    else if (state.folded_rows > 0)
        fmt::print("  kept      decisions and figures of all turns; {} ledger rows are kept as sums\n",
                   state.folded_rows);
    fmt::print("  file      {}, {} {}\n", size_text(state.bytes), state.accounts,
               state.accounts == 1 ? "ledger" : "ledgers");
    for (const StoreSession& session : store.sessions())
        fmt::print("  session   {} behind turn {} (proxstream {})\n", utc(session.begun), session.turn,
                   session.version);
    print_settings(identity);
    print_figures(store, state.last);
    print_alarms(store);
    if (!state.running && !state.finished)
        fmt::print("\n'proxstream resume {}' continues it\n", store.path());
}

}  // namespace proxstream::app
