/// Drives a run of any kind: its loop, its store, and its end.
#pragma once

#include "proxstream/core/stop_flag.hpp"

#include "run/turn_run.hpp"

#include <functional>
#include <optional>
#include <string>

namespace proxstream {

class RunDriver {
  public:
    /// The run has to outlive the driver.
    explicit RunDriver(TurnRun& run, StopFlag stop = nullptr) : run_(run), stop_(stop) {}
    RunDriver(const RunDriver&) = delete;
    RunDriver& operator=(const RunDriver&) = delete;

    /// Begins a run, and stores it in the file `store` unless that is empty.
    void begin(const std::string& store = {});
    /// Continues the run in `journal` from its last saved state, or starts it if there is none.
    void begin(Journal journal);
    /// Stores a fork: a run that already has a state, which is saved.
    void begin_at_state(Journal journal);

    /// Plays the next turn and stores it. Returns false if there is no next turn. Throws IoError if the turn
    /// could not be stored; it counts as played, and the next commit tries again.
    bool turn();
    /// Plays to the end of the input, a stop request or the first fatal error. In each case the outcome
    /// covers the turns that were played, and all outputs are complete.
    void drive(const std::function<void()>& on_turn = {});
    /// Saves the state.
    void save();
    /// Saves the state and the result. The run can be continued later.
    void close();

    /// Null: the run is not stored.
    Journal* journal() noexcept { return journal_ ? &*journal_ : nullptr; }
    const Journal* journal() const noexcept { return journal_ ? &*journal_ : nullptr; }

  private:
    void attach(Journal journal);
    void store_turn();
    void store_result(bool ended);
    void finish();
    Journal::Serialise state() {
        return [this](StateArchive& archive) { run_.serialise(archive); };
    }

    TurnRun& run_;
    StopFlag stop_;
    std::optional<Journal> journal_;
    bool complete_ = false;  // the last call of play() completed a turn
    bool in_turn_ = false;   // an exception ended a turn halfway, so the run has no consistent state
    bool over_ = false;
};

/// Begins a fork where its parent is, and returns with how much of the parent's state. If the learner cannot
/// restore that state, for instance because its window has another length, `restart` makes the fork again,
/// with `part` of it.
template <class Run, class Restart>
std::string begin_fork(Run& fork, Run& parent, const char* part, const Restart& restart) {
    try {
        fork.continue_from(parent);
        return "with all of its state";
    } catch (const Error&) {
        restart();
        return part;
    }
}

/// Runs `run` to its end and returns its outcome.
template <class Run>
auto drive(Run&& run, StopFlag stop = nullptr, const std::function<void()>& on_turn = {},
           const std::string& store = {}) {
    RunDriver driver(run, stop);
    driver.begin(store);
    driver.drive(on_turn);
    return run.outcome();
}

}  // namespace proxstream
