/// The learners of a service by name, and the forks that were made of them.
#pragma once

#include "serve/desk.hpp"
#include "serve/serve_settings.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace proxstream {

class Roster {
  public:
    static constexpr std::size_t kForks = 8;  // a learner
    /// Opens a run; open_served_run, but for tests.
    using Opener =
        std::function<std::unique_ptr<ServedRun>(const std::string& kind, const SettingList& settings)>;

    Roster(Workers& workers, Opener opener) : workers_(workers), opener_(std::move(opener)) {}

    /// All of them, at the same time, with the forks found beside their stores. Throws what the first one
    /// that cannot be opened throws.
    void open(const std::vector<LearnerPlan>& plans);

    std::shared_ptr<Desk> find(const std::string& name) const;
    std::vector<std::shared_ptr<Desk>> all() const;  // in the order of their names
    std::vector<PageFork> forks_of(const Desk& desk) const;
    static PageFork page_fork(const Desk& fork, const Desk& parent);

    /// A fork of `parent` from now on, that follows it; answers with its desk or why there is none.
    using Forked = std::function<void(std::variant<std::shared_ptr<Desk>, Refusal>)>;
    void fork(const std::shared_ptr<Desk>& parent, const std::string& name, const SettingList& changes,
              const std::string& events, Forked done);
    /// Ends a fork and removes its store; answers with "" or what went wrong.
    void remove(const std::shared_ptr<Desk>& fork, const Desk::Done& done);

    /// Takes over what may change while learners run; what was not taken over, a line each.
    std::vector<std::string> reload(const std::vector<LearnerPlan>& plans);
    /// Plays what waits, saves and closes all of them; what went wrong, a line each.
    std::vector<std::string> close();

  private:
    std::shared_ptr<Desk> open_fork(const Desk& parent, const DeskOptions& options, const std::string& name,
                                    const std::string& path);
    void reopen_forks(const std::shared_ptr<Desk>& parent, const DeskOptions& options);
    void add(const std::shared_ptr<Desk>& desk);
    std::variant<std::shared_ptr<Desk>, Refusal> adopt(Desk& parent, const std::string& name,
                                                       const DeskOptions& options,
                                                       std::unique_ptr<ServedRun> run,
                                                       std::optional<Refusal> why);

    Workers& workers_;
    Opener opener_;
    mutable std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Desk>> desks_;
    std::map<std::string, DeskOptions> options_;
    std::map<std::string, std::string> forking_;  // names that are taken already, and of whom
};

}  // namespace proxstream
