/// The common part of the verbs that run something: the run is driven, shown and ended.
#pragma once

#include "app/verbs.hpp"
#include "io/standard_error.hpp"
#include "run/run_driver.hpp"
#include "run/setting_list.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace proxstream::app {

/// The turns after which a progress table prints a line.
class LineSchedule {
  public:
    /// Every `every` turns; 0: after 1, 2, 4, 8, ...
    explicit LineSchedule(Index every) : every_(every), next_(every > 0 ? every : 1) {}

    bool due(Index turns) {
        if (turns < next_) return false;
        while (next_ <= turns) next_ = every_ > 0 ? next_ + every_ : next_ * 2;
        return true;
    }

  private:
    Index every_;
    Index next_;
};

/// This program, and the command of a new run.
RunOrigin origin_of(const std::string& verb, const std::vector<std::string>& arguments);
/// Says that a run had ended, and which files were written again.
void print_files(const std::string& store, const std::vector<std::string>& outputs);
/// Says that files were lost, and from which turn the run is played again to write them.
void print_lost(const Journal& journal);
/// Prints where the run is stored (unless `store` is empty) and its problems. Returns the exit status.
int end_run(const RunOutcome& outcome, const std::string& store);

/// From the first turn to the last line; returns the exit status. `resumed`: the run in the store of the
/// settings is continued. `echo` prints the settings. A Screen prints a run: it has on_turn(), end() and the
/// name of a turn.
template <class Screen, class Settings, class Run>
int drive_run(const Settings& settings, Run& run, bool resumed, const std::function<void()>& echo) {
    RunDriver driver(run, stop_requested());
    bool ended = false;
    if (resumed) {
        Journal journal = Journal::open(settings.store, run.journal_options());
        ended = journal.finished();
        journal.note_limits(limits_of(settings));
        driver.begin(std::move(journal));
        print_lost(*driver.journal());
    } else {
        driver.begin(settings.store);
    }
    std::optional<Screen> screen;
    if (!settings.quiet) {
        echo();
        if (resumed) {
            eprint("  resumed    {}, after {} {}\n", settings.store, Screen::kTurn,
                   driver.journal()->played());
        }
        screen.emplace(settings, run);
    }
    driver.drive([&] {
        if (screen) screen->on_turn();
    });
    if (screen) screen->end();
    if (ended) print_files(settings.store, run.outputs());
    return end_run(run.outcome(), settings.quiet ? "" : settings.store);
}

}  // namespace proxstream::app
