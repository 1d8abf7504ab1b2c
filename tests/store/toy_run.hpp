/// A run that is nothing but its journal: rows of a naive run, decisions that depend on a state, a state that
/// every turn changes.
#pragma once

#include "regret/naive_run.hpp"
#include "store/journal.hpp"
#include "store/run_store.hpp"

#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <unistd.h>

namespace proxstream {

/// A name for a store that goes with the test, its log too.
class StorePath {
  public:
    StorePath()
        : path_((std::filesystem::temp_directory_path() /
                 ("proxstream-store-" + std::to_string(::getpid()) + "-" + std::to_string(++count())))
                    .string()) {
        remove();
    }
    ~StorePath() { remove(); }
    StorePath(const StorePath&) = delete;
    StorePath& operator=(const StorePath&) = delete;
    const std::string& name() const { return path_; }
    void remove() const {
        for (const char* suffix : {"", "-wal", "-shm", "-lock"}) std::remove((path_ + suffix).c_str());
    }

  private:
    static int& count() {
        static int made = 0;
        return made;
    }
    std::string path_;
};

class ToyRun {
  public:
    /// `file`: grows with the run, a line a turn; empty: none.
    explicit ToyRun(const naive::Played& played, std::string file = {})
        : played_(played), tally_(played.header), path_(std::move(file)) {}

    static RunIdentity identity() {
        RunIdentity identity;
        identity.kind = "learn";
        identity.title = "a toy";
        identity.settings = {{"window", "3"}};
        identity.channels = {"loss", "gap"};
        return identity;
    }

    void begin(Journal& journal) {
        journal.when_saving([this, &journal](OutputMarks& marks) {
            journal.close_account(0, footer(), tally_);
            if (file_) file_->mark(marks);
        });
        place_ = static_cast<Index>(journal.restore([this](StateArchive& state) { serialise(state); }));
        if (place_ == 0) journal.open_account(0, played_.header);
        if (!path_.empty()) file_.emplace(open_output(&journal, path_));
    }

    bool over() const { return place_ == played_.reports.size(); }

    void turn(Journal& journal) {
        const RoundReport& report = played_.reports[place_];
        const RowExtras extras = played_.extras(place_);
        tally_.add(report, extras);
        journal.row(0, report, extras);
        journal.decision("{\"drawn\":" + std::to_string(drawn_) + "}");
        if (file_) file_->write(std::to_string(place_) + ' ' + std::to_string(drawn_) + '\n');
        const Real figures[] = {report.loss, report.entry_gap};
        journal.figures(figures);
        drawn_ = drawn_ * 6364136223846793005ULL + 1442695040888963407ULL;
        ++place_;
        journal.end_turn([this](StateArchive& state) { serialise(state); });
    }

    void finish(Journal& journal) {
        journal.finish([this](StateArchive& state) { serialise(state); },
                       to_json(tally_.certificate(footer())), "{}", over());
        if (file_) file_->close();
    }

    RunFooter footer() const {
        return over() ? played_.footer : tally_.footer(closing(), RunEnding::interrupted, 0);
    }
    void save(StateArchive& state) { serialise(state); }
    Index place() const { return place_; }
    const Tally& tally() const { return tally_; }

  private:
    /// Not that of the run, but one that fits its window.
    Closing closing() const { return {played_.footer.final_regulariser, {}, {}}; }
    void serialise(StateArchive& state) {
        state.field("drawn", drawn_);
        std::uint64_t place = place_;
        state.field("place", place, played_.reports.size());
        place_ = place;
        state.section("tally", tally_);
    }

    const naive::Played& played_;
    Tally tally_;
    std::string path_;
    std::optional<OutputFile> file_ = {};
    Index place_ = 0;
    std::uint64_t drawn_ = 1;
};

inline naive::Plan usual(Round rounds) {
    naive::Plan plan{.n = 2, .w = 3, .rounds = rounds};
    plan.refused = {4};
    return plan;
}

inline JournalOptions every(std::uint64_t turns, bool save = false, const std::string& keep = "all") {
    return {.durable = {turns, false}, .keep = Retention::parse(keep), .save_every_commit = save};
}

/// All a store says, in one text.
inline std::string contents_of(const RunStore& store) {
    std::string text;
    store.ledger(0, [&](std::string_view line) {
        text += line;
        return true;
    });
    store.turns(0, ~Turn{0}, [&](const StoredTurn& turn) {
        text += std::to_string(turn.turn) + turn.decision;
        for (const Real figure : turn.figures) text += ' ' + std::to_string(figure);
        text += '\n';
        return true;
    });
    return text;
}

}  // namespace proxstream
