#include "proxstream/regret/certify.hpp"

#include "proxstream/regret/game_certificate.hpp"

#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "core/parse_json.hpp"
#include "front/epoch_account.hpp"
#include "io/standard_error.hpp"
#include "store/run_store.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

struct Answer {
    std::string text;
    bool holds = false;
};

Answer certify_file(const std::string& path, bool json) {
    const Certificate certificate = certify(path);
    return {json ? to_json(certificate) : to_text(certificate), certificate.sound()};
}

Answer certify_players(const std::vector<std::string>& paths, bool json) {
    const GameCertificate certificate = certify_game(paths);
    return {json ? to_json(certificate) : to_text(certificate), certificate.sound()};
}

/// A ledger of a store, as if it were a file. Rows that the store has folded are missing.
std::unique_ptr<std::istringstream> ledger_text(const RunStore& store, std::uint64_t account) {
    std::string text;
    store.ledger(account, [&](std::string_view line) {
        text += line;
        return true;
    });
    return std::make_unique<std::istringstream>(std::move(text));
}

Answer certify_stored_game(const RunStore& store, bool json) {
    std::vector<std::unique_ptr<std::istringstream>> texts;
    std::vector<std::string> names;
    std::vector<LedgerReader> readers;
    for (std::uint64_t i = 0; i < store.state().accounts; ++i) {
        texts.push_back(ledger_text(store, i));
        names.push_back(fmt::format("{} (player {})", store.path(), i + 1));
        readers.emplace_back(*texts.back(), names.back());
    }
    const GameCertificate certificate = certify_game(readers, names);
    return {json ? to_json(certificate) : to_text(certificate), certificate.sound()};
}

/// A run store: recomputed from its ledgers, as far as they were closed when its state was last saved.
Answer certify_store(const std::string& path, bool json) {
    const RunStore store(path);
    const StoreState state = store.state();
    const bool game = store.identity().kind == "play" && state.accounts > 1;
    if (game && state.folded_rows == 0 && state.saved == state.last) return certify_stored_game(store, json);
    const std::vector<Certificate> accounts = store.certify();
    if (accounts.empty()) {
        const std::string saved = store.certificate();
        if (saved.empty())
            throw DataError({.source = path, .line = 0, .column = 0, .field = ""}, "nothing is closed yet",
                            "a run that has saved its state once; a recovered one has to be resumed");
        // A fit has no ledger: what it has is what it said itself.
        const auto certificate = parse_json(saved);
        const bool sound =
            certificate.is_object() && certificate.contains("sound") && certificate["sound"] == true;
        return {json ? saved : "as the run itself said (it keeps no ledger):\n" + saved + "\n", sound};
    }
    Answer answer{json ? epochs_json(accounts) : epochs_text(accounts), sound(accounts)};
    if (accounts.size() == 1 && json) answer.text = to_json(accounts.front());
    if (json) return answer;
    if (state.saved < state.last)
        answer.text += fmt::format("  of {} turns, the first {}: behind them no state was saved\n",
                                   state.last, state.saved);
    if (game) answer.text += "  of each player; of the game, what was said when it was last stopped\n";
    return answer;
}

/// A folder is not certified as a whole: the error names the ledgers in it.
[[noreturn]] void refuse_folder(const std::string& folder) {
    std::vector<std::string> ledgers;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("ledger") && name.ends_with(".jsonl")) ledgers.push_back(entry.path().string());
    }
    // ledger-2 before ledger-10
    std::sort(ledgers.begin(), ledgers.end(), [](const std::string& a, const std::string& b) {
        return std::pair(a.size(), a) < std::pair(b.size(), b);
    });
    throw ConfigError(fmt::format("certify: {} is a folder; expected a ledger or a run store{}", folder,
                                  ledgers.empty()
                                      ? "; the folder has no ledger"
                                      : fmt::format(", for example {}", fmt::join(ledgers, " "))));
}

}  // namespace

int certify_ledger(const std::vector<std::string>& arguments) {
    bool json = false;
    std::vector<std::string> paths;
    for (const std::string& argument : arguments) {
        if (argument == "--help" || argument == "-h") {
            fmt::print(
                "Recomputes the certificate of a run from its ledger and checks that the ledger is complete "
                "and unchanged.\n"
                "With the ledgers of all players of a game, in their order, certifies the game.\n"
                "With a run store, certifies the ledgers in it; the run may be unfinished.\n"
                "usage: proxstream certify [--json] LEDGER\n"
                "       proxstream certify [--json] RUN\n"
                "       proxstream certify [--json] LEDGER LEDGER ..\n");
            return kOk;
        }
        if (argument == "--json") {
            json = true;
        } else if (argument.size() > 1 && argument.starts_with('-')) {
            throw ConfigError("unknown option '" + argument + "'; certify knows --json and --help");
        } else {
            paths.push_back(argument);
        }
    }
    if (paths.empty())
        throw ConfigError("certify: expected a ledger or a run store, see 'proxstream certify --help'");
    if (std::filesystem::is_directory(paths[0])) refuse_folder(paths[0]);
    try {
        const Answer answer = paths.size() > 1             ? certify_players(paths, json)
                              : looks_like_store(paths[0]) ? certify_store(paths[0], json)
                                                           : certify_file(paths[0], json);
        fmt::print("{}{}", answer.text, json ? "\n" : "");
        return answer.holds ? kOk : kNotCertified;
    } catch (const DataError& error) {
        eprint("proxstream: {}\n", error.what());
        return kNotCertified;
    }
}

}  // namespace proxstream::app
